"""Write the log of an embedded server directly: as many bytes as a test asks for, without playing."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.log import keys
from service.log.errors import FORMAT
from service.log.valkey import ValkeyLog

MEGABYTE: Final = 1_000_000
COMMITS_EACH: Final = 200
"""Commits of one encounter."""

_REQUEST_BYTES, _COMMIT_BYTES = 400, 1_400  # what they are on average in a sample fight
_PAUSE: Final = b"for i = 1, %d do end"
_PAUSE_BYTES: Final = 200_000
_LOOPS_A_SECOND: Final = 100_000_000  # of a fast machine


def write_log(directory: Path, size: int, *, seconds: float = 0.0, replaced: int = 0) -> dict[str, int]:
    """Write an append-only file of *size* bytes or a little more; return each encounter's number of commits.

    It holds what playing leaves of each encounter: commands, commits, idempotency keys and the head.
    Reading it takes *seconds* more than it would, so that a test can look meanwhile. *replaced* bytes before
    it are of values that later ones have replaced.
    """
    place = directory / "appendonlydir"
    place.mkdir(mode=0o700, parents=True)
    name = "appendonly.aof.1.incr.aof"
    (place / "appendonly.aof.manifest").write_text(f"file {name} seq 1 type i\n")
    noise = random.Random(size).randbytes(1_000_000).hex().encode()
    written, commits = 0, dict[str, int]()
    pause = _spelled(b"EVAL", _PAUSE % int(_LOOPS_A_SECOND * seconds * _PAUSE_BYTES / size), b"0")
    pauses = 0
    with (place / name).open("wb") as file:
        written += file.write(_spelled(b"SELECT", b"0"))
        written += file.write(_spelled(b"SET", keys.FORMAT.encode(), FORMAT.encode()))
        cached = _spelled(b"SET", b"cached", noise[:100_000])
        for _ in range(replaced // len(cached)):
            file.write(cached)
        while written < size:
            encounter = f"0190f7a0-0000-7000-8000-{len(commits):012x}"
            n = 0
            while n < COMMITS_EACH and written < size:
                n += 1
                start = (written + n) % 900_000
                if seconds and written > pauses * _PAUSE_BYTES:
                    pauses += 1
                    written += file.write(pause)
                written += file.write(_commands(encounter, n, noise[start : start + _COMMIT_BYTES]))
            commits[encounter] = n
    return commits


def has_all(log: ValkeyLog, commits: dict[str, int]) -> bool:
    """Tell whether the newest commit of the first and of the last encounter can be read."""
    found = (log.head(encounter) for encounter in (min(commits), max(commits)))
    return [head and head.folded for head in found] == [commits[min(commits)], commits[max(commits)]]


def size_of_log(directory: Path) -> int:
    """Return how many bytes the append-only file has, all parts of it."""
    size = 0
    for part in (directory / "appendonlydir").iterdir():
        with suppress(FileNotFoundError):  # a rewrite has just ended
            size += part.stat().st_size
    return size


def _commands(encounter: str, n: int, noise: bytes) -> bytes:
    """Spell what one command and its commit leave in the file."""
    number, id_ = b"%d" % n, b"%d-0" % n
    request = noise[:_REQUEST_BYTES]
    head = keys.head(encounter).encode()
    return b"".join(
        (
            _spelled(b"XADD", keys.commands(encounter).encode(), id_, b"r", request),
            _spelled(b"HSET", head, b"appended", number, b"run", b"0" * 40),
            _spelled(
                b"HSET", keys.idempotency(encounter).encode(), b"s\n" + number, number + b" 0 " + noise[:64]
            ),
            _spelled(b"XADD", keys.commits(encounter).encode(), id_, b"r", noise),
            _spelled(b"HSET", head, b"folded", number, b"hash", noise[:64], b"frontier", noise[:128]),
        )
    )


def _spelled(*parts: bytes) -> bytes:
    """Spell one command in the server's protocol."""
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)
