"""Sentences about events: on request, for each seat what it may read, and nothing more."""

from __future__ import annotations

import json
from typing import Any

from tests.api.client import Api
from tests.api.test_gm_only import Table, answer_next, hidden
from tests.api.test_hidden_creatures import begun
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played


def texts(api: Api, at: str) -> list[list[str]]:
    page: dict[str, Any] = api.get(f"{at}/commits?text=en")
    return [each["text"] for each in page["commits"]]


def test_each_commit_is_said_in_sentences_on_request(owner: Api) -> None:
    table = begun(owner)
    table.do("zoe", type="dash", creature="pia", to=[0, -2])

    said = texts(owner, table.at)
    assert "Combat begins" in [line for lines in said for line in lines]
    assert "Pia begins to move" in said[-1], said[-1]
    assert "text" not in owner.get(f"{table.at}/commits")["commits"][0]
    answer = owner("GET", f"{table.at}/commits?text=en&limit=1")
    assert "&text=en" in answer.headers["Link"]
    assert owner("GET", f"{table.at}/commits?text=de").status_code == 422


def test_what_is_sealed_from_a_seat_is_not_said_to_it(owner: Api) -> None:
    table = Table(owner, hidden({}, ()))
    table.do("gm", type="begin_combat", unaware_side="enemies")
    table.do("gm", type="grant_priority")
    table.do("zoe", type="engage", creature="pia", target="orc")
    own = "(for its own seat: Pia chose agility)"
    while own not in texts(table.seats["zoe"], table.at)[-1]:
        assert answer_next(table, {"zoe": "agility", "yan": "might", "gm": "defensive"})

    for seat, api in table.seats.items():
        last = " ".join(texts(api, table.at)[-1])
        assert ("agility" in last) == (seat == "zoe"), (seat, last)
        assert "in secret" in last


def test_rise_is_said_in_its_own_sentences(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    fight.send("gm", "start_combat", start_phase="action")

    said = texts(owner, fight.at)[-1]
    assert "Combat begins with the action phase" in said
    assert not [line for line in said if "=" in line], said


def test_a_stream_says_what_a_page_says(owner: Api) -> None:
    table = begun(owner)
    stream = owner("GET", f"{table.at}/commits?text=en", Accept="text/event-stream")
    found = []
    for part in stream.iter_encoded():
        if b"event: commit" in part:
            found.append(json.loads(part.partition(b"data: ")[2])["text"])
        if b"event: heartbeat" in part:
            break
    stream.close()

    assert found == texts(owner, table.at)


def test_an_explanation_begins_with_a_sentence_that_answers(owner: Api) -> None:
    table = begun(owner)
    table.do("zoe", type="dash", creature="pia", to=[0, -2])
    version = owner.get(table.at)["version"]

    raw = owner("GET", f"{table.at}/commits/{version}/explanation")
    found = json.loads(raw.text)
    assert raw.text.startswith('{"answer":"')
    assert "Pia" in found["answer"]
    (rule,) = [each for each in found["rules"] if f"by the rule {each['id']}: " in found["answer"]]
    assert rule["statement"].rstrip(".") in found["answer"]
    assert found["answer"].endswith(".")
    assert all(set(each) == {"event", "rules", "rulings", "text"} for each in found["events"])
    table.seats["zoe"]("POST", f"{table.at}/commands", {"type": "dash", "creature": "pia", "to": [90, 90]})
    refused = owner.get(f"{table.at}/commits/{version + 1}/explanation")
    assert refused["answer"] == f"The rules refuse `dash`: {refused['refusal']['detail']}."


def test_an_explanation_of_revealed_stances_says_who_strikes_and_why(owner: Api) -> None:
    table = Table(owner, hidden({}, ()))
    table.do("gm", type="begin_combat", unaware_side="enemies")
    table.do("gm", type="grant_priority")
    table.do("zoe", type="engage", creature="pia", target="orc")
    revealed = None
    while revealed is None and answer_next(table, {"zoe": "might", "yan": "might", "gm": "cunning"}):
        events = owner.get(f"{table.at}/commits?text=en")["commits"][-1]
        revealed = events["n"] if any("are revealed" in line for line in events["text"]) else None
    found = owner.get(f"{table.at}/commits/{revealed}/explanation")

    assert (
        "chose cunning, which acts before might, but might beats it, so it does not strike" in found["answer"]
    )
    assert "Pia chose might, so it strikes in the might step" in found["answer"]


def test_every_explanation_of_a_round_of_rise_answers_and_states_its_rulings(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "o")
    for name in ("a", "o"):
        fight.do("pass_turn", name)
    version = owner.get(fight.at)["version"]
    found = [owner.get(f"{fight.at}/commits/{n}/explanation") for n in range(1, version + 1)]

    assert all(each["answer"].endswith(".") for each in found)
    assert all(ruling["text"] for each in found for event in each["events"] for ruling in event["rulings"])
    assert not any("consulted" in each or "chain" in each for each in found)


def test_the_outcome_of_a_command_is_said_on_request(owner: Api) -> None:
    table = begun(owner)
    dash = {"type": "dash", "creature": "pia", "to": [0, -2]}
    sent = table.seats["zoe"]("POST", f"{table.at}/commands?text=en", dash)
    outcome = json.loads(sent.text)

    assert "Pia begins to move" in outcome["text"]
    assert outcome["text"] == texts(table.seats["zoe"], table.at)[-1]
    again = owner.get(f"{table.at}/commands/{outcome['n']}?text=en")
    assert again["text"] == outcome["text"]
    assert "text" not in owner.get(f"{table.at}/commands/{outcome['n']}")


def test_names_of_the_rulebook_are_said_in_words_wherever_they_stand(owner: Api) -> None:
    table = Played(owner, entry("pc@heroes/pia", (0, 0)), entry("mon@orcs/gob", (5, 0)))
    table.send("gm", "start_combat", start_phase="action")
    table.send("gm", "no_more_swift", creature="gob")
    table.send("seat-heroes", "total_defense", creature="pia")
    table.send("seat-heroes", "end_turn", creature="pia")
    said = [line for lines in texts(owner, table.at) for line in lines]
    assert "Pia is affected by total defense" in said
