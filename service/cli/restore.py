"""Restore: put a backup into an empty store, and name what was lost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from service.audit.backed_up import BackupCheck, LostCommits, lost_since
from service.audit.signing_memory import SigningMemory
from service.cli.backup import check_of, place_of, summary, with_secret_key
from service.cli.environment import read_settings
from service.cli.store import NotServing, opened
from service.cli.terminal import Failure, say
from service.core.continuation import throws_dice
from service.log import Log, LogError
from service.log.errors import FORMAT
from service.settings import Settings, SettingsError
from service.stores import removals
from service.stores.archive.opening import storage_of
from service.stores.archive.storage import ArchiveUnavailable, Storage
from service.stores.backups import container, restoring
from service.stores.backups.container import BackupRefused, Manifest
from service.stores.backups.restoring import RestoredEncounter
from service.stores.disputes import lost_lines
from service.stores.encounter_index import EncounterIndex
from service.usecases.restored import suspend

_SEEN: Final = 2
"""Epochs that are enough beside a signing memory, which knows the signed ones: the open one, and the next."""
_UNSEEN: Final = 16


@click.command("restore")
@click.argument("name", required=False)
@click.option(
    "--from",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory; without it the backup is read from the archive's storage.",
)
@click.option("--check", "only_check", is_flag=True, help="Read and check all of it; restore nothing.")
@click.option(
    "--epochs",
    type=click.IntRange(1, 50),
    help=f"By how many epochs open encounters advance; {_SEEN}, or {_UNSEEN} without a signing memory.",
)
def command(name: str | None, directory: Path | None, epochs: int | None, *, only_check: bool) -> None:
    """Put the backup NAME, or the newest one, into an empty store.

    All of it is read and checked first: a file that is missing, cut short or changed is named, and nothing is
    restored. Put the key files back before this, and the newest signing memory: what it has seen signed and
    the backup does not have is named. Each open encounter waits until its gm accepts the history, and goes on
    with dice that nobody has seen.
    """
    settings = with_secret_key(read_settings().settings)
    keys = container.keys_of(settings.secret_keys())
    try:
        source = place_of(settings, directory)
        manifest = container.read_manifest(source, name or _newest(source), keys)
        check = _check(manifest, source, settings, keys)
        if only_check:
            say(f"{manifest.backup} is whole: {summary(manifest)}")
            return
        wanted = epochs or (_SEEN if settings.signing_memory_file.exists() else _UNSEEN)
        result = _restored(manifest, source, settings, check, wanted)
    except (NotServing, LogError, SettingsError, ArchiveUnavailable, BackupRefused) as fault:
        raise Failure(f"nothing was restored: {fault}") from fault
    _report(manifest, settings, result)


def _newest(source: Storage) -> str:
    names = container.finished(source)
    if not names:
        raise BackupRefused("there is no finished backup: rewound backup makes one")
    return names[-1]


def _check(manifest: Manifest, source: Storage, settings: Settings, keys: Sequence[bytes]) -> BackupCheck:
    """Read and check all of a backup; raises `BackupRefused`."""
    if manifest.store != FORMAT:
        raise BackupRefused(
            f"{manifest.backup} is of a store of the format {manifest.store}, not {FORMAT}: "
            "restore it with the release that made it"
        )
    check = check_of(settings)
    for item in container.read_parts(source, manifest.parts, keys):
        check.take(item)
    if check.unsound != manifest.unsound:
        encounter, verdict = next(iter(check.unsound.items() ^ manifest.unsound.items()))
        raise BackupRefused(f"{manifest.backup}: {encounter} is not as it was written: {verdict}")
    return check


@dataclass(frozen=True)
class RestoreResult:
    """What a restore did beyond putting the backup into the store."""

    lost: list[LostCommits]
    epochs: int
    """By how many epochs the open encounters advance once their gms accept the history."""
    suspended: int
    """How many encounters these are."""
    undecided: list[str]
    """Encounters whose opening waited in the backup."""


def _restored(
    manifest: Manifest, source: Storage, settings: Settings, check: BackupCheck, epochs: int
) -> RestoreResult:
    """Restore a checked backup."""
    now, keys = time.time(), container.keys_of(settings.secret_keys())
    with opened(settings) as log:
        restoring.begin(log, manifest.backup)
        items = container.read_parts(source, manifest.parts, keys)
        restored = restoring.put_encounters(log, storage_of(settings), items, check.opened, now)
        restoring.put_records(log, container.read_parts(source, manifest.parts, keys))
        file = settings.signing_memory_file
        result = suspend_open(log, restored, SigningMemory(file) if file.exists() else None, epochs, now)
        restoring.done(log, manifest.backup)
    return result


def suspend_open(
    log: Log,
    restored: Mapping[str, RestoredEncounter],
    memory: SigningMemory | None,
    epochs: int,
    now: float,
) -> RestoreResult:
    """Suspend the open encounters of *restored* until their gms accept the history; return what was done.

    *memory* is what this machine has signed; *now* is in seconds since 1970.
    """
    commits = {encounter: each.commits for encounter, each in restored.items()}
    lost = [] if memory is None else list(lost_since(memory, log, commits, now))
    open_ = _open(log, restored, now) - {each.encounter for each in lost}
    undecided = sorted(each for each in open_ if not restored[each].commits)
    register = EncounterIndex(log)
    for encounter in sorted(open_ - set(undecided)):
        entry = register.find(encounter)
        signed = [] if memory is None else memory.lines_of(register.root(encounter))
        # The lines of a fight throw the same dice, and one that the backup lacks may have gone further.
        seen = max([restored[encounter].epoch + epochs - 1, *[each.epoch for each in signed]])
        lines = lost_lines(log, (each for each in signed if each.encounter != encounter))
        suspend(log, encounter, restored[encounter], seen, entry.owner if entry else "", lines)
    return RestoreResult(lost, epochs, len(open_) - len(undecided), undecided)


def _open(log: Log, restored: Mapping[str, RestoredEncounter], now: float) -> set[str]:
    """Return the encounters for which dice may still be thrown."""
    register = EncounterIndex(log)
    found = set()
    for encounter, each in restored.items():
        entry = register.find(encounter)
        is_here = entry is not None and not entry.has_expired(now) and removals.find(log, encounter) is None
        if each.is_open and is_here and throws_dice(log, encounter):
            found.add(encounter)
    return found


def _report(manifest: Manifest, settings: Settings, result: RestoreResult) -> None:
    say(f"restored {manifest.backup}: {summary(manifest)}")
    for encounter, verdict in manifest.unsound.items():
        say(f"unsound   {encounter}: as it was in the store: {verdict}")
    for each in result.lost:
        if each.restored:
            say(
                f"lost      {each.encounter}: commits {each.restored + 1} to {each.signed}, which were signed"
            )
        else:
            say(f"missing   {each.encounter}: {each.signed} commits were signed (owner {each.owner})")
    for encounter in result.undecided:
        say(f"undecided {encounter}: its opening waited in the backup")
    if result.suspended:
        say(
            f"{result.suspended} other open encounters advance by {result.epochs} epochs. What was played "
            f"after {manifest.began} and not signed is lost without a name; its dice do not fall again."
        )
    if result.suspended or any(each.restored for each in result.lost):
        say("An encounter takes no play until its gm sends `accept_history` with the dispute that it shows.")
    if result.undecided:
        say("Where an undecided one was played after the backup, its gm first sends `advance_epoch`.")
    if not settings.signing_memory_file.exists():
        memory = settings.signing_memory_file
        say(f"{memory} does not exist: what was signed after the backup cannot be named.")
        say(f"Where more than {result.epochs - 1} rounds may be lost, restore again with --epochs.")
    if not settings.signing_key_file.exists():
        say(f"{settings.signing_key_file} does not exist: put it back, or signatures begin with a new key.")
