"""What a group did with Swift before others act is told to nobody: twin runs with every kind of group hiding.

Two services that differ in nothing but what a committing group did: groups of the GM, alone and beside
others, a group of players, and one of a player and the GM. Others read the same bytes, before and after
they attack.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.everything import answers, masked
from tests.api.test_secrecy import audit, served
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played
from tests.rules.rise.test_twins import MISTAKES, PATHS


def swift(id_: str, **effect: Any) -> dict[str, Any]:
    """Return a Swift ability for a minor action."""
    return {"id": id_, "tags": ["swift"], "usage": "minor", "range_ft": 60, "effects": [effect]}


GUARD: Final = swift("guard", does="gain", condition="guard", modifiers={"armor": 2}, until="round")
MEND: Final = swift("mend", does="heal_hp", amount=5)
WARD: Final = swift("ward", does="heal_dr", amount=4)
CLEANSE: Final = swift("cleanse", does="lose", condition="*")
HEX: Final = swift("hex", does="gain", condition="hex", modifiers={"accuracy": -1}, until="brief")
FOG: Final = swift("fog", does="gain", condition="concealed", until="brief")
OURS: Final = {**KIT, "hp": 9, "dr": 0, "dr_max": 4, "abilities": [GUARD, MEND, WARD, CLEANSE, HEX, FOG]}
PROBE: Final = {
    "id": "probe",
    "range_ft": 60,
    "strike": {"versus": ["mental"], "flat": 3, "accuracy": 30},
    "on_loss": [{"does": "gain", "condition": "marked", "until": "brief"}],
}
"""An attack that hits whatever a Swift ability adds, and does more to whom it costs hit points."""

Commit = tuple[str, dict[str, Any]]
"""Who commits, and to what."""


def to(who: str, ability: str, *targets: str) -> Commit:
    """Return that *who* commits to an ability."""
    return who, {"ability": ability, **({"targets": list(targets)} if targets else {})}


@dataclass(frozen=True)
class Hiding:
    """Who hides something: the two ways in which the twins differ, who may not read it, who does."""

    name: str
    choices: tuple[Commit, Commit]
    others: tuple[str, ...] = ("seat-heroes", "eve")
    reader: str = "gm"
    options: dict[str, Any] = field(default_factory=dict)
    wolves: str = ""
    """What the second wolf is that fights beside a player's first one; without it there are no wolves."""


LENIENT: Final = {"swift_mode": "lenient"}
HIDINGS: Final = (
    Hiding("kind", (to("o", "guard", "o"), to("o", "mend", "o"))),
    Hiding("target", (to("o", "guard", "o"), to("o", "guard", "p"))),
    Hiding("universal", (to("o", "total_defense"), to("o", "recover"))),
    Hiding("number", (to("o", "recover"), to("o", "ward", "p"))),
    Hiding("numbers", (to("o", "mend", "o"), to("o", "ward", "o"))),
    Hiding("cleansing", (to("o", "cleanse", "o"), to("o", "hex", "h"))),
    Hiding("foe", (to("o", "hex", "h"), to("o", "hex", "i"))),
    Hiding("fog", (to("o", "fog", "o"), to("o", "fog", "p"))),
    Hiding("shown defenses", (to("o", "guard", "o"), to("o", "mend", "p")), options={"visibility": "full"}),
    Hiding("kept back", (to("o", "guard", "o"), to("o", "ward", "o")), options={"visibility": "none"}),
    Hiding("beside another group of the gm", (to("b", "guard", "o"), to("b", "mend", "b"))),
    Hiding(
        "players",
        (to("w", "guard", "w"), to("w", "mend", "x")),
        others=("seat-heroes", "eve", "gm"),
        reader="seat-wolves",
        options=LENIENT,
        wolves="pc",
    ),
    Hiding(
        "a player and the gm",
        (to("x", "guard", "w"), to("x", "mend", "x")),
        reader="seat-wolves",
        options=LENIENT,
        wolves="mon",
    ),
    Hiding(
        "the gm beside two groups of players",
        (to("o", "guard", "o"), to("o", "ward", "p")),
        others=("seat-heroes", "eve", "seat-wolves"),
        options=LENIENT,
        wolves="pc",
    ),
)


class Run(Played):
    """A fight in which somebody hides what it does with Swift, then the heroes attack, if *strikes*."""

    def __init__(self, gm: Api, hiding: Hiding, choice: Commit, *, strikes: bool = True) -> None:
        heroes = {**KIT, "abilities": [PROBE]}
        entries = [
            entry("pc@heroes/h", (0, 0), **heroes),
            entry("pc@heroes/i", (1, 0), **heroes),
            entry("mon@orcs/o", (3, 0), **OURS),
            entry("mon@orcs/p", (4, 0), **OURS),
            entry("mon@bats/b", (0, 4), **OURS),
        ]
        if hiding.wolves:
            entries += [
                entry("pc@wolves/w", (0, 6), **OURS),
                entry(f"{hiding.wolves}@wolves/x", (1, 6), **OURS),
            ]
        options = {"exertion_prompt": "never", **hiding.options}
        super().__init__(gm, *entries, declared_sides=[], options=options)
        self.send("gm", "open_seat", seat="eve", role="observer", creatures=[])
        token = json.loads(gm("POST", f"{self.at}/seats/eve/token", {}).text)["token"]
        self.seats["eve"] = gm.with_token(token)
        self.send("gm", "start_combat", start_phase="action")
        self.do("commit_swift", choice[0], **choice[1])
        for name, seat in self.owner.items():
            asked = [o["prompt"] for o in self.seats[seat].get(f"{self.at}/options")["options"]]
            if any("no_more_swift" in a["accepts"] and a["creature"] == name for a in asked):
                self.do("no_more_swift", name)
        if strikes:
            self.do("use_ability", "h", ability="probe", targets=[choice[0]])
            self.do("end_turn", "h")
            self.do("use_ability", "i", ability="probe", targets=["o"])

    def state(self, seat: str) -> Any:
        """Return the state as *seat* reads it."""
        return self.seats[seat].get(f"{self.at}/state")["state"]

    def look(self, seat: str) -> list[str]:
        """Return every answer *seat* can get now."""
        return answers(self.seats[seat], self.at, PATHS, MISTAKES)


@dataclass(frozen=True)
class Twins:
    """What two runs tell each seat, and what an audit says of each."""

    hiding: Hiding
    told: tuple[dict[str, list[str]], dict[str, list[str]]]
    certificates: tuple[dict[str, Any], dict[str, Any]]


BEFORE: Final = ("kind", "players")
"""What is also compared before anybody attacks; later answers tell of earlier moments anyway."""
CASES: Final = [(h, s) for h in HIDINGS for s in (True, False) if s or h.name in BEFORE]


OFTEN: Final = ("kind", "target", "number")
"""What every run of the tests compares after an attack; the long checks compare all."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            (hiding, strikes),
            id=f"{hiding.name}-{'attacked' if strikes else 'before'}",
            marks=() if strikes and hiding.name in OFTEN else pytest.mark.overnight,
        )
        for hiding, strikes in CASES
    ],
)
def twins(request: pytest.FixtureRequest) -> Twins:
    hiding, strikes = request.param
    told, certificates = [], []
    for choice in hiding.choices:
        log = MemoryLog()
        with served(log) as api:
            run = Run(api, hiding, choice, strikes=strikes)
            told.append({seat: run.look(seat) for seat in run.seats})
            certificates.append(audit(log, run))
    return Twins(hiding, (told[0], told[1]), (certificates[0], certificates[1]))


def test_RI_INFO_1_hidden_swift_changes_nothing_that_others_receive(twins: Twins) -> None:
    """RI-SWIFT-7: not on whom, nor what, nor how much; also where one attacks."""
    for seat in twins.hiding.others:
        left, right = (masked(told[seat]) for told in twins.told)
        assert left == right, seat


def test_an_audit_tells_nothing_of_hidden_swift(twins: Twins) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins.certificates)
    assert left == right


def test_who_hides_it_reads_it(twins: Twins) -> None:
    """The comparisons would pass for nothing if the choice were nowhere."""
    left, right = (masked(told[twins.hiding.reader]) for told in twins.told)
    assert left != right


@pytest.mark.parametrize("commits", [0, 1, 2])
def test_there_is_one_envelope_for_each_committing_group_whatever_it_did(commits: int) -> None:
    """RI-SWIFT-7: also for one that did nothing."""
    with served(MemoryLog()) as api:
        run = Played(
            api,
            entry("pc@heroes/h", (0, 0)),
            entry("mon@orcs/o", (3, 0), **OURS),
            entry("mon@bats/b", (0, 4), **OURS),
        )
        run.send("gm", "start_combat", start_phase="action")
        for name in ("o", "b")[:commits]:
            run.do("commit_swift", name, ability="recover")
        run.do("no_more_swift", "o")
        run.do("no_more_swift", "b")
        seen = run.seats["seat-heroes"].get(f"{run.at}/state")["state"]
        assert seen["hidden_swift"] == {group: {"sealed": ["seat:gm"]} for group in ("bats", "orcs")}
        assert "hidden_swift" not in seen["worlds"]["heroes"]  # it is as around it
        assert not any(creature["conditions"] for creature in seen["creatures"].values())
