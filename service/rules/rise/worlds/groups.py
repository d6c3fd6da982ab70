"""Form allied groups and open a world for each: who acts together in a phase, and who may know of it.

Membership and attitudes are fixed while a phase runs. A group's world is sealed to the seats that control its
members, and to the GM where the house does not blind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import EMPTY, Sealed, changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.openings import ID
from service.rules.rise import books
from service.rules.rise.acting.swift import SwiftFrame
from service.rules.rise.acting.turns import TurnsFrame
from service.rules.rise.attacks.hidden import known_to
from service.rules.rise.creatures.creature import obeys
from service.rules.rise.creatures.sheet import RESERVED
from service.rules.rise.permission import gm, own
from service.rules.rise.planning.plans import PlanFrame
from service.rules.rise.rulings import ruling
from service.rules.rise.space.attitudes import may_join
from service.rules.rise.state import Attitude, State
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import GM

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


Work = Literal["plan", "swift", "turns"]


@record
class Opened:
    """A world that is opened: what its group does there, and for whom it is."""

    audience: tuple[str, ...]
    opens: str
    work: Work
    precommitted: bool = False


@record
class WorldsOpened(Event[State]):
    """Groups begin to act apart, each on what is true now."""

    type: ClassVar[str] = "groups_apart"
    divides: ClassVar[bool] = True
    groups: Mapping[str, Opened]

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
        unjudged=(),
        stacks=Stacks(),
    )
    new = known_to(new, opened.audience, group)
    if group in state.worlds:
        before = state.at(group)
        new = changed(new, effects=before.effects, unjudged=before.unjudged, places=before.places)
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


def audience(state: State, members: Sequence[str]) -> tuple[str, ...]:
    """Return the readers of a group's world."""
    seats = [state.controller(name) for name in members]
    if not state.house.gm_blind:
        seats.append(GM)
    return tuple([f"seat:{seat}" for seat in sorted(dict.fromkeys(seats))])


def opened(state: State, group: str, work: Work, *, precommitted: bool = False) -> Opened:
    """Return how the world of *group* is opened."""
    return Opened(
        audience=audience(state, state.groups[group]),
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
    while left:
        members = together(state, left)
        found[name_of(state, members, found)] = members
        left = [name for name in left if name not in members]
    return {group: found[group] for group in sorted(found) if found[group]}


def together(state: State, left: Sequence[str]) -> tuple[str, ...]:
    """Return one of *left* and its allies in contact, through others too, but not through the unconscious."""
    conscious = [name for name in left if not state.creatures[name].down]
    members = [*conscious, *left][:1]
    for name in members:
        members += [n for n in conscious if n not in members and may_join(state, name, n)]
    felled = [name for name in left if name not in conscious and name not in members]
    return (*members, *[name for name in felled if _kept_by(state, name, left) in members])


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
    """Tell whether players run *group*."""
    return any(state.controller(name) != GM for name in state.groups[group])


# --- facts and commands ------------------------------------------------------------------------------


@record
class AttitudeSet(Event[State]):
    """A creature said how it regards another."""

    type: ClassVar[str] = "attitude_set"
    creature: str
    toward: str
    attitude: Attitude
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
    groups: Mapping[str, tuple[str, ...]]

    def evolve(self, state: State) -> State:
        return changed(state, next_groups=self.groups)


@record
class SetAttitude(Command[State]):
    """Say how a creature regards another; inside a phase it is fixed, and can be said for the next one."""

    type: ClassVar[str] = "set_attitude"
    creature: str
    toward: str
    attitude: Attitude
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
    groups: Mapping[str, tuple[str, ...]]

    def check(self, view: State) -> None:
        gm(self)
        for group in self.groups:
            if not ID.fullmatch(group) or group in RESERVED:
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
        )
    for name, creature in inner.creatures.items():
        if creature.mount in state.groups[group] and name not in state.groups[group]:
            state = state.with_creature(
                name, aloft=creature.aloft, altitude=creature.altitude, hovered=creature.hovered
            )
    worlds = {name: kept for name, kept in state.worlds.items() if name != group}
    zones = tuple([placed for placed in inner.zones if placed not in state.zones])
    lying = {**state.lying, **{item: at for item, at in inner.lying.items() if state.lying.get(item) != at}}
    return changed(state, worlds=worlds, zones=(*state.zones, *zones), lying=lying)
