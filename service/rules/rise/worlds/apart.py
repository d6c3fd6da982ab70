"""Wait at the table for groups that act apart: who is done, who is at work, and who reads whose world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import is_closed
from service.rules.rise.state import State
from service.rules.rise.worlds.groups import audience
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import GM

RI_INFO_6: Final = Rule(
    "RI-INFO-6",
    "Others know that a group is still at it, and who owes an answer only where one seat plays all of it.",
    RULING,
)


_GM: Final = f"seat:{GM}"


@record
class GroupFrame(Frame[State]):
    """A phase in which groups act apart: who is done, and how far it has come."""

    kind: ClassVar[str] = "rise_phase"
    done: tuple[str, ...] = ()
    """The groups that have finished what they are at."""
    at_work: tuple[str, ...] = ()
    """The groups that are waited for now."""
    shown: tuple[str, ...] = ()
    """Whose initiative lies open: their players may roll it again before the order holds."""
    exerting: tuple[str, ...] = ()
    """Who rolls its initiative again."""
    exerted: tuple[str, ...] = ()
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
        return [
            group
            for group in self.at_work
            if group not in self.done and group in state.apart and not state.at(group).stacks.table
        ]

    def resumed(self, state: State) -> list[str]:
        """Return the groups that were done and have something to do again."""
        return [group for group in self.done if group in state.apart and state.at(group).stacks.table]

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
        readers = audience(state, state.groups[group])
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
    readers: Mapping[str, tuple[str, ...]]

    def evolve(self, state: State) -> State:
        worlds, hidden = dict(state.worlds), dict(state.hidden_swift)
        for group, readers in self.readers.items():
            worlds[group] = changed(worlds[group], audience=readers)
            if group in hidden:
                hidden[group] = changed(hidden[group], audience=readers)
        return changed(state, worlds=worlds, hidden_swift=hidden)


@record
class GroupLeft(Event[State]):
    """Nobody is left to act for a group in this phase: it does nothing more, its world stays sealed."""

    type: ClassVar[str] = "group_left"
    group: str

    def evolve(self, state: State) -> State:
        world = changed(state.at(self.group), stacks=Stacks())
        return state.with_at(self.group, world)


def hand_over(state: State) -> Emits[State]:
    """Tell who reads which world from now on, and which groups have nobody who could."""
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
    return next(iter(seats)) if len(seats) == 1 else ""


@record
class GroupFinished(Event[State]):
    """A group is done with what it was at; what it decided stays sealed."""

    type: ClassVar[str] = "group_finished"
    group: str
    path: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.path, GroupFrame)
        return state.put(changed(frame, done=(*frame.done, self.group)))


@record
class GroupResumed(Event[State]):
    """A group that was done is at it again; what it changes stays sealed."""

    type: ClassVar[str] = "group_resumed"
    group: str
    path: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.path, GroupFrame)
        return state.put(changed(frame, done=tuple([name for name in frame.done if name != self.group])))
