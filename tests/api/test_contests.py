"""Contest a moment and answer it: who may, what may be named, and what is told of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.client import Api, Table, is_problem
from tests.rules.heartrush.kit import opening as heartrush_opening
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise_opening


def made(answer: Any) -> Any:
    """Return the data of an answer that made something."""
    assert answer.status_code == 201, answer.text
    return answer.json


@pytest.fixture
def rolled(table: Table) -> Table:
    """Give a game in which commit 4 is a roll."""
    assert table.send(table.gm, {"type": "roll"}).status_code == 200
    return table


def test_a_player_contests_a_roll_and_the_gm_upholds_it(rolled: Table) -> None:
    contest = made(
        rolled.ada(
            "POST",
            f"{rolled.at}/contests",
            {"commit": 4, "roll": "1/0/table#0", "claim": "it should be a d8"},
        )
    )
    assert (contest["contest"], contest["seat"], contest["status"]) == ("c1", "ada", "open")

    answered = made(
        rolled.gm("POST", f"{rolled.at}/contests/c1/ruling", {"ending": "upheld", "decision": "a d6 it is"})
    )
    assert (answered["status"], answered["decision"]) == ("upheld", "a d6 it is")
    assert rolled.bo.get(answered["explanation"])["n"] == 4
    assert rolled.bo.get(f"{rolled.at}/contests") == {
        "contests": [{name: value for name, value in answered.items() if name != "n"}]
    }
    state = rolled.bo.get(f"{rolled.at}/state")["state"]
    assert state["contests"]["c1"]["status"] == "upheld"


def test_a_contest_says_what_the_contested_commit_did(rolled: Table) -> None:
    contest = made(rolled.ada("POST", f"{rolled.at}/contests?text=en", {"commit": 4, "claim": "a d8"}))
    (said,) = rolled.ada.get(f"{rolled.at}/commits?after=3&limit=1&text=en")["commits"]

    assert contest["line"] == rolled.id
    assert contest["text"] == said["text"] != []
    (listed,) = rolled.bo.get(f"{rolled.at}/contests?text=en")["contests"]
    assert listed["text"] == contest["text"]
    assert rolled.bo.get(f"{rolled.at}/contests/c1?text=en")["text"] == contest["text"]
    assert "text" not in rolled.bo.get(f"{rolled.at}/contests/c1")


def test_a_contest_is_answered_once_and_by_the_gm(rolled: Table) -> None:
    made(rolled.ada("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"}))
    ruling = {"ending": "upheld", "decision": "yes"}

    is_problem(rolled.bo("POST", f"{rolled.at}/contests/c1/ruling", ruling), 403, "forbidden")
    sent = rolled.send(rolled.bo, {"type": "uphold", "contest": "c1", "decision": "yes"})
    assert is_problem(sent, 409, "command-refused")["code"] == "not_gm"
    made(rolled.gm("POST", f"{rolled.at}/contests/c1/ruling", ruling))
    for contest, code in (("c1", "contest_answered"), ("c2", "no_such_contest")):
        answer = rolled.gm("POST", f"{rolled.at}/contests/{contest}/ruling", ruling)
        assert is_problem(answer, 409, "command-refused")["code"] == code


@pytest.mark.parametrize(
    "moment",
    [
        {"commit": 0},
        {"commit": 4, "event": 9},
        {"commit": 4, "roll": "1/0/table#1"},
        {"commit": 4, "roll": "nonsense"},
        {"commit": 5, "event": 1},
    ],
    ids=str,
)
def test_what_is_sealed_is_refused_as_what_does_not_exist_is(rolled: Table, moment: dict[str, Any]) -> None:
    """Commit 5 is ada's choice: event 0 tells that she chose, event 1 is the envelope."""
    assert rolled.send(rolled.ada, {"type": "choose", "number": 2}).status_code == 200
    refused = [
        is_problem(who("POST", f"{rolled.at}/contests", {"claim": "no", **moment}), 409, "command-refused")
        for who in (rolled.bo, rolled.gm, rolled.ada)
    ]
    for problem in refused:
        assert (problem["code"], problem["rule"]) == ("no_such_moment", "TABLE-CONTEST-1")
        assert problem["detail"] == "there is no such commit, event or roll that everybody can see"
        assert "n" not in problem  # it leaves no trace


def test_a_moment_to_come_is_refused_with_the_newest_commit_for_every_seat(rolled: Table) -> None:
    assert rolled.send(rolled.ada, {"type": "choose", "number": 2}).status_code == 200
    for who in (rolled.bo, rolled.gm, rolled.ada):
        refused = who("POST", f"{rolled.at}/contests", {"claim": "no", "commit": 99})
        problem = is_problem(refused, 409, "command-refused")
        assert (problem["code"], problem["rule"]) == ("no_such_moment", "TABLE-CONTEST-1")
        assert problem["detail"] == "there is no commit 99: the newest is 5"
        assert "n" not in problem  # it leaves no trace


def test_what_was_sealed_can_be_contested_once_it_is_open(rolled: Table) -> None:
    for who, number in ((rolled.ada, 2), (rolled.bo, 3)):
        assert rolled.send(who, {"type": "choose", "number": number}).status_code == 200
    contest = made(
        rolled.bo("POST", f"{rolled.at}/contests", {"commit": 5, "event": 1, "claim": "she peeked"})
    )
    assert contest["event"] == 1


def test_a_seat_has_a_limit_of_open_contests(rolled: Table) -> None:
    for _ in range(20):
        made(rolled.ada("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"}))
    answer = rolled.ada("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"})
    assert is_problem(answer, 409, "command-refused")["code"] == "too_many_contests"
    made(rolled.bo("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"}))


def test_an_edition_without_rulings_says_so(rolled: Table) -> None:
    made(rolled.ada("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"}))
    ruling = {"ending": "effects", "decision": "yes", "effects": []}
    is_problem(rolled.gm("POST", f"{rolled.at}/contests/c1/ruling", ruling), 422, "invalid")


def test_members_of_another_ending_are_refused(rolled: Table) -> None:
    made(rolled.ada("POST", f"{rolled.at}/contests", {"commit": 4, "claim": "no"}))
    ruling = {"ending": "upheld", "decision": "yes", "effects": []}
    is_problem(rolled.gm("POST", f"{rolled.at}/contests/c1/ruling", ruling), 422, "invalid")


BOOKS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "heartrush@1": (
        heartrush_opening({"pia": (0, 0), "orc": (1, 0)}),
        {"kind": "correction", "effects": [{"kind": "hp", "creature": "orc", "hp": 3}]},
        "orc",
    ),
    "rise@1": (
        rise_opening(entry("pc@heroes/pia", (0, 0)), entry("mon@foes/orc", (1, 0))),
        {"kind": "correction", "effects": [{"does": "damage", "target": "orc", "amount": 7}]},
        "orc",
    ),
}


@pytest.mark.parametrize("edition", BOOKS)
def test_RI_GM_4_and_HR_SVC_1_effects_work_forward_in_both_books(owner: Api, edition: str) -> None:
    """TABLE-CONTEST-2, HR-SVC-1 and RI-GM-4: the ruling ends the contest and its effects come true now."""
    opening, ruling, creature = BOOKS[edition]
    at = (
        "/v1/encounters/"
        + json.loads(owner("POST", "/v1/encounters", {"edition": edition, **opening}).text)["encounter"]
    )
    before = owner.get(f"{at}/state")["state"]["creatures"][creature]
    made(owner("POST", f"{at}/contests", {"commit": 1, "event": 0, "claim": "it was hurt before"}))
    answered = made(
        owner(
            "POST",
            f"{at}/contests/c1/ruling",
            {
                "ending": "effects",
                "decision": "so it was",
                "reason": "we saw it",
                "subject": creature,
                **ruling,
            },
        )
    )
    assert (answered["status"], answered["reason"]) == ("effects", "we saw it")
    after = owner.get(f"{at}/state")["state"]["creatures"][creature]
    assert (after["hp"], after.get("dr")) != (before["hp"], before.get("dr"))
    answer = owner.get(f"{at}/commands/{answered['n']}")["events"]
    assert [event["type"] for event in answer][:2] == ["contest_closed", "gm_ruling_recorded"]
