"""Measure the service over HTTP against the bare route: both in one run, in turns, medians of the ratios."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from typing import Final, NamedTuple
from urllib.request import Request, urlopen

from redis import Redis

from service.supervisor import EmbeddedValkey
from tests.bench import core, fights, load, servers, usage
from tests.bench.servers import Serving
from tests.bench.table import QUICK, TURNS, Row, median, section
from tests.bench.usage import Usage

LINES = 32
ARRAY = 50
SECONDS = 2.0 if QUICK else 6.0
CALM_RATE = 50.0
CALM_LINES = 8
AIMS: Final = {"API": 500.0, "worker": 280.0, "store": 160.0}
"""Microseconds of CPU of one command at saturation, at most."""


class Turn(NamedTuple):
    """One load, and what the processes of who was loaded used meanwhile."""

    load: load.Measured
    used: dict[str, Usage]

    def cpu(self, *kinds: str) -> float:
        """Return the microseconds of CPU of one request, in processes of *kinds* or in all."""
        return 1e6 * sum(self.used[kind].cpu for kind in kinds or self.used) / len(self.load.took)

    def switches(self, kind: str) -> float:
        """Return the voluntary context switches of one request."""
        return self.used[kind].switches / len(self.load.took)

    def ms(self, part: float) -> float:
        """Return the milliseconds within which *part* of all answers came."""
        return self.load.percentile(part) * 1000


Both = Sequence[tuple[Turn, Turn]]
"""Turns of the service, each with the bare route's beside it."""


@section("Over HTTP")
def rows() -> list[Row | str]:
    """Measure saturation, arrays and calm, service and bare route in turns, each with a store of its own."""
    fast: list[tuple[Turn, Turn]] = []
    calm: list[tuple[Turn, Turn]] = []
    arrays: list[Turn] = []
    deciding: list[float] = []
    with (
        servers.store() as for_bare,
        servers.bare(for_bare) as bare,
        servers.store() as running,
        servers.service(running) as ours,
    ):
        _saturated(ours, 1.0)  # warm both up
        _saturated(bare, 1.0)
        for _ in range(TURNS):
            fast.append((_saturated(ours), _saturated(bare)))
            arrays.append(_arrays(ours))
            calm.append((_calm(ours), _calm(bare)))
            deciding.append(1e6 / core.decide(fights.opening(apart=2), fights.simple())[0])
        stored = _stored(running, ours)
    beside = [turn.cpu("worker") - each for (turn, _), each in zip(fast, deciding, strict=True)]
    return [
        Row("commands, fold included", median(turn.load.rate for turn, _ in fast), "/s"),
        Row("bare route", median(turn.load.rate for _, turn in fast), "/s"),
        Row("commands ÷ bare route", median(a.load.rate / b.load.rate for a, b in fast), "", 0.9),
        *_cpu("at saturation", fast, 1.15, AIMS),
        Row("worker's CPU of a command, beside deciding it", median(beside), "µs", 100, most=True),
        Row("context switches of the API, a command", median(a.switches("API") for a, _ in fast), ""),
        Row("context switches of the bare route, a request", median(b.switches("API") for _, b in fast), ""),
        Row("context switches of the worker, a command", median(a.switches("worker") for a, _ in fast), ""),
        *_latency("at saturation", fast, 1.0),
        *_of_arrays(arrays, [turn for turn, _ in fast]),
        *_cpu(f"at {CALM_RATE:.0f}/s", calm, 1.8, {}),
        *_latency(f"at {CALM_RATE:.0f}/s", calm, 1.5),
        *stored,
    ]


def _cpu(when: str, turns: Both, aim: float, aims: dict[str, float]) -> list[Row]:
    """Return the CPU of one command by process, and all of it against the bare route's."""
    return [
        *(
            Row(
                f"CPU of a command {when}, {kind}",
                median(a.cpu(kind) for a, _ in turns),
                "µs",
                aims.get(kind),
                most=True,
            )
            for kind in AIMS
        ),
        Row(f"CPU of a command {when}, together", median(a.cpu() for a, _ in turns), "µs"),
        Row(f"CPU of the bare route {when}, API and store", median(b.cpu() for _, b in turns), "µs"),
        Row(f"CPU {when} ÷ bare route", median(a.cpu() / b.cpu() for a, b in turns), "", aim, most=True),
    ]


def _latency(when: str, turns: Both, aim: float) -> list[Row]:
    found = []
    for name, part in (("p50", 0.5), ("p99", 0.99)):
        found += [
            Row(f"{name} from POST to outcome {when}", median(a.ms(part) for a, _ in turns), "ms"),
            Row(f"{name} of the bare route {when}", median(b.ms(part) for _, b in turns), "ms"),
        ]
        ratio = median(a.ms(part) / b.ms(part) for a, b in turns)
        found.append(Row(f"{name} {when} ÷ bare route", ratio, "", aim if name == "p99" else None, most=True))
    return found


def _of_arrays(arrays: Sequence[Turn], fast: Sequence[Turn]) -> list[Row]:
    ratios = [ARRAY * many.load.rate / one.load.rate for many, one in zip(arrays, fast, strict=True)]
    return [
        Row(f"commands in arrays of {ARRAY}", ARRAY * median(each.load.rate for each in arrays), "/s"),
        Row(f"arrays of {ARRAY} ÷ one by one", median(ratios), "", 5.0),
        *(
            Row(
                f"CPU of a command in arrays, {kind}", median(each.cpu(kind) / ARRAY for each in arrays), "µs"
            )
            for kind in AIMS
        ),
    ]


def turn(at: Serving, run: Callable[[], load.Measured]) -> Turn:
    living = {
        kind: [one for pid in pids for one in usage.with_children(pid)] for kind, pids in at.pids.items()
    }
    before = {kind: usage.used(pids) for kind, pids in living.items()}
    measured = run()
    assert list(measured.statuses) == [200], measured.statuses  # what is measured is accepted commands
    after = {kind: usage.used(pids) for kind, pids in living.items()}
    return Turn(measured, {kind: after[kind].since(before[kind]) for kind in after})


def _saturated(at: Serving, seconds: float = SECONDS) -> Turn:
    lines = _lines(at, LINES)
    return turn(at, lambda: load.closed_loop((servers.HOST, at.port), lines, seconds))


def _calm(at: Serving) -> Turn:
    lines = _lines(at, CALM_LINES)
    return turn(at, lambda: load.on_schedule((servers.HOST, at.port), lines, SECONDS, CALM_RATE))


def _lines(at: Serving, count: int) -> list[Iterator[bytes]]:
    """Return the requests of *count* connections, each with an encounter of its own or to the bare route."""
    if not at.key:
        return [_bare_line() for _ in range(count)]
    return [line(at.key, encounter) for encounter in encounters(at.port, at.key, count)]


def _arrays(at: Serving) -> Turn:
    """Send arrays as fast as they are answered; the first of each line is looked through."""
    lines = []
    for path in encounters(at.port, at.key, CALM_LINES):
        script = fights.simple()
        found = post(at.port, at.key, path, list(islice(script, ARRAY)))
        assert {each["outcome"] for each in found["outcomes"]} == {"accepted"}
        lines.append(_array_line(at.key, path, script))
    return turn(at, lambda: load.closed_loop((servers.HOST, at.port), lines, SECONDS))


def _array_line(key: str, path: str, script: Iterator[fights.Command]) -> Iterator[bytes]:
    for _ in repeat(None):
        yield load.post(path, json.dumps(list(islice(script, ARRAY))).encode(), key)


def encounters(port: int, key: str, count: int, *, epochs: int | None = None) -> list[str]:
    """Open *count* fights, with the default number of *epochs* for None, and begin their combats."""
    opening = {"edition": "heartrush@1", **fights.opening(apart=2)}
    if epochs is not None:
        opening["seeding"] = {"epochs": epochs}
    found = []
    for _ in range(count):
        opened = post(port, key, "/v1/encounters", opening)
        path = f"/v1/encounters/{opened['encounter']}/commands"
        for command in fights.BEGIN:
            post(port, key, path, command)
        found.append(path)
    return found


def post(port: int, key: str, path: str, body: fights.Command | list[fights.Command]) -> fights.Command:
    request = Request(
        f"http://{servers.HOST}:{port}{path}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Prefer": "wait=30",
        },
    )
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - http, to an address of our own
        found: fights.Command = json.load(answer)
        return found


def line(key: str, path: str) -> Iterator[bytes]:
    """Yield the requests of one connection that plays the encounter at *path*."""
    return (load.post(path, json.dumps(command).encode(), key) for command in fights.simple())


def _bare_line() -> Iterator[bytes]:
    return (
        load.post("/bare", json.dumps(command).encode()) for _ in repeat(None) for command in _one_round()
    )


def _one_round() -> Iterator[fights.Command]:
    script = fights.simple()
    return (next(script) for _ in range(6))


def _stored(running: EmbeddedValkey, at: Serving) -> list[Row]:
    """Measure what the store holds for a fresh encounter, and for each command of a long one."""
    client = Redis.from_url(running.url)
    path = encounters(at.port, at.key, 1)[0]
    encounter = path.split("/")[3]
    before = _weight(client, encounter)
    commands = 600
    script = fights.simple()
    for _ in range(commands):
        post(at.port, at.key, path, next(script))
    after = _weight(client, encounter)
    client.close()
    return [
        Row("store per encounter, opened and begun", before, "bytes"),
        Row("store per command", (after - before) / commands, "bytes", 900, most=True),
    ]


def _weight(client: Redis, encounter: str) -> int:
    """Return the bytes of memory that the store's own account gives to an encounter."""
    return sum(client.memory_usage(key, samples=0) or 0 for key in client.scan_iter(f"*:{encounter}:*"))
