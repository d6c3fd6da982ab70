"""The resolution stack: frames as plain data, last in, first out.

The table has a stack, and so has the world of each group that acts apart (`worlds.py`). A frame either waits
for a person (`waiting`) or goes on (`advance`); it never suspends code. Only the `evolve` of facts pushes,
changes and pops frames, so a replay rebuilds the stacks from the record alone.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar

from service.rules.kernel.messages import Awaited, Event, Fact
from service.rules.kernel.records import changed, computed_from, record
from service.rules.kernel.values import StepId

S = TypeVar("S")


@record
class Frame(Generic[S]):
    """One unfinished step. Its path names it in prompts and is the same in every replay."""

    kind: ClassVar[str]
    path: StepId

    def waiting(self, state: S) -> tuple[Awaited, ...]:
        """Return the answers that this frame waits for; none, the default, if it goes on without any."""
        return ()

    def waits(self, state: S) -> bool:
        """Return whether `waiting` returns any answer; a frame with many answers may compute this faster."""
        return bool(self.waiting(state))

    def advance(self, state: S, chance: Any) -> Generator[Fact[S], S, object]:  # noqa: ANN401 - stands above
        """Emit the next step of this frame, which must change, cover or pop the frame.

        *chance* is a `service.rules.rolls.chance.Chance`, which knows the table and so its stack.
        """
        raise NotImplementedError


F = TypeVar("F", bound=Frame[Any])


def opened_by(event: Any, kind: type[F], path: str, **progress: object) -> F:  # noqa: ANN401 - of any ruleset
    """Return the frame of *kind* at *path* with what *event* declares: each field that both have.

    They have it from one record, their common base; *progress* are further fields of the frame.
    """
    known = vars(event)
    kinds: Any = (kind, type(event))
    declared = {name: known[name] for name in _declared(*kinds)}
    return kind(path=path, **{**declared, **progress})


@cache
def _declared(kind: type, event: type) -> tuple[str, ...]:
    """Return the fields of the records that are bases of a frame and of the event that opens it."""
    common = (base for base in kind.__mro__ if is_dataclass(base) and base in event.__mro__)
    return tuple({field.name: None for base in common for field in fields(base)})


@record
class FrameDone(Event[S]):
    """A step is over, and its frame leaves the stack."""

    abstract: ClassVar[bool] = True
    path: StepId

    def evolve(self, state: S) -> S:
        stacked: Any = state
        after: S = stacked.popped(self.path)
        return after


def owed(waiting: tuple[Awaited, ...], prompt: str) -> Awaited | None:
    """Return the awaited answer at *prompt*, None if it is not awaited any more."""
    return next((awaited for awaited in waiting if awaited.prompt == prompt), None)


@record
class Stacks(Generic[S]):
    """The stack of frames of one place."""

    table: tuple[Frame[S], ...] = ()
    """The unfinished steps, the newest last."""

    def top(self) -> Frame[S] | None:
        """Return the top frame, None if the stack is empty."""
        return self.table[-1] if self.table else None

    def pushed(self, frame: Frame[S]) -> Stacks[S]:
        """Return the stack with *frame* on top."""
        return changed(self, table=(*self.table, frame))

    def popped(self, path: str) -> Stacks[S]:
        """Return the stack without its top frame; raises `AssertionError` if its path is not *path*."""
        frames = self.table
        assert frames[-1].path == path, f"{path} is not on top: {frames[-1].path} is"
        return changed(self, table=frames[:-1])

    def put(self, frame: Frame[S]) -> Stacks[S]:
        """Return the stack in which *frame* replaces the frame with the same path, at any depth."""
        frames = self.table
        at = len(frames) - 1
        while frames[at].path != frame.path:  # most often it is the one on top
            at -= 1
        return changed(self, table=(*frames[:at], frame, *frames[at + 1 :]))

    def find(self, path: str) -> Frame[S] | None:
        """Return the frame at *path*, None if there is none."""
        for frame in self.table:
            if frame.path == path:
                return frame
        return None


class Stacked:
    """What every state does with the stack of its place."""

    stacks: Stacks[Any]

    @computed_from("stacks")
    def top(self) -> Frame[Any] | None:
        """The top frame of the stack, None if the stack is empty."""
        return self.stacks.top()

    def pushed(self, frame: Frame[Any]) -> Self:
        """Return the state with *frame* on top of the stack."""
        return changed(self, stacks=self.stacks.pushed(frame))

    def popped(self, path: str) -> Self:
        """Return the state without the top frame; raises `AssertionError` if its path is not *path*."""
        return changed(self, stacks=self.stacks.popped(path))

    def put(self, frame: Frame[Any]) -> Self:
        """Return the state in which *frame* replaces the frame with the same path."""
        return changed(self, stacks=self.stacks.put(frame))

    def frame(self, path: str, kind: type[F]) -> F:
        """Return the frame at *path*; raises `AssertionError` if none is there, or another than a *kind*."""
        found = self.stacks.find(path)
        assert isinstance(found, kind), f"there is no {kind.__name__} at {path}"
        return found

    def with_frame(self, path: str, kind: type[Frame[Any]], /, **changes: object) -> Self:
        """Return the state with *changes* of the frame at *path*; raises as `frame` does."""
        return self.put(changed(self.frame(path, kind), **changes))

    def top_frame(self, kind: type[F]) -> F:
        """Return the top frame; raises `AssertionError` if it is another than a *kind*, or none."""
        found = self.stacks.top()
        assert isinstance(found, kind), f"the top frame is no {kind.__name__}"
        return found

    def with_top(self, kind: type[Frame[Any]], /, **changes: object) -> Self:
        """Return the state with *changes* of the top frame; raises as `top_frame` does."""
        return self.put(changed(self.top_frame(kind), **changes))
