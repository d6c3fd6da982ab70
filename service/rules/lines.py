"""Hold what a line of play knows of another that it continues: where it began, and the old line's rolls.

A ruling can make a fight continue from an earlier moment. Its dice are those of the old line wherever the old
line threw the same for the same purpose; from the first roll of a stream that differs, that stream draws from
an epoch that no line has used before, until the round is over. So an undo is no re-roll, and nobody aims dice
that were already seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.dice.values import RollName
from service.rules.records import EMPTY, record
from service.rules.sealed import Sealed, is_closed, unsealed

OTHER_EPOCH: Final = "other/"
"""In the sealed lane's places, before `epoch/lane/stream`: rolls in an epoch that no round has had."""

REDIRECTED: Final = "redirected/"
"""There, before `lane/stream`: the epoch from which a stream draws until this one closes."""


@record
class Logged:
    """One throw of the old line under some name: what it was for, and the sides of its dice in order."""

    purpose: Mapping[str, Any]
    sides: tuple[int, ...]


@record
class Origin:
    """Which moment of which encounter a line of play goes on from."""

    parent: str
    n: int
    """The last of the parent's commits that stand in this line."""
    hash: str
    """The hash of that commit."""
    upto: int
    """The last of the parent's commits that was looked at."""
    kind: str
    """`as_ruled`, `undo` or `redo`; `fork` for a what-if."""
    amendment: str = ""
    """The amendment that began this line: the parent's, or one of the line that it was ruled in."""
    ruled_in: str = ""
    """The line in which it was ruled, where that goes on from the parent itself."""
    levels: int = 0
    """How many undos may be taken again from where this line begins, or from where its redo ended."""
    pending_sealed: Mapping[str, Any] = EMPTY
    """Sealed values, by JSON pointer, that wait for the envelope in which their own place lies."""

    @property
    def proposed_in(self) -> str:
        """The line in which the amendment stands."""
        return self.ruled_in or self.parent


@record
class RedirectedStream:
    """A stream that draws from another epoch for the rest of this one."""

    epoch: int
    before: int
    """Rolls of the stream in that other epoch that came in earlier rounds."""


@record
class Line:
    """The rolls of the old line, by name, and the epochs from which this one draws."""

    old: Mapping[str, tuple[Logged, ...]] = EMPTY
    hidden: tuple[Mapping[str, tuple[Logged, ...]] | Sealed[Mapping[str, tuple[Logged, ...]]], ...] = ()
    """Rolls that were still sealed when the line began."""
    course: tuple[int, ...] = ()
    """The epochs of the old line's rounds from here on."""
    fresh: tuple[int, ...] = ()
    """The epochs opened by the rulings that led here; the last is this line's own."""

    def keeps(self, name: RollName, purpose: Mapping[str, Any], sides: Sequence[int], *, grows: bool) -> bool:
        """Tell whether a roll has the dice of *name*: this line's own, or the same throw of the old one.

        The same name, the same purpose, and the same sides or more than the old line had. A roll that
        *grows* by what it shows begins as it began there, and then goes on alike.
        """
        if name.epoch >= self.fresh[-1]:
            return True
        thrown, wanted = tuple(sides), dict(purpose)
        return any(
            _begins(thrown, logged.sides, grows=grows) and dict(logged.purpose) == wanted
            for logged in self._logged(str(name))
        )

    def has_shown(self, name: RollName, sides: Sequence[int]) -> bool:
        """Tell whether a throw of *name* shows no die that the old line may still throw."""
        thrown = tuple(sides)
        return name.epoch >= self.fresh[-1] or any(
            logged.sides[: len(thrown)] == thrown for logged in self._logged(str(name))
        )

    def _logged(self, name: str) -> Iterator[Logged]:
        yield from self.old.get(name, ())
        for part in self.hidden:
            if not is_closed(part):
                yield from unsealed(part).get(name, ())

    def after(self, epoch: int) -> int | None:
        """Return the epoch that followed *epoch* in the old line, None where that had ended."""
        return next((later for later in self.course if later > epoch), None)

    def beyond(self, epoch: int) -> int:
        """Return the epoch from which a stream draws once it differs in *epoch*."""
        return next(fresh for fresh in self.fresh if fresh > epoch)


def _begins(thrown: tuple[int, ...], logged: tuple[int, ...], *, grows: bool) -> bool:
    if grows and thrown == logged[: len(thrown)]:
        return True
    return logged == thrown[: len(logged)]
