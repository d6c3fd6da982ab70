"""A name of a stranger is never looked up in a prototype: `in` is not used on objects."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOMES = ("service/api/pages/verifier", "clients/javascript")
TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.DOTALL
)
IN = re.compile(r"(?<!for \(const )\b(\w+|\)|\]) in \w")


def uses(code: str) -> list[str]:
    """Return each use of `in` on an object."""
    bare = TEXT.sub(lambda found: "\n" * found[0].count("\n") + '""', code)
    return [found[0] for found in IN.finditer(re.sub(r"for \(const \w+ in ", "for (const one of ", bare))]


def test_no_name_is_looked_up_with_in() -> None:
    files = [file for home in HOMES for file in (ROOT / home).glob("*.mjs")]
    assert len(files) > 30
    found = {file.name: uses(file.read_text("utf-8")) for file in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_use_of_in_is_found() -> None:
    assert uses("if (name in members) return; // name in comments") == ["name in m"]
    assert uses('demand("a name in words", name in value)') == ["name in v"]
    assert uses("for (const name in value) keep(name)") == []
