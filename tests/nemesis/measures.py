"""Measure a run from its history: how long until the next answer and until the backlog is empty."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tests.nemesis.checker import Request, requests_of
from tests.nemesis.history import Entry

ANSWER_AIM_S: Final = 5.0
BACKLOG_AIM_S: Final = 10.0
"""What G7 promises after one crash, on a machine that has nothing else to do."""

SILENCE_S: Final = 1.0
"""So long nobody is answered only where something is down."""


@dataclass(frozen=True)
class Recovery:
    """How the service came back from one fault."""

    act: int
    what: str
    kills: int
    in_flight: int
    answer_s: float | None
    """Seconds until commands were acknowledged again that were sent after it; None if another came first."""
    backlog_s: float | None
    """Seconds until everything acknowledged before it was seen decided; None likewise."""
    waited_s: float
    """Seconds until the next fault."""


def recoveries(history: Sequence[Entry]) -> list[Recovery]:
    """Return what each fault was followed by."""
    sent: dict[int, float] = {entry["op"]: entry["t"] for entry in history if entry["do"] == "invoke"}
    answers = [(entry["t"], sent[entry["op"]]) for entry in history if entry["do"] == "ok"]
    acts = [entry for entry in history if entry["do"] == "act"]
    over: dict[int, float] = {entry["act"]: entry["t"] for entry in history if entry["do"] == "over"}
    ends: float = history[-1]["t"] if history else 0.0
    backlog = _Backlog(history)
    found = []
    for i, act in enumerate(acts):
        since: float = over.get(act["act"], ends)
        until: float = acts[i + 1]["t"] if i + 1 < len(acts) else ends
        answered = _answered(answers, since, until)
        empty = backlog.empty(since)
        found.append(
            Recovery(
                act["act"],
                act["what"],
                act["kills"],
                act["in_flight"],
                None if answered is None else answered - since,
                None if empty is None or empty > until else empty - since,
                until - since,
            )
        )
    return found


def _answered(answers: Sequence[tuple[float, float]], since: float, until: float) -> float | None:
    """Return when answers come again: after the longest silence, or the first one where there is none.

    A process that does not know yet that it is to die may answer for a moment; that is no recovery.
    """
    times = [t for t, began in answers if began >= since and t <= until]
    if not times:
        return None
    silence, end = max((t - before, t) for before, t in pairwise([since, *times]))
    return end if silence >= SILENCE_S else times[0]


WAIT_AIM_S: Final = 2.0
"""How long a command waits at most while nothing goes wrong, however much another owner sends."""


@dataclass(frozen=True)
class Waits:
    """How long commands waited, from the first attempt until they were seen decided."""

    in_peace: list[float]
    """While nothing went wrong, nor had for `BACKLOG_AIM_S`."""
    after_kills: list[float]

    @property
    def late(self) -> int:
        """How many waited longer than the law says."""
        return sum(each > WAIT_AIM_S for each in self.in_peace) + sum(
            each > BACKLOG_AIM_S for each in self.after_kills
        )


def waits(history: Sequence[Entry]) -> Waits:
    """Return how long each acknowledged command waited, but for those beside faults that are no kills."""
    began: dict[tuple[str, int], float] = {}
    sent: dict[int, float] = {}
    seen: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for entry in history:
        if entry["do"] == "invoke":
            sent[entry["op"]] = entry["t"]
        elif entry["do"] == "ok":
            began.setdefault((entry["encounter"], entry["n"]), sent[entry["op"]])
        for encounter, n in _decided(entry):
            if not seen[encounter] or seen[encounter][-1][0] < n:
                seen[encounter].append((n, entry["t"]))
    acts = [entry for entry in history if entry["do"] == "act"]
    over = {entry["act"]: entry["t"] for entry in history if entry["do"] == "over"}
    found = Waits([], [])
    for (encounter, n), since in began.items():
        at = bisect_left(seen[encounter], n, key=lambda each: each[0])
        if at == len(seen[encounter]):
            continue  # nobody looked again
        until = max(since, seen[encounter][at][1])
        beside = [
            act for act in acts if act["t"] <= until and over.get(act["act"], until) >= since - BACKLOG_AIM_S
        ]
        if not beside:
            found.in_peace.append(until - since)
        elif all(act["kills"] for act in beside):
            found.after_kills.append(until - max(since, *(over.get(act["act"], since) for act in beside)))
    return found


class _Backlog:
    """What was acknowledged and what was seen decided, over time: per encounter, rising numbers and when."""

    def __init__(self, history: Iterable[Entry]) -> None:
        self._owed: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self._seen: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for entry in history:
            if entry["do"] == "ok":
                greatest = max([entry["n"], *(each["n"] for each in entry["outcomes"])])
                owed = self._owed[entry["encounter"]]
                if not owed or owed[-1][1] < greatest:
                    owed.append((entry["t"], greatest))
            for encounter, n in _decided(entry):
                seen = self._seen[encounter]
                if not seen or seen[-1][0] < n:
                    seen.append((n, entry["t"]))

    def empty(self, since: float) -> float | None:
        """Return when all that was acknowledged before *since* was seen decided, at the earliest *since*."""
        last = since
        for encounter, owed in self._owed.items():
            before = bisect_right(owed, since, key=lambda each: each[0])
            if not before:
                continue
            seen = self._seen[encounter]
            at = bisect_left(seen, owed[before - 1][1], key=lambda each: each[0])
            if at == len(seen):
                return None
            last = max(last, seen[at][1])
        return last


def _decided(entry: Entry) -> Iterable[tuple[str, int]]:
    """Yield what an entry shows to be decided."""
    if entry["do"] == "ok":
        for outcome in entry["outcomes"]:
            if outcome.get("outcome") != "pending":
                yield entry["encounter"], outcome["n"]
    elif entry["do"] == "told":
        yield entry["encounter"], entry["n"]
    elif entry["do"] == "read":
        yield entry["encounter"], entry["version"]


@dataclass(frozen=True)
class Counts:
    """What clients did."""

    invoked: int
    ok: int
    fail: int
    unknown: int
    settled_on: int
    """Requests with an unknown attempt that turned out to be on the record."""
    settled_off: int
    """Those that turned out not to be."""
    unsettled: int


def counts(history: Sequence[Entry]) -> Counts:
    """Count attempts by their end, and how unknowns were settled."""
    ends = {
        name: sum(entry["do"] == name for entry in history) for name in ("invoke", "ok", "fail", "unknown")
    }
    open_ = [request for request in requests_of(history).values() if request.unknowns]
    on = sum(bool(request.oks) for request in open_)
    off = sum(not request.oks and _was_refused(request) for request in open_)
    return Counts(ends["invoke"], ends["ok"], ends["fail"], ends["unknown"], on, off, len(open_) - on - off)


def _was_refused(request: Request) -> bool:
    return any(400 <= fail["status"] < 500 for fail in request.fails)
