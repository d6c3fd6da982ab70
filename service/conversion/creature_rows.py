"""Make entries of an opening of the rows of a file, and say everything that keeps them from being some.

The columns are the fields of the rulebook's sheet and entry, by their names in the API: `hp_max`, `size`,
`stat_block`. So a field that a rulebook adds is a column at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from service.conversion import foreign
from service.conversion.choices import ANY, CreatureChoices
from service.conversion.counts import counted, is_counted_by_dice
from service.conversion.creature_cells import Cannot, excerpt, hit_points_of, tidied, value_of
from service.conversion.creature_files import PLACES, Row, Rows
from service.conversion.creature_places import Cell, SideBySide, cells_of, place_of
from service.conversion.faults import Converted, Unconvertible, shortened
from service.conversion.fields import fields_by_name, opening_fields, record_of
from service.conversion.lists import SHEET
from service.rules.kernel import hints
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.hints import FieldShape, Shape
from service.rules.kernel.near import close_name
from service.rules.kernel.values import CREATURES
from service.rules.ruleset import Ruleset
from service.usecases.openings import opening_faults

ALIKE: Final = 75
"""The per cent of its letters in which the name of a column is like another one."""
MOST_FAULTS: Final = 100
"""Faults that are shown of one file; further ones are counted."""
LONGEST_COLUMN: Final = 60
"""Letters of a name that may be meant as a column."""
POSITION: Final = "position"
COUNT: Final = "count"
WITHOUT_SHEET: Final = ("stat_block", "carried")
"""Columns that stand for a whole sheet."""
FOES: Final = "foes"
LONGEST_ID: Final = 24
IN_FEET: Final[Mapping[str, str]] = {
    "metres": "5 for each 1.5 m, to the nearest 5",
    "squares": "5 for each square",
}
"""How speeds in other units are read."""
_HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
"""What a name may not have: nobody sees it."""
GENERAL: Final = frozenset(
    (
        *foreign.READ,
        "level",
        "strength",
        "dexterity",
        "constitution",
        "intelligence",
        "perception",
        "willpower",
    )
)
"""Columns that tell nothing of whose list it is."""


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
        return tuple(dict.fromkeys((*self.sheet, *own, *PLACES, COUNT)))

    def shape(self, column: str) -> Shape:
        """Return what a column holds."""
        if column in (*PLACES, COUNT):
            return hints.Scalar(int)
        return {**self.entry, **self.sheet}[column].shape

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes of the rulebook."""
        shape = self.sheet["size"].shape if "size" in self.sheet else None
        return tuple(map(str, shape.values)) if isinstance(shape, hints.Choice) else ()


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


def entries_of(found: Rows, ruleset: Ruleset[Any], choices: CreatureChoices = ANY) -> Converted:
    """Return the creatures of an opening that the rows of a file are.

    Raises `Unconvertible` with all faults of the file, if these creatures could not begin a fight.
    """
    columns = columns_of(ruleset)
    rows = _wanted(found.rows, choices)
    making = _Making(columns, ruleset, found, choices)
    for row in rows:
        making.add(row)
    return making.finished()


def _wanted(rows: Sequence[Row], choices: CreatureChoices) -> Sequence[Row]:
    if not rows:
        raise Unconvertible("there is no creature")
    if not choices.only:
        if len(rows) > CREATURES:
            raise Unconvertible(
                f"{rows[CREATURES].place}: at most {CREATURES} creatures; "
                "name those that are wanted: --only NAME,NAME"
            )
        return rows
    wanted = {name.casefold() for name in choices.only}
    kept = [row for row in rows if wanted & {*_names(row)}]
    known = sorted({name for row in rows for name in _names(row)})
    missing = [name for name in choices.only if name.casefold() not in known]
    if missing:
        raise Unconvertible(*(f"there is no creature {name}{_near(name, known)}" for name in missing))
    if len(kept) > CREATURES:
        raise Unconvertible(f"{kept[CREATURES].place}: at most {CREATURES} creatures")
    return kept


def _names(row: Row) -> tuple[str, ...]:
    of = row.values.get(SHEET) if row.is_entry else row.values
    values = of if isinstance(of, Mapping) else {}
    return tuple(str(values[name]).strip().casefold() for name in ("name", "id") if values.get(name))


def _near(name: str, known: Sequence[str]) -> str:
    near = close_name(name, known)
    return f"; the nearest is {near}" if near else ""


class _Entry(NamedTuple):
    """One creature that is being made, and the row that it is from."""

    row: Row
    data: dict[str, Any]
    faulty: set[str]
    """Columns with a fault, about which nothing more is said."""
    beside: Cell | None = None
    """The place of the row, for another creature than the first that it counts."""


@dataclass
class _Making:
    """The entries that are made, row by row, with the faults and notes of all."""

    columns: Columns
    ruleset: Ruleset[Any]
    file: Rows
    choices: CreatureChoices
    entries: list[_Entry] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)
    """Columns of which nothing is taken, as the file spells them."""
    alone: list[str] = field(default_factory=list)
    """Notes on hit points without a maximum."""
    nearest: dict[str, str] = field(default_factory=dict)
    """What is said of names that may be meant as columns."""
    other_units: dict[str, int] = field(default_factory=dict)
    """How many speeds are in units that are not feet, by the unit."""
    by_dice: int = 0
    """Hit points that are the average of dice."""
    without_points: int = 0
    """Creatures of a row of which something is left out, and that has no hit points."""
    with_foreign_points: int = 0
    without_side: int = 0
    without_place: int = 0
    larger: dict[str, str] = field(default_factory=dict)
    """Sizes that the rulebook calls otherwise."""

    def __post_init__(self) -> None:
        """Name the columns of a table that are nearly columns of the rulebook: once, not in each row."""
        if self.file.place_of_names:
            for name in self.file.spelled:
                near = self._near_miss(name)
                if near:
                    self.faults.append(
                        f"{self.file.place_of_names}: there is no column {self._said(name)}{near}"
                    )

    # --- rows

    def add(self, row: Row) -> None:
        """Make the entry of a row, or those of its count."""
        self.notes += row.notes
        if row.is_entry:
            self.entries.append(_Entry(row, dict(row.values), set()))
            return
        faulty: set[str] = set()
        values = self._values(row, faulty)
        numbers = self._numbers(row, values, faulty)
        beside: Cell | None = None
        for number in numbers:
            own = dict(values)
            if len(numbers) > 1 and "name" in own:
                own["name"] = f"{own['name']} {number}"
            if len(numbers) > 1 and "id" in own:
                own["id"] = f"{own['id']}-{number}"
            if number > numbers[0]:
                for name in (POSITION, *PLACES):
                    own.pop(name, None)
            entry = self._entry(row, own, faulty)
            self.entries.append(_Entry(row, entry, faulty, beside))
            beside = beside or place_of(entry)

    def _numbers(self, row: Row, values: dict[str, Any], faulty: set[str]) -> range:
        """Return the numbers of the creatures of a row: by its count, or by what its name says."""
        name = values.get("name")
        count = values.pop(COUNT, 1)
        numbers = range(1, count + 1)
        if isinstance(name, str) and not row.values.get(COUNT):
            if is_counted_by_dice(name):
                self._fault(row, "name", f"a number of creatures, and no dice: {excerpt(name)}", faulty)
            means = counted(name)
            if means is not None and len(means.numbers) > 1:
                numbers, values["name"] = means.numbers, means.name
                count = len(numbers)
                self.notes.append(f"{row.place}: {excerpt(name)} is {count} creatures")
        if 1 <= count <= CREATURES:
            return numbers
        self._fault(row, COUNT, f"from 1 to {CREATURES}", faulty)
        return range(1, 2)

    def _values(self, row: Row, faulty: set[str]) -> dict[str, Any]:
        """Return the values of a row by column, each as its column takes it."""
        is_foreign = self._is_foreign(row)
        found: dict[str, Any] = {}
        for name, value in row.values.items():
            if foreign.has_nothing(value):
                continue
            if name not in self.columns.names and name != "speed":
                is_own = name in self.file.spelled and not is_foreign and not self.file.place_of_names
                if is_own and self._near_miss(name):
                    spelled = self._said(name)
                    self._fault(row, name, f"there is no such column{self._near_miss(name)}", faulty, spelled)
                else:
                    self.left_out.setdefault(self._said(name))
                continue
            if is_foreign and name not in foreign.READ:
                self.left_out.setdefault(self._said(name))
                continue
            try:
                found |= self._value(name, value, is_foreign=is_foreign)
            except Cannot as cannot:
                self._fault(row, name, str(cannot), faulty)
        return found

    def _value(self, name: str, value: Any, *, is_foreign: bool) -> dict[str, Any]:  # noqa: ANN401 - JSON
        if name in ("hp", "hp_max"):
            points = hit_points_of(name, value, is_foreign=is_foreign)
            if points:
                self.by_dice += foreign.is_by_dice(value)
                both = foreign.now_and_most(value)
                if both and both[0] > both[1]:
                    self.notes.append(
                        f"hit points {both[0]} of {both[1]} are more than the greatest: {both[1]} here"
                    )
                return points
        if name == "size":
            return {name: self._size(value)}
        if name == "speed":
            return self._speeds(value)
        if name in ("name", "id", "side") and isinstance(value, str | int):
            return {name: _HIDDEN.sub("", " ".join(str(value).split()))}
        if isinstance(value, str) and (name.endswith("_speed") or name == "speeds"):
            units: set[str] = set()
            value = foreign.in_feet(foreign.short(value), units)
            self._note_units(units)
        return {name: value_of(tidied(name, value), self.columns.shape(name))}

    def _size(self, value: object) -> str:
        size = foreign.size_of(value, self.columns.sizes)
        if size is None:
            raise Cannot(f"one of {', '.join(self.columns.sizes)}")
        word = str(foreign.first_of(value)).split()[0]
        if size in foreign.LARGER.values() and word.casefold() != size:
            self.larger[word] = size
        return size

    def _speeds(self, value: object) -> dict[str, Any]:
        """Return the speeds of a creature by the fields that the rulebook has for them."""
        units: set[str] = set()
        ways = foreign.speeds(value, units)
        if not ways:
            raise Cannot(f"a whole number of feet, not {excerpt(value)}")
        self._note_units(units)
        # of another way 0 says that none is written down, not that there is none
        ways = {way: feet for way, feet in ways.items() if feet or way == "walk"}
        if "speeds" in self.columns.sheet:
            known = {"walk": "land"}
            return {"speeds": {known.get(way, way): feet for way, feet in ways.items() if way != "hover"}}
        found: dict[str, Any] = {}
        for way, feet in ways.items():
            name = "speed" if way == "walk" else f"{way}_speed"
            if name in self.columns.sheet:
                found[name] = feet
            else:
                self.left_out.setdefault(f"{way} speed")
        return found

    def _note_units(self, units: set[str]) -> None:
        for unit in sorted(units):
            self.other_units[unit] = self.other_units.get(unit, 0) + 1

    def _is_foreign(self, row: Row) -> bool:
        """Tell whether a row is of another game: it has what only those have, and nothing of this one."""
        own = {name for name in row.values if name in self.columns.names} - GENERAL
        nested = isinstance(row.values.get("hp"), Mapping) or isinstance(row.values.get("abilities"), Mapping)
        return bool(row.values.keys() & foreign.MARKS or nested) and not own - {
            "abilities",
            "weapons",
            "kind",
        }

    def _leaves_out(self, row: Row) -> bool:
        """Tell whether something of a row is not read."""
        read = foreign.READ if self._is_foreign(row) else (*self.columns.names, "speed")
        return any(name not in read and not foreign.has_nothing(value) for name, value in row.values.items())

    # --- entries

    def _entry(self, row: Row, values: dict[str, Any], faulty: set[str]) -> dict[str, Any]:
        """Return the entry of an opening that the values of a row are."""
        block = self.choices.stat_block
        if block is not None and all(values.get(name) is None for name in WITHOUT_SHEET):
            own = set(values) & set(self.columns.sheet) - set(self.columns.entry)
            if self._is_foreign(row) or not own - {"size", "speed", "hp_max"}:
                values = {
                    name: value for name, value in values.items() if name in (*self.columns.entry, *PLACES)
                }
                values.pop("hp", None)
                values["stat_block"] = block
        whole = all(values.get(name) is None for name in WITHOUT_SHEET)
        self._fill(row, values, faulty, whole=whole)
        entry: dict[str, Any] = {}
        sheet: dict[str, Any] = {}
        for name, value in values.items():
            if name in self.columns.sheet and (whole or name not in self.columns.entry):
                sheet[name] = value
            else:
                entry[name] = value
        if not whole:
            for name in sheet:
                self._fault(row, name, "this creature has its own; leave it empty", faulty)
            return entry
        for name, each in self.columns.sheet.items():
            if each.required and name not in sheet:
                self._fault(row, name, "a value is required", faulty)
                sheet[name] = "missing"
        return {**entry, SHEET: sheet}

    def _fill(self, row: Row, values: dict[str, Any], faulty: set[str], *, whole: bool) -> None:
        """Add what a file need not say: an id from the name, a side, a greatest number of hit points."""
        given = values.get("id")
        if given is None and (values.get("name") or values.get("stat_block")):
            values["id"] = self._free_id(str(values.get("name") or values["stat_block"]))
        elif isinstance(given, str) and "id" not in faulty:
            self._check_id(row, given, values, faulty)
        if values.get("side") is None and self.choices.side is None and "side" in self.file.spelled:
            self._fault(row, "side", "a value is required", faulty)
        if values.get("side") is None and "side" not in faulty:
            values["side"] = self.choices.side or FOES
            self.without_side += self.choices.side is None
        if whole and values.get("hp") is not None and values.get("hp_max") is None and "hp_max" not in faulty:
            values["hp_max"] = values.pop("hp")
            points = values["hp_max"]
            if self._is_foreign(row):
                self.with_foreign_points += 1
            else:
                self.alone.append(f"{row.place}: hp without hp_max: {points} of {points}")
        without = whole and not ({*values} | faulty) & {"hp", "hp_max"}
        self.without_points += without and self._leaves_out(row)
        if POSITION not in values and all(values.get(axis) is not None for axis in PLACES):
            values[POSITION] = [values[axis] for axis in PLACES]
        one = next((axis for axis in PLACES if values.get(axis) is not None), None)
        if POSITION not in values and one is not None:
            other = PLACES[1 - PLACES.index(one)]
            self._fault(
                row,
                POSITION,
                f"where it begins is required: x and y, or position; {other} is missing",
                faulty,
            )
        for axis in PLACES:
            values.pop(axis, None)

    def _check_id(self, row: Row, given: str, values: dict[str, Any], faulty: set[str]) -> None:
        first = next((entry.row for entry in self.entries if _id_of(entry.data) == given), None)
        if first is not None and first is not row:
            self._fault(row, "id", f"{first.place} has this id already", faulty)
            values["id"] = self._free_id(given)
        elif given != _slug(given):
            values["id"] = self._free_id(given)
            self.notes.append(f"{row.place}: the id is {values['id']}: an id is a-z, 0-9 and -")

    def _free_id(self, name: str) -> str:
        """Return an id made from a name, that no other creature has."""
        taken = {_id_of(entry.data) for entry in self.entries}
        taken |= {str(row.values["id"]) for row in self.file.rows if isinstance(row.values.get("id"), str)}
        slug = _slug(name) or "creature"
        found, number = slug, 1
        while found in taken:
            number += 1
            end = f"-{number}"
            found = slug[: LONGEST_ID - len(end)].rstrip("-") + end
        return found

    # --- the whole

    def finished(self) -> Converted:
        """Return the entries with the notes; raises `Unconvertible` with all faults."""
        if len(self.entries) > CREATURES:
            place = self.entries[CREATURES].row.place
            raise Unconvertible(f"{place}: at most {CREATURES} creatures")
        self._place()
        for entry in self.entries:
            self._check(entry)
        self._check_opening()
        if self.faults:
            more = len(self.faults) - MOST_FAULTS
            counted = (f"{more} further faults",) if more > 0 else ()
            raise Unconvertible(*dict.fromkeys(self.faults[:MOST_FAULTS]), *counted)
        return Converted({"creatures": [entry.data for entry in self.entries]}, tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        yield from self.notes
        yield from shortened([*dict.fromkeys(self.alone)], "creatures have hp without hp_max")
        if self.with_foreign_points:
            yield f"hit points are the greatest number too ({self.with_foreign_points})"
        if self.by_dice:
            yield f"hit points in dice are their average ({self.by_dice})"
        if self.without_points:
            yield f"{_count(self.without_points)} no hit points that are read: the usual number here"
        if self.left_out:
            yield f"left out, because this rulebook has nothing of the name: {', '.join(self.left_out)}"
        for unit, count in self.other_units.items():
            yield f"speeds in {unit} are read in feet, {IN_FEET[unit]} ({count})"
        for word, size in self.larger.items():
            yield f"{word} is {size} in this rulebook"
        if self.without_side:
            yield f"{_count(self.without_side)} no side: {FOES} here (--side SIDE)"
        if self.without_place and self.choices.place is None:
            yield f"{_count(self.without_place)} no place: side by side from 0,0 here (--place x,y)"

    def _place(self) -> None:
        """Put creatures without a place side by side: beside the first of their row, if that has one."""
        places = [(entry.data, place_of(entry.data)) for entry in self.entries]
        taken = {cell for entry, at in places if at is not None for cell in cells_of(entry, at)}
        rows: dict[Cell, SideBySide] = {}
        for entry in self.entries:
            if POSITION in entry.data or POSITION in entry.faulty:
                continue
            self.without_place += entry.beside is None
            start = entry.beside or self.choices.place or (0, 0)
            row = rows.setdefault(start, SideBySide(start, taken))
            entry.data[POSITION] = [*row.take(entry.data)]

    def _check(self, entry: _Entry) -> None:
        """Name each column that the codec does not take; what is faulty goes, so that the next is found."""
        for _ in range(len(self.columns.names)):
            try:
                kept = self._without_faults(entry)
                from_data(self.columns.kind, kept, families=self.ruleset.families, bounded=True)
            except Malformed as fault:
                column = _column_of(fault.pointer)
                if column in entry.faulty or not column:
                    if not column:
                        self._fault(entry.row, "", fault.expected, entry.faulty)
                    return
                self._fault(entry.row, column, fault.expected, entry.faulty, inner=_inner(fault.pointer))
            else:
                return

    def _without_faults(self, entry: _Entry) -> dict[str, Any]:
        """Return an entry without what is faulty; what is required has a value that fits."""
        fitting = {"id": self._fitting_id(entry), "name": "Unnamed", "side": FOES, POSITION: [0, 0]}
        data = {name: value for name, value in entry.data.items() if name not in entry.faulty}
        sheet = data.get(SHEET)
        if isinstance(sheet, Mapping):
            kept = {name: value for name, value in sheet.items() if name not in entry.faulty}
            own = {name: value for name, value in fitting.items() if name in self.columns.sheet}
            data[SHEET] = {**{name: own[name] for name in own if name in entry.faulty}, **kept}
        for name in entry.faulty & (fitting.keys() - self.columns.sheet.keys() | {POSITION}):
            data.setdefault(name, fitting[name])
        return data

    def _fitting_id(self, entry: _Entry) -> str:
        return f"unnamed-{self.entries.index(entry)}"

    def _check_opening(self) -> None:
        """Name what keeps a fight of these creatures from beginning."""
        entries = [self._without_faults(entry) for entry in self.entries]
        data: dict[str, Any] = {"creatures": entries}
        if "sides" in self.columns.opening:
            sides = [str((each.get(SHEET) or each).get("side", FOES)) for each in entries]
            data |= {"sides": list(dict.fromkeys(sides)), "player_side": sides[0]}
        for pointer, detail in opening_faults(self.ruleset, data):
            if not pointer.startswith("/creatures/"):
                continue
            number, _, rest = pointer.removeprefix("/creatures/").partition("/")
            entry = self.entries[int(number)]
            column = _column_of(rest)
            is_unsure = column == POSITION and any(POSITION in each.faulty for each in self.entries)
            if column not in entry.faulty and not is_unsure:
                self._fault(entry.row, column, detail, entry.faulty, inner=_inner(rest))

    def _fault(
        self,
        row: Row,
        column: str,
        detail: str,
        faulty: set[str],
        spelled: str = "",
        inner: str = "",
    ) -> None:
        faulty.add(column)
        said = spelled or self._said(column)
        if column == "hp_max" and not spelled and column not in row.values and "hp" in row.values:
            said = self._said("hp")  # of which it was made
        if column == POSITION and not spelled:
            said = next((self._said(axis) for axis in PLACES[_index(inner) :] if axis in row.values), said)
            inner = "" if said != POSITION else inner
        place = f"{row.place}, column {said}{f' ({inner})' if inner else ''}" if column else row.place
        self.faults.append(f"{place}: {detail}")

    def _said(self, name: str) -> str:
        """Return a column as the file spells it."""
        return self.file.spelled.get(name, name)

    def _near_miss(self, name: str) -> str:
        """Return the column that somebody may have meant by *name*; empty if it is one, or like none."""
        if name in self.columns.names or name in (*foreign.MARKS, "speed") or len(name) > LONGEST_COLUMN:
            return ""
        if name not in self.nearest:
            near = close_name(name, self.columns.names, ALIKE)
            self.nearest[name] = f"; the nearest is {near}" if near else ""
        return self.nearest[name]


def _count(creatures: int) -> str:
    return "1 creature has" if creatures == 1 else f"{creatures} creatures have"


def _id_of(entry: Mapping[str, Any]) -> str:
    return str((entry.get(SHEET) or entry).get("id", ""))


def _slug(name: str) -> str:
    """Return *name* as an id: without accents, small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.casefold()).strip("-")[:LONGEST_ID].strip("-")


def _column_of(pointer: str) -> str:
    parts = [part for part in pointer.split("/") if part and part != SHEET]
    return parts[0] if parts else ""


def _inner(pointer: str) -> str:
    """Return what of a nested value a pointer is at."""
    return "/".join([part for part in pointer.split("/") if part and part != SHEET][1:])


def _index(inner: str) -> int:
    return int(inner) if inner in ("0", "1") else 0
