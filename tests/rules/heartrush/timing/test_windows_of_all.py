"""The option `windows`: those who could answer are asked, or everybody; and answers in advance."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

PLACES = {"pia": (0, 0), "ash": (0, 4), "orc": (1, 0)}
HOLDER = {"orc": {"abilities": ["violent-defense"]}}
BOTH_WAYS = pytest.mark.parametrize("way", ["decided", "http"], indirect=True)


def table(windows: str = "all", sheets: Any = None) -> Fight:
    return begun(PLACES, sheets=sheets, options={"windows": windows})


def trace(fight: Fight) -> list[tuple[tuple[str, str], ...]]:
    """Let Pia strike the orc and everybody pass; return who was asked what, at every stop."""
    fight.do("engage", creature="pia", target="orc")
    stops = []
    while not fight.logged("engagement_ended"):
        owed = [awaited for awaited in waiting(fight.state) if not awaited.optional]
        stops.append(tuple((awaited.prompt, awaited.seat) for awaited in owed))
        first = owed[0]
        if first.wants:
            fight.throw(*[1] * len(first.wants))
        elif "pass_window" in first.accepts:
            fight.answer("pass_window", str(first.creature))
        elif "choose_stance" in first.accepts:
            stance = "might" if first.creature == "pia" else "defensive"
            fight.answer("choose_stance", str(first.creature), stance=stance)
        elif "declare_attack" in first.accepts:
            fight.answer("declare_attack", "pia", target="orc")
        else:
            fight.answer("decline_join", str(first.creature))
    return stops


def test_TABLE_WINDOW_1_where_everybody_is_asked_a_stop_shows_nothing() -> None:
    """Whether the orc holds an instant changes no prompt, nor whom it is for."""
    assert trace(table()) == trace(table(sheets=HOLDER))
    assert trace(table("holders")) != trace(table("holders", HOLDER)), "quicker, and it shows"


@pytest.mark.parametrize(("windows", "opened"), [("holders", False), ("all", True)])
def test_TABLE_WINDOW_1_whom_a_window_asks(windows: str, *, opened: bool) -> None:
    fight = table(windows)
    trace(fight)
    moments = [event.trigger for event in fight.logged("window_opened")]
    assert bool(moments) is opened
    if opened:
        assert moments == [
            "ability_declared",
            "joining_closed",
            "stances_revealed",
            "attack_rolled",
            "rolls_known",
            "step_over",
            "engagement_closing",
        ]
        asked = {event.creature for event in fight.logged("window_passed")}
        assert asked == {"pia", "ash", "orc"}


def test_TABLE_WINDOW_1_each_step_of_a_dash_asks_too() -> None:
    fight = table().do("dash", creature="ash", path=[[0, 5], [0, 6]])
    for place in (4, 5, 6):
        assert fight["ash"].position == (0, place)
        for creature in PLACES:
            fight.answer("pass_window", creature)
    assert fight.state.priority_side == "enemies"


def test_TABLE_WINDOW_1_whoever_cannot_act_is_not_asked() -> None:
    fight = table().given("ash", status="unconscious", hp=0)
    fight.do("engage", creature="pia", target="orc")
    assert [awaited.creature for awaited in waiting(fight.state)] == ["pia", "orc"]


@BOTH_WAYS
def test_TABLE_STANDING_1_a_fight_of_windows_runs_by_answers_given_in_advance() -> None:
    """Set before the fight and in it; with them all, nobody is asked but for what only a player can say."""
    fight = table()
    for creature in PLACES:
        fight.do("set_standing", creature=creature, windows="pass", shrug="never")
    stops = trace(fight)
    assert not [prompt for stop in stops for prompt, _ in stop if "window" in prompt]
    assert fight.logged("window_opened")
    passed = [*fight.logged("window_passed"), *fight.logged("all_passed")]
    assert {event.because for event in passed} == {("TABLE-STANDING-1",)}


@BOTH_WAYS
def test_TABLE_STANDING_1_never_and_only_if_it_kills_are_shrugged_without_asking() -> None:
    fight = begun({"pia": (0, 0), "ash": (0, 4), "orc": (1, 0)})
    fight.do("set_standing", creature="pia", shrug="never")
    fight.do("set_standing", creature="ash", shrug="if_it_kills")
    harm = [{"kind": "damage", "creature": name, "amount": 80} for name in ("ash",)]
    harm.append({"kind": "damage", "creature": "pia", "amount": 12})
    fight.do("gm_ruling", kind="effect", decision="the roof comes down", effects=harm)
    assert (fight["pia"].hp, fight["pia"].heart_die) == (28, 8)
    assert (fight["ash"].hp, fight["ash"].heart_die) == (0, 6)
