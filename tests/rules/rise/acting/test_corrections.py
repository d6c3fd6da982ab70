"""Mend by rulings of the GM while groups act apart: not before what they did is announced."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.rounds.entries import carry
from service.rules.ruleset import waiting
from service.rules.table.carried import CarriedFrom
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


# --- who takes part, and the ground --------------------------------------------------------------------


def ruled(fight: Fight, *effects: dict[str, Any]) -> str | None:
    """Return why a ruling with *effects* is refused, None if it is not."""
    refusal = fight.send("gm_ruling", "gm", kind="effect", decision="so", effects=list(effects)).refusal
    return None if refusal is None else refusal.detail


def test_RI_GM_7_one_that_was_felled_by_mistake_is_brought_back() -> None:
    fight = paused()
    assert ruled(fight, {"does": "damage", "target": "e", "amount": 60}) is None
    assert fight["e"].dead
    back = {"does": "restore", "target": "e", "amount": 7}
    assert "1 to 20" in (ruled(fight, {**back, "amount": 21}) or "")
    assert ruled(fight, back) is None
    assert (fight["e"].hp, fight["e"].dead, fight["e"].defeated, fight["e"].down) == (7, False, False, False)
    assert "takes part" in (ruled(fight, back) or "")
    fight.do("go_on").to_actions()
    fight.do("strike", "e", 1, target="p")


def test_RI_GM_7_nobody_is_brought_back_under_somebody() -> None:
    fight = paused()
    ruled(fight, {"does": "damage", "target": "e", "amount": 60})
    assert ruled(fight, {"does": "locate", "target": "p", "to": [1, 0]}) is None
    assert "p is where e lies" in (ruled(fight, {"does": "restore", "target": "e", "amount": 7}) or "")


def test_RI_GM_7_who_leaves_alive_is_free_and_goes_on() -> None:
    fight = paused()
    assert fight["e"].has("grappled")
    leave = {"does": "withdraw", "target": "p"}
    assert ruled(fight, leave) is None
    assert [fight[name].has("grappled") for name in "pe"] == [False, False]
    assert (fight["p"].defeated, fight["p"].dead) == (True, False)
    assert "no part" in (ruled(fight, leave) or "")
    fight.do("end_combat")
    went = carry(fight.state, "p", CarriedFrom(encounter="0" * 32, n=1, hash="00" * 32))
    assert not went.character.defeated


def test_RI_GM_7_the_ground_changes_for_everybody() -> None:
    fight = paused()
    bridge = {"does": "terrain", "cells": [[5, 5], [5, 6]], "terrain": "wall"}
    assert ruled(fight, bridge) is None
    assert [fight.state.ground((5, y)) for y in (5, 6, 7)] == ["wall", "wall", "normal"]
    assert ruled(fight, {**bridge, "cells": [[5, 6]], "terrain": "normal"}) is None
    assert dict(fight.state.terrain) == {"5,5": "wall"}
    assert "stands there" in (ruled(fight, {**bridge, "cells": [[9, 9]]}) or "")
    assert "cells" in (ruled(fight, {**bridge, "cells": []}) or "")
    assert "target" in (ruled(fight, {**bridge, "target": "e"}) or "")


def test_RI_GM_7_not_as_the_outcome_of_a_deed() -> None:
    """What a phase began with stays until it is over: a deed comes true in it."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("improvise", "p", deed="burn the bridge", targets=["e"]).end("p").rest()
    prompt = waiting(fight.state)[0].prompt
    for effect in (
        {"does": "terrain", "cells": [[5, 5]], "terrain": "wall"},
        {"does": "withdraw", "target": "e"},
    ):
        refusal = fight.send("judge_deed", "gm", prompt=prompt, decision="so", effects=[effect]).refusal
        assert refusal is not None
        assert "the phase is not over" in refusal.detail
