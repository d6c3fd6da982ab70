"""Hold areas: their shapes on the grid, walls and heights, whom an ability means, and how it attacks them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from service.rules.kernel.codec import from_data
from service.rules.kernel.records import changed
from service.rules.rise import RISE
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.sheet import Area, Zone
from service.rules.rise.creatures.state import Placed
from service.rules.rise.sight.obstacles_and_targets import is_filled, origin_of
from service.rules.rise.table.opening import Opening, faults
from service.usecases.openings import opening_faults
from tests.rules.rise.kit import Fight, begun, entry, opened, opening, unfolded

Shape = dict[str, Any]
FAR: Shape = {"range_ft": 60}


def blast(shape: str = "sphere", size_ft: int = 10, **area: Any) -> dict[str, Any]:
    """Return an ability that attacks whoever is in an area, and does half to whom it misses."""
    return {
        "id": "blast",
        "area": {"shape": shape, "size_ft": size_ft, **area},
        "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
    }


def quake(shape: str = "sphere", size_ft: int = 10, **area: Any) -> dict[str, Any]:
    """Return an ability that hurts whoever is in an area, without a roll."""
    made = {"shape": shape, "size_ft": size_ft, **area}
    return {"id": "blast", "area": made, "effects": [{"does": "damage", "amount": 4}]}


def hurt(fight: Fight, at: tuple[int, int] | None = None, **more: Any) -> set[str]:
    """Let `u` use its blast and return whom it hurt, as its group knows."""
    data = {"at": list(at), **more} if at else more
    fight.do("use_ability", "u", ability="blast", **data)
    world = fight.state.at("p")
    return {name for name, creature in world.creatures.items() if creature.hp < creature.sheet.hp_max}


def drawn(area: Shape, at: tuple[int, int] | None = None, size: str = "medium") -> list[str]:
    """Return what the shape of a user at (0, 0) covers, row by row from -1, -1 to 4, 4."""
    user = opened(entry("mon@p/u", (0, 0), size=size)).state.creatures["u"]
    shape = from_data(Area, area)
    origin = origin_of(user, shape, at)
    cells = range(-1, 5)
    return ["".join(".#"[is_filled(shape, origin, at, (x, y))] for x in cells) for y in cells]


@pytest.mark.parametrize(
    ("area", "at", "rows"),
    [
        ({"shape": "cone", "size_ft": 20}, (3, 0), "..#### ..#### ..#### ...##. ....#. ......"),
        ({"shape": "cone", "size_ft": 15}, (2, 2), "...... ..###. .####. .###.. .##... ......"),
        ({"shape": "line", "size_ft": 20}, (1, 0), "...... ..#### ...... ...... ...... ......"),
        ({"shape": "line", "size_ft": 20}, (2, 1), "...... ..#... ..###. ....#. ...... ......"),
        ({"shape": "line", "size_ft": 20}, (3, 3), "...... ...... ..#... ...#.. ....#. ......"),
        (
            {"shape": "line", "size_ft": 15, "width_ft": 10},
            (2, 0),
            "..###. ..###. ...... ...... ...... ......",
        ),
        (
            {"shape": "line", "size_ft": 15, "width_ft": 15},
            (1, 1),
            "...... ..##.. .####. .###.. ..#... ......",
        ),
        ({"shape": "sphere", "size_ft": 10}, None, "####.. ####.. ####.. ###... ...... ......"),
        ({"shape": "sphere", "size_ft": 15, **FAR}, (3, 1), "..#### .##### .##### .##### ..#### ...###"),
    ],
)
def test_shapes_cover_the_cells_of_the_grid(area: Shape, at: tuple[int, int] | None, rows: str) -> None:
    """RI-ATK-1: cones are a quarter of a circle, lines take what they pass through, distances are 5-10-5."""
    assert " ".join(drawn(area, at)) == rows


def test_what_spreads_from_a_large_user_spreads_from_all_of_it() -> None:
    near = drawn({"shape": "sphere", "size_ft": 5}, size="large")
    assert near == [*["####.."] * 4, "......", "......"]
    cone = drawn({"shape": "cone", "size_ft": 5}, (4, 1), size="large")
    assert cone[1:4] == ["...#..", "...#..", "...#.."], "from the side that it points to"


def placed(ability: Shape, *others: Shape, **changes: Any) -> Fight:
    """Return a fight of `u`, an ally `a` at (1, 1), an enemy `e` at (2, 0) and *others*, in round 1."""
    user = entry("mon@p/u", (0, 0), abilities=[ability])
    return begun(user, entry("mon@p/a", (1, 1)), entry("mon@m/e", (2, 0)), *others, **changes)


@pytest.mark.parametrize(("whom", "names"), [("everyone", {"a", "e"}), ("enemies", {"e"}), ("allies", {"a"})])
def test_an_area_catches_whom_the_ability_means_allies_too(whom: str, names: set[str]) -> None:
    """RI-GROUP-2: what spreads from its user spares it; who is felled already is no target."""
    gone = entry("mon@m/dead", (0, 1))
    fight = placed(quake(whom=whom), gone)
    fight.state = fight.state.with_at(
        "p", fight.state.at("p").with_creature("dead", defeated=True, dead=True)
    )
    assert hurt(fight) == names


def test_who_places_an_area_around_itself_is_in_it() -> None:
    assert hurt(placed(quake(**FAR)), (1, 0)) == {"u", "a", "e"}
    assert hurt(placed(quake(whom="enemies", **FAR)), (1, 0)) == {"e"}


def test_RI_ATK_1_walls_keep_areas_out_and_cylinders_go_around_them() -> None:
    walls = {"terrain": {"1,0": "wall", "1,-1": "wall"}}
    assert hurt(placed(quake(), **walls)) == {"a"}
    assert hurt(placed(quake("cylinder", 15), **walls)) == {"a", "e"}
    walls["terrain"] |= {"0,1": "wall", "1,1": "normal", "-1,1": "wall", "-1,-1": "wall", "0,-1": "wall"}
    fight = placed(quake("cylinder", 15), terrain={**walls["terrain"], "-1,0": "wall", "2,1": "wall"})
    assert hurt(fight) == {"a", "e"}, "past the corner, as steps go"


@pytest.mark.parametrize("seed", range(20))
def test_RI_ATK_1_rows_of_wall_are_the_cells_that_are_wall(seed: int) -> None:
    """The first zone that covers a cell says what it is, then the map."""
    random = Random(seed)
    wide = range(-9, 10)
    terrain = {f"{x},{y}": random.choice(("wall", "wall", "difficult")) for x in wide for y in (-4, 0, 5)}
    zones = tuple(
        Placed(
            zone=Zone(
                kind=random.choice(("wall", "difficult", "darkness")), radius_ft=5 * random.randint(0, 5)
            ),
            at=(random.choice(wide), random.choice(wide)),
            source="u",
            since=1,
            number=i,
        )
        for i in range(random.randint(0, 6))
    )
    state = changed(opened(entry("mon@p/u", (0, 2)), terrain=terrain).state, zones=zones)
    for y in wide:
        spans = state.solid_spans(y)
        told = [any(first <= x <= last for first, last in spans) for x in wide]
        assert told == [state.ground((x, y)) == "wall" for x in wide]


def test_RI_ATK_1_the_largest_cylinders_among_walls_are_no_work() -> None:
    """Forty at once: what an area fills is found by rows, not by cells."""
    large = {
        **quake("cylinder", 480, whom="allies"),
        "tags": ["swift"],
        "usage": "minor",
        "effects": [{"does": "gain", "condition": "aura", "until": "round"}],
    }
    users = [entry(f"mon@p/u{i}", (i, 0), abilities=[large]) for i in range(40)]
    far = [entry("mon@p/behind", (20, 60)), entry("mon@p/shut", (20, 70))]
    ring = {f"{x},{y}": "wall" for x in range(18, 23) for y in range(68, 73) if (x, y) != (20, 70)}
    walls = {**ring, **{f"{x},30": "wall" for x in range(50)}}
    fight = opened(*users, *far, entry("mon@m/e", (0, 9)), terrain=walls)
    fight.do("start_combat", start_phase="action")
    for i in range(40):
        fight.do("commit_swift", f"u{i}", ability="blast")
    fight.to_actions()
    seen = {name for name in fight.state.creatures if fight.seen("p", name).has("aura")}
    assert (len(seen), "behind" in seen, "shut" in seen) == (41, True, False)


@pytest.mark.parametrize(
    ("shape", "altitude", "is_hit"),
    [
        ("sphere", 10, True),
        ("sphere", 20, False),
        ("cylinder", 15, True),
        ("line", 5, False),
        ("line", 0, True),
    ],
)
def test_heights_count(shape: str, altitude: int, *, is_hit: bool) -> None:
    """A sphere is round, a cylinder as high as it is wide, a line 5 feet high."""
    bird = entry("mon@m/bird", (1, 0), speeds={"fly": 30}, altitude=altitude)
    at = (1, 0) if shape == "line" else None
    assert ("bird" in hurt(placed(quake(shape, 15), bird), at)) is is_hit
    if shape == "sphere":
        high = hurt(placed(quake(size_ft=5, **FAR), bird), (1, 0), altitude_ft=altitude)
        assert "bird" in high, "an area in the air"
        assert ("a" in high) is (altitude <= 5)


def test_RI_ATK_1_where_an_area_may_lie() -> None:
    """Each refusal reads what the group knows, and no creature at all."""
    fight = placed(quake(size_ft=10, range_ft=15), terrain={"0,2": "wall", "4,4": "wall"})
    use = {"ability": "blast"}
    assert fight.refused("use_ability", "u", **use) == "invalid_target"
    assert fight.refused("use_ability", "u", **use, targets=["e"], at=[2, 0]) == "invalid_target"
    assert fight.refused("use_ability", "u", **use, at=[4, 0]) == "target_out_of_range"
    assert fight.refused("use_ability", "u", **use, at=[3, 0], altitude_ft=15) == "target_out_of_range"
    assert fight.refused("use_ability", "u", **use, at=[1, 0], altitude_ft=7) == "invalid_target"
    assert fight.refused("use_ability", "u", **use, at=[0, 3]) == "no_line_of_effect"
    assert fight.refused("use_ability", "u", **use, at=[0, 2]) == "no_line_of_effect"
    fight.do("use_ability", "u", **use, at=[-3, 0])
    assert not fight.logged("damage_rolled"), "nobody need be there"
    cone = placed(quake("cone", 15))
    assert cone.refused("use_ability", "u", **use, at=[0, 0]) == "invalid_target"
    assert cone.refused("use_ability", "u", **use, at=[1, 0], altitude_ft=5) == "invalid_target"
    assert cone.refused("use_ability", "u", **use, at=[9, 0]) == "target_out_of_range"
    spread = placed(quake())
    assert spread.refused("use_ability", "u", **use, at=[1, 0]) == "invalid_target"
    assert spread.refused("use_ability", "u", **use, altitude_ft=5) == "invalid_target"


def test_options_place_an_area_wherever_somebody_stands() -> None:
    def given(fight: Fight) -> list[Any]:
        return [
            o.given.get("at")
            for o in unfolded(fight.offers("gm"), "at")
            if o.given.get("ability") == "blast" and o.creature == "u"
        ]

    assert given(placed(quake())) == [None]
    assert given(placed(quake(range_ft=5))) == [(0, 0), (1, 1)]
    assert given(placed(quake("line", 10))) == [(1, 1), (2, 0)]


def test_RI_ATK_5_each_creature_in_it_is_attacked_and_half_is_done_to_whom_it_misses() -> None:
    """RI-ATK-4: hit, glance and miss, each with a roll of its own."""
    fight = placed(blast(**FAR), entry("mon@m/g", (3, 0)))
    fight.do("use_ability", "u", 9, 6, 5, 5, 1, 4, ability="blast", at=[3, 0])
    assert [roll.outcome for roll in fight.logged("attack_rolled")] == ["hit", "glance", "miss"]
    assert [roll.target for roll in fight.logged("attack_rolled")] == ["a", "e", "g"]
    assert [event.amount for event in fight.logged("damage_rolled")] == [6, 2, 2]
    fight.end("u").rest()
    assert [fight[name].hp for name in ("a", "e", "g")] == [14, 18, 18]


def test_RI_ATK_13_nothing_hides_from_what_fills_an_area() -> None:
    fight = placed(blast(whom="enemies"))
    fog = fight.state.at("p").with_creature("e", conditions=(Condition(name="unseen"),))
    fight.state = fight.state.with_at("p", fog)
    fight.do("use_ability", "u", 9, 6, ability="blast")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"


def test_RI_ATK_15_cover_is_looked_for_from_where_the_area_begins() -> None:
    """Who gives cover is attacked itself, and not a second time for what misses the covered."""
    fight = placed(blast(whom="enemies", **FAR), entry("mon@m/g", (4, 0)), entry("mon@m/h", (6, 0)))
    fight.do("use_ability", "u", 1, 1, 1, 1, 1, ability="blast", at=[4, 0])
    assert [(roll.target, roll.cover) for roll in fight.logged("attack_rolled")] == [
        ("e", None),
        ("g", None),
        ("h", None),
    ]
    fight = placed(blast("line", 30, whom="enemies"), entry("mon@m/g", (4, 0)))
    fight.do("use_ability", "u", 1, 1, 1, ability="blast", at=[1, 0])
    assert fight.logged("attack_rolled")[-1].cover.by == "e"
    assert fight.logged("cover_struck")[-1].outcome == "none"
    assert [event.target for event in fight.logged("damage_rolled")] == ["e"]


def test_RI_V_19_an_area_that_fells_an_ally_takes_its_turn_away() -> None:
    """RI-ACT-10, RI-RES-13: an enemy's does not."""
    strong = {**quake(), "effects": [{"does": "damage", "amount": 40}]}
    fight = begun(
        entry("mon@p/u", (0, 0), abilities=[strong]), entry("mon@p/c", (1, 0)), entry("mon@m/e", (2, 0))
    )
    fight.do("use_ability", "u", ability="blast").end("u")
    assert fight.refused("begin_turn", "c") == "actor_incapacitated"
    fight.do("strike", "e", 9, 3, target="c").end("e")
    assert fight["e"].defeated


def test_RI_RES_7_an_area_catches_who_stood_there_when_it_was_used() -> None:
    """RI-INFO-3: an enemy that walks away in the same phase is hit, whichever group is decided first."""
    acts: dict[str, tuple[str, dict[str, Any]]] = {
        "u": ("use_ability", {"ability": "blast"}),
        "e": ("move", {"path": [[3, 0], [4, 0], [5, 0], [6, 0]]}),
    }
    ends = []
    for order in (("u", "e"), ("e", "u")):
        fight = placed(quake(whom="enemies"))
        for name in order:
            fight.do(acts[name][0], name, **acts[name][1]).end(name)
        fight.rest()
        ends.append((fight["e"].position, fight["e"].hp))
    assert ends == [((6, 0), 16)] * 2


def test_RI_SWIFT_1_what_is_swift_spreads_over_allies_before_the_attacks() -> None:
    """Committed to without a target: whom it is for is found where they stand."""
    aura = {
        "id": "blast",
        "tags": ["swift"],
        "usage": "minor",
        "area": {"shape": "sphere", "size_ft": 10, "whom": "allies"},
        "effects": [{"does": "gain", "condition": "aura", "modifiers": {"armor": 5}, "until": "round"}],
    }
    fight = opened(
        entry("mon@p/u", (0, 0), abilities=[aura]),
        entry("mon@p/a", (1, 0)),
        entry("mon@p/far", (9, 0)),
        entry("mon@m/e", (2, 0)),
        options={"visibility": "full"},
    ).do("start_combat", start_phase="action")
    assert fight.refused("commit_swift", "u", ability="blast", targets=["a"]) == "invalid_target"
    fight.do("commit_swift", "u", ability="blast").to_actions()
    assert [name for name in fight.state.creatures if fight.seen("p", name).has("aura")] == ["a"]
    fight.do("strike", "e", 9, target="a")
    assert fight.logged("attack_rolled")[-1].defenses == {"armor": 17}


def test_RI_ATK_11_what_is_set_off_fills_its_area() -> None:
    thorns = {**quake(size_ft=5), "tags": ["reactive"], "trigger": "hurt", "usage": "none"}
    fight = begun(
        entry("mon@p/u", (0, 0), abilities=[thorns]), entry("mon@m/e", (1, 0)), entry("mon@m/g", (0, 1))
    )
    fight.do("strike", "e", 9, 3, target="u").end("e").rest()
    assert (fight["e"].hp, fight["g"].hp) == (16, 16)


def test_RI_DELAY_4_what_comes_later_comes_on_whom_it_caught() -> None:
    fight = placed({**quake(whom="enemies"), "later": "next_action", "at_once": True})
    fight.do("use_ability", "u", ability="blast").end("u").rest()
    fight.do("plan_movement", "e", path=[[3, 0], [4, 0], [5, 0], [6, 0]]).to_actions()
    fight.do("begin_turn", "u").end("u").rest()
    assert (fight["e"].position, fight["e"].hp) == ((6, 0), 12)


def test_RI_UNIV_SHOVE_what_is_too_big_is_left_alone_by_what_asks_for_size() -> None:
    ogre = entry("mon@m/ogre", (-3, -3), size="huge")
    assert hurt(placed({**quake(size_ft=15), "tags": ["size_based"]}, ogre)) == {"a", "e"}
    assert hurt(placed(quake(size_ft=15), ogre)) == {"a", "e", "ogre"}


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"size_ft": 12}, "/size_ft"),
        ({"size_ft": 0}, "/size_ft"),
        ({"range_ft": 485}, "/range_ft"),
        ({"width_ft": 10}, "/width_ft"),
        ({"shape": "cone", "range_ft": 30}, "/range_ft"),
    ],
)
def test_an_area_that_cannot_be_is_refused_with_the_opening(wrong: Shape, key: str) -> None:
    data = opening(entry("mon@p/u", (0, 0), abilities=[quake(**wrong)]))
    assert [at for at, _ in opening_faults(RISE, data)] == [f"/creatures/0/sheet/abilities/0/area{key}"]


def test_RI_SWIFT_2_what_is_swift_is_not_aimed() -> None:
    ward = {**quake(**FAR), "tags": ["swift"], "effects": [{"does": "heal_hp", "amount": 1}]}
    data = opening(entry("mon@p/u", (0, 0), abilities=[ward]))
    assert [at for at, _ in faults(from_data(Opening, data))] == ["/creatures/0/sheet/abilities/0/area"]


def test_RI_PHASE_1_areas_that_attack_are_for_the_action_phase() -> None:
    fight = begun(entry("mon@p/u", (0, 0), abilities=[{**quake(), "usage": "free"}]), phase="movement")
    plan = {"path": [[1, 0]], "free_actions": [{"ability": "blast"}]}
    assert fight.refused("plan_movement", "u", **plan) == "wrong_phase"
