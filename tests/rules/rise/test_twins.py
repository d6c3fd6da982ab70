"""Until the announcement no other seat learns what a group declares: twin runs that differ in nothing else.

Two services with the same ids, clock, nonces and seeds, in which the heroes plan, commit, strike or err
differently. Every answer to every other seat has the same bytes, once commitments and the hashes that follow
from them are replaced by the order in which they first appear.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from service.log.memory import MemoryLog
from tests.api.client import Api
from tests.api.everything import answers, masked
from tests.api.test_secrecy import audit, served
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry
from tests.rules.rise.test_http import Played

pytestmark = pytest.mark.slow

PATHS: Final = (
    *("", "/state", "/state?round=0", "/state?min_version=1", "/state?at=99"),
    *("/options?text=en", "/options?creature=h", "/options?creature=o"),
    *("/commits", "/commits?round=1", "/commands?key=nobody", "/rounds", "/rounds/1", "/rounds/1/replay"),
    *("/rolls", "/rolls?creature=h", "/seats", "/seats/seat-heroes", "/audits", "/nothing"),
)
MISTAKES: Final[tuple[dict[str, Any], ...]] = (
    {"type": "plan_movement", "creature": "h", "path": [[0, 1]]},
    {"type": "strike", "creature": "h", "target": "o"},
    {"type": "strike", "creature": "nobody", "target": "h"},
    {"type": "consent_sprint", "creature": "h", "accept": True},
    {"type": "throw_dice", "prompt": "r1/action/heroes/h/dice", "faces": [1]},
)
TOO_MUCH: Final = tuple(
    [{**each, "creature": creature} for each in turn]
    for creature, cell in (("w", [0, 4]), ("o", [4, 0]))
    for turn in (
        ({"type": "move", "path": [cell]}, {"type": "end_turn"}, {"type": "begin_turn"}),
        (
            {"type": "move", "ability": "follow", "targets": ["h"]},
            {"type": "end_turn"},
            {"type": "begin_turn"},
        ),
        ({"type": "plan_movement", "path": [cell]}, {"type": "move", "path": [cell]}),
        ({"type": "strike", "target": "h", "weapon": "bow"}, {"type": "end_turn"}, {"type": "end_turn"}),
    )
)
"""Turns as arrays that cannot be legal to their ends: each command is checked on what those before it do."""
BURST: Final = {
    "id": "burst",
    "area": {"shape": "sphere", "size_ft": 5, "range_ft": 60},
    "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
}
OTHERS: Final = ("gm", "seat-wolves", "eve")


class Run(Played):
    """A fight of players against players and the gm, up to the moment when the heroes hid something."""

    def __init__(self, gm: Api, secret: Secret, choice: Any, **options: Any) -> None:
        entries = [
            entry("pc@heroes/h", (0, 0), hp=9, **{**KIT, "abilities": [*KIT["abilities"], BURST]}),
            entry("pc@heroes/i", (1, 0), **KIT),
            entry("mon@orcs/o", (3, 0), **KIT),
            entry("pc@wolves/w", (0, 3), **KIT),
        ]
        options = {"exertion_prompt": "never", **options}
        super().__init__(gm, *entries, declared_sides=[], options=options)
        eve = {"seat": "eve", "role": "observer", "creatures": []}
        self.send("gm", "open_seat", **eve)
        token = json.loads(gm("POST", f"{self.at}/seats/eve/token", {}).text)["token"]
        self.seats["eve"] = gm.with_token(token)
        self.send("gm", "start_combat", start_phase=secret.phase)
        if secret.phase == "action" and secret.resolves:
            self.commit_nothing()
        secret.hide(self, choice)

    def commit_nothing(self) -> None:
        """Let every group say that it commits to no Swift ability."""
        for name, seat in self.owner.items():
            asked = self.seats[seat].get(f"{self.at}/options")["options"]
            if any(
                "no_more_swift" in o["prompt"]["accepts"] and o["prompt"]["creature"] == name for o in asked
            ):
                self.do("no_more_swift", name)

    def look(self, seat: str) -> list[str]:
        """Return every answer *seat* can get now."""
        return answers(self.seats[seat], self.at, PATHS, (*MISTAKES, *TOO_MUCH))


@dataclass(frozen=True)
class Secret:
    """Something that the heroes hide: the two ways in which the twins differ, and how it comes to that."""

    name: str
    phase: str
    choices: tuple[Any, Any]
    hide: Callable[[Run, Any], None]
    resolves: bool = True
    """Whether it is hidden in the heroes' turns, not when Swift is committed."""


def hide_plan(run: Run, path: list[list[int]]) -> None:
    run.do("plan_movement", "h", path=path)


def hide_free_ability(run: Run, target: str) -> None:
    """Plan to use a free ability on the way: it is paid in the heroes' world alone."""
    cheer = [{"ability": "cheer", "targets": [target], "step": 1}]
    run.do("plan_movement", "h", path=[[0, 1]], free_actions=cheer)


def hide_policy(run: Run, target: str) -> None:
    """Let all of the group plan: that it is done is public, what it plans is not."""
    run.do("plan_movement", "h", ability="follow", targets=[target], distance_ft=5)
    run.do("pass_movement", "i")


def hide_swift(run: Run, ability: str) -> None:
    run.do("commit_swift", "h", ability=ability)
    run.do("no_more_swift", "h")


def hide_target(run: Run, target: str) -> None:
    """Roll the attack: it hurts somebody in the heroes' world alone."""
    run.do("strike", "h", target=target, weapon="bow")
    run.do("end_turn", "h")


def hide_area(run: Run, at: list[int]) -> None:
    """Let an area catch one enemy or another, each attacked by itself."""
    run.do("use_ability", "h", ability="burst", at=at)
    run.do("end_turn", "h")


def hide_turns(run: Run, ability: str) -> None:
    """Let the whole group be done, and wait for the others."""
    run.do("use_ability", "h", ability=ability, targets=["w"])
    run.do("end_turn", "h")
    run.do("pass_turn", "i")


def hide_reaction(run: Run, target: str) -> None:
    """Pay for a movement that leads somewhere only once all groups have announced theirs."""
    run.do("move", "h", ability="follow", targets=[target])
    run.do("end_turn", "h")


def hide_deed(run: Run, deed: tuple[str, str]) -> None:
    """Try what no ability names, in few words or in many, about one enemy or another."""
    run.do("improvise", "h", deed=deed[0], targets=[deed[1]])
    run.do("end_turn", "h")


def hide_order(run: Run, order: list[str]) -> None:
    run.do("set_order", "h", order=order)


def hide_mistake(run: Run, target: str) -> None:
    """Err: RI-INFO-3, what is refused, and why, is the group's own business."""
    answer = run.seats["seat-heroes"](
        "POST", f"{run.at}/commands", {"type": "trip", "creature": "h", "target": target}
    )
    assert answer.status_code == 409


SECRETS: Final = (
    Secret("plan", "movement", ([[0, 1]], [[1, 1], [2, 1]]), hide_plan),
    Secret("free ability", "movement", ("i", "h"), hide_free_ability),
    Secret("policy", "movement", ("o", "w"), hide_policy),
    Secret("swift", "action", ("total_defense", "recover"), hide_swift, resolves=False),
    Secret("target", "action", ("o", "w"), hide_target),
    Secret("area", "action", ([3, 0], [0, 3]), hide_area),
    Secret("turns", "action", ("mend", "burn"), hide_turns),
    Secret("reaction", "action", ("o", "w"), hide_reaction),
    Secret("deed", "action", (("jump", "o"), ("swing across on the chandelier", "w")), hide_deed),
    Secret("order", "action", (["h", "i"], ["i", "h"]), hide_order),
    Secret("mistake", "action", ("o", "nobody"), hide_mistake),
)


@dataclass(frozen=True)
class Twins:
    """What two runs that differ in one secret tell each seat, and what an audit says of each."""

    secret: Secret
    told: tuple[dict[str, list[str]], dict[str, list[str]]]
    certificates: tuple[dict[str, Any], dict[str, Any]]


def twins_of(secret: Secret, **options: Any) -> Twins:
    """Play both ways."""
    told, certificates = [], []
    for choice in secret.choices:
        log = MemoryLog()
        with served(log) as api:
            run = Run(api, secret, choice, **options)
            told.append({seat: run.look(seat) for seat in run.seats})
            certificates.append(audit(log, run))
    return Twins(secret, (told[0], told[1]), (certificates[0], certificates[1]))


OFTEN: Final = ("plan", "policy", "target")
"""The secrets that every run of the tests compares; the long checks compare all."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, id=each.name, marks=() if each.name in OFTEN else pytest.mark.overnight)
        for each in SECRETS
    ],
)
def twins(request: pytest.FixtureRequest) -> Twins:
    return twins_of(request.param)


@pytest.mark.parametrize("seat", OTHERS)
def test_RI_INFO_1_what_a_group_hides_changes_nothing_that_others_receive(twins: Twins, seat: str) -> None:
    """RI-INFO-2, RI-INFO-3: not a byte and not a length; the gm is as blind as the rest (C-52)."""
    left, right = (masked(told[seat]) for told in twins.told)
    assert left == right


def test_an_audit_of_it_tells_nothing_either(twins: Twins) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins.certificates)
    assert left == right


def test_RI_INFO_4_the_group_itself_sees_what_it_declared(twins: Twins) -> None:
    """The comparison above would pass for nothing if the choice were not in the record at all."""
    left, right = (masked(told["seat-heroes"]) for told in twins.told)
    assert (left != right) is (twins.secret.name != "mistake"), "a mistake is refused at the door"


def test_a_gm_who_is_not_blinded_sees_it() -> None:
    """C-52: the house's choice is what blinds the gm."""
    (secret,) = [secret for secret in SECRETS if secret.name == "target"]
    left, right = twins_of(secret, gm_blind=False).told
    assert masked(left["gm"]) != masked(right["gm"])
    assert masked(left["seat-wolves"]) == masked(right["seat-wolves"])
