"""List an owner's encounters from their summaries, in three round trips for a page and without a fold.

An archived encounter, a fork and one whose opening is not decided take another round trip each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    """An encounter of a list: its entry, and the summary of its newest commit."""

    entry: EncounterEntry
    summary: Mapping[str, Any]
    is_there: bool
    """False if it was removed, has expired, is missing in the store, or continues in another line of play."""


def owned_by(
    services: Services, owner: str, before: int | None, limit: int
) -> list[tuple[int, ListedEncounter]]:
    """Return encounters of one owner, the newest first, each with its number in the owner's collection."""
    found = services.encounters.owned_by(owner, before, limit)
    names = [entry.encounter for _, entry in found]
    blobs = services.log.marks_named(summaries.MARK, names)
    gone = removals.find_all(services.log, names)
    now = services.clock()
    listed = []
    for (number, entry), blob, removal in zip(found, blobs, gone, strict=True):
        exists = blob is not None or services.log.head(entry.encounter) is not None
        is_there = exists and removal is None and not entry.has_expired(now)
        summary = _UNDECIDED if blob is None else summaries.read_summary(blob)
        is_there = is_there and not _continues(services, entry, summary)
        listed.append((number, ListedEncounter(entry, summary, is_there)))
    return listed


def _continues(services: Services, entry: EncounterEntry, summary: Mapping[str, Any]) -> bool:
    """Return whether another line of play, which is still there, stands for the encounter."""
    after = summary["continued"]
    return after is not None and not entry.imported and services.removals.of(after) is None


def closed_at(services: Services, encounter: str) -> str | None:
    """Return when a closed encounter was closed, in RFC 3339."""
    (blob,) = services.log.marks_named(summaries.MARK, [encounter])
    return None if blob is None else summaries.read_summary(blob)["closed_at"]
