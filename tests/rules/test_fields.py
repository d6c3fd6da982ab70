"""Every field that a client sends says what it holds, and the codec holds it at both ends and no further."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rewound_duel import DUEL
from service import rules
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.declared import declared_in, unsaid
from service.rules.kernel.hints import RecordObject, Scalar, parts_of
from service.rules.kernel.messages import Actor
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset, records_sent
from tests.support.bounds import ENDS, End, cases, value_of

GM = Actor(seat="gm", role="gm")
RULESETS: dict[str, Ruleset[Any]] = {**REGISTRY, DUEL.edition: DUEL}


@pytest.mark.parametrize("edition", RULESETS)
def test_every_number_text_and_list_that_a_client_sends_has_bounds(edition: str) -> None:
    ruleset = RULESETS[edition]
    assert list(unsaid(records_sent(ruleset), ruleset.families)) == []


@pytest.mark.parametrize("edition", RULESETS)
def test_every_number_and_text_of_the_record_says_its_kind(edition: str) -> None:
    ruleset = RULESETS[edition]
    own = [*ruleset.events.values(), type(ruleset.blank), *records_sent(ruleset)]
    found = [
        str(declared)
        for declared in declared_in(own, ruleset.families)
        for part in parts_of(declared.field.shape)
        if isinstance(part, Scalar) and part.kind is not bool and not part.meaning.kind
        if not declared.record.__module__.startswith("service.dice.")
    ]
    assert found == []


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("edition", RULESETS)
def test_each_field_is_read_at_its_bounds(edition: str, end: End) -> None:
    ruleset = RULESETS[edition]
    for kind in records_sent(ruleset):
        data = value_of(RecordObject(kind), end, ruleset.families)
        from_data(kind, data, families=ruleset.families, bounded=True, by=GM)


@pytest.mark.parametrize("edition", RULESETS)
def test_beyond_its_bounds_no_field_is_read_and_both_are_named(edition: str) -> None:
    ruleset = RULESETS[edition]
    count = 0
    for kind in records_sent(ruleset):
        shape = RecordObject(kind)
        data = value_of(shape, "least", ruleset.families)
        for case in cases(shape, data, ruleset.families):
            with pytest.raises(Malformed) as refused:
                from_data(kind, case.data, families=ruleset.families, bounded=True, by=GM)
            assert (refused.value.pointer, refused.value.expected) == (case.pointer, case.expected)
            count += 1
    assert count > 30


RULES = Path(rules.__file__).parent
SHORT = 3
"""Words of a text that any field may have, such as `The id.`"""


class Said(NamedTuple):
    """A field of a record, with the type that it names and the text that it has besides."""

    where: str
    type_named: str
    text: str


def texts_in(path: Path) -> Iterator[Said]:
    """Yield the fields of the records in a file that have a text below them or in their own annotation."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    for record in [each for each in tree if isinstance(each, ast.ClassDef)]:
        for field, after in zip(record.body, [*record.body[1:], None], strict=True):
            if not isinstance(field, ast.AnnAssign):
                continue
            named, text = ast.unparse(field.annotation), ""
            if own := re.fullmatch(r"Annotated\[(.*), (['\"])(.*)\2\]", named):
                named, text = own[1], own[3]
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                text = " ".join(str(after.value.value).split())
            if text:
                yield Said(
                    f"{path.stem}.{record.name}.{ast.unparse(field.target)}",
                    named.removesuffix(" | None"),
                    text,
                )


def test_a_text_that_two_fields_of_one_shared_type_have_is_a_type_of_values() -> None:
    homes = {
        folder: set(
            re.findall(r"^(\w+): TypeAlias", (RULES / folder / "values.py").read_text("utf-8"), re.MULTILINE)
        )
        for folder in ("kernel", "heartrush", "rise")
    }
    said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(RULES.rglob("*.py")):
        shared = (
            {"bool", "tuple", "Mapping"}
            | homes["kernel"]
            | homes.get(path.relative_to(RULES).parts[0], set())
        )
        for each in texts_in(path):
            if len(each.text.split()) > SHORT and set(re.findall(r"[A-Za-z]\w*", each.type_named)) <= shared:
                said[each.type_named, each.text].append(each.where)
    repeated = {text: places for text, places in said.items() if len(places) > 1}
    assert not repeated, f"declare each as a type in values.py, with its text: {repeated}"
