"""Know which occasions have come: an envelope is open for all from the commit that tells its occasion.

An event that opens envelopes names them in its field `occasion`; only public events count. Read once per
encounter and process, then onward from where the last look ended.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from service.encounter.record.commit import Commit, load_commit
from service.log import Log

PAGE: Final = 500
_FIELD: Final = b'"occasion":'


def occasions_of(commits: Iterable[Commit]) -> dict[str, int]:
    """Return the occasions that come in *commits*, each with the commit in which it came first."""
    found: dict[str, int] = {}
    for commit in commits:
        for event in commit.events:
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                found.setdefault(occasion, commit.n)
    return found


@dataclass
class _Seen:
    """How far an encounter was read, and in which commit each occasion came first."""

    upto: int = 0
    came: dict[str, int] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


class Occasions:
    """The occasions of the encounters last asked for."""

    def __init__(self, log: Log, capacity: int = 512) -> None:
        self._log = log
        self._capacity = capacity
        self._kept: OrderedDict[str, _Seen] = OrderedDict()
        self._lock = Lock()

    def upto(self, encounter: str, n: int) -> Mapping[str, int]:
        """Return each occasion that came in a commit up to *n* at least, with that commit's number."""
        seen = self._seen(encounter)
        with seen.lock:
            while seen.upto < n:
                entries = self._log.commits(encounter, seen.upto, min(PAGE, n - seen.upto))
                if not entries:
                    break
                for entry in entries:
                    if _FIELD in entry.raw:
                        self._note(seen, entry.raw, entry.n)
                seen.upto = entries[-1].n
            return dict(seen.came)

    def _seen(self, encounter: str) -> _Seen:
        with self._lock:
            seen = self._kept.setdefault(encounter, _Seen())
            self._kept.move_to_end(encounter)
            if len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
            return seen

    @staticmethod
    def _note(seen: _Seen, raw: bytes, n: int) -> None:
        for event in load_commit(raw).events:
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                seen.came.setdefault(occasion, n)
