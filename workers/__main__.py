"""Start a worker from the environment: `python -m workers`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from socket import socket
from typing import Final

from service import tracing
from service.audit.signing import Signer
from service.audit.signing_memory import SigningMemory
from service.audit.witness_policy import BadPolicy, Policy, read_policy
from service.caches import RecentCache
from service.collecting import collect_seldom
from service.core.fold import Registry
from service.key_files import Keyring
from service.log.errors import StoreRefused
from service.log.valkey.queue import check_queue, queue_client
from service.logs import write_json_lines
from service.memory_bound import bound_memory
from service.rulesets import RulesetUnusable, installed
from service.settings import Settings, SettingsError
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores.archive.opening import storage_of
from service.stores.archive.storage import Storage
from service.switching import switch_often
from service.tracing import TracesUnusable
from workers.run import DURABLE, REPLICATED, Keeping, digest_all, fold_slow, run, run_jobs
from workers.start import connected
from workers.worker_processes import WorkerProcesses

KEY_S: Final = 1.0
"""Seconds after which the signing key's file is read again."""


def main() -> int:
    """Run a worker until it is stopped; return 2 if a setting, a ruleset or a server is unusable."""
    try:
        settings = Settings.from_environment()
        keys = settings.secret_keys()
        settings.signing_key()
        signing_memory = SigningMemory(settings.signing_memory_file)
        storage = storage_of(settings)
        registry = installed()
        policy = policy_of(settings)
    except (SettingsError, RulesetUnusable) as faults:
        sys.stderr.write(f"{faults}\n")
        return 2
    except Exception as fault:  # noqa: BLE001 - one line, whatever a file or a library does at the start
        sys.stderr.write(f"the worker cannot start: {type(fault).__name__}: {fault}\n")
        return 2
    if settings.streams_url is None or settings.queue_url is None:
        sys.stderr.write("REWOUND_STREAMS_URL, REWOUND_QUEUE_URL: a lone worker needs running servers\n")
        return 2
    write_json_lines(settings.log_level)
    digest_all(registry)
    processes = WorkerProcesses(
        partial(_run_jobs, settings, registry, keys, storage),
        partial(_fold_slow, settings, registry, keys, storage),
    )
    try:
        tracing.begin("rewound-worker")
        queue = queue_client(settings.queue_url)
        check_queue(queue)
        log = connected(settings.streams_url, settings.replicas)
    except (StoreRefused, TracesUnusable) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    except Exception as fault:  # noqa: BLE001 - as above
        sys.stderr.write(f"the worker cannot start: {type(fault).__name__}: {fault}\n")
        return 2

    processes.start()
    signer = signer_of(settings, time.monotonic)
    bound_memory(settings.process_mb)
    collect_seldom()
    switch_often()
    run(
        log,
        queue,
        registry,
        keys=keys,
        signer=signer,
        signing_memory=signing_memory,
        groups=settings.groups,
        address_guard=WebhookAddressGuard.of(settings.webhook_networks),
        storage=storage,
        keeping=Keeping(settings.archive_days, settings.retention_days),
        policy=policy,
        processes=processes,
    )
    tracing.end()
    return 0


def _run_jobs(settings: Settings, registry: Registry, keys: Keyring, storage: Storage, heard: int) -> None:
    """Run the jobs of this worker, in a process of their own."""
    assert settings.streams_url is not None, "the worker has it"
    bound_memory(settings.process_mb)
    collect_seldom()
    run_jobs(
        connected(settings.streams_url, settings.replicas),
        registry,
        heard,
        keys=keys,
        signer=signer_of(settings, time.monotonic),
        signing_memory=SigningMemory(settings.signing_memory_file),
        storage=storage,
        durability=REPLICATED if settings.replicas else DURABLE,
    )


def _fold_slow(
    settings: Settings, registry: Registry, keys: Keyring, storage: Storage, channel: socket
) -> None:
    """Fold the slow encounters of this worker, in a process of their own."""
    assert settings.streams_url is not None, "the worker has it"
    tracing.begin("rewound-worker")
    bound_memory(settings.process_mb)
    collect_seldom()
    switch_often()
    fold_slow(
        connected(settings.streams_url, settings.replicas),
        registry,
        channel,
        keys=keys,
        signer=signer_of(settings, time.monotonic),
        storage=storage,
    )
    tracing.end()


def signer_of(settings: Settings, clock: Callable[[], float]) -> Callable[[], Signer]:
    """Return a function that returns a signer with the current key, which may be rotated meanwhile.

    The key's file is read at most once in `KEY_S` seconds.
    """
    read: RecentCache[str, Signer] = RecentCache(1, seconds=KEY_S, clock=clock)
    return lambda: read.get_or_add("", lambda: Signer(settings.origin, settings.signing_key()))


def policy_of(settings: Settings) -> Policy:
    """Return the policy that names the witnesses of the settings; raises `SettingsError`."""
    if settings.witness_policy_file is None:
        return Policy()
    try:
        return read_policy(settings.witness_policy_file.read_bytes())
    except (OSError, BadPolicy) as fault:
        raise SettingsError([f"REWOUND_WITNESS_POLICY_FILE: {fault}"]) from fault


if __name__ == "__main__":
    sys.exit(main())
