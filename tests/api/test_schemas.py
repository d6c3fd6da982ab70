"""Schemas from type hints accept exactly what a record can hold."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import pytest

from service.api.describe import json_schema
from service.api.schemas import faults, schema_of
from service.rules.kernel.families import Families
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.values import CreatureId, CreatureRef, Id
from service.rules.rise import RISE


@record
class Part:
    id: Id
    sides: Literal[4, 6] = 6


@record
class Whole:
    creature: CreatureId
    parts: tuple[Part, ...]
    at: tuple[int, int] = (0, 0)
    note: str | None = None
    ready: bool = False
    options: Mapping[str, str | int | bool] = EMPTY
    kind: Literal["a", "b"] = "a"


@record
class Deed:
    """The head of a family: `kind` tells which."""

    kind: ClassVar[str]


@record
class Push(Deed):
    kind: ClassVar[str] = "push"
    creature: CreatureRef
    feet: int = 5


@record
class Chain(Deed):
    kind: ClassVar[str] = "chain"
    deeds: tuple[Deed, ...]


@record
class Told:
    deeds: tuple[Deed, ...]


FAMILY = schema_of(Told, name="Told", families=Families({Deed: (Push, Chain)}))
SCHEMA = schema_of(Whole, name="Whole", tag="whole")
GOOD = {"type": "whole", "creature": "pia", "parts": [{"id": "x", "sides": 4}]}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"more": 1}, "/more"),
        ({"type": "other"}, "/type"),
        ({"creature": "Pia"}, "/creature"),
        ({"creature": "pia\n"}, "/creature"),
        ({"creature": "a" * 25}, "/creature"),
        ({"creature": None}, "/creature"),
        ({"parts": {}}, "/parts"),
        ({"parts": [{"id": "x"}, {}]}, "/parts/1/id"),
        ({"parts": [{"id": "x", "sides": 5}]}, "/parts/0/sides"),
        ({"parts": [{"id": "x", "sides": "6"}]}, "/parts/0/sides"),
        ({"parts": [7]}, "/parts/0"),
        ({"at": [1]}, "/at"),
        ({"at": [1, "2"]}, "/at/1"),
        ({"at": [True, 0]}, "/at/0"),
        ({"note": 5}, "/note"),
        ({"ready": 1}, "/ready"),
        ({"ready": "true"}, "/ready"),
        ({"options": {"x": None}}, "/options/x"),
        ({"options": {"x": []}}, "/options/x"),
        ({"options": []}, "/options"),
        ({"kind": "c"}, "/kind"),
    ],
)
def test_each_fault_has_its_pointer(change: dict[str, object], pointer: str) -> None:
    assert [found for found, _ in faults(SCHEMA(), GOOD | change)] == [pointer]


@pytest.mark.parametrize(
    "change",
    [{}, {"note": None}, {"note": "x"}, {"at": [-3, 9]}, {"options": {"a": 1, "b": "c", "d": False}}],
)
def test_what_the_record_can_hold_passes(change: dict[str, object]) -> None:
    assert faults(SCHEMA(), GOOD | change) == []


@pytest.mark.parametrize(
    ("data", "kind"),
    [(None, "null"), ([], "a list"), ("x", "text"), (3, "a number"), (True, "true or false")],
)
def test_only_objects_fit(data: object, kind: str) -> None:
    assert faults(SCHEMA(), data) == [("", f"an object, not {kind}")]


def test_its_json_schema_is_as_narrow() -> None:
    schema = json_schema(SCHEMA)

    assert schema["additionalProperties"] is False
    assert schema["required"] == ["creature", "parts", "type"]
    assert schema["properties"]["type"]["const"] == "whole"
    assert schema["properties"]["at"]["prefixItems"][0]["type"] == "integer"
    assert schema["$defs"]["TestsPart"]["properties"]["sides"]["enum"] == [4, 6]


# --- families ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deed", "pointers"),
    [
        ({"kind": "push", "creature": "pia"}, []),
        ({"kind": "push", "creature": "$target", "feet": 10}, []),
        ({"kind": "chain", "deeds": [{"kind": "push", "creature": "pia"}]}, []),
        ({"kind": "push"}, ["/deeds/0/creature"]),
        ({"kind": "push", "creature": "pia", "more": 1}, ["/deeds/0/more"]),
        ({"kind": "pull", "creature": "pia"}, ["/deeds/0/kind"]),
        ({"kind": ["push"], "creature": "pia"}, ["/deeds/0/kind"]),
        ({"creature": "pia"}, ["/deeds/0/kind"]),
        ({"kind": "chain", "deeds": [{"kind": "push"}]}, ["/deeds/0/deeds/0/creature"]),
        ("push", ["/deeds/0"]),
    ],
)
def test_a_family_takes_what_its_members_can_hold(deed: object, pointers: list[str]) -> None:
    assert [found for found, _ in faults(FAMILY(), {"deeds": [deed]})] == pointers


def test_the_json_schema_of_a_family_lists_its_members() -> None:
    schema = json_schema(FAMILY)

    assert schema["properties"]["deeds"]["items"]["oneOf"] == [
        {"$ref": "#/$defs/TestsDeedChain"},
        {"$ref": "#/$defs/TestsDeedPush"},
    ]
    assert schema["$defs"]["TestsDeedPush"]["properties"]["kind"]["const"] == "push"
    assert schema["$defs"]["TestsDeedPush"]["required"] == ["creature", "kind"]


@pytest.mark.parametrize(
    ("command", "field"),
    [
        ("shove", "distance_ft"),
        ("move", "distance_ft"),
        ("plan_movement", "distance_ft"),
        ("plan_movement", "within_ft"),
        ("plan_movement", "beyond_ft"),
    ],
)
def test_a_distance_is_not_negative(command: str, field: str) -> None:
    schema = schema_of(RISE.commands[command], only=(field,))()
    assert faults(schema, {field: 0}) == []
    assert faults(schema, {field: -5}) == [(f"/{field}", "a whole number of feet from 0 to 1000")]
