"""Attack a live fight through its proposals: nothing that may still come is learned from them."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from werkzeug.test import TestResponse

from service.audit import bundle
from service.audit.evidence import stored
from service.audit.fight import verify_fight
from service.audit.verify import verify
from service.dice.chain import Anchor, seal, seat_commitment, walk
from service.dice.source import DisclosedDice, NotDisclosed
from service.dice.values import RollName
from service.log import Log
from service.rules.kernel.messages import Refused
from service.rules.rolls.draws import check_shown
from service.rules.table.lines import Line, Logged
from service.rules.table.table import Table as State
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.api.test_amendments import ADD, ROLL, accepted, contested, did, line, made, totals
from tests.rules.heartrush.kit import opening as heartrush_opening
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played
from tests.support.javascript_verifier import NODE, ROOT

EPOCHS = 24
END = {"type": "end_round"}
END_WITH_DICE = {"type": "end_round", "last": True}
HEX = re.compile("[0-9a-f]{64}")
SEEDS = {"ada": b"a" * 32, "gm": b"g" * 32}


class Watched(Api):
    """A client that remembers everything it was told."""

    def __init__(self, app: Any, token: str | None) -> None:
        super().__init__(app, token)
        self.told: list[str] = []

    def __call__(self, method: str, target: str, data: object = None, /, **headers: str) -> TestResponse:
        answer = super().__call__(method, target, data, **headers)
        if answer.mimetype != "text/event-stream":
            self.told.append(answer.text)
        return answer


@pytest.fixture(params=["server", "mixed"])
def played(owner: Api, request: pytest.FixtureRequest) -> Table:
    """Give a game of two rolls in its second round, whose first round has ended, as the gm watches it."""
    seats = ["ada", "gm"] if request.param == "mixed" else []
    seeding = {"mode": request.param, "seats": seats, "epochs": EPOCHS}
    table = Table.opened(Watched(owner.app, owner.token), seeding=seeding)
    for seat in seats:
        made_of = seat_commitment(UUID(table.id).bytes, seat, SEEDS[seat]).hex()
        did(table, (_who(table, seat), {"type": "commit_seed", "commitment": made_of}))
    for seat in seats:
        did(table, (_who(table, seat), {"type": "reveal_seed", "seed": SEEDS[seat].hex()}))
    did(table, ROLL, END, ROLL, ADD, ROLL)
    return table


def _who(table: Table, seat: str) -> Api:
    return {"ada": table.ada, "gm": table.gm}[seat]


def setup_of(table: Table) -> dict[str, Any]:
    first = table.gm.get(f"{table.at}/commits?limit=1")["commits"][0]["commit"]
    dice: dict[str, Any] = next(e["dice"] for e in json.loads(first)["events"] if "dice" in e)
    return dice


def learned(table: Table) -> dict[tuple[int, int], bytes]:
    """Return every link, by lane and epoch, that can be computed from what the gm was ever told."""
    assert isinstance(table.gm, Watched)
    eid, found = UUID(table.id).bytes, {}
    words = {bytes.fromhex(word) for text in table.gm.told for word in HEX.findall(text)}
    for lane in setup_of(table)["lanes"]:
        anchor = bytes.fromhex(lane["anchor"])
        for word in words:
            for epoch in range(1, lane["n"] + 1):
                if walk(eid, lane["lane"], epoch, word, 0) == anchor:
                    found[lane["lane"], epoch] = word
    return found


def dice_of(table: Table) -> DisclosedDice:
    """Return the dice that the gm can compute, with the product's own code."""
    setup = setup_of(table)
    anchors = [Anchor(lane["lane"], lane["n"], bytes.fromhex(lane["anchor"])) for lane in setup["lanes"]]
    seeds = SEEDS if setup["mode"] == "mixed" else {}
    eid = UUID(table.id).bytes
    return DisclosedDice(eid, seal(eid, anchors, seeds), anchors, learned(table))


def read_all(table: Table, encounter: str) -> None:
    """Read a line of play in every way there is."""
    at, gm = f"/v1/encounters/{encounter}", table.gm
    n = gm.get(f"{at}?line={encounter}")["version"]
    for path in ("", "/state", "/options", "/rolls", "/commits", "/rounds", "/seats", "/contests", "/bundle"):
        gm("GET", at + path)
    for path in ("/checkpoints", "/statistics", "/rolls/statistics", "/rounds/1", "/rounds/2"):
        gm("GET", at + path)
    for number in range(1, n + 1):
        for path in (f"/commands/{number}", f"/commits/{number}/explanation", f"/state?at={number}"):
            gm("GET", at + path)
    gm("POST", f"{at}/previews", ROLL)
    gm("POST", f"{at}/previews", {"type": "close"})
    gm("POST", f"{at}/audits", {})
    gm("POST", f"{at}/checkpoints", {})
    gm("GET", f"{table.at}/diff?start=2&other={encounter}")


def read_and_dropped(table: Table, proposal: Any) -> set[str]:
    """Read a proposal whole, try what may be tried on it, drop it and read on; return the names it threw."""
    draft = line(table, proposal["line"])
    read_all(table, draft.id)
    for at in (1, 2, 3):
        table.gm("POST", f"{draft.at}/forks", {"at": at, "commands": [ROLL, END, {"type": "close"}]})
    for path, data in (
        ("/commands", END),
        ("/commands", {"type": "close"}),
        ("/undo", {"to": 1, "preview": True}),
        ("/redo", {"preview": True}),
        ("/contests", {"commit": 2, "claim": "again"}),
    ):
        is_problem(table.gm("POST", draft.at + path, data), 409, "command-refused")
    is_problem(table.gm("DELETE", draft.at), 409, "command-refused")
    names = set(totals(draft))
    made(table.gm("DELETE", f"{table.at}/amendments/{proposal['amendment']}"), 200)
    read_all(table, draft.id)
    return names


def holds(table: Table, shown: set[str]) -> None:
    """Play on: the gm can compute none of the dice that follow, and none was shown before."""
    dice, before = dice_of(table), totals(table)
    for _ in range(4):
        did(table, ROLL, {"type": "roll", "sides": 20}, ROLL, END_WITH_DICE)
        did(table, {"type": "roll_behind_screen", "dice": [20], "what": "luck"})
    follow = table.gm.get(f"{table.at}/rolls?limit=100")["rolls"]
    names = set(totals(table)) - set(before)
    assert len(names) >= 16
    assert not names & shown
    unknown = 0
    for roll in follow:
        name = RollName.from_data(roll["name"])
        if str(name).replace("/0/", "/") in before:
            continue
        with pytest.raises(NotDisclosed):
            dice.faces(name.lane, name.epoch, name.stream, name.place, [die["sides"] for die in roll["dice"]])
        unknown += 1
    assert unknown >= 16


def test_the_attack_finds_every_link_that_is_disclosed(played: Table) -> None:
    """What the other tests rely on: a link in any answer is seen, and gives the dice of its epoch."""
    read_all(played, played.id)
    assert {epoch for _, epoch in learned(played)} == {1}
    did(played, END, END)
    read_all(played, played.id)
    assert {epoch for lane, epoch in learned(played) if lane == 0} == {1, 2, 3}
    assert dice_of(played).faces(0, 2, "table", 0, [6]) == (totals(played)["2/table#0"],)


@pytest.mark.parametrize(
    "instead",
    [
        [END],
        [END_WITH_DICE, ROLL, END_WITH_DICE, ROLL, END],
        [{"type": "roll", "sides": 20}, END, ROLL, ROLL],
        [{"type": "advance_epoch", "reason": "to see"}, ROLL, END_WITH_DICE],
        [{"type": "roll_behind_screen", "dice": [20], "what": "luck"}, END],
    ],
    ids=["end", "ends", "other", "advance", "screen"],
)
def test_TABLE_EPOCH_4_no_die_that_follows_is_learned_from_a_ruling_that_is_dropped(
    played: Table, instead: list[dict[str, Any]]
) -> None:
    first = played.gm.get(played.at)["version"] - 1
    shown: set[str] = set()
    for at in (first, first - 2):
        read = read_and_dropped(played, contested(played, at, *({"by": "gm", **each} for each in instead)))
        shown |= read - set(totals(played))
    assert {epoch for _, epoch in learned(played)} == {1}
    holds(played, shown)


@pytest.mark.parametrize(
    "command",
    [
        {"type": "close", "reason": "x"},
        {"type": "close_seat", "seat": "ada"},
        {"type": "issue_token", "seat": "ada"},
        {"type": "open_seat", "seat": "eve", "role": "auditor"},
        {"type": "waive_seed"},
    ],
    ids=lambda each: each["type"],
)
def test_what_is_no_play_is_never_given_in_a_proposal(played: Table, command: dict[str, Any]) -> None:
    made(played.ada("POST", f"{played.at}/contests", {"commit": 4, "claim": "no"}))
    ruling = {"ending": "as_ruled", "decision": "so", "reason": "", "instead": [{"by": "gm", **command}]}
    answer = played.gm("POST", f"{played.at}/contests/c1/ruling", ruling)
    assert is_problem(answer, 409, "command-refused")["code"] == "not_in_line"
    assert played.gm.get(f"{played.at}/state")["state"]["amendment"] is None


def test_no_die_that_follows_is_learned_from_an_undo_or_a_redo_that_is_dropped(played: Table) -> None:
    first = played.gm.get(played.at)["version"] - 2
    shown = read_and_dropped(
        played, made(played.gm("POST", f"{played.at}/undo", {"to": first - 1, "preview": True}))
    )
    assert shown <= set(totals(played))
    did(played, END, ROLL)  # a round that ended, and is undone with what follows
    known = {epoch for _, epoch in learned(played)}
    undone = accepted(
        played, made(played.gm("POST", f"{played.at}/undo", {"to": first - 1, "preview": True}))
    )
    redo = made(undone.gm("POST", f"{undone.at}/redo", {"preview": True}))
    read_and_dropped(undone, redo)
    assert {epoch for _, epoch in learned(played)} <= known | {2}
    did(undone, {"type": "roll", "sides": 20})
    assert not set(totals(undone)) & set(totals(played.as_played)) - {"1/table#0", "2/table#0"}


def test_a_proposal_that_is_abandoned_or_outdated_shows_no_die_either(played: Table) -> None:
    """Nobody drops it: play goes on past its epoch all the same."""
    first = played.gm.get(played.at)["version"]
    proposal = contested(played, first, {"type": "roll", "sides": 20}, END_WITH_DICE, ROLL)
    shown = set(totals(line(played, proposal["line"]))) - set(totals(played))
    read_all(played, proposal["line"])
    assert len(shown) == 4
    assert {name.split("/")[0] for name in shown} == {str(proposal_epoch(played))}
    holds(played, shown)
    assert played.gm.get(f"{played.at}/amendments/a1")["status"] == "outdated"


def proposal_epoch(table: Table) -> int:
    epoch: int = table.gm.get(f"{table.at}/state")["state"]["amendment"]["epoch"]
    return epoch


def test_TABLE_AMEND_4_an_accepted_line_discloses_what_is_due_and_all_its_dice_are_proved(
    played: Table, log: Log
) -> None:
    first = played.gm.get(played.at)["version"]
    proposal = contested(played, first, {"type": "roll", "sides": 20}, END_WITH_DICE, ROLL, END)
    assert {epoch for _, epoch in learned(played)} == {1}
    after = accepted(played, proposal)

    commits = after.gm.get(f"{after.at}/commits?limit=100")["commits"]
    events = {each["n"]: [e.get("type") for e in json.loads(each["commit"])["events"]] for each in commits}
    head = first + len(proposal["difference"]["commands"])
    assert [n for n, types in events.items() if "epoch_closed" in types and n > first] == [head + 1]
    assert events[head + 1][0] == "line_accepted"
    assert {epoch for lane, epoch in learned(played) if lane == 0} == {1, 2}
    did(after, ROLL, END, ROLL)
    made(after.gm("DELETE", after.at), 200)
    report = verify(replace(stored(log, after.id), notes=(), keys=()), BOTH)  # whoever has signed it by now
    assert (report.verdict.name, report.counts.rolls_unverified) == ("valid_unsigned", 0)
    assert report.counts.rolls_checked == len(totals(after))


def test_nothing_is_signed_of_a_line_that_is_only_proposed(played: Table, tmp_path: Path) -> None:
    key = played.gm.get("/v1/keys")["keys"][0]["public_key"]
    first = played.gm.get(played.at)["version"]
    draft = line(played, contested(played, first, ROLL, END, ROLL)["line"])

    for path in ("checkpoints", "audits"):
        refused = is_problem(played.gm("POST", f"{draft.at}/{path}", {}), 409, "command-refused")
        assert refused["code"] == "line_not_accepted"
    raw = played.gm("GET", f"{draft.at}/bundle").data

    assert played.gm.get(f"{draft.at}/checkpoints")["checkpoints"] == []
    found = bundle.read_fight(raw, pinned=[bytes.fromhex(key)])
    assert str(verify_fight(found, BOTH).verdict) == f"not_accepted({first})"
    file = tmp_path / "draft.jsonl"
    file.write_bytes(raw)
    assert f"not_accepted({first})" in _judged_by_javascript(file, "--key", key)


def test_an_accepted_line_counts_all_proposals_that_led_to_it(played: Table, tmp_path: Path) -> None:
    first = played.gm.get(played.at)["version"]
    dropped = contested(played, first, ROLL)
    made(played.gm("DELETE", f"{played.at}/amendments/{dropped['amendment']}"), 200)
    made(played.gm("POST", f"{played.at}/undo", {"to": first - 1, "preview": True}))
    after = accepted(played, contested(played, first, {"type": "roll", "sides": 20}))
    raw = after.gm("GET", f"{after.at}/bundle").data

    counts = verify(bundle.read(raw), BOTH).counts

    assert (counts.proposals, counts.proposals_dropped) == (3, 2)
    file = tmp_path / "line.jsonl"
    file.write_bytes(raw)
    theirs = json.loads(_judged_by_javascript(file, "--json"))["counts"]
    assert (theirs["proposals"], theirs["proposals_dropped"]) == (3, 2)


def _judged_by_javascript(file: Path, *words: str) -> str:
    """Return what the other verifier prints, whatever its exit status."""
    script = ROOT / "clients" / "javascript" / "verify.mjs"
    done = subprocess.run([NODE, script, file, *words], capture_output=True, text=True, check=False)
    return done.stdout


def test_TABLE_DICE_3_a_proposal_shows_no_further_die_of_a_roll_that_may_be_extended() -> None:
    name = RollName(1, 0, "pia/attack", 0)
    old = Line(old_rolls={str(name): (Logged(purpose={}, sides=(8, 8)),)}, new_epochs=(2,))
    draft = State(draft=True, line=old)
    check_shown(draft, name, [8, 8])
    check_shown(draft, name, [8])
    check_shown(draft, RollName(2, 0, "pia/attack", 0), [8, 8, 4])
    check_shown(State(line=old), name, [8, 8, 4])  # once it is accepted
    with pytest.raises(Refused) as refused:
        check_shown(draft, name, [8, 8, 4])
    assert (refused.value.code, refused.value.rule) == ("dice_not_shown", "TABLE-DICE-3")


# --- what is sealed --------------------------------------------------------------------------------------


def ruled(table_at: str, gm: Api, commit: int, *instead: dict[str, Any]) -> TestResponse:
    """Contest a commit as the gm, and ask to have it decided again."""
    contest = made(gm("POST", f"{table_at}/contests", {"commit": commit, "claim": "not so"}))["contest"]
    ruling = {"ending": "as_ruled", "decision": "d", "reason": "r", "instead": list(instead)}
    return gm("POST", f"{table_at}/contests/{contest}/ruling", ruling)


def test_no_proposal_opens_a_sealed_choice_before_its_reveal(table: Table) -> None:
    did(table, ADD, (table.ada, {"type": "choose", "number": 7}), ADD)
    bo = {"by": "gm", "type": "add", "amount": 1}
    for commit in (4, 5, 6):
        answer = ruled(table.at, table.gm, commit, bo)
        assert is_problem(answer, 409, "command-refused")["code"] == "sealed_here"
    undone = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 5, "preview": True})))
    assert undone.gm.get(f"{undone.at}/state")["state"]["choices"]["ada"] == {"sealed": ["seat:ada"]}
    assert undone.ada.get(f"{undone.at}/state")["state"]["choices"]["ada"] == 7
    did(undone, (undone.bo, {"type": "choose", "number": 2}))
    assert made(ruled(undone.at, undone.gm, 3, bo))["amendment"]  # it is revealed


def test_no_proposal_plays_out_what_was_sealed_after_the_door_looked(table: Table) -> None:
    """A choice that comes between the look at the door and the proposal: here in front of it in one array."""
    did(table, ADD)
    made(table.gm("POST", f"{table.at}/contests", {"commit": 4, "claim": "not so"}))
    note = {"type": "whisper", "to": ["ada"], "note": "psst"}
    amend = {"type": "amend", "contest": "c1", "decision": "d", "instead": []}
    assert table.gm("POST", f"{table.at}/commands", [note, amend]).status_code == 200
    answer = table.gm.get(f"{table.at}/amendments/a1")
    assert (answer["status"], answer["difference"]) == ("void", None)


def test_a_stance_is_not_learned_by_a_ruling_mid_engagement_and_undo_is_possible(owner: Api) -> None:
    data = {"edition": "heartrush@1", **heartrush_opening({"pia": (0, 0), "orc": (1, 0)}, declared_sides=[])}
    at = "/v1/encounters/" + made(owner("POST", "/v1/encounters", data))["encounter"]
    zoe = owner.with_token(made(owner("POST", f"{at}/seats/zoe/token", {}))["token"])
    for who, command in (
        (owner, {"type": "begin_combat", "unaware_side": "enemies"}),
        (owner, {"type": "grant_priority"}),
        (zoe, {"type": "engage", "creature": "pia", "target": "orc"}),
        (zoe, {"type": "choose_stance", "creature": "pia", "prompt": "r1/e1/stance/pia", "stance": "might"}),
    ):
        assert made(who("POST", f"{at}/commands", command), 200)["outcome"] in ("accepted", "sealed")
    stance = {"by": "gm", "type": "choose_stance", "creature": "orc", "prompt": "r1/e1/stance/orc"}
    version = owner.get(at)["version"]
    for commit in (version - 2, version - 1):
        answer = ruled(at, owner, commit, stance | {"stance": "cunning"})
        assert is_problem(answer, 409, "command-refused")["code"] == "sealed_here"
    proposal = made(owner("POST", f"{at}/undo", {"to": version - 1, "preview": True}))
    assert proposal["status"] == "ready"
    assert "might" not in json.dumps(proposal)


def test_a_groups_plan_is_not_learned_by_a_ruling_in_its_phase(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (1, 0)))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "k2")
    fight.send("seat-x", "strike", creature="k1", target="k2")
    answer = ruled(fight.at, owner, owner.get(fight.at)["version"] - 1)
    assert is_problem(answer, 409, "command-refused")["code"] == "sealed_here"


def test_instead_is_the_gms_alone_until_it_is_accepted(table: Table) -> None:
    did(table, ADD, ROLL)
    proposal = contested(table, 4, {"type": "add", "amount": 9})
    version = table.gm.get(table.at)["version"]
    for who in (table.ada, table.bo):
        found = [
            who("GET", table.at + path).text
            for path in (
                "/state",
                "/commits",
                f"/commands/{version}",
                f"/commits/{version}/explanation",
                "/bundle",
            )
        ]
        assert not any('"amount":9' in text.replace(" ", "").replace("\\", "") for text in found)
    state = table.ada.get(f"{table.at}/state")["state"]["amendment"]
    assert state["instead"] == {"sealed": ["seat:gm"]}
    assert table.gm.get(f"{table.at}/state")["state"]["amendment"]["instead"][0]["data"] == {"amount": 9}
    accepted(table, proposal)
    assert '"amount":9' in table.as_played.ada("GET", f"{table.at}/commits").text.replace("\\", "")


# --- seats, and what outdates ----------------------------------------------------------------------------


def status(table: Table, who: Api) -> int:
    return who("GET", f"{table.at}/state").status_code


def test_no_redo_brings_back_a_seat_that_was_closed_or_a_token_that_was_replaced(table: Table) -> None:
    did(table, ADD, ROLL)
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    made(once.gm("DELETE", f"{once.at}/seats/bo"), 200)
    token = made(once.gm("POST", f"{once.at}/seats/ada/token", {}))["token"]
    new = once.gm.with_token(token)
    again = accepted(once, made(once.gm("POST", f"{once.at}/redo", {"preview": True})))
    for each in (table, once, again):
        assert [status(each, who) for who in (each.bo, each.ada, new)] == [401, 401, 200]
    seats = {each["seat"]: each for each in again.gm.get(f"{again.at}/seats")["seats"]}
    assert (seats["bo"]["closed"], seats["ada"]["closed"]) == (True, False)


def test_commands_about_seats_are_neither_taken_back_nor_taken_again(table: Table) -> None:
    did(table, ADD)
    eve = made(table.gm("POST", f"{table.at}/seats", {"seat": "eve", "role": "observer"}))["token"]
    did(table, ADD)
    once = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 1, "preview": True})))
    redo = made(once.gm("POST", f"{once.at}/redo", {"preview": True}))
    assert redo["difference"]["commands"] == []
    again = accepted(once, redo)
    for who in (again.ada, again.bo, again.gm.with_token(eve)):
        assert status(again, who) == 200
    ruling = contested(again, again.gm.get(again.at)["version"] - 1, ADD)
    assert "issue_token" not in {each["type"] for each in ruling["difference"]["commands"]}


def test_a_retaken_command_is_judged_by_who_sat_where_when_it_was_given(table: Table) -> None:
    did(table, ADD, ROLL)
    choices = [(table.ada, {"type": "choose", "number": 3}), (table.bo, {"type": "choose", "number": 1})]
    did(table, *choices)
    made(table.gm("DELETE", f"{table.at}/seats/bo"), 200)
    after = accepted(table, contested(table, 4, {"type": "add", "amount": 5}))
    assert after.gm.get(f"{after.at}/state")["state"]["counter"] == totals(after)["1/table#0"] + 5 + 3 + 1
    assert status(after, after.bo) == 401
    assert is_problem(after.send(after.bo, ADD), 401, "unauthenticated")


def test_a_closed_seat_reads_no_line_of_the_encounter(table: Table) -> None:
    did(table, ADD, ROLL)
    after = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    assert (status(table, table.ada), status(after, after.ada)) == (200, 200)
    made(after.gm("DELETE", f"{after.at}/seats/ada"), 200)
    for path in ("", "/state", "/commits", "/bundle", f"?line={table.id}"):
        assert table.ada("GET", table.at + path).status_code == 401
    assert status(table, table.bo) == 200


def test_TABLE_AMEND_5_refused_commands_contests_and_seats_do_not_outdate_a_proposal(table: Table) -> None:
    did(table, ROLL)
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    assert "n" in is_problem(table.send(table.ada, {"type": "end_round"}), 409, "command-refused")
    made(table.ada("POST", f"{table.at}/contests", {"commit": 4, "claim": "no"}))
    token = made(table.gm("POST", f"{table.at}/seats/bo/token", {}))["token"]
    assert table.gm.get(f"{table.at}/amendments/a1")["status"] == "ready"
    after = accepted(table, proposal)
    assert after.gm.get(f"{after.at}/state")["state"]["contests"]["c1"]["status"] == "open"
    assert (status(after, after.bo), status(after, after.gm.with_token(token))) == (401, 200)


def test_a_proposal_says_that_it_is_outdated_also_after_the_close(table: Table) -> None:
    did(table, ROLL)
    made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    made(table.gm("DELETE", table.at), 200)
    assert table.gm.get(f"{table.at}/amendments/a1")["status"] == "outdated"


def test_a_second_proposal_drops_the_first_on_the_record(table: Table) -> None:
    did(table, ROLL, ROLL)
    for commit in (4, 5):
        made(table.gm("POST", f"{table.at}/undo", {"to": commit - 1, "preview": True}))
    last = json.loads(table.ada.get(f"{table.at}/commits")["commits"][-1]["commit"])["events"]
    assert [(e["type"], e["amendment"]) for e in last] == [
        ("amendment_dropped", "a1"),
        ("amendment_proposed", "a2"),
    ]
    assert last[0]["why"] == "superseded"
    made(table.gm("DELETE", f"{table.at}/amendments/a2"), 200)
    state = table.ada.get(f"{table.at}/state")["state"]
    assert (state["amendments"], state["amendments_dropped"]) == (2, 2)


def test_a_redo_never_throws_away_what_was_played_since_the_undo(table: Table) -> None:
    did(table, ROLL, ADD)
    after = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    did(after, ADD)
    answer = after.gm("POST", f"{after.at}/redo", {"preview": True})
    assert is_problem(answer, 409, "command-refused")["code"] == "nothing_to_redo"
