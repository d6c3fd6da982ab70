"""Backup: write the whole store into files while the service runs, and check every encounter meanwhile."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

import click

from service.audit.backed_up import BackupCheck
from service.cli.environment import read_settings
from service.cli.store import NotServing, opened
from service.cli.terminal import Failure, say
from service.log import LogError
from service.log.errors import FORMAT
from service.record.timestamps import timestamp_of
from service.settings import Settings, SettingsError
from service.signals import heartbeats
from service.stores.archive import container as archive_container
from service.stores.archive.opening import storage_of
from service.stores.archive.storage import ArchiveUnavailable, DirectoryStorage, Storage
from service.stores.backups import container
from service.stores.backups.capture import captured
from service.stores.backups.container import BackupRefused, BackupWriter, Manifest

_MEGABYTE: Final = 1_000_000


@click.command("backup")
@click.option(
    "--to",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="A directory; without it the backup goes to the archive's storage.",
)
@click.option("--encrypt", is_flag=True, help="Seal it with a key that follows from the secret key.")
@click.option(
    "--keep", type=click.IntRange(1), help="Delete older backups there when this one is finished; keep KEEP."
)
def command(directory: Path | None, keep: int | None, *, encrypt: bool) -> None:
    """Back up the store, also while the service runs.

    Every encounter is consistent, and what was acknowledged before the command began is in the backup. Each
    file is read again and checked before the backup counts. The key files are not in it: keep them elsewhere.
    """
    settings = with_secret_key(read_settings().settings)
    try:
        target = place_of(settings, directory)
        with opened(settings) as log:
            name = container.name_at(time.time())
            sealing = container.keys_of(settings.secret_keys())[0] if encrypt else None
            began = timestamp_of(time.time())
            writer = BackupWriter(target, name, sealing)
            for item in captured(log, storage_of(settings), frozenset({heartbeats.COLLECTION})):
                writer.add(item)
            writer.flush()
        written = Manifest(name, began, version("rewound"), FORMAT, parts=tuple(writer.parts))
        manifest = _checked(written, target, settings)
        writer.finish(manifest)
        container.read_manifest(target, name, container.keys_of(settings.secret_keys()))
        dropped = _dropped(target, name, keep) if keep else []
    except (NotServing, LogError, SettingsError, ArchiveUnavailable, BackupRefused) as fault:
        raise Failure(f"no backup was made: {fault}") from fault
    for encounter, verdict in manifest.unsound.items():
        say(f"rewound: {encounter} was not sound in the store: {verdict}; it is backed up as it is", err=True)
    for old in dropped:
        say(f"rewound: {old} is deleted", err=True)
    say(f"{name}: {summary(manifest)}")


def _checked(manifest: Manifest, target: Storage, settings: Settings) -> Manifest:
    """Return *manifest* with what its parts have, which are read again; raises `BackupRefused`."""
    check = check_of(settings)
    for item in container.read_parts(target, manifest.parts, container.keys_of(settings.secret_keys())):
        check.take(item)
    return replace(
        manifest,
        encounters=check.encounters,
        archived=check.archived,
        commits=check.commits,
        waiting=check.waiting,
        records=check.records,
        unsound=check.unsound,
    )


def _dropped(target: Storage, name: str, keep: int) -> list[str]:
    """Delete all but the newest *keep* backups, and unfinished ones before this; return their names."""
    old = container.finished(target)[:-keep] + container.unfinished_before(target, name)
    for each in old:
        container.drop(target, each)
    return old


def with_secret_key(settings: Settings) -> Settings:
    """Return *settings* if the secret key is there; raises a `Failure`, because a new one opens nothing."""
    if settings.given_keys is None and not settings.key_file.exists():
        raise Failure(
            f"{settings.key_file} does not exist: put back the service's secret key, "
            "or name it in REWOUND_KEY_FILE or REWOUND_SECRET_KEY"
        )
    return settings


def place_of(settings: Settings, directory: Path | None) -> Storage:
    """Return where backups are: a directory, or the archive's storage."""
    return storage_of(settings) if directory is None else DirectoryStorage(directory)


def check_of(settings: Settings) -> BackupCheck:
    """Return a check with the keys of this installation."""
    ring = settings.secret_keys()
    return BackupCheck(ring.keys, archive_container.keys_of(ring))


def summary(manifest: Manifest) -> str:
    """Return in one line what a backup has."""
    waiting = f", {manifest.waiting} commands that wait" if manifest.waiting else ""
    archived = f" ({manifest.archived} of them archived)" if manifest.archived else ""
    return (
        f"{manifest.encounters} encounters{archived}, {manifest.commits} commits{waiting}, "
        f"{manifest.records} records; {manifest.size / _MEGABYTE:.1f} MB in {len(manifest.parts)} files; "
        f"all that was acknowledged before {manifest.began}"
    )
