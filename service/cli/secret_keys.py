"""Change the secret key in steps, while the service runs.

A step changes the key file, or prints the value for `REWOUND_SECRET_KEY`. Between two steps every process is
restarted with the new keys, one after the other, so each process can open what the others seal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Final

import click

from service.cli.backup import with_secret_key
from service.cli.environment import read_settings
from service.cli.store import NotServing, opened
from service.cli.terminal import Failure, say
from service.key_files import Keyring, SettingsError, new_key, write_keyring
from service.log import Log, LogError
from service.settings import Settings
from service.stores.archive import container
from service.stores.resealing import encounters, reseal, sealed_by
from service.stores.secrets import service_key_of

_SHOWN: Final = 8


@click.group("secret")
def secret_keys() -> None:
    """Show the secret keys, and change them: add, use, reseal, drop.

    Restart every process of the service, or copy the keys to it, after `add`, after `use` and after `drop`.
    """


@secret_keys.command("show")
def show() -> None:
    """Show which secret key seals, and how many encounters each one opens; never a key itself."""
    settings = _settings()
    ring = settings.secret_keys()
    counts = Counter(_sealed(settings, ring))
    for place, key in enumerate(ring.keys):
        what = "seals" if place == 0 else "opens"
        say(f"{_mark(key)}  {what}  the seeds of {counts[place]} encounters")
    if ring.archives:
        say(f"{len(ring.archives)} earlier keys open archived files, and nothing else")
    if counts[None]:
        raise Failure(f"no key opens the seeds of {counts[None]} encounters: rewound doctor")


@secret_keys.command("add")
def add() -> None:
    """Add a new key, which opens and does not seal yet. First step; restart all processes after it."""
    settings = _settings()
    ring = settings.secret_keys()
    added = new_key()
    _write(settings, replace(ring, keys=(*ring.keys, added), tokens=service_key_of(ring)))
    say(f"{_mark(added)} is added: restart every process with it, then: rewound keys secret use", err=True)


@secret_keys.command("use")
def use() -> None:
    """Seal with the newest key from now on. Second step; restart all processes after it."""
    settings = _settings()
    ring = settings.secret_keys()
    *older, newest = ring.keys
    if not older:
        raise Failure("there is one secret key: rewound keys secret add")
    _write(settings, replace(ring, keys=(newest, *older)))
    say(f"{_mark(newest)} seals: restart every process, then: rewound keys secret reseal", err=True)


@secret_keys.command("reseal")
def reseal_all() -> None:
    """Seal the seeds of all encounters with the key that seals. Third step, while the service runs."""
    settings = _settings()
    ring = settings.secret_keys()
    with _store(settings) as log:
        done = sum(reseal(log, encounter, ring.keys) for encounter in encounters(log))
    say(f"{done} encounters are sealed again, with {_mark(ring.keys[0])}", err=True)
    say("What older backups hold needs the older keys: keep a copy for as long as those backups.", err=True)


@secret_keys.command("drop")
def drop() -> None:
    """Drop all older keys, once nothing in the store needs them. Last step; restart all processes after it.

    What remains of them opens archived files and nothing else.
    """
    settings = _settings()
    ring = settings.secret_keys()
    needed = sum(place != 0 for place in _sealed(settings, ring))
    if needed:
        raise Failure(f"the seeds of {needed} encounters need an older key: rewound keys secret reseal")
    archives = tuple(dict.fromkeys((*ring.archives, *map(container.key_of, ring.keys[1:]))))
    _write(settings, replace(ring, keys=ring.keys[:1], archives=archives))
    say(f"{_mark(ring.keys[0])} is the only key: restart every process with it", err=True)


def _settings() -> Settings:
    return with_secret_key(read_settings().settings)


@contextmanager
def _store(settings: Settings) -> Iterator[Log]:
    try:
        with opened(settings) as log:
            yield log
    except (NotServing, LogError, SettingsError) as fault:
        raise Failure(str(fault)) from fault


def _sealed(settings: Settings, ring: Keyring) -> list[int | None]:
    """Return for every encounter that has seeds the place of the key that opens them."""
    with _store(settings) as log:
        found = [sealed_by(log, encounter, ring.keys) for encounter in encounters(log)]
    return [place for has_seeds, place in found if has_seeds]


def _write(settings: Settings, ring: Keyring) -> None:
    """Put *ring* into the key file, or print it for the setting that names the keys."""
    if settings.given_keys is not None:
        say("REWOUND_SECRET_KEY=" + ring.text(","))
        return
    try:
        write_keyring(settings.key_file, ring)
    except OSError as fault:
        raise Failure(f"{settings.key_file} cannot be written: {fault}") from fault


def _mark(key: bytes) -> str:
    """Return what tells one key from another and shows nothing of it."""
    return sha256(b"rewound/key-mark/1" + key).hexdigest()[:_SHOWN]
