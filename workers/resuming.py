"""Give a line of play its record: the commits that it continues, then the commands that it repeats.

A line begins as one request, `begin_line`, which names the commit that it continues. Before it is decided,
the worker puts the commands and commits up to that one in front of it, byte for byte, and the commands that
a ruling repeats behind it. From then on the line is read, folded, signed and archived like any other
encounter.

Laws. It happens in one step, or not at all, and only while nothing of the line is committed. Everything
written is derived from the old line's record, so any worker writes the same.
"""

from __future__ import annotations

from typing import Any, Final

from service.core.continuation import ContinuationReader, proposal
from service.core.continuation_plan import opening
from service.core.decide import BEGUN
from service.core.lineage import entries
from service.log import Log, StoredEncounter
from service.log.keys import OCCASIONS
from service.record.canonical import NotCanonical
from service.record.commit import Request, dump_request, load_request
from service.rules.contests.continuing import BeginLine
from service.rules.table.lines import FORK

_OF_THE_PATH: Final = ("round/", "epoch/")
"""The marks that a line has of the commits that it continues, by the beginning of their names."""


def resume(reading: ContinuationReader, line: str, first: bytes, appended: int) -> bool:
    """Put the record that *line* continues before its first request; return whether it was done.

    False if *first* begins no line, if the line is begun, or if what it continues is not there.
    """
    request = _begins_line(first)
    if request is None or request.encounter != line:
        return False
    origin, log = request.data["origin"], reading.log
    parent, n = origin["parent"], origin["n"]
    folded = reading.folder.at(parent, n)
    if (folded.n, folded.hash) != (n, origin["hash"]):
        return False
    own = log.copy(line)
    more = [each.raw for each in log.commands(line, 0, appended)]
    upto = StoredEncounter(
        encounter=line,
        hash=folded.hash,
        frontier=folded.frontier.to_bytes(),
        commands=[*_raws(log.commands, parent, n), *more, *_planned(reading, request, first)],
        commits=_raws(log.commits, parent, n),
        sealed=log.sealed(parent, 0, n),
        keys={} if own is None else {name: _moved(value, n) for name, value in own.keys.items()},
        marks=_marks(log, parent, n) | {BEGUN: b"%d" % (n + 1)},
        derived=_derived(log, parent, n),
    )
    return log.restore(upto, over=appended)


def _raws(read: Any, parent: str, n: int) -> list[bytes]:  # noqa: ANN401 - either stream's reader
    return [each.raw for each in entries(read, parent, 0, n)]


def _begins_line(raw: bytes) -> Request | None:
    try:
        request = load_request(raw)
    except NotCanonical:
        return None
    return request if request.type == BeginLine.type and request.data["origin"]["kind"] != FORK else None


def _planned(reading: ContinuationReader, request: Request, first: bytes) -> list[bytes]:
    """Return the commands that the line repeats; none if another release wrote its beginning."""
    origin = request.data["origin"]
    found = proposal(reading.log, origin["ruled_in"] or origin["parent"], origin["amendment"])
    if found is None:
        return []
    begun, commands = opening(reading, found, request.at)
    return [dump_request(each.request) for each in commands] if dump_request(begun) == first else []


def _moved(value: str, by: int) -> str:
    n, _, fingerprint = value.partition(" ")
    return f"{int(n) + by} {fingerprint}"


def _marks(log: Log, parent: str, n: int) -> dict[str, bytes]:
    marks = log.marks(parent).items()
    return {name: value for name, value in marks if name.startswith(_OF_THE_PATH) and int(value) <= n}


def _derived(log: Log, parent: str, n: int) -> dict[str, bytes]:
    """Return the snapshots and occasions of the commits up to *n*."""
    names = [name for name in log.snapshots(parent) if name.n <= n]
    stored = {f"{name.n}/{name.rules}": log.snapshot(parent, name) for name in names}
    found = {name: state.packed for name, state in stored.items() if state is not None}
    return found | {f"{OCCASIONS}/{each.n:08}": each.raw for each in log.occasions(parent) if each.n <= n}
