"""Run through others, and throw what is held: brawling that moves somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from service.rules.kernel.folding import products
from service.rules.kernel.messages import Awaited, Emits, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Direction
from service.rules.rise import books
from service.rules.rise.acting.brawling import brawl, check_size
from service.rules.rise.acting.combat_time import check_standard, pay_for
from service.rules.rise.acting.strikes import check_straight, fitting, moved_already, target_of
from service.rules.rise.acting.turns import begun, on_turn, sender, taking_turn
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.effects import UNSEEN_FT, grapplers, throw_feet
from service.rules.rise.body.movement_and_positioning import (
    budget_of,
    check_direction,
    check_path,
    occupant,
    standing_in,
)
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import Act, is_allowed
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.objects import ObjectManipulated
from service.rules.rise.sight.obstacles_and_targets import Assault
from service.rules.rise.sight.vision_and_lines import feet_offered, ways
from service.rules.rise.values import CellPath, HeldThing
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import FEET, STEPS, Cell, line

RI_UNIV_OVERRUN: Final = Rule(
    "RI-UNIV-OVERRUN",
    "Run straight through others: one that does not step aside is attacked, and stops the run if missed.",
    books.ABILITIES.at("Overrun"),
)
RI_UNIV_THROW: Final = Rule(
    "RI-UNIV-THROW",
    "Throw an object in hand, or a creature in one's grip, as far as strength allows.",
    books.ABILITIES.at("Throw"),
)


@enforces(RI_UNIV_OVERRUN)
@record
class Overrun(Act):
    """Run straight through others: those that do not step aside are attacked, and stop the run if missed."""

    type: ClassVar[str] = "overrun"
    sentence: ClassVar[str] = "Run straight through others"
    path: CellPath
    aside: tuple[CreatureId, ...] = ()
    """Members of the same group who step aside."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        self.check_paid(view, creature)
        check_straight(creature, self.path)
        check_path(view, creature, self.path, budget_of(view, creature, "land", sprint=False))
        self.check_aside(view, creature)
        check_met(view, creature, on_the_line(view, creature, self.path))
        taken = occupant(view, creature, self.path[-1])
        if taken is not None:
            raise Refused("space_occupied", f"{taken.id} stands where {creature.id} would end", "RI-MOVE-4")

    def check_paid(self, view: State, creature: Creature) -> None:
        """Refuse a run that *creature* cannot pay for, or after another movement."""
        check_standard(creature)
        if creature.location_changed:
            moved_already(view, creature.id)

    def check_aside(self, view: State, creature: Creature) -> None:
        """Refuse that somebody steps aside who would not."""
        for name in self.aside:
            target_of(view, creature, name, willing=True)

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
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", path=())
        creature = on_turn(view, command)
        if creature is None or not is_allowed(command.check_paid, view, creature):
            return
        through: dict[tuple[str, ...], list[tuple[Cell, int]]] = {}
        for way in ways(view, creature, feet_offered(view, creature), None):
            if way.others and way.ends:  # a creature that runs through no other just moves
                through.setdefault(way.others, []).append(way.line)
        found: list[tuple[tuple[tuple[Cell, int], ...], tuple[tuple[str, ...], ...]]] = []
        for others, lines in through.items():
            if not is_allowed(check_met, view, creature, others):
                continue
            friends = tuple([name for name in others if view.group_of(name) == view.here])
            runs = [changed(command, aside=aside) for aside in dict.fromkeys(((), friends))]
            asides = tuple([run.aside for run in runs if is_allowed(run.check_aside, view, creature)])
            found.append((tuple(lines), asides))
        for groups, asides in products(found):
            paths = StraightPaths.of(creature.position, [run for lines in groups for run in lines])
            choices = {"path": paths, "aside": asides}
            yield Offer(type=cls.type, creature=creature.id, choices=choices)


def check_met(view: State, creature: Creature, others: Sequence[str]) -> None:
    """Refuse a run of *creature* through somebody who is too big."""
    for name in others:
        check_size(creature, view.creatures[name])


def on_the_line(view: State, user: Creature, path: tuple[Cell, ...]) -> tuple[str, ...]:
    """Return who stands on *path*, in the order in which *user* comes to them."""
    return tuple(dict.fromkeys([name for cell in path for name in standing_in(view, user, cell)]))


@enforces(RI_UNIV_THROW)
@record
class Throw(Act):
    """Throw an object in hand, or a creature in one's grip, as far as strength allows."""

    type: ClassVar[str] = "throw"
    sentence: ClassVar[str] = "Throw[ the {item}][ {target}][{willing}, which it allows]"
    item: HeldThing = ""
    target: CreatureId = ""
    """The creature thrown, where no object is."""
    direction: Direction = (1, 0)
    """The direction, as steps along x and y."""
    willing: bool = False
    """Whether the thrown creature is willing."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        check_direction(self.direction)
        if self.item:
            if self.item not in creature.held:
                raise Refused("no_free_hand", f"{creature.id} holds no {self.item}", RI_UNIV_THROW.id)
            return
        self.check_lifted(creature, target_of(view, creature, self.target, willing=self.willing))

    def check_lifted(self, creature: Creature, target: Creature) -> None:
        """Refuse to throw *target* if it is too big, too heavy, or not in hand."""
        check_size(creature, target)
        if not self.willing and creature.id not in grapplers(target):
            raise Refused("not_touching", f"{creature.id} has no grip on {target.id}", RI_UNIV_THROW.id)
        if target.rank > creature.rank:
            raise Refused("too_heavy", f"{target.id} is too heavy for {creature.id}", RI_UNIV_THROW.id)

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
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        creature = on_turn(view, command)
        if creature is None or not is_allowed(check_standard, creature):
            return
        if creature.held:
            choices = {"item": tuple(dict.fromkeys(creature.held)), "direction": STEPS}
            yield Offer(type=cls.type, creature=creature.id, choices=choices)
        for willing in (False, True):
            thrown, fit = changed(command, willing=willing), fitting(view, creature, willing=willing)
            near = fit if willing else [name for name in fit if view.creatures[name].has("grappled")]
            targets = tuple(
                [name for name in near if is_allowed(thrown.check_lifted, creature, view.creatures[name])]
            )
            if targets:
                given = {"willing": True} if willing else {}
                whole = {"target": targets, "direction": STEPS}
                yield Offer(type=cls.type, creature=creature.id, given=given, choices=whole)


def lands(state: State, user: Creature, step: Cell) -> Cell:
    """Return where a thing thrown in this direction comes to lie: as far as it flies, or before a wall."""
    at = user.position
    for cell in line(user.position, step, throw_feet(state, user) // FEET):
        if state.is_solid(cell) or state.is_barred(at, cell):
            break
        at = cell
    return at
