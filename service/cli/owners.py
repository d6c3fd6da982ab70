"""Owners: what each owner stores, which encounters are the largest, and the owner's quotas."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

import click

from service.cli.environment import read_settings
from service.cli.store import opened
from service.cli.terminal import Failure, document, say
from service.log import Log
from service.settings import Settings
from service.stores import api_keys, owner_quotas
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex
from service.stores.owner_quotas import NONE, OwnQuotas, StorageQuotas

_MEGABYTE: Final = 1_000_000
_LARGE: Final = 10**9


@dataclass(frozen=True)
class OwnerUsage:
    """What one owner stores."""

    owner: str
    names: tuple[str, ...]
    """The names of the owner's keys."""
    valid_keys: int
    encounters: int
    commands: int
    bytes: int
    percent: int
    """Of the quota that is used most; 0 if there is no quota."""
    has_own_quotas: bool
    """Whether the owner was given quotas other than those of the settings."""


@click.group("owners", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the owners as JSON.")
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List what each owner stores, the largest first, and how much of the fullest quota is used.

    An owner is named by the id of its first key. Run it with the settings of the service, while it runs or
    while it is stopped.
    """
    if context.invoked_subcommand is not None:
        return
    settings = read_settings().settings
    with opened(settings) as log:
        found = owners_of(log, settings, time.time())
    if as_json:
        say(document([vars(each) for each in found]))
        return
    for each in found:
        say(
            f"{each.owner}  {each.encounters:>7} encounters {each.commands:>9} commands "
            f"{each.bytes / _MEGABYTE:>9.1f} MB {each.percent:>4} %{'*' if each.has_own_quotas else ' '} "
            f"{each.valid_keys} valid keys  {', '.join(each.names)}"
        )
    if not found:
        say("There is no owner yet; make one with: rewound keys create NAME", err=True)
    if any(each.has_own_quotas for each in found):
        say("*: has quotas of its own; see rewound owners quotas OWNER", err=True)


@command.command("largest")
@click.argument("owner")
@click.option("--count", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
def list_largest(owner: str, count: int) -> None:
    """List the largest encounters of OWNER: bytes, commands, when each was opened, its title."""
    with _of_owner(owner) as (_, capacity):
        found = nlargest(count, capacity.by_encounter(owner), key=lambda each: each[2])
    for entry, commands, size in found:
        say(
            f"{entry.encounter}  {size / _MEGABYTE:>9.2f} MB {commands:>7} commands  "
            f"{entry.opened[:10]}  {entry.title}"
        )
    if not found:
        say(f"The owner {owner} has no encounter", err=True)


@command.command("quotas")
@click.argument("owner")
@click.option("--encounters", type=click.IntRange(0, _LARGE), help="How many encounters; 0: no limit.")
@click.option("--commands", type=click.IntRange(0, _LARGE), help="How many commands in all; 0: no limit.")
@click.option("--mb", type=click.IntRange(0, _LARGE), help="How many megabytes in all; 0: no limit.")
@click.option("--reset", is_flag=True, help="First take back all quotas of the owner's own.")
def show_quotas(
    owner: str, encounters: int | None, commands: int | None, mb: int | None, *, reset: bool
) -> None:
    """Show the quotas of OWNER, after changing those that are given.

    What is not given stays. Without quotas of its own an owner has those of the settings. A running service
    heeds a change within ten seconds.
    """
    with _of_owner(owner) as (log, capacity):
        before = owner_quotas.find(log, owner)
        kept = NONE if reset else before
        wanted = OwnQuotas(
            encounters=kept.encounters if encounters is None else encounters,
            commands=kept.commands if commands is None else commands,
            bytes=kept.bytes if mb is None else mb * _MEGABYTE,
        )
        if wanted != before:
            owner_quotas.put(log, owner, wanted)
        used, quotas = capacity.usage(owner), wanted.over(capacity.quotas)
    for name in ("encounters", "commands", "bytes"):
        limit = getattr(quotas, name)
        whose = "of the settings" if getattr(wanted, name) is None else "of its own"
        say(f"{name:<10} {getattr(used, name):>12} of {limit or 'any number':>12}  ({whose})")


@contextmanager
def _of_owner(owner: str) -> Iterator[tuple[Log, Capacity]]:
    """Open the store and count in it; raise `Failure` if there is no such owner."""
    settings = read_settings().settings
    with opened(settings) as log:
        key = api_keys.known(log, owner)
        if key is None or key.owner != owner:
            raise Failure(f"there is no owner {owner}: see rewound owners")
        yield log, _capacity(log, settings)


def _capacity(log: Log, settings: Settings) -> Capacity:
    capacity = Capacity(log, EncounterIndex(log), time.time)
    capacity.quotas = StorageQuotas.of(settings.owner_encounters, settings.owner_commands, settings.owner_mb)
    return capacity


def owners_of(log: Log, settings: Settings, now: float) -> list[OwnerUsage]:
    """Return every owner that has or had a key; *now* is in seconds since 1970."""
    keys: dict[str, list[api_keys.ApiKey]] = {}
    for key in api_keys.listed(log):
        keys.setdefault(key.owner or key.id, []).append(key)
    capacity = _capacity(log, settings)
    found = []
    for owner, theirs in keys.items():
        used, quotas = capacity.usage(owner), capacity.quotas_of(owner)
        shares = (
            (used.encounters, quotas.encounters),
            (used.commands, quotas.commands),
            (used.bytes, quotas.bytes),
        )
        found.append(
            OwnerUsage(
                owner=owner,
                names=tuple(sorted({key.name for key in theirs})),
                valid_keys=sum(key.is_valid(now) for key in theirs),
                encounters=used.encounters,
                commands=used.commands,
                bytes=used.bytes,
                percent=max((100 * now_ // limit for now_, limit in shares if limit), default=0),
                has_own_quotas=capacity.own.of(owner) != NONE,
            )
        )
    return sorted(found, key=lambda each: (-each.bytes, each.owner))
