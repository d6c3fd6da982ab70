"""Bundle: export one encounter with all its evidence into one file, for one seat."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from service.audit import bundle
from service.audit.evidence import evidence_once_signed, played_line, stored_fight
from service.cli.environment import read_settings
from service.cli.store import opened
from service.cli.terminal import Failure, say
from service.log import NoSuchEncounter


@click.command("bundle")
@click.argument("encounter")
@click.option(
    "--seat", default="gm", show_default=True, help="The reader: the file holds what this seat may see."
)
@click.option("--line", is_flag=True, help="Write the line of play ENCOUNTER alone, not the whole fight.")
@click.option(
    "--out", "file", type=click.Path(path_type=Path), help="Write to FILE instead of standard output."
)
def command(encounter: str, seat: str, file: Path | None, *, line: bool) -> None:
    """Export ENCOUNTER, the whole fight, as a bundle, which `rewound verify` audits anywhere, offline."""
    settings = read_settings().settings
    with opened(settings) as log:
        try:
            fight = (
                [evidence_once_signed(log, encounter)]
                if line
                else stored_fight(log, played_line(log, encounter))
            )
        except NoSuchEncounter as fault:
            raise Failure(str(fault)) from fault
    lines = b"".join(bundle.write_fight(fight, seat))
    if file is None:
        sys.stdout.buffer.write(lines)
        return
    file.write_bytes(lines)
    said = f"{len(fight[-1].commits)} commits"
    if len(fight) > 1:
        earlier = len(fight) - 1
        lines_of_play = "an earlier line" if earlier == 1 else f"{earlier} earlier lines"
        said += f", and what {lines_of_play} of play had instead,"
    say(f"{said} written to {file}", err=True)
