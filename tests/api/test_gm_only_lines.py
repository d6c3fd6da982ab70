"""What is GM-only stays so when play goes on from an earlier moment, in what-ifs, and until the end."""

from __future__ import annotations

import json
import re
from typing import Any

from service.log.memory import MemoryLog
from tests.api.test_gm_only import Table, attacked, hidden
from tests.api.test_secrecy import audit, served

HIDDEN = {"hp_max": 1234, "armor": "natural", "natural_armor": 777}


def all_of(table: Table, seat: str) -> str:
    """Return what *seat* is told of the table: state, commits, rolls and bundle."""
    who = table.seats[seat]
    return "".join(
        who("GET", table.at + path).text for path in ("/state", "/commits", "/rolls", "/bundle", "/options")
    )


def test_TABLE_LINE_1_undone_and_taken_again_it_stays_with_the_gm_and_its_dice_are_kept() -> None:
    log = MemoryLog()
    with served(log) as api:
        table = Table(api, hidden(HIDDEN, tuple(HIDDEN)))
        attacked(table)
        first = told_only_to_the_gm(table)
        undone = gone_on(table, "undo", commit=last(table))
        told_only_to_the_gm(undone)
        again = gone_on(undone, "redo", reason="it was right")
        assert dice_and_terms(told_only_to_the_gm(again)[-1]) == dice_and_terms(first[-1])
        # TABLE-LINE-1: an audit is of the whole fight, and dice that were taken back are not disclosed yet
        verdicts = [audit(log, each)["verdict"]["name"] for each in (undone, again)]
        assert verdicts == ["valid_unsigned_to_epoch"] * 2


def test_TABLE_LINE_2_a_what_if_keeps_it_too() -> None:
    log = MemoryLog()
    with served(log) as api:
        table = Table(api, hidden(HIDDEN, tuple(HIDDEN)))
        attacked(table)
        fork = json.loads(api("POST", f"{table.at}/forks", {"at": last(table) - 1, "commands": []}).text)
        what_if = line(table, fork["encounter"])
        seat = {"seat": "max", "role": "observer", "creatures": []}
        what_if.do("gm", type="open_seat", **seat)
        token = json.loads(api("POST", f"{what_if.at}/seats/max/token", {}).text)["token"]
        what_if.seats = {"gm": api, "zoe": api.with_token(token)}
        told_only_to_the_gm(what_if)


def test_TABLE_CLOSE_1_the_end_opens_it_and_the_audit_decides_all_of_it_again() -> None:
    log = MemoryLog()
    with served(log) as api:
        table = Table(api, hidden(HIDDEN, tuple(HIDDEN)))
        attacked(table)
        told_only_to_the_gm(table)
        table.do("gm", type="close")

        assert "1234" in all_of(table, "zoe")
        assert audit(log, table)["verdict"]["name"] == "valid_unsigned"


def told_only_to_the_gm(table: Table) -> list[dict[str, Any]]:
    """Hold that the gm alone is told the hidden numbers; return the rolls as the gm sees them."""
    gm, player = all_of(table, "gm"), all_of(table, "zoe")
    for number in map(str, (HIDDEN["hp_max"], HIDDEN["natural_armor"])):
        assert numbers(gm, number)
        assert not numbers(player, number)
    found: list[dict[str, Any]] = table.seats["gm"].get(f"{table.at}/rolls")["rolls"]
    return found


def dice_and_terms(roll: dict[str, Any]) -> tuple[Any, ...]:
    return roll["name"], roll["dice"], roll["terms"]


def numbers(text: str, number: str) -> list[str]:
    """Return the places where *number* stands by itself, in no hash and no token."""
    return re.findall(rf"(?<![\w-]){number}(?![\w-])", text)


def last(table: Table) -> int:
    found: int = table.seats["gm"].get(table.at)["version"]
    return found


def line(table: Table, encounter: str) -> Table:
    """Return another line of play, with the same clients, also after another one continues it."""
    other = object.__new__(Table)
    other.at = f"/v1/encounters/{encounter}"
    other.seats = {name: seat.in_line(encounter) for name, seat in table.seats.items()}
    return other


def gone_on(table: Table, how: str, **told: Any) -> Table:
    """Undo or redo at once, and return the line that goes on."""
    data = {"to": told.pop("commit") - 1} if "commit" in told else {}
    answer = table.seats["gm"]("POST", f"{table.at}/{how}", {**data, **told})
    assert answer.status_code == 200, answer.text
    proposal = json.loads(answer.text)
    assert proposal["status"] == "accepted"
    return line(table, proposal["line"])
