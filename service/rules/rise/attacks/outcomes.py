"""Judge an attack: what a roll comes to against defenses, and what damage it may do.

Pure numbers: nothing here throws a die or knows how far an ability has come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from service.rules.kernel.records import EMPTY
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.state import State

RI_INFO_5: Final = Rule(
    "RI-INFO-5",
    "The attacker's group learns how an attack came out, and defenses only where the house says so.",
    books.TIME.at("Resolving Actions"),
)
RI_ATK_3: Final = Rule(
    "RI-ATK-3",
    "Outcomes are looked for in this order: glance, miss, critical hit, hit; every named defense counts.",
    books.ATTACKS.at("Attack Rolls"),
)
RI_ATK_4: Final = Rule(
    "RI-ATK-4",
    "A damaging attack that falls one or two short glances: half damage and nothing else.",
    books.ATTACKS.at("Glancing Blows"),
)
RI_ATK_5: Final = Rule(
    "RI-ATK-5", "What stays below a defense without glancing misses.", books.ATTACKS.at("Attack Rolls")
)
RI_ATK_6: Final = Rule(
    "RI-ATK-6",
    "Ten above the defense is critical, and each ten more again; a bonus for this alone makes no hit.",
    books.ATTACKS.at("Critical Hits"),
)
RI_ATK_7: Final = Rule(
    "RI-ATK-7",
    "What reaches the defense and does not exceed it by ten is a hit.",
    books.ATTACKS.at("Attack Rolls"),
)
RI_DMG_8: Final = Rule(
    "RI-DMG-8",
    "Objects have hit points of their own and suffer no critical hits.",
    (books.ATTACKS.at("Critical Hits"), books.CODEX_ADVENTURING),
)
RI_DMG_4: Final = Rule(
    "RI-DMG-4",
    "Damage is never less than nothing, or than one where the house plays the later printing.",
    books.LATER_COMBAT,
    settles=("C-40",),
)
RI_ATK_12: Final = Rule(
    "RI-ATK-12",
    "A target that no longer qualifies when the ability resolves is not affected; the others are.",
    books.CODEX_COMBAT,
    settles=("C-37",),
)


Outcome = Literal["none", "miss", "glance", "hit", "crit", "unknown"]
CRIT = 10
"""By how much a critical hit beats the defense, and each further multiple."""
GLANCE = -2


@enforces(RI_INFO_5)
def shown(state: State, target: str, defenses: Mapping[str, int]) -> Mapping[str, int]:
    """Return the *defenses* that the attacker's group is shown, mostly none.

    Where a group has committed to Swift abilities unseen, they would tell of these: nobody's are shown then.
    """
    if state.house.visibility != "full" or state.hidden_swift or "defenses" in state.gm_only_of(target):
        return EMPTY
    return defenses


def grip(creature: Creature) -> int:
    """Return what its grapplers rolled this round to keep their hold, 0 where they did not."""
    return max([c.modifiers["grip"] for c in creature.conditions if "grip" in c.modifiers], default=0)


@enforces(RI_ATK_3, RI_ATK_7)
def judge(rolled: int, defenses: Mapping[str, int], strike: Strike) -> tuple[Outcome, int]:
    """Return the outcome of a roll against *defenses*, and how often a critical hit multiplies."""
    margin = min(rolled - defense for defense in defenses.values())
    if is_glance(margin, strike):
        return "glance", 0
    if is_miss(margin):
        return "miss", 0
    multiple = crits(margin, strike)
    return ("crit", multiple) if multiple else ("hit", 0)


@enforces(RI_ATK_4)
def is_glance(margin: int, strike: Strike) -> bool:
    """Tell whether an attack glances at this *margin* over the defense."""
    return strike.damaging and GLANCE <= margin < 0


@enforces(RI_ATK_5)
def is_miss(margin: int) -> bool:
    """Tell whether an attack that does not glance misses at this *margin*."""
    return margin < 0


@enforces(RI_ATK_6)
def crits(margin: int, strike: Strike) -> int:
    """Return how often a hit at this *margin* is critical, 0 if it is not."""
    return max(0, margin + strike.crit_bonus) // CRIT


@enforces(RI_DMG_8)
def may_be_crit(target: Creature) -> bool:
    """Tell whether critical hits count against *target*."""
    return target.sheet.kind != "object"


@enforces(RI_DMG_4)
def at_least(state: State, amount: int) -> int:
    """Return damage of *amount*, at least the least of the house."""
    return max(state.house.min_damage, amount)


@enforces(RI_ATK_12)
def is_valid(state: State, target: str, effect: Effect) -> bool:
    """Tell whether *effect* still works on *target*."""
    return effect.does == "damage" or not state.creatures[target].dead
