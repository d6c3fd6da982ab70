"""Hold what lasts beside a creature's numbers: conditions, wounds, effects, plans, the GM's rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from service.rules.kernel.records import EMPTY, record
from service.rules.rise.creatures.sheet import Effect, Sort, Strike, Tick, Until
from service.rules.space.grid import Cell

How = Literal["self", "continued", "ally", "forced", "teleport", "carry"]


@record
class Condition:
    """A condition or timed effect on a creature."""

    name: str
    source: str = ""
    until: Until = "condition"
    expires: int | None = None
    """The round at whose end it is gone."""
    since: int = 0
    """The round in which it began."""
    modifiers: Mapping[str, int] = EMPTY
    dice: tuple[int, ...] = ()
    """Dice of extra damage that it adds to attacks of a creature that has it."""
    tick: Tick | None = None
    keep: Literal["free", "minor", "standard"] = "minor"
    """The action that keeps it up, where it is sustained."""


@record
class VitalWound:
    """One vital wound: its die, what it came to, and the round in which it kills if nobody treats it."""

    die: int
    result: int
    effect: str
    gained: int
    """The round in which it was gained."""
    phase: str = ""
    """The stage of that round."""
    treated: bool = False
    deadline: int | None = None
    by: str | None = None
    """The seat that declared the die."""


@record
class Delayed:
    """An effect that comes when its owner takes a turn."""

    ability: str
    targets: tuple[str, ...]
    remaining: int
    created: int
    fired: int | None = None


@record
class Cover:
    """What shelters a target from an attack."""

    by: str
    """The creature in the way, or the cell `x,y` of a low obstacle."""
    bonus: int
    """What it adds to Armor and Reflex."""


@record
class Unjudged:
    """An attack whose outcome is sealed from its own group until the announcement; its dice are thrown."""

    attacker: str
    target: str
    what: str
    total: int
    strike: Strike
    damage: int = 0
    """What its damage dice and fixed part came to, before halves and multiples."""
    defense_terms: Mapping[str, int] = EMPTY
    cover: Cover | None = None
    spared: tuple[str, ...] = ()
    """Whom the same use attacks anyway: as cover they are not attacked a second time."""
    use: int = 0
    """Which use of its attacker's this was in its turn."""
    subdual: bool = False
    effects: tuple[Effect, ...] = ()
    on_crit: tuple[Effect, ...] = ()
    on_miss: tuple[Effect, ...] = ()
    on_loss: tuple[Effect, ...] = ()


@record
class Atom:
    """One effect in a group's log, with its nominal amount: resistance and limits come when it is applied."""

    seq: int
    source: str
    target: str
    does: Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate", "attack"]
    amount: int = 0
    sort: Sort = "normal"
    condition: Condition | None = None
    name: str = ""
    """The condition lost."""
    path: tuple[Cell, ...] = ()
    how: How = "self"
    swift: bool = False
    group: str = ""


@record
class HiddenSwift:
    """What a group's Swift abilities do that others do not know before its announcement."""

    effects: tuple[Atom, ...] = ()
    gained: Mapping[str, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have by them, by creature."""
    lost: Mapping[str, tuple[Condition, ...]] = EMPTY
    """The conditions that creatures have no more, by creature."""


@record
class FreeUse:
    """A free ability that is used in the course of a movement."""

    ability: str
    targets: tuple[str, ...] = ()
    step: int = 0
    """After how many steps of the path; 0 is where it begins."""
    at: Cell | None = None
    """The cell around which its zone or area lies, or towards which its area points."""
    altitude_ft: int = 0
    """How high above that cell the area begins."""


@record
class Plan:
    """What a creature will do with its movement: a path, or a simple rule about others."""

    ability: str
    path: tuple[Cell, ...] = ()
    targets: tuple[str, ...] = ()
    distance_ft: int = 0
    mode: str = "land"
    sprint: Literal["never", "ask", "auto"] = "never"
    carry: tuple[str, ...] = ()
    mount: str | None = None
    """Whom it mounts where it ends."""
    stand_up: bool = False
    """Whether it gets up from prone first."""
    step: Cell | None = None
    """The one direction in which a shove or a custom movement goes."""
    within_ft: int | None = None
    """Custom: how near it stays to its targets."""
    beyond_ft: int | None = None
    """Custom: how far it keeps from its targets."""
    altitude_ft: int | None = None
    """How high above the ground it ends; null stays as high, or just above it."""
    free_actions: tuple[FreeUse, ...] = ()
    """The free abilities used on the way."""
    feet: int | None = None
    """How far it may go, where that was fixed when it was paid for."""
    passes: tuple[str, ...] = ()
    """Whom it has run over or pushes along: they stand in its way no more."""


@record
class Ruling:
    """The GM's answer to a question that the rules leave open."""

    id: str
    question: str
    subjects: tuple[str, ...]
    chosen: str
    note: str = ""
    scope: Literal["once", "encounter", "campaign"] = "once"
    supersedes: str | None = None
    round: int = 0
