"""List the house options of Heart Rush: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from typing import Final

from service.rules.house_options import by_key, defaults, option

_ALL: Final = (
    option("timing", "A-48", "sides pass priority, or creatures take turns", "priority", "turns"),
    option(
        "turn_order",
        "A-47",
        "where the order of turns comes from",
        "given",
        "agility_check",
        "alternate_sides",
    ),
    option("passes_to_end_round", "A-01", "side passes in a row that end a round", 3, 2),
    option("callout_passes_priority", "A-03", "whether a call out hands priority over", True, False),
    option(
        "instant_resets_passes", "A-04", "whether an instant starts the count of declines again", False, True
    ),
    option("enforce_starter", "A-06", "whether only the named starter may act first", False, True),
    option(
        "surprised_stance",
        "A-08",
        "what a surprised creature may do when engaged",
        "free",
        "defensive",
        "helpless",
    ),
    option(
        "defense_die",
        "A-10",
        "whose stance names the defender's ability die",
        "attacker_stance",
        "defender_stance",
    ),
    option("same_stance_attacks", "A-11", "whether a stance may attack its own kind", True, False),
    option(
        "target_declaration",
        "A-13",
        "whether targets stay sealed until all of a step are in",
        "sealed",
        "open",
    ),
    option(
        "simultaneity",
        "A-14",
        "what an attack of a step sees of the step's earlier attacks",
        "snapshot",
        "live",
    ),
    option(
        "agility_2b",
        "A-15",
        "movers that move first: one after the other, or all moves before all attacks",
        "sequential",
        "batch",
    ),
    option(
        "cunning_order",
        "TABLE-ORDER-1",
        "whether the engaged side chooses the order of its cunning attacks, or they come as they joined",
        "chosen",
        "participants",
    ),
    option("half_rounding", "A-18", "how a shrugged half is rounded", "up", "down"),
    option("shrug_per_round", "A-19", "how often a creature may shrug off in a round", "unlimited", 1),
    option("wound_threshold", "A-20", "final damage that marks a wound", 10, 11),
    option("clamp_hp_to_cap", "A-22", "whether a new wound lowers hit points to the cap", False, True),
    option("death_line", "A-23", "which maximum the line of death mirrors", "base_max", "current_cap"),
    option("zero_hp", "A-24", "whether falling unconscious at zero is a choice", "choice", "immediate"),
    option("keep_rank0_wounds", "A-25", "whether a wound treated to rank 0 stays on the list", False, True),
    option(
        "treat_in_combat", "A-26", "whether wounds may be treated in combat, as a full action", False, True
    ),
    option("medicine_ability", "A-26", "which ability treats wounds", "cunning", "any"),
    option("untreated_wounds_heal", "A-27", "whether untreated wounds heal over long rests", False, True),
    option("rush_formula", "A-29", "what a round's rush is counted from", "active_rounds", "round_number"),
    option("heart_recharge", "A-32", "which rests charge heart abilities", "long_rest", "any_rest"),
    option("major_recharge", "A-32", "what charges major abilities", "long_rest", "day"),
    option("cunning_perk_needs_hit", "A-34", "whether the cunning perk needs damage", False, True),
    option(
        "ability_conditions_affect_ad",
        "A-35",
        "whether dazed and its kin reach attack and defense rolls",
        True,
        False,
    ),
    option("pass_through", "A-37", "who may enter another's space", "smaller_mover", "either_smaller"),
    option("allies_passable", "A-37", "whether allies may be walked through", True, False),
    option(
        "light_shield_blocks_split",
        "A-38",
        "whether a light shield spares its bearer a collision's half",
        True,
        False,
    ),
    option(
        "join_requires", "A-40", "who may join an engagement", "enemy_in_range", "any_participant_in_range"
    ),
    option(
        "defensive_counts_as_beaten",
        "A-41",
        "whether every stance directly beats defensive for grapples and their kin",
        True,
        False,
    ),
    option("helpless_stance", "A-42", "the stance of who cannot choose", "helpless", "defensive"),
    option("oa_perks", "A-43", "stance perks on opportunity attacks", "none", "as_if_beaten"),
    option("oa_step_count", "A-44", "which steps count as moving within reach", "both_inside", "ends_inside"),
    option("metric", "A-45", "how diagonals and ranges are measured", "chebyshev", "alternating", "euclid"),
    option(
        "offensive_recheck_adjacency",
        "A-51",
        "whether grapple and climb fizzle if the two stand apart when they land",
        True,
        False,
    ),
    option(
        "contested_complications",
        "A-52",
        "whether a natural 1 in a contested check of combat brings a complication",
        False,
        True,
    ),
    option("hazards_shruggable", "A-56", "whether falls and other hazards may be shrugged off", True, False),
    option("ability_die_cap", "A-46", "how far ability dice can be bought", "d12", "d20"),
    option("hp_purchase_heals", "A-61", "whether buying hit points raises the current ones", False, True),
    option(
        "range_increment",
        "A-63",
        "whether a started or a completed increment beyond range counts",
        "started",
        "completed",
    ),
    option("friendly_fire", "A-67", "whether attacks may target allies", True, False),
    option(
        "allow_retroactive",
        "A-50",
        "an instant whose moment is over: refused, or left to the GM, without rewinding anything",
        False,
        "gm",
    ),
    option("round_seconds", "A-68", "seconds a round takes on the campaign clock", 6, bounds=(1, 600)),
    option(
        "open_at_close",
        "TABLE-CLOSE-1",
        "what the end of the encounter opens: every envelope, or those that the dice need",
        "all",
        "dice",
    ),
    option(
        "windows",
        "TABLE-WINDOW-1",
        "whether a window asks those who could answer, which shows that somebody could, or everybody able",
        "holders",
        "all",
    ),
    option("auto_end", "A-71", "whether combat ends by itself when a side has nobody left", True, False),
    option(
        "grappler_hold_disadvantage",
        "A-76",
        "whether holding on hampers the grappler when its captive breaks free",
        False,
        True,
    ),
    option(
        "gm_commits_first",
        "HR-STANCE-2",
        "whether the GM's stances must be in before the players'",
        False,
        True,
    ),
)

OPTIONS: Final = by_key(_ALL)

DEFAULTS: Final = defaults(_ALL)
