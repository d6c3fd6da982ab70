"""Import: convert maps and creatures of other tools to parts of an opening."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from service.cli.environment import every_ruleset
from service.cli.terminal import Failure, say
from service.conversion import creature_list, universal_vtt
from service.conversion.creature_list import convert_csv, convert_json
from service.conversion.faults import Converted, Unconvertible
from service.conversion.universal_vtt import convert_map
from service.rules.ruleset import Ruleset

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_EDITION: Final = click.option(
    "--edition", default="heartrush@1", show_default=True, help="The rulebook that the opening is for."
)


_BY_SUFFIX: Final = {".csv": convert_csv, ".json": convert_json}


@click.group("import")
def command() -> None:
    """Convert maps and creatures of other tools to parts of an opening, in JSON."""


@command.command("map")
@click.argument("path", metavar="FILE", type=_FILE)
@_EDITION
def import_map(path: Path, edition: str) -> None:
    """Convert a map of Universal VTT (.uvtt, .dd2vtt): walls, doors and light.

    What did not fit is listed on standard error.
    """
    _convert(path, edition, universal_vtt.LARGEST_FILE, convert_map)


@command.command("creatures")
@click.argument("path", metavar="FILE", type=_FILE)
@_EDITION
def import_creatures(path: Path, edition: str) -> None:
    """Convert creatures in a table (.csv) or a list (.json)."""
    convert = _BY_SUFFIX.get(path.suffix.lower())
    if convert is None:
        raise Failure(f"{path}: the name of the file ends in .csv or .json")
    _convert(path, edition, creature_list.LARGEST_FILE, convert)


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
        found = convert(path.read_text("utf-8"), every[edition])
    except UnicodeDecodeError as fault:
        raise Failure(f"{path}: not UTF-8 at byte {fault.start}") from fault
    except Unconvertible as unconvertible:
        first, *more = unconvertible.faults
        for further in more:
            say(f"{path}: {further}", err=True)
        raise Failure(f"{path}: {first}") from unconvertible
    for note in found.notes:
        say(f"{path}: {note}", err=True)
    say(json.dumps(found.part, indent=1, ensure_ascii=False))
