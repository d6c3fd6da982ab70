"""A moment explained offline, for both rulebooks: every commit, every rule with its statement, every die."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.audit.explanations import explanation
from service.audit.importing import take
from service.cli import main
from service.key_files import Keyring
from service.log.memory import MemoryLog
from service.rules.registry import REGISTRY
from service.usecases.services import make_services
from tests.audit.games import big_game, written

RULEBOOKS = ("heartrush", "rise")


@pytest.fixture(scope="module", params=RULEBOOKS)
def told(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Give the explanation of every commit of a random fight."""
    host = make_services(
        MemoryLog(), REGISTRY, ring=lambda _: None, clock=time.time, keys=Keyring.of(bytes(32)), mode="memory"
    )
    taken = take(host.log, REGISTRY, "file", written(big_game(RULEBOOKS.index(request.param))))
    numbers = range(1, taken.report.counts.commits + 1)
    found = [explanation(host, taken.address, "gm", n, consulted=True) for n in numbers]
    host.outcomes.close()
    assert None not in found
    return [data for data in found if data is not None]


def run(*arguments: object) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["explain", *map(str, arguments)])


def test_every_die_that_the_service_threw_is_derived(told: list[dict[str, Any]]) -> None:
    rolls = [roll for data in told for roll in data["rolls"]]
    seeded = [roll for roll in rolls if roll["roll"]["source"] == "seeded"]

    assert rolls
    for roll in seeded:
        assert roll["derivation"]["faces"] == [die["face"] for die in roll["roll"]["dice"]], roll
        assert {"link", "key", "name"} <= roll["derivation"].keys()
    for roll in rolls:
        assert roll["text"].endswith(f"= {roll['roll']['total']}") or "(dropped" in roll["text"], roll


def test_every_rule_that_is_named_has_its_statement_and_source(told: list[dict[str, Any]]) -> None:
    rules = [rule for data in told for rule in (*data["rules"], *data.get("consulted", []))]
    events = [event for data in told for event in data["events"]]

    assert [rule["id"] for rule in rules if not rule["statement"] or not rule["source"]] == []
    assert all(event["rules"] or event["rulings"] for event in events)
    assert all(ruling["text"] for event in events for ruling in event["rulings"])
    assert any(event["rulings"] for event in events), "no ruling on an ambiguity was used"


def test_every_accepted_command_has_its_chain_of_rules(told: list[dict[str, Any]]) -> None:
    without = [data["n"] for data in told if data["outcome"] == "accepted" and data["events"]]
    assert [data["n"] for data in told if data["n"] in without and not data.get("chain")] == []


@pytest.mark.parametrize("number", [0, 1], ids=RULEBOOKS)
def test_the_command_line_tells_it_in_words_and_as_json(number: int, tmp_path: Path) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(written(big_game(number)))

    words, data = run(file, 2), json.loads(run(file, 2, "--json").stdout)

    assert words.exit_code == 0, words.output
    assert f"2 {data['type']}" in words.output
    assert data["answer"] in " ".join(words.output.split())
    assert all(rule["id"] in words.output for rule in data["rules"])
    assert any(event["text"] for event in data["events"])
    assert all(event["text"] in " ".join(words.output.split()) for event in data["events"])


def test_a_ruling_on_several_events_is_printed_once(tmp_path: Path) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(written(big_game(0)))

    data = json.loads(run(file, 12, "--json").stdout)
    rulings = [ruling["ambiguity"] for event in data["events"] for ruling in event["rulings"]]
    assert len(rulings) > len({*rulings})
    output = run(file, 12).output
    assert [each for each in rulings if output.count(f"    {each}: ") != 1] == []


def test_what_is_unsound_is_not_explained(tmp_path: Path) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(written(big_game(0)).replace(b'"kind":"commit","n":3', b'"kind":"commit","n":4', 1))

    result = run(file, 1)

    assert result.exit_code == 3
    assert "malformed(3)" in result.output


def test_a_commit_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(written(big_game(0)))

    result = run(file, 100_000)

    assert (result.exit_code, "there is no commit 100000" in result.output) == (1, True)
