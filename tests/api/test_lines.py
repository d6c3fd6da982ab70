"""One address for one game: after an undo or a ruling it stands for the line of play that continues."""

from __future__ import annotations

import json
from typing import Any

from tests.api.client import Api, Table, is_problem
from tests.api.test_amendments import ADD, ROLL, contested, did, made

PATHS = ("", "/state", "/creatures", "/options", "/commits", "/rolls", "/rounds", "/seats", "/contests")


def undone(table: Table, to: int, **more: Any) -> dict[str, Any]:
    """Undo in one request."""
    found: dict[str, Any] = made(table.gm("POST", f"{table.at}/undo", {"to": to, **more}), 200)
    assert found["status"] == "accepted"
    return found


def counter(who: Api, table: Table) -> int:
    found: int = who.get(f"{table.at}/state")["state"]["counter"]
    return found


def test_an_undo_is_one_request_and_everybody_plays_on_at_the_same_address(table: Table) -> None:
    did(table, ADD, ADD)  # 4 and 5
    opened = table.gm.get(table.at)["opened"]
    answer = undone(table, 4)

    assert [step["path"] for step in answer["difference"]["patch"]] == ["/counter"]
    assert "events" not in answer["difference"]
    for who in (table.gm, table.ada, table.bo):
        about = who.get(table.at)
        assert (about["encounter"], about["line"]) == (table.id, answer["line"])
        assert about["opened"] == opened
        assert counter(who, table) == 3
    (listed,) = table.gm.get("/v1/encounters")["encounters"]
    assert (listed["encounter"], listed["opened"]) == (table.id, opened)
    did(table, (table.ada, ADD))
    assert counter(table.bo, table) == 6
    assert counter(table.as_played.bo, table) == 6, "the old line has both"
    assert [each["status"] for each in table.bo.get(f"{table.at}/lines")["lines"]] == ["ended", "played"]


def test_an_undo_without_a_body_that_fits_says_what_it_wants(table: Table) -> None:
    errors = is_problem(table.gm("POST", f"{table.at}/undo", {}), 422, "invalid")["errors"]
    assert [each["pointer"] for each in errors] == ["/to"]


def test_a_repeated_undo_takes_back_once(table: Table) -> None:
    did(table, ADD, ADD, ADD)
    sent = [
        table.gm("POST", f"{table.at}/undo", {"to": 5}, Idempotency_Key="back", Prefer=f"wait={wait}")
        for wait in (0, 2, 2)
    ]
    assert [each.status_code for each in sent] == [202, 200, 200]
    assert len({json.loads(each.text)["line"] for each in sent[1:]}) == 1
    assert counter(table.bo, table) == 6
    is_problem(
        table.gm("POST", f"{table.at}/undo", {"to": 4}, Idempotency_Key="back"), 422, "idempotency-key-reused"
    )


def test_what_was_sent_before_an_undo_is_not_sent_again_by_a_repeat(table: Table) -> None:
    """Its key took effect in the line that ended; the answer is the one of then."""
    first = table.send(table.ada, ADD, Idempotency_Key="mine")
    n = json.loads(first.text)["n"]
    undone(table, n - 1)
    again = table.send(table.ada, ADD, Idempotency_Key="mine")

    assert (again.status_code, json.loads(again.text)["n"]) == (200, n)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert counter(table.bo, table) == 0
    assert table.ada.get(f"{table.at}/commands?key=mine")["n"] == n
    is_problem(table.bo("GET", f"{table.at}/commands?key=mine"), 404, "not-found")


def test_the_address_of_an_undecided_command_names_its_line(table: Table) -> None:
    sent = table.send(table.ada, ADD, Prefer="respond-async")
    where, n = sent.headers["Location"], json.loads(sent.text)["n"]
    while table.ada("GET", where).status_code == 202:
        pass
    undone(table, n - 1)
    assert table.ada.get(where)["events"][0]["type"] == "counted"


def test_a_version_is_of_one_line(table: Table) -> None:
    did(table, ADD, ADD)
    tag = table.ada("GET", f"{table.at}/state").headers["ETag"]
    assert table.ada("GET", f"{table.at}/state", If_None_Match=tag).status_code == 304
    line = undone(table, 3)["line"]
    now = table.ada("GET", f"{table.at}/state")  # the new line is at 5 now, as the old one was

    assert now.headers["ETag"] == f'"{line}.5"'
    assert table.ada("GET", f"{table.at}/state", If_None_Match=tag).status_code == 200
    refused = is_problem(table.send(table.ada, ADD, If_Match=tag), 412, "version-mismatch")
    assert (refused["version"], f'"{line}.5"' in refused["detail"]) == (5, True)
    is_problem(table.send(table.ada, ADD, If_Match=f'"{line}.4"'), 412, "version-mismatch")
    is_problem(table.send(table.ada, ADD, If_Match=f'"{table.id}.5"'), 412, "version-mismatch")
    assert table.send(table.ada, ADD, If_Match=now.headers["ETag"]).status_code == 200


def test_a_cursor_is_of_one_line(table: Table) -> None:
    did(table, ADD, ADD, ADD)
    page = table.ada.get(f"{table.at}/commits?limit=2")
    undone(table, 4)
    errors = is_problem(
        table.ada("GET", f"{table.at}/commits?limit=2&cursor={page['next_cursor']}"), 422, "invalid"
    )["errors"]
    assert [each["pointer"] for each in errors] == ["?cursor"]
    rest = table.as_played.ada.get(f"{table.at}/commits?limit=2&cursor={page['next_cursor']}")
    assert [each["n"] for each in rest["commits"]] == [3, 4]


def test_a_line_of_another_game_and_a_proposed_one_are_not_there(table: Table, owner: Api) -> None:
    other = Table.opened(owner)
    did(table, ADD)
    draft = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))["line"]
    for path in PATHS:
        answers = [
            table.ada("GET", f"{table.at}{path}?line={line}").text
            for line in (other.id, draft, "0" * 8 + draft[8:])
        ]
        problems = [json.loads(each) for each in answers]
        assert {each["type"] for each in problems} == {"/problems/not-found"}
        assert len({each["detail"] for each in problems}) == 1, "no answer says which line is proposed"
    assert table.gm.get(f"{table.at}/state?line={draft}")["line"] == draft
    refused = is_problem(table.gm("POST", f"{table.at}/commands?line={draft}", ADD), 409, "command-refused")
    assert refused["code"] == "line_not_accepted"
    statuses = [each["status"] for each in table.gm.get(f"{table.at}/lines")["lines"]]
    assert statuses == ["played", "proposed"]
    assert [each["line"] for each in table.ada.get(f"{table.at}/lines")["lines"]] == [table.id]


def test_a_proposal_and_a_contest_are_found_at_the_same_address_afterwards(table: Table) -> None:
    did(table, ADD, ROLL)
    proposal = contested(table, 4, {"type": "add", "amount": 9})
    at = f"{table.at}/amendments/{proposal['amendment']}"
    made(table.gm("POST", f"{at}/accept", {"version": proposal["version"]}), 200)

    assert table.gm.get(at)["status"] == "accepted"
    assert {"start", "end"} == set(table.gm.get(f"{at}?events=true")["difference"]["events"])
    assert table.ada.get(f"{table.at}/contests/c1")["status"] == "as_ruled"
    second = made(table.gm("POST", f"{table.at}/undo", {"to": 2, "preview": True}))
    assert (
        made(table.gm("DELETE", f"{table.at}/amendments/{second['amendment']}"), 200)["status"] == "dropped"
    )


def test_forks_of_every_line_are_listed_at_the_address(table: Table) -> None:
    did(table, ADD, ADD)
    first = made(table.gm("POST", f"{table.at}/forks", {"at": 4}))["encounter"]
    undone(table, 4)
    second = made(table.gm("POST", f"{table.at}/forks", {"at": 1}))["encounter"]
    listed = [each["encounter"] for each in table.gm.get(f"{table.at}/forks")["forks"]]
    assert sorted(listed) == sorted([first, second])
    assert table.gm("DELETE", f"{table.at}/forks/{first}").status_code == 200


def test_every_read_of_the_address_is_a_read_of_the_line_that_is_played(table: Table) -> None:
    did(table, ADD, ROLL, ADD)
    line = undone(table, 4)["line"]
    for path in PATHS:
        here = table.ada.get(table.at + path)
        assert here == table.ada.get(f"{table.at}{path}?line={line}")
        assert here == table.ada.get(f"/v1/encounters/{line}{path}"), "the id of a line is an address, too"
