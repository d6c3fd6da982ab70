"""Explain: why a commit in a bundle says what it says, with no server and no network.

The bundle is audited first and taken into the memory of this process, as a service would take it in: what is
told then is what that service would tell over HTTP.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from service.audit.explanations import explanation
from service.audit.importing import ImportRefused, take
from service.cli.judging import STATUS
from service.cli.terminal import Failure, Terminal, document, escape, say
from service.log.memory import MemoryLog
from service.rules.registry import REGISTRY
from service.rules.table import GM
from service.usecases.services import make_services

_OWNER: Final = "file"


@click.command("explain")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("n", type=click.IntRange(1))
@click.option("--seat", default=GM, show_default=True, help="As whom to look.")
@click.option("--json", "as_json", is_flag=True, help="Print it as the API tells it.")
@click.pass_context
def command(ctx: click.Context, file: Path, n: int, seat: str, *, as_json: bool) -> None:
    """Tell why commit N of the bundle FILE says what it says: rules, rulings on ambiguities, dice.

    The bundle must be sound, with nothing withheld; otherwise the verdict is told, with its status.
    """
    services = make_services(
        MemoryLog(), REGISTRY, ring=lambda _: None, clock=time.time, key=bytes(32), mode="memory"
    )
    try:
        taken = take(services.log, REGISTRY, _OWNER, file.read_bytes())
        data = explanation(services, taken.address, seat, n)
    except ImportRefused as fault:
        verdict = fault.report.verdict
        say(f"{file} cannot be explained: {verdict} {verdict.detail}".rstrip(), err=True)
        ctx.exit(STATUS[verdict.name] or 1)
    finally:
        services.outcomes.close()
    if data is None:
        raise Failure(f"there is no commit {n}")
    if as_json:
        say(document(data))
    else:
        _print(data, Terminal(highlight=False))


def _print(data: dict[str, Any], console: Console) -> None:
    """Print an explanation: what happened, why, by which dice."""
    console.print(f"[bold]{data['n']} {escape(data['type'] or '(withheld)')}[/]  {escape(data['outcome'])}")
    if "refusal" in data:
        refusal = data["refusal"]
        console.print(
            f"  {escape(refusal['code'])}: {escape(refusal['detail'])}  {escape(refusal['rule'] or '')}"
        )
    for told in data["events"]:
        ids = ", ".join(rule["id"] for rule in told["rules"])
        console.print(f"  {escape(told['event']['type'])}  [dim]{escape(ids)}[/]")
        for ruling in told["rulings"]:
            chosen = "" if ruling["option"] is None else f" ({ruling['option']}: {ruling['value']})"
            console.print(f"    [dim]{escape(ruling['ambiguity'] + chosen)}: {escape(ruling['text'])}[/]")
    for roll in data["rolls"]:
        derivation = roll["derivation"]
        console.print(f"  {escape(roll['text'])}")
        how = f"    {derivation['name']}  {derivation['algorithm']}"
        how += f", key {derivation['key']}" if "key" in derivation else ""
        console.print(f"[dim]{escape(how)}[/]", soft_wrap=True)
    for rule in data["rules"]:
        console.print(
            f"  [dim]{escape(rule['id'])}: {escape(rule['statement'])}  ({escape(rule['source'])})[/]"
        )
