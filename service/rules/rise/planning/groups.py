"""Form allied groups: who acts together in a phase, in a world of its own, until all are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Command, Emits, Event, Refused
from service.rules.kernel.meter import spend
from service.rules.kernel.records import EMPTY, Sealed, changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.kernel.values import CreatureId, GroupId, Occasion, Reader, StepId
from service.rules.rise import books
from service.rules.rise.acting.swift import SwiftFrame
from service.rules.rise.acting.turns import TurnsFrame
from service.rules.rise.body.hidden_swift import known_to
from service.rules.rise.body.running_the_game import ruling
from service.rules.rise.creatures.creature import obeys
from service.rules.rise.creatures.permission import gm, own
from service.rules.rise.creatures.sheet import RESERVED
from service.rules.rise.creatures.state import Attitude, State, Taking
from service.rules.rise.planning.planning import PlanFrame
from service.rules.rise.sight.vision_and_lines import may_join
from service.rules.rise.values import GroupMembers, OtherId
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import GM

# --- groups --------------------------------------------------------------------------------------------
# Who acts together in a phase, and who may know of it. Membership and attitudes are fixed while a phase
# runs. A group's world is sealed to the seats that control its members, and to the GM where the house does
# not blind it.

RI_RES_3: Final = Rule(
    "RI-RES-3",
    "No action interrupts another group's, not even by killing its actor: each acts in its own world.",
    books.TIME.at("Resolving Actions"),
)
RI_INFO_2: Final = Rule(
    "RI-INFO-2",
    "What a group decides is sealed, its commitment public, and open for all from the announcement on.",
    books.TIME.at("Resolving Actions"),
)
RI_GROUP_1: Final = Rule(
    "RI-GROUP-1",
    "Allies in contact act as one group; the unconscious connect nobody; the GM may say otherwise.",
    books.TIME.at("Resolving Actions"),
    settles=("C-23",),
)
RI_GROUP_8: Final = Rule(
    "RI-GROUP-8",
    "No two enemies act as one group, unless the GM says so: a friend of both stays with its own side.",
    (RULING, books.TIME.at("Resolving Actions")),
    settles=("C-23",),
)


Work = Literal["plan", "swift", "turns"]


@record
class Opened:
    """A world that is opened: what its group does there, and for whom it is."""

    audience: tuple[Reader, ...]
    """Who may read it, each as `seat:<id>`."""
    opens: Occasion
    """The occasion that opens it for everybody."""
    work: Work
    """What the group does there."""
    precommitted: bool = False
    """Whether it committed to Swift abilities already."""


@record
class WorldsOpened(Event[State]):
    """Groups begin to act apart, each on what is true now."""

    type: ClassVar[str] = "groups_apart"
    divides: ClassVar[bool] = True
    groups: Mapping[GroupId, Opened]
    """What is opened of each group's world, by group."""

    def evolve(self, state: State) -> State:
        worlds = state.worlds
        for group, opened in self.groups.items():
            worlds = with_key(worlds, group, world(state, group, opened))
        return changed(state, worlds=worlds)


@enforces(RI_RES_3)
def world(state: State, group: str, opened: Opened) -> Sealed[State]:
    """Return the world in which *group* acts apart from the others."""
    new = changed(
        state,
        here=group,
        committed=opened.precommitted,
        worlds=EMPTY,
        hidden_creatures=EMPTY,
        orders=EMPTY,
        plans=EMPTY,
        declared_faces=EMPTY,
        effects=(),
        deeds=(),
        unjudged=(),
        stacks=Stacks(),
        readers=opened.audience,
        picked=EMPTY,
        takings=EMPTY,
    )
    new = known_to(new, opened.audience, group)
    if group in state.worlds:
        before = state.at(group)
        new = changed(new, effects=before.effects, unjudged=before.unjudged, places=before.places)
        new = changed(new, deeds=before.deeds, picked=before.picked)
        new = changed(
            new,
            redirected_streams=before.redirected_streams,
            rolls_in_other_epochs=before.rolls_in_other_epochs,
        )
        for name in state.groups[group]:
            mine = before.creatures[name]
            new = new.with_creature(name, budget=mine.budget, recovered=mine.recovered)
    path = f"r{state.round}/{state.stage}/{group}"
    return Sealed(audience=opened.audience, opens=opened.opens, value=new.pushed(_frame(new, path, opened)))


def _frame(state: State, path: str, opened: Opened) -> Frame[State]:
    if opened.work == "plan":
        return PlanFrame(path=path)
    if opened.work == "swift":
        return SwiftFrame(path=f"{path}/swift")
    able = tuple([name for name in state.groups[state.here] if obeys(state.creatures[name])])
    return TurnsFrame(path=path, able=able, precommitted=opened.precommitted)


def opened(state: State, group: str, work: Work, *, precommitted: bool = False) -> Opened:
    """Return how the world of *group* is opened."""
    return Opened(
        audience=state.audiences[group],
        opens=occasion(state, group),
        work=work,
        precommitted=precommitted,
    )


@enforces(RI_INFO_2)
def occasion(state: State, group: str) -> str:
    """Return the occasion on which the world of *group* opens."""
    return f"r{state.round}/{state.stage}/{group}/announced"


# --- who belongs together ----------------------------------------------------------------------------


@enforces(RI_GROUP_1)
def partition(state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the members of each group, by its name."""
    left = list(state.creatures)
    found: dict[str, tuple[str, ...]] = {}
    for group, members in state.next_groups.items():
        found[group] = tuple([name for name in members if name in left])
        left = [name for name in left if name not in members]
    conscious = [name for name in left if not state.creatures[name].down]
    for members in bands(state, conscious):
        felled = [name for name in left if name not in conscious and _kept_by(state, name, left) in members]
        whole = (*members, *felled)
        found[name_of(state, whole, found)] = whole
        left = [name for name in left if name not in whole]
    while left:
        members = tuple(
            [name for name in left if _kept_by(state, name, left) == _kept_by(state, left[0], left)]
        )
        found[name_of(state, members, found)] = members
        left = [name for name in left if name not in members]
    return {group: found[group] for group in sorted(found) if found[group]}


@enforces(RI_GROUP_8)
def bands(state: State, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return *names* as groups of allies in contact, through others too, without two enemies in one.

    Allies of one side come together first. So a creature that has friends on two sides that fight each other
    stays with its own.
    """
    found: list[tuple[str, ...]] = []
    for name in names:
        if not any(name in band for band in found):
            found.append(
                _band_of_side(state, name, [n for n in names if not any(n in band for band in found)])
            )
    if not state.attitudes:
        return found  # nobody has a friend on another side
    at = 0
    while at < len(found):
        other = next((each for each in found[at + 1 :] if _join(state, found[at], each)), None)
        if other is None:
            at += 1
        else:
            found[at] = tuple([name for name in names if name in found[at] or name in other])
            found.remove(other)
    return found


def _band_of_side(state: State, first: str, left: Sequence[str]) -> tuple[str, ...]:
    """Return *first* and those of *left* of its side that are its allies in contact."""
    side, members = state.creatures[first].sheet.side, [first]
    waiting = [name for name in left if name != first and state.creatures[name].sheet.side == side]
    for name in members:
        spend(1 + len(waiting) // 4)
        new: list[str] = []
        for other in waiting:
            if may_join(state, name, other) and not _are_hostile(state, (other,), (*members, *new)):
                new.append(other)
        members += new
        waiting = [other for other in waiting if other not in new]
    return tuple(members)


def _join(state: State, band: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two bands become one: two of them are allies in contact, and none are enemies."""
    in_contact = any(may_join(state, a, b) for a in band for b in other)
    return in_contact and not _are_hostile(state, band, other)


def _are_hostile(state: State, band: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one of *band* and one of *other* are enemies, as one of them at least regards it."""
    if not state.attitudes and len({state.creatures[name].sheet.side: None for name in (*band, *other)}) == 1:
        return False
    return any("enemy" in (state.attitude(a, b), state.attitude(b, a)) for a in band for b in other)


def _kept_by(state: State, unconscious: str, left: Sequence[str]) -> str:
    """Return whose group takes an unconscious creature in: that of a conscious ally, best of its own side."""
    allies = [name for name in left if name == unconscious or may_join(state, name, unconscious)]
    conscious = [name for name in allies if not state.creatures[name].down]
    side = state.creatures[unconscious].sheet.side
    same = [name for name in conscious or allies if state.creatures[name].sheet.side == side]
    return [*same, *conscious, unconscious][0]


def name_of(state: State, members: Sequence[str], taken: Mapping[str, object]) -> str:
    """Return what to call a group: its side, or its first member where the side is called for another."""
    side = state.creatures[members[0]].sheet.side
    wanted = (members[0], side) if len(members) == 1 < _size(state, side) else (side, members[0])
    others = (f"{members[0]}-{number}" for number in count(2))
    return next(name for name in (*wanted, *islice(others, len(taken) + 1)) if name not in taken)


def _size(state: State, side: str) -> int:
    return sum(creature.sheet.side == side for creature in state.creatures.values())


def is_played(state: State, group: str) -> bool:
    """Return whether players run *group*."""
    return any(state.controller(name) != GM for name in state.groups[group])


# --- facts and commands ------------------------------------------------------------------------------


@record
class AttitudeSet(Event[State]):
    """A creature said how it regards another."""

    type: ClassVar[str] = "attitude_set"
    creature: CreatureId
    toward: OtherId
    attitude: Attitude
    """The attitude."""
    later: bool = False
    """Whether it holds only from the next phase on."""

    def evolve(self, state: State) -> State:
        known = state.next_attitudes if self.later else state.attitudes
        said = with_key(known.get(self.creature, EMPTY), self.toward, self.attitude)
        after = with_key(known, self.creature, said)
        return changed(state, next_attitudes=after) if self.later else changed(state, attitudes=after)


@record
class GroupsSet(Event[State]):
    """The GM said who acts together from the next phase on."""

    type: ClassVar[str] = "groups_set"
    groups: GroupMembers

    def evolve(self, state: State) -> State:
        return changed(state, next_groups=self.groups)


@record
class SetAttitude(Command[State]):
    """Say how a creature regards another; inside a phase it is fixed, and can be said for the next one."""

    type: ClassVar[str] = "set_attitude"
    creature: CreatureId
    toward: OtherId
    attitude: Attitude
    """The attitude."""
    next_phase: bool = False
    """Whether it holds from the next phase on."""

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        if self.toward not in view.creatures:
            raise Refused("no_such_creature", f"there is no creature {self.toward}", "TABLE-SEAT-1")
        if self.toward == self.creature:
            raise Refused(
                "self_attitude", f"{self.creature} is neither friend nor foe to itself", "RI-GROUP-2"
            )
        if view.phase and not self.next_phase:
            raise Refused("attitude_locked", "attitudes are fixed while a phase runs", "RI-GROUP-2")

    def decide(self, state: State) -> Emits[State]:
        return (
            yield AttitudeSet(
                creature=self.creature,
                toward=self.toward,
                attitude=self.attitude,
                later=self.next_phase and bool(state.phase),
                because=("RI-GROUP-2",),
            )
        )


@record
class SetGroups(Command[State]):
    """Say who acts together from the next phase on; the others find their groups by the rules."""

    type: ClassVar[str] = "set_groups"
    groups: GroupMembers

    def check(self, view: State) -> None:
        gm(self)
        for group in self.groups:
            if group in RESERVED:
                raise Refused("not_in_group", f"a group cannot be called {group}", "RI-GROUP-1")
        named = [name for members in self.groups.values() for name in members]
        for name in named:
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
            if named.count(name) > 1:
                raise Refused("not_in_group", f"{name} is in two groups", "RI-GROUP-1")

    def decide(self, state: State) -> Emits[State]:
        named = tuple([name for members in self.groups.values() for name in members])
        state = yield from ruling(state, "group_membership", named, ", ".join(self.groups) or "by itself")
        return (yield GroupsSet(groups=self.groups, because=("RI-GROUP-1",)))


def carried_over(state: State, group: str) -> State:
    """Return *state* with what the members of *group* have spent and learned, and its world closed."""
    inner = state.at(group)
    for name in state.groups[group]:
        mine = inner.creatures[name]
        state = state.with_creature(
            name,
            budget=mine.budget,
            recovered=mine.recovered,
            delayed=mine.delayed,
            held=mine.held,
            aloft=mine.aloft,
            altitude=mine.altitude,
            hovered=mine.hovered,
            mount=mine.mount or state.creatures[name].mount,
        )
    for name, creature in inner.creatures.items():
        if creature.mount in state.groups[group] and name not in state.groups[group]:
            state = state.with_creature(
                name, aloft=creature.aloft, altitude=creature.altitude, hovered=creature.hovered
            )
    worlds = {name: kept for name, kept in state.worlds.items() if name != group}
    zones = tuple([placed for placed in inner.zones if placed not in state.zones])
    lying = {**state.lying, **{item: at for item, at in inner.lying.items() if state.lying.get(item) != at}}
    moved = {door: inner.walls[door] for door, was in inner.moved_doors.items() if inner.walls[door] != was}
    walls = {**state.walls, **moved} if moved else state.walls
    state = changed(state, worlds=worlds, zones=(*state.zones, *zones), lying=lying, walls=walls)
    return changed(state, takings=taken(state, inner, group))


def taken(state: State, inner: State, group: str) -> Mapping[str, tuple[Taking, ...]]:
    """Return the takings of the phase with those of *group*."""
    takings = dict(state.takings)
    for item, creature in inner.picked.items():
        if creature is not None:
            holders = [name for name in state.groups[group] if item in inner.creatures[name].held]
            taking = Taking(creature=creature, holder=next(iter(holders), None), at=inner.lying.get(item))
            takings[item] = (*takings.get(item, ()), taking)
    return takings


# --- groups that act apart -----------------------------------------------------------------------------
# Who is done, who is at work, and who reads whose world.

RI_INFO_6: Final = Rule(
    "RI-INFO-6",
    "Others know that a group is not done, and who owes an answer only if one seat plays all of it.",
    RULING,
)


_GM: Final = f"seat:{GM}"


@record
class GroupFrame(Frame[State]):
    """A phase in which groups act apart: who is done, and how far it has come."""

    kind: ClassVar[str] = "rise_phase"
    done: tuple[GroupId, ...] = ()
    """The groups that have finished what they are at."""
    at_work: tuple[GroupId, ...] = ()
    """The groups that are waited for now."""
    shown: tuple[CreatureId, ...] = ()
    """Whose initiative is open: their players may roll it again before the order holds."""
    exerting: tuple[CreatureId, ...] = ()
    """Who rolls its initiative again."""
    exerted: tuple[CreatureId, ...] = ()
    """Who has rolled it again."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        """Return who may exert itself, or what outsiders may know: that a group is still at it."""
        if self.shown:
            return self.asks(state, "initiative", self.shown, ("desperate_exertion", "keep_roll"))
        return tuple(
            [
                Awaited(prompt=f"{self.path}/{group}", seat=seat_of(state, group), accepts=())
                for group in self.at_work
                if group not in self.done and group not in state.apart
            ]
        )

    def asks(
        self, state: State, what: str, creatures: tuple[str, ...], accepts: tuple[str, ...]
    ) -> tuple[Awaited, ...]:
        """Return what is asked of each of *creatures*."""
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/{what}/{name}",
                    seat=state.controller(name),
                    accepts=accepts,
                    creature=name,
                )
                for name in creatures
            ]
        )

    def waits(self, state: State) -> bool:
        if self.shown:
            return True
        if self.finished(state) or self.resumed(state) or unread(state):
            return False
        return any(group not in self.done for group in self.at_work)

    def finished(self, state: State) -> list[str]:
        """Return the groups whose stacks are empty and that are not announced yet."""
        apart = state.apart
        return [
            group
            for group in self.at_work
            if group not in self.done and group in apart and not state.at(group).stacks.table
        ]

    def resumed(self, state: State) -> list[str]:
        """Return the groups that were done and have something to do again."""
        apart = state.apart
        return [group for group in self.done if group in apart and state.at(group).stacks.table]

    def news(self, state: State) -> Event[State] | None:
        """Return the groups' events that come before the phase goes on, None if there are none."""
        for group in self.resumed(state):
            return GroupResumed(group=group, path=self.path, because=("RI-UNIV-HUSTLE",))
        for group in self.finished(state):
            return GroupFinished(group=group, path=self.path, because=("RI-INFO-2",))
        return None


def unread(state: State) -> dict[str, tuple[str, ...]]:
    """Return the worlds whose readers do not control their groups any more, with who should read them.

    Nobody should where a group falls to the GM from whom its world is sealed.
    """
    found = {}
    for group, kept in state.worlds.items():
        readers = state.audiences[group]
        if not isinstance(kept, Sealed) or is_closed(kept) or kept.audience == readers:
            continue
        if _GM not in kept.audience:
            readers = tuple([reader for reader in readers if reader != _GM])
        if kept.audience != readers and (readers or state.at(group).stacks.table):
            found[group] = readers
    return found


@record
class ReadersChanged(Event[State]):
    """Other seats control a group in the middle of a phase: its world is theirs to read from now on."""

    type: ClassVar[str] = "readers_changed"
    plays: ClassVar[bool] = False
    readers: Mapping[GroupId, tuple[Reader, ...]]
    """The seats that read each group's world, by group."""

    def evolve(self, state: State) -> State:
        worlds, hidden = dict(state.worlds), dict(state.hidden_swift)
        for group, readers in self.readers.items():
            kept = changed(worlds[group], audience=readers)
            if not is_closed(kept):
                kept = changed(kept, value=changed(unsealed(kept), readers=readers))
            worlds[group] = kept
            if group in hidden:
                hidden[group] = changed(hidden[group], audience=readers)
        return changed(state, worlds=worlds, hidden_swift=hidden)


@record
class GroupLeft(Event[State]):
    """Nobody is left to act for a group in this phase: it does nothing more, its world stays sealed."""

    type: ClassVar[str] = "group_left"
    group: GroupId

    def evolve(self, state: State) -> State:
        world = changed(state.at(self.group), stacks=Stacks())
        return state.with_at(self.group, world)


def hand_over(state: State) -> Emits[State]:
    """Emit who reads which world from now on, and which groups have nobody who could."""
    changes = unread(state)
    readers = {group: seats for group, seats in changes.items() if seats}
    if readers:
        state = yield ReadersChanged(readers=readers, because=("RI-INFO-1",))
    for group in [each for each in changes if each not in readers]:
        state = yield GroupLeft(group=group, because=("RI-INFO-1",))
    return state


@enforces(RI_INFO_6)
def seat_of(state: State, group: str) -> str:
    """Return the seat that plays all of *group*, an empty text if several do."""
    members = [state.creatures[name] for name in state.groups[group]]
    alive = [c for c in members if not (c.dead or c.defeated or c.sheet.kind == "object")]
    seats = dict.fromkeys([state.controller(creature.id) for creature in alive])
    kept = state.worlds.get(group)
    if isinstance(kept, Sealed) and _GM not in kept.audience:
        seats.pop(GM, None)  # another seat of the group acts for what is the GM's from the next phase on
    return next(iter(seats)) if len(seats) == 1 else ""


@record
class GroupFinished(Event[State]):
    """A group is done with what it was at; what it decided stays sealed."""

    type: ClassVar[str] = "group_finished"
    group: GroupId
    path: StepId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.path, GroupFrame)
        return state.put(changed(frame, done=(*frame.done, self.group)))


@record
class GroupResumed(Event[State]):
    """A group that was done is at it again; what it changes stays sealed."""

    type: ClassVar[str] = "group_resumed"
    group: GroupId
    path: StepId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.path, GroupFrame)
        return state.put(changed(frame, done=tuple([name for name in frame.done if name != self.group])))
