"""Read rows of creatures from a file: a table, a list of JSON or YAML, or stat blocks in text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from service.conversion import foreign, html_tables, lists, maps, text_blocks
from service.conversion.faults import Unconvertible
from service.conversion.lists import SHEET

LARGEST_FILE: Final = 16 * 1024 * 1024
"""Bytes of a file."""
LARGEST_YAML: Final = 1024 * 1024
SEPARATORS: Final = ",;\t|"
FIRST_LINES: Final = 20
"""Lines in which a table names its columns."""
MOST_COLUMNS: Final = 500
MOST_LINES: Final = 5 * lists.MOST_LISTED
PLACES: Final = ("x", "y")
_NAMING: Final = frozenset(("name", "id", "stat_block", "carried", SHEET))
"""Columns of which a table has at least one."""

_STAT_BLOCK: Final = re.compile(r"(\*\*|__)(?:HD|HP):?\1", re.IGNORECASE)
_FENCE: Final = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
_UNDERLINED: Final = re.compile(r"^(\w[^\n]{0,100})\n=+[ \t]*$", re.MULTILINE)
_NOTHING: Final = frozenset(("", "-", "\u2013", "\u2014", "n/a", "#n/a", "nan", "?"))
"""Cells that programs and people write for nothing."""
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
    text = _unfenced(text.removeprefix("\ufeff"))
    first = text.lstrip()[:1]
    if first in ("[", "{"):
        return _of_data(lists.json_data(text), "a JSON list of objects")
    if first == "<" and _PAGE.search(text):
        return _page(text)
    if first == "<":
        return _of_data(lists.xml_data(text), "elements of XML")
    line = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    is_yaml = bool(_YAML.match(line)) and not any(separator in line for separator in ",;\t")
    blocks = None if first == "|" else _blocks(text, is_yaml="**" not in text and is_yaml)
    if blocks is not None:
        return blocks
    return _of_data(_yaml(text), "a list of objects") if is_yaml else _table(text)


def _blocks(text: str, *, is_yaml: bool) -> Rows | None:
    """Return the stat blocks of a text, of other games or of Heart Rush; None if it has none."""
    blocks = () if is_yaml else text_blocks.blocks_in(text)
    if blocks:
        rest = f"line {blocks[0][0]}: of stat blocks in text name, size, speed and hit points are read"
        made = [Row(f"line {n}, {values['name']}", values) for n, values in blocks]
        return Rows([made[0]._replace(notes=(rest,)), *made[1:]])
    if not _STAT_BLOCK.search(text):
        return None
    found = list(_stat_blocks(_plain_notation(text)))
    if not found:
        raise Unconvertible("a stat block has a heading with its name above it: # Name")
    return Rows(found)


def _unfenced(text: str) -> str:
    """Return what stands in the fences of Markdown, if the text begins with one."""
    if text.lstrip()[:3] not in ("```", "~~~"):
        return text
    return "---\n".join(inside for _, inside in _FENCE.findall(text.replace("\r\n", "\n"))) or text


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
    if isinstance(data, dict) and not lists.is_creature(data):
        name = next((each.name for each in maps.FORMATS if each.fits(data)), None)
        if name is not None:
            raise Unconvertible(f"a map ({name}), and no list of creatures: import it as a map")
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
    lines = [line for line in text.splitlines()[:FIRST_LINES] if line.strip()]
    first = next((line for line in lines if any(each in line for each in SEPARATORS)), "".join(lines[:1]))
    separator = named_separator or max(SEPARATORS, key=first.count)
    if foreign.column_of(first) not in foreign.READ:
        named = [Row(place, values) for place, values in lists.names_in(text)]
        if named:
            return Rows(named)
    made = _Table(has_bars=separator == "|")
    table = csv.reader(io.StringIO(text), strict=True, delimiter=separator)
    try:
        for cells in table:
            if table.line_num > MOST_LINES:
                raise Unconvertible(f"a table has at most {MOST_LINES} lines, empty ones too")
            made.add(cells, f"row {table.line_num}")
    except csv.Error as fault:
        raise Unconvertible(f"row {table.line_num}: not valid CSV: {fault}") from None
    return made.finished()


class _Table:
    """The creatures of a table, row by row; its first row names the columns."""

    def __init__(self, *, has_bars: bool = False) -> None:
        self._has_bars = has_bars
        self._head: list[str] | None = None
        self._names: list[str] = []
        self._titles = 0
        self._units: list[str] = []
        self._place_of_names = "row 1"
        self._spelled: dict[str, str] = {}
        self._rows: list[Row] = []
        self._title: tuple[Sequence[str], str] | None = None
        self._headings: tuple[str, ...] = ()
        """Notes on rows that divide the table."""

    def add(self, cells: Sequence[str], place: str) -> None:
        """Add a row; raises `Unconvertible` for a first one without names, or one that is longer."""
        cells = self._cleaned(cells)
        if {*"".join(cells)} <= {"-", ":"}:  # it is empty, or the line below the names in Markdown
            return
        if self._head is None:
            self._name(cells, place)
            return
        if len(self._rows) == lists.MOST_LISTED:
            raise Unconvertible(f"{place}: {lists.TOO_MANY}")
        if [cell.casefold() for cell in cells] == self._names:  # some tables repeat them on each page
            return
        if len(cells) > len(self._head) and any(cells[len(self._head) :]):
            raise Unconvertible(f"{place}: {len(cells)} cells, and {len(self._head)} columns")
        values: dict[str, Any] = {}
        for name, unit, cell in zip(self._head, self._units, cells, strict=False):
            if name and (cell.casefold() not in _NOTHING or (cell and name in ("name", "id"))):
                values[name] = foreign.with_unit(cell, unit) if name == "speed" else cell
        if {*values} == {"name"} and len(self._names) > 1 and values["name"].endswith(":"):
            self._headings += (f"{place}: {values['name']} is a heading, and no creature",)
        elif values:
            self._rows.append(Row(place, values, self._headings))
            self._headings = ()

    def _cleaned(self, cells: Sequence[str]) -> list[str]:
        """Return cells as a spreadsheet shows them; a table of Markdown has bars at its ends and marks."""
        found = [cell.strip() for cell in cells]
        if self._has_bars and found and not found[0] and not found[-1]:
            found = found[1:-1]
        return [cell.strip("*_` ") for cell in found] if self._has_bars else found

    def _name(self, cells: Sequence[str], place: str) -> None:
        """Take a row as the names of the columns, unless it is a title above them."""
        if sum(map(bool, cells)) == 1 and foreign.column_of("".join(cells)) not in _NAMING:
            self._title = self._title or (cells, place)
            self._titles += 1
            if self._titles > FIRST_LINES:
                _head(*self._title)
            return
        self._names = [cell.casefold() for cell in cells]
        self._head, self._place_of_names = _head(cells, place, self._spelled), place
        self._units = [foreign.unit_of(cell) for cell in cells]

    def finished(self) -> Rows:
        """Return the creatures; raises `Unconvertible` for a table without a first row."""
        if self._title is not None and self._head is None:
            _head(*self._title)
        if self._head is None:
            raise Unconvertible("row 1: the names of the columns are required")
        named = self._spelled.get("count", "").casefold()
        self._drop_numbers("count" if named == "number" else "#")
        return Rows(self._rows, self._spelled, self._place_of_names)

    def _drop_numbers(self, column: str) -> None:
        """Leave out a column that numbers the rows."""
        numbers = [str(row.values.get(column, "")) for row in self._rows]
        if len(numbers) > 1 and numbers == [str(n) for n, _ in enumerate(numbers, 1)]:
            self._rows = [row._replace(values={**row.values, column: None}) for row in self._rows]


def _page(text: str) -> Rows:
    """Return the creatures of the tables of a web page whose first row has a column of names."""
    tables = html_tables.rows_of_tables(text)
    rows: list[Row] = []
    spelled: dict[str, str] = {}
    places: list[str] = []
    for number, table in enumerate(tables, 1):
        at = f"table {number}, " if len(tables) > 1 else ""
        first = next((n for n, cells in enumerate(table) if any(cells)), 0)
        if not table or not any(foreign.column_of(cell) in _NAMING for cell in table[first]):
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


def _head(cells: Sequence[str], place: str, spelled: dict[str, str] | None = None) -> list[str]:
    """Return the columns of a table; those without a name are empty."""
    if len(cells) > MOST_COLUMNS:
        raise Unconvertible(f"{place}: at most {MOST_COLUMNS} columns")
    spelled = {} if spelled is None else spelled
    head: list[str] = []
    for cell in cells:
        name = foreign.column_of(cell) or foreign.short(cell)
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

_HEADING: Final = re.compile(r"^#{1,6}\s+(\S.*)$")
_DICE: Final = re.compile(r"^\s*d?(\d+)\s*/\s*d?(\d+)\s*/\s*d?(\d+)\s*/\s*d?(\d+)")
_MARKED: Final = re.compile(r"\*\*([^*]{1,100})\*\*([^*]*)")
_BONUS: Final = re.compile(r"([+-]?\d+)\s*(?:\(([^)]*)\))?")
_BLOCK_COLUMNS: Final[Mapping[str, str]] = {
    "hd": "heart_die",
    "hp": "hp_max",
    "a": "attack_bonus",
    "size": "size",
    "speed": "speed",
}
_MARKS: Final = frozenset((*_BLOCK_COLUMNS, "w", "wound", "wounds", "wound threshold", "d", "defense"))
_SOME_DICE: Final = re.compile(r"^\s*d?\d+(?:\s*/\s*d?\d+)+")
_TITLE: Final = re.compile(r"^[-*]\s+\*\*(.+?)\*\*")


def _plain_notation(text: str) -> str:
    """Return stat blocks without the sign of a quotation, with stars for bold and signs before headings."""
    text = text.replace("\r\n", "\n").replace("__", "**")
    lines = text.splitlines()
    if sum(line.startswith(">") for line in lines) * 2 > len(lines):
        text = "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)
    return _UNDERLINED.sub(r"# \1\n", text)


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
        name, start, lines = heading[1].strip("#*_ \t"), number, []


def _stat_block(name: str, place: str, lines: Sequence[str]) -> Row:
    values: dict[str, Any] = {"name": name}
    notes: list[str] = []
    prose: list[str] = []
    for line in lines:
        dice = _DICE.match(line)
        if dice:
            values |= dict(zip(("might", "agility", "cunning", "presence"), dice.groups(), strict=True))
        elif _SOME_DICE.match(line):
            notes.append(f"{place}: four dice are read, might/agility/cunning/presence; these are left out")
        title = _TITLE.match(line)
        if title and title[1].strip(" :").casefold() not in _MARKS:
            prose.append(title[1].strip(": "))
            continue
        for mark, said in _MARKED.findall(line):
            _mark(mark.strip(" :").casefold(), said.lstrip(" :").strip(" ,;"), values, notes, place)
    if prose:
        notes.append(f"{place}: abilities in prose are left out: {', '.join(prose)}")
    return Row(place, values, tuple(notes))


def _mark(mark: str, said: str, values: dict[str, Any], notes: list[str], place: str) -> None:
    """Take a value that stands behind its name in bold."""
    if mark in ("w", "wound", "wounds", "wound threshold"):
        if said in ("/", "-", "\u2013", "\u2014", "none"):
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
