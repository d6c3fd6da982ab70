"""The modules of the page, as they are served: without the comments between their statements."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final

import pytest

from service.api.page_files import COMMENT, without_comments

PAGES: Final = Path(__file__).parents[2] / "service" / "api" / "pages"
FOLDERS: Final = ("client", "embed", "fight", "home", "new", "shared")
MODULES: Final = sorted(each for folder in FOLDERS for each in (PAGES / folder).glob("*.mjs"))
LEAST_SAVED: Final = 0.2


def test_a_module_keeps_its_statements_and_their_lines() -> None:
    written = "// What it does.\n\n/**\n * Adds.\n * @param {number} a\n */\n"
    written += "const add = (a) => a + 1; // one\n"
    written += '  /** @type {any} */\nconst at = /** @type {any} */ ("https://a"); /* b */\nadd(2);\n'
    served = without_comments(written)
    assert served == (
        "\n\n\n\n\n\nconst add = (a) => a + 1; // one\n\n"
        'const at = /** @type {any} */ ("https://a"); /* b */\nadd(2);\n'
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda each: f"{each.parent.name}/{each.name}")
def test_nothing_that_looks_like_a_comment_is_in_a_text(module: Path) -> None:
    written = module.read_text("utf-8")
    for found in COMMENT.finditer(written):
        before = without_comments(written[: found.start()])
        assert before.count("`") % 2 == 0, (
            f"line {written[: found.start()].count(chr(10)) + 1} is in a template"
        )


def test_comments_are_a_fifth_of_what_is_sent() -> None:
    written = [each.read_text("utf-8") for each in MODULES]
    sizes = [
        sum(len(gzip.compress(each.encode())) for each in texts)
        for texts in (written, [without_comments(each) for each in written])
    ]
    assert sizes[1] < (1 - LEAST_SAVED) * sizes[0], sizes
