"""The pictures of the page on maps are drawn from its examples."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks
from tests.support.drawn_map import drawn

PAGE = ROOT / "docs" / "maps.md"
_OPENING = re.compile(r"^cat > (\w+)\.json <<'END'\n(.*?)^END$", re.MULTILINE | re.DOTALL)


def examples() -> dict[str, tuple[dict[str, Any], str]]:
    """Return each opening of the page by name, with the picture behind it."""
    found: dict[str, tuple[dict[str, Any], str]] = {}
    opening: tuple[str, dict[str, Any]] | None = None
    for block in blocks(PAGE):
        if block.words == ("text",):
            assert opening is not None, f"maps.md:{block.line}: a picture of nothing"
            found[opening[0]] = (opening[1], block.text)
            opening = None
        elif (shown := _OPENING.search(block.text)) is not None:
            assert opening is None, f"maps.md:{block.line}: an example before has no picture"
            opening = (shown[1], json.loads(shown[2]))
    assert opening is None
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_shows_its_example(name: str) -> None:
    opening, picture = EXAMPLES[name]
    assert drawn(opening) == picture


def test_each_part_of_a_map_has_an_example() -> None:
    assert set(EXAMPLES) == {"terrain", "walls", "heights", "light", "water", "groups"}
