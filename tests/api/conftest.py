"""Serve the API in this process over the memory log, with a worker that folds in a thread."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from threading import Event, Lock, Thread

import pytest

from service.api.app import create_app
from service.audit.notary import Notary
from service.audit.receipts import sign_receipts
from service.audit.signing import publish
from service.audit.signing_memory import SigningMemory
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log, NoSuchEncounter
from service.log.memory import MemoryLog
from service.log.values import CommitWrite
from service.rules.registry import REGISTRY
from service.signals.heartbeats import record_heartbeat
from service.stores import api_keys
from service.usecases.services import Services, make_services
from tests.api.client import Api, Table
from tests.support.folding import fold_whole
from tests.support.tiny_game import SHELF as TINY_SHELF
from tests.support.tiny_table import SIGNER
from tests.support.waiting import until
from workers.fold import CommandFolder
from workers.notary import CheckpointSigner

KEY = bytes(range(32))
BOTH = {**REGISTRY, **TINY_SHELF}


class Worker:
    """Folds what it is woken for, like a worker process that always lingers; signs if it has a memory."""

    def __init__(self, log: Log, signing_memory: SigningMemory | None = None) -> None:
        self.log = log
        self.signing_memory = signing_memory
        self.folder = Folder(log, BOTH)
        self.paused = Event()
        self._working = Lock()
        self._stopping = Event()
        self._listening = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._beat()
        self._thread.start()
        assert self._listening.wait(30)

    def stop(self) -> None:
        self._stopping.set()
        self._wakes.interrupt()
        self._thread.join()

    def pause(self) -> None:
        """Leave what comes undecided and unsigned until `go_on`, from the next line on."""
        self.paused.set()
        with self.at_rest():  # a fold under way looks once more before it ends, and would find what comes
            pass

    def at_rest(self) -> AbstractContextManager[object]:
        """Give a time in which nothing is folded: a fold under way is waited for."""
        return self._working

    def go_on(self) -> None:
        self.paused.clear()

    def _beat(self) -> None:
        self._beaten = time.monotonic()
        record_heartbeat(self.log, "worker-1", int(time.time() * 1000))

    def _receipts(self, writes: Sequence[tuple[str, CommitWrite]]) -> list[bytes]:
        return [] if self.signing_memory is None else sign_receipts(writes, SIGNER.secret)

    def _run(self) -> None:
        signing = None
        if self.signing_memory is not None:
            notary = Notary(self.log, self.signing_memory, lambda: SIGNER)
            signing = CheckpointSigner(self.log, notary, lambda: SIGNER, Event())
            publish(self.log, SIGNER, time.time())
        folding = CommandFolder(self.log, self.folder, Keyring.of(KEY), signing, receipts=self._receipts)
        waiting: list[str] = []
        with self.log.listen_commands() as wakes:
            self._wakes = wakes
            self._listening.set()
            while not self._stopping.is_set():
                if time.monotonic() - self._beaten > 1:
                    self._beat()
                woken = wakes.get(0.02)
                if woken is not None:
                    waiting.append(woken.encounter)
                with self._working:
                    while waiting and not self.paused.is_set():
                        with suppress(NoSuchEncounter):  # forgotten meanwhile: a worker goes on, too
                            fold_whole(folding, waiting.pop(0))
                    if signing is not None and not self.paused.is_set():
                        signing.work()


@pytest.fixture
def log() -> Iterator[Log]:
    kept = MemoryLog()
    yield kept
    kept.close()


@pytest.fixture
def services(log: Log) -> Iterator[Services]:
    made = make_services(
        log,
        BOTH,
        ring=lambda _bucket: None,
        clock=time.time,
        keys=Keyring.of(KEY),
        mode="memory",
    )
    until_it_listens(made)
    yield made
    made.outcomes.close()


def until_it_listens(services: Services) -> None:
    """Wait until *host* hears of commits, as a service that is ready does."""
    until(lambda: services.outcomes.is_active, "the service hears of commits", every_s=0.001)


@pytest.fixture
def worker(log: Log, tmp_path: Path) -> Iterator[Worker]:
    signing_memory = SigningMemory(tmp_path / "signing-memory.db")
    made = Worker(log, signing_memory)
    made.start()
    yield made
    made.stop()
    signing_memory.close()


@pytest.fixture
def api(services: Services, worker: Worker) -> Api:
    """Give a client without a token."""
    return Api(create_app(services))


@pytest.fixture
def owner(api: Api, services: Services) -> Api:
    """Give a client with an API key."""
    token, _ = api_keys.create(services.log, "tests", time.time())
    return api.with_token(token)


@pytest.fixture
def table(owner: Api) -> Table:
    """Give a tiny game that is open: its gm, ada and bo."""
    return Table.opened(owner)
