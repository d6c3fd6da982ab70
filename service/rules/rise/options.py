"""List the house options of Rise: each with its values, default first, and the ambiguity it settles."""

from __future__ import annotations

from typing import Final

from service.rules.house_options import by_key, defaults, option

_ALL: Final = (
    option("profile", "C-42", "which printing is played: four defenses or five", "rise-4d", "rise-5d"),
    option(
        "swift_mode",
        "C-01",
        "which groups commit to Swift abilities before any dice: all, or all but one, whatever they are",
        "auto",
        "strict",
        "lenient",
    ),
    option(
        "visibility", "RI-INFO-5", "what an attacker's group learns of an attack", "outcomes", "full", "none"
    ),
    option("gm_blind", "C-52", "whether players' results stay hidden from the GM", True, False),
    option(
        "open_at_close",
        "TABLE-CLOSE-1",
        "what the end of the encounter opens: every envelope, or those that the dice need",
        "all",
        "dice",
    ),
    option("auto_end", "RI-ROUND-5", "whether combat ends by itself when one side stands", True, False),
    option("auto_default", "RI-GM-2", "whether the default answers what is the GM's to say", True, False),
    option("crit_mode", "C-40", "whether a critical hit rolls again, or multiplies", "roll", "multiply"),
    option("min_damage", "C-40", "the least damage of a hit", 0, 1),
    option(
        "explosion_target",
        "RI-ATK-2",
        "the face from which an attack's first die explodes",
        10,
        bounds=(2, 10),
    ),
    option("detailed_manipulation", "C-27", "whether sheathed and stowed things cost more", False, True),
    option(
        "free_actions_warn",
        "C-25",
        "free actions of one creature after which the GM is asked",
        10,
        bounds=(1, 99),
    ),
    option(
        "exertion_prompt",
        "C-44",
        "when a player is asked to reroll with desperate exertion",
        "misses",
        "always",
        "never",
    ),
    option("exertion_keeps", "RI-UNIV-DESPERATE", "which roll counts after an exertion", "better", "second"),
    option("total_defense_lasts", "C-28", "how long total defense protects", "round", "phase"),
    option("depth_step", "C-33", "how far below zero the next vital wound lies", "full", "half"),
    option("subdual_fatigue_per", "C-33", "what subdual damage tires for", "application", "wound"),
    option(
        "late_healing",
        "C-07",
        "whether healing of the same phase saves a felled monster",
        "too_late",
        "saves",
    ),
    option("credit", "C-08", "whom a creature's defeat is credited to", "everyone", "last"),
    option(
        "felled_by_own", "C-36", "whether a creature felled by its own group still acts", "stays_down", "acts"
    ),
    option(
        "cleanse",
        "C-10",
        "whether removing all conditions reaches those of the same phase",
        "removes",
        "keeps",
    ),
    option("shove_of_movers", "C-15", "what moves a creature that moved and was pushed", "own", "outside"),
    option("initiative", "C-12", "what is added to an initiative roll", "dexterity", "speed"),
    option("monsters_at_zero", "C-41", "what becomes of a monster at zero", "dead", "unconscious"),
    option("minute", "C-34", "when the minute of the dying begins", "after", "with"),
    option("wounds_at_once", "C-32", "whether wounds of one blow count each other", "in_turn", "together"),
    option("damage_order", "C-51", "in which order simultaneous damage is taken", "by_kind", "by_group"),
    option("own_healing", "C-05", "a group's own healing, beside its own damage", "in_turn", "last"),
    option("second_move", "C-18", "a second movement of one's own in a phase", "refused", "wasted"),
    option("minor_in_movement", "C-24", "whether minor actions interrupt a movement", True, False),
    option("traded_movement", "C-48", "which movement a standard action buys", "any", "hustle"),
    option("ownerless_delayed", "C-30", "delayed effects of creatures that cannot act", "come", "lapse"),
    option("attack_the_felled", "C-37", "attacks on who is felled already", "allowed", "refused"),
    option("outside_moves", "C-16", "where a creature goes that several outsiders move", "best", "nobody"),
    option("fall_damage", "RI-ORDER-5", "what a fall does", "d6_per_10_ft", "none"),
    option("reckless_lowers", "C-29", "what a reckless attack lowers", "all", "armor"),
    option("block_speed", "C-19", "whose speed it costs to pass a blocker", "blocker", "blocked"),
    option("lost_mount", "RI-MOUNT-1", "what a mount does whose rider cannot hold it", "flees", "stays"),
    option("fall_prone", "C-53", "whether falling unconscious means falling prone", True, False),
)

OPTIONS: Final = by_key(_ALL)

DEFAULTS: Final = defaults(_ALL)
