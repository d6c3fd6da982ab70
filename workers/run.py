"""Run one worker: answer rings in the main thread, and do everything else in other threads.

After a signal to stop, the current command is finished first.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final

import structlog

from service.audit.notary import Notary
from service.audit.receipts import sign_receipts
from service.audit.signing import Signer
from service.audit.signing_memory import SigningMemory
from service.audit.witness_policy import Policy
from service.core.fold import Folder, Registry
from service.key_files import Keyring
from service.log.protocol import Log
from service.record.digest import ruleset_digest
from service.signals.doorbell import FOLD, RqNotifier
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores.archive.archive_log import with_archive
from service.stores.archive.container import keys_of as archive_keys_of
from service.stores.archive.storage import Storage
from service.stores.secrets import service_key_of
from workers.archiving import DAY_S, Archiver
from workers.audits import Auditor
from workers.fold import KEPT, CommandFolder
from workers.forgetting import ForkExpiry
from workers.groups import GroupFolding
from workers.heartbeat import LONGEST_S, HangWatch, HeartbeatThread
from workers.imports import Importer
from workers.job_runner import JobRunner
from workers.job_turns import JobTurns
from workers.notary import CheckpointSigner
from workers.periodic import PeriodicThread
from workers.public_log import LogThread
from workers.queue import FoldJobThread
from workers.retention import Retention
from workers.simulations import Simulator
from workers.slow_encounters import SlowEncounters, WrittenCommits, fold_asked
from workers.snapshots import SnapshotWriter
from workers.sweep import SweepThread
from workers.webhooks import DeliveryPace, WebhookSender
from workers.witnesses import WitnessThread
from workers.worker_processes import WorkerProcesses, WorkerProcessesWatch, listen

DURABLE: Final = "durable"
"""The store was checked before the first append: an acknowledged write is on disk."""
REPLICATED: Final = "replicated"
"""An acknowledged write is on disk at the primary and its replicas."""

_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class Keeping:
    """After how many days encounters are archived and removed; 0 means never."""

    idle_days: int = 0
    """Days without a command after which an encounter is archived."""
    closed_days: int = 0
    """Days after which a closed encounter is replaced by its bundle."""


FOR_EVER: Final = Keeping()


def digest_all(registry: Registry) -> None:
    """Read every source of *registry*: at the start, and not in the first owner's turn."""
    for ruleset in registry.values():
        ruleset_digest(ruleset)


def run(  # noqa: PLR0913 - all parts of a worker
    log: Log,
    queue: Any,  # noqa: ANN401 - only `service.log` may import redis-py
    registry: Registry,
    *,
    keys: Keyring,
    signer: Callable[[], Signer],
    signing_memory: SigningMemory,
    groups: int,
    address_guard: WebhookAddressGuard | None = None,
    storage: Storage,
    keeping: Keeping = FOR_EVER,
    pace: DeliveryPace | None = None,
    longest_s: float = LONGEST_S,
    policy: Policy = Policy(),  # noqa: B008 - it is immutable
    processes: WorkerProcesses | None = None,
) -> None:
    """Run until SIGTERM or SIGINT.

    *queue* is a client of RQ's server, *keys* decrypt the encounters' secrets, *signer* returns the current
    signer of checkpoints and *signing_memory* remembers what was signed. *address_guard* checks the addresses
    of webhooks, *pace* sets when deliveries are tried. *storage* holds the files of archived encounters and
    the bundles of removed ones, *keeping* sets when encounters are archived and removed. A decision that
    takes longer than *longest_s* seconds kills the process. *processes* call `run_jobs` and
    `fold_slow`; without them this worker runs no jobs, and folds slow encounters itself.
    """
    digest_all(registry)
    log = with_archive(log, storage, archive_keys_of(keys))
    worker = f"{socket.gethostname()}-{os.getpid()}"
    stopping = Event()
    folder, ringer = Folder(log, registry, capacity=KEPT), RqNotifier(queue)
    notary = Notary(log, signing_memory, signer)
    signing = CheckpointSigner(log, notary, signer, stopping)
    snapshooter = SnapshotWriter(log, registry, stopping)
    archiver = Archiver(
        log,
        registry,
        storage,
        archive_keys_of(keys),
        keeping.idle_days * DAY_S,
        stopping,
        sign=notary.sign_head,
    )
    folding = CommandFolder(
        log,
        folder,
        keys,
        signing,
        snapshooter.take,
        archiver.touched,
        lambda writes: sign_receipts(writes, signer().secret),
    )
    telling = WebhookSender(
        log, folder, service_key_of(keys), address_guard or WebhookAddressGuard(), stopping, pace
    )
    slow = None if processes is None else SlowEncounters(processes.slow, folding.owner_of)
    fold = GroupFolding(log, folding, ringer, groups, stopping, telling, slow)
    sweeper = SweepThread(log, fold, worker, stopping)
    heartbeats = HeartbeatThread(log, worker, folding, stopping, longest_s)

    def answer(bucket: int) -> None:
        """Fold the bucket of a ring, and look for jobs and checkpoints, whose requests ring too."""
        if processes is not None:
            processes.ring()
        signing.ring()
        fold.answer(bucket)

    writing = LogThread(log, signing_memory, signer, worker, stopping)
    submitting = WitnessThread(log, policy, worker, stopping)
    retention = Retention(log, registry, storage, keeping.closed_days, stopping, signing_memory.forget)
    answering = FoldJobThread(queue, {FOLD: answer}, stopping)

    periodic_threads: tuple[PeriodicThread, ...] = (
        *(
            sweeper,
            heartbeats,
            signing,
            retention,
            snapshooter,
            archiver,
            telling,
            writing,
            submitting,
        ),
        ForkExpiry(log, stopping, signing_memory.forget),
        *(() if processes is None else (WorkerProcessesWatch(processes, stopping),)),
    )
    threads = [
        Thread(target=fold.run, name="fold", daemon=True),
        *(Thread(target=each.run, name=each.name, daemon=True) for each in periodic_threads),
    ]
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, answering.on_signal)
    _logger.info("worker.started", worker=worker, groups=groups)
    for thread in threads:
        thread.start()
    if slow is not None:
        Thread(target=slow.listen, args=(fold.interrupt,), name="slow", daemon=True).start()
    answering.run()
    for each in periodic_threads:
        each.ring()  # ends its wait for the next look
    for thread in threads:
        thread.join()
    if processes is not None:
        processes.end()
    folding.traces.close()
    telling.traces.close()
    signing_memory.close()
    log.close()
    _logger.info("worker.stopped", worker=worker)


def run_jobs(  # noqa: PLR0913 - all parts of the process
    log: Log,
    registry: Registry,
    heard: int,
    *,
    keys: Keyring,
    signer: Callable[[], Signer],
    signing_memory: SigningMemory,
    storage: Storage,
    durability: str = DURABLE,
) -> None:
    """Run audits, imports and simulations until the worker that writes to *heard* stops; see `run`."""
    log = with_archive(log, storage, archive_keys_of(keys))
    worker = f"{socket.gethostname()}-{os.getpid()}"
    stopping, turns = Event(), JobTurns()
    notary = Notary(log, signing_memory, signer)
    runners: tuple[JobRunner, ...] = (
        Simulator(log, registry, worker=worker, stopping=stopping, turns=turns),
        Auditor(
            log,
            registry,
            worker=worker,
            stopping=stopping,
            signer=signer,
            durability=durability,
            sign=notary.sign_head,
            turns=turns,
        ),
        Importer(log, registry, worker=worker, stopping=stopping, durability=durability, turns=turns),
    )

    def ring() -> None:
        for each in runners:
            each.ring()

    threads = [Thread(target=each.run, name=each.name, daemon=True) for each in runners]
    for thread in threads:
        thread.start()
    listen(heard, ring, stopping)
    for thread in threads:
        thread.join()
    signing_memory.close()
    log.close()


def fold_slow(
    log: Log,
    registry: Registry,
    channel: socket.socket,
    *,
    keys: Keyring,
    signer: Callable[[], Signer],
    storage: Storage,
    longest_s: float = LONGEST_S,
) -> None:
    """Fold what the worker at the other end of *channel* asks for, until it ends; see `run`."""
    log = with_archive(log, storage, archive_keys_of(keys))
    stopping, written = Event(), WrittenCommits()
    snapshooter = SnapshotWriter(log, registry, stopping)
    folding = CommandFolder(
        log,
        Folder(log, registry, capacity=KEPT),
        keys,
        written,
        snapshooter.take,
        receipts=lambda writes: sign_receipts(writes, signer().secret),
    )
    worker = f"{socket.gethostname()}-{os.getpid()}"
    fold_asked(
        channel, folding, written, snapshooter, HangWatch(worker, folding, stopping, longest_s), stopping
    )
    folding.traces.close()
    log.close()
