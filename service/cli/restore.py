"""Restore: put a backup into an empty store, and name what was lost."""

from __future__ import annotations

import time
from pathlib import Path

import click

from service.audit.backed_up import BackupCheck, LostCommits, lost_since
from service.audit.witness import Witness
from service.cli.backup import check_of, place_of, summary, with_secret_key
from service.cli.environment import read_settings
from service.cli.local_service import NotServing
from service.cli.store import opened
from service.cli.terminal import Failure, say
from service.log import LogError
from service.log.errors import FORMAT
from service.settings import Settings, SettingsError
from service.stores.archive.opening import storage_of
from service.stores.archive.storage import ArchiveUnavailable, Storage
from service.stores.backups import container, restoring
from service.stores.backups.container import BackupRefused, Manifest


@click.command("restore")
@click.argument("name", required=False)
@click.option(
    "--from",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory; without it the backup is read from the archive's storage.",
)
@click.option("--check", "only_check", is_flag=True, help="Read and check all of it; restore nothing.")
def command(name: str | None, directory: Path | None, *, only_check: bool) -> None:
    """Put the backup NAME, or the newest one, into an empty store.

    All of it is read and checked first: a file that is missing, cut short or changed is named, and nothing is
    restored. Put the key files back before this, and the newest witness: what it has seen signed and the
    backup does not have is named, and each gm has to accept it.
    """
    settings = with_secret_key(read_settings().settings)
    key = container.key_of(settings.secret_key())
    try:
        source = place_of(settings, directory)
        manifest = container.read_manifest(source, name or _newest(source), key)
        check = _check(manifest, source, settings, key)
        if only_check:
            say(f"{manifest.backup} is whole: {summary(manifest)}")
            return
        lost = _restored(manifest, source, settings, key, check)
    except (NotServing, LogError, SettingsError, ArchiveUnavailable, BackupRefused) as fault:
        raise Failure(f"nothing was restored: {fault}") from fault
    _report(manifest, settings, lost)


def _newest(source: Storage) -> str:
    names = container.finished(source)
    if not names:
        raise BackupRefused("there is no finished backup")
    return names[-1]


def _check(manifest: Manifest, source: Storage, settings: Settings, key: bytes) -> BackupCheck:
    """Read and check all of a backup; raises `BackupRefused`."""
    if manifest.store != FORMAT:
        raise BackupRefused(f"{manifest.backup} is of a store of the format {manifest.store}, not {FORMAT}")
    check = check_of(settings)
    for item in container.read_parts(source, manifest.parts, key):
        check.take(item)
    if check.unsound != manifest.unsound:
        encounter, verdict = next(iter(check.unsound.items() ^ manifest.unsound.items()))
        raise BackupRefused(f"{manifest.backup}: {encounter} is not as it was written: {verdict}")
    return check


def _restored(
    manifest: Manifest, source: Storage, settings: Settings, key: bytes, check: BackupCheck
) -> list[LostCommits]:
    """Restore a checked backup; return what the witness has seen and it does not have."""
    now = time.time()
    with opened(settings) as log:
        restoring.begin(log, manifest.backup)
        items = container.read_parts(source, manifest.parts, key)
        commits = restoring.put_encounters(log, storage_of(settings), items, check.opened, now)
        restoring.put_records(log, container.read_parts(source, manifest.parts, key))
        restoring.done(log, manifest.backup)
        if not settings.witness_file.exists():
            return []
        return list(lost_since(Witness(settings.witness_file), log, commits, now))


def _report(manifest: Manifest, settings: Settings, lost: list[LostCommits]) -> None:
    say(f"restored {manifest.backup}: {summary(manifest)}")
    for encounter, verdict in manifest.unsound.items():
        say(f"unsound   {encounter}: as it was in the store: {verdict}")
    for each in lost:
        if each.restored:
            say(
                f"lost      {each.encounter}: commits {each.restored + 1} to {each.signed}, which were signed"
            )
        else:
            say(f"missing   {each.encounter}: {each.signed} commits were signed (owner {each.owner})")
    if any(each.restored for each in lost):
        say("Each of these takes no play until its gm sends `accept_history` with the dispute that it shows.")
    if not settings.witness_file.exists():
        say(f"{settings.witness_file} does not exist: what was signed after the backup cannot be named.")
    if not settings.signing_key_file.exists():
        say(f"{settings.signing_key_file} does not exist: put it back, or signatures begin with a new key.")
    say(
        "What was played after the backup and not signed is lost without a trace here. Where anybody may have"
    )
    say("seen its dice, the gm sends `advance_epoch` before play goes on.")
