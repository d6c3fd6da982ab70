"""What a stranger wrote acts on no terminal: every command shows it in plain sight."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.terminal import Failure, Terminal, document, escape
from service.record.text import log_line, plain
from tests.support.javascript_verifier import node

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/audit/golden/heartrush-turns.jsonl"
EVIL = "Pia\x1b]0;owned\x07\x1b[31m\r\nrewound: forged line\u202egnol\x9b1m"
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, but for the end of a line."""


def evil_bundle(tmp_path: Path) -> Path:
    """Return the file of a bundle whose names and texts act on a terminal; nobody has judged it."""
    name = json.dumps(EVIL, ensure_ascii=False).encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    raw = re.sub(rb'\\"name\\":\\"[^\\]*\\"', lambda _: b'\\"name\\":' + name, GOLDEN.read_bytes())
    assert b"\\\\u001b" in raw
    path = tmp_path / "evil.jsonl"
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("command", [["replay"], ["verify"], ["verify", "--json"], ["explain"]])
def test_no_command_lets_a_strangers_file_act_on_the_terminal(tmp_path: Path, command: list[str]) -> None:
    more = ["2"] if command == ["explain"] else []

    done = CliRunner().invoke(main, [*command, str(evil_bundle(tmp_path)), *more])

    assert done.output
    assert not ACTS.search(done.output)
    assert not any(line.startswith("rewound: forged line") for line in done.output.splitlines())
    if command == ["replay"]:
        assert done.exit_code == 0
        assert r"Pia\u001b]0;owned\u0007" in done.output


def test_a_failure_quotes_a_file_in_plain_sight(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"title": EVIL, EVIL: 1}))

    done = CliRunner().invoke(main, ["replay", str(path)])

    assert done.exit_code != 0
    assert not ACTS.search(done.output)
    assert not ACTS.search(Failure(EVIL).format_message() + escape(EVIL) + document({"a": EVIL}))
    assert json.loads(document({"a": EVIL})) == {"a": EVIL}
    assert Failure("two\nlines\r", lines=True).format_message() == "two\nlines\\u000d"


def test_the_console_shows_what_nobody_escaped() -> None:
    console = Terminal(force_terminal=True, width=200, highlight=False)
    with console.capture() as shown:
        console.print("[bold]" + EVIL)

    answer = re.sub(r"\x1b\[[0-9;]*m", "", shown.get().replace("\x1b[31m", "RED"))
    assert not ACTS.search(answer)
    assert "RED" not in answer


def test_a_log_line_acts_on_no_terminal() -> None:
    line = log_line({"event": "http.answered", "encounter": EVIL + "\x7f"})

    assert not ACTS.search(line)
    assert "\n" not in line
    assert json.loads(line)["encounter"] == EVIL + "\x7f"


def test_the_verifier_in_javascript_shows_the_same() -> None:
    texts = [EVIL, "Zoë 🐉", "a\u2028b\u200fc\x7f"]

    said = json.loads(node("tests/clients/plain.mjs", told=json.dumps(texts)))

    assert said["plain"] == [plain(text) for text in texts]
    shown = [*said["lines"], *(value for _, value in said["facts"])]
    assert len(shown) > 4
    assert not any(ACTS.search(each) or "\n" in each for each in shown)


def test_no_module_of_the_command_line_prints_by_itself() -> None:
    """One home: `terminal.py` alone reaches for what prints or quotes as it is."""
    found = []
    for path in sorted((ROOT / "service/cli").glob("*.py")):
        if path.name == "terminal.py":
            continue
        for each in ast.walk(ast.parse(path.read_text())):
            named = ast.unparse(each) if isinstance(each, ast.Attribute | ast.Name) else ""
            is_call = isinstance(each, ast.Call) and ast.unparse(each.func) in {"Console", "print"}
            is_markup = isinstance(each, ast.ImportFrom) and each.module == "rich.markup"
            if named in {"click.echo", "click.ClickException", "markup.escape"} or is_call or is_markup:
                found.append(f"{path.name}:{getattr(each, 'lineno', 0)}")
    assert found == []
