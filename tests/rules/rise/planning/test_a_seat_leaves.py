"""A prompt's seat is one that may read it: where a seat leaves in a phase, another of the group acts."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.sealed import view
from service.rules.rise import RISE
from service.rules.ruleset import asked, legal, waiting
from tests.rules.rise.kit import Fight, Seeded, entry, opened

SEATS = [
    {"seat": "sa", "role": "player", "creatures": ["a"]},
    {"seat": "sb", "role": "player", "creatures": ["b"]},
]


def two(phase: str = "action", **options: Any) -> Fight:
    """Return a group of two seats against a monster."""
    cast = [entry("pc@p/a", (0, 0)), entry("pc@p/b", (1, 1)), entry("mon@m/e", (1, 0))]
    fight = opened(*cast, seats=SEATS, declared_sides=["p", "m"], options=options)
    return fight.do("start_combat", start_phase=phase)


def held(fight: Fight) -> None:
    """Hold every prompt to a seat that reads it, and that may answer it."""
    for awaited in waiting(fight.state):
        if awaited.accepts:
            assert awaited.prompt in {
                each.prompt for _, each in asked(view(fight.state, awaited.seat), awaited.seat)
            }
            assert any(offers for each, offers in legal(RISE, fight.state, awaited.seat) if each == awaited)


def test_a_turn_that_is_not_begun() -> None:
    fight = two().to_actions()
    fight.do("close_seat", seat="sa")
    held(fight)
    assert {a.seat for a in waiting(fight.state) if a.creature == "a"} == {"sb"}
    fight.send("strike", "sb", creature="a", target="e")
    assert fight.refusal is None
    fight.throw(9, 5)
    held(fight)
    assert fight.send("end_turn", "sb", creature="a").refusal is None
    fight.do("pass_turn", "b").do("pass_turn", "e")
    assert fight.state.stage == "movement"
    assert fight.state.at("p").controller("a") == "gm", "from the next phase on it is the GM's"


def test_a_plan() -> None:
    fight = two("movement")
    fight.do("close_seat", seat="sb")
    held(fight)
    assert fight.send("plan_movement", "sa", creature="b", path=[[2, 1]]).refusal is None
    fight.do("pass_movement", "a").do("pass_movement", "e").to_actions()
    assert fight["b"].position == (2, 1)


def test_dice_amid_a_strike() -> None:
    fight = two().to_actions()
    fight.do("strike", "a", target="e").do("close_seat", seat="sa")
    held(fight)
    assert {a.seat for a in waiting(fight.state) if a.wants} == {"sb"}
    fight.throw(9, 5)
    held(fight)
    assert fight.seen("p", "e").hp < 20


def test_what_is_the_gms_is_answered_by_the_gm_where_it_reads_it() -> None:
    fight = two(gm_blind=False).to_actions()
    fight.do("close_seat", seat="sa")
    held(fight)
    assert {a.seat for a in waiting(fight.state) if a.creature == "a"} == {"gm"}


def test_the_refusal_to_the_gm_names_who_acts_and_change_seat() -> None:
    fight = two().to_actions()
    fight.do("close_seat", seat="sa")
    refusal = fight.send("pass_turn", "gm", creature="a").refusal
    assert refusal is not None
    assert refusal.code == "groups_still_resolving"
    assert "sb" in refusal.detail
    assert "change_seat" in refusal.detail
    fight.do("open_seat", seat="sc", role="player", creatures=["a"])
    held(fight)
    assert {a.seat for a in waiting(fight.state) if a.creature == "a"} == {"sc"}


@pytest.mark.parametrize("seed", range(3))
def test_a_fight_goes_on_whoever_leaves_when(seed: int) -> None:
    fight = two(exertion_prompt="always")
    fight.dice = Seeded(seed)
    for number in range(60):
        held(fight)
        if number == 5 + 7 * seed:
            fight.do("close_seat", seat="sb")
        owed = next((a for a in waiting(fight.state) if a.accepts and not a.optional), None)
        owed = owed or next(a for a in waiting(fight.state) if a.accepts)
        offers = next((o for each, o in legal(RISE, fight.state, owed.seat) if each == owed), ())
        if owed.wants:
            fight.send("throw_dice", owed.seat, prompt=owed.prompt, faces=[7] * len(owed.wants))
        else:
            name = next(
                n
                for n in ("pass_turn", "pass_movement", "no_more_swift", "keep_roll", "go_on")
                if n in owed.accepts
            )
            fight.send(name, owed.seat, creature=owed.creature)
        assert fight.refusal is None, (owed, fight.refusal, offers)
    assert fight.state.round > 3
