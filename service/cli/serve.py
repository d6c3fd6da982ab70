"""Serve: run store, API and workers on this machine until ctrl-C; `--demo` adds the sample fight.

The demo's API key is stored in the data directory with mode 0600, so that a second start shows the same key
and the same fight.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from rewound_client import Rewound, RewoundError
from service import tracing
from service.added_rulesets import added
from service.cli.addresses import lan_addresses
from service.cli.client import connect, described, page_of
from service.cli.environment import is_for_people, quiet_for_people, read_settings
from service.cli.local_service import LocalService, StartAbandoned, with_free_port
from service.cli.playing import NotAsWritten, play, sit_down
from service.cli.script import sample
from service.cli.stopping import Signals
from service.cli.store import NotServing
from service.cli.terminal import Failure, say
from service.log import Log
from service.logs import note_line, write_json_lines
from service.stores import api_keys

LOOKED_EVERY_S: Final = 0.1
DEMO_FORM: Final = "s002"
_INDENTED: Final = " | python3 -m json.tool"


@dataclass(frozen=True)
class Demo:
    """The sample fight in a store: its key and its encounter."""

    key: str
    encounter: str


@click.command("serve")
@click.option("--host", help="Address to listen on (REWOUND_HOST; 127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(1, 65_535), help="Port to listen on (REWOUND_PORT; 8000 or the next)."
)
@click.option("--workers", type=click.IntRange(1, 256), help="Worker processes (REWOUND_WORKERS; 1).")
@click.option("--demo", is_flag=True, help="Play the sample fight once, and print requests that show it.")
def command(host: str | None, port: int | None, workers: int | None, *, demo: bool) -> None:
    """Run the whole service on this machine until ctrl-C.

    Without REWOUND_STREAMS_URL and REWOUND_QUEUE_URL an embedded Valkey keeps the data in REWOUND_DATA_DIR
    (.rewound). A stop leaves no process, socket or lock behind; the next start finds all data.
    """
    signals = Signals()
    given = read_settings()
    _check_rulesets()
    _check_traces()  # as above
    settings = quiet_for_people(given.settings, demo=demo)
    say_so = _say if is_for_people(demo=demo) else _log
    write_json_lines(settings.log_level)
    settings = replace(
        settings,
        host=host or settings.host,
        port=port or settings.port,
        workers=workers or settings.workers,
    )
    settings = with_free_port(settings, is_given=port is not None or given.has_port, say=say_so)
    service = LocalService(settings, say_so, is_stopping=signals.is_stopping, is_hurried=signals.is_hurried)
    try:
        with service:
            service.wait_until_ready()
            say(f"Rewound serves {service.url}  (documentation: {service.url}/docs, ctrl-C ends it)")
            for address in lan_addresses(settings.host):
                say(f"  for phones in the same network: http://{address}:{settings.port}/")
            if demo:
                _demonstrate(service)
            while not signals.is_stopping():
                time.sleep(LOOKED_EVERY_S)
            say_so("stopping; ctrl-C again stops without waiting")
    except StartAbandoned:
        say_so("stopped before it was ready; nothing was lost")


def _check_rulesets() -> None:
    """Load the rulesets if packages add some: a faulty one is reported here, not by each process that fails.

    This process decides nothing, so it does without the two books.
    """
    if added():
        import_module("service.cli.every_ruleset").every_ruleset()


def _check_traces() -> None:
    try:
        tracing.check()
    except tracing.TracesUnusable as fault:
        raise Failure(str(fault)) from fault


def _say(text: str) -> None:
    say(f"rewound: {text}", err=True)


def _log(text: str) -> None:
    """Print *text* as a line of the log that this process, the API and the workers share."""
    say(note_line(text), err=True)


# --- the sample fight ---------------------------------------------------------------------------------


def _demonstrate(service: LocalService) -> None:
    """Play the sample fight if needed, and print requests that show it; raises `NotServing`."""
    try:
        show(service, _demo(service))
    except (RewoundError, NotAsWritten) as fault:
        why = described(fault, service.url)
        raise NotServing(f"the sample fight could not be played: {why}") from fault


def _demo(service: LocalService) -> Demo:
    """Return the sample fight of this store; play it if it is missing."""
    kept = service.settings.data_dir / "demo.json"
    with closing(service.log()) as log:
        known = _known(kept, log)
        if known is not None:
            return known
        token, _ = api_keys.create(log, "demo", time.time())
    with connect(service.url, token) as owner:
        demo = Demo(token, _play(owner))
    _keep(kept, demo)
    return demo


def _known(path: Path, log: Log) -> Demo | None:
    """Return the demo in the file *path* if its key is valid and its encounter is in this store.

    Raises `NotServing` if the file is damaged.
    """
    try:
        demo = Demo(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as fault:
        raise NotServing(
            f"{path} is damaged: remove it, and start again to play the sample fight again"
        ) from fault
    is_valid = api_keys.find(log, demo.key, time.time()) is not None and log.head(demo.encounter) is not None
    return demo if is_valid else None


def _play(owner: Rewound) -> str:
    fight = sample(DEMO_FORM).seeded()
    with click.progressbar(length=len(fight.steps), label="Playing the sample fight") as bar:
        table = sit_down(owner, fight)
        for _ in play(table, fight, by_script=False):
            bar.update(1)
    return table.encounter


def _keep(path: Path, demo: Demo) -> None:
    """Write the demo to *path* atomically, with mode 0600."""
    draft = path.with_suffix(".draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump({"key": demo.key, "encounter": demo.encounter}, file)
    draft.replace(path)


def show(service: LocalService, demo: Demo) -> None:
    """Print the key, three command lines that work unchanged, and the address of the page."""
    with connect(service.url, demo.key) as client:
        rolled = next(client.encounter(demo.encounter).rolls(), None)
    first, shows = (
        (rolled["n"], "its dice, how they were derived, and ") if rolled else (1, "")
    )  # or all is undone
    curl = f"curl -s -H 'Authorization: Bearer {demo.key}'"
    address = f"{service.url}/v1/encounters/{demo.encounter}"
    say(f"API key: {demo.key}\n")
    say("The orc and the hound, played with dice of the service. The state now:")
    say(f"  {curl} {address}/state{_INDENTED}\n")
    say(f"Commit {first}: {shows}the rules that decided it:")
    say(f"  {curl} {address}/commits/{first}/explanation{_INDENTED}\n")
    say("An audit, which decides every command again and compares every byte; it ends with its verdict:")
    audits = f"{curl} '{address}/audits?limit=1'"
    waits = f'while {audits} | grep -qE \'"status":"(pending|running)"\'; do sleep 1; done'
    say(f"  {curl} -X POST {address}/audits > /dev/null && {waits} && {audits}{_INDENTED}\n")
    say("The same fight in a browser, with its map, its log and its timeline:")
    say(f"  {page_of(service.url, demo.encounter, demo.key)}")
