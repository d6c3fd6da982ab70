"""Mend by rulings of the GM while groups act apart: not before what they did is announced."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import begun, entry

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
