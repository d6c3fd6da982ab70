"""Resolve movements at the table: overruns and shoves attack first, then the solver's outcome comes true."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

from service.rules.kernel.messages import (
    Awaited,
    Command,
    Emits,
    Event,
    Fact,
    Noted,
    Offer,
    Refused,
    Sentence,
)
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Creatures, Reason, StepId, Targets
from service.rules.rise import books
from service.rules.rise.acting.brawling import brawl
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.effects import Way, displace
from service.rules.rise.body.movement_and_positioning import (
    Mounted,
    flown,
    hidden_creature_at,
    in_the_way,
    is_laden,
    is_passable,
    is_shut,
    occupant,
)
from service.rules.rise.body.running_the_game import answer
from service.rules.rise.creatures.creature import Creature, How, Plan, above, is_able
from service.rules.rise.creatures.permission import own
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.movement_problem import (
    Intents,
    NeedsInitiative,
    Outcome,
    Problem,
    Routes,
    place_movers,
    route_all,
)
from service.rules.rise.moving.movement_solver import solve
from service.rules.rise.planning.initiative import asks_players, roll_order
from service.rules.rise.sight.obstacles_and_targets import Assault
from service.rules.rise.values import Agrees, AskedCreatures, CreatureOrder, HasAgreed, UserId
from service.rules.rolls.chance import Chance
from service.rules.secrecy.hidden_creatures import reveal_discovered
from service.rules.space.grid import Cell, cells
from service.rules.table.stack import Frame, FrameDone

# --- overruns and shoves -------------------------------------------------------------------------------
# They attack before anything of the phase moves. The mover's line is looked at as the others' movements
# would leave it. A creature in its way may step aside; the others are attacked, and what comes of it stands
# in the plan, which then is a path like any other.

ONE_LARGER = 1


@record
class RushFrame(Frame[State]):
    """One overrun or shove of the movement phase."""

    kind: ClassVar[str] = "rise_rush"
    user: UserId
    stage: Literal["asked", "attack"] = "asked"
    """How far it has come."""
    asked: tuple[CreatureId, ...] = ()
    """Who may step aside and has not said so."""
    targets: tuple[CreatureId, ...] = ()
    """Who is attacked unless it steps aside, in the order in which the mover comes to them."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/aside/{name}",
                    seat=state.controller(name),
                    accepts=("step_aside",),
                    creature=name,
                )
                for name in self.asked
            ]
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.stage == "attack" or not self.targets:
            return (yield RushDone(path=self.path, because=because(state, self.user)))
        state = yield RushAttacks(path=self.path, because=because(state, self.user))
        return (yield AssaultBegun(assault=assault_of(state, self), because=because(state, self.user)))


@record
class RushBegun(Event[State]):
    """A creature runs into others, or shoves whom it grapples with."""

    type: ClassVar[str] = "rush_began"
    user: UserId
    targets: Targets
    asked: AskedCreatures
    path: tuple[Cell, ...]
    """The line as far as nobody too big stands in it."""

    def evolve(self, state: State) -> State:
        top: Any = state.top  # the phase's own frame, which imports this file
        state = state.put(changed(top, rushed=(*top.rushed, self.user)))
        plan = changed(state.plans[self.user], path=self.path)
        state = changed(state, plans={**state.plans, self.user: plan})
        frame = RushFrame(
            path=f"{top.path}/rush/{self.user}", user=self.user, asked=self.asked, targets=self.targets
        )
        return state.pushed(frame)


@record
class SteppedAside(Event[State]):
    """A creature lets another run past, or stands in its way."""

    type: ClassVar[str] = "stepped_aside"
    creature: CreatureId
    user: UserId
    accepted: HasAgreed

    def evolve(self, state: State) -> State:
        frame = state.top_frame(RushFrame)
        asked = tuple([name for name in frame.asked if name != self.creature])
        if not self.accepted:
            return state.put(changed(frame, asked=asked))
        targets = tuple([name for name in frame.targets if name != self.creature])
        plan = state.plans[self.user]
        plan = changed(plan, passes=(*plan.passes, self.creature))
        return changed(
            state.put(changed(frame, asked=asked, targets=targets)), plans={**state.plans, self.user: plan}
        )


@record
class RushAttacks(Event[State]):
    """Nobody else steps aside: the rest are attacked."""

    type: ClassVar[str] = "rush_attacks"
    path: StepId

    def evolve(self, state: State) -> State:
        return state.with_top(RushFrame, stage="attack")


@record
class RushDone(FrameDone[State]):
    """It is settled how far an overrun or shove leads, if nothing else stops it."""

    type: ClassVar[str] = "rush_done"


def because(state: State, user: str) -> tuple[str, ...]:
    """Return the rule that the movement of *user* is."""
    return (f"RI-UNIV-{state.plans[user].ability.upper()}",)


def rushers(state: State) -> list[str]:
    """Return whose movements attack, in the order in which they are settled."""
    return sorted(name for name, plan in state.plans.items() if plan.ability in ("overrun", "shove"))


def rush(state: State, user: str, routes: Routes) -> Emits[State]:
    """Emit whom an overrun runs into, or a shove pushes, and who of them is asked to step aside."""
    plan, mover = state.plans[user], state.creatures[user]
    if plan.ability == "shove":
        return (
            yield RushBegun(user=user, targets=plan.targets, asked=(), path=(), because=("RI-UNIV-SHOVE",))
        )
    line = as_far_as_small_enough(state, mover, plan.path, routes)
    targets = tuple(in_line(state, mover, line, routes))
    asked = tuple([name for name in targets if is_able(state.creatures[name])])
    return (yield RushBegun(user=user, targets=targets, asked=asked, path=line, because=("RI-UNIV-OVERRUN",)))


def in_line(state: State, mover: Creature, line: tuple[Cell, ...], routes: Routes) -> list[str]:
    """Return who will stand on *line* when all have moved and is not simply passed, in order."""
    after = place_movers(state, routes.without((mover.id,)))
    passing, _ = flown(mover, routes.altitudes.get(mover.id))
    found = [
        other.id
        for cell in line
        for part in cells(cell, mover.space)
        for other in after.standing_at(part)
        if other.id != mover.id and not is_passable(after, mover, other) and not above(passing, other)
    ]
    return list(dict.fromkeys(found))


def as_far_as_small_enough(
    state: State, mover: Creature, line: tuple[Cell, ...], routes: Routes
) -> tuple[Cell, ...]:
    """Return *line* up to the first creature that is too big to be run over."""
    for length in range(1, len(line) + 1):
        for name in in_line(state, mover, line[:length], routes):
            other = state.creatures[name]
            if other.rank - other.has("prone") - mover.rank > ONE_LARGER:
                return line[: length - 1]
    return line


def assault_of(state: State, frame: RushFrame) -> Assault:
    """Return the attacks of an overrun or shove."""
    plan, user = state.plans[frame.user], state.creatures[frame.user]
    shoves = plan.ability == "shove"
    away = state.away(state.creatures[frame.targets[0]], user)
    return Assault(
        user=user.id,
        what=plan.ability,
        targets=frame.targets,
        strike=brawl(state.profile.shove),
        willing=tuple([name for name in frame.targets if not is_able(state.creatures[name])]),
        path=plan.path,
        push=(plan.step or away) if shoves else None,
        maneuver="rush_shove" if shoves else "rush",
    )


@record
class StepAside(Command[State]):
    """Say whether a creature lets an overrunning one past instead of standing in its way."""

    type: ClassVar[str] = "step_aside"
    sentence: ClassVar[Sentence] = {
        "accept=True": "Step aside",
        "accept=False": "Stand in the way",
        "": "Step aside, or stand in the way",
    }
    creature: CreatureId
    accept: Agrees

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        frame = view.top
        if not isinstance(frame, RushFrame) or self.creature not in frame.asked:
            raise Refused("wrong_step", f"nobody asks {self.creature} to step aside", "RI-UNIV-OVERRUN")

    def decide(self, state: State) -> Emits[State]:
        return (
            yield SteppedAside(
                creature=self.creature,
                user=state.top_frame(RushFrame).user,
                accepted=self.accept,
                because=("RI-UNIV-OVERRUN",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, choices={"accept": (True, False)})


# --- being outrun --------------------------------------------------------------------------------------

RI_CONF_6: Final = Rule(
    "RI-CONF-6",
    "Being left out of reach is a legal result; a player's creature may still prevent it by sprinting.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-20",),
)


@enforces(RI_CONF_6)
def find_outrun(intents: Intents) -> tuple[str, ...]:
    """Return the creatures that fall short of whom they react to, or are to reach, and may sprint."""
    state = intents.state
    eager = {
        name: plan
        for name, plan in sorted(intents.plans.items())
        if plan.ability in ("follow", "withdraw", "hustle") and plan.sprint != "never"
    }
    if not eager:
        return ()
    after = place_movers(state, route_all(intents))
    return tuple(
        [
            name
            for name, plan in eager.items()
            if falls_short(after, name, plan) and not is_laden(state, state.creatures[name])
        ]
    )


def falls_short(after: State, name: str, plan: Plan) -> bool:
    """Return whether a creature gets less near than it wants, less far, or beside nobody it is to reach."""
    creature = after.creatures[name]
    if plan.ability == "hustle":
        return not any(after.touches(creature, after.creatures[target]) for target in plan.targets)
    gaps = [after.distance(creature, after.creatures[target]) for target in plan.targets]
    if plan.ability == "follow":
        return max(gaps) > plan.distance_ft
    return min(gaps) < plan.distance_ft


# --- resolving -----------------------------------------------------------------------------------------
# Roll what the solver needs, then emit its outcome.

Solved: TypeAlias = Generator[Fact[State], State, tuple[State, Outcome | None]]


@record
class BlockChecked(Noted[State]):
    """A creature tried to keep another from passing."""

    type: ClassVar[str] = "block_checked"
    blocker: CreatureId
    """The id of the creature in the way."""
    creature: CreatureId
    blocked: bool
    """Whether it was blocked."""


@record
class ConflictFound(Noted[State]):
    """Movements that cannot all happen, and the order in which they resolve."""

    type: ClassVar[str] = "conflict_found"
    creatures: Creatures
    order: CreatureOrder
    warning: Reason = ""
    """Why it is a conflict."""


@record
class MovementStopped(Noted[State]):
    """A movement ends short of where its group saw it end, or where its plan led."""

    type: ClassVar[str] = "movement_stopped"
    creature: CreatureId
    lost: tuple[Cell, ...]
    """The cells that it does not enter."""
    by: CreatureId | None = None
    """The creature in whose way it is; null where a hidden one is, or initiative decided otherwise."""


def find_outcome(state: State, chance: Chance, problem: Problem) -> Solved:
    """Emit what the solver needs until it has an outcome; null while players are asked first."""
    while True:
        found = solve(problem)
        for rider, mount in found.mounted.items():
            if state.creatures[rider].mount != mount:
                state = yield Mounted(creature=rider, mount=mount, because=("RI-MOUNT-1",))
        if isinstance(found, Outcome):
            return state, found
        state = yield from meet_needs(state, chance, found)
        if asks_players(state):
            return state, None
        problem = changed(problem, state=state)


def meet_needs(state: State, chance: Chance, needs: NeedsInitiative) -> Emits[State]:
    """Put the solver's doubts to the GM, and roll the initiative that it needs."""
    for doubt in needs.doubts:
        state, _ = yield from answer(state, doubt.question, doubt.creatures)
    for creatures in needs.contests:
        state = yield from roll_order(state, chance, creatures)
    return state


def carry_out(
    state: State,
    problem: Problem,
    outcome: Outcome,
    hows: Mapping[str, How],
    notes: Sequence[Event[State]] = (),
) -> Emits[State]:
    """Emit *notes*, what kept movements from being what was wanted, and where everybody goes.

    Who is not named in *hows* moves by itself.
    """
    routes = outcome.routes
    stops = note_stops(state, problem, outcome)
    for note in (*notes, *note_blocks(outcome), *note_conflicts(outcome), *stops):
        state = yield note
    ways: dict[str, Way] = {name: (path, hows.get(name, "self")) for name, path in routes.paths.items()}
    state = yield from displace(state, ways)
    return (yield from reveal_found(state, problem, routes))


def note_stops(state: State, problem: Problem, outcome: Outcome) -> list[Event[State]]:
    """Return the events of the movements that end short of where they were to lead."""
    routes = outcome.routes
    found: list[Event[State]] = []
    after = place_movers(state, routes)
    contested = [name for conflict in outcome.conflicts for name in conflict.creatures]
    for name, lost in routes.lost.items():
        if lost:
            rule = "RI-CONF-3" if name in contested else "RI-MOVE-4"
            other = meets(after, problem, name, lost[0])
            found.append(MovementStopped(creature=name, lost=lost, by=other, because=(rule,)))
    return found


def meets(after: State, problem: Problem, name: str, cell: Cell) -> str | None:
    """Return whom *name* would come upon at *cell*, null if nobody is there whom it may not pass or join."""
    mover = after.creatures[name]
    other = in_the_way(after, mover, cell, problem.through.get(name, ())) or occupant(after, mover, cell)
    return None if other is None else other.id


def note_blocks(outcome: Outcome) -> list[Event[State]]:
    """Return the events of the blocks."""
    return [
        BlockChecked(
            blocker=block.blocker,
            creature=block.creature,
            blocked=block.blocked,
            because=("RI-REAC-4", "C-19"),
        )
        for block in outcome.blocks
    ]


def note_conflicts(outcome: Outcome) -> list[Event[State]]:
    """Return the events of the conflicts."""
    return [
        ConflictFound(creatures=c.creatures, order=c.order, warning=c.warning, because=("RI-CONF-2",))
        for c in outcome.conflicts
    ]


def reveal_found(state: State, problem: Problem, routes: Routes) -> Emits[State]:
    """Reveal the hidden creatures that end a movement before anything else does."""
    for name in sorted(routes.lost) if state.hidden_creatures else ():
        hidden_creature = find_ahead(state, problem, name, routes)
        if hidden_creature is not None:
            state = yield from reveal_discovered(state, hidden_creature, name)
    return state


def find_ahead(state: State, problem: Problem, name: str, routes: Routes) -> str | None:
    """Return the hidden creature that the rest of a path meets before anything else, if any."""
    creature, _ = flown(state.creatures[name], routes.altitudes.get(name))
    at = (creature.position, *routes.paths[name])[-1]
    through, is_open = problem.through.get(name, ()), bool(problem.intents.plans[name].path)
    for cell in routes.lost[name]:
        hidden_creature = hidden_creature_at(state, creature, cell)
        if hidden_creature is not None:
            return hidden_creature
        shut = not is_open and is_shut(state, creature, at, cell)
        if shut or in_the_way(state, creature, cell, through) is not None:
            return None
        at = cell
    return None
