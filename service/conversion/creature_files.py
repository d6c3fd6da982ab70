"""Read rows of creatures from a file: a table, a list of JSON or YAML, or stat blocks in text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from service.conversion import foreign, html_tables, lists
from service.conversion.faults import Unconvertible
from service.conversion.lists import SHEET

LARGEST_FILE: Final = 16 * 1024 * 1024
"""Bytes of a file."""
LARGEST_YAML: Final = 1024 * 1024
SEPARATORS: Final = ",;\t|"
MOST_COLUMNS: Final = 500
PLACES: Final = ("x", "y")
_NAMING: Final = frozenset(("name", "id", "stat_block", "carried", SHEET))
"""Columns of which a table has at least one."""

_STAT_BLOCK: Final = re.compile(r"\*\*HD\*\*|\*\*HP\*\*", re.IGNORECASE)
_PAGE: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|body|meta|table|thead|tbody|div|p|h[1-6]|ul|ol|section|article)\b",
    re.IGNORECASE,
)
"""Elements of a web page that no list in XML has."""
_YAML: Final = re.compile(r"(---\s*$|-\s+\S|[\w -]+:(\s|$))")


class Row(NamedTuple):
    """One creature of a file: where it is there, its values by column, and what to say about it."""

    place: str
    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    is_entry: bool = False
    """Whether it is an entry of an opening, with a sheet in it."""


class Rows(NamedTuple):
    """The creatures of a file, and the columns as the file spells them, by the names of this project."""

    rows: Sequence[Row]
    spelled: Mapping[str, str] = {}
    place_of_names: str = ""
    """Where the file names its columns; empty where each creature does."""


def read(text: str) -> Rows:
    """Return the creatures of a file, whichever kind it is; raises `Unconvertible` with a place."""
    text = text.removeprefix("\ufeff")
    first = text.lstrip()[:1]
    if first in ("[", "{"):
        return _of_data(lists.json_data(text), "a JSON list of objects")
    if first == "<" and _PAGE.search(text):
        return _page(text)
    if first == "<":
        return _of_data(lists.xml_data(text), "elements of XML")
    if _STAT_BLOCK.search(text):
        return Rows(list(_stat_blocks(text)))
    line = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if _YAML.match(line) and not any(separator in line for separator in ",;\t"):
        return _of_data(_yaml(text), "a list of objects")
    return _table(text)


# --- lists ---------------------------------------------------------------------------------------------


def _yaml(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return the data of YAML; aliases are refused, because a few lines of them are gigabytes."""
    if len(text) > LARGEST_YAML:
        raise Unconvertible(f"a file of YAML has at most {LARGEST_YAML} characters")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        has_alias = any(isinstance(each, yaml.AliasEvent) for each in yaml.parse(text, Loader=loader))
        found = [] if has_alias else yaml.load_all(text, Loader=loader)
        documents = [each for each in found if each is not None]
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise Unconvertible(f"{place}not valid YAML: {fault.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        raise Unconvertible(f"not valid YAML: {type(fault).__name__}") from None
    if has_alias:
        raise Unconvertible("aliases of YAML are not read")
    return documents[0] if len(documents) == 1 else documents


def _of_data(data: Any, wanted: str) -> Rows:  # noqa: ANN401 - JSON
    """Return the creatures of a list, of the list that an object has, or of an object of objects."""
    found = lists.creatures_in(data, wanted)
    if len(found) > lists.MOST_LISTED:
        raise Unconvertible(f"{found[lists.MOST_LISTED][0]}: {lists.TOO_MANY}")
    return _rows(found)


def _rows(placed: Sequence[tuple[str, Any]]) -> Rows:
    spelled: dict[str, str] = {}
    rows = []
    for place, each in placed:
        if not isinstance(each, dict):
            raise Unconvertible(f"{place}: a creature is an object")
        if SHEET in each:
            rows.append(Row(place, each, is_entry=True))
            continue
        if len(each) > MOST_COLUMNS:
            raise Unconvertible(f"{place}: at most {MOST_COLUMNS} members")
        for name in each:
            spelled.setdefault(foreign.canonical(str(name)), str(name))
        rows.append(Row(place, foreign.members_of(each)))
    return Rows(rows, spelled)


# --- tables --------------------------------------------------------------------------------------------


def _table(text: str) -> Rows:
    """Return the creatures of a table; its first row names the columns, with the separator it uses.

    A text without separators whose first line names no column is a list of names.
    """
    text, named_separator = _lines(text)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = named_separator or max(SEPARATORS, key=first.count)
    if foreign.column_of(first) not in foreign.READ:
        named = [Row(place, values) for place, values in lists.names_in(text)]
        if named:
            return Rows(named)
    made = _Table(has_bars=separator == "|")
    table = csv.reader(io.StringIO(text), strict=True, delimiter=separator)
    try:
        for cells in table:
            made.add(cells, f"row {table.line_num}")
    except csv.Error as fault:
        raise Unconvertible(f"row {table.line_num}: not valid CSV: {fault}") from None
    return made.finished()


class _Table:
    """The creatures of a table, row by row; its first row names the columns."""

    def __init__(self, *, has_bars: bool = False) -> None:
        self._has_bars = has_bars
        self._head: list[str] | None = None
        self._units: list[str] = []
        self._place_of_names = "row 1"
        self._spelled: dict[str, str] = {}
        self._rows: list[Row] = []

    def add(self, cells: Sequence[str], place: str) -> None:
        """Add a row; raises `Unconvertible` for a first one without names, or one that is longer."""
        cells = [cell.strip() for cell in cells]  # as a spreadsheet shows them
        if {*"".join(cells)} <= {"-", ":"}:  # it is empty, or the line below the names in Markdown
            return
        if len(self._rows) == lists.MOST_LISTED:
            raise Unconvertible(f"{place}: {lists.TOO_MANY}")
        if self._has_bars and not cells[0] and not cells[-1]:
            cells = cells[1:-1]  # a table of Markdown begins and ends with a bar
        if self._head is None:
            self._head, self._place_of_names = _head(cells, self._spelled, place), place
            self._units = [foreign.unit_of(cell) for cell in cells]
            return
        if len(cells) > len(self._head) and any(cells[len(self._head) :]):
            raise Unconvertible(f"{place}: {len(cells)} cells, and {len(self._head)} columns")
        values: dict[str, Any] = {}
        for name, unit, cell in zip(self._head, self._units, cells, strict=False):
            if name and cell:
                values[name] = foreign.with_unit(cell, unit) if name == "speed" else cell
        if values:
            self._rows.append(Row(place, values))

    def finished(self) -> Rows:
        """Return the creatures; raises `Unconvertible` for a table without a first row."""
        if self._head is None:
            raise Unconvertible("row 1: the names of the columns are required")
        return Rows(self._rows, self._spelled, self._place_of_names)


def _page(text: str) -> Rows:
    """Return the creatures of the tables of a web page whose first row has a column of names."""
    tables = html_tables.rows_of_tables(text)
    rows: list[Row] = []
    spelled: dict[str, str] = {}
    places: list[str] = []
    for number, table in enumerate(tables, 1):
        at = f"table {number}, " if len(tables) > 1 else ""
        first = next((n for n, cells in enumerate(table) if any(cells)), 0)
        if not any(foreign.column_of(cell) in _NAMING for cell in table[first] if table):
            continue
        made = _Table()
        for n, cells in enumerate(table[first:], first + 1):
            made.add(cells, f"{at}row {n}")
        found = made.finished()
        rows += found.rows
        spelled |= {name: cell for name, cell in found.spelled.items() if name not in spelled}
        places.append(found.place_of_names)
    if not places:
        raise Unconvertible(
            "a web page in which no table has a column of names (name, creature, monster): copy the "
            "list as a table with such a column, or save it as CSV"
        )
    return Rows(rows, spelled, places[0])


def _lines(text: str) -> tuple[str, str]:
    """Return *text* with lines of one kind, and the separator that Excel names in a first line: `sep=;`."""
    text = re.sub(r"\r\n?", "\n", text)
    said = re.match(r"sep=(.)\n", text)
    return (text, "") if said is None else ("\n" + text[said.end() :], said[1])


def _head(cells: Sequence[str], spelled: dict[str, str], place: str) -> list[str]:
    """Return the columns of a table; those without a name are empty."""
    if len(cells) > MOST_COLUMNS:
        raise Unconvertible(f"{place}: at most {MOST_COLUMNS} columns")
    head: list[str] = []
    for cell in cells:
        name = foreign.column_of(cell)
        if name and name in head:
            raise Unconvertible(f"{place}: column {cell} is there twice")
        if name:
            spelled[name] = cell
        head.append(name)
    if not _NAMING & {*head}:
        said = ", ".join(filter(None, cells))[:200]
        raise Unconvertible(
            f"{place}: no column is called name; there are {said}: name the columns in English there"
        )
    return head


# --- stat blocks ---------------------------------------------------------------------------------------

_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$")
_DICE: Final = re.compile(r"^\s*d?(\d+)\s*/\s*d?(\d+)\s*/\s*d?(\d+)\s*/\s*d?(\d+)")
_MARKED: Final = re.compile(r"\*\*\s*([^*]+?)\s*:?\s*\*\*\s*:?\s*([^*]*)")
_BONUS: Final = re.compile(r"([+-]?\d+)\s*(?:\(([^)]*)\))?")
_BLOCK_COLUMNS: Final[Mapping[str, str]] = {
    "hd": "heart_die",
    "hp": "hp_max",
    "a": "attack_bonus",
    "size": "size",
}
_TITLE: Final = re.compile(r"^[-*]\s+\*\*(.+?)\*\*")


def _stat_blocks(text: str) -> Iterator[Row]:
    """Yield the stat blocks of a text in the notation of Heart Rush's own guide.

    A heading is the name; below it stand the size, the four dice with heart die, hit points and wound
    threshold, and the bonuses of attack and defense. What is written in prose is a note.
    """
    name, start, lines = "", 0, list[str]()
    for number, line in enumerate((*text.splitlines(), "# end"), 1):
        heading = _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if name and any(_STAT_BLOCK.search(each) for each in lines):
            yield _stat_block(name, f"line {start}, {name}", lines)
        name, start, lines = heading[1].strip("*_ "), number, []


def _stat_block(name: str, place: str, lines: Sequence[str]) -> Row:
    values: dict[str, Any] = {"name": name}
    notes: list[str] = []
    prose: list[str] = []
    for line in lines:
        dice = _DICE.match(line)
        if dice:
            values |= dict(zip(("might", "agility", "cunning", "presence"), dice.groups(), strict=True))
        title = _TITLE.match(line)
        if title:
            prose.append(title[1].strip(": "))
            continue
        for mark, said in _MARKED.findall(line):
            _mark(mark.casefold(), said.strip(" ,;"), values, notes, place)
    if prose:
        notes.append(f"{place}: abilities in prose are left out: {', '.join(prose)}")
    return Row(place, values, tuple(notes))


def _mark(mark: str, said: str, values: dict[str, Any], notes: list[str], place: str) -> None:
    """Take a value that stands behind its name in bold."""
    if mark in ("w", "wound", "wounds", "wound threshold"):
        if said in ("/", "-", "none"):
            values["woundable"] = "false"
        else:
            values["wound_threshold"] = said
    elif mark in ("d", "defense"):
        bonuses = _BONUS.findall(said)
        if bonuses:
            values["defense_bonus"] = bonuses[0][0]
        rest = [f"{bonus} ({kind})" for bonus, kind in bonuses[1:]]
        if rest:
            first = f"{bonuses[0][0]} ({bonuses[0][1]})"
            notes.append(
                f"{place}: a defense bonus counts against every kind: "
                f"{first} is taken, {', '.join(rest)} left out"
            )
    elif mark in _BLOCK_COLUMNS:
        values[_BLOCK_COLUMNS[mark]] = said
    elif said and len(mark) > len("ab"):
        notes.append(f"{place}: {mark} is left out")
