"""What a line of play knows about the line that it continues: where it began, and the old line's rolls.

A ruling can make a fight continue from an earlier commit. A roll of the new line has the old line's dice if
the old line threw the same dice for the same purpose. From the first roll of a stream that differs, the
stream draws from an epoch that no line has used before, until the round ends. So an undo throws no seen dice
again, and nobody can choose an action for dice that were already seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.dice.values import RollName
from service.rules.kernel.records import EMPTY, Sealed, record
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.kernel.values import (
    AmendmentId,
    Code,
    DieSides,
    EncounterId,
    Epoch,
    Hexadecimal,
    Ordinal,
    StateData,
)

FORK: Final = "fork"
"""The `kind` of the origin of a fork, which is an encounter of its own."""

OTHER_EPOCH: Final = "other/"
"""The prefix in `sealed_places`, before `epoch/lane/stream`, of rolls in an epoch that a ruling opened."""

REDIRECTED: Final = "redirected/"
"""The prefix in `sealed_places`, before `lane/stream`, of the epoch from which a redirected stream draws."""


@record
class Logged:
    """One roll of the old line: its purpose, and the sides of its dice in order."""

    purpose: Mapping[Code, Any]
    """What the roll is for: who rolls, with what and against whom."""
    sides: tuple[DieSides, ...]
    """The number of sides of each die, in order."""


@record
class Origin:
    """The commit from which a line of play, or a fork, continues."""

    parent: EncounterId
    """The line whose record it continues."""
    n: Ordinal
    """The number of the last commit of that record that counts here."""
    hash: Hexadecimal
    """The hash of that commit."""
    upto: Ordinal
    """The number of the parent's last commit when this line was made."""
    kind: Code
    """`as_ruled`, `undo`, `redo` or `fork`."""
    amendment: AmendmentId = ""
    """The amendment that began this line: the parent's, or one of the line in `ruled_in`."""
    ruled_in: EncounterId = ""
    """The line in which a redo was ruled; its parent is the line that the undo had left."""
    levels: Ordinal = 0
    """The number of undos that can be redone where this line begins, or where its redo ended."""
    pending_sealed: StateData = EMPTY
    """Sealed values, by JSON pointer, whose own place is in an envelope that was not applied yet."""

    @property
    def proposed_in(self) -> str:
        """The line that contains the amendment."""
        return self.ruled_in or self.parent


@record
class RedirectedStream:
    """A stream that draws from another epoch for the rest of this one."""

    epoch: Epoch
    before: Ordinal
    """The number of the stream's rolls in that epoch that earlier rounds made."""


@record
class Line:
    """The rolls of the old line, by name, and the epochs from which this one draws."""

    old_rolls: Mapping[Code, tuple[Logged, ...]] = EMPTY
    """The rolls of the old line, by stream."""
    sealed_rolls: tuple[
        Mapping[Code, tuple[Logged, ...]] | Sealed[Mapping[Code, tuple[Logged, ...]]], ...
    ] = ()
    """Rolls that were still sealed when the line began."""
    old_epochs: tuple[Ordinal, ...] = ()
    """The epochs of the old line's rounds after this line begins."""
    new_epochs: tuple[Ordinal, ...] = ()
    """The epochs opened by the rulings that led here; the last is this line's own."""

    def keeps(self, name: RollName, purpose: Mapping[str, Any], sides: Sequence[int], *, grows: bool) -> bool:
        """Return whether a roll uses the dice of *name*: in an epoch of this line, or as in the old line.

        The old line must have a roll of the same name and purpose that begins with the same sides and has as
        many dice, or fewer. For a roll that *grows* (exploding dice) it may also have more.
        """
        if name.epoch >= self.new_epochs[-1]:
            return True
        thrown, wanted = tuple(sides), dict(purpose)
        return any(
            _begins(thrown, logged.sides, grows=grows) and dict(logged.purpose) == wanted
            for logged in self._logged(str(name))
        )

    def has_shown(self, name: RollName, sides: Sequence[int]) -> bool:
        """Return whether a roll of *name* shows only dice of this line, or dice that the old line threw."""
        thrown = tuple(sides)
        return name.epoch >= self.new_epochs[-1] or any(
            logged.sides[: len(thrown)] == thrown for logged in self._logged(str(name))
        )

    def _logged(self, name: str) -> Iterator[Logged]:
        yield from self.old_rolls.get(name, ())
        for part in self.sealed_rolls:
            if not is_closed(part):
                yield from unsealed(part).get(name, ())

    def after(self, epoch: int) -> int | None:
        """Return the epoch that followed *epoch* in the old line, None if the old line ended in it."""
        return next((later for later in self.old_epochs if later > epoch), None)

    def beyond(self, epoch: int) -> int:
        """Return the epoch from which a stream draws after a roll that differs in *epoch*."""
        return next(new for new in self.new_epochs if new > epoch)


def _begins(thrown: tuple[int, ...], logged: tuple[int, ...], *, grows: bool) -> bool:
    if grows and thrown == logged[: len(thrown)]:
        return True
    return logged == thrown[: len(logged)]
