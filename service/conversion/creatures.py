"""Convert creatures of a table, a list or stat blocks in text to the creatures of an opening."""

from __future__ import annotations

from typing import Any

from service.conversion import creature_files, creature_rows
from service.conversion.choices import ANY, CreatureChoices
from service.conversion.creature_files import LARGEST_FILE
from service.conversion.faults import Converted, Unconvertible
from service.rules.ruleset import Ruleset


def convert_creatures(text: str, ruleset: Ruleset[Any], choices: CreatureChoices = ANY) -> Converted:
    """Return the `creatures` of an opening that the text of a file is, whichever kind of file it is.

    Raises `Unconvertible` with all faults, each with its place in the file: rows are counted as a spreadsheet
    does, the names of the columns are row 1.
    """
    if len(text) > LARGEST_FILE:
        raise Unconvertible(f"the file has more than {LARGEST_FILE} characters")
    return creature_rows.entries_of(creature_files.read(text), ruleset, choices)
