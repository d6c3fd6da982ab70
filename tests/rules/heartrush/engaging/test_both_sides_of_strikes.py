"""Both sides of each bound of strikes, offensive actions, pushes and opportunity attacks."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.engaging.aftermath import Aftermath
from service.rules.heartrush.engaging.attacks import ExchangeFrame, settle
from service.rules.heartrush.engaging.exchanges import ShownRoll
from service.rules.heartrush.engaging.offensive_actions import check_hinder, hinder, why_not
from service.rules.heartrush.timing.engagement import Earned, EngagementFrame, Offensive
from service.rules.kernel.messages import Refused
from tests.rules.heartrush.kit import Fight, begun
from tests.rules.heartrush.sides import emitted, refusal_of

PAIR = {"pia": (0, 0), "wolf": (1, 0)}
CHILL: dict[str, Any] = {
    "id": "chill",
    "size_class": "ultralight",
    "attack_type": "ranged",
    "damage_type": "none",
    "tags": ["spell"],
}


def fought(places: dict[str, tuple[int, int]], *, sheets: Any = None, **stances: str) -> Fight:
    """Return a fight in which Pia has engaged the last of *places*, after the reveal."""
    fight = begun(places, sheets=sheets).do("engage", creature="pia", target=list(places)[-1])
    return fight.joined_by(*[n for n in stances if n not in ("pia", list(places)[-1])]).stances(**stances)


# --- what a strike comes to ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "defense", "how", "stance", "found"),
    [
        (7, 8, "normal", "might", []),
        (8, 8, "normal", "might", []),
        (9, 8, "normal", "might", [("wolf", 1)]),
        (10, 8, "normal", "might", [("wolf", 2)]),
        (9, 8, "normal", "defensive", [("wolf", 1)]),
        (13, 8, "normal", "defensive", [("wolf", 3)]),
        (13, 8, "contested", "might", [("wolf", 5)]),
        (8, 13, "contested", "might", [("pia", 5)]),
        (8, 8, "contested", "might", []),
        (13, 8, "opportunity", None, [("wolf", 5)]),
    ],
)
def test_HR_ATK_3_what_exceeds_the_defense_is_damage(
    attack: int, defense: int, how: Any, stance: str | None, found: list[tuple[str, int]]
) -> None:
    """HR-ATK-6."""
    fight = fought(PAIR, pia="might", wolf="cunning") if how != "opportunity" else begun(PAIR)
    frame = ExchangeFrame(
        path="r1/x",
        attacker="pia",
        defender="wolf",
        stance="might",
        how=how,
        stage="settle",
        defending_stance=stance,
        engagement="r1/e1" if how != "opportunity" else None,
        attack=ShownRoll(total=attack),
        defense=ShownRoll(total=defense),
    )
    state = fight.state.pushed(frame)
    events = emitted(settle(state, frame), state)
    by_type = {event.type: event for event in events}
    hurts = [(e.creature, e.amount) for e in events if e.type == "damage_pending"]
    assert hurts == found
    if found:
        loser = found[0][0]
        hit = by_type["exchange_hit"]
        assert (hit.creature, hit.by) == (loser, "pia" if loser == "wolf" else "wolf")
        assert hit.excess == abs(attack - defense)
        pending = by_type["damage_pending"]
        assert (pending.damage, pending.source, pending.cause) == ("r1/x/damage", hit.by, "attack")
        assert ("damage_halved" in by_type) is (stance == "defensive")
        assert "exchange_settled" not in by_type
    else:
        settled = by_type["exchange_settled"]
        assert (settled.hit, settled.because) == (False, ("HR-ATK-3",))


@pytest.mark.parametrize(
    ("cantrip", "engaged", "types"),
    [
        (None, True, ["exchange_hit", "damage_pending"]),
        ({"conditions": {"dazed": 1}}, True, ["exchange_hit", "cantrip_hit", "damage_pending"]),
        ({"conditions": {"dazed": 1}}, False, ["exchange_hit", "damage_pending"]),
        ({"harmless": True, "conditions": {"dazed": 1}}, True, ["exchange_hit", "cantrip_hit"]),
        ({"harmless": True, "conditions": {"dazed": 1}}, False, ["exchange_hit"]),
        ({}, True, ["exchange_hit", "cantrip_hit", "damage_pending"]),
    ],
)
def test_HR_ATK_3_and_HR_WPN_13_a_cantrip_brings_more_or_other_than_damage(
    cantrip: dict[str, Any] | None, types: list[str], *, engaged: bool
) -> None:
    weapons = (
        [{**CHILL, "cantrip": {"element": "water", "form": "bolt", **cantrip}}] if cantrip is not None else []
    )
    sheets = {"pia": {"weapons": weapons, "growth": {"attunements": ["water"]}}}
    fight = (
        fought(PAIR, sheets=sheets, pia="might", wolf="cunning") if engaged else begun(PAIR, sheets=sheets)
    )
    frame = ExchangeFrame(
        path="r1/x",
        attacker="pia",
        defender="wolf",
        stance="might",
        how="normal" if engaged else "opportunity",
        stage="settle",
        engagement="r1/e1" if engaged else None,
        attack=ShownRoll(total=9),
        defense=ShownRoll(total=5),
    )
    state = fight.state.pushed(frame)
    assert [event.type for event in emitted(settle(state, frame), state)] == types


# --- hindering -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("far", "size", "offensive", "code"),
    [
        (1, "medium", {"way": "blind"}, None),
        (2, "medium", {"way": "blind"}, "not_adjacent"),
        (1, "medium", {"way": None}, "params_missing"),
        (1, "medium", {"way": "harm"}, "params_missing"),
        (1, "medium", {"way": "harm", "condition": "dazed"}, None),
        (1, "medium", {"way": "blind", "condition": "dazed"}, "params_missing"),
        (1, "medium", {"way": None, "condition": "dazed"}, "params_missing"),
        (1, "large", {"way": "topple"}, None),
        (1, "l2", {"way": "topple"}, "target_too_large"),
        (1, "l2", {"way": "push"}, None),
    ],
)
def test_HR_HIND_1_whom_one_hinders_and_how(
    far: int, size: str, offensive: dict[str, Any], code: str | None
) -> None:
    sheets = {"wolf": {"size": size, "weapons": []}}
    fight = begun({"pia": (0, 0), "wolf": (far, 0)}, sheets=sheets)
    found = None
    try:
        check_hinder(fight.state, fight["pia"], fight["wolf"], Offensive(what="hinder", **offensive))
    except Refused as refused:
        found = (refused.code, refused.rule)
    assert found == (code and (code, "HR-HIND-1"))


@pytest.mark.parametrize(
    ("offensive", "size", "found"),
    [
        ({"way": "blind"}, "medium", [("condition_gained", "blinded", 1)]),
        ({"way": "topple"}, "medium", [("condition_gained", "prone", 1)]),
        ({"way": "push"}, "medium", [("condition_gained", "off_balanced", 2), ("push_begun", 5)]),
        ({"way": "push"}, "small", [("condition_gained", "off_balanced", 2), ("push_begun", 10)]),
        ({"way": "push"}, "large", [("condition_gained", "off_balanced", 2)]),
        (
            {"way": "harm", "condition": "dazed"},
            "medium",
            [("condition_gained", "dazed", 2), ("hinder_begun",)],
        ),
    ],
)
def test_HR_HIND_1_what_a_hinder_brings(
    offensive: dict[str, Any], size: str, found: list[tuple[Any, ...]]
) -> None:
    state = begun(PAIR, sheets={"wolf": {"size": size, "weapons": []}}).state
    events = emitted(hinder(state, "r1/h", "pia", "wolf", Offensive(what="hinder", **offensive)), state)
    told: list[tuple[Any, ...]] = []
    for event in events:
        if event.type == "condition_gained":
            assert (event.creature, event.source, event.wasted) == ("wolf", "pia", 0)
            told.append((event.type, event.condition, event.levels))
        elif event.type == "push_begun":
            assert (event.push, event.creature, event.by, event.step) == ("r1/h", "wolf", "pia", (1, 0))
            told.append((event.type, event.feet))
        else:
            assert (event.hinder, event.creature, event.target) == ("r1/h", "pia", "wolf")
            told.append((event.type,))
    assert told == found


def test_HR_OFF_3_what_was_won_lands_in_its_order() -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
    mace = [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]
    fight = fought(places, sheets={"ash": {"weapons": mace}}, pia="might", ash="might", orc="cunning")
    blind = {"what": "hinder", "target": "orc"}
    fight.answer("declare_offensive", "pia", **blind, way="blind")
    fight.answer("declare_offensive", "ash", **blind, way="topple")
    resolved = [event.creature for event in fight.logged("offensive_resolved")]
    landed = [event.creature for event in fight.logged("offensive_landed")]
    assert resolved == landed == ["pia", "ash"]
    assert (fight["orc"].level("blinded"), fight["orc"].has("prone")) == (1, True)


@pytest.mark.parametrize(
    ("pia", "wolf", "what", "reason"),
    [
        ({}, {}, "grapple", None),
        ({"status": "unconscious"}, {}, "hinder", "unable"),
        ({"surprised": True}, {}, "hinder", None),
        ({}, {"status": "dead"}, "hinder", "target_dead"),
        ({}, {"status": "unconscious"}, "hinder", None),
        ({}, {"position": (2, 0)}, "grapple", "not_adjacent"),
        ({}, {"position": (2, 0)}, "climb", "not_adjacent"),
        ({}, {"position": (2, 0)}, "hinder", None),
        ({}, {"conditions": {"grappled": Condition(source="ash")}}, "grapple", "already_grappled"),
        ({"conditions": {"grappling": Condition(source="ash")}}, {}, "grapple", "already_grappling"),
        ({"conditions": {"creature_climber": Condition(source="ash")}}, {}, "climb", "already_climbing"),
    ],
)
def test_HR_OFF_3_what_keeps_it_from_landing(
    pia: dict[str, Any], wolf: dict[str, Any], what: Any, reason: str | None
) -> None:
    fight = begun(PAIR, sheets={"pia": {"weapons": []}}).given("pia", **pia).given("wolf", **wolf)
    won = Earned(creature="pia", target="wolf", offensive=Offensive(what=what))
    assert why_not(fight.state, won) == reason


# --- pushes ----------------------------------------------------------------------------------------------

CROWD = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}


def earned() -> Fight:
    """Return a fight in which Pia, then Ash, has hit the orc and may push it."""
    mace = [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]
    fight = fought(CROWD, sheets={"ash": {"weapons": mace}}, pia="might", ash="might", orc="cunning")
    fight.answer("declare_attack", "pia", target="orc")
    fight.answer("declare_attack", "ash", *[1] * 4, *[6, 4], *[1] * 4, *[6, 4], target="orc")
    return fight


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"distance": 0}, None),
        ({"distance": 5}, None),
        ({"distance": 10}, None),
        ({"distance": 15}, "push_not_possible"),
        ({"distance": -5}, "malformed"),
        ({"distance": 7}, "push_not_possible"),
        ({"distance": 5, "follow": [1, 0]}, None),
        ({"distance": 5, "follow": [2, 0]}, "space_occupied"),
        ({"distance": 10, "follow": [2, 0]}, None),
        ({"distance": 0, "follow": [1, 0]}, "space_occupied"),
    ],
)
def test_HR_WPN_6_a_push_is_from_0_to_10_feet(data: dict[str, Any], code: str | None) -> None:
    """HR-RES-6: the pushes come in the order in which they were earned."""
    fight = earned()
    assert [event.creature for event in fight.logged("push_earned")] == ["pia", "ash"]
    assert fight.waits_for()[0] == "pia"
    prompt = fight.prompt("pia")
    assert refusal_of(fight, "zoe", "choose_push", creature="ash", prompt=prompt, distance=0) == (
        "not_your_prompt",
        "TABLE-SEAT-1",
    )
    gone = refusal_of(fight, "zoe", "choose_push", creature="pia", prompt="r1/none", distance=0)
    assert (gone and gone[0]) == "prompt_gone"
    found = refusal_of(fight, "zoe", "choose_push", creature="pia", prompt=prompt, **data)
    assert found == (code and (code, None if code == "malformed" else "HR-WPN-6"))
    if code is None:
        (resolved,) = fight.logged("push_chosen")[:1]
        assert (resolved.creature, resolved.target, resolved.feet) == ("pia", "orc", data["distance"])
        assert fight["orc"].position == (1 + data["distance"] // 5, 0)
        assert fight["pia"].position == tuple(data.get("follow", (0, 0)))


@pytest.mark.parametrize("status", ["dead", "gone"])
def test_HR_RES_6_pushes_of_nobody_are_over_one_after_the_other(status: str) -> None:
    """HR-WPN-6."""
    fight = earned().given("orc", status=status)
    frame = fight.state.top_frame(EngagementFrame)
    (event,) = emitted(Aftermath().advance(fight.state, frame), fight.state)
    assert (event.creature, event.target, event.feet) == ("pia", "orc", 0)
    after = event.evolve(fight.state)
    (event,) = emitted(Aftermath().advance(after, after.top_frame(EngagementFrame)), after)
    assert (event.creature, event.target, event.feet) == ("ash", "orc", 0)
    last = event.evolve(after)
    (event,) = emitted(Aftermath().advance(last, last.top_frame(EngagementFrame)), last)
    assert event.type == "aftermath_over"
