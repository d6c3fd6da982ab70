"""Measure the service over HTTP against the bare route: both in one run, in turns, medians of the ratios."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, repeat
from urllib.request import Request, urlopen

from redis import Redis

from service.supervisor import EmbeddedValkey
from tests.bench import fights, load, servers
from tests.bench.table import Row, median

LINES = 32
ARRAY = 50
SECONDS = 6.0
CALM_RATE = 50.0
CALM_LINES = 8
TURNS = 5


def rows() -> list[Row]:
    """Measure saturation and calm, service and bare route in turns."""
    with servers.store() as running, servers.bare(running) as bare, servers.service(running) as (port, key):
        fast: list[tuple[float, float]] = []
        arrays: list[float] = []
        calm: list[tuple[load.Measured, load.Measured]] = []
        _saturate(port, key, 1.0)  # warm both up
        _saturate_bare(bare, 1.0)
        for _ in range(TURNS):
            fast.append((_saturate(port, key, SECONDS).rate, _saturate_bare(bare, SECONDS).rate))
            arrays.append(ARRAY * _arrays(port, key).rate)
            calm.append((_calm(port, key), _calm_bare(bare)))
        stored = _stored(running, port, key)
    return [
        Row("commands over HTTP, fold included", median([a for a, _ in fast]), "/s"),
        Row("bare route", median([b for _, b in fast]), "/s"),
        Row("commands ÷ bare route", median([a / b for a, b in fast]), "", 0.6),
        Row(f"commands in arrays of {ARRAY}", median(arrays), "/s"),
        Row(
            f"arrays of {ARRAY} ÷ one by one",
            median([many / one for many, (one, _) in zip(arrays, fast, strict=True)]),
            "",
            4.0,
        ),
        *_latency("p50", 0.5, calm),
        *_latency("p99", 0.99, calm),
        *stored,
    ]


def _latency(name: str, part: float, calm: list[tuple[load.Measured, load.Measured]]) -> list[Row]:
    ours = median([a.percentile(part) * 1000 for a, _ in calm])
    theirs = median([b.percentile(part) * 1000 for _, b in calm])
    ratio = median([a.percentile(part) / b.percentile(part) for a, b in calm])
    return [
        Row(f"{name} from POST to outcome at {CALM_RATE:.0f}/s", ours, "ms"),
        Row(f"{name} of the bare route at {CALM_RATE:.0f}/s", theirs, "ms"),
        Row(f"{name} ÷ bare route", ratio, "", 2.0, most=True),
    ]


def _saturate(port: int, key: str, seconds: float) -> load.Measured:
    lines = [line(key, encounter) for encounter in encounters(port, key, LINES)]
    return _accepted(load.closed_loop((servers.HOST, port), lines, seconds))


def _arrays(port: int, key: str) -> load.Measured:
    """Send arrays as fast as they are answered; the first of each line is looked through."""
    lines = []
    for path in encounters(port, key, CALM_LINES):
        script = fights.simple()
        told = _post(port, key, path, list(islice(script, ARRAY)))
        assert {each["outcome"] for each in told["outcomes"]} == {"accepted"}
        lines.append(_array_line(key, path, script))
    return _accepted(load.closed_loop((servers.HOST, port), lines, SECONDS))


def _array_line(key: str, path: str, script: Iterator[fights.Command]) -> Iterator[bytes]:
    for _ in repeat(None):
        yield load.post(path, json.dumps(list(islice(script, ARRAY))).encode(), key)


def _saturate_bare(port: int, seconds: float) -> load.Measured:
    return _accepted(load.closed_loop((servers.HOST, port), [_bare_line() for _ in range(LINES)], seconds))


def _calm(port: int, key: str) -> load.Measured:
    lines = [line(key, encounter) for encounter in encounters(port, key, CALM_LINES)]
    return _accepted(load.on_schedule((servers.HOST, port), lines, SECONDS, CALM_RATE))


def _calm_bare(port: int) -> load.Measured:
    lines = [_bare_line() for _ in range(CALM_LINES)]
    return _accepted(load.on_schedule((servers.HOST, port), lines, SECONDS, CALM_RATE))


def _accepted(measured: load.Measured) -> load.Measured:
    """Return *measured* if every answer was what is being measured: an accepted command."""
    assert list(measured.statuses) == [200], measured.statuses
    return measured


def encounters(port: int, key: str, count: int) -> list[str]:
    """Open *count* fights and bring them to the point where the script begins."""
    found = []
    for _ in range(count):
        opened = _post(port, key, "/v1/encounters", {"edition": "heartrush@1", **fights.opening(apart=2)})
        path = f"/v1/encounters/{opened['encounter']}/commands"
        for command in fights.BEGIN:
            _post(port, key, path, command)
        found.append(path)
    return found


def _post(port: int, key: str, path: str, body: fights.Command | list[fights.Command]) -> fights.Command:
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
    return (load.post(path, json.dumps(command).encode(), key) for command in fights.simple())


def _bare_line() -> Iterator[bytes]:
    return (
        load.post("/bare", json.dumps(command).encode()) for _ in repeat(None) for command in _one_round()
    )


def _one_round() -> Iterator[fights.Command]:
    script = fights.simple()
    return (next(script) for _ in range(6))


def _stored(running: EmbeddedValkey, port: int, key: str) -> list[Row]:
    """Measure what the store holds for a fresh encounter, and for each command of a long one."""
    client = Redis.from_url(running.url)
    path = encounters(port, key, 1)[0]
    encounter = path.split("/")[3]
    before = _weight(client, encounter)
    commands = 600
    script = fights.simple()
    for _ in range(commands):
        _post(port, key, path, next(script))
    after = _weight(client, encounter)
    client.close()
    return [
        Row("store per encounter, opened and begun", before, "bytes"),
        Row("store per command", (after - before) / commands, "bytes", 900, most=True),
    ]


def _weight(client: Redis, encounter: str) -> int:
    """Return the bytes of memory that the store's own account gives to an encounter."""
    return sum(client.memory_usage(key, samples=0) or 0 for key in client.scan_iter(f"*:{encounter}:*"))
