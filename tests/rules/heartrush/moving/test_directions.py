"""A push goes straight away from one space to the other, whatever their sizes (HR-WPN-6, HR-FORCE-1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.rules.space.grid import Cell, away_from
from tests.rules.heartrush.casts import ability, do, engaged, use
from tests.rules.heartrush.kit import Fight, begun

SIDES = {"large": 1, "l2": 2, "l3": 3, "l4": 4}


def rim(side: int) -> Iterator[tuple[Cell, Cell]]:
    """Yield each cell that touches the space of *side* cells at (0, 0), with the step that leads away."""
    for x in range(-1, side + 1):
        for y in range(-1, side + 1):
            step = ((x == side) - (x == -1), (y == side) - (y == -1))
            if step != (0, 0):
                yield (x, y), step


AROUND = [(size, cell, step) for size, side in SIDES.items() for cell, step in rim(side)]
EACH = pytest.mark.parametrize(("size", "at", "step"), AROUND)


def after(at: Cell, step: Cell, cells: int) -> Cell:
    return at[0] + step[0] * cells, at[1] + step[1] * cells


def pushes(size: str, at: Cell, **changes: Any) -> Fight:
    """Return a fight in which Pia, of this size at (0, 0), has hit the wolf at *at* and may push it."""
    fight = begun({"pia": (0, 0), "wolf": at}, sheets={"pia": {"size": size}}, **changes)
    engaged(fight, "pia", "wolf", pia="might", wolf="cunning")
    return fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")


@EACH
def test_HR_WPN_6_a_might_push_leads_straight_away_from_the_whole_space(
    size: str, at: Cell, step: Cell
) -> None:
    fight = pushes(size, at)
    fight.answer("choose_push", "pia", distance=10)
    assert fight.logged("push_begun")[-1].step == step
    assert fight["wolf"].position == after(at, step, 2)


@EACH
def test_HR_WPN_6_a_large_target_is_pushed_straight_away_too(size: str, at: Cell, step: Cell) -> None:
    """Pia stands beside the space of the wolf: it goes the other way, as far as the sizes allow."""
    fight = begun({"pia": at, "wolf": (0, 0)}, sheets={"wolf": {"size": size}, "pia": {"size": "large"}})
    assert fight.state.away("wolf", "pia") == (-step[0], -step[1])
    engaged(fight, "pia", "wolf", pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    feet = 5 * max(0, 2 + fight["pia"].rank - fight["wolf"].rank)
    if feet:
        fight.answer("choose_push", "pia", distance=feet)
    assert fight["wolf"].position == (-step[0] * feet // 5, -step[1] * feet // 5)


@pytest.mark.parametrize(("size", "mine"), [("l2", 2), ("l3", 3), ("l4", 4)])
def test_HR_WPN_6_two_large_spaces_that_face_each_other_part_in_a_straight_line(size: str, mine: int) -> None:
    for shift in range(-mine + 1, mine):
        fight = begun(
            {"pia": (0, 0), "wolf": (mine, shift)}, sheets={n: {"size": size} for n in ("pia", "wolf")}
        )
        assert fight.state.away("wolf", "pia") == (1, 0)
        assert fight.state.away("pia", "wolf") == (-1, 0)


def test_HR_FORCE_1_only_a_wall_on_the_straight_way_stops_a_push() -> None:
    """The review's case: the wall lies on the diagonal, the cell straight away is free."""
    fight = pushes("l2", (2, 1), terrain={"3,2": "wall"})
    fight.answer("choose_push", "pia", distance=20)
    assert fight["wolf"].position == (6, 1)
    assert not fight.logged("collision")


@EACH
def test_HR_FORCE_1_a_wall_on_the_straight_way_stops_a_push_where_it_stands(
    size: str, at: Cell, step: Cell
) -> None:
    x, y = after(at, step, 2)
    fight = pushes(size, at, terrain={f"{x},{y}": "wall"})
    fight.answer("choose_push", "pia", 3, distance=10)
    assert fight["wolf"].position == after(at, step, 1)
    assert [event.mover_damage for event in fight.logged("collision")] == [3]


def cells(at: Cell, side: int) -> set[Cell]:
    """Return the cells of a space."""
    return {(at[0] + x, at[1] + y) for x in range(side) for y in range(side)}


@pytest.mark.parametrize(
    "at", [(x, y) for x in range(-2, 4) for y in range(-2, 4) if x in (-2, 3) or y in (-2, 3)]
)
def test_HR_FORCE_1_a_wall_stops_a_large_target_where_any_of_its_space_meets_it(at: Cell) -> None:
    """Pia is 3 cells wide, the wolf 2: a wall in each cell around its way, one after the other."""
    step = ((at[0] >= 3) - (at[0] <= -2), (at[1] >= 3) - (at[1] <= -2))
    ways = [after(at, step, n) for n in range(4)]
    near = {
        (x + dx, y + dy) for way in ways for x, y in cells(way, 2) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
    }
    for wall in near - cells(at, 2) - cells((0, 0), 3):
        fight = begun(
            {"pia": (0, 0), "wolf": at},
            sheets={"pia": {"size": "l3"}, "wolf": {"size": "l2"}},
            terrain={f"{wall[0]},{wall[1]}": "wall"},
        )
        engaged(fight, "pia", "wolf", pia="might", wolf="cunning")
        fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
        free = next((n for n in range(3) if wall in cells(ways[n + 1], 2)), 3)
        fight.answer("choose_push", "pia", *[1] * (3 - free), distance=15)
        assert (wall, fight["wolf"].position) == (wall, ways[free])


@EACH
def test_HR_WPN_6_whoever_follows_enters_a_cell_on_the_straight_way(size: str, at: Cell, step: Cell) -> None:
    fight = pushes(size, at)
    ways = [o for o in fight.offers("zoe", "pia") if o.type == "choose_push" and o.given["distance"] == 10]
    assert set(ways[0].choices["follow"]) <= {None, at, after(at, step, 1)}


def test_HR_WPN_6_one_follows_a_large_target_into_any_cell_it_leaves() -> None:
    fight = begun({"pia": (0, 1), "wolf": (1, 0)}, sheets={"wolf": {"size": "l2"}, "pia": {"size": "large"}})
    engaged(fight, "pia", "wolf", pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", distance=5, follow=[1, 1])
    assert (fight["wolf"].position, fight["pia"].position) == ((2, 0), (1, 1))


@EACH
def test_HR_CAST_3_force_strike_pushes_straight_away_from_a_large_caster(
    size: str, at: Cell, step: Cell
) -> None:
    growth = {"spells": ["force-strike"], "attunements": ["force"]}
    fight = begun(
        {"pia": (0, 0), "wolf": at}, sheets={"pia": {"size": size, "shield": "none", "growth": growth}}
    )
    fight.do("cast", creature="pia", ability="force-strike", params={}).given("pia", action=1)
    engaged(fight, "pia", "wolf", pia="might", wolf="defensive")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    assert fight["wolf"].position == after(at, step, 3)


@EACH
def test_HR_HIND_1_a_shove_leads_straight_away_from_a_large_creature(size: str, at: Cell, step: Cell) -> None:
    fight = begun({"pia": (0, 0), "wolf": at}, sheets={"pia": {"size": size, "weapons": []}})
    engaged(fight, "pia", "wolf", pia="cunning", wolf="defensive")
    fight.answer("declare_offensive", "pia", what="hinder", way="push", target="wolf", condition=None)
    assert fight.logged("push_begun")[-1].step == step


@EACH
def test_HR_FORCE_1_an_effect_pushes_straight_away_from_its_source(size: str, at: Cell, step: Cell) -> None:
    gust = ability(
        "gust",
        "minor",
        params=[{"name": "one", "kind": "creature", "within_ft": 10}],
        effects=[do("push", creature="$one", feet=10)],
    )
    fight = begun(
        {"pia": (0, 0), "wolf": at}, sheets={"pia": {"size": size, "abilities": ["gust"]}}, abilities=[gust]
    )
    use(fight, "pia", "gust", one="wolf")
    assert fight["wolf"].position == after(at, step, 2)


@EACH
def test_HR_WPN_13_a_blast_pushes_straight_away_from_a_large_caster(size: str, at: Cell, step: Cell) -> None:
    blast = {
        "id": "force-blast",
        "size_class": "ultralight",
        "attack_type": "melee",
        "damage_type": "none",
        "tags": ["spell"],
        "cantrip": {"element": "force", "form": "blast", "harmless": True, "push_ft": 10},
    }
    pia = {"size": size, "weapons": [blast], "growth": {"attunements": ["force"]}}
    fight = begun({"pia": (0, 0), "wolf": at}, sheets={"pia": pia})
    engaged(fight, "pia", "wolf", pia="cunning", wolf="defensive")
    fight.answer("declare_attack", "pia", 6, 6, 4, 1, 1, target="wolf")
    assert fight.logged("push_begun")[-1].step == step


@EACH
def test_HR_OA_3_the_push_of_an_opportunity_attack_leads_straight_away(
    size: str, at: Cell, step: Cell
) -> None:
    fight = begun(
        {"pia": (0, 0), "wolf": at}, sheets={"pia": {"size": size}}, options={"oa_perks": "as_if_beaten"}
    ).given("wolf", exposed=True)
    strike = {"creature": "pia", "target": "wolf", "stance": "might"}
    fight.do("opportunity_attack", 1, 1, 1, 1, 6, 6, **strike, push=10)
    assert fight["wolf"].position == after(at, step, 2)


def test_between_spaces_that_overlap_the_direction_is_that_of_their_centres() -> None:
    assert away_from((1, 1), 1, (0, 0), 2) == (1, 1)
    assert away_from((0, 0), 1, (0, 0), 2) == (-1, -1)
    assert away_from((1, 1), 1, (0, 0), 3) == (1, 0), "the centres coincide"


def test_between_single_cells_the_direction_is_that_of_the_cells() -> None:
    steps = {(4, 1): (1, 0), (4, 2): (1, 1), (-1, 3): (0, 1), (-3, -3): (-1, -1), (0, 0): (1, 0)}
    assert {cell: away_from(cell, 1, (0, 0), 1) for cell in steps} == steps
