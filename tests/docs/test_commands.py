"""Type every command of the documentation into a shell, against a real service."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest

from tests.docs.conftest import Desk
from tests.docs.pages import PAGES, ROOT, blocks, difference, shown_answers, to_run, values
from tests.support.javascript_verifier import NODE

pytestmark = pytest.mark.slow

TYPED = [page for page in PAGES if to_run(page, "sh")]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_the_commands_of_a_page_work_and_answer_what_it_shows(page: Path, desk: Desk) -> None:
    printed = desk.typed(to_run(page, "sh"))
    for command, answer in shown_answers(page):
        real = values(printed[command])
        assert real, f"{page.name}:{command.line} prints no JSON: {printed[command]}"
        fault = difference(json.loads(answer.text), real[-1])
        assert fault is None, f"{page.name}:{answer.line}: {fault}: {json.dumps(real[-1])[:2000]}"


def test_there_is_something_to_type() -> None:
    assert {page.name for page in TYPED} >= {"README.md", "commands.md", "audit.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_is_marked_as_the_tests_know_it(page: Path) -> None:
    known = {"sh", "python", "json", "text", "lua", "toml", "yaml", "html", "js", "mermaid"}
    marks = [block.words for block in blocks(page) if block.words]
    assert [words for words in marks if words[0] not in known] == []
    assert [words for words in marks if words[1:] not in ((), ("run",), ("answer",))] == []


def test_the_program_of_integrating_runs_as_it_is_printed(desk: Desk) -> None:
    (program,) = to_run(ROOT / "docs" / "integrating.md", "js")
    (desk.home / "vtt.mjs").write_text(program.text, "utf-8")
    done = subprocess.run(
        [NODE, "vtt.mjs", desk.url, desk.key],
        cwd=desk.home,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "Pia engages Orc" in done.stdout
    assert "No: ann does not control orc; gm does" in done.stdout
    assert ". . . . . P O . . . ." in done.stdout.splitlines()
    assert "\nWhy? " in done.stdout
    assert re.search(r"^heart d8: \d", done.stdout, re.MULTILINE), "each die of the answer"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "usage: play.py http://127.0.0.1:8000 KEY"),
        (["http://127.0.0.1:9", "rw_x"], "http://127.0.0.1:9: "),
    ],
)
def test_the_example_says_in_a_line_what_it_lacks(given: list[str], said: str) -> None:
    words = [sys.executable, str(ROOT / "examples" / "play.py"), *given]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(said), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "seed", ["1", *(pytest.param(each, marks=pytest.mark.overnight) for each in ("2", "3"))]
)
def test_the_example_plays_a_fight_that_audits_valid(desk: Desk, seed: str) -> None:
    """The seed is the player's; the foes' dice are the service's."""
    printed = desk.python(str(ROOT / "examples" / "play.py"), desk.url, desk.key, seed).splitlines()
    assert printed[-1] == "valid", printed[-3:]
    assert "combat_ended" in printed[-2], printed[-3:]


def test_every_make_target_that_a_page_names_exists() -> None:
    made = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    named = {
        line.split()[1]
        for page in PAGES
        for block in blocks(page)
        for line in block.text.splitlines()
        if line.startswith("make ")
    }
    assert {"run", "demo"} <= named
    assert [name for name in named if f"make {name} " not in made.stdout] == []


def test_the_contested_ruling_is_told_by_its_example(desk: Desk) -> None:
    """The kept roll shows the same faces in both lines, and what is new comes from another epoch."""
    script = ROOT / "examples" / "contested-ruling" / "rule.py"
    printed = desk.python(str(script), desk.url, desk.key).splitlines()
    played, ruled = (literal_eval(line.partition(": ")[2]) for line in (printed[0], printed[2]))
    assert printed[1] == "gone: choose_push at 9 for prompt_gone"
    assert ruled["pia/attack in epoch 1"] == played["pia/attack in epoch 1"]
    assert set(ruled) - set(played) == {"orc/attack in epoch 2"}
    assert printed[-1] == "valid"
