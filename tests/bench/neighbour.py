"""Measure what one owner can do to another: the worst that is legal, beside twenty commands a second.

The greedy owner has three processes: each sends one thing over and over, as fast as the answers come. The
other owner plays calmly. All share the machine's cores, so the generators' own CPU is part of it: a process
that only computes, and asks the service for nothing, says how much of the delay that alone makes.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, repeat
from multiprocessing.synchronize import Event
from pathlib import Path
from time import perf_counter, sleep, time
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from redis import Redis

from service.log.valkey import ValkeyLog
from service.stores import api_keys
from service.supervisor import EmbeddedValkey
from tests.bench import fights, load, servers, usage
from tests.bench.over_http import encounters, line
from tests.bench.table import QUICK, Row, section
from tests.rules.rise import forty

RATE: Final = 20.0
LINES: Final = 4
SECONDS: Final = 10.0 if QUICK else 60.0
SETTLED_S: Final = 3.0
ARRAY: Final = 50
PER_SIDE: Final = 100
"""Half of the most creatures of an encounter."""
SPEED: Final = 120
"""The most that a sheet may have."""
WALLS: Final = 1_900
"""Edges of a line of walls, which is too long to walk around."""
RATIO: Final = 2.0
LONGEST_S: Final = 1.0
MEMORY_MIB: Final = 400.0


class Greedy:
    """An owner who sends what costs most."""

    def __init__(self, port: int, key: str) -> None:
        self.at = f"http://{servers.HOST}:{port}"
        self.key = key
        self.answered = 0

    def ask(self, method: str, path: str, data: object = None) -> Any:
        """Send a request and return its answer, None for a problem."""
        body = None if data is None else json.dumps(data).encode()
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Prefer": "wait=5",
        }
        request = Request(self.at + path, body, headers, method=method)  # noqa: S310 - as below
        with suppress(HTTPError), urlopen(request) as answer:  # noqa: S310 - http, to an address of our own
            return json.load(answer)
        return None

    def opened(self, data: Mapping[str, Any]) -> str:
        """Open an encounter; return its path."""
        found = self.ask("POST", "/v1/encounters", data)
        assert found is not None, "the opening of a greedy owner is legal"
        return f"/v1/encounters/{found['encounter']}"

    def searches(self) -> Iterator[Callable[[], object]]:
        """Yield arrays of dashes to a cell behind a wall that no dash leads around."""
        opening = fights.opening()
        opening["creatures"][0]["sheet"]["speed"] = SPEED
        half = WALLS // 2
        opening["walls"] = {f"{x},10|{x},11": "wall" for x in range(-half, half)}
        at = self.opened({"edition": "heartrush@1", **opening})
        for command in fights.BEGIN:
            self.ask("POST", f"{at}/commands", command)
        dash = {"type": "dash", "creature": "players-0", "to": [40, 12]}
        array = [dash] * ARRAY
        yield from repeat(lambda: self.ask("POST", f"{at}/commands?continue_on_refusal=true", array))

    def crowd(self) -> str:
        """Open and begin a fight of two hundred in Rise; return its path."""
        forty.EACH = PER_SIDE  # type: ignore[misc]  # the script's own number, in this process alone
        at = self.opened({"edition": "rise@1", **forty.forty(forty.SIDES[:2]), "seats": []})
        self.ask("POST", f"{at}/commands", {"type": "start_combat"})
        return at

    def options(self) -> Iterator[Callable[[], object]]:
        """Yield reads of all options of two hundred, of their map, and of the short list."""
        at = self.crowd()
        paths = cycle((f"{at}/options", f"{at}/options?view=short", f"{at}/state"))
        while True:
            path = next(paths)
            yield lambda path=path: self.ask("GET", path)  # type: ignore[misc]  # it is called before the next

    def past(self) -> Iterator[Callable[[], object]]:
        """Yield movements of two hundred, with the replay of the round and audits."""
        at = self.crowd()
        commands = [
            {"type": "pass_movement", "creature": f"{side}-{i}"}
            for side in forty.SIDES[:2]
            for i in range(PER_SIDE)
        ]
        arrays = [commands[i : i + ARRAY] for i in range(0, len(commands), ARRAY)]
        while True:
            for array in arrays:
                yield lambda array=array: self.ask("POST", f"{at}/commands?continue_on_refusal=true", array)  # type: ignore[misc]  # it is called before the next
                yield lambda: self.ask("GET", f"{at}/rounds/1/replay")
                yield lambda: self.ask("POST", f"{at}/audits", {})


def _computing(ready: Event, over: Event) -> None:
    os.setsid()  # as below
    ready.set()
    while not over.is_set():
        sum(range(10_000))


def _greedy(kind: str, port: int, key: str, ready: Event, over: Event) -> None:
    os.setsid()  # so that what it computes is not counted against the session of the calm generator
    owner = Greedy(port, key)
    work = getattr(owner, kind)()
    first = next(work)
    ready.set()
    first()
    for send in work:
        if over.is_set():
            return
        send()


@section("Noisy neighbour")
def rows() -> list[Row | str]:
    """Measure calm commands alone and beside the greedy owner, and the memory of every process."""
    with (
        servers.store() as running,
        servers.service(running) as serving,
    ):
        port, key, pids = serving
        log = ValkeyLog.connect(running.url)
        other, _ = api_keys.create(log, "greedy", time())
        log.close()
        _calm(port, key, SETTLED_S)
        alone = _calm(port, key, SECONDS)
        write_alone = _writes(running, SECONDS)
        with _beside([(_computing, ())]):
            computing = _calm(port, key, SECONDS)
        with _beside([(_greedy, (kind, port, other)) for kind in ("searches", "options", "past")]):
            beside = _calm(port, key, SECONDS)
            write_beside = _writes(running, SECONDS)
        peaks = {kind: max(map(_peak, usage.with_children(pid))) for kind, (pid, *_) in pids.items()}
    assert set(alone.statuses) == {200}, alone.statuses
    slow = max(beside.took)
    late = sum(count for status, count in beside.statuses.items() if status != 200)
    return [
        Row(f"p99 of an owner at {RATE:.0f}/s, alone", alone.percentile(0.99) * 1000, "ms"),
        Row(
            "p99 ÷ p99 alone, beside a process that only computes",
            computing.percentile(0.99) / alone.percentile(0.99),
            "",
        ),
        Row("p50 beside the greedy owner", beside.percentile(0.5) * 1000, "ms"),
        Row("p99 beside the greedy owner", beside.percentile(0.99) * 1000, "ms"),
        Row("p99 of one write to the same store, alone", write_alone.percentile(0.99) * 1000, "ms"),
        Row("p99 of one write to the same store, beside", write_beside.percentile(0.99) * 1000, "ms"),
        Row("p99 ÷ p99 alone", beside.percentile(0.99) / alone.percentile(0.99), "", RATIO, most=True),
        Row("its longest request", slow, "s", LONGEST_S, most=True),
        Row("its requests that were not answered with an outcome", late, "", 0, most=True),
        *[Row(f"memory: peak of {kind}", peak, "MiB", MEMORY_MIB, most=True) for kind, peak in peaks.items()],
    ]


class _beside:  # noqa: N801 - it reads as what is done
    """Run functions at once, each in a process, with an event to set first and one that says when to end."""

    def __init__(self, work: Sequence[tuple[Callable[..., None], tuple[object, ...]]]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.over = spawn.Event()
        self.ready = [spawn.Event() for _ in work]
        self.processes = [
            spawn.Process(target=do, args=(*given, ready, self.over), daemon=True)
            for (do, given), ready in zip(work, self.ready, strict=True)
        ]

    def __enter__(self) -> None:
        for process in self.processes:
            process.start()
        for process, ready in zip(self.processes, self.ready, strict=True):
            while not ready.wait(1):
                assert process.is_alive(), "a process did not begin"
        sleep(SETTLED_S)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for process in self.processes:
            process.join(SETTLED_S)
            process.terminate()


def _calm(port: int, key: str, seconds: float) -> load.Measured:
    lines = [line(key, encounter) for encounter in encounters(port, key, LINES)]
    return load.on_schedule((servers.HOST, port), lines, seconds, RATE)


def _writes(running: EmbeddedValkey, seconds: float) -> load.Measured:
    """Write one small entry at the same rate to the same store, past the service: a command waits for two."""
    store = Redis.from_url(running.url)
    store.ping()
    done = load.Measured(seconds=seconds)
    begun = perf_counter()
    for n in range(int(seconds * RATE)):
        sleep(max(0.0, begun + n / RATE - perf_counter()))
        sent = perf_counter()
        store.xadd("bench:written", {"r": b"." * 300})
        done.took.append(perf_counter() - sent)
    store.close()
    return done


def _peak(pid: int) -> float:
    """Return the most MiB of memory that a process has held; nothing for one that has ended."""
    with suppress(OSError):
        for status in Path(f"/proc/{pid}/status").read_text().splitlines():
            if status.startswith("VmHWM:"):
                return int(status.split()[1]) / 1024
    return 0.0
