"""Write down which encounters' stored history contradicts what was signed, until somebody accepts it.

A dispute is one record of the shelf `disputes`. While it stands the encounter is not folded: its commands
wait. Accepting it says that the store's history is the one to go on from; what was signed beyond it stays
signed, so whoever holds it can show what was lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from service.log import Log
from service.rules.messages import Refused

COLLECTION: Final = "disputes"
ROLLED_BACK: Final = "rolled_back"
FORKED: Final = "forked"
ALTERED: Final = "altered"
MISSING: Final = "missing"
SIGNED: Final = (ROLLED_BACK, FORKED, MISSING)
"""Disputes whose root was signed; that of bytes that were altered was not."""


@dataclass(frozen=True)
class Dispute:
    """What was signed, and what the store has instead."""

    encounter: str
    why: str
    """`rolled_back`: fewer commits than were signed; `forked`: others; `altered`: not the head's;
    `missing`: none."""
    size: int
    """How many commits were signed."""
    root: str
    """The signed root, as hexadecimal digits."""
    folded: int
    """How many commits the store had when this was found."""
    accepted: bool = False
    epoch: int = 1
    """The epoch that was open when it was signed."""
    resumes: int = 0
    """The command that accepted it; those before it, which came meanwhile, are set aside. 0: none yet."""
    owner: str = ""
    """Whose it is, where not even that is in the store any more."""

    @property
    def told(self) -> dict[str, Any]:
        """What everybody who may read the encounter is told."""
        lost = {"size": self.size, "root": self.root}
        return {"why": self.why, "text": self.text, "lost": lost, "epoch": self.epoch, "folded": self.folded}

    @property
    def text(self) -> str:
        """Say it in one line."""
        if self.why == MISSING:
            return f"{self.size} commits were signed, and nothing of the encounter is here"
        if self.why == ROLLED_BACK:
            return f"{self.size} commits were signed, {self.folded} are here"
        if self.why == FORKED:
            return f"the first {self.size} commits are not those that were signed"
        return f"the stored bytes of {self.folded} commits are not those that the head names"


class Disputes:
    """The disputes of a store."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def open(self, dispute: Dispute) -> Dispute:
        """Write *dispute* down, unless it is; the one that stands."""
        standing = self.find(dispute.encounter)
        if standing is not None and not standing.accepted and standing.why == dispute.why:
            return standing
        self._put(dispute)
        return dispute

    def find(self, encounter: str) -> Dispute | None:
        """Return the last dispute about *encounter*, accepted or not; None if there was none."""
        blob = self._log.record(COLLECTION, encounter)
        return None if blob is None else Dispute(**json.loads(blob))

    def accepts(self, encounter: str, size: int, root: str) -> bool:
        """Tell whether somebody accepted that what was signed at *size* is not what stands."""
        found = self.find(encounter)
        return found is not None and found.accepted and (found.size, found.root) == (size, root)

    def standing(self, encounter: str) -> Dispute | None:
        """Return the dispute about *encounter* that nobody has accepted; None if there is none."""
        found = self.find(encounter)
        return None if found is None or found.accepted else found

    def missing(self, encounter: str) -> Dispute | None:
        """Return the dispute about one that was signed and is not in the store, None if none is."""
        return self.missing_of((encounter,))[0]

    def missing_of(self, encounters: Sequence[str]) -> list[Dispute | None]:
        """Return the same for each of *encounters*; all records are read in one round trip."""
        blobs = self._log.records_named([(COLLECTION, each) for each in encounters])
        found = [None if blob is None else Dispute(**json.loads(blob)) for blob in blobs]
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
        """Drop the dispute that stands about *encounter*: its stored history is the signed one again."""
        if self.standing(encounter) is not None:
            self._log.drop_record(COLLECTION, encounter)

    def check_named(self, encounter: str, data: Mapping[str, Any]) -> None:
        """Raise `Refused` unless what a command accepts is what the standing dispute says."""
        if self._named(encounter, data) is None:
            raise Refused("no_dispute", "this is not what the encounter's dispute says", "TABLE-EPOCH-3")

    def accept(self, encounter: str, data: Mapping[str, Any], resumes: int) -> Dispute | None:
        """Accept the history of *encounter* as it is stored; the dispute that ends so, None if none does.

        Only the dispute that *data* names ends: a command that is repeated after its own dispute ended
        accepts nothing. Dice may have been seen on the history that is gone: *resumes* is the command that
        moves the epoch.
        """
        found = self._named(encounter, data)
        if found is None:
            return None
        self._put(replace(found, accepted=True, resumes=resumes))
        return found

    def _named(self, encounter: str, data: Mapping[str, Any]) -> Dispute | None:
        """Return the standing dispute if it is the one that *data* names."""
        found = self.standing(encounter)
        named = (data["lost"]["size"], data["lost"]["root"], data["epoch"])
        return found if found is not None and (found.size, found.root, found.epoch) == named else None

    def resumes(self, encounter: str) -> int:
        """Return the number of the command that accepted the last dispute; 0 if none did."""
        found = self.find(encounter)
        return found.resumes if found is not None and found.accepted else 0

    def _put(self, dispute: Dispute) -> None:
        self._log.put_record(COLLECTION, dispute.encounter, json.dumps(asdict(dispute)).encode())
