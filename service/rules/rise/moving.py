"""Move in the action phase: for the standard action, along a path, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from service.rules.grid import STEPS
from service.rules.messages import Event, Offer, Refused, Tale
from service.rules.records import record, with_key
from service.rules.rise.actions import check_trade, pay_for
from service.rules.rise.aloft import TookOff
from service.rules.rise.effects import note_place, note_quietly
from service.rules.rise.numbers import speed_of
from service.rules.rise.paths import check_free, check_path, feet_of
from service.rules.rise.permission import Act
from service.rules.rise.state import Atom, Creature, State
from service.rules.rise.strikes import moved_already
from service.rules.rise.turns import begun, offered, sender, taking_turn
from service.rules.rulebook import rule
from service.rules.stack import Awaited


@rule("RI-MOVE-1", "P09, R4")
def budget_of(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """A movement goes along a chosen path, up to the speed of the way of moving."""
    if not creature.sheet.speed(mode):
        raise Refused("no_such_movement_mode", f"{creature.id} cannot {mode}")
    if creature.has("immobilized") or creature.has("grappled"):
        raise Refused("immobilized", f"{creature.id} cannot move", "RI-COND-2")
    speed = speed_of(view, creature, mode)
    return sprinting(creature, speed) if sprint else speed


@rule("RI-MOVE-6", "R4")
def left(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Ways of moving mix: none beyond its own speed, and all together not beyond the best of them."""
    spent = creature.budget.modes
    most = max([budget_of(view, creature, way, sprint=sprint) for way in (mode, *spent)])
    own = budget_of(view, creature, mode, sprint=sprint) - spent.get(mode, 0)
    return min(own, most - sum(spent.values()))


@record
class MovedPart(Event[State]):
    """A creature spent part or all of the movement it paid for."""

    type: ClassVar[str] = "movement_spent"
    creature: str
    mode: str
    feet: int
    paused: bool

    def evolve(self, state: State) -> State:
        modes = state.creatures[self.creature].budget.modes
        modes = with_key(modes, self.mode, modes.get(self.mode, 0) + self.feet)
        return state.with_budget(self.creature, modes=modes, paused=self.paused)


@rule("RI-ACT-6", "P18, P21", settles=("C-24",))
def interrupted(creature: str, mode: str, feet: int, *, pause: bool) -> Tale[State]:
    """A creature's own minor and free actions may come in the middle of its movement."""
    return (yield MovedPart(creature=creature, mode=mode, feet=feet, paused=pause))


@rule("RI-UNIV-SPRINT", "R4/R5")
def sprinting(creature: Creature, speed: int) -> int:
    """Sprinting doubles the speed of one movement; it tires in the movement phase; monsters cannot."""
    if not creature.sheet.is_pc:
        raise Refused("monster_cannot_sprint", f"{creature.id} is no player character")
    return 2 * speed


@rule("RI-MOVE1-5", "P69, P11")
@record
class Move(Act):
    """Give the standard action for a movement; one in the movement phase does not stand in its way."""

    type: ClassVar[str] = "move"
    path: tuple[tuple[int, int], ...] = ()
    mode: str = "land"
    sprint: bool = False
    stand_up: bool = False
    """Whether to stand up from prone first, for half the speed."""
    pause: bool = False
    """Whether the movement goes on after a minor or free action."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        goes_on = creature.budget.paused
        if not goes_on:
            check_trade(creature, "movement")
        if creature.location_changed and not goes_on and not self.stand_up:
            moved_already(creature.id)
        budget = left(view, creature, self.mode, sprint=self.sprint)
        if self.stand_up:
            budget //= 2
        check_path(view, creature, self.path, budget)
        check_free(view, creature, self.path)

    def decide(self, state: State) -> Tale[State]:
        state = yield from begun(state, self.creature)
        goes_on = state.creatures[self.creature].budget.paused
        if not goes_on:
            state = yield from pay_for(self.creature, "movement", "standard", self.type)
        feet = feet_of(state, state.creatures[self.creature], self.path)
        state = yield from interrupted(self.creature, self.mode, feet, pause=self.pause)
        if self.stand_up and state.creatures[self.creature].has("prone"):
            up = Atom(seq=0, source=self.creature, target=self.creature, does="lose", name="prone")
            state = yield from note_quietly(state, up)
        if self.mode in ("fly", "glide"):
            state = yield TookOff(creature=self.creature, because=("RI-MOVE-9",))
        return (yield from note_place(state, self.creature, self.path, "continued" if goes_on else "self"))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        name = awaited.creature or ""
        at = view.creatures[name].position
        for dx, dy in STEPS:
            path = ((at[0] + dx, at[1] + dy),)
            yield from offered(cls(by=sender(view, awaited), creature=name, path=path), view, path=path)
