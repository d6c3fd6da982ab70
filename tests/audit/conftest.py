"""Have every bundle of these tests judged a second time, by the verifier in JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.javascript_verifier import Case, differences, overheard

Heard = list[tuple[str, Case]]


@pytest.fixture(scope="module")
def heard() -> Iterator[Heard]:
    """Give the list of what the tests of a file made; at its end both verifiers must agree on all of it."""
    found: Heard = []
    yield found
    wrong = [(found[at][0], ours, theirs) for at, ours, theirs in differences([case for _, case in found])]
    assert wrong == [], "test, Python's verdict, JavaScript's verdict"


@pytest.fixture(autouse=True)
def _judged_again(request: pytest.FixtureRequest, heard: Heard) -> Iterator[None]:
    """Note what a test reads as a bundle or judges as evidence."""
    with overheard() as cases:
        yield
    heard += [(request.node.name, case) for case in cases()]
