"""Record which encounters' stored history may not be what was played, until the dispute is accepted.

Either it contradicts what was signed, or the store was restored from a backup, and nothing that was signed
says what was played after it.

A dispute is one record of the collection `disputes`. While it is open the encounter is not folded: its
commands wait. Accepting it makes the store's history the valid one. What was signed beyond it remains signed,
so a holder of a receipt or note can prove what was lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

from service.log import Log
from service.rules.kernel.messages import Refused
from service.stores import removals

COLLECTION: Final = "disputes"
ROLLED_BACK: Final = "rolled_back"
FORKED: Final = "forked"
ALTERED: Final = "altered"
MISSING: Final = "missing"
RESTORED: Final = "restored"
SIGNED: Final = (ROLLED_BACK, FORKED, MISSING)
"""Disputes whose root was signed; the root of `altered` was not."""


@dataclass(frozen=True)
class LostLine:
    """A line of play of the same fight that was signed and is not in the store."""

    encounter: str
    size: int
    """The number of its commits that were signed."""
    root: str
    """Their root, as hexadecimal digits."""


@dataclass(frozen=True)
class Dispute:
    """What was signed, and what the store has instead."""

    encounter: str
    why: str
    """What the store has instead.

    `rolled_back`: fewer commits than were signed; `forked`: other commits; `altered`: not those of the head;
    `missing`: none; `restored`: those of a backup, and later ones may be lost.
    """
    size: int
    """The number of commits that were signed; if it was restored, that of the backup."""
    root: str
    """Their root, as hexadecimal digits."""
    folded: int
    """The number of commits in the store when the dispute was opened."""
    accepted: bool = False
    epoch: int = 1
    """The last epoch whose dice may have been seen."""
    resumes: int = 0
    """The command that accepted the dispute; commands that arrived before it are set aside. 0: none yet."""
    owner: str = ""
    """The encounter's owner, needed if the store has lost the entry too."""
    lines: tuple[LostLine, ...] = ()
    """Later lines of the same fight that are lost with it; who accepts its history accepts that too."""

    def accepts(self, size: int, root: str) -> bool:
        """Return whether it was about the signed *size* and *root*, and was accepted."""
        return self.accepted and self.why != RESTORED and (self.size, self.root) == (size, root)

    @property
    def public_data(self) -> dict[str, Any]:
        """The dispute as shown to everybody who may read the encounter."""
        lost = {"size": self.size, "root": self.root}
        return {"why": self.why, "text": self.text, "lost": lost, "epoch": self.epoch, "folded": self.folded}

    @property
    def text(self) -> str:
        """The dispute in one line."""
        if self.why == MISSING:
            return f"{self.size} commits were signed, and the store has none of them"
        if self.why == ROLLED_BACK:
            return f"{self.size} commits were signed, and the store has {self.folded} of them"
        if self.why == RESTORED:
            return f"{self.size} commits were restored from a backup; what was played after them is lost"
        if self.why == FORKED:
            return f"the first {self.size} commits are not those that were signed"
        return f"the stored bytes of {self.folded} commits are not those that the head names"


class SignedLine(Protocol):
    """The last signed checkpoint of a line of play."""

    @property
    def encounter(self) -> str:
        """The line."""
        ...

    @property
    def size(self) -> int:
        """The number of commits that were signed."""
        ...

    @property
    def root(self) -> bytes:
        """Their root."""
        ...


def lost_lines(log: Log, signed: Iterable[SignedLine]) -> tuple[LostLine, ...]:
    """Return those of the *signed* lines of one fight that are neither in *log* nor removed."""
    return tuple(
        LostLine(each.encounter, each.size, each.root.hex())
        for each in signed
        if log.head(each.encounter) is None and removals.find(log, each.encounter) is None
    )


class Disputes:
    """The disputes of a store."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def open(self, dispute: Dispute) -> Dispute:
        """Record *dispute* unless an open one has the same reason; return the open one.

        One that was accepted while *dispute* was made stays accepted.
        """
        standing = self.find(dispute.encounter)
        if standing is not None and standing.why == dispute.why:
            is_same = (standing.size, standing.root) == (dispute.size, dispute.root)
            if not standing.accepted or (is_same and standing.why in SIGNED):
                return standing
        self._put(dispute)
        return dispute

    def find(self, encounter: str) -> Dispute | None:
        """Return the last dispute about *encounter*, accepted or not; None if there was none."""
        blob = self._log.record(COLLECTION, encounter)
        return None if blob is None else _read(blob)

    def accepts(self, encounter: str, size: int, root: str) -> bool:
        """Return whether the dispute about the signed *size* and *root* was accepted."""
        found = self.find(encounter)
        return found is not None and found.accepts(size, root)

    def standing(self, encounter: str) -> Dispute | None:
        """Return the open dispute about *encounter*; None if there is none."""
        found = self.find(encounter)
        return None if found is None or found.accepted else found

    def missing(self, encounter: str) -> Dispute | None:
        """Return the dispute about one that was signed and is not in the store, None if none is."""
        return self.missing_of((encounter,))[0]

    def missing_of(self, encounters: Sequence[str]) -> list[Dispute | None]:
        """Return the same for each of *encounters*; all records are read in one round trip."""
        blobs = self._log.records_named([(COLLECTION, each) for each in encounters])
        found = [None if blob is None else _read(blob) for blob in blobs]
        return [
            each
            if each is not None
            and not each.accepted
            and each.why == MISSING
            and self._log.head(each.encounter) is None
            else None
            for each in found
        ]

    def withdraw(self, encounter: str) -> None:
        """Drop the open dispute about *encounter*, because its stored history is the signed one again.

        What was lost after a backup stays lost.
        """
        standing = self.standing(encounter)
        if standing is not None and standing.why != RESTORED:
            self._log.drop_record(COLLECTION, encounter)

    def check_named(self, encounter: str, data: Mapping[str, Any]) -> None:
        """Raise `Refused` unless *data* names the open dispute."""
        if self._named(encounter, data) is None:
            raise Refused(
                "no_dispute", "the command does not name the encounter's open dispute", "TABLE-EPOCH-3"
            )

    def accept(self, encounter: str, data: Mapping[str, Any], resumes: int) -> Dispute | None:
        """Accept the stored history of *encounter*; return the dispute that this closes, or None.

        Only the dispute that *data* names is accepted: a command that is repeated after its dispute was
        closed accepts nothing. Dice may have been seen on the lost history, so *resumes*, the accepting
        command, moves the epoch. The lines that are lost with it are accepted first: the fight gives their
        ids again, and a line with such an id would be in dispute before anybody can accept anything in it.
        """
        found = self._named(encounter, data)
        if found is None:
            return None
        for line in found.lines:
            lost = Dispute(line.encounter, MISSING, line.size, line.root, 0, accepted=True)
            self._put(replace(lost, epoch=found.epoch, owner=found.owner))
        self._put(replace(found, accepted=True, resumes=resumes))
        return found

    def _named(self, encounter: str, data: Mapping[str, Any]) -> Dispute | None:
        """Return the open dispute if *data* names it, else None."""
        found = self.standing(encounter)
        named = (data["lost"]["size"], data["lost"]["root"], data["epoch"])
        return found if found is not None and (found.size, found.root, found.epoch) == named else None

    def _put(self, dispute: Dispute) -> None:
        self._log.put_record(COLLECTION, dispute.encounter, json.dumps(asdict(dispute)).encode())


def _read(blob: bytes) -> Dispute:
    fields = json.loads(blob)
    lines = tuple(LostLine(**each) for each in fields.pop("lines", ()))
    return Dispute(**fields, lines=lines)
