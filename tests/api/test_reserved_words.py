"""No identifier of the contract is a word that a language reserves, so generated clients compile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import pytest
import yaml

from tests.api.reserved_words import RESERVED, reserving
from tests.clients.conftest import ROOT

METHODS: Final = ("get", "put", "post", "delete", "patch")
DATA: Final = ("example", "examples", "enum", "const", "default")
"""Members of a schema whose value is data, not a schema."""
ESCAPED: Final = ("Go", "C#", "Rust", "Swift", "Kotlin", "TypeScript")
"""Where a member of a record may have any name.

Go's exported fields begin with a capital. C#, Rust, Swift and Kotlin write `@out`, `r#use`, `` `when` ``, and
their generators do. TypeScript keeps its words from names of types alone. Parameters become variables, which
generators do not escape as well: `{import}` did not compile.
"""
MEMBERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "type": "what a record is: the discriminator everywhere, in bundles too",
        "event": "the index of an event, or an event",
        "use": "the id of the use of an ability, in records",
        "params": "what the user of an ability says, in records",
        "number": "a count in records; a name of a type in TypeScript, and no reserved word",
        "checked": "the result of a check, in records",
        "out": "whether a lantern is out, in a record",
        "when": "the parameters for which an operation happens, as rulebooks write it",
        "sealed": "the envelope of what is sealed, in every bundle",
        "map": "whether the map changed",
    }
)
"""Members that only languages reserve that escape them. Records are what bundles prove, so they stay."""
OF_STANDARDS: Final[Mapping[str, str]] = MappingProxyType({"from": "RFC 6902: a JSON Patch has it"})
"""Members that a standard names. Generators write `from_` in Python; nothing else reserves it."""


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
    return found


def operations(contract: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, item[method]


def members(part: object, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name of every property of every schema, and where it is."""
    if isinstance(part, dict):
        properties = part.get("properties")
        if isinstance(properties, dict):
            yield from ((name, at) for name in properties)
        for name, each in part.items():
            if name not in DATA:
                yield from members(each, f"{at}/{name}")
    elif isinstance(part, list):
        for index, each in enumerate(part):
            yield from members(each, f"{at}/{index}")


def test_no_parameter_operation_tag_or_schema_is_a_reserved_word(contract: dict[str, Any]) -> None:
    names = {tag["name"] for tag in contract["tags"]} | {*contract["components"]["schemas"]}
    for path, operation in operations(contract):
        names |= {operation["operationId"], *re.findall(r"\{(\w+)\}", path)}
        names |= {each["name"] for each in operation.get("parameters", ()) if "name" in each}
    assert len(names) > 100, "they are found"
    assert {name: reserving(name) for name in sorted(names) if reserving(name)} == {}


def test_members_are_reserved_only_where_languages_escape_them(contract: dict[str, Any]) -> None:
    found: dict[str, list[str]] = {}
    for name, at in members(contract):
        found.setdefault(name, []).append(at)
    reserved = {name: reserving(name) for name in found if reserving(name)}
    assert {*reserved} == {*MEMBERS, *OF_STANDARDS}, "each is excused with a reason, and none in vain"
    assert {name for name in MEMBERS if not set(reserved[name]) <= set(ESCAPED)} == set()
    assert all("/patch/" in at for at in found["from"]), "no other member than that of the standard"


@pytest.mark.parametrize("word", ["import", "as", "from", "with", "continue", "default"])
def test_the_lists_have_the_words_that_once_stood_in_the_contract(word: str) -> None:
    assert reserving(word)
    assert len(RESERVED) == 9
