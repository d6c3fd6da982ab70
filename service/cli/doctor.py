"""Examine settings, files, store, queue, workers and keys, and say how each fault is mended.

Nothing is changed: no key file, directory or store is made. The embedded server, if it is stopped, is started
for a moment.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import click

from service.audit import signing
from service.cli.environment import read_settings
from service.cli.every_ruleset import every_ruleset
from service.cli.store import NotServing, opened
from service.cli.terminal import document, say
from service.key_files import SettingsError
from service.log import Log, LogError
from service.log.valkey.queue import check_queue, queue_client
from service.settings import Settings
from service.signals import heartbeats
from service.stores import disputes, encounter_index
from service.stores.archive.opening import storage_of
from service.stores.archive.storage import ArchiveUnavailable
from service.stores.backups import restoring
from service.stores.public_log import DOWN, FORKED, REFUSED, PublicLog
from service.stores.secrets import EncounterSecrets, Undecipherable

State = Literal["ok", "warning", "fault"]

LITTLE_BYTES: Final = 1 << 30
"""Free space on a disk that is soon used up."""
NONE_LEFT_BYTES: Final = 64 << 20
"""Free space with which the store may fail to write at any moment."""
FULL_PERCENT: Final = 90
"""Share of the store's memory from which it refuses new commands."""
AHEAD_MS: Final = 2_000
"""Milliseconds that the clock of a worker may be ahead of this machine's."""
RECENT: Final = 50
"""How many of the newest encounters are looked at."""
DISPUTES: Final = 1_000
"""How many disputes are counted at most."""


@dataclass(frozen=True)
class Diagnosis:
    """What was examined, how it is, and what mends it; *mending* is empty if nothing is wrong."""

    what: str
    state: State
    text: str
    mending: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(*, as_json: bool) -> None:
    """Examine this installation and say how each fault is mended; ends with 1 if there is a fault.

    Run it with the settings of the service, while the service runs or while it is stopped.
    """
    settings = read_settings().settings
    found = list(examined(settings))
    if as_json:
        say(document([asdict(each) for each in found]))
    else:
        for each in found:
            say(f"{each.state:<8} {each.what:<10} {each.text}")
            if each.mending:
                say(f"{'':<20}mend: {each.mending}")
    if any(each.state == "fault" for each in found):
        raise SystemExit(1)


def examined(settings: Settings) -> Iterator[Diagnosis]:
    """Yield what is found: first what needs no store, then the store and what is in it."""
    yield Diagnosis("versions", "ok", f"rewound {version('rewound')}, Python {platform.python_version()}")
    yield Diagnosis("rulesets", "ok", ", ".join(every_ruleset()))
    yield from _files(settings)
    yield from _disk(settings)
    yield _archive(settings)
    if settings.is_embedded and not settings.store_dir.exists():
        yield Diagnosis("store", "warning", "there is none yet", "rewound serve makes it at its first start")
        return
    yield from _queue(settings)
    if settings.given_keys is None and not settings.key_file.exists():  # to open the store would make one
        text = f"the store was not examined: {settings.key_file} does not exist"
        mending = "put the key back from a backup: without it no open encounter of a store goes on"
        yield Diagnosis("store", "fault" if settings.is_embedded else "warning", text, mending)
        return
    try:
        with opened(settings) as log:
            yield from store_findings(log, settings)
    except (NotServing, LogError, SettingsError) as failure:
        mending = "start its server, or correct what it says; docs/settings.md, Servers of your own"
        yield Diagnosis("store", "fault", str(failure), mending)


# --- files -------------------------------------------------------------------------------------------


def _files(settings: Settings) -> Iterator[Diagnosis]:
    """Yield how the key files are: there, readable by their owner alone, and in their form."""
    files: list[tuple[str, Path, Callable[[], object]]] = []
    if settings.given_keys is None:
        files.append(("secret key", settings.key_file, settings.secret_keys))
    if settings.workers:
        files.append(("signing key", settings.signing_key_file, settings.signing_key))
    for what, path, read in files:
        if not path.exists():
            yield Diagnosis(what, "warning", f"{path} does not exist", "the first start makes it; back it up")
            continue
        try:
            read()
        except SettingsError as failure:
            mending = f"chmod 600 {path}, or put the key back from a backup"
            yield Diagnosis(what, "fault", str(failure), mending)
        else:
            yield Diagnosis(what, "ok", str(path))
    if settings.workers:
        yield _signing_memory(settings)


def _signing_memory(settings: Settings) -> Diagnosis:
    """Return whether the signing memory is apart from the embedded store."""
    file = settings.signing_memory_file.absolute()
    if settings.is_embedded and file.is_relative_to(settings.data_dir.absolute()):
        mending = (
            "stop the service, move signing-memory.db* to another disk, and set REWOUND_SIGNING_MEMORY_FILE: "
            "a data directory that is put back whole hides what was lost"
        )
        return Diagnosis("signing memory", "warning", f"{file} is beside the store", mending)
    place = file
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        mending = "give it to the service's user, or set REWOUND_SIGNING_MEMORY_FILE"
        return Diagnosis("signing memory", "fault", f"{place} cannot be written", mending)
    return Diagnosis("signing memory", "ok", str(file))


def _disk(settings: Settings) -> Iterator[Diagnosis]:
    """Yield whether the data directory can be written, and the free space on its disk."""
    place = settings.data_dir.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK | os.X_OK):
        mending = "give it to the service's user, or set REWOUND_DATA_DIR"
        yield Diagnosis("directory", "fault", f"{place} cannot be written", mending)
    free = shutil.disk_usage(place).free
    text = f"{free / (1 << 30):.1f} GB are free at {place}"
    mending = (
        "make room, set REWOUND_ARCHIVE_DAYS and REWOUND_RETENTION_DAYS, or move the archive to a bucket"
    )
    state: State = "fault" if free < NONE_LEFT_BYTES else "warning" if free < LITTLE_BYTES else "ok"
    yield Diagnosis("disk", state, text, "" if state == "ok" else mending)


def _archive(settings: Settings) -> Diagnosis:
    place = settings.archive_url or str(settings.data_dir / "archive")
    try:
        count = len(storage_of(settings).names(""))
    except (ArchiveUnavailable, SettingsError) as failure:
        mending = "correct REWOUND_ARCHIVE_…, or the rights of its account: docs/settings.md, The archive"
        return Diagnosis("archive", "fault", str(failure), mending)
    return Diagnosis("archive", "ok", f"{count} files at {place}")


# --- servers -----------------------------------------------------------------------------------------


def _queue(settings: Settings) -> Iterator[Diagnosis]:
    if settings.queue_url is None:
        return  # the embedded server's second database
    client = queue_client(settings.queue_url)
    try:
        client.ping()
        check_queue(client)
    except Exception as failure:  # noqa: BLE001 - whatever the client raises is the diagnosis
        mending = "start it, or correct REWOUND_QUEUE_URL; commands wait meanwhile, and none is lost"
        yield Diagnosis("queue", "fault", str(failure), mending)
    else:
        yield Diagnosis("queue", "ok", "it answers")
    finally:
        client.close()


def store_findings(log: Log, settings: Settings) -> Iterator[Diagnosis]:
    """Yield what is found in a store that answers."""
    yield Diagnosis("store", "ok", "it answers, and writes to disk before it acknowledges")
    yield _memory(log)
    yield from _workers(log)
    yield from _signer(log, settings)
    yield from _secrets(log, settings)
    yield _disputes(log)
    yield _public_log(PublicLog(log))
    yield from _witnesses(PublicLog(log))
    yield from _restore(log)


def _memory(log: Log) -> Diagnosis:
    memory = log.memory()
    used = f"{memory.used / (1 << 20):.0f} MB"
    if not memory.limit:
        mending = "set maxmemory below the machine's memory; else the kernel ends the server instead"
        return Diagnosis("memory", "warning", f"{used} are used, without a limit", mending)
    percent = 100 * memory.used // memory.limit
    text = f"{used} of {memory.limit / (1 << 20):.0f} MB are used ({percent} %)"
    if percent < FULL_PERCENT:
        return Diagnosis("memory", "ok", text)
    mending = "raise REWOUND_STORE_MB or maxmemory, or set REWOUND_ARCHIVE_DAYS: new commands get 507"
    return Diagnosis("memory", "fault", text, mending)


def _workers(log: Log) -> Iterator[Diagnosis]:
    """Yield which workers are alive, and whose clock is ahead of this machine's."""
    now_ms = time.time() * 1000
    alive = heartbeats.Heartbeats(log, time.time).alive()
    if alive:
        yield Diagnosis("workers", "ok", f"{len(alive)} alive: {', '.join(alive)}")
    else:
        mending = "rewound serve, or rewound worker; commands are accepted meanwhile, and decided later"
        yield Diagnosis("workers", "warning", "no worker is alive", mending)
    ahead = [
        record.id
        for record in log.records(heartbeats.COLLECTION, None, RECENT)
        if int(record.blob) - now_ms > AHEAD_MS
    ]
    if ahead:
        text = f"ahead of this machine's clock: {', '.join(ahead)}"
        yield Diagnosis("clocks", "fault", text, "let NTP set the clocks of all machines")
    else:
        yield Diagnosis("clocks", "ok", "no worker's clock is ahead of this machine's")


# --- keys and records --------------------------------------------------------------------------------


def _signer(log: Log, settings: Settings) -> Iterator[Diagnosis]:
    """Yield whether the store knows the signing key of this machine, and an earlier key names it."""
    if not settings.workers or not settings.signing_key_file.exists():
        return
    try:
        signer = signing.Signer(settings.origin, settings.signing_key())
    except SettingsError:
        return  # found with the files
    known = signing.published(log)
    if signer.public.hex() not in {key.public for key in known}:
        text = "the key of this machine has signed nothing in this store"
        state: State = "warning" if known else "ok"
        mending = "copy the signing key of the other machines here before a worker starts" if known else ""
        yield Diagnosis("signer", state, text, mending)
    elif signing.is_unvouched(log, signer):
        text = "no earlier key of this service names the key of this machine: two series of signatures"
        mending = "copy one signing key to all machines, or replace it by rewound keys rotate"
        yield Diagnosis("signer", "fault", text, mending)
    else:
        yield Diagnosis("signer", "ok", f"{len(known)} published keys, this machine's among them")


def _secrets(log: Log, settings: Settings) -> Iterator[Diagnosis]:
    """Yield whether the secret key opens the seeds of the newest encounters."""
    if not settings.workers:
        return  # an API apart from its workers may write secrets and never read them
    keys = settings.secret_keys().keys
    opened_, closed = 0, []
    for record in log.records(encounter_index.COLLECTION, None, RECENT):
        blob = log.secret(record.id)
        if blob is None:
            continue
        try:
            EncounterSecrets.decrypt(record.id, blob, keys)
        except Undecipherable:
            closed.append(record.id)
        else:
            opened_ += 1
    if closed:
        text = (
            f"the secret key does not open the seeds of {len(closed)} of the newest encounters: {closed[0]}"
        )
        mending = "put the key that was used when they were opened into the key file or REWOUND_SECRET_KEY"
        yield Diagnosis("seeds", "fault", text, mending)
    else:
        yield Diagnosis("seeds", "ok", f"the secret key opens those of the {opened_} newest open encounters")


def _restore(log: Log) -> Iterator[Diagnosis]:
    """Yield a restore that was cut short."""
    backup = restoring.cut_short(log)
    if backup is not None:
        mending = f"stop the service and repeat: rewound restore {backup}"
        yield Diagnosis("restore", "fault", f"the restore of {backup} was cut short", mending)


def _public_log(log: PublicLog) -> Diagnosis:
    """Return whether the public log goes on."""
    dispute = log.dispute()
    if dispute is not None:
        text = (
            f"it stands still ({dispute.why}): a checkpoint of {dispute.signed} entries was signed, "
            f"and the store has {dispute.stored}"
        )
        mending = "restore a newer store, or the lost entries from a mirror: rewound log restore DIR"
        return Diagnosis("public log", "fault", text, mending)
    return Diagnosis("public log", "ok", f"{log.size()} entries")


def _witnesses(log: PublicLog) -> Iterator[Diagnosis]:
    """Yield how each witness answered last."""
    for name, known in log.witnesses().items():
        what = f"witness {name}"
        if known.outcome == FORKED:
            text = "it has cosigned another or a longer history of this log, and refuses this one"
            mending = "the store was put back, or somebody else signs with this key: docs/runbook.md"
            yield Diagnosis(what, "fault", text, mending)
        elif known.outcome in (DOWN, REFUSED):
            text = f"the last submission: {known.outcome}; it has cosigned {known.size} entries"
            mending = "ask its operator; play goes on meanwhile, and checkpoints get its cosignature later"
            yield Diagnosis(what, "warning", text, mending)
        else:
            yield Diagnosis(what, "ok", f"it has cosigned {known.size} entries")


def _disputes(log: Log) -> Diagnosis:
    """Return how many encounters differ from what this service signed about them."""
    open_ = [
        record.id
        for record in log.records(disputes.COLLECTION, None, DISPUTES)
        if not json.loads(record.blob)["accepted"]
    ]
    if not open_:
        return Diagnosis("history", "ok", "no encounter differs from what was signed about it")
    mending = "restore a newer store, or let each gm accept the record: docs/settings.md, The signing memory"
    text = f"{len(open_)} encounters differ from what was signed about them, as after a restore: {open_[0]}"
    return Diagnosis("history", "fault", text, mending)
