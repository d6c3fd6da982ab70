"""A creature's sheet: as a form, by its JSON Schema, and in words, as a seat may read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Final

from service.api.describe import json_schema
from service.api.descriptions import field_text
from service.api.inputs import component_name
from service.api.schemas import schema_of
from service.api.shapes import Schema
from service.conversion.fields import fields_by_name, opening_fields, record_of
from service.rules.kernel.codec import to_data
from service.rules.kernel.hints import AnyList, Choice, FieldShape, fields_of, kind_in, parts_of
from service.rules.ruleset import Ruleset
from service.rules.table.library import SheetGroup

_REST: Final = "More"
_PLACED: Final = frozenset({"id", "side"})
"""Fields that a table shows elsewhere: the id is nobody's word, the side is a colour."""

Words = dict[str, Any]


def words(name: str) -> str:
    """Return words for a name of the API, with a capital: `hp_max` is `Hit points, at most`."""
    text = _NAMES.get(name, name.replace("_ft", " (feet)").replace("_", " "))
    return f"{text[:1].upper()}{text[1:]}"


_NAMES: Final[Mapping[str, str]] = {
    "hp": "hit points",
    "hp_max": "hit points, at most",
    "dr_max": "damage resistance, at most",
    "kind": "what it is",
}


@cache
def sheet_record(ruleset: Ruleset[Any]) -> Any:
    """Return the record of a creature's sheet in *ruleset*; None if creatures have no sheets."""
    listed = opening_fields(ruleset).get("creatures")
    shape = listed.shape if listed is not None else None
    entry: Any = record_of(shape.each) if isinstance(shape, AnyList) else None
    own = fields_by_name(entry) if entry else {}
    return record_of(own["sheet"].shape) if "sheet" in own else None


def groups_of(ruleset: Ruleset[Any]) -> tuple[SheetGroup, ...]:
    """Return the groups of the sheet's fields; the last has those that the ruleset names in none."""
    record = sheet_record(ruleset)
    if record is None:
        return ()
    named = {name for group in ruleset.sheet_groups for name in group.fields}
    rest = tuple([field.name for field in fields_of(record) if field.given and field.name not in named])
    return (*ruleset.sheet_groups, *([SheetGroup(title=_REST, fields=rest)] if rest else []))


@cache
def sheet_schema(ruleset: Ruleset[Any]) -> Schema | None:
    """Return the JSON Schema of a sheet, with a title for each member; None if creatures have no sheets."""
    record = sheet_record(ruleset)
    if record is None:
        return None
    made = schema_of(
        record,
        name=f"{component_name(ruleset.edition)}Sheet",
        families=ruleset.families,
    )
    schema: Schema = titled(json_schema(made))
    defaults = {field.name: field.default for field in fields_of(record) if not field.required}
    for name, value in defaults.items():
        if name in schema["properties"]:
            schema["properties"][name]["default"] = to_data(value)
    return schema


def opening_words(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Return the fields of an opening, what cells are made of, how bright they are, and whom they hold."""
    fields = opening_fields(ruleset)
    scenery: Any = record_of(fields["scenery"].shape) if "scenery" in fields else None
    light = fields_by_name(scenery).get("light") if scenery else None
    return {
        "fields": list(fields),
        "terrain": _values_in(fields.get("terrain")),
        "light": _values_in(light),
        "spaces": dict(ruleset.spaces),
    }


def _values_in(field: FieldShape | None) -> list[str]:
    """Return the values that the words of a field may have, if there are few."""
    parts = parts_of(field.shape) if field is not None else ()
    return next(([str(value) for value in part.values] for part in parts if isinstance(part, Choice)), [])


def titled(schema: Any) -> Any:
    """Return a JSON Schema in which each member of an object has a `title`."""
    if isinstance(schema, list):
        return [titled(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: titled(value) for key, value in schema.items()}
    members = made.get("properties")
    if isinstance(members, dict):
        made["properties"] = {name: {"title": words(name), **each} for name, each in members.items()}
    return made


def sheet_in_words(ruleset: Ruleset[Any], seen: Any, creature: str) -> list[Words] | None:
    """Return the sheet of *creature* in the view *seen*: groups of lines; None if it has none.

    What is as the book has it for everybody is left out, and what the reader may not know is not there.
    """
    found = getattr(seen, "creatures", {}).get(creature)
    sheet = getattr(found, "sheet", None)
    record = sheet_record(ruleset)
    if record is None or not isinstance(sheet, record):
        return None
    data = to_data(sheet)
    fields = {field.name: field for field in fields_of(record) if field.given}
    names = {(entry.kind, entry.id): entry for entry in ruleset.library()}
    made: list[Words] = []
    for group in groups_of(ruleset):
        own = [fields[name] for name in group.fields if name in fields]
        lines = list(_lines(ruleset, own, sheet, data, names))
        if lines:
            made.append({"title": group.title, "lines": lines})
    return made


def _lines(
    ruleset: Ruleset[Any], fields: Sequence[FieldShape], sheet: Any, data: Words, entries: Mapping[Any, Any]
) -> Iterator[Words]:
    for field in fields:
        value = data.get(field.name)
        is_usual = not field.required and value in (None, False, 0, "", [], {}, "none")
        if field.name in _PLACED or is_usual or _is_sealed(value):
            continue
        said = _said(getattr(sheet, field.name))
        yield {
            "name": field.name,
            "title": words(field.name),
            "text": f"d{value}" if kind_in(field.shape) == "die sides" else in_words(said, entries),
            "note": field_text(sheet_record(ruleset), field),
        }


def _is_sealed(value: object) -> bool:
    return isinstance(value, dict) and "sealed" in value


def _said(value: Any) -> Any:
    """Return a value of a sheet as data, each record as its own words, or without what is usual in it."""
    if isinstance(value, (tuple, list)):
        return [_said(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _said(each) for key, each in value.items()}
    if not is_dataclass(value):
        return to_data(value)
    name = getattr(value, "name", None) or getattr(value, "id", None)
    if hasattr(value, "in_words"):
        text = value.in_words()
        return f"{name}: {text}" if name else text
    kind: Any = type(value)
    return {
        field.name: _said(getattr(value, field.name))
        for field in fields_of(kind)
        if field.required or getattr(value, field.name) != field.default
    }


def in_words(value: Any, entries: Mapping[Any, Any]) -> str:
    """Return a value of a sheet in words; an id of the library is its name and its text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(in_words(each, entries) for each in value)
    if isinstance(value, dict):
        own = {key: each for key, each in value.items() if each not in (None, False, 0, "", [], {}, "none")}
        name = own.pop("name", None) or own.pop("id", None)
        own.pop("id", None)
        parts = ", ".join(
            words(key).lower() if each is True else f"{words(key).lower()} {in_words(each, entries)}"
            for key, each in own.items()
        )
        return f"{name}: {parts}" if name and parts else str(name or parts)
    found = next((entries[kind, value] for kind in ("ability", "spell") if (kind, value) in entries), None)
    if found is not None:
        return f"{found.name}: {found.text}" if found.text else str(found.name)
    return str(value).replace("_", " ")
