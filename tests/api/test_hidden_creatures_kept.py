"""What hides stays sealed wherever a record goes: bundles, other lines of play, the end; in both books."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, cast

import pytest

from service.audit.bundle import read, write
from service.audit.evidence import stored
from service.audit.verify import verify
from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.conftest import BOTH
from tests.api.test_gm_only import Table
from tests.api.test_gm_only_lines import gone_on, last
from tests.api.test_secrecy import PLACES, SEATS, audit, served
from tests.rules.heartrush.kit import opening as heartrush
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise
from tests.support.javascript_verifier import OTHERWISE, Case, differences, judged

BOOKS: Final = ("heartrush@1", "rise@1")
SCREEN: Final = {"type": "roll_behind_screen", "dice": [20], "what": "who hears it"}
FOUND: Final = "waylayer"
"""Who is revealed."""
NEVER: Final = "prowler"
"""Who never is."""

HEROES: Final = ("zoe", "pia"), ("yan", "ash")


class Ambush(Table):
    """A fight before which two creatures were hidden, by one book or the other."""

    def __init__(self, api: Api, log: MemoryLog, edition: str, **options: object) -> None:
        self.log, self.edition = log, edition
        super().__init__(api, {"edition": edition, **self.opening(options)})
        self.do("gm", type="hide_creature", entry=self.entry(FOUND, [40, 40]))
        self.do("gm", type="hide_creature", entry=self.entry(NEVER, [-40, 40]))
        self.quiet = last(self)
        if edition == "rise@1":
            self.do("gm", type="start_combat", start_phase="movement")
        else:
            self.do("gm", type="begin_combat", unaware_side="enemies")
        self.do("gm", **SCREEN)
        self.do("gm", type="move_hidden_creature", hidden_creature=1, position=[44, 44])

    def opening(self, options: dict[str, object]) -> dict[str, Any]:
        if self.edition == "heartrush@1":
            return heartrush(PLACES, seats=SEATS, declared_sides=[], options=options)
        heroes = [entry(f"pc@{seat}/{name}", (i, 0)) for i, (seat, name) in enumerate(HEROES)]
        return rise(*heroes, entry("mon@orcs/o", (0, 9)), seats=SEATS, declared_sides=[], options=options)

    def entry(self, name: str, position: list[int]) -> dict[str, Any]:
        if self.edition == "heartrush@1":
            return {"stat_block": "goblin", "id": name, "side": "enemies", "position": position}
        return entry(f"mon@orcs/{name}", (position[0], position[1]))

    def reveal(self) -> None:
        self.do("gm", type="reveal_creature", hidden_creature=1)

    def wait(self) -> None:
        self.do("gm", **SCREEN)

    def close(self) -> None:
        self.do("gm", type="close")

    def known(self, seat: str = "zoe") -> dict[str, Any]:
        return cast("dict[str, Any]", self.seats[seat].get(f"{self.at}/state")["state"])

    def bundle(self, seat: str) -> bytes:
        return b"".join(write(stored(self.log, self.at.rpartition("/")[2]), seat))


@pytest.fixture(params=BOOKS)
def edition(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def table(edition: str) -> Iterator[Ambush]:
    log = MemoryLog()
    with served(log) as api:
        yield Ambush(api, log, edition)


def test_TABLE_HIDDEN_1_bundles_hold_it_closed_and_both_verifiers_accept_them(table: Ambush) -> None:
    """Before it is revealed, after that, and at the end."""
    cases = []
    for step, each in ((table.wait, ()), (table.reveal, (FOUND,)), (table.close, (FOUND, NEVER))):
        step()
        for seat in ("gm", "zoe", "eve"):
            raw = table.bundle(seat)
            assert verify(read(raw), BOTH).verdict.is_sound, f"{seat} at {last(table)}"
            for name in (FOUND, NEVER):
                assert (name.encode() in raw) is (seat == "gm" or name in each), f"{name} for {seat}"
            cases.append(Case(raw))
    assert differences(cases) == []
    assert set(judged(cases)) == {OTHERWISE}
    assert audit(table.log, table)["verdict"]["name"] == "valid_unsigned"


def test_TABLE_HIDDEN_1_what_the_end_does_not_open_stays_closed_and_no_fork_is_made_of_it(
    edition: str,
) -> None:
    log = MemoryLog()
    with served(log) as api:
        table = Ambush(api, log, edition, open_at_close="dice")
        table.close()
        assert table.known()["hidden_creatures"] == {n: {"sealed": ["seat:gm"]} for n in ("1", "2")}
        assert NEVER not in table.bundle("zoe").decode()
        answer = table.seats["zoe"]("POST", f"{table.at}/forks", {"at": last(table) - 1})
        assert (answer.status_code, json.loads(answer.text)["code"]) == (409, "sealed_here")
        raw = table.bundle("zoe")
    assert verify(read(raw), BOTH).verdict.is_sound
    assert differences([Case(raw)]) == []


def test_TABLE_LINE_1_an_undo_across_hiding_and_revealing_hides_again(table: Ambush) -> None:
    table.reveal()
    undone = gone_on(table, "undo", commit=last(table))
    assert Ambush.known(cast("Ambush", undone))["hidden_creatures"] == {
        n: {"sealed": ["seat:gm"]} for n in ("1", "2")
    }
    assert FOUND not in json.dumps(Ambush.known(cast("Ambush", undone)))
    undone.do("gm", type="move_hidden_creature", hidden_creature=1, position=[50, 50])
    undone.do("gm", type="reveal_creature", hidden_creature=1)
    again = gone_on(undone, "undo", commit=last(undone) - 1)
    state = Ambush.known(cast("Ambush", again), "gm")
    assert state["hidden_creatures"]["1"]["position"] == [44, 44]
    again.do("gm", type="close")
    assert audit(table.log, again)["verdict"]["name"] == "valid_unsigned"


def test_TABLE_LINE_1_an_undone_hiding_leaves_nothing(table: Ambush) -> None:
    table.do("gm", type="hide_creature", entry=table.entry("third", [60, 60]))
    undone = gone_on(table, "undo", commit=last(table))
    state = Ambush.known(cast("Ambush", undone), "gm")
    assert sorted(state["hidden_creatures"]) == ["1", "2"]
    undone.do("gm", type="hide_creature", entry=table.entry("third", [60, 60]))
    assert sorted(Ambush.known(cast("Ambush", undone))["hidden_creatures"]) == ["1", "2", "3"]


def test_TABLE_HIDDEN_1_the_gm_is_told_of_all_and_its_forks_keep_it_sealed(table: Ambush) -> None:
    """From before the fight began: later something of the players' may be sealed from the gm, in Rise."""
    gm = table.seats["gm"]
    answer = json.loads(gm("POST", f"{table.at}/forks", {"at": table.quiet, "commands": []}).text)
    fork = f"/v1/encounters/{answer['encounter']}"
    assert gm.get(f"{fork}/state")["state"]["hidden_creatures"]["2"]["sheet"]["id"] == NEVER
    assert NEVER not in json.dumps([each["commit"] for each in gm.get(f"{fork}/commits?limit=5")["commits"]])
