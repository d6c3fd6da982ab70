"""Convert creatures in a table (CSV) or a list (JSON) to the creatures of an opening.

A row is one creature. Its columns are the fields of the rulebook's sheet and entry, by their names in the
API: `hp_max`, `size`, `stat_block`. So a field that a rulebook adds is a column at once.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, NoReturn

from service.conversion.faults import Converted, Unconvertible
from service.conversion.fields import fields_by_name, opening_fields, record_of
from service.rules.kernel import hints
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.hints import FieldShape, Shape
from service.rules.ruleset import Ruleset
from service.usecases.openings import opening_faults

LARGEST_FILE: Final = 4 * 1024 * 1024
"""Bytes of a file."""
MOST_CREATURES: Final = 200
MOST_FAULTS: Final = 10
"""Faults that are shown of one file."""
PLACE: Final = ("x", "y")
"""Columns that together are `position`."""
POSITION: Final = "position"
SHEET: Final = "sheet"
WITHOUT_SHEET: Final = ("stat_block", "carried")
"""Columns that stand for a whole sheet."""


class Row(NamedTuple):
    """One creature of a file: where it is there, and its values by column."""

    place: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Columns:
    """What a creature of a rulebook may have: fields of its entry, and of the sheet in it."""

    entry: Mapping[str, FieldShape]
    sheet: Mapping[str, FieldShape]
    kind: type[Any]
    """The record of an entry."""
    opening: tuple[str, ...]
    """The fields of the opening."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every column, in the order of the records."""
        own = [name for name in self.entry if name != SHEET]
        return tuple(dict.fromkeys((*self.sheet, *own, *PLACE)))

    def shape(self, column: str) -> Shape:
        """Return what a column holds."""
        if column in PLACE:
            return hints.Scalar(int)
        return {**self.entry, **self.sheet}[column].shape


def columns_of(ruleset: Ruleset[Any]) -> Columns:
    """Return the columns of a rulebook; raises `Unconvertible` if its creatures have no sheets."""
    opening = opening_fields(ruleset)
    listed = opening.get("creatures")
    each = listed.shape if listed else None
    entry = record_of(each.each) if isinstance(each, hints.AnyList) else None
    own = fields_by_name(entry) if entry else {}
    sheet = record_of(own[SHEET].shape) if SHEET in own else None
    if entry is None or sheet is None:
        raise Unconvertible(f"creatures of {ruleset.edition} have no sheets")
    return Columns(entry=own, sheet=fields_by_name(sheet), kind=entry, opening=tuple(opening))


def convert_csv(text: str, ruleset: Ruleset[Any]) -> Converted:
    """Return the creatures of a table whose first row names its columns.

    Raises `Unconvertible`, which names row and column. Rows are counted as a spreadsheet does: the names are
    row 1. An empty cell takes the default.
    """
    columns = columns_of(ruleset)
    return _converted(list(_rows(text, columns)), columns, ruleset)


def convert_json(text: str, ruleset: Ruleset[Any]) -> Converted:
    """Return the creatures of a list of objects.

    An object is an entry of an opening, with `sheet`, or has the columns of a table as its members.
    """
    _check_size(text)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise Unconvertible(f"{place}: not valid JSON: {fault.msg}") from None
    except RecursionError:
        raise Unconvertible("the file is nested too deeply") from None
    if not isinstance(data, list):
        raise Unconvertible("creatures are a JSON list of objects")
    rows = [Row(f"creature {i}", _object(each, f"creature {i}")) for i, each in enumerate(data, 1)]
    return _converted(rows, columns_of(ruleset), ruleset)


# --- reading -------------------------------------------------------------------------------------------


def _check_size(text: str) -> None:
    if len(text) > LARGEST_FILE:
        raise Unconvertible(f"the file has more than {LARGEST_FILE} characters")


def _object(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unconvertible(f"{place}: a creature is an object")
    return value


def _rows(text: str, columns: Columns) -> Iterator[Row]:
    _check_size(text)
    table = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    head: list[str] | None = None
    try:
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            place = f"row {table.line_num}"
            if head is None:
                head = [name.strip() for name in cells]
                _check_head(head, columns, place)
            else:
                yield Row(place, _values(cells, head, columns, place))
    except csv.Error as fault:
        raise Unconvertible(f"row {table.line_num}: not valid CSV: {fault}") from None
    if head is None:
        raise Unconvertible("row 1: the names of the columns are required")


def _check_head(head: Sequence[str], columns: Columns, place: str) -> None:
    for number, name in enumerate(head):
        if name not in columns.names:
            raise Unconvertible(f"{place}: there is no column {name or '(empty)'}{_nearest(name, columns)}")
        if name in head[:number]:
            raise Unconvertible(f"{place}: column {name} is there twice")


def _nearest(name: str, columns: Columns) -> str:
    near = get_close_matches(name, columns.names, 1)
    return f"; the nearest is {near[0]}" if near else f"; there are {', '.join(columns.names)}"


def _values(cells: Sequence[str], head: Sequence[str], columns: Columns, place: str) -> dict[str, Any]:
    if len(cells) > len(head):
        raise Unconvertible(f"{place}: {len(cells)} cells, and {len(head)} columns")
    return {
        name: _value(cell.strip(), columns.shape(name), f"{place}, column {name}")
        for name, cell in zip(head, cells, strict=False)
        if cell.strip()
    }


def _value(cell: str, shape: Shape, place: str) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a cell, which is not empty, as JSON has it.

    A list is written `a; b`, an object of names `land=30; fly=40`, anything else that is not one value as
    JSON.
    """
    if cell[0] in "[{":
        try:
            return json.loads(cell)
        except (json.JSONDecodeError, RecursionError):
            _fault(place, "not valid JSON")
    if isinstance(shape, hints.Alternatives):
        return _value(cell, shape.ways[0], place)
    if isinstance(shape, hints.Names):
        pairs = [part.partition("=") for part in _parts(cell)]
        if not all(sign for _, sign, _ in pairs):
            _fault(place, "names and values, as a=1; b=2")
        return {name.strip(): _value(value.strip(), shape.each, place) for name, _, value in pairs}
    if isinstance(shape, hints.AnyList):
        return [_value(part, shape.each, place) for part in _parts(cell)]
    if isinstance(shape, hints.FixedList):
        parts = [part.strip() for part in cell.replace(";", ",").split(",")]
        return [_value(part, each, place) for part, each in zip(parts, shape.items, strict=False) if part]
    return _scalar(cell, shape, place)


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]


_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _scalar(cell: str, shape: Shape, place: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(shape, hints.Choice):
        known = {str(value): value for value in shape.values}
        return known.get(cell, cell)  # what is not a choice is named with the choices later
    kind = shape.kind if isinstance(shape, hints.Scalar) else str
    if kind is bool:
        return _TRUTH[cell.lower()] if cell.lower() in _TRUTH else _fault(place, "true or false")
    if kind is not int:
        return cell
    try:
        return int(cell)
    except ValueError:
        _fault(place, f"a whole number, not {cell}")


def _fault(place: str, expected: str) -> NoReturn:
    raise Unconvertible(f"{place}: {expected}")


# --- putting together ----------------------------------------------------------------------------------


def _converted(rows: Sequence[Row], columns: Columns, ruleset: Ruleset[Any]) -> Converted:
    """Return the entries of *rows*; raises `Unconvertible` if they could not begin a fight."""
    if not rows:
        raise Unconvertible("there is no creature")
    if len(rows) > MOST_CREATURES:
        raise Unconvertible(f"{rows[MOST_CREATURES].place}: at most {MOST_CREATURES} creatures")
    entries = [_entry(row, columns) for row in rows]
    for row, entry in zip(rows, entries, strict=True):
        _check_entry(row, entry, columns, ruleset)
    faults = [
        f"{_place_in(rows, pointer)}: {detail}"
        for pointer, detail in _faults(entries, columns, ruleset)
        if pointer.startswith("/creatures/")
    ]
    if faults:
        raise Unconvertible(*dict.fromkeys(faults[:MOST_FAULTS]))
    return Converted({"creatures": entries})


def _entry(row: Row, columns: Columns) -> dict[str, Any]:
    """Return the entry of an opening that a row is."""
    values = _with_position(row)
    if SHEET in values:
        return values
    whole = all(values.get(name) is None for name in WITHOUT_SHEET)
    entry: dict[str, Any] = {POSITION: values.pop(POSITION)}
    sheet: dict[str, Any] = {}
    for name, value in values.items():
        if name in columns.sheet and (whole or name not in columns.entry):
            sheet[name] = value
        elif name in columns.entry:
            entry[name] = value
        else:
            _fault(f"{row.place}, column {name}", f"there is no such column{_nearest(name, columns)}")
    if not whole:
        for name in sheet:
            _fault(f"{row.place}, column {name}", "this creature has its own; leave it empty")
        return entry
    for name, field in columns.sheet.items():
        if field.required and name not in sheet:
            _fault(f"{row.place}, column {name}", "a value is required")
    return {**entry, SHEET: sheet}


def _with_position(row: Row) -> dict[str, Any]:
    """Return the values of a row with its place as one of them."""
    values = dict(row.values)
    if POSITION not in values and all(values.get(axis) is not None for axis in PLACE):
        values[POSITION] = [values.pop(axis) for axis in PLACE]
    if POSITION not in values:
        _fault(f"{row.place}, column {POSITION}", "where it begins is required: x and y, or position")
    return values


def _check_entry(row: Row, entry: Mapping[str, Any], columns: Columns, ruleset: Ruleset[Any]) -> None:
    try:
        from_data(columns.kind, entry, families=ruleset.families)
    except Malformed as fault:
        _fault(_column(row, fault.pointer), fault.expected)


def _column(row: Row, pointer: str) -> str:
    """Return the row and column of a place in an entry, and what of a nested value it is."""
    parts = [part for part in pointer.split("/") if part and part != SHEET]
    if not parts:
        return row.place
    inner = f" ({'/'.join(parts[1:])})" if parts[1:] else ""
    return f"{row.place}, column {parts[0]}{inner}"


def _place_in(rows: Sequence[Row], pointer: str) -> str:
    number, _, rest = pointer.removeprefix("/creatures/").partition("/")
    return _column(rows[int(number)], rest)


def _faults(
    entries: Sequence[Mapping[str, Any]], columns: Columns, ruleset: Ruleset[Any]
) -> Sequence[tuple[str, str]]:
    """Return what keeps a fight of these creatures from beginning."""
    data: dict[str, Any] = {"creatures": list(entries)}
    if "sides" in columns.opening:
        sides = [str((entry.get(SHEET) or entry).get("side", "")) for entry in entries]
        data |= {"sides": list(dict.fromkeys(sides)), "player_side": sides[0]}
    return opening_faults(ruleset, data)
