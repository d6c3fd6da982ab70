"""Measure starts: the CPU until the service is ready, and the first answer after each process was killed."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any, Final
from urllib.request import Request, urlopen

from service.supervisor.supervisor import WELL_AFTER_S
from tests.bench import servers, usage
from tests.bench.table import QUICK, Row, section
from tests.bench.whole import WholeService, served

KILLS: Final = 1 if QUICK else 3
CPU_S: Final = 1.0
ANSWER_S: Final = 5.0
PAUSE_S: Final = WELL_AFTER_S + 1.0
"""Between a first answer and the next kill: what dies sooner again is started after a longer pause."""

_OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc", "might": 8},
        },
        {
            "position": [1, 0],
            "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 35, "might": 10},
        },
    ],
}


@section("Cold start")
def rows() -> list[Row | str]:
    """Measure `rewound serve` from its start on, then kill each kind of process and wait for an answer."""
    with served() as service:
        used = {
            (kind, at): usage.used([pid]).cpu
            for kind, pids in service.pids().items()
            for at, pid in enumerate(pids[:3])
        }
        key = service.new_key()
        _answer(service.port, key)
        waits = {what: [_wait(service, key, what) for _ in range(KILLS)] for what in KILLED}
    return [
        Row("CPU of the process from which API processes are forked", used["API", 0], "s", CPU_S, most=True),
        Row("CPU of an API process until it is ready", used["API", 2], "s", CPU_S, most=True),
        Row("CPU of the process from which workers are forked", used["worker", 0], "s", CPU_S, most=True),
        Row("CPU of a worker until it is ready", used["worker", 1], "s", CPU_S, most=True),
        *(
            Row(f"longest wait for an answer, {what} killed", max(each), "s", ANSWER_S, most=True)
            for what, each in waits.items()
        ),
    ]


KILLED: Final[dict[str, tuple[str, slice]]] = {
    "an API process": ("API", slice(-1, None)),
    "the API's forking process": ("API", slice(0, 1)),
    "all of the API": ("API", slice(None)),
    "a worker": ("worker", slice(1, 2)),
    "the workers' forking process": ("worker", slice(0, 1)),
    "all workers": ("worker", slice(None)),
    "the store": ("store", slice(None)),
}
"""What is killed: the kind of process, and which of them, parents first."""


def _wait(service: WholeService, key: str, what: str) -> float:
    """Kill some processes; return the seconds until an encounter was opened."""
    kind, which = KILLED[what]
    for pid in service.pids()[kind][which]:
        os.kill(pid, signal.SIGKILL)
    begun = time.monotonic()
    while time.monotonic() < begun + servers.PATIENCE_S:
        try:
            _answer(service.port, key)
        except OSError:
            time.sleep(0.02)
        else:
            waited = time.monotonic() - begun
            time.sleep(PAUSE_S)
            return waited
    raise TimeoutError(what)


def _answer(port: int, key: str) -> None:
    """Open an encounter and wait for its outcome; raises `OSError` without an answer that it is open."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Prefer": "wait=30"}
    request = Request(f"http://{servers.HOST}:{port}/v1/encounters", json.dumps(_OPENING).encode(), headers)
    with urlopen(request, timeout=35) as answer:  # noqa: S310 - http, to this machine
        if json.load(answer).get("outcome") != "accepted":
            raise OSError("the opening waits")
