"""Continue otherwise from an earlier moment: what is kept, what differs, and where the encounter goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker


def made(answer: Any, status: int = 201) -> Any:
    """Return the data of an answer that made something."""
    assert answer.status_code == status, answer.text
    return json.loads(answer.text)


def line(table: Table, encounter: str) -> Table:
    """Return the same people at the table of another line of play."""
    return Table(encounter, table.gm, table.ada, table.bo)


def did(table: Table, *commands: Any) -> None:
    """Have the gm, or whoever is named, send *commands*."""
    for each in commands:
        who, data = each if isinstance(each, tuple) else (table.gm, each)
        assert table.send(who, data).status_code == 200


def totals(table: Table) -> dict[str, int]:
    """Return the faces thrown in a line of play, by the names of their rolls."""
    rolls = table.gm.get(f"{table.at}/rolls")["rolls"]
    return {
        f"{r['name']['epoch']}/{r['name']['stream']}#{r['name']['place']}": r["dice"][0]["face"]
        for r in rolls
    }


def accepted(table: Table, proposal: Any) -> Table:
    """Accept a proposal, and return the table where the encounter goes on."""
    assert proposal["status"] == "ready", proposal
    at = f"{table.at}/amendments/{proposal['amendment']}/accept"
    answer = made(table.gm("POST", at, {"version": proposal["version"]}), 200)
    assert answer["status"] == "accepted"
    return line(table, proposal["line"])


ROLL = {"type": "roll"}
ADD = {"type": "add", "amount": 3}


def test_an_undo_takes_back_and_the_same_again_throws_the_same(table: Table) -> None:
    did(table, ROLL, ADD, ROLL)  # commits 4, 5 and 6
    before = totals(table)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 4, "reason": "too fast", "preview": True}))
    assert (proposal["kind"], proposal["commit"], proposal["difference"]["left"]) == ("undo", 5, [5, 6])
    after = accepted(table, proposal)

    assert after.ada.get(f"{after.at}/state")["state"]["counter"] == before["1/table#0"]
    did(after, ROLL)
    assert totals(after) == before


def test_what_is_thrown_otherwise_after_an_undo_has_dice_that_nobody_saw(table: Table) -> None:
    did(table, ROLL, ROLL)
    after = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    did(after, {"type": "roll", "sides": 20}, ROLL)

    assert list(totals(after)) == ["1/table#0", "2/table#0", "2/table#1"]
    did(after, {"type": "end_round"}, ROLL)
    assert list(totals(after)) == ["1/table#0", "2/table#0", "2/table#1", "3/table#0"]


def test_a_redo_takes_it_all_again_with_the_same_dice(table: Table) -> None:
    did(table, ROLL, ADD, {"type": "end_round"}, ROLL)
    before, counter = totals(table), table.ada.get(f"{table.at}/state")["state"]["counter"]
    undone = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True})))
    assert totals(undone) == {}

    proposal = made(
        undone.gm("POST", f"{undone.at}/redo", {"reason": "it was right after all", "preview": True})
    )
    assert (proposal["difference"]["commands"], proposal["difference"]["gone"]) == ([], [])
    redone = accepted(undone, proposal)

    assert totals(redone) == before
    played = table.as_played.ada.get(f"{table.at}/commits?limit=7")["commits"]
    assert redone.ada.get(f"{redone.at}/commits?limit=7")["commits"] == played, "the very commits"
    assert redone.ada.get(f"{redone.at}/state")["state"]["counter"] == counter
    answer = redone.gm("POST", f"{redone.at}/redo", {"preview": True})
    assert is_problem(answer, 409, "command-refused")["code"] == "nothing_to_redo"


def test_what_an_undo_takes_back_names_no_contest_and_no_seat(table: Table) -> None:
    did(table, ROLL, ADD)  # commits 4 and 5
    made(table.gm("POST", f"{table.at}/seats", {"seat": "guest", "role": "observer"}))
    made(table.ada("POST", f"{table.at}/contests", {"commit": 4, "claim": "not so"}))
    assert table.send(table.gm, {"type": "add", "amount": -1}).status_code == 409
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True}))
    assert proposal["difference"]["left"] == [5, 9]
    assert "guest" in json.dumps(accepted(table, proposal).gm.get(f"{table.at}/seats"))


def test_TABLE_AMEND_2_undone_twice_and_redone_twice_it_is_as_it_was(table: Table) -> None:
    """A second undo needs nothing that the first did not, also where it goes back beyond the first."""
    did(table, ROLL, ADD, ROLL)  # commits 4, 5 and 6
    before, counter = totals(table), table.ada.get(f"{table.at}/state")["state"]["counter"]
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 5, "preview": True})))
    origin = once.gm.get(once.at)["origin"]
    assert (origin["parent"], origin["n"], origin["levels"]) == (table.id, 5, 1)
    proposal = made(once.gm("POST", f"{once.at}/undo", {"to": 4, "preview": True}))
    assert (proposal["commit"], proposal["difference"]["left"][0]) == (5, 5)
    twice = accepted(once, proposal)
    assert twice.gm.get(twice.at)["origin"]["levels"] == 2
    assert twice.ada.get(f"{twice.at}/state")["state"]["counter"] == before["1/table#0"]

    again = accepted(twice, made(twice.gm("POST", f"{twice.at}/redo", {"preview": True})))
    whole = accepted(again, made(again.gm("POST", f"{again.at}/redo", {"preview": True})))
    assert whole.ada.get(f"{whole.at}/state")["state"]["counter"] == counter
    assert totals(whole) == before
    assert whole.gm.get(whole.at)["origin"]["levels"] == 0


def test_TABLE_AMEND_2_an_undo_goes_back_beyond_what_was_played_since_an_undo(table: Table) -> None:
    did(table, ROLL, ADD, ROLL)
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 5, "preview": True})))
    did(once, ADD)
    twice = made(once.gm("POST", f"{once.at}/undo", {"to": 4}), 200)
    assert twice["status"] == "accepted"
    assert table.ada.get(f"{table.at}/state")["state"]["counter"] == totals(table)["1/table#0"]


def test_TABLE_AMEND_2_a_redo_before_which_something_was_played_after_all_is_void(table: Table) -> None:
    did(table, ROLL, ADD, ROLL)
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 5, "preview": True})))
    undo = {"to": 4, "preview": True}
    twice = accepted(once, made(once.gm("POST", f"{once.at}/undo", undo)))
    again = accepted(twice, made(twice.gm("POST", f"{twice.at}/redo", {"preview": True})))
    assert again.gm("POST", f"{again.at}/commands", [ADD, {"type": "redo"}]).status_code == 200
    name = again.gm.get(f"{again.at}/state")["state"]["amendment"]["id"]

    assert again.gm.get(f"{again.at}/amendments/{name}")["status"] == "void"


def contested(table: Table, commit: int, *instead: dict[str, Any]) -> Any:
    """Contest a commit and propose to have it decided again; return the proposal."""
    contest = made(table.ada("POST", f"{table.at}/contests", {"commit": commit, "claim": "not so"}))
    ruling = {"ending": "as_ruled", "decision": "ada is right", "instead": list(instead)}
    found = made(table.gm("POST", f"{table.at}/contests/{contest['contest']}/ruling", ruling))
    assert found["status"] == "open"  # until it is accepted
    return table.gm.get(f"{table.at}/amendments/{found['amendment']}")


def test_TABLE_AMEND_1_as_ruled_takes_the_amended_command_and_the_old_ones_after_it(table: Table) -> None:
    did(table, ROLL, ADD, ROLL, {"type": "end_round"}, ROLL)
    before = totals(table)
    proposal = contested(table, 5, {"type": "add", "amount": 9})
    difference = proposal["difference"]
    assert difference["left"] == [5]  # the contest in commit 9 stays
    assert [(each["n"], each["old"], each["outcome"]) for each in difference["commands"]] == [
        (6, None, "accepted"),
        (7, 6, "accepted"),
        (8, 7, "accepted"),
        (9, 8, "accepted"),
    ]
    assert {"op": "replace", "path": "/counter"}.items() <= difference["patch"][0].items() or any(
        step["path"] == "/counter" for step in difference["patch"]
    )
    after = accepted(table, proposal)

    assert totals(after) == before
    state = after.bo.get(f"{after.at}/state")["state"]
    assert state["counter"] == sum(before.values()) + 9
    assert state["contests"]["c1"]["status"] == "as_ruled"
    assert state["contests"]["c1"]["line"] == table.id  # where the contested commit stands


def test_TABLE_DICE_2_an_amended_roll_has_dice_of_its_own_and_later_rounds_keep_theirs(table: Table) -> None:
    did(table, ROLL, ROLL, {"type": "end_round"}, ROLL, ROLL)
    before = totals(table)
    after = accepted(table, contested(table, 4, {"type": "roll", "sides": 12}))

    now = totals(after)
    assert list(now) == ["3/table#0", "3/table#1", "2/table#0", "2/table#1"]
    assert (now["2/table#0"], now["2/table#1"]) == (before["2/table#0"], before["2/table#1"])
    did(after, {"type": "end_round"}, ROLL)
    assert "4/table#0" in totals(after)


def test_TABLE_LINE_1_sealed_choices_stay_sealed_and_are_taken_along(table: Table) -> None:
    did(table, ROLL, (table.ada, {"type": "choose", "number": 7}), ADD)
    undone = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 5, "preview": True})))
    proposal = made(undone.gm("POST", f"{undone.at}/redo", {"preview": True}))
    line_at = f"/v1/encounters/{proposal['line']}"
    for each in table.gm.get(f"{line_at}/commits")["commits"]:
        assert each["opened"] == []  # the gm may not open ada's choice
        assert '"number":7' not in each["commit"]
    after = accepted(undone, proposal)

    assert after.ada.get(f"{after.at}/state")["state"]["choices"]["ada"] == 7
    hidden = after.gm.get(f"{after.at}/state")["state"]["choices"]["ada"]
    assert hidden == {"sealed": ["seat:ada"]}
    before = after.gm.get(f"{after.at}/state")["state"]["counter"]
    did(after, (after.bo, {"type": "choose", "number": 2}))
    assert after.gm.get(f"{after.at}/state")["state"]["counter"] == before + 9
    assert len(after.bo.get(f"{after.at}/commits?limit=1&after=4")["commits"][0]["opened"]) == 1


def test_a_choice_that_is_still_sealed_cannot_be_amended(table: Table) -> None:
    did(table, (table.ada, {"type": "choose", "number": 7}))
    made(table.bo("POST", f"{table.at}/contests", {"commit": 4, "claim": "she peeked"}))
    ruling = {"ending": "as_ruled", "decision": "so it is", "instead": []}
    answer = table.gm("POST", f"{table.at}/contests/c1/ruling", ruling)
    assert is_problem(answer, 409, "command-refused")["code"] == "sealed_here"


def test_a_proposal_is_void_because_of_a_choice_that_was_sealed_before_it_was_decided(
    table: Table, worker: Worker
) -> None:
    did(table, ROLL)
    made(table.ada("POST", f"{table.at}/contests", {"commit": 4, "claim": "not so"}))
    worker.pause()
    choice = table.send(table.ada, {"type": "choose", "number": 7}, Prefer="respond-async")
    ruling = {"ending": "as_ruled", "decision": "so", "instead": []}
    answer = table.gm("POST", f"{table.at}/contests/c1/ruling", ruling, Prefer="respond-async")
    assert (choice.status_code, answer.status_code) == (202, 202)
    worker.go_on()
    version = json.loads(answer.text)["n"]
    assert table.gm.get(f"{table.at}/state?min_version={version}")["version"] == version
    at = f"{table.at}/amendments/a1"

    data = table.gm.get(at)
    assert (data["status"], data["difference"]) == ("void", None)
    answer = table.gm("POST", f"{at}/accept", {"version": version})
    refused = is_problem(answer, 409, "command-refused")
    assert (refused["code"], refused["detail"]) == (
        "sealed_here",
        "a1 is void: commit 6 would be decided again, and is sealed from you; undo is possible",
    )


def test_old_answers_whose_prompt_is_gone_are_listed(owner: Api) -> None:
    table = Table.opened(owner, declared=True)
    prompt = json.loads(table.send(table.gm, ROLL).text)["prompts"][0]["prompt"]
    did(table, {"type": "throw_dice", "prompt": prompt, "faces": [5]}, ADD)
    proposal = contested(table, 4)  # the roll is left out: nobody asks for its dice

    (gone,) = proposal["difference"]["gone"]
    assert (gone["old"], gone["type"], gone["refusal"]["code"]) == (5, "throw_dice", "prompt_gone")
    assert (
        accepted(table, proposal).gm.get(f"/v1/encounters/{proposal['line']}/state")["state"]["counter"] == 3
    )


def test_whether_a_sealed_answer_stands_is_not_told(table: Table) -> None:
    did(table, ADD, (table.ada, {"type": "choose", "number": 7}))
    undone = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    redo = made(undone.gm("POST", f"{undone.at}/redo", {"preview": True}))
    taken = table.gm.get(f"{table.at}/commits?line={redo['line']}&after=4&limit=1")["commits"][0]
    assert (json.loads(taken["commit"])["outcome"], taken["opened"]) == ("sealed", [])


def test_a_proposal_is_the_gms_alone_until_it_is_accepted(table: Table) -> None:
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    draft = line(table, proposal["line"])
    is_problem(draft.ada("GET", f"{draft.at}/state"), 404, "not-found")
    assert is_problem(draft.send(draft.gm, ROLL), 409, "command-refused")["code"] == "line_not_accepted"
    is_problem(table.ada("GET", f"{table.at}/amendments/a1"), 403, "forbidden")
    listed = [each["encounter"] for each in table.gm.get("/v1/encounters")["encounters"]]
    assert draft.id not in listed

    accepted(table, proposal)
    assert draft.ada.get(f"{draft.at}/state")["state"]["counter"] == 0
    (listed,) = table.gm.get("/v1/encounters")["encounters"]
    assert (listed["encounter"], listed["line"]) == (table.id, draft.id)


def test_TABLE_AMEND_5_what_was_played_since_a_proposal_outdates_it_and_is_not_lost(table: Table) -> None:
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    did(table, ADD)
    at = f"{table.at}/amendments/a1/accept"
    for version in (proposal["version"], proposal["version"] + 1):
        answer = table.gm("POST", at, {"version": version})
        assert is_problem(answer, 409, "command-refused")["code"] == "amendment_outdated"
    assert table.gm.get(f"{table.at}/amendments/a1")["status"] == "outdated"
    assert table.ada.get(f"{table.at}/state")["state"]["continued"] is None


def test_TABLE_AMEND_3_the_line_as_played_stays_readable_and_its_address_answers_with_the_other(
    table: Table,
) -> None:
    did(table, ROLL, ROLL)
    commits = table.bo.get(f"{table.at}/commits")["commits"]
    after = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))

    answer = table.bo.get(table.at)
    assert (answer["encounter"], answer["line"], answer["origin"]["parent"]) == (table.id, after.id, table.id)
    bo = table.as_played.bo
    played = bo.get(table.at)
    assert (played["line"], played["continued"], played["closed"]) == (table.id, after.id, True)
    assert bo.get(f"{table.at}/commits")["commits"][: len(commits)] == commits
    last = bo.get(f"{table.at}/commands/{played['version']}")["events"][-1]
    assert (last["type"], last["encounter"]) == ("continued", after.id)
    assert last["head"]["hash"] == after.bo.get(f"{after.at}/commits?limit=1&after=4")["commits"][0]["hash"]
    refused = is_problem(table.send(table.as_played.ada, ROLL), 409, "command-refused")
    assert (refused["code"], "n" in refused) == ("encounter_continued", False)
    assert refused["line"] == after.id
    assert table.send(table.ada, ROLL).status_code == 200
    assert table.bo.get(f"{table.at}/rolls") == after.bo.get(f"{after.at}/rolls")


def test_nobody_names_another_encounter_as_the_one_in_which_it_goes_on(table: Table, owner: Api) -> None:
    other = Table.opened(owner)
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    head = other.gm.get(f"{other.at}/commits")["commits"][-1]
    command = {
        "type": "accept_amendment",
        "amendment": "a1",
        "version": proposal["version"],
        "encounter": other.id,
        "head": {"n": head["n"], "hash": head["hash"]},
    }
    assert is_problem(table.send(table.gm, command), 409, "command-refused")["code"] == "other_line"


def test_a_dropped_proposal_has_shown_no_die_that_is_thrown_later(table: Table) -> None:
    """Each proposal draws from an epoch of its own, and no round uses that."""
    did(table, ROLL)
    seen: set[str] = set()
    for number in (1, 2):
        proposal = contested(table, 4, {"type": "roll", "sides": 20})
        shown = set(totals(line(table, proposal["line"])))
        assert not shown & seen
        seen |= shown
        at = f"{table.at}/amendments/a{number}"
        dropped = made(table.gm("DELETE", at), 200)
        assert dropped["status"] == "dropped"
    did(table, ROLL, {"type": "end_round"}, ROLL, {"type": "end_round"}, ROLL)

    assert seen == {"2/table#0", "3/table#0"}
    assert list(totals(table)) == ["1/table#0", "1/table#1", "4/table#0", "5/table#0"]


def test_an_undo_goes_to_no_version_below_zero(table: Table) -> None:
    answer = table.gm("POST", f"{table.at}/undo", {"to": -1, "preview": True})
    assert [each["pointer"] for each in is_problem(answer, 422, "invalid")["errors"]] == ["/to"]


@pytest.mark.parametrize("commit", [1, 99])
def test_what_is_not_there_and_the_opening_are_not_undone(table: Table, commit: int) -> None:
    answer = table.gm("POST", f"{table.at}/undo", {"to": commit - 1, "preview": True})
    assert is_problem(answer, 409, "command-refused")["code"] in ("opening_stands", "no_such_moment")


def test_a_repeated_acceptance_gets_the_first_answer(table: Table) -> None:
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    at, body = f"{table.at}/amendments/a1/accept", {"version": proposal["version"]}
    first, again = (table.gm("POST", at, body, Idempotency_Key="yes") for _ in range(2))
    assert made(first, 200)["n"] == made(again, 200)["n"]
    assert again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("type_", ["undo", "contest", "accept_amendment"])
def test_commands_about_a_line_are_not_given_in_one(table: Table, type_: str) -> None:
    did(table, ROLL)
    made(table.ada("POST", f"{table.at}/contests", {"commit": 4, "claim": "no"}))
    fields: dict[str, dict[str, Any]] = {
        "undo": {"commit": 2},
        "contest": {"commit": 1, "claim": "x"},
        "accept_amendment": {
            "amendment": "a1",
            "version": 1,
            "encounter": "x",
            "head": {"n": 1, "hash": "x"},
        },
    }
    ruling = {"ending": "as_ruled", "decision": "so", "instead": [{"type": type_, **fields[type_]}]}
    answer = table.gm("POST", f"{table.at}/contests/c1/ruling", ruling)
    assert is_problem(answer, 409, "command-refused")["code"] == "not_in_line"


def test_a_proposal_is_not_accepted_among_other_commands(table: Table) -> None:
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    head = table.gm.get(f"/v1/encounters/{proposal['line']}/commits")["commits"][-1]
    accept = {
        "type": "accept_amendment",
        "amendment": "a1",
        "version": proposal["version"],
        "encounter": proposal["line"],
        "head": {"n": head["n"], "hash": head["hash"]},
    }
    answer = table.gm("POST", f"{table.at}/commands", [ADD, accept])
    assert is_problem(answer, 409, "command-refused")["code"] == "not_in_an_array"
