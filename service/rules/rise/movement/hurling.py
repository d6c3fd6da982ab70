"""Run through others, and throw what is held: brawling that moves somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from service.rules.grid import FEET, STEPS, Cell, cells, line
from service.rules.messages import Emits, Offer, Refused
from service.rules.records import changed, record
from service.rules.rise.acting.actions import check_standard, pay_for
from service.rules.rise.acting.brawling import brawl, check_size
from service.rules.rise.acting.strikes import check_straight, moved_already, target_of
from service.rules.rise.acting.turns import begun, offered, sender, taking_turn
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.harm.holds import grapplers
from service.rules.rise.movement.objects import ObjectManipulated
from service.rules.rise.permission import Act
from service.rules.rise.space.forced import UNSEEN_FT, throw_feet
from service.rules.rise.space.lines import feet_offered, straight
from service.rules.rise.space.pace import budget_of
from service.rules.rise.space.paths import check_direction, check_path, occupant
from service.rules.rise.state import State
from service.rules.rulebook import rule
from service.rules.stack import Awaited


@rule("RI-UNIV-OVERRUN", "R4/R5")
@record
class Overrun(Act):
    """Run straight through others: who does not step aside is attacked, and stops the run if missed."""

    type: ClassVar[str] = "overrun"
    path: tuple[tuple[int, int], ...]
    aside: tuple[str, ...] = ()
    """Members of the same group who step aside."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        if creature.location_changed:
            moved_already(view, creature.id)
        check_straight(creature, self.path)
        check_path(view, creature, self.path, budget_of(view, creature, "land", sprint=False))
        for name in self.aside:
            target_of(view, creature, name, willing=True)
        for name in on_the_line(view, creature, self.path):
            check_size(creature, view.creatures[name])
        taken = occupant(view, creature, self.path[-1])
        if taken is not None:
            raise Refused("space_occupied", f"{taken.id} stands where {creature.id} would end", "RI-MOVE-4")

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        others = on_the_line(state, state.creatures[self.creature], self.path)
        assault = Assault(
            user=self.creature,
            what=self.type,
            targets=tuple([name for name in others if name not in self.aside]),
            strike=brawl(state.profile.shove),
            path=self.path,
            maneuver="overrun",
        )
        return (yield AssaultBegun(assault=assault, because=("RI-UNIV-OVERRUN",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, creature = sender(view, awaited), view.creatures[awaited.creature or ""]
        free = creature.budget.standard == "unused"
        for path in straight(view, creature, feet_offered(view, creature) if free else 0, through=True):
            others = on_the_line(view, creature, path)
            if not others:  # a creature that runs through no other just moves
                continue
            friends = tuple([name for name in others if view.group_of(name) == view.here])
            for aside in ((), friends) if friends else ((),):
                command = cls(by=by, creature=creature.id, path=path, aside=aside)
                yield from offered(command, view, path=path, aside=aside)


def on_the_line(view: State, user: Creature, path: tuple[Cell, ...]) -> tuple[str, ...]:
    """Return who stands on *path*, in the order in which *user* comes to them."""
    found = [
        other.id
        for cell in path
        for part in cells(cell, user.space)
        for other in view.standing_at(part)
        if other.id != user.id
    ]
    return tuple(dict.fromkeys(found))


@rule("RI-UNIV-THROW", "R4/R5")
@record
class Throw(Act):
    """Throw an object in hand, or a creature in one's grip, as far as strength allows."""

    type: ClassVar[str] = "throw"
    item: str = ""
    target: str = ""
    """The creature thrown, where no object is."""
    direction: tuple[int, int] = (1, 0)
    willing: bool = False

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        check_direction(self.direction)
        if self.item:
            if self.item not in creature.held:
                raise Refused("no_free_hand", f"{creature.id} holds no {self.item}")
            return
        target = target_of(view, creature, self.target, willing=self.willing)
        check_size(creature, target)
        if not self.willing and creature.id not in grapplers(target):
            raise Refused("not_touching", f"{creature.id} has no grip on {target.id}")
        if target.rank > creature.rank:
            raise Refused("too_heavy", f"{target.id} is too heavy for {creature.id}")

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        if self.item:
            return (
                yield ObjectManipulated(
                    creature=self.creature,
                    what="drop",
                    item=self.item,
                    free=False,
                    at=lands(state, state.creatures[self.creature], self.direction),
                    because=("RI-UNIV-THROW",),
                )
            )
        user = state.creatures[self.creature]
        assault = Assault(
            user=self.creature,
            what=self.type,
            targets=(self.target,),
            strike=brawl(state.profile.shove),
            willing=(self.target,) if self.willing else (),
            push=self.direction,
            push_ft=UNSEEN_FT if "strength" in user.gm_only else throw_feet(state, user),
            maneuver="throw",
        )
        return (yield AssaultBegun(assault=assault, because=("RI-UNIV-THROW",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, creature = sender(view, awaited), view.creatures[awaited.creature or ""]
        found: list[Mapping[str, Any]] = [{"item": item} for item in creature.held]
        found += [{"target": name} for name in view.creatures]
        found += [{"target": name, "willing": True} for name in view.groups.get(view.here, ())]
        for given in found:
            command = cls(by=by, creature=creature.id, **given)
            for offer in offered(command, view, **given):
                yield changed(offer, choices={"direction": STEPS})


def lands(state: State, user: Creature, step: Cell) -> Cell:
    """Return where a thing thrown in this direction comes to lie: as far as it flies, or before a wall."""
    at = user.position
    for cell in line(user.position, step, throw_feet(state, user) // FEET):
        if state.ground(cell) == "wall":
            break
        at = cell
    return at
