"""What creatures dealt, took and did is counted from the events of a record, as each book names them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.core.creature_statistics import Tally, tallies, whole
from service.rules.heartrush import HEARTRUSH
from service.rules.rise import RISE

GOLDEN = Path(__file__).parents[1] / "audit" / "golden"


def events_of(name: str) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the round and the open events of each commit of a golden bundle."""
    number = 0
    for line in (GOLDEN / name).read_text("utf-8").splitlines():
        data = json.loads(line)
        if data["kind"] == "opened":
            yield number, json.loads(data["payload"])["events"]
        if data["kind"] == "commit":
            events = [each for each in json.loads(data["bytes"])["events"] if "sealed" not in each]
            number += sum(each["type"] == "round_started" for each in events)
            yield number, events


@pytest.mark.parametrize(
    ("name", "ruleset", "took"),
    [
        ("heartrush-priority.jsonl", HEARTRUSH, "damage_applied"),
        ("rise.jsonl", RISE, "damage_taken"),
    ],
)
def test_all_damage_of_a_record_is_counted_of_who_took_it(name: str, ruleset: Any, took: str) -> None:
    played = list(events_of(name))
    hurt = [each for _, events in played for each in events if each["type"] == took]
    assert hurt
    found = {who: whole(rounds) for who, rounds in tallies(ruleset.counted, played).items()}
    for who in {each["creature"] for each in hurt}:
        assert found[who].taken == sum(each["amount"] for each in hurt if each["creature"] == who)
    sources = {each["source"] for each in hurt if "source" in each}
    for who in sources:
        assert found[who].dealt == sum(each["amount"] for each in hurt if each["source"] == who)


def test_damage_of_heart_rush_is_dealt_by_the_source_that_was_named_before_it() -> None:
    pending = {"type": "damage_pending", "creature": "orc", "damage": "r1/e1", "source": "pia", "amount": 12}
    applied = {"type": "damage_applied", "creature": "orc", "damage": "r1/e1", "amount": 6, "hp": 29}
    used = {"type": "ability_used", "creature": "pia", "ability": "engage"}
    fall = pending | {"damage": "r2/fall", "source": None, "creature": "pia"}
    fell = applied | {"damage": "r2/fall", "creature": "pia", "amount": 3}
    found = tallies(HEARTRUSH.counted, [(1, [used, pending]), (1, [applied]), (2, [fall, fell])])
    assert found["pia"] == {1: Tally(dealt=6, acts=1), 2: Tally(taken=3)}
    assert found["orc"] == {1: Tally(taken=6)}
    assert found.keys() == {"pia", "orc"}
