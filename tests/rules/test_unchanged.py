"""What is accepted and changes nothing says so: every effect of both books, and every command of random play.

Each kind of effect has a case in which it finds nothing to do, or a reason why it always does something. A
new kind has neither, so it cannot be silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final, get_args, get_type_hints

import pytest

from service.rules import ruleset
from service.rules.heartrush.body.operations import Effect
from service.rules.kernel.records import changed
from service.rules.registry import REGISTRY
from service.rules.rise.acting.mending import Mending
from service.rules.ruleset import Decision, waiting
from service.rules.table.unchanged import NothingChanged, is_act, is_same
from tests.rules.heartrush import campaign
from tests.rules.heartrush import kit as heartrush
from tests.rules.heartrush.plays import wild
from tests.rules.rise import kit as rise
from tests.rules.rise.scenes import SCENES
from tests.rules.rise.scenes import Staged as RiseStaged

Json = dict[str, Any]

PIA: Final = {"creature": "pia"}
CELL: Final = {"cells": [[3, 3]]}
CALM: Final[Mapping[str, Json]] = {
    "action": {**PIA, "actions": -5},
    "condition": {**PIA, "condition": "prone"},
    "destiny": {**PIA, "points": -1},
    "ease_conditions": PIA,
    "ease_wounds": {**PIA, "amount": 1},
    "expose": {**PIA, "exposed": False},
    "heal": {**PIA, "amount": 3},
    "heal_heart": PIA,
    "heart_die": PIA,
    "hidden": {**PIA, "hidden_from": []},
    "hp": {**PIA, "hp": 40},
    "knock_down": PIA,
    "knock_out": {"creature": "ash"},
    "lose_condition": {**PIA, "condition": "dazed"},
    "move": {**PIA, "to": [0, 0]},
    "option": {"option": "timing", "value": "priority"},
    "priority": {"side": "players"},
    "rush": {**PIA, "points": -5},
    "restore": {**PIA, "hp": 5},
    "scenery": {**CELL, "height_ft": 0, "ambient": "bright"},
    "soak": {**PIA, "condition": "prone"},
    "surprise": {**PIA, "surprised": False},
    "terrain": {**CELL, "terrain": "normal"},
    "unaware": {"side": None},
    "walls": {"edges": ["3,3|4,3"], "becomes": "none"},
    "damage": {"creature": "orc", "amount": 1},
    "die": {"creature": "orc"},
    "withdraw": {"creature": "orc"},
    "push": {**PIA, "feet": 0, "direction": [1, 0]},
}
"""By kind of Heart Rush's effects: one that finds nothing to do in `fight_of_heartrush`."""
ALWAYS: Final[Mapping[str, str]] = {
    "wound": "a wound is one more",
    "bonus": "it adds to what was there",
    "penalty": "it adds to what was there",
    "arm": "it is one more weapon",
    "check": "a check is rolled",
    "contest": "both roll",
    "lay": "it is laid beside the others",
    "lay_pool": "it is laid beside the others",
}
EXCHANGE: Final = ("add_dice", "change_damage", "lean", "redirect", "reroll", "set_die")
"""What changes an attack under way, which a ruling cannot name; `drag` and `early_sidestep` need a user."""


def fight_of_heartrush() -> heartrush.Fight:
    """Return a fight in which pia is whole and prone, ash is unconscious, and the orc is dead."""
    fight = heartrush.begun({"pia": (0, 0), "ash": (0, 1), "orc": (5, 0), "wolf": (6, 3)})
    top = fight["pia"].sheet.hp_max
    fight.given("pia", hp=top, action=0, rush=0, destiny_points=0, conditions={})
    ruled(
        fight,
        {"kind": "condition", "creature": "pia", "condition": "prone"},
        {"kind": "knock_out", "creature": "ash"},
        {"kind": "die", "creature": "orc"},
    )
    return fight


def ruled(fight: Any, *effects: Mapping[str, Any]) -> Decision[Any]:
    """Return what comes of a ruling with *effects*."""
    found: Decision[Any] = fight.send("gm_ruling", "gm", kind="correction", decision="so", effects=[*effects])
    return found


def kinds(base: type[Effect]) -> Iterator[str]:
    """Yield every kind of effect below *base*."""
    for cls in base.__subclasses__():
        if "kind" in vars(cls):
            yield cls.kind
        yield from kinds(cls)


def test_every_kind_of_effect_has_a_case_or_a_reason() -> None:
    known = {*CALM, *ALWAYS, *EXCHANGE, "drag", "early_sidestep"}
    assert known == set(kinds(Effect))
    assert {*RISE, *RISE_ALWAYS} == set(get_args(get_type_hints(Mending)["does"]))


def said_of(decision: Decision[Any]) -> list[NothingChanged]:
    """Return what a decision says of what it did not change."""
    return [fact for fact in decision.facts if isinstance(fact, NothingChanged)]


@pytest.mark.parametrize(("kind", "effect"), CALM.items())
def test_TABLE_UNCHANGED_1_an_effect_of_heart_rush_that_changes_nothing_says_so(
    kind: str, effect: Json
) -> None:
    fight = fight_of_heartrush()
    if kind == "hp":
        effect = {**effect, "hp": fight["pia"].hp}
    before = fight.state
    decision = ruled(fight, {"kind": kind, **effect})
    if decision.refusal is not None:
        assert decision.refusal.code == "effect_not_possible"
        return
    after = changed(fight.state, rulings=before.rulings)
    assert is_same(before, after), "no case of nothing"
    (note,) = said_of(decision)
    assert (note.what, note.effect, note.creature) == (kind, 0, effect.get("creature"))
    assert note.why != "out_of_play" or note.creature == "orc"


E = {"target": "e"}
RISE: Final[Mapping[str, Json]] = {
    "damage": {"target": "x", "amount": 3},
    "heal_hp": {**E, "amount": 3},
    "heal_dr": {**E, "amount": 3},
    "gain": {**E, "name": "prone"},
    "lose": {**E, "name": "dazed"},
    "fatigue": {**E, "amount": 1},
    "locate": {**E, "to": [1, 0]},
    "walls": {"edges": ["3,3|4,3"], "becomes": "none"},
    "teach": {**E, "ability": {"id": "learned", "strike": {"versus": ["reflex"], "dice": [4]}}},
    "unteach": {**E, "name": "flown"},
    "restore": {**E, "amount": 3},
    "withdraw": {"target": "x"},
    "terrain": {**CELL, "terrain": "normal"},
}
"""By what an effect of Rise does: one that finds nothing to do in `fight_of_rise`."""
RISE_ALWAYS: Final[Mapping[str, str]] = {}


def fight_of_rise() -> rise.Fight:
    """Return a fight between two phases in which the monster e is whole, prone and taught, and x is dead."""
    fight = rise.begun(
        rise.entry("pc@p/p", (0, 0)), rise.entry("mon@m/e", (1, 0)), rise.entry("mon@m/x", (9, 9))
    )
    fight.do("ask_pause").rest()
    fight.given("x", dead=True, defeated=True)
    ruled(
        fight,
        {"does": "gain", **E, "name": "prone"},
        {"does": "teach", **E, "ability": {"id": "other", "strike": {"versus": ["reflex"], "dice": [4]}}},
        {"does": "teach", **RISE["teach"]},
    )
    return fight


@pytest.mark.parametrize(("does", "effect"), RISE.items())
def test_TABLE_UNCHANGED_1_an_effect_of_rise_that_changes_nothing_says_so(does: str, effect: Json) -> None:
    fight = fight_of_rise()
    before = fight.state
    decision = ruled(fight, {"does": does, **effect})
    if decision.refusal is not None:
        assert decision.refusal.code == "effect_not_possible"
        return
    assert is_same(before, fight.state), "no case of nothing"
    (note,) = said_of(decision)
    assert (note.what, note.effect, note.creature) == (does, 0, effect.get("target"))
    assert note.why == {"lose": "not_there", "fatigue": "not_possible", "damage": "out_of_play"}.get(
        does, "already_so"
    )


def test_TABLE_UNCHANGED_1_each_effect_of_a_ruling_speaks_for_itself() -> None:
    """What one effect does, the next may find: neither is refused for what was so before."""
    fight = fight_of_rise()
    lose, gain = {"does": "lose", **E, "name": "prone"}, {"does": "gain", **E, "name": "prone"}
    assert said_of(ruled(fight, lose, gain)) == []
    assert [note.effect for note in said_of(ruled(fight, lose, lose, gain, gain))] == [1, 3]


def test_TABLE_UNCHANGED_1_hit_points_that_are_gm_only_are_not_said_to_be_whole() -> None:
    keep = {"gm_only": ["hp_max"]}
    fight = rise.begun(rise.entry("pc@p/p", (0, 0)), {**rise.entry("mon@m/e", (1, 0)), **keep})
    fight.do("ask_pause").rest()
    assert said_of(ruled(fight, {"does": "heal_hp", **E, "amount": 3})) == []


@pytest.mark.parametrize("edition", REGISTRY)
def test_TABLE_UNCHANGED_1_a_command_that_changes_nothing_says_so(
    edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every accepted command of two scenes is sent again at once."""
    if edition == "rise@1":
        play: Callable[[], object] = RiseStaged(1, scene=SCENES[0], budget=100).play
        module: ModuleType = rise
    else:
        play, module = wild(3, budget=150).play, campaign
    decide, found = ruleset.decide, []

    def twice(state: Any, command: Any, chance: Any) -> Decision[Any]:
        decision = decide(state, command, chance)
        for before, each in ((state, decision), (decision.state, decide(decision.state, command, chance))):
            if each.refusal is None and is_same(before, each.state):
                place = command.place(before)
                found.append((command.type, any(is_act(fact, place) for fact in each.facts)))
        return decision

    monkeypatch.setattr(module, "decide", twice)
    play()
    assert found, "nothing was said twice"
    assert [type_ for type_, is_told in found if not is_told] == []


def test_TABLE_UNCHANGED_1_what_a_deed_does_not_change_is_said_at_the_announcement() -> None:
    """RI-ACT-13: the deed's effects stand among those of its group, and what they find is known only then."""
    fight = rise.begun(rise.entry("pc@p/p", (0, 0)), rise.entry("mon@m/e", (1, 0)))
    fight.do("improvise", "p", deed="wipe the mud off").end("p").rest()
    (owed,) = (a.prompt for a in waiting(fight.state) if "judge_deed" in a.accepts)
    fight.do("judge_deed", prompt=owed, effects=[{"does": "lose", "target": "e", "name": "dazed"}])
    (note,) = fight.logged("nothing_changed")
    assert (note.what, note.why, note.creature) == ("lose", "not_there", "e")


def test_RI_ACT_13_a_deed_is_judged_once() -> None:
    fight = rise.begun(rise.entry("pc@p/p", (0, 0)), rise.entry("mon@m/e", (1, 0)))
    fight.do("improvise", "p", deed="kick sand").end("p").rest()
    (owed,) = (a.prompt for a in waiting(fight.state) if "judge_deed" in a.accepts)
    fight.do("judge_deed", prompt=owed, roll={"difficulty": 5})
    assert fight.refused("judge_deed", prompt=owed, roll={"difficulty": 9}) == "prompt_gone"


def test_TABLE_UNCHANGED_1_who_suffocates_is_cut_off_no_further() -> None:
    fight = heartrush.begun({"pia": (0, 0), "orc": (5, 0)})
    first, again = (fight.send("cut_off", "gm", creature="pia") for _ in range(2))
    assert (first.refusal, said_of(first)) == (None, [])
    (note,) = said_of(again)
    assert (note.what, note.why, note.effect) == ("cut_off", "already_so", None)
