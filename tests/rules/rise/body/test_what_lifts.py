"""List what the book lays on a creature, and which command or time lifts it: none that nothing lifts.

What lays a condition is read from the source, so one that is laid from now on has to be listed and played.
Whatever the GM lays ends by a word or a rest: `test_conditions.py` plays each.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias, get_args

import pytest

import service.rules.rise
from service.rules.rise.creatures.sheet import Until
from tests.rules.rise.kit import Fight, begun, entry

SOURCE: Final = Path(str(service.rules.rise.__file__)).parent
Step: TypeAlias = Callable[[Fight], object]


def table(**changes: Any) -> Fight:
    """Return `p` beside `e`, an enemy, in the action phase of round 1."""
    return begun(
        entry("mon@p/p", (0, 0), abilities=[laying(until) for until in UNTIL]),
        entry("mon@m/e", (1, 0), **changes),
        entry("mon@m/f", (9, 9)),
    )


def laying(until: str) -> dict[str, Any]:
    """Return an ability whose condition ends so."""
    effect = {"does": "gain", "condition": "hex", "until": until, "modifiers": {"armor": -1}}
    return {"id": until, "usage": "standard", "range_ft": 60, "effects": [effect]}


UNTIL: Final[tuple[str, ...]] = get_args(Until)

# --- what lays ------------------------------------------------------------------------------------------


def hexes(until: str) -> Step:
    return lambda fight: fight.do("use_ability", "p", ability=until, targets=["e"]).end("p").rest()


def trips(fight: Fight) -> None:
    fight.do("trip", "p", 9, target="e").end("p").rest()


def grapples(fight: Fight) -> None:
    fight.do("grapple", "p", 9, target="e").end("p").rest()


def tricks(fight: Fight) -> None:
    fight.do("dirty_trick", "p", 9, target="e", defense="mental").end("p").rest()


def is_felled(fight: Fight) -> None:
    """Fall senseless, and wake."""
    ruled(fight, does="gain", target="e", name="unconscious")
    ruled(fight, does="lose", target="e", name="unconscious")


# --- what lifts -----------------------------------------------------------------------------------------


def ruled(fight: Fight, **effect: Any) -> None:
    """Let the GM rule at the next pause."""
    fight.do("ask_pause").to_actions().rest()
    fight.do("gm_ruling", kind="effect", decision="so", effects=[effect]).do("go_on")


def word(name: str) -> Step:
    return lambda fight: ruled(fight, does="lose", target="e", name=name)


def time(rounds: int) -> Step:
    """Let so many rounds pass in which nobody does anything."""

    def passes(fight: Fight) -> None:
        last = fight.state.round + rounds
        while fight.state.round < last:
            fight.to_actions().rest()

    return passes


def rests(fight: Fight) -> None:
    assert fight.do("end_combat").send("rest", "gm", creature="e", rest="short").refusal is None


def recovers(fight: Fight) -> None:
    fight.do("pass_movement", "p").do("pass_movement", "e").do("pass_movement", "f")
    if fight.state.stage == "action":
        fight.do("commit_swift", "e", ability="recover").to_actions()


def plans_to_get_up(fight: Fight) -> None:
    fight.do("plan_movement", "e", path=[], stand_up=True).to_actions()


def gets_up(fight: Fight) -> None:
    fight.to_actions().do("move", "e", path=[], stand_up=True).end("e").rest()


def escapes(fight: Fight) -> None:
    fight.to_actions().do("escape_grapple", "e", 9).end("e").rest()


def is_apart(fight: Fight) -> None:
    ruled(fight, does="locate", target="p", to=[5, 5])


def holder_leaves(fight: Fight) -> None:
    ruled(fight, does="withdraw", target="p")


UP: Final[dict[str, Step]] = {
    "plan_movement": plans_to_get_up,
    "move": gets_up,
    "rest": rests,
    "gm_ruling": word("prone"),
}
LAID: Final[dict[str, tuple[str, Step, dict[str, Step]]]] = {
    "a trip": ("prone", trips, UP),
    "a fall without senses": ("prone", is_felled, UP),
    "a hold": (
        "grappled",
        grapples,
        {
            "escape_grapple": escapes,
            "a way apart": is_apart,
            "its holder leaves": holder_leaves,
            "rest": rests,
            "gm_ruling": word("grappled"),
        },
    ),
    "a dirty trick": ("dirty_trick", tricks, {"time": time(1), "rest": rests}),
    "brief": ("hex", hexes("brief"), {"time": time(1), "rest": rests}),
    "sustain": ("hex", hexes("sustain"), {"time, unless it is kept up": time(1), "rest": rests}),
    "condition": ("hex", hexes("condition"), {"recover": recovers, "rest": rests, "gm_ruling": word("hex")}),
    "permanent": ("hex", hexes("permanent"), {"rest": rests, "gm_ruling": word("hex")}),
}
"""What lays which condition on `e`, and each command or time that lifts it."""


@pytest.mark.parametrize(
    ("laid", "by"), [pytest.param(laid, by, id=f"{laid}-{by}") for laid in LAID for by in LAID[laid][2]]
)
def test_RI_COND_1_what_is_laid_is_lifted(laid: str, by: str) -> None:
    """RI-DUR-1, RI-UNIV-TRIP, RI-UNIV-GRAPPLE, RI-UNIV-ESCAPE, RI-SWIFT-9, RI-UNIV-RECOVER, RI-REST-1."""
    name, lays, lifts = LAID[laid]
    fight = table()
    lays(fight)
    assert fight["e"].has(name)
    lifts[by](fight)
    assert not fight["e"].has(name)
    if name == "grappled" and by != "its holder leaves":
        assert not fight["p"].has(name), "the other end goes with it"


@pytest.mark.parametrize("until", ["phase", "round"])
def test_RI_DUR_1_what_ends_with_its_phase_or_round_is_gone_when_it_is_over(until: str) -> None:
    fight = table()
    hexes(until)(fight)
    assert any(event.condition.name == "hex" for event in fight.logged("condition_gained"))
    assert (fight.state.round, fight["e"].has("hex")) == (2, False)


def test_every_end_of_an_effect_is_played() -> None:
    assert {*LAID, "phase", "round"} >= {*UNTIL}


# --- the list is whole ----------------------------------------------------------------------------------

LAYERS: Final = {
    ("effects.py", "GRAPPLED"): "a hold",
    ("movement_and_positioning.py", "prone"): "as a trip: a mount's rider comes off",
    ("movement_and_positioning.py", "squeezing"): "judged again with each phase",
    ("taking_damage.py", "prone"): "a fall without senses",
    ("aerial_movement.py", "prone"): "as a trip: it hits the ground",
    ("brawling.py", "prone"): "a trip",
    ("brawling.py", "dirty_trick"): "a dirty trick",
    ("strikes.py", "charge"): "brief",
    ("swift.py", "total_defense"): "ends with its phase or round",
    ("swift.py", "RECKLESS"): "ends with its phase",
    ("making_attacks.py", "grip"): "ends with its round",
    ("combat_statistics.py", "effect.condition"): "what a sheet lays: every end of it",
    ("mending.py", "self.name"): "the GM's",
}
"""What in the source lays which condition, and where its end is played."""


def laid_in(path: Path) -> Iterator[str]:
    """Yield what each call in a module calls the condition that it makes."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = {word.arg: word.value for word in node.keywords}
            gains = ast.unparse(given.get("does", ast.Constant(None))) == "'gain'"
            said = given.get("name" if node.func.id == "Condition" else "condition")
            if said is not None and (node.func.id == "Condition" or (node.func.id == "Effect" and gains)):
                yield str(said.value) if isinstance(said, ast.Constant) else ast.unparse(said)


def test_RI_COND_1_whatever_the_source_lays_is_listed() -> None:
    found = {(path.name, name) for path in SOURCE.rglob("*.py") for name in laid_in(path)}
    assert found == {*LAYERS}
