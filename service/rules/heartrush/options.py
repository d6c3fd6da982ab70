"""List the house options of Heart Rush: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.ruleset import OptionSpec
from service.rules.table import Option


def _spec(
    key: str, settles: str, text: str, *values: Option, bounds: tuple[int, int] | None = None
) -> OptionSpec:
    return OptionSpec(key=key, values=values, settles=settles, text=text, bounds=bounds)


_ALL: Final = (
    _spec("timing", "A-48", "sides pass priority, or creatures take turns", "priority", "turns"),
    _spec(
        "turn_order",
        "A-47",
        "where the order of turns comes from",
        "given",
        "agility_check",
        "alternate_sides",
    ),
    _spec("passes_to_end_round", "A-01", "side passes in a row that end a round", 3, 2),
    _spec("callout_passes_priority", "A-03", "whether a call out hands priority over", True, False),
    _spec(
        "instant_resets_passes", "A-04", "whether an instant starts the count of declines again", False, True
    ),
    _spec("enforce_starter", "A-06", "whether only the named starter may act first", False, True),
    _spec(
        "surprised_stance",
        "A-08",
        "what a surprised creature may do when engaged",
        "free",
        "defensive",
        "helpless",
    ),
    _spec(
        "defense_die",
        "A-10",
        "whose stance names the defender's ability die",
        "attacker_stance",
        "defender_stance",
    ),
    _spec("same_stance_attacks", "A-11", "whether a stance may attack its own kind", True, False),
    _spec(
        "target_declaration",
        "A-13",
        "whether targets stay sealed until all of a step are in",
        "sealed",
        "open",
    ),
    _spec(
        "simultaneity",
        "A-14",
        "what an attack of a step sees of the step's earlier attacks",
        "snapshot",
        "live",
    ),
    _spec(
        "agility_2b",
        "A-15",
        "movers that move first: one after the other, or all moves before all attacks",
        "sequential",
        "batch",
    ),
    _spec("half_rounding", "A-18", "how a shrugged half is rounded", "up", "down"),
    _spec("shrug_per_round", "A-19", "how often a creature may shrug off in a round", "unlimited", 1),
    _spec("wound_threshold", "A-20", "final damage that marks a wound", 10, 11),
    _spec("clamp_hp_to_cap", "A-22", "whether a new wound lowers hit points to the cap", False, True),
    _spec("death_line", "A-23", "which maximum the line of death mirrors", "base_max", "current_cap"),
    _spec("zero_hp", "A-24", "whether falling unconscious at zero is a choice", "choice", "immediate"),
    _spec("keep_rank0_wounds", "A-25", "whether a wound treated to rank 0 stays on the list", False, True),
    _spec(
        "treat_in_combat", "A-26", "whether wounds may be treated in combat, as a full action", False, True
    ),
    _spec("medicine_ability", "A-26", "which ability treats wounds", "cunning", "any"),
    _spec("untreated_wounds_heal", "A-27", "whether untreated wounds heal over long rests", False, True),
    _spec("rush_formula", "A-29", "what a round's rush is counted from", "active_rounds", "round_number"),
    _spec("heart_recharge", "A-32", "which rests charge heart abilities", "long_rest", "any_rest"),
    _spec("major_recharge", "A-32", "what charges major abilities", "long_rest", "day"),
    _spec("cunning_perk_needs_hit", "A-34", "whether the cunning perk needs damage", False, True),
    _spec(
        "ability_conditions_affect_ad",
        "A-35",
        "whether dazed and its kin reach attack and defense rolls",
        True,
        False,
    ),
    _spec("pass_through", "A-37", "who may enter another's space", "smaller_mover", "either_smaller"),
    _spec("allies_passable", "A-37", "whether allies may be walked through", True, False),
    _spec(
        "light_shield_blocks_split",
        "A-38",
        "whether a light shield spares its bearer a collision's half",
        True,
        False,
    ),
    _spec(
        "join_requires", "A-40", "who may join an engagement", "enemy_in_range", "any_participant_in_range"
    ),
    _spec(
        "defensive_counts_as_beaten",
        "A-41",
        "whether every stance directly beats defensive for grapples and their kin",
        True,
        False,
    ),
    _spec("helpless_stance", "A-42", "the stance of who cannot choose", "helpless", "defensive"),
    _spec("oa_perks", "A-43", "stance perks on opportunity attacks", "none", "as_if_beaten"),
    _spec("oa_step_count", "A-44", "which steps count as moving within reach", "both_inside", "ends_inside"),
    _spec("metric", "A-45", "how diagonals and ranges are measured", "chebyshev", "alternating", "euclid"),
    _spec(
        "offensive_recheck_adjacency",
        "A-51",
        "whether grapple and climb fizzle if the two stand apart when they land",
        True,
        False,
    ),
    _spec(
        "contested_complications",
        "A-52",
        "whether a natural 1 in a contested check of combat brings a complication",
        False,
        True,
    ),
    _spec("hazards_shruggable", "A-56", "whether falls and other hazards may be shrugged off", True, False),
    _spec("ability_die_cap", "A-46", "how far ability dice can be bought", "d12", "d20"),
    _spec("hp_purchase_heals", "A-61", "whether buying hit points raises the current ones", False, True),
    _spec(
        "range_increment",
        "A-63",
        "whether a started or a completed increment beyond range counts",
        "started",
        "completed",
    ),
    _spec("friendly_fire", "A-67", "whether attacks may target allies", True, False),
    _spec(
        "allow_retroactive",
        "A-50",
        "an instant whose moment is over: refused, or left to the GM, without rewinding anything",
        False,
        "gm",
    ),
    _spec("round_seconds", "A-68", "seconds a round takes on the campaign clock", 6, bounds=(1, 600)),
    _spec(
        "open_at_close",
        "TABLE-CLOSE-1",
        "what the end of the encounter opens: every envelope, or those that the dice need",
        "all",
        "dice",
    ),
    _spec(
        "windows",
        "TABLE-WINDOW-1",
        "whether a window asks those who could answer, which shows that somebody could, or everybody able",
        "holders",
        "all",
    ),
    _spec("auto_end", "A-71", "whether combat ends by itself when a side has nobody left", True, False),
    _spec(
        "grappler_hold_disadvantage",
        "A-76",
        "whether holding on hampers the grappler when its captive breaks free",
        False,
        True,
    ),
    _spec(
        "gm_commits_first",
        "HR-STANCE-2",
        "whether the GM's stances must be in before the players'",
        False,
        True,
    ),
)

OPTIONS: Final[Mapping[str, OptionSpec]] = MappingProxyType({spec.key: spec for spec in _ALL})

DEFAULTS: Final[Mapping[str, Option]] = MappingProxyType({spec.key: spec.values[0] for spec in _ALL})
