"""Every way to move by every rule about moving: each cell of the table is played once.

The wolf stands at 0,0 and comes to 1,0, whatever moves it there: its own legs, a push, a hold, a mount, the
GM's word. What that brings is written here by hand, and compared with the product's own table too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from service.rules import heartrush
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import WAYS
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, sheet

Ready = Callable[[Fight], Fight]
Last = tuple[str, dict[str, Any]]
"""The command that moves the wolf, and what it says."""


def condition(fight: Fight, creature: str, name: str, source: str | None = None) -> Fight:
    """Let a condition affect *creature* beside those that do."""
    return fight.given(creature, conditions={**fight[creature].conditions, name: Condition(source=source)})


def bound(fight: Fight, one: str, first: str, other: str, second: str) -> Fight:
    """Tie two creatures, each by its condition."""
    return condition(condition(fight, one, first, other), other, second, one)


def settled(fight: Fight) -> Fight:
    """Throw ones where dice are asked for, and take every damage, until somebody has to choose."""
    while True:
        asked = waiting(fight.state)
        dice = next((a for a in asked if a.wants), None)
        hurt = next((a for a in asked if "accept_damage" in a.accepts), None)
        if dice is not None:
            fight.send("throw_dice", dice.seat, prompt=dice.prompt, faces=[1] * len(dice.wants))
        elif hurt is not None:
            fight.answer("accept_damage", str(hurt.creature))
        else:
            return fight


def ruling(**effect: Any) -> Last:
    """Return a ruling of the GM with one effect."""
    return "gm_ruling", {"kind": "effect", "decision": "so it is", "effects": [effect]}


@dataclass(frozen=True)
class Scene:
    """How the wolf comes from 0,0 to 1,0."""

    how: str
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Who is there besides."""
    before: Ready = lambda fight: fight
    """What comes before."""
    last: Callable[[Fight], Last] = lambda _: ("", {})
    sheets: dict[str, Any] = field(default_factory=dict)
    terrain: dict[str, str] = field(default_factory=dict)


def asked(fight: Fight) -> str:
    """Return the prompt that waits for the wolf, or none."""
    return next((found.prompt for found in waiting(fight.state) if found.creature == "wolf"), "none")


def in_agility(fight: Fight) -> Fight:
    """Engage Bru, who only defends, in agility."""
    fight.do("engage", creature="wolf", target="bru").joined_by()
    return fight.stances(wolf="agility", bru="defensive")


def moves_first(fight: Fight) -> Fight:
    in_agility(fight)
    if any("pass_window" in asked.accepts for asked in waiting(fight.state)):
        fight.answer("pass_window", "wolf")
    return fight.answer("declare_agility", "wolf", order="move_first")


def strikes(fight: Fight) -> Fight:
    """Strike Pia at 1,0, and earn a push."""
    fight.do("engage", creature="wolf", target="pia").joined_by().stances(wolf="might", pia="cunning")
    return settled(fight.answer("declare_attack", "wolf", target="pia"))


def pia_holds(fight: Fight) -> Fight:
    return bound(fight, "pia", "grappling", "wolf", "grappled").do("pass_side", side="enemies")


def on_ogre(fight: Fight) -> Fight:
    fight.given("ogre", position=(0, 0))
    return bound(fight, "wolf", "creature_climber", "ogre", "climbed_on")


BESIDE_BRU = {"bru": (0, -1)}
EARLY = ability(
    "early",
    "heart",
    "instant",
    trigger=["stances_revealed"],
    params=[{"name": "to", "kind": "cell"}],
    effects=[do("early_sidestep", creature="self", to="$to")],
)
AROUND = {f"{x},{y}": "wall" for x, y in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1))}

SCENES = {
    "dash": Scene("dash", last=lambda _: ("dash", {"creature": "wolf", "path": [[1, 0]]})),
    "sidestep": Scene("sidestep", last=lambda _: ("sidestep", {"creature": "wolf", "to": [1, 0]})),
    "free sidestep": Scene(
        "sidestep",
        BESIDE_BRU,
        moves_first,
        lambda fight: ("sidestep", {"creature": "wolf", "to": [1, 0], "prompt": asked(fight)}),
    ),
    "early sidestep": Scene(
        "sidestep",
        BESIDE_BRU,
        in_agility,
        lambda fight: (
            "declare_instant",
            {
                "creature": "wolf",
                "ability": "early",
                "params": {"to": [1, 0]},
                "prompt": asked(fight),
            },
        ),
        {"wolf": {"abilities": ["early"]}},
    ),
    "followed": Scene(
        "followed",
        {"pia": (1, 0)},
        strikes,
        lambda fight: (
            "choose_push",
            {"creature": "wolf", "distance": 10, "follow": [1, 0], "prompt": asked(fight)},
        ),
    ),
    "pushed": Scene("pushed", last=lambda _: ruling(kind="push", creature="wolf", feet=5, direction=[1, 0])),
    "companion": Scene(
        "companion",
        {"pia": (1, 0)},
        pia_holds,
        lambda _: ruling(kind="push", creature="pia", feet=5, direction=[1, 0]),
    ),
    "dragged": Scene(
        "dragged", {"pia": (1, 0)}, pia_holds, lambda _: ("sidestep", {"creature": "pia", "to": [2, 0]})
    ),
    "carried": Scene(
        "carried",
        {"ogre": (-9, 0)},
        on_ogre,
        lambda _: ("dash", {"creature": "ogre", "path": [[1, 0]]}),
    ),
    "placed": Scene("placed", last=lambda _: ruling(kind="move", creature="wolf", to=[1, 0])),
    "set down": Scene(
        "set_down",
        {"ogre": (-9, 0)},
        on_ogre,
        lambda _: ruling(kind="lose_condition", creature="wolf", condition="creature_climber"),
        terrain=AROUND,
    ),
}
NOT_PLAYED = ("mounted",)
"""Ways with a test of their own: who climbs on is where its mount is."""


def played(scene: Scene, ready: Ready, places: dict[str, tuple[int, int]], **changes: Any) -> Fight:
    """Return the fight after the wolf was to be moved; a refusal is left in it."""
    there = {"wolf": (0, 0), "orc": (21, 20), **scene.places, **places}
    if "bru" not in there and not any(name in there for name in ("pia", "ash")):
        there["pia"] = (20, 20)
    terrain = {**scene.terrain, **changes.pop("terrain", {})}
    for at in places.values():
        terrain.pop(f"{at[0]},{at[1]}", None)
    sheets: dict[str, Any] = {
        "ogre": {"like": "orc", "size": "large"},
        "gob": {"like": "wolf"},
        "ash": {"weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]},
    }
    for name, given in (*scene.sheets.items(), *changes.pop("sheets", {}).items()):
        sheets[name] = {**sheets.get(name, {}), **given}
    fight = begun(there, first="enemies", sheets=sheets, abilities=[EARLY], terrain=terrain, **changes)
    ready(scene.before(fight))
    fight.events.clear()
    type_, data = scene.last(fight)
    fight.send(type_, fight.seat_for(data), **data)
    return settled(fight)


def is_kept(fight: Fight) -> bool:
    """Return whether the wolf was not moved."""
    return fight["wolf"].position == (0, 0)


def windows(fight: Fight, trigger: str) -> list[str]:
    return [event.subject for event in fight.logged("window_opened") if event.trigger == trigger]


def trip(scene: Scene) -> bool:
    fight = played(scene, lambda f: condition(f, "wolf", "off_balanced"), {"ash": (2, 1)})
    assert not is_kept(fight), fight.refusal
    return windows(fight, "trip") == ["wolf"]


def struck(scene: Scene) -> bool:
    fight = played(scene, lambda f: f, {"ash": (-1, -1)})
    return "wolf" in windows(fight, "moves")


LEDGE = {
    "heights": {f"{x},{y}": 5 for x in range(-6, 1) for y in range(-6, 7)},
    "ledges": [f"0,{y}|1,{y}" for y in range(-6, 7)],
}


def falls(scene: Scene) -> bool:
    fight = played(scene, lambda f: f, {}, scenery=LEDGE)
    return "wolf" in [event.creature for event in fight.logged("fell")]


def meets(scene: Scene) -> bool:
    hidden = {"sheet": sheet("imp", like="wolf"), "position": [1, 0]}
    fight = played(scene, lambda f: f.do("hide_creature", entry=hidden), {})
    return is_kept(fight) and [e.found_by for e in fight.logged("hidden_creature_revealed")] == ["wolf"]


def breath(scene: Scene) -> bool:
    fight = played(scene, lambda f: f.given("wolf", breath=9), {})
    return fight["wolf"].breath == 8


def fear(scene: Scene) -> bool:
    return is_kept(played(scene, lambda f: condition(f, "wolf", "frightened", "ash"), {"ash": (9, 0)}))


def bound_to_the_spot(scene: Scene) -> bool:
    return is_kept(played(scene, lambda f: condition(f, "wolf", "restrained"), {}))


def pays(scene: Scene) -> bool:
    sheets = {"wolf": {"speed": 5}}
    return is_kept(played(scene, lambda f: f, {}, terrain={"1,0": "difficult"}, sheets=sheets))


def counts(scene: Scene) -> bool:
    return played(scene, lambda f: f, {})["wolf"].moved_ft == 5


def captive(scene: Scene) -> str:
    """Return what becomes of the gob at -1,0, which the wolf holds."""
    fight = played(scene, lambda f: bound(f, "wolf", "grappling", "gob", "grappled"), {"gob": (-1, 0)})
    if is_kept(fight):
        return "keeps the wolf"
    held = fight["gob"].has("grappled")
    assert held == fight["wolf"].has("grappling")
    assert held == (fight["gob"].position == (0, 0)), "it is held where it came along, and nowhere else"
    return "comes" if held else "freed"


def climber(scene: Scene) -> str:
    """Return where the gob is that climbs on the wolf."""
    fight = played(
        scene,
        lambda f: bound(f.given("gob", position=(0, 0)), "gob", "creature_climber", "wolf", "climbed_on"),
        {"gob": (-9, 9)},
    )
    return "is carried" if fight["gob"].position == fight["wolf"].position != (0, 0) else "is left"


OWN = ("dash", "sidestep", "free sidestep", "early sidestep", "followed")
STEPS = OWN[1:4]
FORCED = ("pushed", "companion", "dragged")
RULES: dict[str, tuple[Callable[[Scene], object], tuple[str, ...]]] = {
    "tripped": (trip, OWN + FORCED),
    "struck": (struck, ("dash",)),
    "falls": (falls, (*OWN, *FORCED, "carried")),
    "breath": (breath, OWN),
    "fear": (fear, OWN),
    "speed 0": (bound_to_the_spot, OWN),
    "pays": (pays, ("dash", "followed")),
    "counts": (counts, ("dash", *STEPS)),
}
"""What each rule looks at, and in which scenes it brings something."""
CAPTIVES = {
    "dash": "keeps the wolf",
    "followed": "keeps the wolf",
    **dict.fromkeys((*STEPS, "pushed"), "comes"),
    **dict.fromkeys(("companion", "dragged", "carried", "placed", "set down"), "freed"),
}
FIELDS = {"fear": "by_itself", "speed 0": "by_itself"}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("rule", RULES)
def test_HR_MOVE_7_each_way_brings_what_the_table_says(rule: str, name: str) -> None:
    """HR-ACT-13, HR-MOVE-3, HR-FALL-2, HR-BREATH-1, HR-COND-15, HR-COND-5, HR-ENV-1, HR-MOVE-4."""
    look, brings = RULES[rule]
    assert look(SCENES[name]) is (name in brings)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("rule", RULES)
def test_HR_MOVE_7_the_table_of_the_product_says_so_too(rule: str, name: str) -> None:
    assert getattr(WAYS[SCENES[name].how], FIELDS.get(rule, rule)) is (name in RULES[rule][1])


def test_HR_MOVE_7_every_way_is_played() -> None:
    assert sorted({scene.how for scene in SCENES.values()} | set(NOT_PLAYED)) == sorted(WAYS)


@pytest.mark.parametrize(("name", "feet"), [("dash", 10), *((step, 5) for step in STEPS)])
def test_HR_MOVE_7_difficult_ground_counts_double_where_it_is_paid_for(name: str, feet: int) -> None:
    fight = played(SCENES[name], lambda f: f, {}, terrain={"1,0": "difficult"})
    assert fight["wolf"].moved_ft == feet


@pytest.mark.parametrize("name", ["dash", *STEPS, "pushed"])
def test_HR_MOVE_7_who_is_hidden_in_the_way_stops_it(name: str) -> None:
    """In the other ways one comes where somebody has just stood. TABLE-HIDDEN-2."""
    assert meets(SCENES[name])
    assert WAYS[SCENES[name].how].meets


@pytest.mark.parametrize("name", SCENES)
def test_HR_GRAP_8_a_captive_comes_or_is_free_whatever_moves_its_grappler(name: str) -> None:
    """HR-COND-24, HR-FORCE-3."""
    assert captive(SCENES[name]) == CAPTIVES[name]


@pytest.mark.parametrize("name", SCENES)
def test_HR_CLIMB_2_a_climber_is_carried_whatever_moves_its_mount(name: str) -> None:
    assert climber(SCENES[name]) == "is carried"


@pytest.mark.parametrize(("slow", "end"), [(None, 2), ("prone", 0), ("crippled", 0)])
def test_HR_MOVE_4_who_follows_goes_as_far_as_its_speed(slow: str | None, end: int) -> None:
    """Ten feet are too far for a creature that is prone or crippled; five are not."""
    for x in (1, 2):

        def follow(fight: Fight, x: int = x) -> Last:
            data = {"creature": "wolf", "distance": 10, "follow": [x, 0], "prompt": asked(fight)}
            return "choose_push", data

        scene = Scene("followed", {"pia": (1, 0)}, strikes, follow)
        fight = played(scene, lambda f: f if slow is None else condition(f, "wolf", slow), {})
        assert fight["wolf"].position == ((1, 0) if x == 1 else (end, 0))


@pytest.mark.parametrize("name", OWN)
def test_HR_COND_10_who_suffocates_is_hurt_by_every_move_of_its_own(name: str) -> None:
    """HR-MOVE-7: the free sidestep and following too."""
    fight = played(SCENES[name], lambda f: condition(f, "wolf", "suffocating"), {})
    assert [event.creature for event in fight.logged("damage_applied")] == ["wolf"]


def placing(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each function of a module that gives a creature of a state another place."""
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            for call in ast.walk(function):
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and call.func.attr == "with_creature"
                    and any(given.arg == "position" for given in call.keywords)
                ):
                    yield path.name, function.name


def test_HR_MOVE_7_one_function_changes_a_place() -> None:
    """Each event that moves somebody names its way there; `follow_cells` looks ahead and keeps nothing."""
    book = Path(str(heartrush.__file__)).parent
    found = {place for path in book.rglob("*.py") for place in placing(path)}
    assert found == {("size_and_bonds.py", "displaced"), ("aftermath.py", "follow_cells")}


# --- the table can fail ------------------------------------------------------------------------------------


def plant(monkeypatch: pytest.MonkeyPatch, name: str, fault: object) -> None:
    """Put a fault into every module of the book that has something of this name."""
    modules = [each for key, each in sys.modules.items() if key.startswith("service.rules.heartrush.")]
    found = [module for module in modules if hasattr(module, name)]
    assert found, name
    for module in found:
        monkeypatch.setattr(module, name, fault)


DRIVEN = {
    "tripped": (*OWN, *FORCED),
    "struck": OWN,
    "falls": (*OWN, *FORCED, "carried"),
    "breath": ("free sidestep", "early sidestep", "followed"),
    "counts": OWN,
}
"""Where a cell of the product's table, the other way about, changes play: what it is read for."""
WITHOUT = {
    "tripped": ("trip_trigger", lambda *_: ()),
    "struck": ("watchers", lambda *_: ()),
    "falls": ("drop_ft", lambda *_, **__: 0),
    "breath": ("is_airless", lambda *_: False),
    "fear": ("approaches", lambda *_: False),
    "speed 0": ("check_can_move", lambda *_: None),
    "pays": ("_entering_ft", lambda *_: 5),
}
"""Which function each rule is, and what it is if it is left out."""


@pytest.mark.parametrize(("rule", "name"), [(rule, name) for rule in DRIVEN for name in DRIVEN[rule]])
def test_HR_MOVE_7_a_fault_in_the_products_table_is_found(
    rule: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = SCENES[name].how
    wrong = WAYS[how]._replace(**{rule: not getattr(WAYS[how], rule)})
    plant(monkeypatch, "WAYS", {**WAYS, how: wrong})
    look, brings = RULES[rule]
    assert look(SCENES[name]) is not (name in brings)


@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule in WITHOUT for name in SCENES if name in RULES[rule][1]]
)
def test_HR_MOVE_7_a_rule_that_is_left_out_is_found(
    rule: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, *WITHOUT[rule])
    look, brings = RULES[rule]
    assert look(SCENES[name]) is not (name in brings)
