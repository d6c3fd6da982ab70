"""The laws of `patch`, in a real browser: what is drawn again keeps what a person did to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.cli.fights import Service
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PATCHING: Final = (Path(__file__).parent / "patching.mjs").read_text("utf-8")


def called(page: Page, name: str, given: object = None) -> Any:
    """Return what a function of `patching.mjs` finds in the page."""
    body = re.search(rf"export const {name} = (.*?\n\}});?\n", PATCHING + "\n", re.DOTALL)
    assert body is not None, name
    return page.evaluate(body[1].rstrip(";"), given)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_drawn_again_keeps_node_focus_selection_scroll_and_text(
    running: Service, window: Open, seed: int
) -> None:
    page = window().visit(f"{running.station.url}/verify")
    assert called(page, "random", [seed * 7919 + 1, 40]) == []


def test_a_control_changes_only_when_its_view_says_so_and_its_listener_is_the_last_one(
    running: Service, window: Open
) -> None:
    page = window().visit(f"{running.station.url}/verify")
    assert called(page, "declared") == {
        "untouched": ["typed", True, "b", "typed"],
        "changed": ["two", True, "b", "two"],
        "heard": "new",
    }
