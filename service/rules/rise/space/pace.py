"""Tell how many feet a movement has: speed by its mode, doubled by sprinting, less what getting up costs."""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.condition_kinds import kinds_on
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.harm.numbers import hands_free, risen, speed_of, speed_on_its_feet
from service.rules.rise.rulings import ruled
from service.rules.rise.state import State

RI_MOVE_1: Final = Rule(
    "RI-MOVE-1",
    "A movement goes along a chosen path, up to the speed of the way of moving.",
    (books.TIME.at("The Movement Phase"), books.MOVEMENT.at("Movements")),
)
RI_UNIV_SPRINT: Final = Rule(
    "RI-UNIV-SPRINT",
    "Sprinting doubles the speed of one movement; it tires in the movement phase; monsters cannot.",
    books.ABILITIES.at("Sprint"),
)


@enforces(RI_MOVE_1)
def budget_of(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Return the feet of a movement of *creature* with *mode*."""
    if not creature.sheet.speed(mode):
        raise Refused("no_such_movement_mode", f"{creature.id} cannot {mode}")
    check_mobile(creature)
    speed = speed_of(view, creature, mode)
    return sprinting(view, creature, speed) if sprint else speed


def check_mobile(creature: Creature) -> None:
    """Refuse a movement of a creature that is held fast; the grappled move only by shoving who holds them."""
    if any(kind.holds_fast for kind in kinds_on(creature)):
        raise Refused("immobilized", f"{creature.id} cannot move", "RI-COND-2")


def once_up(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Return the feet left once *creature* has got up, which takes a free hand."""
    check_mobile(creature)
    if not creature.has("prone"):
        raise Refused("invalid_target", f"{creature.id} is on its feet", "RI-MOVE-5")
    if creature.sheet.hands and hands_free(creature) < 1:
        raise Refused("no_free_hand", f"{creature.id} needs a free hand to get up", "RI-MOVE-5")
    speed = speed_on_its_feet(view, creature, mode)
    return (sprinting(view, creature, speed) if sprint else speed) - risen(view, creature, mode)


@enforces(RI_UNIV_SPRINT)
def sprinting(view: State, creature: Creature, speed: int) -> int:
    """Return *speed* doubled; refuse a creature that cannot sprint."""
    if not creature.sheet.is_pc and ruled(view, "monster_sprint_exception", creature.id) != "yes":
        raise Refused("monster_cannot_sprint", f"{creature.id} is no player character")
    if is_laden(view, creature):
        raise Refused("sprint_while_carrying", f"{creature.id} carries somebody")
    return 2 * speed


def is_laden(state: State, creature: Creature) -> bool:
    """Tell whether *creature* carries a rider, with whom this printing lets nobody sprint."""
    rides = any(other.mount == creature.id for other in state.creatures.values())
    return rides and not state.profile.mounts_sprint
