"""Try the JavaScript client against a real service: the sample fight, lost answers, cut streams, and more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.fights import Service
from tests.clients.conftest import Host
from tests.support.javascript_verifier import OTHERWISE, ROOT, Case, judged, node

FIGHT = str(ROOT / "examples" / "orc-and-hound.json")
EXAMPLE = "clients/javascript/examples/fight.mjs"
SENT = 22
"""Commands of the written fight."""


def asked(host: Host) -> tuple[str, str, str]:
    """Return what a script is told: where the service is, a key of it, the fight."""
    return host.address, host.key, FIGHT


@pytest.fixture(scope="module")
def found(host: Host) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(node("tests/clients/client.mjs", *asked(host)))
    return data


def test_it_plays_the_sample_fight_to_the_head_that_the_service_has(host: Host, running: Service) -> None:
    *played, last = node(EXAMPLE, *asked(host)).splitlines()
    encounter, n, head, verdict = last.split(" ")

    evidence = running.evidence(encounter)
    assert len(played) == SENT
    assert (int(n), head) == (evidence.count, evidence.head)
    assert verdict == "valid"


def test_the_sample_fight_takes_less_than_40_lines() -> None:
    assert len((ROOT / EXAMPLE).read_text("utf-8").splitlines()) < 40


@pytest.mark.parametrize(
    "fault", ["the answer is lost", "no connection", "429", "503", "504 after it was appended", "202"]
)
def test_a_command_happens_once_whatever_befalls_its_answer(found: dict[str, Any], fault: str) -> None:
    assert found["once"][fault] == {"outcome": "accepted", "added": 1, "keys": 1}


def test_without_any_answer_the_key_that_settles_it_is_told(found: dict[str, Any]) -> None:
    assert found["unreachable"] == {"is": True, "key": "mine"}


def test_a_stream_that_is_cut_again_and_again_has_no_gap_and_no_repeat(found: dict[str, Any]) -> None:
    stream = found["stream"]

    assert stream["streams"] > 5
    assert stream["told"] == stream["recorded"] == list(range(1, SENT + 4))


def test_what_the_service_refuses_is_a_problem_with_its_members(found: dict[str, Any]) -> None:
    assert found["refused"]["is"]
    assert found["refused"]["type"] == "/problems/command-refused"
    assert found["refused"]["code"]
    assert found["refused"]["n"] > 0
    assert found["stale"] == "/problems/version-mismatch"


def test_it_asks_for_everything_that_an_encounter_has(found: dict[str, Any]) -> None:
    assert "begin_combat" in found["options"]
    assert found["array"] == ["accepted", "accepted"]
    assert found["settled"][0] == found["settled"][1] == found["state"]
    assert (found["outcome"], found["closed"]) == ("accepted", "accepted")
    assert found["explanation"] == "engage"
    assert found["ticket"]
    assert found["about"]
    assert found["audit"] == "valid"


def test_the_bundle_that_it_gets_is_sound_to_the_second_verifier(found: dict[str, Any]) -> None:
    assert judged([Case(found["bundle"].encode())]) == [OTHERWISE]


def test_a_file_is_sent_as_it_is_as_text_bytes_or_a_blob(found: dict[str, Any]) -> None:
    """Bytes that are no UTF-8 are noted as such, so they came as they are."""
    assert found["files"] == [["Zo\u00eb", 1], ["Zo\u00eb", 2], ["Zo\u00eb", 2]]
