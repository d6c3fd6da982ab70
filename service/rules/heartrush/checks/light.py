"""Tell who sees whom: light, darkvision, hiding, what is obscured, blind eyes, and high ground.

Everything here is derived from the state for one viewer at a time; nothing is stored.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.checks.rolls import Edge
from service.rules.heartrush.sheets.ground import Light
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.space.grid import cells

HR_ENV_8: Final = Rule(
    "HR-ENV-8",
    "Darkvision sees in dim light as in bright, and in darkness as in dim light.",
    books.BASICS.at("Darkvision"),
)
HR_ENV_7: Final = Rule(
    "HR-ENV-7",
    "Bright light hampers nobody, dim light watchful eyes by one level, darkness hides what is in it.",
    books.BASICS.at("Lighting"),
)
HR_COND_21: Final = Rule(
    "HR-COND-21",
    "Hidden is obscured to those one is hidden from, and may strike at them; attacking ends it.",
    (books.CONDITIONS.at("Hidden"), books.BASICS.at("Hiding")),
)
HR_COND_9: Final = Rule(
    "HR-COND-9",
    "Blinded gives its level of disadvantage on rolls that need sight; at five nothing is seen at all.",
    books.CONDITIONS.at("Blinded"),
)
HR_COND_20: Final = Rule(
    "HR-COND-20",
    "Attacks on what is obscured to the attacker, and defenses against it, are five levels worse.",
    books.CONDITIONS.at("Obscured"),
)
HR_COND_22: Final = Rule(
    "HR-COND-22",
    "Who stands higher, or has the high ground by the GM's word, attacks those below one level better.",
    books.CONDITIONS.at("Highground"),
)


BRIGHTNESS: Final[tuple[Light, ...]] = ("dark", "dim", "bright")
UNSEEN: Final = 5
"""Levels of disadvantage on attacks against what is not seen, and on defense against it."""
BLIND: Final = 5
"""The level of blinded at which nothing is seen."""


def light_on(state: State, creature: Creature) -> Light:
    """Return the brightest light that falls on any cell of *creature*."""
    scenery = state.scenery
    if not scenery.light:
        return scenery.ambient
    lit = (
        scenery.light.get(f"{x},{y}", scenery.ambient) for x, y in cells(creature.position, creature.space)
    )
    return max(lit, key=BRIGHTNESS.index)


@enforces(HR_ENV_8)
def light_for(state: State, viewer: Creature, target: Creature) -> Light:
    """Return the light in which *viewer* sees *target*."""
    light = light_on(state, target)
    if not viewer.sheet.darkvision or light == "bright":
        return light
    return "bright" if light == "dim" else "dim"


@enforces(HR_ENV_7)
def too_dark(state: State, viewer: Creature, target: Creature) -> bool:
    """Tell whether *target* is in darkness to *viewer*."""
    return light_for(state, viewer, target) == "dark"


def dim_edges(state: State, viewer: Creature) -> tuple[Edge, ...]:
    """Return the disadvantage of a check that needs sight where *viewer* is."""
    light = light_for(state, viewer, viewer)
    return () if light == "bright" else (Edge(-1, f"{light} light", "HR-ENV-7"),)


@enforces(HR_COND_21)
def hidden(viewer: Creature, target: Creature) -> bool:
    """Tell whether *target* is hidden from *viewer*."""
    return viewer.id in target.hidden_from


@enforces(HR_COND_9)
def blind(viewer: Creature) -> bool:
    """Tell whether *viewer* is blinded at the level at which it sees nothing."""
    return viewer.level("blinded") >= BLIND


def why_unseen(state: State, viewer: Creature, target: Creature) -> str | None:
    """Return the rule by which *viewer* does not see *target*, None where it does."""
    if target.hidden_from and hidden(viewer, target):
        return "HR-COND-21"
    if target.conditions and target.has("obscured"):
        return "HR-COND-20"
    if viewer.conditions and blind(viewer):
        return "HR-COND-9"
    scenery = state.scenery
    if (scenery.light or scenery.ambient != "bright") and too_dark(state, viewer, target):
        return "HR-ENV-7"
    return None


@enforces(HR_COND_20)
def unseen_edges(state: State, roller: Creature, other: Creature) -> tuple[Edge, ...]:
    """Return the edge of a roll against a creature that *roller* does not see, none if it sees it."""
    why = why_unseen(state, roller, other)
    return (Edge(-UNSEEN, f"{other.id} unseen", why),) if why else ()


def height_of(state: State, creature: Creature) -> int:
    """Return the feet that the highest cell of *creature* lies above the others."""
    heights = state.scenery.heights
    return max(heights.get(f"{x},{y}", 0) for x, y in cells(creature.position, creature.space))


@enforces(HR_COND_22)
def high_ground(state: State, attacker: Creature, target: Creature) -> tuple[Edge, ...]:
    """Return the edge of an attacker that is above its target, none otherwise."""
    if attacker.conditions and attacker.has("highground"):
        above = not target.has("highground")
    elif state.scenery.heights and not target.has("highground"):
        above = height_of(state, attacker) > height_of(state, target)
    else:
        return ()
    return (Edge(1, "high ground", "HR-COND-22"),) if above else ()
