"""Mend by rulings of the GM while groups act apart: not before what they did is announced."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry

HURT: dict[str, Any] = {"kind": "correction", "decision": "it was so"}
EFFECT = {"does": "damage", "target": "k1", "amount": 2}


@pytest.mark.parametrize("enemy", ["pc@y/k2", "mon@y/k2"])
@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_GM_4_no_effects_while_groups_act_apart(enemy: str, phase: str) -> None:
    """RI-RES-2: worlds stand on what was true as they parted; also where the GM sees into none of them."""
    fight = begun(entry("pc@x/k1", (0, 0)), entry(enemy, (5, 0)), phase=phase)
    assert fight.state.worlds
    assert fight.refused("gm_ruling", **HURT, effects=[EFFECT]) == "groups_still_resolving"


def test_RI_GM_4_effects_work_once_groups_are_announced() -> None:
    fight = begun(entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (5, 0)))
    for name in ("k1", "k2"):
        fight.do("pass_turn", name)
    fight.do("end_combat").do("gm_ruling", **HURT, effects=[EFFECT])
    assert fight["k1"].hp == 18


@pytest.mark.parametrize(
    ("effects", "code"),
    [
        ([EFFECT], None),
        ([EFFECT, {**EFFECT, "target": "k2"}], None),
        ([{**EFFECT, "target": "nobody"}], "effect_not_possible"),
        ([EFFECT, {**EFFECT, "target": "nobody"}], "effect_not_possible"),
    ],
)
def test_RI_GM_4_every_effect_of_a_ruling_is_possible(
    effects: list[dict[str, Any]], code: str | None
) -> None:
    """RI-GM-4: one that is not keeps all of them out."""
    fight = begun(entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (5, 0)))
    fight.rest().do("end_combat")
    decision = fight.send("gm_ruling", "gm", **HURT, effects=effects)
    assert (decision.refusal.code if decision.refusal else None) == code
    assert fight["k1"].hp == (18 if code is None else 20)


def paused() -> Fight:
    """Return a fight between its announcement and its end, in which p holds e."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@m/x", (9, 9)))
    fight.do("grapple", "p", 6, target="e").end("p").rest().to_actions().do("ask_pause")
    return fight.rest()


def test_RI_MOVE_4_a_ruling_puts_no_two_creatures_in_one_place() -> None:
    both = [{"does": "locate", "target": name, "to": [5, 5]} for name in "px"]
    fight = paused()
    assert fight.refused("gm_ruling", kind="effect", decision="so", effects=both) == "effect_not_possible"
    assert [fight[name].position for name in "px"] == [(0, 0), (9, 9)]
    fight.do("gm_ruling", kind="effect", decision="so", effects=[both[0], {**both[1], "to": [5, 6]}])
    assert [fight[name].position for name in "px"] == [(5, 5), (5, 6)]


@pytest.mark.parametrize("senseless", ["p", "e"])
def test_RI_UNIV_GRAPPLE_a_hold_ends_with_the_ruling_that_ends_it(senseless: str) -> None:
    fight = paused()
    assert fight["e"].has("grappled")
    effect = {"does": "gain", "target": senseless, "name": "unconscious"}
    fight.do("gm_ruling", kind="effect", decision="so", effects=[effect])
    assert [fight[name].has("grappled") for name in "pe"] == [False, False]
