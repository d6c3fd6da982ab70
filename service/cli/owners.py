"""Owners: what each owner stores, and how much of the quotas that is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import click

from service.cli.environment import read_settings
from service.cli.store import opened
from service.cli.terminal import document, say
from service.log import Log
from service.settings import Settings
from service.stores import api_keys
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex

_MEGABYTE: Final = 1 << 20


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


@click.command("owners")
@click.option("--json", "as_json", is_flag=True, help="Print the owners as JSON.")
def command(*, as_json: bool) -> None:
    """List what each owner stores, the largest first, and how much of the fullest quota is used.

    An owner is named by the id of its first key. Run it with the settings of the service, while it runs or
    while it is stopped.
    """
    settings = read_settings().settings
    with opened(settings) as log:
        found = owners_of(log, settings, time.time())
    if as_json:
        say(document([vars(each) for each in found]))
        return
    for each in found:
        say(
            f"{each.owner}  {each.encounters:>7} encounters {each.commands:>9} commands "
            f"{each.bytes / _MEGABYTE:>9.1f} MB {each.percent:>4} %  {each.valid_keys} valid keys  "
            f"{', '.join(each.names)}"
        )
    if not found:
        say("There is no owner yet; make one with: rewound keys create NAME", err=True)


def owners_of(log: Log, settings: Settings, now: float) -> list[OwnerUsage]:
    """Return every owner that has or had a key; *now* is in seconds since 1970."""
    keys: dict[str, list[api_keys.ApiKey]] = {}
    for key in api_keys.listed(log):
        keys.setdefault(key.owner or key.id, []).append(key)
    capacity = Capacity(log, EncounterIndex(log), time.time)
    found = []
    for owner, theirs in keys.items():
        used = capacity.usage(owner)
        shares = (
            (used.encounters, settings.owner_encounters),
            (used.commands, settings.owner_commands),
            (used.bytes, settings.owner_mb * _MEGABYTE),
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
            )
        )
    return sorted(found, key=lambda each: (-each.bytes, each.owner))
