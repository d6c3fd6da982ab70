"""Describe what a ruleset shows as JSON Schema: its states, its events and the records in them.

The schemas are made from the shapes of the records, as the codec writes them. A value that may be sealed from
a seat is either itself or a closed envelope.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.api.answers import THROW
from service.api.descriptions import CONSTANTS, field_text, record_text
from service.api.shapes import (
    DuplicateComponent,
    Schema,
    choice,
    component,
    either,
    listing,
    one_of,
    ref,
    tuple_of,
)
from service.dice.values import Roll
from service.rules.kernel.families import tag_of
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Anything,
    Choice,
    FieldShape,
    FixedList,
    Member,
    Names,
    Nothing,
    RecordObject,
    Scalar,
    SealedValue,
    Shape,
    fields_of,
)
from service.rules.kernel.records import sealable_fields
from service.rules.ruleset import Ruleset
from service.rules.secrecy.worlds import SplitTable

SEALED: Final = component(
    "Sealed",
    {
        "type": "object",
        "description": "A value that is sealed from your seat.",
        "properties": {
            "sealed": {
                **listing({"type": "string"}),
                "description": "Who may read it, each as `seat:<id>`.",
            },
            "shown": {"description": "What others read in its place; absent for a blank."},
        },
        "required": ["sealed"],
        "additionalProperties": False,
    },
)
_WORLD: Final = (
    "What a group that acts apart has made different: a member that is missing is as in the state around it."
)
_COMPARED: Final = (
    "Those that are different, each with the members that are; null for one that is not in this world."
)
_TYPES: Final[Mapping[type, str]] = types.MappingProxyType({str: "string", int: "integer", bool: "boolean"})


class EditionViews:
    """The components of an edition: states, events, carried characters; `name` begins each name."""

    def __init__(self, ruleset: Ruleset[Any], name: str) -> None:
        self.ruleset = ruleset
        self.name = name
        self.components: dict[str, Schema] = {}
        self._named: dict[str, type] = {}
        self.state = self._record(type(ruleset.blank), f"{name}State")
        if isinstance(ruleset.blank, SplitTable):
            self._world(ruleset.blank)
        edition = self.components[f"{name}State"]["properties"]["edition"]
        del edition["type"]
        edition["const"] = ruleset.edition
        carrying = ruleset.carrying
        self.carried = None if carrying is None else self.schema_of(RecordObject(carrying.kind))
        events = {tag: self._record(kind, f"{name}{_camel(tag)}") for tag, kind in ruleset.events.items()}
        self.components[f"{name}Event"] = {
            "description": f"An event of {ruleset.edition}.",
            **one_of("type", events),
        }
        self.event = ref(f"{name}Event")

    def _record(self, kind: Any, name: str) -> Schema:
        """Return a reference to the component of the record *kind*, which is made at first use.

        Raises `DuplicateComponent` if another record has this name.
        """
        if self._named.setdefault(name, kind) is not kind:
            raise DuplicateComponent(f"{kind} and {self._named[name]} are both called {name}; rename one")
        if name in self.components:
            return ref(name)
        tag, fields = tag_of(kind), [field for field in fields_of(kind) if field.given]
        made: Schema = {"type": "object", "description": record_text(kind)}
        self.components[name] = made  # before its fields, which may refer to it
        properties: dict[str, Schema] = {}
        if tag:
            properties[tag] = {"const": getattr(kind, tag), "description": CONSTANTS[tag]}
        sealable = sealable_fields(kind)
        for field in fields:
            properties[field.name] = self._field(kind, field, is_sealable=field.name in sealable)
        made["properties"] = properties
        made["required"] = list(properties)
        made["additionalProperties"] = False
        return ref(name)

    def _world(self, table: SplitTable) -> None:
        """Make the component of a world: a state with what differs from the state around it."""
        fields = {**self.components[f"{self.name}State"]["properties"]}
        for name in table.compared:
            of_state = fields[name]["additionalProperties"]["$ref"].rpartition("/")[2]
            of_world = f"{self.name}World{of_state.removeprefix(self.name)}"
            self.components[of_world] = {
                **self.components[of_state],
                "description": f"The members of a `{of_state}` that are different in a group's world.",
                "required": [],
            }
            inside = either(ref(of_world), {"type": "null"})
            fields[name] = {**fields[name], "additionalProperties": inside, "description": _COMPARED}
        self.components[f"{self.name}World"] = {
            **self.components[f"{self.name}State"],
            "description": _WORLD,
            "properties": fields,
            "required": [],
        }

    def _field(self, kind: Any, field: FieldShape, *, is_sealable: bool) -> Schema:
        made = self.schema_of(field.shape)
        if is_sealable:
            made = either(made, SEALED)
        text = field_text(kind, field)
        return {**made, "description": text} if text else made

    def schema_of(self, shape: Shape) -> Schema:
        """Return the schema of values of *shape*."""
        made: Schema = _WAYS[type(shape)](self, shape)
        return made

    def of_record(self, shape: RecordObject) -> Schema:
        """Return a reference to the component of a record; a state in a state is a world."""
        if shape.kind is Roll:
            return THROW
        if shape.kind is type(self.ruleset.blank):
            return ref(f"{self.name}World")
        return self._record(shape.kind, f"{self.name}{shape.kind.__name__}View")

    def of_member(self, shape: Member) -> Schema:
        """Return a reference to the union of a family's members."""
        name = f"{self.name}{shape.head.__name__}View"
        if name not in self.components:
            self.components[name] = {}
            members = self.ruleset.families.members(shape.head).items()
            start = f"{self.name}{shape.head.__name__}"
            kinds = {tag: self._record(kind, f"{start}{_camel(tag)}View") for tag, kind in members}
            self.components[name] = {"description": record_text(shape.head), **one_of(shape.tag, kinds)}
        return ref(name)

    def of_alternatives(self, shape: Alternatives) -> Schema:
        """Return the schema of one of several shapes, or null."""
        ways = [self.schema_of(way) for way in shape.ways]
        made = either(*ways)
        return either(made, {"type": "null"}) if shape.optional else made

    def of_fixed(self, shape: FixedList) -> Schema:
        """Return the schema of a list with an item of each shape."""
        return tuple_of([self.schema_of(each) for each in shape.items])


_WAYS: Final[Mapping[type[Shape], Callable[[EditionViews, Any], Schema]]] = types.MappingProxyType(
    {
        Scalar: lambda _, shape: {"type": _TYPES[shape.kind]},
        Nothing: lambda _, __: {"type": "null"},
        Anything: lambda _, __: {},
        Choice: lambda _, shape: choice(shape.values),
        Alternatives: EditionViews.of_alternatives,
        FixedList: EditionViews.of_fixed,
        AnyList: lambda views, shape: listing(views.schema_of(shape.each)),
        Names: lambda views, shape: {"type": "object", "additionalProperties": views.schema_of(shape.each)},
        SealedValue: lambda views, shape: either(views.schema_of(shape.inner), SEALED),
        RecordObject: EditionViews.of_record,
        Member: EditionViews.of_member,
    }
)
"""The schema of each shape."""


def _camel(type_: str) -> str:
    """Return a type of messages as the name of a class: `ExchangeHit` for `exchange_hit`."""
    return "".join(part.capitalize() for part in type_.split("_"))
