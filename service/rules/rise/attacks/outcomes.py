"""Judge an attack: what a roll comes to against defenses, and what damage it may do.

Pure numbers: nothing here throws a die or knows how far an ability has come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from service.rules.kernel.records import EMPTY
from service.rules.kernel.rulebook import rule
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.state import State

Outcome = Literal["none", "miss", "glance", "hit", "crit", "unknown"]
CRIT = 10
"""By how much a critical hit beats the defense, and each further multiple."""
GLANCE = -2


@rule("RI-INFO-5", "P25")
def shown(state: State, target: str, defenses: Mapping[str, int]) -> Mapping[str, int]:
    """The attacker's group learns how an attack came out, and defenses only where the house says so.

    Where a group has committed to Swift abilities unseen, they would tell of these: nobody's are shown then.
    """
    if state.house.visibility != "full" or state.hidden_swift or "defenses" in state.gm_only_of(target):
        return EMPTY
    return defenses


def grip(creature: Creature) -> int:
    """Return what its grapplers rolled this round to keep their hold, 0 where they did not."""
    return max([c.modifiers["grip"] for c in creature.conditions if "grip" in c.modifiers], default=0)


@rule("RI-ATK-10", "GMG")
def lowered() -> int:
    """A willing target may drop a defense to nothing."""
    return 0


@rule("RI-ATK-3", "BK 5.1")
def judge(rolled: int, defenses: Mapping[str, int], strike: Strike) -> tuple[Outcome, int]:
    """Outcomes are looked for in this order: glance, miss, critical hit, hit; every named defense counts."""
    margin = min(rolled - defense for defense in defenses.values())
    if is_glance(margin, strike):
        return "glance", 0
    if is_miss(margin):
        return "miss", 0
    multiple = crits(margin, strike)
    return ("crit", multiple) if multiple else (hits(), 0)


@rule("RI-ATK-4", "BK 5.1")
def is_glance(margin: int, strike: Strike) -> bool:
    """A damaging attack that falls one or two short glances: half damage and nothing else."""
    return strike.damaging and GLANCE <= margin < 0


@rule("RI-ATK-5", "BK 5.1")
def is_miss(margin: int) -> bool:
    """What stays below a defense without glancing misses."""
    return margin < 0


@rule("RI-ATK-6", "BK 5.1")
def crits(margin: int, strike: Strike) -> int:
    """Ten above the defense is critical, and each ten more again; a bonus for this alone makes no hit."""
    return max(0, margin + strike.crit_bonus) // CRIT


@rule("RI-ATK-7", "BK 5.1")
def hits() -> Outcome:
    """What reaches the defense and does not exceed it by ten is a hit."""
    return "hit"


@rule("RI-DMG-8", "R4/AD")
def may_be_crit(target: Creature) -> bool:
    """Objects have hit points of their own and suffer no critical hits."""
    return target.sheet.kind != "object"


@rule("RI-DMG-4", "NEW", settles=("C-40",))
def at_least(state: State, amount: int) -> int:
    """Damage is never less than nothing, or than one where the house plays the later printing."""
    return max(state.house.min_damage, amount)


@rule("RI-ATK-12", "R5", settles=("C-37",))
def is_valid(state: State, target: str, effect: Effect) -> bool:
    """A target that no longer qualifies when the ability resolves is not affected; the others are."""
    return effect.does == "damage" or not state.creatures[target].dead
