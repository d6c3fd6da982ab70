"""Recompute dice, hashes and envelopes with the page's own lines: nothing of the service takes part."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from service.audit.verdict import MEANING
from service.cli.judging import STATUS
from tests.docs.conftest import Desk
from tests.docs.pages import ROOT, to_run

PAGE = ROOT / "docs" / "by-hand.md"
AUDITS = ROOT / "docs" / "audit.md"


def lines_of_the_page() -> str:
    return "\n".join(block.text for block in to_run(PAGE, "python"))


def by_hand() -> dict[str, Any]:
    """Return what the page's blocks define; running them holds their own assertions."""
    names: dict[str, Any] = {}
    exec(compile(lines_of_the_page(), str(PAGE), "exec"), names)  # noqa: S102 - the page's own lines
    return names


def test_the_worked_example_needs_the_standard_library_alone(desk: Desk, tmp_path: Path) -> None:
    script = tmp_path / "by_hand.py"
    script.write_text(lines_of_the_page(), "utf-8")
    imported = {
        alias.name
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        for alias in getattr(node, "names", ())
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= sys.stdlib_module_names
    desk.python(str(script))


def test_its_functions_prove_a_whole_bundle(desk: Desk) -> None:
    """A fresh fight: every commit's hash and link to the one before, every envelope, every seeded die."""
    hand = by_hand()
    lines = _bundle(desk)
    texts = [line["bytes"] for line in lines if line["kind"] == "commit"]
    commits = [json.loads(text) for text in texts]
    prev = "0" * 64
    for text, commit in zip(texts, commits, strict=True):
        assert commit["prev"] == prev
        prev = hand["commit_hash"](text)
    signed = sum(line["kind"] == "checkpoint" for line in lines)
    assert lines[-1] == {"kind": "trailer", "checkpoints": signed, "count": len(commits), "head": prev}

    encounter = UUID(commits[0]["encounter"]).bytes
    opened = [line for line in lines if line["kind"] == "opened"]
    assert opened
    for line in opened:
        sealed = commits[line["n"] - 1]["events"][line["index"]]["sealed"]
        assert hand["commitment"](encounter, bytes.fromhex(line["salt"]), line["payload"]) == sealed

    lanes = [
        (lane["lane"], lane["n"], bytes.fromhex(lane["anchor"]))
        for lane in commits[0]["events"][0]["dice"]["lanes"]
    ]
    sealed = hand["seal"](encounter, lanes)
    _, epochs, anchor = lanes[0]
    links = _links(hand, encounter, epochs, commits)
    assert links[0] == anchor
    seeded = [roll for commit in commits for roll in commit["rolls"] if roll["source"] == "seeded"]
    assert seeded
    for roll in seeded:
        name, sides = roll["name"], [die["sides"] for die in roll["dice"]]
        key = hand["key"](encounter, sealed, 0, name["epoch"], links[name["epoch"]])
        faces = hand["faces"](key, name["stream"], name["place"], sides)
        assert faces == [die["face"] for die in roll["dice"]], name


def test_the_table_of_verdicts_is_that_of_the_code() -> None:
    rows = [
        line.split("|")[1:3]
        for line in AUDITS.read_text("utf-8").splitlines()
        if line.startswith("| ") and line.split("|")[1].strip().isdigit()
    ]
    found = [(name.strip().strip("`"), int(status)) for status, name in rows]
    assert found == [(name, STATUS[name]) for name in MEANING]


def _bundle(desk: Desk) -> list[dict[str, Any]]:
    """Play a fight and return the lines of its bundle, as the first block of the page of audits does."""
    desk.typed(to_run(AUDITS, "sh")[:1])
    text = (desk.home / "fight.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _links(
    hand: dict[str, Any], encounter: bytes, epochs: int, commits: list[dict[str, Any]]
) -> dict[int, bytes]:
    """Return every link of lane 0, from the seed that the last commit discloses down to the anchor."""
    (closing,) = [
        event for commit in commits for event in commit["events"] if event.get("type") == "encounter_closed"
    ]
    links = {epochs: bytes.fromhex(closing["seed"])}
    for epoch in range(epochs, 0, -1):
        links[epoch - 1] = hand["earlier"](encounter, 0, epoch, links[epoch])
    return links
