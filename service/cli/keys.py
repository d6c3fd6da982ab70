"""Keys: the API keys, which open encounters, and the keys with which this service signs.

An API key is shown once, when it is made. The public half of a signing key is shown to everybody.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import click

from service.audit import signing
from service.audit.notes import verifier_key
from service.cli.environment import read_settings
from service.cli.secret_keys import secret_keys
from service.cli.store import opened
from service.cli.terminal import Failure, say
from service.key_files import read_or_create_key
from service.stores import api_keys

_DAY_S = 86_400


@click.group("keys")
def command() -> None:
    """List, create and revoke API keys; show and rotate the signing key and the secret key."""


command.add_command(secret_keys)


@command.command("list")
def list_keys() -> None:
    """List all API keys with their attributes, never the keys themselves."""
    with opened(read_settings().settings) as log:
        found = list(api_keys.listed(log))
    now = time.time()
    for key in found:
        state = "valid" if key.is_valid(now) else "revoked" if key.ended else "expired"
        ends = "never ends" if key.expires is None else f"ends {_day(key.expires)}"
        say(f"{key.id}  {state:<8} {_day(key.created)}  {ends}  {','.join(key.scopes)}  {key.name}")
    if not found:
        say("There is no key yet; make one with: rewound keys create NAME", err=True)


@command.command("create")
@click.argument("name")
@click.option("--read-only", is_flag=True, help="A key that may only read.")
@click.option("--operator", is_flag=True, help="A key that may also read the service's metrics.")
@click.option("--days", type=click.IntRange(1, 3650), help="How long the key is valid (default: forever).")
def create_key(name: str, days: int | None, *, read_only: bool, operator: bool) -> None:
    """Make a key called NAME and print it; it is not shown again.

    Each key made here is a separate owner: it does not see the encounters of another key, even with the same
    NAME. To make more keys of one owner, use POST /v1/api-keys.
    """
    now = time.time()
    expires = None if days is None else int(now) + days * _DAY_S
    scopes = ("read",) if read_only else api_keys.SCOPES if operator else api_keys.USUAL
    with opened(read_settings().settings) as log:
        token, key = api_keys.create(log, name, now, scopes=scopes, expires=expires)
    say(f"Key {key.id} for {name}, a new owner; it is not shown again:", err=True)
    say(token)


@command.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke_key(key_id: str) -> None:
    """Revoke the key ID permanently; its owner's encounters stay."""
    with opened(read_settings().settings) as log:
        if not api_keys.end(log, key_id):
            raise Failure(f"there is no key {key_id}: see rewound keys list")
    say(f"Key {key_id} is revoked; a process that has just used it may accept it for three seconds.")


@command.command("signing")
@click.argument("encounter", required=False)
def list_signing_keys(encounter: str | None) -> None:
    """List the public keys that this service has signed with, the oldest first.

    With ENCOUNTER each is printed as the verifier key of that encounter's checkpoints, for `rewound verify
    --key`. With `log` for ENCOUNTER it is that of the public log, for witnesses and policies.
    """
    with opened(read_settings().settings) as log:
        found = signing.published(log)
    for key in found:
        public = bytes.fromhex(key.public)
        name = None if encounter is None else signing.name_of(key.name, encounter)
        line = f"{_day(key.since)}  {key.name}  {key.public}" if name is None else verifier_key(name, public)
        say(line)
    if not found:
        say("Nothing is signed yet; the first worker that starts makes the key", err=True)


@command.command("rotate")
def rotate_signing_key() -> None:
    """Replace the signing key. The old key vouches for the new one and is destroyed."""
    settings = read_settings().settings
    with opened(settings) as log:
        key = signing.rotate(log, settings.origin, settings.signing_key_file, time.time(), read_or_create_key)
    say(key.public)
    say("It signs the public log too: witnesses need the last line of: rewound keys signing log", err=True)


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
