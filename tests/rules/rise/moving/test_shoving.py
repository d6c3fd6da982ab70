"""Hold shoves that a movement pays for: whoever is grappled moves the whole grapple, in both phases."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from service.rules.rise.body.effects import grapplers
from tests.rules.rise.bot import choices, data_of, melee
from tests.rules.rise.kit import Fight, begun, entry

MOVED = {"pay": "movement"}


def grappling(*more: dict[str, Any], **options: Any) -> Fight:
    """Return a fight at its second round's actions, in which a creature holds another."""
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[{"id": "wave", "usage": "minor"}]),
        entry("mon@m/e", (1, 0)),
        *more,
        options=options,
    )
    return fight.do("grapple", "e", 6, target="p").end("e").rest().to_actions()


def test_RI_UNIV_SHOVE_a_traded_movement_moves_the_grapple() -> None:
    """C-48, RI-ACT-4: half speed for a hit, and the standard action is gone."""
    fight = grappling().do("shove", "p", 8, target="e", **MOVED)
    assert fight.seen("p", "p").budget.standard == "traded_movement"
    assert [fight.seen("p", name).position for name in "pe"] == [(3, 0), (4, 0)]
    assert fight.refused("strike", "p", target="e") == "standard_action_spent"
    fight.do("use_ability", "p", ability="wave", targets=["p"]).end("p").rest()
    assert [fight[name].position for name in "pe"] == [(3, 0), (4, 0)]
    assert all(fight[name].has("grappled") for name in "pe"), "they are still beside each other"


@pytest.mark.parametrize(
    ("face", "more", "ends"),
    [
        (5, {}, [(0, 0), (1, 0)]),
        (8, {"direction": [0, 1]}, [(0, 3), (1, 3)]),
        (8, {"distance_ft": 5}, [(1, 0), (2, 0)]),
        (8, {"distance_ft": 0}, [(0, 0), (1, 0)]),
    ],
)
def test_RI_UNIV_SHOVE_a_grapple_moves_as_it_is_told_if_its_holder_is_beaten(
    face: int, more: dict[str, Any], ends: list[tuple[int, int]]
) -> None:
    fight = grappling().do("shove", "p", face, target="e", **MOVED, **more).end("p").rest()
    assert [fight[name].position for name in "pe"] == ends


def test_RI_UNIV_SHOVE_all_who_hold_have_to_be_beaten() -> None:
    """RI-UNIV-SHOVE: whoever is left out is no part of the movement, so nobody may be left out."""
    fight = grappling(entry("mon@m/f", (0, 1)))
    fight.do("grapple", "f", 6, target="p").end("f").rest().to_actions()
    assert fight.refused("shove", "p", target="e", **MOVED) == "invalid_target"
    assert fight.refused("shove", "p", target="e", also=["f", "f"], **MOVED) == "invalid_target"
    assert fight.refused("shove", "p", target="e", also=["f"]) == "invalid_target"
    fight.do("shove", "p", 8, 2, target="e", also=["f"], direction=[1, 0], **MOVED).end("p").rest()
    assert [fight[name].position for name in "pef"] == [(0, 0), (1, 0), (0, 1)], "one was not"
    fight.to_actions().do("shove", "p", 8, 8, target="e", also=["f"], direction=[1, 0], **MOVED).end(
        "p"
    ).rest()
    assert [fight[name].position for name in "pef"] == [(3, 0), (4, 0), (3, 1)]


def test_RI_UNIV_SHOVE_is_no_movement_for_others() -> None:
    """RI-ACT-4, RI-MOVE1-8, and the option `traded_movement` (C-48)."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    assert fight.refused("shove", "p", target="e", **MOVED) == "not_grappled"
    assert grappling(traded_movement="hustle").refused("shove", "p", target="e", **MOVED) == "no_such_trade"
    moved = grappling().given("p", location_changed=True)
    assert moved.refused("shove", "p", target="e", **MOVED) == "already_moved_this_phase"
    spent = grappling().do("escape_grapple", "p", 1)
    assert spent.refused("shove", "p", target="e", **MOVED) == "standard_action_spent"


def test_RI_MOVE1_2_a_grapple_stays_where_one_of_it_has_moved_already() -> None:
    """C-18: the movement is spent, and what it would have done to their places is ignored."""
    fight = grappling(second_move="wasted").given("p", location_changed=True)
    fight.do("shove", "p", 8, target="e", **MOVED).end("p")
    assert [e.creature for e in fight.logged("location_effect_ignored")] == ["p"]
    assert fight.seen("p", "p").position == (0, 0)
    assert fight.seen("p", "p").budget.standard == "traded_movement"


def test_RI_UNIV_SHOVE_is_offered_to_the_grappled_and_to_nobody_else() -> None:
    fight = grappling(entry("mon@m/f", (0, 1)))
    found = [o for o in fight.offers("gm") if o.type == "shove" and o.given.get("pay") == "movement"]
    found = [o for o in found if o.creature == "p"]
    assert [(o.given["target"], o.given["also"]) for o in found] == [("e", ())]
    assert len(found[0].choices["direction"]) == 8
    free = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    assert not [o for o in free.offers("gm") if o.given.get("pay") == "movement" and o.type == "shove"]


def shoved_in(seed: int) -> int:
    """Play at random, grapples and shoves before all else, and return how many movements shoved."""
    random, fight, shoved = Random(seed), melee(seed, each=2, exertion_prompt="never"), 0
    for _ in range(80):
        found = [(seat, offer) for seat, offer in choices(fight) if offer.type not in ("end_combat", "close")]
        wanted = [one for one in found if one[1].given.get("pay") == "movement"]
        wanted = [one for one in wanted if one[1].type != "improvise"]  # whoever has a turn may, also unheld
        wanted += [one for one in found if one[1].type == "grapple"] if not wanted else []
        seat, offer = random.choice(wanted or found)
        shoved += offer.type == "shove" and offer.given.get("pay") == "movement"
        decision = fight.send(offer.type, seat, **data_of(offer, random))
        assert decision.refusal is None, (seed, offer, decision.refusal)
        if fight.state.stage == "movement":
            for creature in fight.state.creatures.values():
                holders = [fight[name] for name in grapplers(creature)]
                assert all(fight.state.adjacent(creature, other) for other in holders), seed
    return shoved


def test_RI_UNIV_SHOVE_whatever_is_shoved_in_random_play_is_accepted() -> None:
    """RI-UNIV-SHOVE: every offer of it is taken; whoever is still held is beside who holds it."""
    assert sum(shoved_in(seed) for seed in range(4))
