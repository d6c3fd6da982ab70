"""Explain: the rules, rulings and dice behind a commit of a bundle, without a server or a network.

The bundle is audited and imported into this process's memory, as a service would import it. The explanation
is therefore the one that a service returns over HTTP.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from service.audit.explanations import explanation
from service.audit.importing import ImportRefused, take
from service.cli.every_ruleset import every_ruleset
from service.cli.judging import STATUS
from service.cli.terminal import Failure, Terminal, document, escape, say
from service.key_files import Keyring
from service.log.memory import MemoryLog
from service.rules.table.table import GM
from service.usecases.services import make_services

_OWNER: Final = "file"


@click.command("explain")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("n", type=click.IntRange(1))
@click.option("--seat", default=GM, show_default=True, help="Whose view to show.")
@click.option("--consulted", is_flag=True, help="Also the rules that were called and decided nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's JSON.")
@click.pass_context
def command(ctx: click.Context, file: Path, n: int, seat: str, *, consulted: bool, as_json: bool) -> None:
    """Explain commit N of the bundle FILE: why, by which rules and rulings, with which dice.

    The bundle must be sound, with nothing withheld; otherwise the verdict is printed, and its status is the
    exit status.
    """
    registry = every_ruleset()
    services = make_services(
        MemoryLog(), registry, ring=lambda _: None, clock=time.time, keys=Keyring.of(bytes(32)), mode="memory"
    )
    try:
        taken = take(services.log, registry, _OWNER, file.read_bytes())
        data = explanation(services, taken.address, seat, n, consulted=consulted, is_bounded=False)
    except ImportRefused as fault:
        verdict = fault.report.verdict
        say(f"{file} cannot be explained: {verdict} {verdict.detail}".rstrip(), err=True)
        ctx.exit(STATUS[verdict.name] or 1)
    finally:
        services.outcomes.close()
    if data is None:
        raise Failure(f"there is no commit {n}: rewound replay {file} shows all of them")
    if as_json:
        say(document(data))
    else:
        _print(data, Terminal(highlight=False))


def _print(data: dict[str, Any], console: Console) -> None:
    """Print an explanation: the outcome, its events with their rules, the dice."""
    console.print(f"[bold]{data['n']} {escape(data['type'] or '(withheld)')}[/]  {escape(data['outcome'])}")
    console.print(f"  {escape(data['answer'])}")
    if "refusal" in data:
        refusal = data["refusal"]
        console.print(
            f"  {escape(refusal['code'])}: {escape(refusal['detail'])}  {escape(refusal['rule'] or '')}"
        )
    shown: set[str] = set()
    for entry in data["events"]:
        ids = ", ".join(rule["id"] for rule in entry["rules"])
        said = entry["text"] or entry["event"]["type"].replace("_", " ")
        console.print(f"  {escape(said)}  [dim]{escape(ids)}[/]")
        for ruling in entry["rulings"]:
            if ruling["ambiguity"] in shown:
                continue
            shown.add(ruling["ambiguity"])
            console.print(f"    [dim]{escape(ruling['ambiguity'])}: {escape(ruling['text'])}[/]")
    for roll in data["rolls"]:
        derivation = roll["derivation"]
        console.print(f"  {escape(roll['text'])}")
        how = f"    {derivation['name']}  {derivation['algorithm']}"
        how += f", key {derivation['key']}" if "key" in derivation else ""
        console.print(f"[dim]{escape(how)}[/]", soft_wrap=True)
    for rule in [*data["rules"], *data.get("consulted", [])]:
        console.print(
            f"  [dim]{escape(rule['id'])}: {escape(rule['statement'])}  ({escape(rule['source'])})[/]"
        )
