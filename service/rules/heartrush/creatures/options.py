"""List the house options of Heart Rush: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from service.rules.house_options import defaults, option, specs_of
from service.rules.kernel.records import record
from service.rules.table.table import Option


@record
class House:
    """The value of each option."""

    timing: Literal["priority", "turns"] = option(
        "A-48",
        "sides pass priority, or creatures take turns",
        "The two sides pass priority.",
        "Creatures take turns.",
    )
    turn_order: Literal["given", "agility_check", "alternate_sides"] = option(
        "A-47",
        "where the order of turns comes from",
        "The opening gives the order of turns.",
        "Agility checks give the order of turns.",
        "The sides alternate in the order of turns.",
    )
    passes_to_end_round: Literal[3, 2] = option(
        "A-01",
        "side passes in a row that end a round",
        "Three passes of sides in a row end a round.",
        "Two passes of sides in a row end a round.",
    )
    callout_passes_priority: Literal[True, False] = option(
        "A-03",
        "whether a call out hands priority over",
        "A call out hands priority to the other side.",
        "A call out does not hand over priority.",
    )
    instant_resets_passes: Literal[False, True] = option(
        "A-04",
        "whether an instant starts the count of declines again",
        "An instant does not restart the count of declines.",
        "An instant restarts the count of declines.",
    )
    enforce_starter: Literal[False, True] = option(
        "A-06",
        "whether only the named starter may act first",
        "Any member of the side that starts may act first.",
        "Only the named starter may act first.",
    )
    surprised_stance: Literal["free", "defensive", "helpless"] = option(
        "A-08",
        "what a surprised creature may do when engaged",
        "A surprised creature that is engaged chooses its stance freely.",
        "A surprised creature that is engaged is defensive.",
        "A surprised creature that is engaged is helpless.",
    )
    defense_die: Literal["attacker_stance", "defender_stance"] = option(
        "A-10",
        "whose stance names the defender's ability die",
        "The attacker's stance names the ability die of the defense.",
        "The defender's stance names the ability die of the defense.",
    )
    same_stance_attacks: Literal[True, False] = option(
        "A-11",
        "whether a stance may attack its own kind",
        "A stance may attack its own kind.",
        "A stance may not attack its own kind.",
    )
    target_declaration: Literal["sealed", "open"] = option(
        "A-13",
        "whether targets stay sealed until all of a step are in",
        "Targets stay sealed until all participants of the step have declared theirs.",
        "Each target is open as soon as it is declared.",
    )
    simultaneity: Literal["snapshot", "live"] = option(
        "A-14",
        "what an attack of a step sees of the step's earlier attacks",
        "Attacks of one step see the state before the step.",
        "Each attack of a step sees what the attacks before it have done.",
    )
    agility_2b: Literal["sequential", "batch"] = option(
        "A-15",
        "movers that move first: one after the other, or all moves before all attacks",
        "Creatures that move before they attack move and attack one after the other.",
        "All creatures that move before they attack move before any of them attacks.",
    )
    cunning_order: Literal["chosen", "participants"] = option(
        "TABLE-ORDER-1",
        "whether the engaged side chooses the order of its cunning attacks, or they come as they joined",
        "The side that was engaged chooses the order of its cunning attacks.",
        "Cunning attacks come in the order in which the participants joined.",
    )
    half_rounding: Literal["up", "down"] = option(
        "A-18",
        "how a shrugged half is rounded",
        "Half of shrugged damage is rounded up.",
        "Half of shrugged damage is rounded down.",
    )
    shrug_per_round: Literal["unlimited", 1] = option(
        "A-19",
        "how often a creature may shrug off in a round",
        "A creature may shrug off damage as often as it can.",
        "A creature may shrug off damage once a round.",
    )
    wound_threshold: Literal[10, 11] = option(
        "A-20",
        "final damage that marks a wound",
        "Final damage of 10 or more marks a wound.",
        "Final damage of 11 or more marks a wound.",
    )
    clamp_hp_to_cap: Literal[False, True] = option(
        "A-22",
        "whether a new wound lowers hit points to the cap",
        "A new wound does not lower the hit points that a creature has.",
        "A new wound lowers hit points to what the wounds leave of the maximum.",
    )
    death_line: Literal["base_max", "current_cap"] = option(
        "A-23",
        "which maximum the line of death mirrors",
        "A creature dies at the negative of its maximum of hit points, without wounds.",
        "A creature dies at the negative of what its wounds leave of its maximum.",
    )
    zero_hp: Literal["choice", "immediate"] = option(
        "A-24",
        "whether falling unconscious at zero is a choice",
        "A creature at zero hit points chooses whether it falls unconscious.",
        "A creature at zero hit points falls unconscious.",
    )
    keep_rank0_wounds: Literal[False, True] = option(
        "A-25",
        "whether a wound treated to rank 0 stays on the list",
        "A wound that is treated to rank 0 is gone.",
        "A wound that is treated to rank 0 stays on the list.",
    )
    treat_in_combat: Literal[False, True] = option(
        "A-26",
        "whether wounds may be treated in combat, as a full action",
        "Wounds are not treated in combat.",
        "Wounds may be treated in combat, as a full action.",
    )
    medicine_ability: Literal["cunning", "any"] = option(
        "A-26",
        "which ability treats wounds",
        "Cunning treats wounds.",
        "Any ability may treat wounds.",
    )
    untreated_wounds_heal: Literal[False, True] = option(
        "A-27",
        "whether untreated wounds heal over long rests",
        "Untreated wounds do not heal over long rests.",
        "Untreated wounds heal over long rests too.",
    )
    rush_formula: Literal["active_rounds", "round_number"] = option(
        "A-29",
        "what a round's rush is counted from",
        "A round gives a rush point for each active round before it.",
        "A round gives as many rush points as its number says.",
    )
    heart_recharge: Literal["long_rest", "any_rest"] = option(
        "A-32",
        "which rests charge heart abilities",
        "Long rests restore heart abilities.",
        "Any rest restores heart abilities.",
    )
    major_recharge: Literal["long_rest", "day"] = option(
        "A-32",
        "what charges major abilities",
        "Long rests restore major abilities.",
        "A new day restores major abilities.",
    )
    cunning_perk_needs_hit: Literal[False, True] = option(
        "A-34",
        "whether the cunning perk needs damage",
        "The effect of a cunning attack on agility does not need damage.",
        "The effect of a cunning attack on agility needs damage.",
    )
    ability_conditions_affect_ad: Literal[True, False] = option(
        "A-35",
        "whether dazed and its kin reach attack and defense rolls",
        "Dazed, weakened, off-balanced and shaken hamper attack and defense rolls too.",
        "Dazed, weakened, off-balanced and shaken do not hamper attack and defense rolls.",
    )
    pass_through: Literal["smaller_mover", "either_smaller"] = option(
        "A-37",
        "who may enter another's space",
        "A creature that is two sizes smaller may enter the space of another.",
        "Two creatures whose sizes differ by two may enter each other's space.",
    )
    allies_passable: Literal[True, False] = option(
        "A-37",
        "whether allies may be walked through",
        "Creatures may walk through allies.",
        "Creatures may not walk through allies.",
    )
    light_shield_blocks_split: Literal[True, False] = option(
        "A-38",
        "whether a light shield spares its bearer a collision's half",
        "A light shield saves its bearer from half of a collision.",
        "A light shield does not help in a collision.",
    )
    join_requires: Literal["enemy_in_range", "any_participant_in_range"] = option(
        "A-40",
        "who may join an engagement",
        "To join an engagement a creature needs an enemy in it within reach.",
        "To join an engagement a creature needs any participant within reach.",
    )
    defensive_counts_as_beaten: Literal[True, False] = option(
        "A-41",
        "whether every stance directly beats defensive for grapples and their kin",
        "Every attacking stance directly beats defensive, for grapples and the like too.",
        "No stance directly beats defensive for grapples and the like.",
    )
    helpless_stance: Literal["helpless", "defensive"] = option(
        "A-42",
        "the stance of who cannot choose",
        "A creature that cannot choose a stance is helpless.",
        "A creature that cannot choose a stance is defensive.",
    )
    oa_perks: Literal["none", "as_if_beaten"] = option(
        "A-43",
        "stance perks on opportunity attacks",
        "Opportunity attacks have no effects of stances.",
        "Opportunity attacks have the effects of a stance that beats the target's.",
    )
    oa_step_count: Literal["both_inside", "ends_inside"] = option(
        "A-44",
        "which steps count as moving within reach",
        "A step is movement within reach if it begins and ends there.",
        "A step is movement within reach if it ends there.",
    )
    metric: Literal["chebyshev", "alternating", "euclid"] = option(
        "A-45",
        "how diagonals and ranges are measured",
        "A diagonal counts like any other step.",
        "Every second diagonal counts twice.",
        "Distances are measured in a straight line.",
    )
    ledge_reach: Literal["height", "flat"] = option(
        "HR-FALL-4",
        "whether the drop of a ledge counts as distance for melee, holds, trips and help",
        "Across a ledge two creatures are as far apart as it is high.",
        "Creatures fight, hold and help each other across a ledge as on flat ground.",
    )
    offensive_recheck_adjacency: Literal[True, False] = option(
        "A-51",
        "whether grapple and climb fizzle if the two stand apart when they land",
        "A grapple or a climb has no effect if the two are apart when it lands.",
        "A grapple or a climb lands even if the two are apart by then.",
    )
    contested_complications: Literal[False, True] = option(
        "A-52",
        "whether a natural 1 in a contested check of combat brings a complication",
        "A natural 1 in a contested check of combat brings no complication.",
        "A natural 1 in a contested check of combat may bring a complication.",
    )
    hazards_shruggable: Literal[True, False] = option(
        "A-56",
        "whether falls and other hazards may be shrugged off",
        "Damage of falls and other hazards may be shrugged off.",
        "Damage of falls and other hazards may not be shrugged off.",
    )
    ability_die_cap: Literal["d12", "d20"] = option(
        "A-46",
        "how far ability dice can be bought",
        "Ability dice can be bought up to d12.",
        "Ability dice can be bought up to d20.",
    )
    hp_purchase_heals: Literal[False, True] = option(
        "A-61",
        "whether buying hit points raises the current ones",
        "Buying hit points raises the maximum alone.",
        "Buying hit points raises the current ones too.",
    )
    range_increment: Literal["started", "completed"] = option(
        "A-63",
        "whether a started or a completed increment beyond range counts",
        "An increment beyond range counts as soon as it is started.",
        "An increment beyond range counts once it is complete.",
    )
    friendly_fire: Literal[True, False] = option(
        "A-67",
        "whether attacks may target allies",
        "Attacks may target allies.",
        "Attacks may not target allies.",
    )
    allow_retroactive: Literal[False, "gm"] = option(
        "A-50",
        "an instant whose moment is over: refused, or left to the GM, without rewinding anything",
        "An instant whose moment is over is refused.",
        "The GM decides on an instant whose moment is over; nothing is rewound.",
    )
    round_seconds: int = option(
        "A-68",
        "seconds a round takes on the campaign clock",
        "A round takes {value} seconds on the campaign clock.",
        default=6,
        bounds=(1, 600),
    )
    open_at_close: Literal["all", "dice"] = option(
        "TABLE-CLOSE-1",
        "what the end of the encounter opens: every envelope, or those that the dice need",
        "The end of the encounter opens every envelope.",
        "The end of the encounter opens only the envelopes that prove the dice.",
    )
    windows: Literal["holders", "all"] = option(
        "TABLE-WINDOW-1",
        "whether a window asks those who could answer, which shows that somebody could, or everybody able",
        "A window asks those who could answer.",
        "A window asks everybody able to act: hundreds of answers a round, unless set in advance.",
    )
    auto_end: Literal[True, False] = option(
        "A-71",
        "whether combat ends by itself when a side has nobody left",
        "Combat ends by itself when a side has nobody left.",
        "Combat ends when the GM says so.",
    )
    grappler_hold_disadvantage: Literal[False, True] = option(
        "A-76",
        "whether holding on hampers the grappler when its captive breaks free",
        "Holding on does not hamper the grappler when its captive breaks free.",
        "Holding on hampers the grappler when its captive breaks free.",
    )
    gm_commits_first: Literal[False, True] = option(
        "HR-STANCE-2",
        "whether the GM's stances must be in before the players'",
        "The GM and the players choose stances in any order.",
        "The GM chooses stances before the players do.",
    )
    sealed_by: Literal["host", "seat"] = option(
        "TABLE-CHOICE-1",
        "who seals a stance until the reveal: the service, or the seat itself",
        "The service seals stances until the reveal.",
        "Each seat seals its stances itself, and opens them once all are sealed.",
    )


OPTIONS: Final = specs_of(House)

DEFAULTS: Final = defaults(OPTIONS.values())


def house_of(chosen: Mapping[str, Option]) -> House:
    """Return the house with the *chosen* values, and the defaults of the other options."""
    return _house(tuple(sorted(chosen.items())))


@lru_cache(maxsize=256)
def _house(chosen: tuple[tuple[str, Option], ...]) -> House:
    """Return the house with the *chosen* values: one object for all encounters that chose them."""
    return House(**{**DEFAULTS, **dict(chosen)})  # type: ignore[arg-type]  # each value was checked with its spec
