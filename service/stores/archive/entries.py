"""Say which encounters are archived, and which are to be moved: what the store knows of an archive.

An archived encounter has left the store but for its secret, which the API may not read and no file holds.
In its place the store has an entry, which names the file. The step that writes the entry takes the record out
of the store, and the step that puts the record back deletes the entry: an encounter is in one of the two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final

from service.core import summaries
from service.core.decide import BEGUN
from service.log import Log

IDLE: Final = "idle"
"""The schedule of encounters that are archived if nothing happens to them until then."""
RESTORING: Final = "restoring"
"""The schedule of those that are to be brought back."""
MARKS: Final = (summaries.MARK, BEGUN)
"""The marks that an entry has: what is read of many encounters at once, or of each line of a fight."""
SUFFIX: Final = ".rwa"


@dataclass(frozen=True)
class Archived:
    """The entry of an archived encounter."""

    encounter: str
    name: str
    """The file's."""
    digest: str
    """SHA-256 of the file, in hexadecimal digits."""
    n: int
    """How many commits there are."""
    hash: str
    """The last one's."""
    stored: int
    """How many bytes the record had in the store."""
    size: int
    """The file's size."""
    at: int
    """When it was archived, in seconds since 1970."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Those of `MARKS` that the encounter has, so that no file is read for them."""

    @property
    def blob(self) -> bytes:
        """The bytes that the store has of it."""
        return json.dumps(asdict(self)).encode()


def find(log: Log, encounter: str) -> Archived | None:
    """Return the entry of *encounter*, None if it is not archived."""
    blob = log.archived(encounter)
    return None if blob is None else read(blob)


def read(blob: bytes) -> Archived:
    """Return the entry that `Archived.blob` spelled."""
    return Archived(**json.loads(blob))
