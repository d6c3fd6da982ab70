"""Start a store on a long log, killed in between and in the middle of a rewrite: `make restart`.

Its arguments are sizes in megabytes, 300 unless given. The log is written directly (`tests.supervisor.logs`).
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import redis

from service.log import StoreUnavailable
from service.log.valkey import ValkeyLog
from service.log.valkey.loading import load_progress
from service.log.valkey.wire import Wire
from service.supervisor import EmbeddedValkey
from tests.supervisor.logs import MEGABYTE, has_all, size_of_log, write_log

_SLOWLY_US = 2_000  # how long a rewrite rests after each key, so that it is killed in the middle


def restart(directory: Path, megabytes: int) -> dict[str, Any]:
    """Return what each start took in seconds, and whether everything was there after each."""
    commits = write_log(directory, megabytes * MEGABYTE)
    found: dict[str, Any] = {"commits": sum(commits.values()), "megabytes": megabytes, "kept": True}
    began = time.monotonic()
    with EmbeddedValkey(directory) as server:
        found["as written, s"] = time.monotonic() - began
        found["kept"] &= _has_all(server.url, commits)

        began = _kill(server.url)
        found["kept"] &= _has_all(server.url, commits)
        found["killed, s"] = time.monotonic() - began

        with redis.Redis.from_url(server.url) as client:
            client.config_set("rdb-key-save-delay", _SLOWLY_US)
            if not client.info("persistence")["aof_rewrite_in_progress"]:
                client.bgrewriteaof()
        began = _kill(server.url)
        found["kept"] &= _has_all(server.url, commits)
        found["killed in a rewrite, s"] = time.monotonic() - began

        with redis.Redis.from_url(server.url) as client:
            if not client.info("persistence")["aof_rewrite_in_progress"]:
                client.bgrewriteaof()
            while client.info("persistence")["aof_rewrite_in_progress"]:
                time.sleep(0.1)
    began = time.monotonic()
    with EmbeddedValkey(directory) as server:
        found["rewritten, s"] = time.monotonic() - began
        found["rewritten, MB"] = size_of_log(directory) / MEGABYTE
        found["kept"] &= _has_all(server.url, commits)
    return found


def when_answering(url: str) -> str:
    """Return *url* once the server behind it listens, loaded or not."""
    with closing(Wire(url)) as wire:
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            try:
                load_progress(wire)
            except StoreUnavailable:
                time.sleep(0.02)
            else:
                break
    return url


def _kill(url: str) -> float:
    """Kill the server with nine; return when."""
    with redis.Redis.from_url(url) as client:
        pid = client.info("server")["process_id"]
    os.kill(pid, signal.SIGKILL)
    return time.monotonic()


def _has_all(url: str, commits: dict[str, int]) -> bool:
    with closing(ValkeyLog.connect_when_loaded(when_answering(url), lambda _: None)) as log:
        return has_all(log, commits)


def main() -> int:
    """Restart on each size, print what was found; 1 where something was missing."""
    sizes = [int(size) for size in sys.argv[1:]] or [300]
    kept = True
    for size in sizes:
        home = Path(tempfile.mkdtemp(prefix="rewound-restart-"))
        try:
            found = restart(home / "valkey", size)
        finally:
            shutil.rmtree(home)
        kept &= found["kept"]
        said = {name: round(value, 1) if isinstance(value, float) else value for name, value in found.items()}
        sys.stdout.write(f"{said}\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
