"""Ride: mount, be carried, and come off; a ride is the rider's one change of place in its phase."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature, above, is_able
from service.rules.rise.creatures.lasting import Condition
from service.rules.rise.harm.conditions import gain
from service.rules.rise.harm.numbers import speed_of
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, cells

RI_MOUNT_1: Final = Rule(
    "RI-MOUNT-1",
    "A mount carries those who share its space; being carried is the rider's one change of place.",
    (books.SPECIAL.at("Mounted Combat"), books.TIME.at("Only One Movement Per Phase")),
)
RI_MOVE1_3: Final = Rule(
    "RI-MOVE1-3",
    "Nobody moves onto a mount and is carried by it in the same phase.",
    books.TIME.at("Only One Movement Per Phase"),
    settles=("C-49",),
)


JOLTED: Final = "moving mount"
"""What a strike from a distance suffers from on a mount that moves."""


@record
class Mounted(Event[State]):
    """A creature is on its mount, or on none any more."""

    type: ClassVar[str] = "mounted"
    creature: str
    mount: str | None

    def evolve(self, state: State) -> State:
        if self.mount is not None:
            return sit_on(state, self.creature, self.mount)
        rider = state.creatures[self.creature]
        aloft = "falling" if rider.altitude and rider.aloft == "flying" else rider.aloft
        return state.with_creature(self.creature, mount=None, aloft=aloft)


def sit_on(state: State, rider: str, mount: str) -> State:
    """Return *state* with the rider on its mount, as high as that is."""
    under = state.creatures[mount]
    return state.with_creature(
        rider, mount=mount, aloft=under.aloft, altitude=under.altitude, hovered=under.hovered
    )


def jolted(view: State, rider: Creature) -> int:
    """Return what a missile loses on a mount that has moved in this phase: 2, or 4 if it sprinted."""
    mount = view.creatures.get(rider.mount or "")
    if mount is None or not mount.location_changed:
        return 0
    feet = mount.budget.modes
    best = max([speed_of(view, mount, mode) for mode in feet], default=0)
    return -4 if sum(feet.values()) > best else -2


def come_off(state: State) -> Emits[State]:
    """Tell which riders are no longer where their mounts are, were knocked out, or fell with their mounts."""
    for name, creature in state.creatures.items():
        if creature.mount is None:
            continue
        mount = state.creatures[creature.mount]
        apart = creature.position not in cells(mount.position, mount.space)
        senseless = not is_able(creature) and not creature.sheet.military_saddle
        if apart or senseless or not is_able(mount):
            state = yield Mounted(creature=name, mount=None, because=("RI-MOUNT-1",))
            if not apart and not creature.has("prone"):
                state = yield from gain(name, Condition(name="prone", source=mount.id))
    return state


@enforces(RI_MOUNT_1)
def check_carried(view: State, mount: Creature, rider: str, *, sprints: bool) -> None:
    """Refuse to carry a rider that moves by itself or does not ride, or to sprint with it."""
    plan = view.plans.get(rider)
    if plan is not None and plan.path:
        onto_a_mount(rider)
    found = view.creatures.get(rider)
    if found is None or found.mount != mount.id:
        raise Refused("mount_departed", f"{rider} does not ride {mount.id}")
    if sprints and not view.profile.mounts_sprint:
        raise Refused("mount_cannot_sprint", f"{mount.id} carries {rider}")


def check_mount(view: State, rider: Creature, mount: str, path: tuple[Cell, ...]) -> None:
    """Refuse to mount what carries nobody, or what is not where the path ends."""
    found = view.creatures.get(mount)
    there = path[-1] if path else rider.position
    if found is None or not found.sheet.carries_riders or there not in cells(found.position, found.space):
        raise Refused("mount_departed", f"{rider.id} cannot mount {mount} there", "RI-MOUNT-1")
    if above(rider, found) > FEET:
        raise Refused("mount_departed", f"{mount} is out of reach of {rider.id}", "RI-MOUNT-1")


def check_not_carried(view: State, rider: Creature) -> None:
    """Refuse a movement of one's own in a phase in which one's mount carries one on (C-49)."""
    if any(rider.id in plan.carry for plan in view.plans.values()):
        onto_a_mount(rider.id)


@enforces(RI_MOVE1_3)
def onto_a_mount(rider: str) -> None:
    """Refuse a mount to a creature that moves by itself in this phase."""
    raise Refused("already_moved_this_phase", f"{rider} moves by itself in this phase")
