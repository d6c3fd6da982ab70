"""Check-ruleset: hold an installed ruleset to the laws of the conformance suite."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from service.cli.every_ruleset import every_ruleset
from service.cli.terminal import Failure, Terminal, say
from service.conformance.check import PLAYS, STEPS, check_ruleset
from service.conformance.laws import LAWS, LawBroken
from service.conformance.play import Play
from service.rules.kernel.codec import Malformed
from service.rules.ruleset import Ruleset


@click.command("check-ruleset")
@click.argument("edition")
@click.argument(
    "openings", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--plays", type=click.IntRange(1), default=PLAYS, show_default=True, help="Plays by opening.")
@click.option("--steps", type=click.IntRange(1), default=STEPS, show_default=True, help="Commands of a play.")
@click.pass_context
def command(ctx: click.Context, edition: str, openings: tuple[Path, ...], plays: int, steps: int) -> None:
    """Check the ruleset EDITION by random play of OPENINGS, JSON files as the API opens encounters.

    Each law that the ruleset breaks is printed with the fewest commands that were found to break it. The exit
    status is then 1.
    """
    every = every_ruleset()
    if edition not in every:
        raise Failure(f"no package adds {edition}; there are {', '.join(every)}")
    given = [_read(path, every[edition]) for path in openings]
    bar = Progress(console=Terminal(stderr=True), disable=not sys.stderr.isatty(), transient=True)
    with bar:
        task = bar.add_task(edition, total=plays * len(given))
        report = check_ruleset(
            every[edition], given, plays=plays, steps=steps, tick=lambda: bar.advance(task)
        )
    broken = {violation.law: violation for violation in report.violations}
    for law in LAWS:
        say(str(broken[law]) if law in broken else f"{law}: holds")
    played = f"{report.plays} plays, {report.ended} of them to the end of the game"
    say(f"{played}, {report.commands} commands, {len(broken)} laws broken")
    ctx.exit(1 if broken else 0)


def _read(path: Path, ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Return the opening at *path*; raises `Failure` unless it is one that *ruleset* can read."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except ValueError as fault:
        raise Failure(f"{path}: not valid JSON: {fault}") from fault
    if not isinstance(data, dict):
        raise Failure(f"{path}: an opening is a JSON object")
    try:
        Play(ruleset, data, seed="0")
    except Malformed as fault:
        at = fault.pointer.removeprefix("/opening") or "/"
        raise Failure(f"{path}: at {at} of the opening, expected {fault.expected}") from fault
    except LawBroken:
        pass  # the check says which
    return data
