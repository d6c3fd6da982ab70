"""Move in the action phase, once, for the standard action: along a path, or in reaction to others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Direction
from service.rules.rise import books
from service.rules.rise.acting.combat_time import check_trade, pay_for
from service.rules.rise.acting.strikes import check_trades, moved_already
from service.rules.rise.acting.turns import begun, offered, on_turn, sender, taking_turn
from service.rules.rise.body.aerial_movement import AIRBORNE, BY_RULE, TookOff, climb_ft, height, lands
from service.rules.rise.body.effects import LocationEffectIgnored, note_place, note_quietly
from service.rules.rise.body.movement_and_positioning import (
    Mounted,
    budget_of,
    check_free,
    check_mount,
    check_path,
    feet_of,
    once_up,
)
from service.rules.rise.creatures.combat_statistics import risen
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Creature, How, Plan
from service.rules.rise.creatures.permission import Act, is_allowed
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.movement_problem import Intents, place_movers, route_all
from service.rules.rise.planning.intents import check_own_rule, check_reactive, seen_by
from service.rules.rise.planning.planning import mounts
from service.rules.rise.sight.vision_and_lines import feet_offered, straight
from service.rules.rise.values import BeyondFeet, CellPath, ModeName, NearFeet
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import Feet

# --- reacting ------------------------------------------------------------------------------------------
# Follow them, or withdraw from them. Where others go shows only when all groups have acted. So the rule is
# kept, with the feet it may use, until the announcement; the mover stands where it is, also for its own
# group. Only where it reacts to allies of its group who have moved already is there nothing to wait for.

OFFERED: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = MappingProxyType(
    {
        "follow": MappingProxyType({"distance_ft": (5, 10, 30, 60)}),
        "withdraw": MappingProxyType({"distance_ft": (5, 10, 30, 60)}),
        "custom": MappingProxyType({"within_ft": (10, 30)}),
    }
)
"""The movements that go by a rule and that a standard action buys, with the distances that are offered."""
FIXED: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {"follow": EMPTY, "withdraw": EMPTY, "custom": MappingProxyType({"within_ft": 10})}
)
"""What of a rule has to be said for it to be one."""
NEAR_FT: Final = 5
"""The distance where none is named."""


@record
class MovementDeclared(Event[State]):
    """A creature has paid for a movement that reacts to others; where it leads shows with theirs."""

    type: ClassVar[str] = "movement_declared"
    creature: CreatureId
    plan: Plan
    """The planned movement; null for none."""

    def evolve(self, state: State) -> State:
        carried = [name for name, other in state.creatures.items() if other.mount == self.creature]
        for name in (self.creature, *carried):
            state = state.with_creature(name, location_changed=True)  # nothing of its group moves it now
        return changed(state, plans=with_key(state.plans, self.creature, self.plan))


def check_block(view: State, creature: Creature, move: Move) -> None:
    """Refuse a block that says more than whom it is about."""
    if creature.budget.paused:
        raise Refused("wrong_step", f"{creature.id} goes on along a path", "RI-ACT-6")
    own = (move.within_ft, move.beyond_ft, move.direction, move.distance_ft, move.altitude_ft, move.mount)
    if move.path or move.pause or move.stand_up or move.sprint or any(each is not None for each in own):
        raise Refused("reactive_rule_too_complex", "a block is about one creature, and no more", "RI-REAC-1")
    check_reactive(view, creature, move.ability, move.targets)


def check_onto(view: State, creature: Creature, move: Move) -> None:
    """Refuse to mount with a movement by a rule, one that pauses, or whom another group may move."""
    if move.mount is None:
        return
    if move.ability in BY_RULE or move.pause:
        raise Refused("invalid_target", f"{creature.id} mounts where a path ends", "RI-MOUNT-1")
    check_mount(view, creature, move.mount, move.path)
    if move.mount not in view.groups[view.here]:
        raise Refused("mount_departed", f"{move.mount} is of another group, and may move", "RI-MOUNT-1")


def check_rule(view: State, creature: Creature, move: Move) -> None:
    """Refuse a movement that mixes a path with a rule about others, or keys on what nobody sees."""
    own = (move.within_ft, move.beyond_ft, move.direction)
    if move.ability != "custom" and own != (None, None, None):
        raise Refused(
            "invalid_target", f"{move.ability} takes no distance or direction of your own", "RI-REAC-1"
        )
    if move.ability == "block":
        return
    if move.ability not in BY_RULE:
        if move.targets or move.distance_ft is not None:
            raise Refused("invalid_target", "a path takes no targets and no distance", "RI-MOVE-1")
        return
    if creature.budget.paused:
        raise Refused("wrong_step", f"{creature.id} goes on along a path", "RI-ACT-6")
    if move.path or move.pause:
        raise Refused("reactive_rule_too_complex", f"{move.ability} has no path and no pause", "RI-REAC-1")
    if move.altitude_ft is not None:
        raise Refused("reactive_rule_too_complex", "whom it reacts to leads it up and down", "RI-REAC-1")
    check_reactive(view, creature, move.ability, move.targets)
    if move.ability == "custom":
        if move.distance_ft is not None:
            raise Refused("reactive_rule_too_complex", "say how near or how far to keep", "RI-REAC-1")
        check_own_rule(view, creature, move)


def reacted(state: State, name: str, plan: Plan) -> Emits[State]:
    """Emit that a creature reacts: at once to whom cannot move any more, else when all is open."""
    if state.creatures[name].location_changed:
        return (yield LocationEffectIgnored(creature=name, source=name, because=("RI-MOVE1-2", "C-18")))
    if all(has_moved(state, target) for target in plan.targets):
        routes = route_all(Intents(state=state, plans={name: plan}))
        after = place_movers(state, routes)
        high = lands(after, state.creatures[name], routes.altitudes.get(name))
        if high is not None:
            state = yield TookOff(creature=name, altitude=high, because=("RI-MOVE-9",))
        return (yield from note_place(state, name, routes.paths[name]))
    return (yield MovementDeclared(creature=name, plan=plan, because=("RI-UNIV-FOLLOW", "C-48")))


def has_moved(state: State, target: str) -> bool:
    """Return whether *target* is of this group, and known to stand where its movement ended."""
    other = state.creatures[target]
    waits = target in state.plans or other.mount in state.plans
    return other.location_changed and not waits and target in state.groups[state.here]


# --- moving --------------------------------------------------------------------------------------------
# Along a path, or by a rule about others.

RI_MOVE_6: Final = Rule(
    "RI-MOVE-6",
    "Ways of moving mix: none beyond its own speed, and all together not beyond the best of them.",
    books.MOVEMENT.at("Combining Movement Modes"),
)
RI_ACT_6: Final = Rule(
    "RI-ACT-6",
    "A creature's own minor and free actions may come in the middle of its movement.",
    (books.TIME.at("Minor Actions"), books.TIME.at("Free Actions")),
    settles=("C-24",),
)
RI_MOVE1_5: Final = Rule(
    "RI-MOVE1-5",
    "Give the standard action for a movement; one in the movement phase does not stand in its way.",
    (books.TIME.at("Only One Movement Per Phase"), books.TIME.at("The Action Phase")),
)


@enforces(RI_MOVE_6)
def left(view: State, creature: Creature, mode: str, *, sprint: bool) -> int:
    """Return the feet that *creature* has left with *mode* in this phase."""
    spent = creature.budget.modes
    own = budget_of(view, creature, mode, sprint=sprint)
    if not spent:
        return own
    most = max([own, *[budget_of(view, creature, way, sprint=sprint) for way in spent]])
    return min(own - spent.get(mode, 0), most - sum(spent.values()))


@record
class MovedPart(Event[State]):
    """A creature spent part or all of the movement it paid for."""

    type: ClassVar[str] = "movement_spent"
    creature: CreatureId
    mode: ModeName
    feet: Feet
    paused: bool
    """Whether the movement goes on later."""

    def evolve(self, state: State) -> State:
        modes = state.creatures[self.creature].budget.modes
        modes = with_key(modes, self.mode, modes.get(self.mode, 0) + self.feet)
        return state.with_budget(self.creature, modes=modes, paused=self.paused)


@enforces(RI_ACT_6)
def interrupted(creature: str, mode: str, feet: int, *, pause: bool) -> Emits[State]:
    """Emit a part of a movement, after which other actions may come."""
    return (yield MovedPart(creature=creature, mode=mode, feet=feet, paused=pause))


@enforces(RI_MOVE1_5)
@record
class Move(Act):
    """Move for the standard action, also after a movement in the movement phase."""

    type: ClassVar[str] = "move"
    sentence: ClassVar[Sentence] = {
        "ability=follow": "Follow {targets}",
        "ability=withdraw": "Withdraw from {targets}",
        "ability=block": "Block {targets}",
        "ability=custom": "Keep within {within_ft} ft of {targets}",
        "": "Move[ by {mode}][ onto {mount}][{sprint}, sprinting][{stand_up}, standing up first]",
    }
    ability: Literal["hustle", "follow", "withdraw", "block", "custom"] = "hustle"
    """Along a path, or by a rule about others: where that leads shows when all groups have acted."""
    targets: tuple[CreatureId, ...] = ()
    """Whom it follows or blocks, from whom it withdraws, or whom a rule of one's own is about."""
    distance_ft: Feet | None = None
    """How near to stay, or how far to get; null is 5 feet."""
    path: CellPath = ()
    mode: ModeName = "land"
    sprint: bool = False
    """Whether to move at double speed, as far as that is needed."""
    stand_up: bool = False
    """Whether to stand up from prone first, for half the speed."""
    altitude_ft: Feet | None = None
    """How high a flight along a path ends; null stays as high, or just above the ground."""
    within_ft: NearFeet | None = None
    beyond_ft: BeyondFeet | None = None
    direction: Direction | None = None
    """Custom: the one way to go; null is straight away, or the shortest."""
    pause: bool = False
    """Whether the movement goes on after a minor or free action."""
    mount: CreatureId | None = None
    """The creature of its group that it mounts where the path ends."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        self.check_paid(view, creature)
        self.check_way(view, creature)

    def check_way(self, view: State, creature: Creature) -> None:
        """Refuse a way that *creature* cannot go, though it has a turn and a movement."""
        goes_on = creature.budget.paused
        if self.sprint or self.reacts or self.blocks:
            check_trades(view)
        if self.blocks:
            check_block(view, creature, self)
        if creature.location_changed and not goes_on and (self.path or self.reacts or not self.stand_up):
            moved_already(view, creature.id)
        if self.stand_up and goes_on:
            raise Refused("wrong_step", f"{creature.id} gets up before it moves", "RI-MOVE-5")
        check_path(view, creature, self.path, self.feet(view, creature))
        check_free(view, creature, self.path, self.high(creature), mounts=self.mount is not None)
        check_onto(view, creature, self)
        check_rule(view, creature, self)

    def check_paid(self, view: State, creature: Creature) -> None:
        """Refuse a movement that *creature* has not begun and cannot pay for."""
        if not creature.budget.paused:
            check_trade(creature, "movement")

    @property
    def reacts(self) -> bool:
        """Whether it goes by a rule about others."""
        return self.ability in BY_RULE

    @property
    def blocks(self) -> bool:
        """Whether it stays and keeps another from passing."""
        return self.ability == "block"

    def high(self, creature: Creature) -> int | None:
        """Return how high a flight ends, null for a movement that is none."""
        if self.mode not in AIRBORNE or self.reacts or self.blocks:
            return None
        return height(creature, self.type, self.mode, self.altitude_ft)

    def feet(self, view: State, creature: Creature) -> int:
        """Return how far it may go over the ground; refused where the creature cannot move so at all."""
        budget = (once_up if self.stand_up else left)(view, creature, self.mode, sprint=self.sprint)
        return budget - climb_ft(creature, self.type, self.mode, self.altitude_ft)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        goes_on = state.creatures[self.creature].budget.paused
        if not goes_on:
            state = yield from pay_for(self.creature, "movement", "standard", self.type)
        creature = state.creatures[self.creature]
        plan = Plan(
            ability=self.ability,
            targets=self.targets,
            distance_ft=NEAR_FT if self.distance_ft is None else self.distance_ft,
            mode=self.mode,
            step=self.direction,
            within_ft=self.within_ft,
            beyond_ft=self.beyond_ft,
            feet=self.feet(state, creature),
        )
        if self.blocks:
            because = ("RI-REAC-4", "C-48")
            return (yield MovementDeclared(creature=self.creature, plan=plan, because=because))
        if not self.reacts:
            state = yield from self.set_out(state, creature)
        if self.stand_up and state.creatures[self.creature].has("prone"):
            rises = Atom(
                seq=UNNUMBERED, source=self.creature, target=self.creature, does="lose", name="prone"
            )
            state = yield from note_quietly(state, rises)
        if self.reacts:
            return (yield from reacted(state, self.creature, plan))
        if self.mode in AIRBORNE:
            high = height(creature, self.type, self.mode, self.altitude_ft)
            state = yield TookOff(creature=self.creature, altitude=high, because=("RI-MOVE-9",))
        how: How = "continued" if goes_on else "self"
        state = yield from note_place(state, self.creature, self.path, how)
        if self.mount is None:
            return state
        return (yield Mounted(creature=self.creature, mount=self.mount, because=("RI-MOUNT-1", "C-48")))

    def set_out(self, state: State, creature: Creature) -> Emits[State]:
        """Emit what of its movement a creature spends on a path."""
        up = risen(state, creature, self.mode) if self.stand_up else 0
        up += climb_ft(creature, self.type, self.mode, self.altitude_ft)
        feet = feet_of(state, creature, self.path) + up
        return (yield from interrupted(self.creature, self.mode, feet, pause=self.pause))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        creature = on_turn(view, command)
        if creature is None or not is_allowed(command.check_paid, view, creature):
            return
        others = [mode for mode in creature.sheet.speeds if mode != "land"]
        ways: list[Mapping[str, Any]] = [{}, *[{"mode": mode} for mode in others]]
        if not creature.budget.paused:
            ways += [{"sprint": True}, {"stand_up": True}, {"stand_up": True, "sprint": True}]
            yield from offered(changed(command, stand_up=True), view, stand_up=True)
        for way in ways:
            high = changed(command, **way).high(creature)
            paths = straight(view, creature, farthest(view, creature, way), high=high)
            if paths and is_allowed(changed(command, path=paths[0], **way).check_way, view, creature):
                choices = {"path": paths, "pause": (False, True)}
                yield Offer(type=cls.type, creature=creature.id, given=way, choices=choices)
        if not creature.budget.paused and not creature.location_changed:
            yield from rules(view, command, creature)
            yield from onto_mounts(view, command, creature)


def rules(view: State, command: Move, creature: Creature) -> Iterator[Offer]:
    """Yield the movements by a rule about creatures in sight that *creature* may make."""
    targets = tuple([(name,) for name in seen_by(view, creature)])
    block = changed(command, ability="block", targets=targets[0] if targets else ())
    if is_allowed(block.check_way, view, creature):
        given = {"ability": "block"}
        yield Offer(type=command.type, creature=creature.id, given=given, choices={"targets": targets})
    yield from [
        Offer(type=command.type, creature=creature.id, given=given, choices=choices)
        for given, choices in reactions(view, command, creature, targets)
    ]


def reactions(
    view: State, command: Move, creature: Creature, targets: tuple[tuple[str], ...]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the movements after or away from *targets* that *creature* may make, and what is to choose."""
    ways: list[dict[str, Any]] = [{}, {"stand_up": True}]
    ways += [{"mode": mode} for mode in creature.sheet.speeds if mode in AIRBORNE]
    for way in ways if targets else ():
        if feet_offered(view, creature, **way) < 0:
            continue
        sprints = feet_offered(view, creature, sprint=True, **way) >= 0
        for ability, choices in OFFERED.items():
            fixed: Mapping[str, Any] = {"ability": ability, **FIXED[ability], **way}
            if is_allowed(changed(command, targets=targets[0], **fixed).check_way, view, creature):
                yield (
                    fixed,
                    {"targets": targets, **choices, "sprint": (False, True) if sprints else (False,)},
                )


def onto_mounts(view: State, command: Move, creature: Creature) -> Iterator[Offer]:
    """Yield the movements onto mounts of its group that *creature* may make."""
    for mount, found in mounts(view, creature).items():
        wanted = changed(command, mount=mount)
        lines = [
            line
            for line, path in found.lines()
            if is_allowed(changed(wanted, path=path).check_way, view, creature)
        ]
        if lines:
            choices = {"path": StraightPaths.of(creature.position, lines)}
            yield Offer(type=command.type, creature=creature.id, given={"mount": mount}, choices=choices)


def farthest(view: State, creature: Creature, way: Mapping[str, Any]) -> int:
    """Return how far a movement of this kind may be offered to go."""
    if not creature.budget.paused:
        return feet_offered(view, creature, **way)
    mode = way.get("mode", "land")
    try:
        return left(view, creature, mode, sprint=False) - climb_ft(creature, "move", mode, None)
    except Refused:
        return -1
