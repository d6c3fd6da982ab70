"""Sprint in answer along a path, block and mount for a standard action."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry

# --- a path that is to reach somebody ----------------------------------------------------------------
# a goes 25 feet to (5, 0), beside o at (6, 0), which goes 20 feet to (10, 0).

WAY = [[x, 0] for x in range(1, 6)]
ASK: dict[str, Any] = {"path": WAY, "sprint": "ask", "targets": ["o"]}


def chase(*, flees: bool = True, kind: str = "pc", **changes: Any) -> Fight:
    """Return a fight after both have planned."""
    o = entry("mon@y/o", (6, 0), speeds={"land": 40})
    fight = begun(entry(f"{kind}@x/a", (0, 0), **changes), o, phase="movement")
    fight.do("plan_movement", "a", **ASK)
    if flees:
        return fight.do("plan_movement", "o", path=[[x, 0] for x in range(7, 11)])
    return fight.do("pass_movement", "o")


def test_RI_CONF_11_a_creature_that_is_left_behind_goes_on_by_a_sprint() -> None:
    fight = chase()
    (asked,) = [a for a in waiting(fight.state) if "consent_sprint" in a.accepts]
    assert (asked.creature, asked.seat) == ("a", "seat-x")
    fight.do("consent_sprint", "a", accept=True, path=[[x, 0] for x in range(6, 10)])
    assert (fight["a"].position, fight["o"].position, fight["a"].fatigue) == ((9, 0), (10, 0), 1)


@pytest.mark.parametrize(
    ("walls", "asks"), [("", True), ("all around it", False), ("between the two", False)]
)
def test_RI_UNIV_HUSTLE_a_hustle_is_to_reach_somebody_in_sight_by_some_path(
    walls: str, *, asks: bool
) -> None:
    """No cell to go to, or nobody to be seen: then there is nothing to reach, and nothing to go."""
    around = {f"{x},{y}" for x in (-1, 0, 1) for y in (-1, 0, 1)} - {"0,0"}
    between = {f"3,{y}" for y in range(-20, 21)}
    closed = {"all around it": around, "between the two": between}.get(walls, set())
    fight = begun(
        entry("pc@x/a", (0, 0)),
        entry("mon@y/o", (6, 0)),
        phase="movement",
        terrain=dict.fromkeys(closed, "wall"),
    )
    asking = [offer for offer in fight.offers("seat-x") if offer.given.get("sprint") == "ask"]
    assert bool(asking) is asks
    assert all(offer.choices["targets"] and offer.choices["path"] for offer in asking)


def test_RI_CONF_11_it_may_stay_behind() -> None:
    fight = chase().do("consent_sprint", "a", accept=False)
    assert (fight["a"].position, fight["a"].fatigue) == ((5, 0), 0)


def test_RI_CONF_11_nobody_is_asked_who_reaches_somebody() -> None:
    fight = chase(flees=False)
    assert fight.state.stage == "action"
    assert (fight["a"].position, fight["a"].fatigue) == ((5, 0), 0)


@pytest.mark.parametrize(
    ("accept", "last", "code"),
    [
        (True, 5, "invalid_target"),
        (True, 12, None),
        (True, 13, "insufficient_speed"),
        (False, 9, "invalid_target"),
        (False, 5, None),
    ],
    ids=["nowhere", "60 feet", "65 feet", "a path for nothing", "no"],
)
def test_RI_CONF_11_it_goes_on_as_far_as_a_sprint(accept: bool, last: int, code: str | None) -> None:  # noqa: FBT001 - a row
    """Twice 30 feet, of which 25 are gone: 7 cells more."""
    path = [[x, 1] for x in range(6, last + 1)]
    fight = chase()
    decision = fight.send("consent_sprint", "seat-x", creature="a", accept=accept, path=path)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_CONF_11_what_goes_on_is_offered() -> None:
    fight = chase()
    assert fight.allows("consent_sprint", "a", accept=True, path=((6, 0), (7, 0)))
    assert fight.allows("consent_sprint", "a", accept=False)


def test_RI_CONF_11_who_follows_goes_by_its_rule() -> None:
    o = entry("mon@y/o", (6, 0), speeds={"land": 40})
    fight = begun(entry("pc@x/a", (0, 0)), o, phase="movement")
    fight.do("plan_movement", "a", ability="follow", targets=["o"])
    fight.do("plan_movement", "o", path=[[x, 0] for x in range(7, 11)])
    assert fight.refused("consent_sprint", "a", accept=True, path=[[1, 0]]) == "invalid_target"
    fight.do("consent_sprint", "a", accept=True)
    assert fight["a"].position == (9, 0)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (ASK, None),
        ({**ASK, "targets": []}, "sprint_not_reactive"),
        ({**ASK, "sprint": "auto"}, "sprint_not_reactive"),
        ({**ASK, "ability": "sprint"}, "sprint_not_reactive"),
        ({**ASK, "path": []}, "sprint_not_reactive"),
        ({**ASK, "sprint": None}, "invalid_target"),
        ({**ASK, "targets": ["nobody"]}, "target_not_visible"),
        ({**ASK, "targets": ["a"]}, "target_not_visible"),
    ],
)
def test_RI_CONF_8_along_a_path_one_says_whom_it_is_to_reach(data: dict[str, Any], code: str | None) -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (6, 0)), phase="movement")
    decision = fight.send("plan_movement", "seat-x", creature="a", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_UNIV_SPRINT_no_monster_asks() -> None:
    fight = begun(entry("mon@x/a", (0, 0)), entry("mon@y/o", (6, 0)), phase="movement")
    assert fight.refused("plan_movement", "a", **ASK) == "monster_cannot_sprint"
    assert not fight.allows("plan_movement", "a", path=((1, 0),), sprint="ask", targets=("o",))


def test_RI_CONF_11_it_is_offered_to_a_player() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (6, 0)), phase="movement")
    assert fight.allows("plan_movement", "a", path=((1, 0),), sprint="ask", targets=("o",))


# --- blocking for a standard action ------------------------------------------------------------------
# a stands at the origin; o at (-1, 1) goes east along its side: from beside a to beside a, twice.

PAST = [[0, 1], [1, 1], [2, 1]]
NO_EXERTION = {"exertion_prompt": "never"}


def passing(kind: str = "mon", cells: int = 3, **move: Any) -> Fight:
    """Return a fight in which a blocks o for its standard action, and o has moved past it."""
    path = [[x, 1] for x in range(cells)]
    fight = begun(entry("pc@x/a", (0, 0)), entry(f"{kind}@y/o", (-1, 1)), options=NO_EXERTION)
    fight.do("move", "a", ability="block", targets=["o"]).end("a")
    return fight.do("move", "o", path=path, **move).end("o")


@pytest.mark.parametrize(("faces", "ends"), [((9, 3), (-1, 1)), ((3, 9), (2, 1))], ids=["stopped", "passes"])
def test_RI_REAC_4_a_block_for_a_standard_action_stops_who_passes(
    faces: tuple[int, int], ends: tuple[int, int]
) -> None:
    """C-48. A step of 5 feet and a's 30 are more than o's 30: it does not get past the first step."""
    fight = passing().throw(*faces)
    assert fight["o"].position == ends
    assert [(e.blocker, e.creature, e.blocked) for e in fight.logged("block_checked")] == [
        ("a", "o", faces[0] > faces[1])
    ]


def test_RI_REAC_4_who_sprints_has_feet_to_pay_with() -> None:
    """60 feet: 5 + 30 are paid for the first step, and another 5 + 30 are not there.

    Of a sprint that its path does not need nothing shows, and it has the 30 feet of its speed.
    """
    ends = [passing("pc", cells, sprint=True).throw(9, 3)["o"].position for cells in (6, 7)]
    assert ends == [(-1, 1), (0, 1)]


def test_RI_RES_12_what_who_is_blocked_did_on_its_way_stands() -> None:
    mend = {"id": "mend", "usage": "minor", "effects": [{"does": "heal_hp", "amount": 3}]}
    o = entry("mon@y/o", (-1, 1), hp=10, abilities=[mend])
    fight = begun(entry("pc@x/a", (0, 0)), o, options=NO_EXERTION)
    fight.do("move", "a", ability="block", targets=["o"]).end("a")
    fight.do("move", "o", path=PAST).do("use_ability", "o", ability="mend", targets=["o"]).end("o")
    fight.throw(9, 3)
    assert (fight["o"].position, fight["o"].hp) == ((-1, 1), 13)


def test_RI_REAC_4_who_follows_by_a_standard_action_is_blocked_too() -> None:
    fight = begun(
        entry("pc@x/a", (0, 0)), entry("mon@y/o", (-1, 1)), entry("pc@z/c", (5, 1)), options=NO_EXERTION
    )
    fight.do("move", "a", ability="block", targets=["o"]).end("a").do("pass_turn", "c")
    fight.do("move", "o", ability="follow", targets=["c"]).end("o").throw(9, 3)
    assert fight["o"].position == (-1, 1)


def test_RI_MOVE1_4_a_block_is_the_blockers_one_movement() -> None:
    """It spends the standard action, and nothing of its group moves it on."""
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (-1, 1)))
    fight.do("move", "a", ability="block", targets=["o"])
    assert fight.state.at("x").creatures["a"].location_changed
    assert fight.refused("strike", "a", target="o") == "standard_action_spent"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"targets": ["o"]}, None),
        ({"targets": []}, "reactive_rule_too_complex"),
        ({"targets": ["nobody"]}, "target_not_visible"),
        ({"targets": ["o"], "sprint": True}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "distance_ft": 5}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "path": [[1, 0]]}, "reactive_rule_too_complex"),
    ],
)
def test_RI_REAC_1_a_block_is_about_one_creature_and_no_more(data: dict[str, Any], code: str | None) -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (-1, 1)))
    decision = fight.send("move", "seat-x", creature="a", ability="block", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_ACT_4_a_house_that_sells_a_hustle_alone_sells_no_block() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (-1, 1)), options={"traded_movement": "hustle"})
    assert fight.refused("move", "a", ability="block", targets=["o"]) == "no_such_trade"
    assert not fight.allows("move", "a", ability="block", targets=("o",))


def test_RI_ACT_4_a_block_is_offered() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (-1, 1)))
    assert fight.allows("move", "a", ability="block", targets=("o",))


# --- mounting for a standard action ------------------------------------------------------------------

ONTO = [[1, 0], [2, 0]]


def stable(side: str = "x", at: tuple[int, int] = (2, 0)) -> Fight:
    """Return a fight of a and a horse m against o, in its action phase."""
    m = entry(f"pc@{side}/m", at, carries_riders=True)
    return begun(entry("pc@x/a", (0, 0)), m, entry("mon@y/o", (9, 0)))


def test_RI_MOUNT_1_a_mount_of_the_group_is_climbed_for_a_standard_action() -> None:
    """C-48; in the next movement phase it carries its rider."""
    fight = stable().do("move", "a", path=ONTO, mount="m").end("a")
    assert fight.seen("x", "a").mount == "m"
    fight.rest()
    assert (fight["a"].mount, fight["a"].position) == ("m", (2, 0))
    fight.do("plan_movement", "m", path=[[3, 0]], carry=["a"]).to_actions()
    assert (fight["a"].mount, fight["a"].position) == ("m", (3, 0))


def test_RI_MOVE1_3_a_mount_that_moves_on_leaves_behind_who_has_just_mounted() -> None:
    """P69: you cannot move onto a mount and have it move with you in the same phase."""
    fight = stable().do("move", "a", path=ONTO, mount="m").end("a")
    fight.do("move", "m", path=[[3, 0], [4, 0]]).end("m").rest()
    assert (fight["a"].position, fight["m"].position, fight["a"].mount) == ((2, 0), (4, 0), None)


@pytest.mark.parametrize(
    ("fight", "data", "code"),
    [
        (stable, {"path": ONTO, "mount": "m"}, None),
        (stable, {"path": ONTO[:1], "mount": "m"}, "mount_departed"),
        (stable, {"path": ONTO, "mount": "o"}, "mount_departed"),
        (stable, {"path": ONTO, "mount": "m", "pause": True}, "invalid_target"),
        (stable, {"ability": "follow", "targets": ["m"], "mount": "m"}, "invalid_target"),
        (stable, {"path": ONTO}, "space_occupied"),
        (lambda: stable("z"), {"path": ONTO, "mount": "m"}, "enemy_blocks_path"),
    ],
)
def test_RI_MOUNT_1_one_mounts_where_a_path_ends(fight: Any, data: dict[str, Any], code: str | None) -> None:
    decision = fight().send("move", "seat-x", creature="a", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_MOUNT_1_who_is_of_another_group_may_move_meanwhile() -> None:
    fight = begun(
        entry("pc@x/a", (0, 0)),
        entry("pc@x/m", (2, 0), carries_riders=True, communicates=False),
        entry("mon@y/o", (9, 0)),
    )
    assert fight.state.group_of("m") != fight.state.group_of("a")
    assert fight.refused("move", "a", path=ONTO, mount="m") == "mount_departed"


def test_RI_MOUNT_1_mounting_is_offered() -> None:
    fight = stable()
    assert fight.allows("move", "a", mount="m", path=((1, 0), (2, 0)))
    assert not fight.allows("move", "a", mount="m", path=((1, 0),))
