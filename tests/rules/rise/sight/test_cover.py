"""Hold cover: whom it shelters, by how much, and what becomes of attacks that miss for it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.character import Condition
from tests.rules.rise.kit import Fight, begun, entry

BOW = {"id": "bow", "melee": False, "close_ft": 60, "long_ft": 60, "strike": {"dice": [6], "flat": 1}}
SPRAY = {
    "id": "spray",
    "range_ft": 60,
    "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
    "on_miss": [{"does": "gain", "condition": "singed", "until": "brief"}],
}
GAZE = {"id": "gaze", "range_ft": 60, "strike": {"versus": ["mental"], "dice": [6]}}
FULL = {"visibility": "full"}


def shot(*between: dict[str, Any], **changes: Any) -> Fight:
    """Return a fight in which `f` can shoot at `e` past *between*; attacks show the defenses they meet."""
    shooter = entry("mon@p/f", (0, 0), weapons=[BOW], abilities=[SPRAY, GAZE])
    options = {**FULL, **changes.pop("options", {})}
    return begun(shooter, entry("mon@m/e", (4, 0)), *between, options=options, **changes)


def last(fight: Fight) -> Any:
    """Return the last attack that was rolled."""
    return fight.logged("attack_rolled")[-1]


@pytest.mark.parametrize(("ruling", "bonus"), [(None, 2), ("4", 4), ("2", 2)])
def test_RI_ATK_15_what_is_in_the_way_adds_to_armor_and_reflex(ruling: str | None, bonus: int) -> None:
    """RI-INFO-5 shows the defenses; Mental is no business of cover."""
    fight = shot(entry("mon@m/g", (2, 0)))
    if ruling:
        fight.do("rule", question="improved_cover", chosen=ruling, subjects=["e"])
    fight.do("strike", "f", 9, 3, target="e") if bonus == 2 else fight.do("strike", "f", 10, 2, 3, target="e")
    assert last(fight).defenses == {"armor": 12 + bonus}
    assert (last(fight).cover.by, last(fight).cover.bonus) == ("g", bonus)


def test_RI_ATK_15_cover_is_nothing_to_what_armor_and_reflex_do_not_stop() -> None:
    """RI-ATK-10, RI-GROUP-5: the defenses of the target, as its enemies know them, with its cover."""
    fight = shot(entry("mon@m/g", (2, 0))).do("use_ability", "f", 2, ability="gaze", targets=["e"])
    assert (last(fight).defenses, last(fight).cover) == ({"mental": 10}, None)
    fight = shot(entry("mon@m/g", (2, 0))).do("use_ability", "f", 9, 4, ability="spray", targets=["e"])
    assert last(fight).defenses == {"reflex": 12}, "abilities meet cover as weapons do"


@pytest.mark.parametrize(
    ("between", "by"),
    [
        (entry("mon@p/g", (2, 0)), None),
        (entry("mon@p/g", (2, 0), communicates=False), "g"),
        (entry("obj@p/g", (2, 0)), "g"),
        (entry("mon@m/g", (2, 0), speeds={"fly": 30}, altitude=30), None),
        (entry("mon@m/g", (2, 1)), None),
    ],
    ids=["ally", "ally-out-of-touch", "thing", "overhead", "beside"],
)
def test_RI_ATK_15_allies_in_touch_give_no_cover(between: dict[str, Any], by: str | None) -> None:
    fight = shot(between).do("strike", "f", 10, 2, 3, target="e")
    assert (last(fight).cover and last(fight).cover.by) == by


def test_RI_ATK_15_nobody_is_covered_by_its_own_mount() -> None:
    horse = entry("mon@m/h", (2, 0), size="huge", carries_riders=True)
    fight = begun(
        entry("mon@p/f", (0, 0), weapons=[BOW]), horse, entry("mon@m/r", (2, 0), mount="h"), options=FULL
    )
    fight.do("strike", "f", 9, 3, target="r")
    assert last(fight).cover is None


@pytest.mark.parametrize(("die", "outcome", "dice", "hp"), [(8, "hit", (4,), 15), (7, "glance", (4,), 18)])
def test_RI_ATK_15_what_misses_or_glances_hits_the_cover(
    die: int, outcome: str, dice: tuple[int, ...], hp: int
) -> None:
    """RI-RES-12: the same roll counts against the cover; the target takes nothing, not even half."""
    fight = shot(entry("mon@m/g", (2, 0))).do("strike", "f", die, *dice, target="e")
    assert (last(fight).outcome, last(fight).redirected_streams) == ("glance" if die == 8 else "miss", True)
    struck = fight.logged("cover_struck")[-1]
    assert (struck.cover, struck.outcome, struck.defenses) == ("g", outcome, {"armor": 12})
    assert (fight.seen("p", "e").hp, fight.seen("p", "g").hp) == (20, hp)
    assert fight.end("f").rest()["g"].hp == hp


def test_RI_ATK_15_cover_that_is_missed_too_takes_what_a_miss_does() -> None:
    """RI-ATK-5: damage on a miss protects who is behind cover, and not what gives it."""
    fight = shot(entry("mon@m/g", (2, 0), reflex=14))
    fight.do("use_ability", "f", 4, 5, ability="spray", targets=["e"])
    assert fight.logged("cover_struck")[-1].outcome == "miss"
    assert (fight.seen("p", "e").hp, fight.seen("p", "g").hp) == (20, 18)
    assert fight.seen("p", "g").has("singed")
    assert not fight.seen("p", "e").has("singed")


def test_RI_DMG_8_a_thing_that_gives_cover_is_hit_and_never_critically() -> None:
    """RI-ATK-15: it has hit points of its own."""
    crate = entry("obj@x/crate", (2, 0), hp_max=4, armor=0)
    fight = shot(crate).do("strike", "f", 7, 6, target="e")
    assert fight.logged("cover_struck")[-1].outcome == "crit"
    assert fight.logged("damage_rolled")[-1].amount == 7
    assert fight.end("f").rest()["crate"].defeated


def test_RI_ATK_15_a_low_obstacle_takes_what_misses_without_harm() -> None:
    """RI-MOVE-3: it is ground that takes effort to leave; RI-GM-2 may call it a better cover."""
    fight = shot(terrain={"2,0": "obstacle"}).do("strike", "f", 10, 1, 3, target="e").end("f").rest()
    assert (last(fight).defenses, last(fight).cover.by) == ({"armor": 14}, "2,0")
    assert fight["e"].hp == 16
    fight = shot(terrain={"2,0": "obstacle"}).do("strike", "f", 8, target="e")
    struck = fight.logged("cover_struck")[-1]
    assert (struck.cover, struck.outcome) == ("2,0", "none")
    assert fight.end("f").rest()["e"].hp == 20


def test_RI_ATK_15_one_use_attacks_nobody_twice() -> None:
    """The guard is a target itself; two who are behind it are both missed, and it is attacked once."""
    fight = shot(entry("mon@m/g", (2, 0)), entry("mon@m/h", (5, 0)))
    fight.do("use_ability", "f", 6, 6, 1, ability="spray", targets=["g", "e"])
    assert [struck.outcome for struck in fight.logged("cover_struck")] == ["none"]
    fight = shot(entry("mon@m/g", (2, 0)), entry("mon@m/h", (5, 0)))
    fight.do("use_ability", "f", 6, 6, 1, ability="spray", targets=["e", "h"])
    assert [struck.outcome for struck in fight.logged("cover_struck")] == ["hit", "none"]
    assert fight.seen("p", "g").hp == 14


def test_RI_ATK_13_a_miss_by_chance_alone_passes_the_cover() -> None:
    """RI-ATK-15: only what falls short of the defenses goes astray."""
    fight = shot(entry("mon@m/g", (2, 0)))
    world = fight.state.at("p").with_creature("e", conditions=(Condition(name="concealed"),))
    fight.state = fight.state.with_at("p", world)
    fight.do("strike", "f", 10, 1, 1, target="e")
    assert (last(fight).outcome, last(fight).redirected_streams) == ("miss", False)
    assert not fight.logged("cover_struck")


def test_RI_UNIV_DESPERATE_the_roll_that_counts_decides_what_is_hit() -> None:
    """RI-ATK-15: nothing goes astray before the player has kept or rerolled its roll."""
    archer = entry("pc@p/f", (0, 0), weapons=[BOW])
    fight = begun(archer, entry("mon@m/e", (4, 0)), entry("mon@m/g", (2, 0)))
    fight.do("strike", "f", 6, target="e")
    assert last(fight).redirected_streams
    assert not fight.logged("cover_struck")
    fight.do("desperate_exertion", "f", 8, 3)
    assert (last(fight).outcome, last(fight).redirected_streams) == ("hit", False)
    assert fight.seen("p", "e").hp == 16


@pytest.mark.parametrize(("targets", "hurt"), [(["e"], {"g": 14}), (["g", "e"], {"g": 14})])
def test_RI_INFO_5_where_outcomes_are_kept_back_the_cover_is_struck_with_the_announcement(
    targets: list[str], hurt: dict[str, int]
) -> None:
    """RI-ATK-15: all dice fall at once, whatever they come to."""
    faces = (6, 6) if targets == ["e"] else (6, 6, 6, 5)
    fight = shot(entry("mon@m/g", (2, 0)), options={"visibility": "none"})
    fight.do("use_ability", "f", *faces, ability="spray", targets=targets)
    assert not fight.logged("cover_struck")
    assert fight.seen("p", "g").hp == 20
    fight.end("f").rest()
    assert {"g": fight["g"].hp, "e": fight["e"].hp} == {"e": 20, **hurt}
    astray = [(event.target, event.redirected_streams) for event in fight.logged("attack_judged")]
    assert astray == [("e", True), ("g", False)] if targets == ["e"] else [("g", False), ("e", True)]
