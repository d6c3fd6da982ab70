"""Swift effects of several groups that contradict each other: on each creature its own group's come last."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, entry, opened

CURSE = {
    "id": "curse",
    "tags": ["swift"],
    "usage": "minor",
    "range_ft": 60,
    "effects": [{"does": "gain", "condition": "cursed", "modifiers": {"defenses": -4}, "until": "condition"}],
}
CLEAN = {
    "id": "clean",
    "tags": ["swift"],
    "usage": "minor",
    "effects": [{"does": "lose", "condition": "*"}],
}
NAMES = [("a", "z"), ("z", "a")]


def fought(who: str, whom: str, **options: Any) -> Fight:
    """Return a fight in which `c` curses `v`, that throws everything off, before anybody acts."""
    fight = opened(
        entry(f"{who}/c", (1, 0), abilities=[CURSE]),
        entry(f"{whom}/v", (0, 0), abilities=[CLEAN]),
        entry("mon@m/m", (0, 1)),
        options={"exertion_prompt": "never", **options},
    )
    return fight.do("start_combat", start_phase="action")


@pytest.mark.parametrize(("house", "cursed"), [("removes", False), ("keeps", True)])
@pytest.mark.parametrize(("who", "whom"), NAMES)
def test_RI_SWIFT_7_what_others_lay_on_a_creature_comes_before_what_it_throws_off(
    who: str,
    whom: str,
    house: str,
    cursed: bool,  # noqa: FBT001  # what the case is about
) -> None:
    fight = fought(f"mon@{who}", f"mon@{whom}", cleanse=house)
    fight.do("commit_swift", "v", ability="clean").do("commit_swift", "c", ability="curse", targets=["v"])
    assert fight.to_actions()["v"].has("cursed") is cursed


@pytest.mark.parametrize(("who", "whom"), NAMES)
def test_RI_SWIFT_7_a_player_throws_off_a_curse_that_it_does_not_know(who: str, whom: str) -> None:
    """10 against 12, not against 8: who acts later knows that the curse is gone."""
    fight = fought(f"mon@{who}", f"pc@{whom}")
    fight.do("commit_swift", "c", ability="curse", targets=["v"]).to_actions()
    fight.do("use_ability", "v", ability="clean", targets=["v"]).end("v")
    for name in ("c", "m"):
        fight.do("strike", name, 6, 4, target="v").end(name)
        assert fight.logged("attack_rolled")[-1].outcome == "glance"
    assert not fight.rest()["v"].has("cursed")


@pytest.mark.parametrize(("who", "whom"), NAMES)
def test_RI_SWIFT_7_who_curses_strikes_whom_nobody_sees_throw_it_off(who: str, whom: str) -> None:
    fight = fought(f"pc@{who}", f"mon@{whom}")
    fight.do("commit_swift", "v", ability="clean").to_actions()
    fight.do("use_ability", "c", ability="curse", targets=["v"]).do("strike", "c", 6, 4, target="v").end("c")
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    fight.do("strike", "m", 6, 4, target="v").end("m")
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    assert not fight.rest()["v"].has("cursed")


@pytest.mark.parametrize(("who", "whom"), NAMES)
def test_RI_SWIFT_7_neither_is_known_to_the_player(who: str, whom: str) -> None:
    """Both are of groups that commit: the attack counts what is true, and so does the announcement."""
    fight = opened(
        entry(f"mon@{who}/c", (5, 0), abilities=[CURSE]),
        entry(f"mon@{whom}/v", (1, 0), abilities=[CLEAN]),
        entry("pc@p/p", (0, 0)),
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "v", ability="clean").do("commit_swift", "c", ability="curse", targets=["v"])
    fight.to_actions().do("strike", "p", 6, 4, target="v").end("p")
    assert fight.logged("attack_rolled")[-1].outcome == "glance"
    assert not fight.rest()["v"].has("cursed")


def test_RI_SWIFT_7_what_is_not_swift_comes_after_what_is_thrown_off() -> None:
    slow = {"id": "slow", "range_ft": 60, "effects": [{"does": "gain", "condition": "slowed"}]}
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[slow]),
        entry("pc@p/q", (0, 1)),
        entry("mon@m/v", (1, 0), abilities=[CLEAN]),
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "v", ability="clean").to_actions()
    fight.do("use_ability", "p", ability="slow", targets=["v"]).end("p")
    fight.do("strike", "q", 6, 4, target="v").end("q")
    assert fight.logged("attack_rolled")[-1].outcome == "hit", "10 against 12 less 2"
    assert fight.rest()["v"].has("slowed")
