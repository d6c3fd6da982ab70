"""What the author of a ruleset imports, by the example of a duel."""

from __future__ import annotations

import inspect
from random import Random
from typing import Any

import pytest

from rewound_duel import DUEL
from service.record.commit import Commit
from service.rules import kit
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.rulebook import rules_in
from service.rules.ruleset import legal
from service.simulation.table import BadOpening, LocalTable

OPENING = {"edition": "duel@1", "fighters": ["ann", "bo"], "seats": [{"seat": "ann", "creatures": ["ann"]}]}


def opened(**changes: Any) -> LocalTable:
    return LocalTable({DUEL.edition: DUEL}, {**OPENING, **changes})


def test_a_duel_is_read_back_from_data_in_the_middle_of_a_round() -> None:
    table = opened()
    choose(table, "ann", "thrust")
    assert from_data(type(DUEL.blank), to_data(table.state), families=DUEL.families) == table.state


def choose(table: LocalTable, fighter: str, move: str) -> Commit:
    seat = table.state.controller(fighter)
    return table.send(seat, "choose", {"creature": fighter, "move": move})[0]


def types(commit: Commit) -> list[str]:
    return [event["type"] for event in commit.events if "type" in event]


def offers_of(state: Any) -> list[tuple[str, kit.Offer]]:
    return [
        (seat, offer) for seat in state.seats for _, offers in legal(DUEL, state, seat) for offer in offers
    ]


@pytest.mark.parametrize("name", kit.__all__)
def test_every_class_and_function_of_the_kit_is_documented(name: str) -> None:
    found = getattr(kit, name)
    assert not (inspect.isclass(found) or inspect.isfunction(found)) or inspect.getdoc(found)


def test_a_duel_by_the_kit_is_played_to_its_end_by_what_is_offered() -> None:
    table, random = opened(), Random(7)
    last: list[str] = []
    while offered := offers_of(table.state):
        seat, offer = random.choice(offered)
        chosen = {name: random.choice(values) for name, values in offer.choices.items()}
        commit, _ = table.send(seat, offer.type, {"creature": offer.creature, **offer.given, **chosen})
        assert commit.refusal is None, f"{offer} was offered"
        last = types(commit)
    assert table.state.is_over
    assert last[-1] == "duel_won"


def test_a_duel_reveals_both_moves_together() -> None:
    table = opened()
    first = choose(table, "ann", "cut")
    assert types(first) == [], "ann's move is an envelope"
    second = choose(table, "bo", "cut")
    revealed = next(event for event in second.events if event.get("type") == "moves_revealed")
    assert revealed["moves"] == {"ann": "cut", "bo": "cut"}
    assert types(second)[-2:] == ["epoch_closed", "round_started"], "equal moves strike nobody"


def test_a_duel_has_the_breath_of_its_option() -> None:
    assert opened().opened[0].events[0]["opening"]["options"] == {"breath": 10}
    table = opened(options={"breath": 6})
    assert getattr(table.state, "breath") == {"ann": 6, "bo": 6}  # noqa: B009 - the state of a duel


def test_TABLE_OPEN_1_an_opening_with_a_fault_is_refused() -> None:
    for changes in (
        {"options": {"breath": 7}},
        {"options": {"wind": 6}},
        {"fighters": ["ann", "ann"]},
        {"seats": [{"seat": "ann", "creatures": ["cid"]}]},
    ):
        with pytest.raises(BadOpening):
            opened(**changes)


def test_TABLE_OPEN_1_an_encounter_opens_once() -> None:
    table = opened()
    data = {key: value for key, value in table.opened[0].events[0].items() if key not in ("type", "because")}
    commit, _ = table.send("gm", "open", data)
    assert commit.refusal is not None
    assert (commit.refusal["code"], commit.refusal["rule"]) == ("already_open", "TABLE-OPEN-1")


@pytest.mark.parametrize(
    ("seat", "creature"),
    [("gm", "ann"), ("ann", "bo"), ("ann", "cid")],
    ids=["another's creature", "a creature of the gm's", "no creature"],
)
def test_TABLE_ANSWER_1_only_the_seat_that_is_asked_answers(seat: str, creature: str) -> None:
    table = opened()
    commit, _ = table.send(seat, "answer", {"creature": creature, "give_ground": True})
    assert commit.refusal is not None
    assert (commit.refusal["code"], commit.refusal["rule"]) == ("not_awaited", "TABLE-ANSWER-1")


def test_TABLE_ANSWER_1_an_answer_is_legal_while_it_is_awaited() -> None:
    table = opened()
    choose(table, "ann", "thrust")
    choose(table, "bo", "cut")
    answer, _ = table.send("gm", "answer", {"creature": "bo", "give_ground": True})
    assert answer.refusal is None


def test_each_rule_of_the_duel_has_a_statement() -> None:
    assert {id_ for id_ in rules_in(DUEL.packages) if id_.startswith("DUEL-")} == {
        f"DUEL-{number}" for number in range(1, 6)
    }


def test_two_messages_of_one_type_are_no_ruleset() -> None:
    listed = [kind for kind in DUEL.commands.values() if kind.type == "choose"] * 2
    with pytest.raises(AssertionError, match="choose is the name of two messages"):
        kit.ruleset("x@1", "X", state=type(DUEL.blank), opening=kit.Opening, messages=listed)
