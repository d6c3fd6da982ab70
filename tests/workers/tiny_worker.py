"""Be a worker as `python -m workers` is, but for the tiny game: streams, queue, groups, watchdog."""

import os
import sys
from functools import partial
from pathlib import Path
from socket import socket
from threading import Event

from service.audit.signing_memory import SigningMemory
from service.key_files import Keyring
from service.log.valkey.queue import queue_client
from service.logs import write_json_lines
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores.archive.storage import DirectoryStorage
from tests.support.faulty_log import faulty
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import KEY, SIGNER
from tests.support.webhook_receiver import NETWORK
from workers import sweep
from workers.heartbeat import HangWatch
from workers.run import fold_slow, run
from workers.slow_encounters import SlowEncounters
from workers.start import connected
from workers.webhooks import DeliveryPace
from workers.worker_processes import WorkerProcesses, listen


def main() -> None:
    streams_url, queue_url, groups, longest_s, signing_memory = sys.argv[1:]
    write_json_lines("info")
    if os.environ.get("TINY_SWEEPS") == "no":
        sweep.EVERY_S = 3_600.0  # type: ignore[misc]  # nothing is found but by a ring
    processes = None
    if is_slow := os.environ.get("TINY_SLOW"):
        setattr(SlowEncounters, "has", lambda _, encounter: encounter == is_slow)  # noqa: B010 - not by the clock
        processes = WorkerProcesses(_run_no_jobs, partial(_fold_slow, streams_url, float(longest_s)))
    log = faulty(connected(streams_url), os.environ.get("REWOUND_FAULT"))
    if processes is not None:
        processes.start()
    run(
        log,
        queue_client(queue_url),
        SHELF,
        keys=Keyring.of(KEY),
        signer=lambda: SIGNER,
        signing_memory=SigningMemory(Path(signing_memory)),
        groups=int(groups),
        storage=DirectoryStorage(Path(signing_memory).with_name("archive")),
        address_guard=WebhookAddressGuard.of([NETWORK]),
        pace=DeliveryPace(first_s=0.02, longest_s=0.1, tick_s=0.02, answer_s=2, lease_s=0.5),
        longest_s=float(longest_s),
        processes=processes,
    )


def _run_no_jobs(heard: int) -> None:
    listen(heard, lambda: None, Event())


def _fold_slow(streams_url: str, longest_s: float, channel: socket) -> None:
    HangWatch.every_s = 0.1
    fold_slow(
        connected(streams_url),
        SHELF,
        channel,
        keys=Keyring.of(KEY),
        signer=lambda: SIGNER,
        storage=DirectoryStorage(Path(sys.argv[-1]).with_name("archive")),
        longest_s=longest_s,
    )


if __name__ == "__main__":
    main()
