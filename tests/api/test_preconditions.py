"""One door for a command alone and for many: what a single one is refused for, an array is refused for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.core.lineage import ABOUT_LINES
from service.log import Log
from service.usecases.preconditions import TERMS
from tests.api.client import Api, Table, is_problem
from tests.api.test_amendments import ADD, ROLL, accepted, did, made

Command = dict[str, Any]


def contested(table: Table) -> None:
    """Play until commit 4 is a roll that is contested, and commit 5 is a choice that is sealed."""
    did(table, ROLL, (table.ada, {"type": "choose", "number": 7}))
    made(table.bo("POST", f"{table.at}/contests", {"commit": 4, "claim": "it was a six"}))


def who(table: Table, seat: str) -> Api:
    return {"gm": table.gm, "ada": table.ada, "bo": table.bo}[seat]


UNDO: Command = {"type": "undo", "data": {"commit": 2}}
AT_ONCE: list[tuple[str, str, Command]] = [
    ("no_such_moment", "bo", {"type": "contest", "commit": 99, "claim": "what"}),
    ("no_such_moment", "bo", {"type": "contest", "commit": 4, "roll": "1/0/table#7", "claim": "what"}),
    ("no_such_moment", "bo", {"type": "contest", "commit": 5, "event": 1, "claim": "what"}),
    ("not_in_line", "gm", {"type": "amend", "contest": "c1", "decision": "so", "instead": [UNDO]}),
    ("no_such_moment", "gm", {"type": "undo", "commit": 99}),
    ("already_chosen", "ada", {"type": "choose", "number": 8}),
]


@pytest.mark.parametrize(("code", "seat", "command"), AT_ONCE)
def test_an_array_is_refused_at_the_door_for_what_one_command_is(
    table: Table, log: Log, code: str, seat: str, command: Command
) -> None:
    contested(table)
    head = log.head(table.id)
    found = []
    for commands in (command, [command], [ADD, command]):
        answer = who(table, seat)("POST", f"{table.at}/commands", commands)
        found.append(is_problem(answer, 409, "command-refused"))
    assert [(each["code"], each["rule"]) for each in found] == [(code, found[0]["rule"])] * 3
    assert log.head(table.id) == head


def test_an_array_is_refused_at_the_door_for_a_redo_that_comes_too_late(table: Table, log: Log) -> None:
    """It takes a line that begins with a redo, and has another one left."""
    did(table, ROLL, ADD)
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    data = {"to": 3, "preview": True}
    twice = accepted(once, made(once.gm("POST", f"{once.at}/undo", data)))
    again = accepted(twice, made(twice.gm("POST", f"{twice.at}/redo", {"preview": True})))
    did(again, ADD)
    head = log.head(again.id)
    for commands in ({"type": "redo"}, [{"type": "redo"}], [ADD, {"type": "redo"}]):
        answer = again.gm("POST", f"{again.at}/commands", commands)
        assert is_problem(answer, 409, "command-refused")["code"] == "nothing_to_redo"
    assert log.head(again.id) == head


def test_every_check_at_the_door_is_among_them() -> None:
    tried = {"redo", *(command["type"] for _, _, command in AT_ONCE)}
    alone = {kind.type for kind, terms in TERMS.items() if terms.alone is not None}
    assert {kind.type for kind in TERMS} - tried == alone  # they are requests of their own


HEAD: Command = {"n": 1, "hash": "a" * 64}
LOST: Command = {"size": 1, "root": "a" * 64}
ABOUT_HISTORY: Command = {"type": "accept_history", "lost": LOST, "epoch": 1, "reason": "so it is"}
ABOUT_A_LINE: list[Command] = [
    {"type": "contest", "commit": 3, "claim": "what"},
    {"type": "uphold", "contest": "c1", "decision": "so"},
    {"type": "amend", "contest": "c1", "decision": "so", "instead": [UNDO]},
    {"type": "undo", "commit": 3},
    {"type": "redo"},
    {"type": "accept_amendment", "amendment": "a1", "version": 3, "encounter": "e", "head": HEAD},
    {"type": "drop_amendment", "amendment": "a1"},
]
WITH_A_FORK: list[tuple[str, str | None, Command]] = [
    *(("not_in_line", "TABLE-LINE-1", command) for command in ABOUT_A_LINE),
    ("not_in_an_array", "TABLE-EPOCH-3", ABOUT_HISTORY),
    ("not_a_player", "TINY-3", {"type": "choose", "number": 7}),
]


@pytest.mark.parametrize(("code", "rule", "command"), WITH_A_FORK)
def test_what_is_sent_along_with_a_fork_goes_through_the_same_door(
    table: Table, log: Log, code: str, rule: str | None, command: Command
) -> None:
    did(table, ROLL)
    opened = [record.id for record in log.records("encounters")]

    for commands in ([command], [ADD, command]):
        answer = table.gm("POST", f"{table.at}/forks", {"at": 4, "commands": commands})
        problem = is_problem(answer, 409, "command-refused")
        assert (problem["code"], problem["rule"]) == (code, rule)

    assert [record.id for record in log.records("encounters")] == opened  # no fork was made of it


def test_every_command_about_a_line_is_tried_with_a_fork() -> None:
    assert {command["type"] for command in ABOUT_A_LINE} == set(ABOUT_LINES)


def test_a_preview_is_refused_for_what_the_door_refuses(table: Table) -> None:
    found = table.gm("POST", f"{table.at}/previews", ABOUT_HISTORY)
    assert json.loads(found.text)["refusal"]["code"] == "no_dispute"
    answer = table.gm("POST", f"{table.at}/commands", ABOUT_HISTORY)
    assert is_problem(answer, 409, "command-refused")["code"] == "no_dispute"


@pytest.mark.parametrize("type_", ["accept_amendment", "accept_history"])
def test_what_changes_everything_is_a_request_of_its_own(table: Table, type_: str) -> None:
    head = {"n": 1, "hash": "a" * 64}
    lost = {"size": 1, "root": "a" * 64}
    data = {
        "accept_amendment": {"amendment": "a1", "version": 3, "encounter": table.id, "head": head},
        "accept_history": {"lost": lost, "epoch": 1, "reason": "so it is"},
    }[type_]
    answer = table.gm("POST", f"{table.at}/commands", [{"type": type_, **data}])
    assert is_problem(answer, 409, "command-refused")["code"] == "not_in_an_array"


def test_a_repeat_of_an_array_is_not_judged_again(table: Table) -> None:
    sent = [
        table.ada("POST", f"{table.at}/commands", [{"type": "choose", "number": 2}], Idempotency_Key="once")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in sent] == [200, 200]
    assert [json.loads(answer.text)["n"] for answer in sent] == [4, 4]
