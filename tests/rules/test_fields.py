"""Every field that a client sends says what it holds, and the codec holds it at both ends and no further."""

from __future__ import annotations

from typing import Any

import pytest

from rewound_duel import DUEL
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
