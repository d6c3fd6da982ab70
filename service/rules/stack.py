"""Hold what is unfinished as plain data: frames on a stack, last in, first out.

One stack for the table and one in the world of each group that acts apart (`worlds.py`). A frame either
waits for somebody (`waiting`) or knows how to go on (`advance`); it never suspends code. Only facts push,
change and pop frames, from their `evolve`, so a replay rebuilds the stacks from the record alone.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from service.rules.records import changed, record

if TYPE_CHECKING:
    from service.rules.chance import Chance
    from service.rules.messages import Fact

S = TypeVar("S")

TABLE: Final = "table"
"""The place where everybody plays; every other place is a group's, by its id."""


@record
class Awaited:
    """One answer that is owed: by whom, for which creature, and with which commands it can be given."""

    prompt: str
    """The path of the frame that waits, down to who owes: `r1/e1/stance/pia`. Never a counter."""
    seat: str
    """Who owes it; empty where others may know no more than its prompt says."""
    accepts: tuple[str, ...]
    creature: str | None = None
    optional: bool = False
    """True where play would also go on if somebody else acted: nobody is kept waiting by this seat alone."""
    wants: tuple[str, ...] = ()
    """The dice asked for, as `role:dN`, where the answer is faces that somebody threw."""


@record
class Frame(Generic[S]):
    """One unfinished thing. Its path names it in prompts and stays the same however often it is replayed."""

    kind: ClassVar[str]
    path: str

    def waiting(self, state: S) -> tuple[Awaited, ...]:
        """Return the answers this frame owes its progress to; empty where it can go on by itself."""
        raise NotImplementedError

    def waits(self, state: S) -> bool:
        """Tell whether `waiting` would name anybody; a frame with many answers says so more cheaply."""
        return bool(self.waiting(state))

    def advance(self, state: S, chance: Chance) -> Generator[Fact[S], S, object]:
        """Tell the next step of this frame; it must change, cover or pop the frame."""
        raise NotImplementedError


def owed(waiting: tuple[Awaited, ...], prompt: str) -> Awaited | None:
    """Return the answer owed at *prompt*, or None if nobody waits for it any more."""
    return next((awaited for awaited in waiting if awaited.prompt == prompt), None)


@record
class Stacks(Generic[S]):
    """The stack of frames of one place."""

    table: tuple[Frame[S], ...] = ()

    def top(self) -> Frame[S] | None:
        """Return the frame that is being worked on."""
        return self.table[-1] if self.table else None

    def pushed(self, frame: Frame[S]) -> Stacks[S]:
        """Return the stack with *frame* on top."""
        return changed(self, table=(*self.table, frame))

    def popped(self, path: str) -> Stacks[S]:
        """Return the stack without its top frame, which must be the one at *path*."""
        frames = self.table
        assert frames[-1].path == path, f"{path} is not on top: {frames[-1].path} is"
        return changed(self, table=frames[:-1])

    def put(self, frame: Frame[S]) -> Stacks[S]:
        """Return the stack with the frame at *frame*'s path, wherever it lies, replaced by *frame*."""
        frames = self.table
        at = len(frames) - 1
        while frames[at].path != frame.path:  # most often it is the one on top
            at -= 1
        return changed(self, table=(*frames[:at], frame, *frames[at + 1 :]))

    def find(self, path: str) -> Frame[S] | None:
        """Return the frame at *path*, if it is unfinished."""
        for frame in self.table:
            if frame.path == path:
                return frame
        return None
