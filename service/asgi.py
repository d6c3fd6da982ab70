"""Create the application of one API process from the environment."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import Final

import structlog

from service import tracing
from service.api.app import create_app, prepare
from service.api.loop.adapter import LoopApplication
from service.api.loop.sockets import SocketLimits
from service.api.quotas import RateLimits
from service.log import StoreFailure, StoreRefused
from service.log.valkey import ValkeyLog
from service.log.valkey.loop_log import ValkeyLoopLog
from service.log.valkey.queue import queue_client
from service.logs import write_json_lines
from service.memory_bound import bound_memory
from service.record.digest import ruleset_digest
from service.rulesets import RulesetUnusable, installed
from service.settings import Settings, SettingsError
from service.signals.doorbell import RqNotifier
from service.signals.feeds import FeedLimits
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores.archive.archive_log import ArchiveLoopLog, with_archive
from service.stores.archive.container import keys_of
from service.stores.archive.opening import storage_of
from service.stores.owner_quotas import StorageQuotas
from service.tracing import TracesUnusable
from service.usecases.services import make_services

BOOT_ERROR: Final = 3
"""The exit status on which gunicorn's master ends instead of starting another process."""

_RETRY_S: Final = 0.5
_logger: Final = structlog.get_logger()


def application() -> LoopApplication:
    """Return the application; end this process, with one line of why, if it cannot be made."""
    try:
        return _application()
    except Exception as fault:  # noqa: BLE001 - whatever a file, a server or a library does at the start
        is_said = isinstance(fault, SettingsError | StoreRefused | RulesetUnusable | TracesUnusable)
        why = str(fault) if is_said else f"{type(fault).__name__}: {fault}"
        write_json_lines("info")
        _logger.critical("api.not_started", why=why)
        sys.exit(BOOT_ERROR)


def warm() -> None:
    """Compile what every application has, so that a process which is forked from this one need not."""
    prepare(installed())


def _application() -> LoopApplication:
    """Return the application.

    Raises `SettingsError`, `StoreRefused` for an unusable store, `RulesetUnusable` and `TracesUnusable`.
    """
    settings = Settings.from_environment()
    if settings.streams_url is None or settings.queue_url is None:
        raise SettingsError(
            ["REWOUND_STREAMS_URL, REWOUND_QUEUE_URL: an API process that runs alone needs both servers"]
        )
    bound_memory(settings.process_mb)
    write_json_lines(settings.log_level)
    tracing.begin("rewound-api")
    registry = installed()
    log = ValkeyLog.at(settings.streams_url, replicas=settings.replicas)
    try:
        _open(log)
    except StoreFailure as failure:  # requests are answered 503 until the store serves
        _logger.warning("store.waiting", why=str(failure))
        Thread(target=_open_when_there, args=(log,), name="store", daemon=True).start()
    with_archived = with_archive(log, storage_of(settings), keys_of(settings.secret_keys()))
    on_loop = ArchiveLoopLog(ValkeyLoopLog(log), with_archived)
    ringer = RqNotifier(queue_client(settings.queue_url))
    host = make_services(
        with_archived,
        registry,
        ring=ringer.ring,
        clock=time.time,
        keys=settings.secret_keys(),
        mode="replicated" if settings.replicas else "durable",
        on_loop=on_loop,
    )
    for ruleset in registry.values():
        ruleset_digest(ruleset)  # slow, as it reads every source: so once, before the first request
    host = replace(
        host,
        accepted_keys=settings.accepted_keys,
        address_guard=WebhookAddressGuard.of(settings.webhook_networks),
        fork_days=settings.fork_days,
    )
    host.feeds.room = FeedLimits(process=settings.api_streams, owner=settings.api_owner_streams)
    host.refusals.most = settings.refusal_limit
    host.capacity.quotas = StorageQuotas.of(
        settings.owner_encounters, settings.owner_commands, settings.owner_mb
    )
    bounds = RateLimits(
        caller=settings.rate_limit,
        owner=settings.owner_rate_limit,
        guesses=settings.guess_limit,
        anonymous=settings.anonymous_limit,
        counters=settings.limits_url,
        rare_counters=settings.limits_url or settings.queue_url,
    )
    app = create_app(host, bounds, settings.cors_origins)
    limits = SocketLimits(
        sockets=settings.api_sockets,
        address_sockets=0 if settings.proxies else settings.api_address_sockets,
        head_s=settings.head_s,
        body_s=settings.body_s,
    )
    listening = partial(host.outcomes.listen_on, on_loop)
    return LoopApplication(app, limits, beside=listening, proxies=settings.proxies)


def _open(log: ValkeyLog) -> None:
    """Prepare the store for this process; raise `StoreFailure` and `StoreRefused`."""
    log.install()
    log.check_durable()


def _open_when_there(log: ValkeyLog) -> None:
    """Prepare the store as soon as it serves; end this process if the store may lose commands."""
    while True:
        time.sleep(_RETRY_S)
        try:
            _open(log)
        except StoreFailure:
            continue
        except StoreRefused as fault:
            _logger.critical("store.refused", why=str(fault))
            os.kill(os.getpid(), signal.SIGTERM)  # gunicorn's next process fails at its start and logs why
        else:
            _logger.info("store.opened")
        return
