"""Measure what a command costs at a long encounter, and beside many others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from types import MappingProxyType
from typing import Final

from service.dice.chain import MAX_EPOCHS
from tests.bench import fights, load, over_http, servers, usage
from tests.bench.over_http import ARRAY, Turn
from tests.bench.servers import Serving
from tests.bench.table import QUICK, TURNS, Row, median, section

SECONDS: Final = 3.0 if QUICK else 8.0
LONG: Final = 10_000 if QUICK else 100_000
SHORT: Final = 100
MANY: Final = 500 if QUICK else 10_000
FEW: Final = 10

_UNLIMITED: Final = MappingProxyType({"REWOUND_OWNER_ENCOUNTERS": "0", "REWOUND_OWNER_COMMANDS": "0"})


@section("Growth")
def rows() -> list[Row | str]:
    """Compare the CPU of a command at a long and at a short encounter, and beside many and few."""
    with servers.store() as running, servers.service(running, settings=_UNLIMITED) as at:
        few = [_lines(at, FEW) for _ in range(TURNS + 1)]
        long, short = _grown(at, LONG), _grown(at, SHORT)
        by_length = [(_alone(at, long), _alone(at, short)) for _ in range(TURNS)]
        alone = [_together(at, lines) for lines in few]
        before = _memory(at)
        spent = _spent(at)
        over_http.encounters(at.port, at.key, MANY)
        opening = (_spent(at) - spent) / MANY
        after = _memory(at)
        beside = [_together(at, _lines(at, FEW)) for _ in range(TURNS)]
    return [
        Row(
            f"CPU of a command at {LONG:,} commits ÷ at {SHORT}",
            median(a.cpu() / b.cpu() for a, b in by_length),
            "",
            1.1,
            most=True,
        ),
        Row(
            f"CPU of a command with {MANY:,} open encounters ÷ {FEW}",
            median(each.cpu() for each in beside) / median(each.cpu() for each in alone[1:]),
            "",
            1.1,
            most=True,
        ),
        Row("opening and beginning an encounter, all processes", opening * 1000, "ms of CPU", 10, most=True),
        *(
            Row(
                f"memory of an open encounter, {kind}",
                (after[kind] - before[kind]) / MANY,
                "kB",
                20,
                most=True,
            )
            for kind in ("API", "worker")
        ),
        *(
            Row(
                f"memory of one process with {MANY:,} open, {kind}",
                after[kind] / each / 1024,
                "MiB",
                250,
                most=True,
            )
            for kind, each in (("API", servers.API_PROCESSES), ("worker", 1))
        ),
    ]


def _memory(at: Serving) -> dict[str, int]:
    """Return the kilobytes of each kind of process; of the API all processes together."""
    return {
        kind: usage.private_kb(one for pid in pids for one in usage.with_children(pid))
        for kind, pids in at.pids.items()
    }


def _spent(at: Serving) -> float:
    """Return the seconds of CPU that all processes have used."""
    pids = [one for each in at.pids.values() for pid in each for one in usage.with_children(pid)]
    return usage.used(pids).cpu


def _lines(at: Serving, count: int) -> list[Iterator[bytes]]:
    return [over_http.line(at.key, path) for path in over_http.encounters(at.port, at.key, count)]


def _together(at: Serving, lines: list[Iterator[bytes]]) -> Turn:
    return over_http.turn(at, lambda: load.closed_loop((servers.HOST, at.port), lines, SECONDS))


def _grown(at: Serving, commands: int) -> Iterator[bytes]:
    """Return the requests that play an encounter on which so many commands stand already."""
    path = over_http.encounters(at.port, at.key, 1, epochs=MAX_EPOCHS)[0]
    script = fights.simple()
    for _ in range(0, commands, ARRAY):
        found = over_http.post(at.port, at.key, path, list(islice(script, ARRAY)))
        assert {each["outcome"] for each in found["outcomes"]} == {"accepted"}
    return (load.post(path, json.dumps(command).encode(), at.key) for command in script)


def _alone(at: Serving, requests: Iterator[bytes]) -> Turn:
    return _together(at, [requests])
