"""Tell who sees whom: light, darkvision, hiding, what is obscured, blind eyes, and high ground.

Everything here is derived from the state for one viewer at a time; nothing is stored.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.checks.rolls import Edge
from service.rules.heartrush.sheets.ground import Light
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import rule
from service.rules.space.grid import cells

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


@rule("HR-ENV-8", "seed 003, Darkvision")
def light_for(state: State, viewer: Creature, target: Creature) -> Light:
    """Darkvision sees in dim light as in bright, and in darkness as in dim light."""
    light = light_on(state, target)
    if not viewer.sheet.darkvision or light == "bright":
        return light
    return "bright" if light == "dim" else "dim"


@rule("HR-ENV-7", "seed 003, Lighting")
def too_dark(state: State, viewer: Creature, target: Creature) -> bool:
    """Bright light hampers nobody, dim light watchful eyes by one level, darkness hides what is in it."""
    return light_for(state, viewer, target) == "dark"


def dim_edges(state: State, viewer: Creature) -> tuple[Edge, ...]:
    """Return the disadvantage of a check that needs sight where *viewer* is."""
    light = light_for(state, viewer, viewer)
    return () if light == "bright" else (Edge(-1, f"{light} light", "HR-ENV-7"),)


@rule("HR-COND-21", "edition, Conditions; seed 003, Hiding")
def hidden(viewer: Creature, target: Creature) -> bool:
    """Hidden is obscured to those one is hidden from, and may strike at them; attacking ends it."""
    return viewer.id in target.hidden_from


@rule("HR-COND-9", "edition, Conditions")
def blind(viewer: Creature) -> bool:
    """Blinded gives its level of disadvantage on rolls that need sight; at five nothing is seen at all."""
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


@rule("HR-COND-20", "edition, Conditions")
def unseen_edges(state: State, roller: Creature, other: Creature) -> tuple[Edge, ...]:
    """Attacks on what is obscured to the attacker, and defenses against it, are five levels worse."""
    why = why_unseen(state, roller, other)
    return (Edge(-UNSEEN, f"{other.id} unseen", why),) if why else ()


def height_of(state: State, creature: Creature) -> int:
    """Return the feet that the highest cell of *creature* lies above the others."""
    heights = state.scenery.heights
    return max(heights.get(f"{x},{y}", 0) for x, y in cells(creature.position, creature.space))


@rule("HR-COND-22", "edition, Conditions")
def high_ground(state: State, attacker: Creature, target: Creature) -> tuple[Edge, ...]:
    """Who stands higher, or has the high ground by the GM's word, attacks those below one level better."""
    if attacker.conditions and attacker.has("highground"):
        above = not target.has("highground")
    elif state.scenery.heights and not target.has("highground"):
        above = height_of(state, attacker) > height_of(state, target)
    else:
        return ()
    return (Edge(1, "high ground", "HR-COND-22"),) if above else ()
