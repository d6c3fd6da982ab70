"""RI-GROUP-8: groups hold no two enemies, however many friends they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.rules.rise.planning.groups import partition
from tests.rules.rise.kit import begun, entry, opened


def groups_of(
    creatures: Sequence[str], friends: Sequence[str], foes: Sequence[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Return the groups of creatures `side/name`, of whom pairs `a-b` are friends or foes in both eyes."""
    fight = opened(*(entry(f"pc@{who}", (2 * i, 0)) for i, who in enumerate(creatures)))
    for pairs, attitude in ((friends, "ally"), (foes, "enemy")):
        for pair in pairs:
            a, b = pair.split("-")
            fight.do("set_attitude", a, toward=b, attitude=attitude)
            fight.do("set_attitude", b, toward=a, attitude=attitude)
    return dict(partition(fight.state))


def test_RI_GROUP_8_a_friend_of_two_enemies_stays_with_one_of_them() -> None:
    """n64, n89: a-b and b-c are allies, a and c enemies."""
    assert groups_of(["p/a", "q/b", "r/c"], ["a-b", "b-c"]) == {"p": ("a", "b"), "r": ("c",)}


def test_RI_GROUP_8_a_friend_of_two_enemies_stays_with_its_own_side() -> None:
    assert groups_of(["p/a", "r/b", "r/c"], ["a-b"]) == {"p": ("a",), "r": ("b", "c")}


def test_three_sides_that_are_all_friends_are_one_group() -> None:
    assert groups_of(["p/a", "q/b", "r/c"], ["a-b", "b-c", "a-c"]) == {"p": ("a", "b", "c")}


def test_RI_GROUP_8_two_of_one_side_that_are_enemies_act_apart() -> None:
    found = groups_of(["p/a", "p/b", "p/c"], [], ["a-c"])
    assert sorted(found.values()) == [("a", "b"), ("c",)]


def test_RI_GROUP_8_the_gm_may_put_enemies_together() -> None:
    fight = opened(entry("pc@p/a", (0, 0)), entry("pc@q/b", (2, 0)))
    fight.do("set_groups", groups={"both": ["a", "b"]})
    assert dict(partition(fight.state)) == {"both": ("a", "b")}


def test_who_is_struck_down_by_the_friend_of_a_friend_reads_nothing_of_it() -> None:
    """n89: the third side's command is not refused for what is done in secret."""
    fight = opened(entry("pc@p/a", (0, 0)), entry("pc@q/b", (0, 1)), entry("mon@r/c", (1, 0), hp=3))
    for x, y in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")):
        fight.do("set_attitude", x, toward=y, attitude="ally")
    fight.do("start_combat", start_phase="action").to_actions()
    fight.do("strike", "a", 8, 5, target="c").end("a").do("pass_turn", "b")
    fight.do("strike", "c", 8, 5, target="a")
    assert fight.state.group_of("a") != fight.state.group_of("c")
    assert begun(entry("pc@p/a", (0, 0))).state.groups == {"p": ("a",)}
