"""Demo: play the sample fight through the HTTP API and narrate it, replay its first round, audit it.

Without --url the demo starts its own service in a temporary directory, and stops it at the end.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
import jsonpatch
from requests import RequestException
from rich.console import Console

from rewound_client import Rewound, RewoundError, Table
from service.audit import bundle
from service.audit.evidence import stored_fight
from service.cli.client import connect, described, not_ready, page_of
from service.cli.every_ruleset import every_ruleset
from service.cli.judging import print_report
from service.cli.local_service import LocalService, StartAbandoned, reserved_port
from service.cli.narrator import Narrator
from service.cli.playing import NotAsWritten, play, sit_down
from service.cli.script import SAMPLES, BadScript, ScriptedFight, sample
from service.cli.stopping import Signals
from service.cli.terminal import Failure, Terminal
from service.core.sentences import speech_of
from service.settings import Settings
from service.stores import api_keys

AUDIT_S: Final = 600.0
"""How long the audit may take: a loaded machine needs minutes for what takes seconds on an idle one."""
LOOKED_EVERY_S: Final = 0.1
STOPPED: Final = "rewound: the demo was stopped; nothing of it is left behind\n"
_INTERRUPTED: Final = 130
"""The exit status of a command that ctrl-C ended."""


@click.command("demo")
@click.option("--ruleset", type=click.Choice(list(SAMPLES)), default="heartrush", help="Which rulebook.")
@click.option("--form", help="Which form of the fight (default: the first).")
@click.option(
    "--seeded/--declared",
    default=True,
    help="Let the service roll (default), or use the faces of the worked example.",
)
@click.option("--url", help="A running service; by default the demo starts its own.")
@click.option("--key", envvar="REWOUND_API_KEY", help="An API key of that service (REWOUND_API_KEY).")
@click.option(
    "--look", is_flag=True, help="Then keep the service running, to look at the fight in a browser."
)
@click.option("--bundle", "file", type=click.Path(path_type=Path), help="Also write the encounter into FILE.")
def command(
    ruleset: str,
    form: str | None,
    url: str | None,
    key: str | None,
    file: Path | None,
    *,
    seeded: bool,
    look: bool,
) -> None:
    """Play the sample fight over HTTP, narrate it, replay a round, audit it."""
    if url is not None and (key is None or file is not None or look):
        raise click.UsageError("give --key with --url, and neither --bundle nor --look")
    console = Terminal(highlight=False)
    signals = Signals()
    try:
        fight = sample(form, ruleset)
        fight = fight.seeded() if seeded else fight
        if url is not None and key is not None:
            with signals.interrupting(), connect(url, key) as owner:
                _check_ready(url)
                _run(owner, fight, console, by_script=not seeded)
        else:
            with _own_service(console, signals) as (service, owner, token), signals.interrupting():
                encounter = _run(owner, fight, console, by_script=not seeded)
                if file is not None:
                    _write_bundle(service, encounter, file, console)
                if look:
                    _keep_running(page_of(service.url, encounter, token), signals, console)
                else:
                    console.print("\nTo look at it in a browser: make run, or rewound demo --look")
    except (BadScript, NotAsWritten, RewoundError, RequestException) as fault:
        raise Failure(described(fault, url or "the service")) from fault
    except (KeyboardInterrupt, StartAbandoned):
        console.print(STOPPED, end="")
        sys.exit(_INTERRUPTED)


def _check_ready(url: str) -> None:
    """Raise `Failure` at once if the service at *url* accepts no commands; later requests are repeated."""
    why = not_ready(url)
    if why is not None:
        raise Failure(why.why)


@contextmanager
def _own_service(console: Console, signals: Signals) -> Iterator[tuple[LocalService, Rewound, str]]:
    """Yield a service in a temporary directory, its owner's client and key; raises `StartAbandoned`."""
    with tempfile.TemporaryDirectory(prefix="rewound-demo-") as directory, reserved_port("127.0.0.1") as port:
        home = Path(directory)
        settings = replace(
            Settings(),
            data_dir=home,
            key_file=home / "secret.key",
            signing_key_file=home / "signing.key",
            port=port,
            api_workers=1,
            log_level="error",
        )
        service = LocalService(
            settings,
            lambda text: console.print(f"[dim]{text}[/]"),
            is_stopping=signals.is_stopping,
            is_hurried=signals.is_hurried,
        )
        try:
            with console.status("Starting a service for the demo …"):
                service.start()
                service.wait_until_ready()
            with closing(service.log()) as log:
                token, _ = api_keys.create(log, "demo", time.time())
            console.print(f"[dim]a service of its own runs at {service.url}[/]")
            with connect(service.url, token) as owner:
                yield service, owner, token
        finally:
            with console.status("Stopping the service …"):
                service.stop()


def _run(owner: Rewound, fight: ScriptedFight, console: Console, *, by_script: bool) -> str:
    """Play, replay and audit *fight*; return the encounter's id. May raise `RewoundError`."""
    edition = owner.ruleset(fight.opening["edition"])
    statements = {rule["id"]: rule["statement"] for rule in edition["rules"]}
    teller = Narrator(console, fight.opening, statements, speech_of(every_ruleset()[edition["edition"]]))
    teller.heading(fight.title)
    teller.remark(fight.text)
    table = sit_down(owner, fight)
    for narrate in play(table, fight, by_script=by_script):
        send = {name: value for name, value in narrate.send.items() if name != "type"}
        n = narrate.outcome.get("n")
        teller.narrate(n, narrate.seat, narrate.send["type"], send, narrate.outcome, narrate.says)
    if by_script:
        console.print("\n[green]Every state is as the script expects.[/]")
    _replay(table.gm, console)
    _audit(table.gm, console)
    table.gm.close("demo")
    console.print("\n[bold]The encounter is closed, its seed disclosed.[/] The same audit again:")
    _audit(table.gm, console)
    return table.encounter


def _replay(table: Table, console: Console) -> None:
    """Request the replay of round 1 and check that its patches lead to the state at its end."""
    round_ = table.replay(1)
    frames = round_["frames"]
    state = round_["state"]
    for frame in frames:
        state = jsonpatch.apply_patch(state, frame["patch"])
    last = frames[-1]["n"]
    head = table.get()["version"]
    if state != table.state(at=last, known=head)["state"]:
        raise NotAsWritten(f"the replay of round 1 does not end in the state of commit {last}")
    console.print(
        f"\n[bold]Round 1, replayed from the record:[/] {len(frames)} commits, {round_['first']} to {last}, "
        "ending in the state that the record gives."
    )


def _audit(table: Table, console: Console) -> None:
    """Request an audit, wait for it and print its certificate; raises `NotAsWritten`."""
    with console.status("Auditing: every command is decided again …"):
        audit = table.audit(wait_s=AUDIT_S)
    if "certificate" not in audit:
        raise NotAsWritten(f"the audit is {audit['status']}: {audit.get('fault')}")
    print_report(audit["certificate"], console)


def _keep_running(page: str, signals: Signals, console: Console) -> None:
    """Print the address of the page, and wait for ctrl-C."""
    console.print("\nThe fight in a browser, until ctrl-C:")
    console.print(page, soft_wrap=True, style="bold")
    while not signals.is_stopping():
        time.sleep(LOOKED_EVERY_S)


def _write_bundle(service: LocalService, encounter: str, file: Path, console: Console) -> None:
    """Write the GM's bundle of the encounter into *file*."""
    with closing(service.log()) as log:
        file.write_bytes(b"".join(bundle.write_fight(stored_fight(log, encounter), "gm")))
    console.print(f"\nThe encounter is in {file}: rewound verify --unsigned {file}")
