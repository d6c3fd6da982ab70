"""List the house options of Heart Rush: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from service.rules.house_options import defaults, option, specs_of
from service.rules.kernel.records import record
from service.rules.table.table import Option


@record
class House:
    """The value of each option."""

    timing: Literal["priority", "turns"] = option("A-48", "sides pass priority, or creatures take turns")
    turn_order: Literal["given", "agility_check", "alternate_sides"] = option(
        "A-47", "where the order of turns comes from"
    )
    passes_to_end_round: Literal[3, 2] = option("A-01", "side passes in a row that end a round")
    callout_passes_priority: Literal[True, False] = option("A-03", "whether a call out hands priority over")
    instant_resets_passes: Literal[False, True] = option(
        "A-04", "whether an instant starts the count of declines again"
    )
    enforce_starter: Literal[False, True] = option("A-06", "whether only the named starter may act first")
    surprised_stance: Literal["free", "defensive", "helpless"] = option(
        "A-08", "what a surprised creature may do when engaged"
    )
    defense_die: Literal["attacker_stance", "defender_stance"] = option(
        "A-10", "whose stance names the defender's ability die"
    )
    same_stance_attacks: Literal[True, False] = option("A-11", "whether a stance may attack its own kind")
    target_declaration: Literal["sealed", "open"] = option(
        "A-13", "whether targets stay sealed until all of a step are in"
    )
    simultaneity: Literal["snapshot", "live"] = option(
        "A-14", "what an attack of a step sees of the step's earlier attacks"
    )
    agility_2b: Literal["sequential", "batch"] = option(
        "A-15", "movers that move first: one after the other, or all moves before all attacks"
    )
    cunning_order: Literal["chosen", "participants"] = option(
        "TABLE-ORDER-1",
        "whether the engaged side chooses the order of its cunning attacks, or they come as they joined",
    )
    half_rounding: Literal["up", "down"] = option("A-18", "how a shrugged half is rounded")
    shrug_per_round: Literal["unlimited", 1] = option("A-19", "how often a creature may shrug off in a round")
    wound_threshold: Literal[10, 11] = option("A-20", "final damage that marks a wound")
    clamp_hp_to_cap: Literal[False, True] = option("A-22", "whether a new wound lowers hit points to the cap")
    death_line: Literal["base_max", "current_cap"] = option("A-23", "which maximum the line of death mirrors")
    zero_hp: Literal["choice", "immediate"] = option(
        "A-24", "whether falling unconscious at zero is a choice"
    )
    keep_rank0_wounds: Literal[False, True] = option(
        "A-25", "whether a wound treated to rank 0 stays on the list"
    )
    treat_in_combat: Literal[False, True] = option(
        "A-26", "whether wounds may be treated in combat, as a full action"
    )
    medicine_ability: Literal["cunning", "any"] = option("A-26", "which ability treats wounds")
    untreated_wounds_heal: Literal[False, True] = option(
        "A-27", "whether untreated wounds heal over long rests"
    )
    rush_formula: Literal["active_rounds", "round_number"] = option(
        "A-29", "what a round's rush is counted from"
    )
    heart_recharge: Literal["long_rest", "any_rest"] = option("A-32", "which rests charge heart abilities")
    major_recharge: Literal["long_rest", "day"] = option("A-32", "what charges major abilities")
    cunning_perk_needs_hit: Literal[False, True] = option("A-34", "whether the cunning perk needs damage")
    ability_conditions_affect_ad: Literal[True, False] = option(
        "A-35", "whether dazed and its kin reach attack and defense rolls"
    )
    pass_through: Literal["smaller_mover", "either_smaller"] = option("A-37", "who may enter another's space")
    allies_passable: Literal[True, False] = option("A-37", "whether allies may be walked through")
    light_shield_blocks_split: Literal[True, False] = option(
        "A-38", "whether a light shield spares its bearer a collision's half"
    )
    join_requires: Literal["enemy_in_range", "any_participant_in_range"] = option(
        "A-40", "who may join an engagement"
    )
    defensive_counts_as_beaten: Literal[True, False] = option(
        "A-41", "whether every stance directly beats defensive for grapples and their kin"
    )
    helpless_stance: Literal["helpless", "defensive"] = option("A-42", "the stance of who cannot choose")
    oa_perks: Literal["none", "as_if_beaten"] = option("A-43", "stance perks on opportunity attacks")
    oa_step_count: Literal["both_inside", "ends_inside"] = option(
        "A-44", "which steps count as moving within reach"
    )
    metric: Literal["chebyshev", "alternating", "euclid"] = option(
        "A-45", "how diagonals and ranges are measured"
    )
    offensive_recheck_adjacency: Literal[True, False] = option(
        "A-51", "whether grapple and climb fizzle if the two stand apart when they land"
    )
    contested_complications: Literal[False, True] = option(
        "A-52", "whether a natural 1 in a contested check of combat brings a complication"
    )
    hazards_shruggable: Literal[True, False] = option(
        "A-56", "whether falls and other hazards may be shrugged off"
    )
    ability_die_cap: Literal["d12", "d20"] = option("A-46", "how far ability dice can be bought")
    hp_purchase_heals: Literal[False, True] = option(
        "A-61", "whether buying hit points raises the current ones"
    )
    range_increment: Literal["started", "completed"] = option(
        "A-63", "whether a started or a completed increment beyond range counts"
    )
    friendly_fire: Literal[True, False] = option("A-67", "whether attacks may target allies")
    allow_retroactive: Literal[False, "gm"] = option(
        "A-50", "an instant whose moment is over: refused, or left to the GM, without rewinding anything"
    )
    round_seconds: int = option(
        "A-68", "seconds a round takes on the campaign clock", default=6, bounds=(1, 600)
    )
    open_at_close: Literal["all", "dice"] = option(
        "TABLE-CLOSE-1", "what the end of the encounter opens: every envelope, or those that the dice need"
    )
    windows: Literal["holders", "all"] = option(
        "TABLE-WINDOW-1",
        "whether a window asks those who could answer, which shows that somebody could, or everybody able",
    )
    auto_end: Literal[True, False] = option(
        "A-71", "whether combat ends by itself when a side has nobody left"
    )
    grappler_hold_disadvantage: Literal[False, True] = option(
        "A-76", "whether holding on hampers the grappler when its captive breaks free"
    )
    gm_commits_first: Literal[False, True] = option(
        "HR-STANCE-2", "whether the GM's stances must be in before the players'"
    )


OPTIONS: Final = specs_of(House)

DEFAULTS: Final = defaults(OPTIONS.values())


def house_of(chosen: Mapping[str, Option]) -> House:
    """Return the house with the *chosen* values, and the defaults of the other options."""
    return House(**{**DEFAULTS, **chosen})  # type: ignore[arg-type]  # each value was checked with its spec
