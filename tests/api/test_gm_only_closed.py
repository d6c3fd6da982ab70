"""Where the end opens the dice alone, what is GM-only stays with the GM; an audit says what is closed.

Each table ends after an undo, in a line that goes on; the one before it says the same.
"""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from service.audit.bundle import read
from service.audit.report import Report
from service.audit.verify import verify
from service.log.memory import MemoryLog
from tests.api.conftest import BOTH
from tests.api.test_gm_only import Table, attacked, hidden
from tests.api.test_gm_only_lines import gone_on, last, line, numbers
from tests.api.test_secrecy import audit, served
from tests.rules.rise.creatures.test_gm_only import Run

HIDDEN: Final = {"hp_max": 1234, "armor": "natural", "natural_armor": 777, "speed": 113}
NUMBERS: Final = ("1234", "777", "113")


def told(table: Any, seat: str) -> str:
    """Return what *seat* is told of a table once it is over."""
    diff = f"/diff?start=1&end={last(table)}&events=true"
    paths = (diff, "/state", "/commits", "/rolls", "/bundle", "/rounds/1/replay?events=true")
    each = [f"/commits/{n}/explanation?consulted=true" for n in range(1, last(table) + 1)]
    return "".join(table.seats[seat]("GET", table.at + path).text for path in (*paths, *each))


def judged(table: Any, seat: str) -> Report:
    """Return what a stranger finds in the bundle of *seat*, with nothing else in hand."""
    return verify(read(table.seats[seat]("GET", f"{table.at}/bundle").data), BOTH)


def test_TABLE_CLOSE_1_the_end_that_opens_the_dice_leaves_it_with_the_gm() -> None:
    log = MemoryLog()
    with served(log) as api:
        data = hidden(HIDDEN, tuple(HIDDEN))
        played = Table(api, {**data, "options": {"open_at_close": "dice"}})
        attacked(played)
        played.do("gm", type="roll_behind_screen", dice=[20], what="what it hears")
        table = gone_on(played, "undo", commit=last(played))
        table.do("gm", type="close")

        for number in NUMBERS:
            assert numbers(told(table, "gm"), number)
            assert not numbers(told(table, "zoe"), number)
            assert not numbers(told(played, "zoe"), number)
        certificate = audit(log, table)
        gms, players = judged(table, "gm"), judged(table, "zoe")

    assert certificate["verdict"]["name"] == gms.verdict.name == "valid_unsigned"
    assert players.verdict.name == "valid_unsigned_as_opened"
    assert 0 <= players.counts.envelopes_opened < gms.counts.envelopes_opened == gms.counts.envelopes
    assert players.counts.envelopes == gms.counts.envelopes
    assert players.counts.requests_withheld > gms.counts.requests_withheld == 0
    assert certificate["counts"]["envelopes"] == gms.counts.envelopes


def test_TABLE_LINE_2_nobody_but_the_gm_asks_what_if_of_what_stays_closed() -> None:
    with served() as api:
        table = Table(api, {**hidden(HIDDEN, tuple(HIDDEN)), "options": {"open_at_close": "dice"}})
        attacked(table)
        table.do("gm", type="close")
        asked = {"at": last(table) - 1, "commands": []}
        answers = {seat: who("POST", f"{table.at}/forks", asked) for seat, who in table.seats.items()}
        fork = line(table, json.loads(answers["gm"].text)["encounter"])
        state = fork.seats["gm"].get(f"{fork.at}/state")["state"]

    assert [answers[seat].status_code for seat in ("gm", "zoe", "yan")] == [201, 409, 409]
    assert json.loads(answers["zoe"].text)["code"] == "sealed_here"
    assert state["creatures"]["orc"]["sheet"]["speed"] == HIDDEN["speed"]


@pytest.mark.parametrize("gm_blind", [True, False])
def test_TABLE_CLOSE_1_no_group_of_players_learns_it_whoever_plays_against_whom(gm_blind: bool) -> None:  # noqa: FBT001 - a value of the house's option
    values = {"hp_max": 1234, "dr_max": 777, "speeds": {"land": 113}}
    log = MemoryLog()
    with served(log) as api:
        played: Any = Run(api, values, gm_blind=gm_blind, open_at_close="dice")
        table = gone_on(played, "undo", commit=last(played))
        table.seats["gm"]("POST", f"{table.at}/commands", {"type": "close"})

        for number in NUMBERS:
            assert numbers(told(table, "gm"), number)
            for seat in ("seat-heroes", "seat-wolves"):
                assert not numbers(told(table, seat), number)
                assert not numbers(told(played, seat), number)
        verdicts = [judged(table, seat).verdict.name for seat in ("gm", "seat-heroes", "seat-wolves")]

    # what the players did in secret from a blind gm stays closed to its seat, too
    assert verdicts == [
        "valid_unsigned_as_opened" if gm_blind else "valid_unsigned",
        "valid_unsigned_as_opened",
        "valid_unsigned_as_opened",
    ]
