"""Contests and proposals: who makes and answers them, and when they are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from service.rules.contests.acceptance import AcceptLine
from service.rules.contests.amendments import Continued, noted
from service.rules.contests.continuing import BeginLine, SealedValues
from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor, Private
from service.rules.kernel.records import Sealed, changed
from service.rules.rolls.chance import Chance
from service.rules.rolls.closing import EpochEnded, close_epoch
from service.rules.ruleset import Decision, decide
from service.rules.table.disputes import Contest
from service.rules.table.lines import FORK, Line, Origin
from tests.rules.heartrush.kit import ENCOUNTER, Fight, NoDice, begun, opened
from tests.rules.heartrush.sides import emitted

LONG = "x" * 1000
HEAD = {"n": 4, "hash": "ab" * 32}
SERVICE: Mapping[str, Any] = {kind.type: kind for kind in (BeginLine, AcceptLine)}
OTHER = "00112233-4455-6677-8899-aabbccddee00"


def refusal_of(fight: Fight, by: str, type_: str, data: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return the code and the rule of a refusal."""
    found = fight.send(type_, by, **data).refusal
    assert found is not None, f"{type_} was accepted"
    return found.code, found.rule


def contested(seat: str = "zoe", **data: Any) -> Fight:
    """Return a fight with one open contest, `c1`."""
    fight = begun({"pia": (0, 0), "orc": (10, 0)})
    assert fight.send("contest", seat, commit=2, claim="the orc was asleep", **data).refusal is None
    return fight


def ruling(**changes: Any) -> dict[str, Any]:
    return {"contest": "c1", "decision": "it slept", "instead": [], **changes}


def accepting(amendment: str = "a1", **changes: Any) -> dict[str, Any]:
    return {"amendment": amendment, "version": 5, "encounter": OTHER, "head": HEAD, **changes}


# --- contests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["x", LONG])
def test_TABLE_CONTEST_1_a_claim_has_1_to_1000_characters(claim: str) -> None:
    fight = opened({"pia": (0, 0)})
    for wrong in ("",):
        assert refusal_of(fight, "zoe", "contest", {"commit": 1, "claim": wrong}) == (
            "params_missing",
            "TABLE-CONTEST-1",
        )
    assert fight.send("contest", "zoe", commit=1, claim=claim).refusal is None
    assert fight.state.contests["c1"].claim == claim


def test_TABLE_CONTEST_1_a_seat_has_20_contests_open_and_others_have_theirs() -> None:
    fight = opened({"pia": (0, 0)})
    for n in range(1, 21):
        assert fight.send("contest", "zoe", commit=n, claim="no").refusal is None
    assert refusal_of(fight, "zoe", "contest", {"commit": 21, "claim": "no"}) == (
        "too_many_contests",
        "TABLE-CONTEST-1",
    )
    assert fight.send("contest", "gm", commit=21, claim="no").refusal is None
    fight.do("uphold", contest="c7", decision="as it was")
    assert fight.send("contest", "zoe", commit=22, claim="no").refusal is None
    assert (fight.state.contests["c22"].seat, fight.state.contests["c22"].commit) == ("zoe", 22)
    assert refusal_of(fight, "zoe", "contest", {"commit": 23, "claim": "no"})[0] == "too_many_contests"


def test_TABLE_CONTEST_1_a_contest_names_a_commit_an_event_or_a_roll() -> None:
    fight = contested(event=3, roll="1/0/pia#0")
    assert fight.state.contests == {
        "c1": Contest(
            seat="zoe",
            line=ENCOUNTER,
            commit=2,
            event=3,
            roll="1/0/pia#0",
            claim="the orc was asleep",
        )
    }
    assert fight.events[-1].because == ("TABLE-CONTEST-1",)


@pytest.mark.parametrize(
    ("by", "changes", "code"),
    [
        ("zoe", {}, "not_gm"),
        ("gm", {"contest": "c2"}, "no_such_contest"),
        ("gm", {"decision": ""}, "params_missing"),
        ("gm", {"decision": LONG + "x"}, "params_missing"),
    ],
)
def test_TABLE_CONTEST_2_and_TABLE_AMEND_1_answers_that_are_refused(
    by: str, changes: dict[str, Any], code: str
) -> None:
    fight = contested()
    uphold = {"contest": "c1", "decision": "it woke", **changes}
    assert refusal_of(fight, by, "uphold", uphold) == (code, "TABLE-CONTEST-2")
    rule = "TABLE-CONTEST-2" if code == "no_such_contest" else "TABLE-AMEND-1"
    assert refusal_of(fight, by, "amend", ruling(**changes)) == (code, rule)


@pytest.mark.parametrize(("decision", "reason"), [("x", ""), (LONG, LONG)])
def test_TABLE_CONTEST_2_the_gm_upholds_once_and_gives_a_reason(decision: str, reason: str) -> None:
    fight = contested().do("uphold", contest="c1", decision=decision, reason=reason)
    found = fight.state.contests["c1"]
    assert (found.status, found.decision, found.reason) == ("upheld", decision, reason)
    assert fight.events[-1].because == ("TABLE-CONTEST-2",)
    answered = ("contest_answered", "TABLE-CONTEST-2")
    assert refusal_of(fight, "gm", "uphold", {"contest": "c1", "decision": "again"}) == answered
    assert refusal_of(fight, "gm", "amend", ruling()) == answered


# --- proposals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decision", "reason", "more"), [("x", "", 0), (LONG, LONG, 20)])
def test_TABLE_AMEND_1_a_proposal_and_its_sealed_commands(decision: str, reason: str, more: int) -> None:
    fight = contested()
    instead = [{"type": "dash", "data": {"creature": "pia", "to": [1, 1]}}] * more
    fight.do("amend", **ruling(decision=decision, reason=reason, instead=instead))
    found = fight.state.amendment
    assert found is not None
    assert (found.id, found.kind, found.commit, found.contest) == ("a1", "as_ruled", 2, "c1")
    assert (found.decision, found.reason, found.outdated) == (decision, reason, False)
    assert found.epoch == fight.state.epoch + 1 == fight.state.last_exposed_epoch
    assert isinstance(found.instead, Sealed)
    assert (found.instead.audience, found.instead.opens) == (("seat:gm",), "amendment/a1")
    assert [each.type for each in found.instead.value or ()] == ["dash"] * more
    assert fight.events[-1].because == fight.events[-2].because == ("TABLE-AMEND-1",)


def test_TABLE_AMEND_1_at_most_20_commands_replace_the_contested_one() -> None:
    fight = contested()
    instead = [{"type": "pass", "data": {}}] * 21
    assert refusal_of(fight, "gm", "amend", ruling(instead=instead)) == ("params_missing", "TABLE-AMEND-1")


def test_TABLE_AMEND_1_a_contest_of_another_line_is_not_amended_here() -> None:
    fight = contested()
    fight.with_table(contests={"c1": changed(fight.state.contests["c1"], line=OTHER)})
    assert refusal_of(fight, "gm", "amend", ruling()) == ("other_line", "TABLE-AMEND-1")


@pytest.mark.parametrize(
    ("by", "type_", "data", "code"),
    [
        ("zoe", "undo", {"commit": 2}, "not_gm"),
        ("gm", "undo", {"commit": 1}, "opening_stands"),
        ("zoe", "redo", {}, "not_gm"),
        ("gm", "redo", {}, "nothing_to_redo"),
    ],
)
def test_TABLE_AMEND_2_undo_and_redo_refuse(by: str, type_: str, data: dict[str, Any], code: str) -> None:
    fight = contested()
    found, rule = refusal_of(fight, by, type_, data)
    assert found == code
    assert rule == "TABLE-AMEND-2" or code in ("not_gm", "params_missing")


def test_TABLE_AMEND_2_the_first_commit_after_the_opening_is_undone_for_a_reason() -> None:
    fight = contested().do("undo", commit=2, reason=LONG)
    found = fight.state.amendment
    assert found is not None
    assert (found.kind, found.commit, found.reason, found.contest) == ("undo", 2, LONG, None)
    assert fight.events[-1].because == ("TABLE-AMEND-2",)


def test_TABLE_AMEND_3_a_later_proposal_takes_the_place_of_the_first_with_other_dice() -> None:
    fight = contested().do("undo", commit=2).do("undo", commit=3)
    assert [(event.amendment, event.why) for event in fight.logged("amendment_dropped")] == [
        ("a1", "superseded")
    ]
    first, second = fight.logged("amendment_proposed")
    assert (first.amendment, second.amendment, second.epoch) == ("a1", "a2", first.epoch + 1)
    assert fight.state.amendments_dropped == 1


@pytest.mark.parametrize(
    ("by", "amendment", "code", "rule"),
    [
        ("zoe", "a1", "not_gm", "TABLE-AMEND-3"),
        ("gm", "a2", "no_such_amendment", "TABLE-AMEND-3"),
        ("gm", "c1", "no_such_amendment", "TABLE-AMEND-3"),
    ],
)
def test_TABLE_AMEND_3_only_the_gm_accepts_or_drops_and_what_is_proposed(
    by: str, amendment: str, code: str, rule: str
) -> None:
    fight = contested().do("undo", commit=2)
    assert refusal_of(fight, by, "accept_amendment", accepting(amendment)) == (code, rule)
    assert refusal_of(fight, by, "drop_amendment", {"amendment": amendment})[0] == code


def test_TABLE_AMEND_3_nothing_is_accepted_where_nothing_is_proposed() -> None:
    fight = contested().do("undo", commit=2).do("drop_amendment", amendment="a1")
    gone = ("no_such_amendment", "TABLE-AMEND-3")
    assert fight.state.amendment is None
    assert refusal_of(fight, "gm", "accept_amendment", accepting()) == gone
    assert refusal_of(fight, "gm", "drop_amendment", {"amendment": "a1"}) == gone


@pytest.mark.parametrize(("is_open", "occasion"), [(False, None), (True, "amendment/a1")])
def test_TABLE_AMEND_3_what_is_accepted_ends_this_line_and_answers_the_contest(
    *, is_open: bool, occasion: str | None
) -> None:
    fight = contested().do("amend", **ruling(reason="I forgot"))
    fight.do("accept_amendment", **accepting(is_open=is_open))
    closed, continued = fight.events[-2:]
    assert closed.type == "contest_closed"
    assert isinstance(continued, Continued)
    assert (continued.encounter, continued.head.n, continued.amendment) == (OTHER, 4, "a1")
    assert (continued.occasion, continued.because) == (occasion, ("TABLE-AMEND-3",))
    answer = fight.state.contests["c1"]
    assert (answer.status, answer.decision, answer.reason) == ("as_ruled", "it slept", "I forgot")
    assert (fight.state.continued, fight.state.closed, fight.state.amendment) == (OTHER, True, None)
    assert refusal_of(fight, "zoe", "pass", {"creature": "pia"}) == ("encounter_continued", "TABLE-AMEND-3")


def test_TABLE_AMEND_3_an_undo_answers_no_contest() -> None:
    fight = contested().do("undo", commit=2).do("accept_amendment", **accepting())
    assert fight.state.contests["c1"].status == "open"
    assert fight.events[-1].type == "continued"


def test_TABLE_AMEND_5_play_outdates_the_proposal_that_was_pending_and_nothing_else_does() -> None:
    before = contested().do("undo", commit=2).state
    later = changed(before, clock_s=6)
    assert noted(before, later, plays=False) == later
    found = noted(before, later, plays=True)
    assert found.amendment == changed(before.amendment, outdated=True)
    assert found.clock_s == 6
    nothing = changed(before, amendment=None)
    assert noted(before, nothing, plays=True) == nothing
    assert noted(nothing, before, plays=True) == before
    other = changed(before, amendment=changed(before.amendment, id="a2"))
    assert noted(before, other, plays=True) == other


def test_TABLE_AMEND_3_an_outdated_proposal_is_not_accepted_but_dropped() -> None:
    fight = contested().do("undo", commit=2)
    fight.with_table(amendment=changed(fight.state.amendment, outdated=True))
    assert refusal_of(fight, "gm", "accept_amendment", accepting()) == ("amendment_outdated", "TABLE-AMEND-3")
    fight.do("drop_amendment", amendment="a1")
    assert (fight.state.amendment, fight.state.amendments_dropped) == (None, 1)


# --- lines -----------------------------------------------------------------------------------------------


def decided(state: State, type_: str, role: str, /, **data: Any) -> Decision[State]:
    """Decide a command that no seat sends."""
    by = Actor(seat=role, role=cast("Any", role))
    command = from_data(SERVICE[type_], data, families=HEARTRUSH.families, by=by)
    return decide(state, command, Chance(NoDice()))


@pytest.mark.parametrize(
    ("role", "is_draft", "code"),
    [("gm", True, "not_gm"), ("clock", False, "already_open"), ("clock", True, None)],
)
def test_TABLE_AMEND_4_the_service_alone_accepts_a_proposed_line(
    role: str, *, is_draft: bool, code: str | None
) -> None:
    state = changed(contested().state, draft=is_draft)
    found = decided(state, "accept_line", role, parent=OTHER, seats={}, contests={}).refusal
    assert (found and (found.code, found.rule)) == (code and (code, "TABLE-AMEND-4"))


def test_TABLE_EPOCH_4_a_proposed_line_ends_an_epoch_without_its_link() -> None:
    line = Line(new_epochs=(5, 7))
    places = {"7/0/pia": 2, "7/0/table": 1, "5/0/pia": 9}
    state = changed(contested().state, draft=True, line=line, rolls_in_other_epochs=places)
    (event,) = emitted(close_epoch(state, Chance(NoDice())), state)
    assert isinstance(event, EpochEnded)
    assert (event.epoch, dict(event.before)) == (1, {"0/pia": 2, "0/table": 1})
    assert event.because == ("TABLE-EPOCH-4",)


def beginning(kind: str = "as_ruled", **changes: Any) -> dict[str, Any]:
    """Return what begins a line with the state of a fight."""
    state = contested().state
    origin = Origin(parent=ENCOUNTER, n=3, hash="ab" * 32, upto=5, kind=kind)
    own = {"encounter": OTHER, "origin": to_data(origin)}
    return {
        "encounter": OTHER,
        "edition": "heartrush@1",
        "digest": "00" * 32,
        "dice": to_data(state.dice),
        "origin": to_data(origin),
        "state": to_data(changed(state, origin=origin, encounter=OTHER)) if kind == FORK else own,
        "plan": [4, 0],
        "orders": {"/creatures": list(state.creatures)},
        **changes,
    }


@pytest.mark.parametrize(
    ("kind", "type_", "rule"),
    [
        ("as_ruled", "line_begun", "TABLE-LINE-1"),
        ("undo", "line_begun", "TABLE-LINE-1"),
        ("fork", "forked", "TABLE-LINE-2"),
    ],
)
def test_TABLE_LINE_1_and_TABLE_LINE_2_a_line_begins_with_the_state_and_what_was_disclosed(
    kind: str, type_: str, rule: str
) -> None:
    links = [{"lane": 0, "epoch": 1, "link": "cd" * 32}]
    data = beginning(kind, occasions=["roll/1"], links=links)
    before = HEARTRUSH.blank if kind == FORK else contested().state
    found = decided(before, "begin_line", "clock", **data)
    assert found.refusal is None
    begun_, occasion, link = (cast("Any", fact) for fact in found.facts)
    assert (begun_.type, begun_.because) == (type_, (rule,))
    assert begun_.encounter == OTHER
    assert kind == FORK or begun_.plan == (4, 0)
    assert (occasion.occasion, occasion.because) == ("roll/1", ("TABLE-LINE-1",))
    assert (link.lane, link.epoch, link.link, link.because) == (0, 1, "cd" * 32, ("TABLE-LINE-1",))
    assert list(found.state.creatures) == ["pia", "orc"]
    assert found.state.encounter == OTHER


def test_TABLE_LINE_1_what_was_sealed_stays_sealed_for_the_same_audience() -> None:
    kept = SealedValues(audience=("seat:gm",), opens="sheet/orc", values={"/amendment/instead": ()})
    by = Actor(seat="clock", role=cast("Any", "clock"))
    data = beginning()
    command = from_data(BeginLine, data, families=HEARTRUSH.families, by=by)
    found = decide(contested().state, cast("Any", command).completed(lambda _: (kept,)), Chance(NoDice()))
    _, sealed = found.facts
    assert isinstance(sealed, Private)
    assert (sealed.scope.audience, sealed.scope.opens) == (("seat:gm",), "sheet/orc")
    assert cast("Any", sealed.event).because == ("TABLE-LINE-1",)
    assert dict(cast("Any", sealed.event).values) == {"/amendment/instead": ()}


@pytest.mark.parametrize(("kind", "code"), [("as_ruled", "other_line"), (FORK, "already_open")])
def test_TABLE_LINE_1_a_line_continues_a_record_and_a_fork_begins_one(kind: str, code: str) -> None:
    state = contested().state if kind == FORK else HEARTRUSH.blank
    found = decided(state, "begin_line", "clock", **beginning(kind)).refusal
    assert found is not None
    assert (found.code, found.rule) == (code, "TABLE-LINE-1")
