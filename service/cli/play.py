"""Play: run an encounter with bots, many times, and print each result as a JSON line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from service.cli.every_ruleset import every_ruleset
from service.cli.script import BadScript, load
from service.cli.terminal import Failure, Terminal, say
from service.simulation.fights import COMMANDS, ROUNDS, FightLimits, FightStalled, play
from service.simulation.table import BadOpening


@click.command("play")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--times", type=click.IntRange(1, 1_000_000), default=1, show_default=True, help="How many fights."
)
@click.option("--seed", default="0", show_default=True, help="Fight 0 uses SEED/0, fight 1 SEED/1.")
@click.option("--form", help="Which form of a script to play (default: the first).")
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=ROUNDS,
    show_default=True,
    help="Stop a fight after so many rounds.",
)
@click.option(
    "--commands",
    type=click.IntRange(1),
    default=COMMANDS,
    show_default=True,
    help="Stop a fight after so many commands.",
)
def command(file: Path, times: int, seed: str, form: str | None, rounds: int, commands: int) -> None:
    """Play the encounter in FILE, an opening or a script, with bots that pick from the legal options.

    Each line of output is one fight: who won, after how many rounds, who lost how many hit points. The same
    seed plays the same fight. Bots also declare the dice that people would throw. Nothing is stored, and no
    service is needed.
    """
    opening = _opening(file, form)
    registry = every_ruleset()
    limits = FightLimits(rounds=rounds, commands=commands)
    bar = Progress(console=Terminal(stderr=True), disable=not sys.stderr.isatty(), transient=True)
    try:
        with bar:
            for number in bar.track(range(times), description=file.name):
                result = play(registry, opening, f"{seed}/{number}", limits)
                say(json.dumps({"fight": number, **result.data()}))
    except (BadOpening, FightStalled) as fault:
        raise Failure(f"{file}: {fault}") from fault


def _opening(file: Path, form: str | None) -> Mapping[str, Any]:
    """Return the opening in *file*; raises `Failure`."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except ValueError as fault:
        raise Failure(f"{file}: not valid JSON: {fault}") from fault
    if isinstance(data, dict) and "forms" in data:
        try:
            forms = load(file)
        except BadScript as fault:
            raise Failure(f"{file}: {fault}") from fault
        if form is not None and form not in forms:
            raise Failure(f"{file} has no form {form!r}: {', '.join(forms)}")
        data = forms[form or next(iter(forms))].opening
    elif form is not None:
        raise Failure(f"{file} is an opening and has no forms")
    if not isinstance(data, dict):
        raise Failure(f"{file}: an opening is a JSON object")
    return data
