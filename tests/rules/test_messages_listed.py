"""Every message and frame that a ruleset defines is listed: one that is not could never be read again."""

from __future__ import annotations

import pytest

from service.conformance.listed import defined, unlisted
from service.rules.registry import REGISTRY


@pytest.mark.parametrize("edition", REGISTRY)
def test_every_message_and_frame_of_a_ruleset_is_listed(edition: str) -> None:
    assert len(defined(REGISTRY[edition])) > 50, "a search that finds nothing proves nothing"
    assert unlisted(REGISTRY[edition]) == []
