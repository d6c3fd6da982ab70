"""The diagrams of the documentation are drawn from the code as it is."""

from __future__ import annotations

import re

import pytest

from tests.docs.diagrams import DIAGRAMS, PICTURES, stack


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_is_that_of_the_code(name: str) -> None:
    assert (PICTURES / name).read_text("utf-8") == DIAGRAMS[name](), "make generate draws it"


def test_the_stack_of_the_sample_fight_has_frames_upon_frames() -> None:
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", stack())
    assert {"combat", "engagement", "engage", "choose_stance", "throw_dice"} <= {*texts}
