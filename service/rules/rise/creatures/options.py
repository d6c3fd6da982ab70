"""List the house options of Rise: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from service.rules.house_options import defaults, option, specs_of
from service.rules.kernel.records import record
from service.rules.table.table import Option


@record
class House:
    """The value of each option."""

    profile: Literal["rise-4d", "rise-5d"] = option(
        "C-42",
        "which printing is played: four defenses or five",
        "The printing with four defenses is played.",
        "The printing with five defenses is played.",
    )
    swift_mode: Literal["auto", "strict", "lenient"] = option(
        "C-01",
        "which groups commit to Swift abilities before any dice: all, or all but one, whatever they are",
        "All groups commit to Swift abilities before any dice; if only one has players, it alone does not.",
        "All groups commit to Swift abilities before any dice.",
        "All groups but the first with players commit to Swift abilities before any dice.",
    )
    visibility: Literal["outcomes", "full", "none"] = option(
        "RI-INFO-5",
        "what an attacker's group learns of an attack",
        "An attacker's group learns whether an attack hit, and not the defense.",
        "An attacker's group learns whether an attack hit, and the defense.",
        "An attacker's group learns nothing of an attack before the announcement.",
    )
    gm_blind: Literal[True, False] = option(
        "C-52",
        "whether players' results stay hidden from the GM",
        "Players' results stay hidden from the GM until the announcement.",
        "The GM sees players' results at once.",
    )
    open_at_close: Literal["all", "dice"] = option(
        "TABLE-CLOSE-1",
        "what the end of the encounter opens: every envelope, or those that the dice need",
        "The end of the encounter opens every envelope.",
        "The end of the encounter opens only the envelopes that prove the dice.",
    )
    auto_end: Literal[True, False] = option(
        "RI-ROUND-5",
        "whether combat ends by itself when one side stands",
        "Combat ends by itself when only one side is left.",
        "Combat ends when the GM says so.",
    )
    auto_default: Literal[True, False] = option(
        "RI-GM-2",
        "whether the default answers what is the GM's to say",
        "The default answers what is the GM's to say, and the GM may rule otherwise.",
        "The GM is asked for everything that is the GM's to say.",
    )
    crit_mode: Literal["roll", "multiply"] = option(
        "C-40",
        "whether a critical hit rolls again, or multiplies",
        "A critical hit rolls its damage dice again for each multiple.",
        "A critical hit multiplies its damage dice.",
    )
    min_damage: Literal[0, 1] = option(
        "C-40",
        "the least damage of a hit",
        "A hit may do no damage.",
        "A hit does at least one damage.",
    )
    explosion_target: int = option(
        "RI-ATK-2",
        "the face from which an attack's first die explodes",
        "The first die of an attack explodes from {value} on.",
        default=10,
        bounds=(2, 10),
    )
    detailed_manipulation: Literal[False, True] = option(
        "C-27",
        "whether sheathed and stowed things cost more",
        "Sheathed and stowed things cost what all objects cost.",
        "Sheathed and stowed things cost more.",
    )
    free_actions_warn: int = option(
        "C-25",
        "free actions of one creature after which the GM is asked",
        "The GM is asked after {value} free actions of one creature.",
        default=10,
        bounds=(1, 99),
    )
    exertion_prompt: Literal["misses", "always", "never"] = option(
        "C-44",
        "when a player is asked to reroll with desperate exertion",
        "A player is asked about desperate exertion after each miss.",
        "A player is asked about desperate exertion after each roll.",
        "No player is asked about desperate exertion.",
    )
    exertion_keeps: Literal["better", "second"] = option(
        "RI-UNIV-DESPERATE",
        "which roll counts after an exertion",
        "After an exertion the better roll counts.",
        "After an exertion the second roll counts.",
    )
    total_defense_lasts: Literal["round", "phase"] = option(
        "C-28",
        "how long total defense protects",
        "Total defense protects until the round ends.",
        "Total defense protects until the phase ends.",
    )
    depth_step: Literal["full", "half"] = option(
        "C-33",
        "how far below zero the next vital wound is",
        "Below zero, each further maximum of hit points brings a vital wound.",
        "Below zero, each further half of the maximum of hit points brings a vital wound.",
    )
    subdual_fatigue_per: Literal["application", "wound"] = option(
        "C-33",
        "what subdual damage tires for",
        "Subdual damage tires once, however many wounds it replaces.",
        "Subdual damage tires once for each wound that it replaces.",
    )
    late_healing: Literal["too_late", "saves"] = option(
        "C-07",
        "whether healing of the same phase saves a felled monster",
        "Healing of the same phase comes too late for a felled monster.",
        "Healing of the same phase saves a felled monster.",
    )
    credit: Literal["everyone", "last"] = option(
        "C-08",
        "whom a creature's defeat is credited to",
        "Everybody who damaged a creature in the phase in which it fell has defeated it.",
        "The last who damaged a creature has defeated it.",
    )
    felled_by_own: Literal["stays_down", "acts"] = option(
        "C-36",
        "whether a creature felled by its own group still acts",
        "A creature that its own group fells does not act any more.",
        "A creature that its own group fells still acts in this phase.",
    )
    cleanse: Literal["removes", "keeps"] = option(
        "C-10",
        "whether removing all conditions reaches those of the same phase",
        "Removing all conditions removes those of the same phase too.",
        "Removing all conditions leaves those of the same phase.",
    )
    shove_of_movers: Literal["own", "outside"] = option(
        "C-15",
        "what moves a creature that moved and was pushed",
        "A creature that moves and is pushed in one phase goes where it moves itself.",
        "A creature that moves and is pushed in one phase goes where it is pushed.",
    )
    initiative: Literal["dexterity", "speed"] = option(
        "C-12",
        "what is added to an initiative roll",
        "Dexterity is added to an initiative roll.",
        "Speed is added to an initiative roll.",
    )
    monsters_at_zero: Literal["dead", "unconscious"] = option(
        "C-41",
        "what becomes of a monster at zero",
        "A monster at zero hit points is dead.",
        "A monster at zero hit points is unconscious.",
    )
    minute: Literal["after", "with"] = option(
        "C-34",
        "when the minute of the dying begins",
        "The minute of the dying begins after the round of the wound.",
        "The minute of the dying begins with the round of the wound.",
    )
    wounds_at_once: Literal["in_turn", "together"] = option(
        "C-32",
        "whether wounds of one blow count each other",
        "Each wound of one blow counts those before it.",
        "The wounds of one blow do not count each other.",
    )
    damage_order: Literal["by_kind", "by_group"] = option(
        "C-51",
        "in which order simultaneous damage is taken",
        "Simultaneous damage is taken in the order of its kinds.",
        "Simultaneous damage is taken in the order of the groups.",
    )
    own_healing: Literal["in_turn", "last"] = option(
        "C-05",
        "a group's own healing, beside its own damage",
        "A group's own healing comes in turn with its own damage.",
        "A group's own healing comes after its own damage.",
    )
    second_move: Literal["refused", "wasted"] = option(
        "C-18",
        "a second movement of one's own in a phase",
        "A second movement of one's own in a phase is refused.",
        "A second movement of one's own in a phase is wasted.",
    )
    minor_in_movement: Literal[True, False] = option(
        "C-24",
        "whether minor actions interrupt a movement",
        "Minor actions may interrupt a movement.",
        "Minor actions may not interrupt a movement.",
    )
    traded_movement: Literal["any", "hustle"] = option(
        "C-48",
        "which movement a standard action buys",
        "A standard action buys any movement.",
        "A standard action buys a hustle.",
    )
    ownerless_delayed: Literal["come", "lapse"] = option(
        "C-30",
        "delayed effects of creatures that cannot act",
        "Delayed effects come even if their owner cannot act.",
        "Delayed effects lapse if their owner cannot act.",
    )
    attack_the_felled: Literal["allowed", "refused"] = option(
        "C-37",
        "attacks on who is felled already",
        "A creature that has been felled may still be attacked.",
        "A creature that has been felled may not be attacked.",
    )
    outside_moves: Literal["best", "nobody"] = option(
        "C-16",
        "where a creature goes that several outsiders move",
        "If several outsiders move a creature, the one with the best initiative does.",
        "If several outsiders move a creature, nobody does.",
    )
    fall_damage: Literal["d6_per_10_ft", "none"] = option(
        "RI-ORDER-5",
        "what a fall does",
        "A fall does d6 damage for every 10 feet.",
        "A fall does no damage.",
    )
    reckless_lowers: Literal["all", "armor"] = option(
        "C-29",
        "what a reckless attack lowers",
        "A reckless attack lowers all defenses.",
        "A reckless attack lowers Armor alone.",
    )
    block_speed: Literal["blocker", "blocked"] = option(
        "C-19",
        "whose speed it costs to pass a blocker",
        "Passing a blocker costs the blocker's speed.",
        "Passing a blocker costs the blocked creature's speed.",
    )
    lost_mount: Literal["flees", "stays"] = option(
        "RI-MOUNT-1",
        "what a mount does whose rider cannot hold it",
        "A mount whose rider cannot hold it flees.",
        "A mount whose rider cannot hold it stays where it is.",
    )
    fall_prone: Literal[True, False] = option(
        "C-53",
        "whether falling unconscious means falling prone",
        "A creature that falls unconscious falls prone.",
        "A creature that falls unconscious does not fall prone.",
    )
    sealed_by: Literal["host", "seat"] = option(
        "TABLE-CHOICE-1",
        "who seals a plan of movement until all are made: the service, or the seat itself",
        "The service seals plans of movement until all are made.",
        "Each seat seals its plans of movement itself, and opens them once all are sealed.",
    )


OPTIONS: Final = specs_of(House)

DEFAULTS: Final = defaults(OPTIONS.values())


def house_of(chosen: Mapping[str, Option]) -> House:
    """Return the house with the *chosen* values, and the defaults of the other options."""
    return House(**{**DEFAULTS, **chosen})  # type: ignore[arg-type]  # each value was checked with its spec
