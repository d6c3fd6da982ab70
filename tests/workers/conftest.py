"""Real workers, killed and reaped at the end, and tables of tiny games that they fold."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis

from service.core.fold import Folder
from service.log import bucket_of
from service.log.valkey import ValkeyLog
from service.signals.doorbell import NOTIFY_MS, RqNotifier
from tests.support import crashes
from tests.support.processes import is_stopped
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import KEY, Sitting, eid, opening, request, secrets_of
from tests.support.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]


@dataclass
class WorkerProcess:
    """One worker in a process of its own."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def ended(self, seconds: float = PATIENCE_S) -> int:
        """Wait for its end; the exit status, negative for a signal."""
        return self.process.wait(seconds)

    def is_stopped(self) -> bool:
        """Tell whether SIGSTOP has reached it."""
        return is_stopped(self.pid)

    def lines(self, event: str) -> list[dict[str, Any]]:
        """Return its log lines of *event*."""
        whole = self.output.read_text().rpartition("\n")[0]  # the last line may be half written
        data = [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
        return [line for line in data if line["event"] == event]


@dataclass
class Hall:
    """Workers, the stores they share and the encounters they fold."""

    log: ValkeyLog
    queue: redis.Redis
    streams_url: str
    queue_url: str
    directory: Path
    groups: int = 16
    workers: list[WorkerProcess] = field(default_factory=list)
    sent: dict[str, list[bytes]] = field(default_factory=dict)

    @property
    def signing_memory(self) -> Path:
        """What the workers of this hall remember of what they signed."""
        return self.directory / "signing-memory.db"

    def start(
        self, fault: str = "", longest_s: float = 20.0, *, sweeps: bool = True, slow: str = ""
    ) -> WorkerProcess:
        """Start a worker, with *fault* in it, and wait until it works; without *sweeps* it needs rings.

        The encounter *slow* is folded by the process beside it.
        """
        output = self.directory / f"worker-{len(self.workers)}.log"
        command = [sys.executable, "-m", "tests.workers.tiny_worker"]
        with output.open("wb") as file:
            process = subprocess.Popen(
                [
                    *command,
                    self.streams_url,
                    self.queue_url,
                    str(self.groups),
                    str(longest_s),
                    str(self.signing_memory),
                ],
                cwd=ROOT,
                env=os.environ
                | {"REWOUND_FAULT": fault, "TINY_SWEEPS": "yes" if sweeps else "no", "TINY_SLOW": slow},
                stdout=file,
                stderr=file,
            )
        worker = WorkerProcess(process, output)
        self.workers.append(worker)
        until(lambda: worker.lines("worker.started"), f"a worker: {output.read_text()}")
        return worker

    def open(self, encounter: str, **data: object) -> None:
        """Open a tiny game, as the API would."""
        assert self.log.put_secret(encounter, secrets_of(encounter).encrypt(KEY))
        self._submit(encounter, opening(encounter, data), create=True)

    def do(self, encounter: str, type_: str, **data: object) -> int:
        """Send the gm's next command, as the API would; its number."""
        n = len(self.sent[encounter]) + 1
        return self._submit(encounter, request(n, type_, data, encounter=encounter))

    def _submit(self, encounter: str, raw: bytes, *, create: bool = False) -> int:
        sent = self.sent.setdefault(encounter, [])
        sent.append(raw)
        submitted = self.log.submit(
            encounter,
            raw,
            scope="gm",
            key=str(len(sent)),
            fingerprint="f",
            create=create,
            at_ms=int(time.time() * 1000),
            notify_ms=NOTIFY_MS,
        )
        assert submitted.n == len(sent)
        if submitted.must_notify:
            self.ring(encounter)
        return submitted.n

    def ring(self, encounter: str = eid()) -> bool:
        """Enqueue a fold."""
        return RqNotifier(self.queue).ring(bucket_of(encounter))

    def folded(self, encounter: str) -> int:
        """Return the last number folded."""
        head = self.log.head(encounter)
        return head.folded if head else 0

    def until_folded(self, seconds: float = PATIENCE_S) -> None:
        """Wait until everything that was sent is folded."""
        for encounter, sent in self.sent.items():
            until(
                partial(self._is_at, encounter, len(sent)),
                f"{encounter} folded to {len(sent)}",
                seconds,
            )

    def _is_at(self, encounter: str, n: int) -> bool:
        return self.folded(encounter) == n

    def check(self) -> None:
        """Hold every encounter to one commit per command, with the bytes that one process decides alone."""
        for encounter, sent in self.sent.items():
            alone = Sitting(encounter)
            for raw in sent:
                alone.put(raw)
            entries = self.log.commits(encounter, 0, len(sent) + 100)
            assert [entry.n for entry in entries] == list(range(1, len(sent) + 1))
            assert [entry.raw for entry in entries] == [written.raw for written in alone.written]
            payloads = {(p.n, p.index): p.raw for p in self.log.sealed(encounter, 0, len(sent))}
            assert payloads == {
                (w.n, index): raw for w in alone.written for index, raw in w.envelope_payloads
            }
            assert Folder(self.log, SHELF).current(encounter) == alone.folded


@pytest.fixture
def hall(
    streams: ValkeyLog, streams_url: str, queue: redis.Redis, queue_url: str, tmp_path: Path
) -> Iterator[Hall]:
    with reaped(Hall(streams, queue, streams_url, queue_url, tmp_path)) as hall:
        yield hall


@contextlib.contextmanager
def reaped(hall: Hall) -> Iterator[Hall]:
    """Give *hall*, and kill its workers at the end."""
    try:
        yield hall
    finally:
        for worker in hall.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
            worker.process.wait(10)
            for event in crashes.EVENTS:
                crashes.read(worker.lines(event))
