"""Programs that use the clients are typed by the contract, without a cast, and play both books."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host
from tests.clients.openings import openings
from tests.support.javascript_verifier import node

LOOP: Final = ROOT / "tests" / "clients" / "typed_loop.py"
DECLARED: Final = ROOT / "clients" / "javascript" / "rewound.d.mts"
COMMANDS: Final = 8


@pytest.mark.parametrize("edition", openings())
def test_a_typed_loop_in_python_plays(rewound: Rewound, host: Host, edition: str) -> None:
    """`make lint` checks it with mypy, strictly."""
    assert not re.search(r"\b(cast|Any|type: ignore)\b", LOOP.read_text("utf-8"))
    encounter = rewound.open(openings()[edition]).encounter
    done = subprocess.run(
        [sys.executable, LOOP, host.address, host.key, encounter, str(COMMANDS)],
        env={"PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["edition"], len(last["types"])) == (edition, COMMANDS)


@pytest.mark.slow
@pytest.mark.overnight
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("right", "wrong"), [("event['excess']", "event['access']"), ('"target": "orc"', '"targt": "orc"')]
)
def test_a_misspelled_member_is_found_by_mypy(tmp_path: Path, right: str, wrong: str) -> None:
    (tmp_path / "loop.py").write_text(LOOP.read_text("utf-8").replace(right, wrong), "utf-8")
    words = ("--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(tmp_path / "loop.py"))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 1
    assert re.search(r"access|targt", done.stdout)


def test_each_method_in_javascript_has_a_type_and_each_type_a_method() -> None:
    """The declarations are written by hand; `make slow` compiles a program with them."""
    there: dict[str, Any] = json.loads(node("tests/clients/members.mjs"))
    text = DECLARED.read_text("utf-8")
    exported = re.findall(r"^export (?:class|function) (\w+)", text, re.MULTILINE)
    assert set(exported) == set(there)
    for name in ("Client", "Encounter"):
        body = text.partition(f"export class {name} {{\n")[2].partition("\n}\n")[0]
        methods = set(re.findall(r"^  (\w+)(?:<[^>]*>)?\(", body, re.MULTILINE)) - {"constructor"}
        assert methods == set(there[name])
