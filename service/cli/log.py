"""Log: follow a public log into a directory, and count what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import urlopen

import click

from service.audit import checkpoint
from service.audit.log_writer import LogDisputed, LogWriter
from service.audit.mirror import Fetch, LogCounts, Mirror, MirrorFault, count
from service.audit.signing import Signer
from service.audit.signing_memory import SigningMemory
from service.audit.witness_policy import BadPolicy, read_policy
from service.cli.environment import read_settings
from service.cli.store import opened
from service.cli.terminal import Failure, say
from service.stores.public_log import PublicLog

_CONTRADICTED: Final = 31
_FORKED: Final = 6
_PATIENCE_S: Final = 30.0
_MOST_BYTES: Final = 32 * 2**20
_MOST_SHOWN: Final = 20


@click.group("log")
def command() -> None:
    """Follow a public log, and count openings without an end."""


@command.command("follow")
@click.argument("url")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--policy",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A policy file that names the log.",
)
def follow(url: str, directory: Path, policy: Path) -> None:
    """Fetch what is new of the log at URL (`https://host/v1/log`) into DIRECTORY, and compare it with that.

    Exit status 6: the log no longer contains what it had.
    """
    try:
        logs = read_policy(policy.read_bytes()).logs
        point, fresh = Mirror(directory).follow(_fetching(url.rstrip("/")), logs)
    except BadPolicy as fault:
        raise Failure(f"{policy}: {fault}") from fault
    except OSError as fault:
        raise Failure(f"{url}: {fault}") from fault
    except MirrorFault as fault:
        say(str(fault))
        raise SystemExit(_FORKED) from fault
    say(f"{point.origin}: {point.size} entries, {fresh} new; it begins with all that it had")


@command.command("count")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--owner", help="Only the encounters of this pseudonym.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def count_(directory: Path, owner: str | None, *, as_json: bool) -> None:
    """Count openings, and those without an end, by owner; name encounters with two histories.

    What the log names without an opening is counted as an opening of an unknown owner.

    Exit status 31: the log has two histories of an encounter.
    """
    found = count(Mirror(directory).entries())
    if owner is not None:
        found.openings = type(found.openings)({owner: found.openings[owner]})
        found.lines = type(found.lines)({owner: found.lines[owner]})
        found.open_of = {each: by for each, by in found.open_of.items() if by == owner}
    if as_json:
        say(json.dumps(_data(found)))
    else:
        _show(found)
    raise SystemExit(_CONTRADICTED if found.contradictions else 0)


@command.command("restore")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def restore(directory: Path) -> None:
    """Put the entries of a mirror back that this service's store has lost; stop the workers first."""
    settings = read_settings().settings
    mirror = Mirror(directory)
    note = mirror.latest()
    if note is None:
        raise Failure(f"{directory} has no checkpoint: rewound log follow URL {directory} fetches one")
    memory = SigningMemory(settings.signing_memory_file)
    with opened(settings) as log:
        writer = LogWriter(PublicLog(log), memory, lambda: Signer(settings.origin, settings.signing_key()))
        try:
            lost = writer.put_back(mirror.entries(), checkpoint.parse(note))
        except LogDisputed as fault:
            raise Failure(str(fault)) from fault
        finally:
            memory.close()
    say(f"{lost} entries are back")


def _data(found: LogCounts) -> dict[str, object]:
    return {
        "openings": dict(found.openings),
        "lines": dict(found.lines),
        "unended": dict(found.unended),
        "unopened": found.unopened,
        "stray": found.stray,
        "open": sorted(found.open_of),
        "contradictions": [list(each) for each in found.contradictions],
        "unreadable": found.unreadable,
    }


def _show(found: LogCounts) -> None:
    owners = len(found.openings)
    say(f"{found.openings.total()} openings by {owners} owners, {len(found.open_of)} without an end")
    for owner, openings in found.openings.most_common(_MOST_SHOWN):
        lines = f", {found.lines[owner]} lines of play" if found.lines[owner] else ""
        say(f"  {owner or 'unknown'}  {openings} openings, {found.unended[owner]} without an end{lines}")
    for encounter in found.unopened[:_MOST_SHOWN]:
        say(f"  {encounter} has no opening here: nobody can say who opened it")
    for line in found.stray[:_MOST_SHOWN]:
        say(f"  no line of play ends with {line}")
    for encounter, size in found.contradictions:
        say(f"  two histories of {size} commits of {encounter}")
    if found.unreadable:
        say(f"  {found.unreadable} entries are of a form that this version does not know")


def _fetching(url: str) -> Fetch:
    if not url.startswith(("https://", "http://")):
        raise click.UsageError("URL begins with https:// or http://")

    def fetch(path: str) -> bytes:
        try:
            with urlopen(f"{url}/{path}", timeout=_PATIENCE_S) as answer:  # noqa: S310 - checked above
                raw: bytes = answer.read(_MOST_BYTES)
                return raw
        except HTTPError as fault:
            with fault:
                raise OSError(f"{path}: {fault.code}") from fault

    return fetch
