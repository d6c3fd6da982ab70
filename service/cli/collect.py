"""Collect: fetch the files of an evening from a service, as its organiser."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

import click

from rewound_client import Problem, Rewound, RewoundError
from service.audit.evening import FIGHTS, KEYS
from service.cli.client import connect, described, unanswered
from service.cli.terminal import Failure, say
from service.record.canonical import dumps

_DAY: Final = "%Y-%m-%d"


@click.command("collect")
@click.argument("url")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--key", required=True, envvar="REWOUND_KEY", help="Your API key, or REWOUND_KEY.")
@click.option(
    "--since",
    type=click.DateTime([_DAY]),
    help="Only encounters that were opened on this day or later (UTC).",
)
def command(url: str, directory: Path, key: str, since: datetime | None) -> None:
    """Fetch every encounter of your key at URL into DIRECTORY, for `rewound verify DIRECTORY`.

    Forks are left out. Each gets its bundle and, if the service has a public log, its log proof. `keys.txt`
    and `fights.txt` are written if they do not exist: the keys that the service publishes, and the list of
    its encounters. A host could leave a fight out of its list or name another key, so fetch both before the
    evening, or compare them.
    """
    day = "" if since is None else f"{since:{_DAY}}"
    nobody = unanswered(url)
    if nobody is not None:
        raise Failure(nobody)
    directory.mkdir(parents=True, exist_ok=True)
    with connect(url.rstrip("/"), key) as client:
        try:
            fights = [
                each for each in client.encounters() if each["opened"] >= day and each["expires"] is None
            ]
            keys = client.call("GET", "/keys")["keys"]
            for each in fights:
                _fetch(client, each["encounter"], directory)
        except RewoundError as fault:
            raise Failure(described(fault, url)) from fault
    listed = [f"{each['encounter']} {each['title']}".rstrip() for each in fights]
    _write_once(directory / FIGHTS, listed, "the list of fights is the service's own")
    _write_once(
        directory / KEYS, [each["public_key"] for each in keys], "the keys are those that it publishes"
    )
    say(f"{len(fights)} fights are in {directory}")


def _fetch(client: Rewound, encounter: str, directory: Path) -> None:
    """Write the bundle of *encounter* and its log proof."""
    (directory / f"{encounter}.jsonl").write_bytes(client.encounter(encounter).bundle())
    try:
        proof = client.call("GET", f"/encounters/{encounter}/log-proof")
    except Problem:
        return  # the service has no public log, or nothing of this encounter in it
    if not proof["checkpoints"]:
        return  # the log is not signed yet
    (directory / f"{encounter}.log-proof.json").write_bytes(dumps(proof))


def _write_once(file: Path, lines: list[str], warning: str) -> None:
    if file.exists():
        return
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    say(f"{file}: {warning}; compare it with what you know")
