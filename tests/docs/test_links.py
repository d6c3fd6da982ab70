"""Hold the documentation to what it points at: files, headings, tests, settings."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from service.settings import Settings
from tests.docs.pages import PAGES, ROOT, anchors, blocks, links

TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
IN_DATA_DIR = ("key_file", "signing_key_file")
"""Settings whose default is told as a name in the data directory."""

GIVEN_AS = {
    "given_keys": "REWOUND_SECRET_KEY",
    "archive_secret": "REWOUND_ARCHIVE_SECRET_KEY",
    "given_signing_memory_file": "REWOUND_SIGNING_MEMORY_FILE",
}
"""Fields of the settings whose variable has another name."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in links(page):
        target, _, anchor = link.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        found = (page.parent / target).resolve() if target else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_is_named_exists(page: Path) -> None:
    named = TEST.findall(page.read_text("utf-8"))
    missing = [f"{file}::{name}" for file, name in named if name not in _tests(ROOT / file)]
    assert missing == []


def test_the_page_of_settings_has_every_setting_and_no_other() -> None:
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    found = re.findall(r"^\| `(REWOUND_\w+)` \|", text, re.MULTILINE)
    read = [GIVEN_AS.get(field.name, f"REWOUND_{field.name.upper()}") for field in fields(Settings)]
    assert sorted(found) == sorted(read)


def test_the_page_of_settings_tells_the_defaults() -> None:
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    found = dict(re.findall(r"^\| `(REWOUND_\w+)` \| `?([^|`]*)`? \|", text, re.MULTILINE))
    for field in fields(Settings):
        value = getattr(Settings(), field.name)
        if value not in (None, (), "") and field.name not in IN_DATA_DIR:
            assert found[f"REWOUND_{field.name.upper()}"] == str(value)


def test_the_rule_that_is_shown_is_one_of_the_code() -> None:
    shown = [block for block in blocks(ROOT / "docs" / "contributing.md") if "HR_RUSH_3" in block.text]
    source = (ROOT / "service" / "rules" / "heartrush" / "body" / "actions.py").read_text("utf-8")
    assert [block.text in source for block in shown] == [True, True]


def _tests(file: Path) -> set[str]:
    if not file.is_file():
        return set()
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
