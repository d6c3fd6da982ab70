"""Read the record: commits that prove themselves, rounds that play again, rolls and reasons."""

from __future__ import annotations

import json
import time
from hashlib import sha256
from threading import Event
from typing import Any
from unittest import mock

import jsonpatch
import pytest

from service.api.request import ApiRequest
from service.api.resources import states
from service.dice.chain import envelope_commitment
from service.log import Log, Outcome
from service.record.canonical import eid_of
from service.steps import Steps
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH, Worker
from workers.audits import Auditor

ADD = {"type": "add", "amount": 3}


@pytest.fixture
def played(table: Table) -> Table:
    """Give a game of two rounds: dice in the first, a secret choice in the second."""
    table.send(table.gm, {"type": "roll", "sides": 20})  # 4
    table.send(table.gm, {"type": "add", "amount": 10})  # 5, refused
    table.send(table.gm, {"type": "end_round", "last": True})  # 6
    table.send(table.ada, {"type": "choose", "number": 7})  # 7
    table.send(table.gm, ADD)  # 8
    return table


def test_commits_prove_their_chain_and_envelopes(played: Table) -> None:
    commits = played.ada.get(f"{played.at}/commits")["commits"]

    prev = "0" * 64
    for each in commits:
        raw = each["commit"].encode()
        assert json.loads(raw)["prev"] == prev
        assert each["hash"] == sha256(b"\0" + raw).hexdigest()
        prev = each["hash"]
    own = next(each for each in commits if each["opened"])
    envelope = own["opened"][0]
    salt, payload = bytes.fromhex(envelope["salt"]), envelope["payload"].encode()
    proved = envelope_commitment(eid_of(played.id), salt, payload).hex()
    assert json.loads(own["commit"])["events"][envelope["index"]]["sealed"] == proved


def test_envelopes_are_proved_without_the_encounters_secret(
    played: Table, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The salts lie with the payloads: only the worker, and the opening itself, ever read the secret."""
    asked: list[str] = []
    monkeypatch.setattr(log, "secret", asked.append)

    for path in ("commits", "rounds/1", "rounds/1/replay", "rolls", "commits/7/explanation", "commands/7"):
        assert played.ada("GET", f"{played.at}/{path}").status_code == 200

    assert asked == []


def test_everybody_gets_the_same_commits_and_only_their_own_envelopes(played: Table) -> None:
    ada, bo = (who.get(f"{played.at}/commits")["commits"] for who in (played.ada, played.bo))

    assert [each["commit"] for each in ada] == [each["commit"] for each in bo]
    assert [each["n"] for each in ada if each["opened"]] == [7]
    assert [each["n"] for each in bo if each["opened"]] == []


def test_pages_join_without_gap_or_repeat(played: Table) -> None:
    target, seen = f"{played.at}/commits?after=1&limit=3", []
    while True:
        answer = played.gm("GET", target)
        seen += [each["n"] for each in json.loads(answer.text)["commits"]]
        if "Link" not in answer.headers:
            break
        target = answer.headers["Link"].split(">")[0].lstrip("<")

    assert seen == [2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "limit=x",
        "after=-1",
        "after=1&after=2",
        "cursor=zzz",
        "round=9",
        "cursor=MS4y&after=1",
        "unknown=1",
        "after=%EF%BC%91",
    ],
)
def test_a_question_that_does_not_fit_is_invalid(played: Table, query: str) -> None:
    problem = is_problem(played.gm("GET", f"{played.at}/commits?{query}"), 422, "invalid")

    assert problem["errors"][0]["pointer"].startswith("?")


def test_rounds_are_found_and_join(played: Table) -> None:
    rounds = played.gm.get(f"{played.at}/rounds")["rounds"]

    assert rounds == [{"round": 1, "first": 1, "last": 6}, {"round": 2, "first": 6, "last": None}]
    assert [each["n"] for each in played.gm.get(f"{played.at}/rounds/1")["commits"]] == [1, 2, 3, 4, 5, 6]
    assert [each["n"] for each in played.gm.get(f"{played.at}/commits?round=2")["commits"]] == [6, 7, 8]
    is_problem(played.gm("GET", f"{played.at}/rounds/3"), 404, "not-found")
    is_problem(played.gm("GET", f"{played.at}/rounds/x"), 404, "not-found")


def test_a_replay_ends_where_the_state_stands(played: Table) -> None:
    replay = played.ada.get(f"{played.at}/rounds/2/replay")

    assert [frame["n"] for frame in replay["frames"]] == [6, 7, 8]
    assert replay["state"] == played.ada.get(f"{played.at}/state?at=5&known=8")["state"]
    state = replay["state"]
    for frame in replay["frames"]:
        state = jsonpatch.apply_patch(state, frame["patch"])
        assert state == played.ada.get(f"{played.at}/state?at={frame['n']}&known=8")["state"]
    assert state == played.ada.get(f"{played.at}/state")["state"]


def test_a_replay_has_events_and_sentences_on_request(played: Table) -> None:
    at = f"{played.at}/rounds/2/replay"
    plain, full = played.ada.get(at), played.ada.get(f"{at}?events=true&text=en")
    first = json.loads(played.ada("GET", f"{at}?events=true&text=en&limit=1").text)

    assert set(plain["frames"][0]) == {"n", "patch"}
    for frame in full["frames"]:
        why = played.ada.get(f"{played.at}/commits/{frame['n']}/explanation")
        assert frame["outcome"]["events"] == [each["event"] for each in why["events"]]
    commits = played.ada.get(f"{played.at}/commits?after=5&text=en")["commits"]
    assert [frame["text"] for frame in full["frames"]] == [each["text"] for each in commits]
    assert first["frames"] == full["frames"][:1]


@pytest.mark.parametrize(
    ("path", "name"), [("rounds/1", "commits"), ("rounds/1/replay", "frames"), ("rounds", "rounds")]
)
def test_rounds_come_in_pages_that_join(played: Table, path: str, name: str) -> None:
    whole = played.ada.get(f"{played.at}/{path}")
    found: list[Any] = []
    query, states = "limit=1", []
    while True:
        answer = played.ada("GET", f"{played.at}/{path}?{query}")
        page = json.loads(answer.text)
        found += page[name]
        states.append(page.get("state"))
        assert len(page[name]) == 1
        if page["next_cursor"] is None:
            assert "Link" not in answer.headers
            break
        assert f'cursor={page["next_cursor"]}&limit=1>; rel="next"' in answer.headers["Link"]
        query = f"limit=1&cursor={page['next_cursor']}"

    assert found == whole[name]
    assert states[0] == whole.get("state")
    if name == "frames":  # every page begins where the one before it ended
        for frame, before, after in zip(found, states, states[1:], strict=False):
            assert jsonpatch.apply_patch(before, frame["patch"]) == after
    for cursor in ("bm8", "MC4w", "OS45"):
        is_problem(played.ada("GET", f"{played.at}/rounds/1?cursor={cursor}"), 422, "invalid")


def test_the_state_of_any_version_is_found_again(played: Table) -> None:
    now = played.gm.get(f"{played.at}/state")
    then = played.gm.get(f"{played.at}/state?at=4")
    ended = played.gm.get(f"{played.at}/state?round=1")

    assert (now["version"], then["version"], ended["version"]) == (8, 4, 6)
    assert then["hash"] == played.gm.get(f"{played.at}/commits?after=3&limit=1")["commits"][0]["hash"]
    assert now["state"]["round"] == 2
    for query in ("at=9", "round=3", "at=4&known=3", "at=4&known=9", "at=1&round=1", "at=0"):
        is_problem(played.gm("GET", f"{played.at}/state?{query}"), 422, "invalid")


def test_a_version_that_is_not_there_yet_is_waited_for(played: Table) -> None:
    assert played.gm.get(f"{played.at}/state?min_version=8")["version"] == 8
    is_problem(played.gm("GET", f"{played.at}/state?min_version=99"), 422, "invalid")


def test_a_version_that_is_not_folded_in_time_is_said_so(played: Table, worker: Worker) -> None:
    worker.pause()
    sent = played.send(played.gm, {"type": "add", "amount": 1}, Prefer="respond-async")
    n = json.loads(sent.text)["n"]

    late = played.gm("GET", f"{played.at}/state?min_version={n}", Prefer="wait=0")
    worker.go_on()

    assert "Retry-After" in late.headers
    is_problem(late, 503, "not-yet-folded")
    assert played.gm.get(f"{played.at}/state?min_version={n}")["version"] == n


def test_a_version_that_a_failover_took_back_is_not_shown(
    played: Table, worker: Worker, services: Services
) -> None:
    worker.pause()
    sent = played.send(played.gm, {"type": "add", "amount": 1}, Prefer="respond-async")
    n = json.loads(sent.text)["n"]

    heard = Outcome(played.id, n, b"")
    with mock.patch.object(services.outcomes, "wait", return_value=heard):
        late = played.gm("GET", f"{played.at}/state?min_version={n}")
    worker.go_on()

    is_problem(late, 503, "not-yet-folded")
    assert played.gm.get(f"{played.at}/state?min_version={n}")["version"] == n


def test_what_has_not_changed_is_not_sent_again(played: Table) -> None:
    tag = ""
    for path in ("/options", "/seats", "/commits", "/rounds", "/rolls", "/rounds/1/replay", "", "/state"):
        tag = played.gm("GET", played.at + path).headers["ETag"]
        answer = played.gm("GET", played.at + path, If_None_Match=tag)
        assert (answer.status_code, answer.text, answer.headers["ETag"]) == (304, "", tag)
    played.send(played.gm, ADD)
    assert played.gm("GET", f"{played.at}/state", If_None_Match=tag).status_code == 200


def test_rolls_are_listed_with_their_commits(played: Table) -> None:
    rolls = played.bo.get(f"{played.at}/rolls")["rolls"]

    assert [(roll["n"], roll["name"]["epoch"], roll["name"]["place"]) for roll in rolls] == [
        (4, 1, 0),
        (6, 1, 1),
        (6, 2, 0),
    ]
    assert rolls[0]["total"] == rolls[0]["dice"][0]["face"]
    assert [roll["n"] for roll in played.bo.get(f"{played.at}/rolls?round=2")["rolls"]] == [6, 6]
    assert played.bo.get(f"{played.at}/rolls?creature=pia")["rolls"] == []


def test_an_explanation_derives_the_dice_of_a_closed_epoch_and_of_no_other(played: Table) -> None:
    answer = played.bo.get(f"{played.at}/commits/4/explanation")
    closed, running = played.bo.get(f"{played.at}/commits/6/explanation")["rolls"]

    assert answer["type"] == "roll"
    assert answer["rolls"][0]["derivation"]["disclosed"]
    assert closed["derivation"]["faces"] == [die["face"] for die in closed["roll"]["dice"]]
    assert running["derivation"] == {
        "algorithm": "rewound/dice/1",
        "disclosed": False,
        "name": "2/0/table#0",
    }


def test_the_chain_lists_every_rule_that_took_part(played: Table) -> None:
    plain = played.bo.get(f"{played.at}/commits/1/explanation")
    answer = played.bo.get(f"{played.at}/commits/1/explanation?consulted=true")

    assert {"rule": "TINY-1", "depth": 0} in answer["chain"]
    assert any(rule["statement"] == "A game begins with a counter at nothing." for rule in answer["rules"])
    decided, consulted = ({rule["id"] for rule in answer[name]} for name in ("rules", "consulted"))
    assert {step["rule"] for step in answer["chain"]} <= decided | consulted
    assert not decided & consulted
    assert plain == {name: value for name, value in answer.items() if name not in ("chain", "consulted")}
    for rule in answer["rules"]:
        assert played.bo.get(rule["address"])["id"] == rule["id"]


@pytest.mark.parametrize("bound", ["MOST_WATCHED", "MOST_STEPS"])
def test_a_chain_that_takes_too_much_work_is_refused_and_what_to_ask_instead_is_said(
    played: Table, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"service.audit.explain.{bound}", 1)
    path = f"{played.at}/commits/1/explanation"

    problem = is_problem(played.bo("GET", f"{path}?consulted=true"), 422, "too-much-work")

    assert problem["detail"].endswith("ask without `?consulted=true`")
    assert "chain" not in played.bo.get(path)


def test_who_may_not_read_a_command_is_told_neither_type_nor_chain(played: Table) -> None:
    path = f"{played.at}/commits/7/explanation?consulted=true"
    own = played.ada.get(path)
    others = [who.get(path) for who in (played.bo, played.gm)]

    assert (own["type"], "chain" in own) == ("choose", True)
    assert [(each["type"], "chain" in each) for each in others] == [(None, False)] * 2


def test_a_refusal_is_explained(played: Table) -> None:
    answer = played.bo.get(f"{played.at}/commits/5/explanation")

    assert answer["refusal"]["code"] == "amount_out_of_range"
    assert [rule["id"] for rule in answer["rules"]] == ["TINY-2"]
    for n in ("0", "99", "x"):
        is_problem(played.bo("GET", f"{played.at}/commits/{n}/explanation"), 404, "not-found")


def test_options_say_everything_a_seat_may_do(table: Table) -> None:
    options = table.ada.get(f"{table.at}/options")

    offer = options["options"][0]["commands"][0]
    assert offer == {"command": {"type": "choose", "number": 1}, "choices": {"number": [1, 2, 3]}}
    answer = table.send(table.ada, {**offer["command"], "number": offer["choices"]["number"][0]})
    assert answer.status_code == 200
    assert table.ada.get(f"{table.at}/options")["options"] == []


def test_an_audit_is_asked_for_once_and_found(played: Table) -> None:
    first = played.gm(
        "POST", f"{played.at}/audits", {"first_round": 1, "last_round": 2}, Idempotency_Key="k1"
    )
    again = played.gm(
        "POST", f"{played.at}/audits", {"first_round": 1, "last_round": 2}, Idempotency_Key="k1"
    )

    assert (first.status_code, again.text) == (202, first.text)
    found = played.gm.get(first.headers["Location"])
    assert (found["status"], found["first_round"], found["last_round"]) == ("pending", 1, 2)
    assert [each["audit"] for each in played.gm.get(f"{played.at}/audits")["audits"]] == [found["audit"]]
    other = played.gm("POST", f"{played.at}/audits", {"first_round": 2}, Idempotency_Key="k1")
    is_problem(other, 422, "idempotency-key-reused")
    for body in ({"first_round": 2, "last_round": 1}, {"first_round": 9}, {"x": 1}, {"first_round": "1"}):
        assert played.gm("POST", f"{played.at}/audits", body).status_code in (400, 422)
    is_problem(played.gm("GET", f"{played.at}/audits/nothing"), 404, "not-found")
    is_problem(played.ada("POST", f"{played.at}/audits", {}), 403, "forbidden")


def test_so_many_audits_of_one_owner_wait_and_no_more(played: Table, owner: Api, services: Services) -> None:
    """They are counted over all encounters of the owner, whichever seat asks."""
    other = Table.opened(owner.with_token(api_keys.create(services.log, "other", time.time())[0]))
    mine = Table.opened(owner)
    for number in range(8):
        at = (played if number % 2 else mine).at
        assert owner("POST", f"{at}/audits", {}, Idempotency_Key=f"k{number}").status_code == 202

    full = owner("POST", f"{mine.at}/audits", {}, Idempotency_Key="k8")

    is_problem(full, 429, "too-many-audits")
    assert int(full.headers["Retry-After"]) > 0
    assert owner("POST", f"{played.at}/audits", {}, Idempotency_Key="k7").status_code == 202, "a repeat"
    assert other.gm("POST", f"{other.at}/audits", {}).status_code == 202

    Auditor(services.log, BOTH, worker="one", stopping=Event()).look()

    assert owner("POST", f"{mine.at}/audits", {}, Idempotency_Key="k8").status_code == 202


def test_statistics_count_what_everybody_sees(played: Table) -> None:
    rolls = played.gm.get(f"{played.at}/rolls")["rolls"]
    shown = [die["face"] for roll in rolls for die in roll["dice"]]

    answer = [who.get(f"{played.at}/rolls/statistics") for who in (played.gm, played.ada, played.bo)]

    assert answer[0] == answer[1] == answer[2]
    [d20] = answer[0]["dice"]
    assert (d20["sides"], d20["source"], d20["dice"], d20["p_value"]) == (20, "seeded", len(shown), None)
    assert d20["faces"] == [shown.count(face) for face in range(1, 21)]
    expected = len(shown) / 20
    chi_square = sum((shown.count(face) - expected) ** 2 for face in range(1, 21)) / expected
    assert d20["chi_square"] == pytest.approx(chi_square, abs=1e-6)
    for number in (1, 2):
        counted = played.gm.get(f"{played.at}/rolls/statistics?round={number}")["dice"]
        rolls = played.gm.get(f"{played.at}/rolls?round={number}")["rolls"]
        assert sum(each["dice"] for each in counted) == sum(len(roll["dice"]) for roll in rolls)


def test_a_state_that_becomes_newer_while_it_is_read_is_that_of_its_version(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end comes between the look at the head and the fold: what it opens is open in what is shown."""
    rolled = {"type": "roll_behind_screen", "dice": [20], "what": "does it hold"}
    assert table.send(table.gm, rolled).status_code == 200
    assert table.gm("DELETE", table.at).status_code == 200
    after = table.ada("GET", f"{table.at}/state")
    version = json.loads(after.text)["version"]

    def before(_call: ApiRequest) -> Steps[int]:
        yield from ()
        return int(version) - 1

    monkeypatch.setattr(states, "_head", before)
    meanwhile = table.ada("GET", f"{table.at}/state")

    assert (meanwhile.headers["ETag"], meanwhile.text) == (after.headers["ETag"], after.text)


def test_an_auditors_seat_leaves_audits_for_the_gm(played: Table) -> None:
    seat = {"seat": "eve", "role": "auditor"}
    eve = played.gm.with_token(json.loads(played.gm("POST", f"{played.at}/seats", seat).text)["token"])
    for _ in range(4):
        assert eve("POST", f"{played.at}/audits", {}).status_code == 202

    full = is_problem(eve("POST", f"{played.at}/audits", {}), 429, "too-many-audits")

    assert full["limit"] == 4
    for _ in range(4):
        assert played.gm("POST", f"{played.at}/audits", {}).status_code == 202
    assert is_problem(played.gm("POST", f"{played.at}/audits", {}), 429, "too-many-audits")["limit"] == 8
