"""Every message and frame that a ruleset defines is listed: one that is not could never be read again."""

from __future__ import annotations

import re
from typing import Any

import pytest

from service.conformance.listed import defined, unlisted
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset


@pytest.mark.parametrize("edition", REGISTRY)
def test_every_message_and_frame_of_a_ruleset_is_listed(edition: str) -> None:
    assert len(defined(REGISTRY[edition])) > 50, "a search that finds nothing proves nothing"
    assert unlisted(REGISTRY[edition]) == []


@pytest.mark.parametrize("ruleset", REGISTRY.values(), ids=lambda each: each.edition)
def test_a_book_says_in_a_sentence_how_it_is_played(ruleset: Ruleset[Any]) -> None:
    assert re.fullmatch(r"[A-Z][^.]{20,120}\.", ruleset.summary)
