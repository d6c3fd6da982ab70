"""Import: convert maps and creatures of other tools to parts of an opening."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from service.cli.every_ruleset import every_ruleset
from service.cli.terminal import Failure, say
from service.conversion import creature_files, creatures, maps
from service.conversion.choices import CreatureChoices, map_choices
from service.conversion.drawing import RANKS
from service.conversion.faults import Converted, Unconvertible
from service.conversion.files import text_of
from service.rules.ruleset import Ruleset

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_EDITION: Final = click.option(
    "--edition", default="heartrush@1", show_default=True, help="The rulebook that the opening is for."
)


@click.group("import")
def command() -> None:
    """Convert maps and creatures of other tools to parts of an opening, in JSON."""


@command.command("map")
@click.argument("path", metavar="FILE", type=_FILE)
@_EDITION
@click.option(
    "--windows",
    type=click.Choice(["wall", "open"]),
    default="wall",
    show_default=True,
    help="What becomes of a portal that is not closed: windows are such.",
)
@click.option(
    "--ambient", type=click.Choice(RANKS), help="The light of the whole map, in place of the file's."
)
@click.option("--part", metavar="X,Y,W,H", help="The cells that are wanted; they keep their numbers.")
@click.option("--shift", metavar="X,Y", help="Cells by which the map moves, for a grid that is shifted.")
def import_map(
    path: Path, edition: str, windows: str, ambient: str | None, part: str | None, shift: str | None
) -> None:
    """Convert a map: walls, doors and light.

    Read are Universal VTT (.uvtt, .dd2vtt, .df2vtt), scenes of Foundry and Dungeon Alchemist (.json), and
    One Page Dungeon (.json). What did not fit is listed on standard error.
    """

    def convert(text: str, ruleset: Ruleset[Any]) -> Converted:
        choices = map_choices(windows=windows, ambient=ambient, part=part, shift=shift)
        return maps.convert_map(text, ruleset, choices)

    _convert(path, edition, maps.LARGEST_FILE, convert)


@command.command("creatures")
@click.argument("path", metavar="FILE", type=_FILE)
@_EDITION
@click.option("--only", metavar="NAME,…", help="The creatures that are wanted, by name or id.")
@click.option("--place", metavar="X,Y", help="Where those without a place begin: side by side from there.")
@click.option("--side", metavar="SIDE", help="The side of those that have none.")
@click.option("--stat-block", metavar="ID", help="The stat block for what a list of another game cannot say.")
def import_creatures(
    path: Path, edition: str, only: str | None, place: str | None, side: str | None, stat_block: str | None
) -> None:
    """Convert creatures of a table (.csv), a list (.json, .yaml) or stat blocks in text (.md).

    What did not fit is listed on standard error.
    """

    def convert(text: str, ruleset: Ruleset[Any]) -> Converted:
        choices = CreatureChoices.of(only=only, place=place, side=side, stat_block=stat_block)
        return creatures.convert_creatures(text, ruleset, choices)

    _convert(path, edition, creature_files.LARGEST_FILE, convert)


def _convert(
    path: Path, edition: str, largest: int, convert: Callable[[str, Ruleset[Any]], Converted]
) -> None:
    """Print what *convert* makes of a file; raises `Failure` with a line for each fault."""
    every = every_ruleset()
    if edition not in every:
        raise Failure(f"there is no rulebook {edition}; there are {', '.join(every)}")
    if path.stat().st_size > largest:
        raise Failure(f"{path}: the file has more than {largest} bytes")
    try:
        read = text_of(path.read_bytes())
        found = convert(read.text, every[edition])
    except Unconvertible as unconvertible:
        first, *more = unconvertible.faults
        for further in more:
            say(f"{path}: {further}", err=True)
        raise Failure(f"{path}: {first}") from unconvertible
    for note in (*read.notes, *found.notes):
        say(f"{path}: {note}", err=True)
    say(json.dumps(found.part, indent=1, ensure_ascii=False))
