"""List an owner's encounters from their summaries, in few round trips for a page and without a fold.

Each is listed once, as its played line shows it. A page takes three round trips, and two more for each line
that the encounter with the most of them has. An archived encounter, a fork and one whose opening is not
decided take another round trip each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from service.core import summaries
from service.stores import removals
from service.stores.encounter_index import EncounterEntry
from service.usecases.services import Services

_UNDECIDED: Final[Mapping[str, Any]] = MappingProxyType(
    {"status": "open", "round": 0, "waiting": [], "winner": None, "closed_at": None, "continued": None}
)
"""The summary of an encounter whose opening is not decided yet."""


@dataclass(frozen=True)
class ListedEncounter:
    """An encounter of a list: the entry of its played line, and the summary of that line's newest commit."""

    entry: EncounterEntry
    summary: Mapping[str, Any]
    is_there: bool
    """False if it was removed, has expired or is missing in the store."""


def owned_by(
    services: Services, owner: str, before: int | None, limit: int
) -> list[tuple[int, ListedEncounter]]:
    """Return encounters of one owner, the newest first, each with its number in the owner's collection."""
    owned = services.encounters.owned_by(owner, before, limit)
    found = [_PlayedLine(number, entry) for number, entry in owned if entry.root is None]
    left = found
    while left:
        left = _on(services, left)
    now = services.clock()
    return [
        (
            each.number,
            ListedEncounter(each.entry, each.summary, each.exists and not each.entry.has_expired(now)),
        )
        for each in found
    ]


@dataclass
class _PlayedLine:
    """The played line of an encounter, as far as it is found."""

    number: int
    entry: EncounterEntry
    summary: Mapping[str, Any] = field(default_factory=lambda: _UNDECIDED)
    exists: bool = False


def _on(services: Services, found: Sequence[_PlayedLine]) -> list[_PlayedLine]:
    """Read the summaries of the lines in *found*; return those that go on, each in its next line."""
    names = [each.entry.encounter for each in found]
    blobs = services.log.marks_named(summaries.MARK, names)
    gone = removals.find_all(services.log, names)
    later = []
    for each, blob, removal in zip(found, blobs, gone, strict=True):
        is_here = blob is not None or services.log.head(each.entry.encounter) is not None
        each.exists = is_here and removal is None
        if not each.exists:
            continue
        each.summary = _UNDECIDED if blob is None else summaries.read_summary(blob)
        after = each.summary["continued"]
        entry = None if after is None or each.entry.imported else services.encounters.find(after)
        if entry is not None and services.removals.of(entry.encounter) is None:
            each.entry = entry
            later.append(each)
    return later


def closed_at(services: Services, encounter: str) -> str | None:
    """Return when a closed encounter was closed, in RFC 3339."""
    (blob,) = services.log.marks_named(summaries.MARK, [encounter])
    return None if blob is None else summaries.read_summary(blob)["closed_at"]
