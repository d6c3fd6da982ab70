"""Know which occasions have come: an envelope is open for all from the commit that tells its occasion.

An event that opens envelopes names them in its field `occasion`; only public events count. Read once per
encounter and process, then onward from where the last look ended. What waits for an occasion is known too, so
that a commit which brings one can be told with what it opens.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from service.encounter.record.commit import Commit, load_commit
from service.encounter.record.envelopes import Place
from service.log import Log
from service.rules.sealed import is_opened

PAGE: Final = 500
_FIELD: Final = b'"occasion":'
_SEALED: Final = b'"sealed":'


def occasions_of(commits: Iterable[Commit]) -> dict[str, int]:
    """Return the occasions that come in *commits*, each with the commit in which it came first."""
    found: dict[str, int] = {}
    for commit in commits:
        for event in commit.events:
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                found.setdefault(occasion, commit.n)
    return found


@dataclass(frozen=True, slots=True)
class Envelope:
    """What of an envelope everybody knows: where it lies, who may open it before all, and what opens it."""

    place: Place
    audience: tuple[str, ...]
    opens: str


@dataclass
class _Seen:
    """How far an encounter was read, in which commit each occasion came first, and what lies sealed in it."""

    upto: int = 0
    came: dict[str, int] = field(default_factory=dict)
    envelopes: list[Envelope] = field(default_factory=list)
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
        return dict(self._read(encounter, n).came)

    def opened_by(self, encounter: str, commit: Commit) -> list[Envelope]:
        """Return the envelopes of earlier commits that are open for all from *commit* on, in order."""
        if _FIELD not in commit.raw:
            return []
        seen = self._read(encounter, commit.n)
        new = {occasion for occasion, n in seen.came.items() if n == commit.n}
        before = {occasion for occasion, n in seen.came.items() if n < commit.n}
        return [
            each
            for each in tuple(seen.envelopes)
            if each.place[0] < commit.n and is_opened(each.opens, new) and not is_opened(each.opens, before)
        ]

    def _read(self, encounter: str, n: int) -> _Seen:
        """Return what is known of the encounter up to commit *n* at least."""
        seen = self._seen(encounter)
        with seen.lock:
            while seen.upto < n:
                entries = self._log.commits(encounter, seen.upto, min(PAGE, n - seen.upto))
                if not entries:
                    break
                for entry in entries:
                    if _FIELD in entry.raw or _SEALED in entry.raw:
                        self._note(seen, entry.raw, entry.n)
                seen.upto = entries[-1].n
            return seen

    def _seen(self, encounter: str) -> _Seen:
        with self._lock:
            seen = self._kept.setdefault(encounter, _Seen())
            self._kept.move_to_end(encounter)
            if len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
            return seen

    @staticmethod
    def _note(seen: _Seen, raw: bytes, n: int) -> None:
        for index, event in enumerate(load_commit(raw).events):
            if "sealed" in event:
                seen.envelopes.append(Envelope((n, index), tuple(event["audience"]), event["opens"]))
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                seen.came.setdefault(occasion, n)
