"""Compare two points of play, and try commands without sending them."""

from __future__ import annotations

from typing import Any

import jsonpatch

from tests.api.client import Api, Table, is_problem
from tests.api.test_amendments import ADD, ROLL, accepted, did, made


def state(who: Api, at: str, n: int) -> dict[str, Any]:
    """Return the state after a commit as *who* sees it."""
    found: dict[str, Any] = who.get(f"{at}/state?at={n}")["state"]
    return found


def test_the_patch_leads_from_the_one_view_to_the_other(table: Table) -> None:
    did(table, ROLL, (table.ada, {"type": "choose", "number": 7}), ADD)
    for who in (table.gm, table.ada, table.bo):
        answer = who.get(f"{table.at}/diff?start=3&end=6")
        assert jsonpatch.apply_patch(state(who, table.at, 3), answer["patch"]) == state(who, table.at, 6)
    back = table.bo.get(f"{table.at}/diff?start=6&end=3")
    assert jsonpatch.apply_patch(state(table.bo, table.at, 6), back["patch"]) == state(table.bo, table.at, 3)


def test_a_difference_tells_each_seat_what_it_may_see(table: Table) -> None:
    did(table, (table.ada, {"type": "choose", "number": 7}))
    hers, his = (who.get(f"{table.at}/diff?start=3&events=true") for who in (table.ada, table.bo))
    assert [each["event"]["type"] for each in hers["events"]["end"]] == ["choice_committed", "chosen"]
    assert [each["event"]["type"] for each in his["events"]["end"]] == ["choice_committed"]
    assert "7" not in str(his["patch"])


def test_an_encounter_and_its_continuation_are_compared_since_they_parted(table: Table) -> None:
    """TABLE-LINE-1: the line has the commits before its beginning, which is the first that it has alone."""
    did(table, ROLL, ADD)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True}))
    other = f"{table.at}/diff?start=5&other={proposal['line']}"
    is_problem(table.bo("GET", other), 404, "not-found")  # it is only proposed
    accepted(table, proposal)

    answer = table.as_played.bo.get(f"{other}&events=true")
    assert [each["event"]["type"] for each in answer["events"]["start"]] == ["counted"]
    assert [each["event"]["type"] for each in answer["events"]["end"]] == ["line_begun", "line_accepted"]
    assert [each["n"] for each in answer["events"]["end"]] == [5, 6]
    assert [step["path"] for step in answer["patch"]] == ["/counter"]


def test_a_long_way_is_told_in_pages_that_join(table: Table) -> None:
    did(table, ROLL, ADD, ROLL, ADD)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True}))
    accepted(table, proposal)
    table = table.as_played
    for asked in ("start=2&end=7", "start=7&end=2", f"start=7&end=2&other={proposal['line']}"):
        query = f"{asked}&events=true"
        assert "events" not in table.bo.get(f"{table.at}/diff?{asked}")
        whole = table.bo.get(f"{table.at}/diff?{query}")
        assert whole["next_cursor"] is None
        found: dict[str, list[Any]] = {"start": [], "end": []}
        page, count = table.bo.get(f"{table.at}/diff?{query}&limit=2"), 1
        while True:
            assert page["patch"] == whole["patch"]
            assert len({event["n"] for side in page["events"].values() for event in side}) <= 2
            for side in found:
                found[side] += page["events"][side]
            if page["next_cursor"] is None:
                break
            page, count = (
                table.bo.get(f"{table.at}/diff?{query}&limit=2&cursor={page['next_cursor']}"),
                count + 1,
            )
        assert found == whole["events"]
        assert count > 1


def test_a_page_of_a_difference_is_of_the_question_that_began_it(table: Table) -> None:
    did(table, ROLL, ADD, ROLL)
    page = table.bo.get(f"{table.at}/diff?start=2&events=true&limit=1")
    did(table, ADD)
    after = table.bo.get(f"{table.at}/diff?start=2&events=true&limit=1&cursor={page['next_cursor']}")
    assert after["end"] == page["end"]
    for query in (
        f"start=3&events=true&cursor={page['next_cursor']}",
        f"start=2&end=3&events=true&cursor={page['next_cursor']}",
        "start=2&cursor=x",
    ):
        is_problem(table.bo("GET", f"{table.at}/diff?{query}"), 422, "invalid")


def test_what_is_anothers_or_no_relation_is_not_compared(table: Table, owner: Api) -> None:
    other = Table.opened(owner)
    is_problem(table.gm("GET", f"{table.at}/diff?start=1&other={other.id}"), 422, "invalid")
    is_problem(table.ada("GET", f"{table.at}/diff?start=1&other={other.id}"), 404, "not-found")
    is_problem(table.ada("GET", f"{table.at}/diff?start=99"), 422, "invalid")
    is_problem(table.ada("GET", f"{table.at}/diff"), 422, "invalid")


def previewed(who: Api, table: Table, command: object) -> Any:
    """Return what *who* is told when trying a command."""
    return made(who("POST", f"{table.at}/previews", command), 200)


def test_a_preview_says_what_a_command_would_get_and_draws_nothing(table: Table) -> None:
    before = table.gm.get(table.at)
    tried = [
        previewed(table.gm, table, command)
        for command in (ROLL, {"type": "add", "amount": 99}, {"type": "choose", "number": 1})
    ]
    assert [each["accepted"] for each in tried] == [True, False, False]
    assert [each["refusal"]["code"] for each in tried[1:]] == ["amount_out_of_range", "not_a_player"]
    assert table.gm.get(table.at) == before
    did(table, ROLL)
    (roll,) = table.gm.get(f"{table.at}/rolls")["rolls"]
    assert (roll["name"]["epoch"], roll["name"]["place"]) == (1, 0)


def test_a_preview_betrays_nothing_that_a_seat_does_not_know(table: Table) -> None:
    choose = {"type": "choose", "number": 1}
    did(table, (table.ada, choose))
    assert previewed(table.bo, table, choose)["accepted"]
    refused = previewed(table.ada, table, choose)["refusal"]
    assert refused["code"] == "already_chosen"
