"""Both sides of each bound of opportunity attacks: their openings, prices and perks."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.engaging.declaring import PERK_CHOICES
from service.rules.heartrush.engaging.opportunity_attacks import STANCES, OpportunityAttack
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import CAST, Fight, begun, opened
from tests.rules.heartrush.sides import PLACES, refusal_of


@pytest.mark.parametrize(
    ("perks", "data", "refusal"),
    [
        ("as_if_beaten", {"stance": "cunning", "perk": {"dazed": 2}}, None),
        ("as_if_beaten", {"stance": "cunning", "perk": {"dazed": 3}}, "perk_over_limit"),
        ("as_if_beaten", {"stance": "cunning", "perk": {"prone": 1}}, "perk_not_available"),
        ("as_if_beaten", {"stance": "agility", "perk": {"dazed": 1}}, "perk_not_available"),
        ("as_if_beaten", {"stance": "agility", "perk": {"dazed": 0}}, None),
        ("as_if_beaten", {"stance": "agility", "perk": {"dazed": 3}}, "perk_over_limit"),
        ("none", {"stance": "cunning", "perk": {"dazed": 1}}, "perk_not_available"),
        ("none", {"stance": "cunning", "perk": {"dazed": 0}}, None),
        ("as_if_beaten", {"stance": "might", "push": 10}, None),
        ("as_if_beaten", {"stance": "might", "push": 15}, "push_not_possible"),
        ("as_if_beaten", {"stance": "might", "push": 7}, "push_not_possible"),
        ("as_if_beaten", {"stance": "might", "push": -5}, "malformed"),
        ("as_if_beaten", {"stance": "agility", "push": 5}, "push_not_possible"),
        ("none", {"stance": "might", "push": 5}, "push_not_possible"),
        ("none", {"stance": "might", "push": 0}, None),
    ],
)
def test_HR_OA_1_and_HR_OA_3_the_perks_of_a_strike_are_the_houses(
    perks: str, data: dict[str, Any], refusal: str | None
) -> None:
    places = {"pia": (0, 0), "orc": (1, 0)}
    fight = opened(places, options={"oa_perks": perks}).do("begin_combat", surprised=["orc"])
    fight.do("grant_priority")
    found = refusal_of(fight, "zoe", "opportunity_attack", creature="pia", target="orc", **data)
    assert (found and found[0]) == refusal
    rules = {"perk_over_limit": "HR-STANCE-CUN-2", "push_not_possible": "HR-OA-3"}
    if refusal in rules:
        assert found == (refusal, rules[refusal])
    if refusal is None:
        (began,) = fight.logged("exchange_begun")
        assert (began.attacker, began.defender, began.stance, began.how) == (
            "pia",
            "orc",
            data["stance"],
            "opportunity",
        )
        assert began.perk == {name: n for name, n in data.get("perk", {}).items() if n}
        assert began.push_ft == data.get("push", 0)
        assert began.might_bonus is (perks == "as_if_beaten" and data["stance"] == "might")
        assert (began.melee, began.engagement, began.exchange) == (False, None, "r1/oa/pia-1")


@pytest.mark.parametrize(
    ("stance", "as_beaten", "choices"),
    [("cunning", True, 10), ("cunning", False, 0), ("agility", True, 0), ("might", True, 0)],
)
def test_HR_OA_1_only_a_cunning_strike_has_perks(stance: str, choices: int, *, as_beaten: bool) -> None:
    options = {"oa_perks": "as_if_beaten"} if as_beaten else {}
    state = begun(PLACES, options=options).state
    assert len(OpportunityAttack.perk_choices(state, stance)) == choices


@pytest.mark.parametrize(
    ("changes", "mine", "pay", "refusal"),
    [
        ({}, {}, None, ("no_oa_trigger", "HR-OA-1")),
        ({"exposed": True}, {}, None, None),
        ({"exposed": True}, {}, "action", None),
        ({"exposed": True}, {}, "rush", None),
        ({"exposed": True}, {"action": 0}, "action", ("action_spent", "HR-ACT-1")),
        ({"exposed": True}, {"action": 0}, None, None),
        ({"exposed": True}, {"action": 0, "rush": 0}, None, ("cannot_pay", "HR-ACT-4")),
        ({"exposed": True}, {"rush": 0}, "rush", ("insufficient_rush", "HR-RUSH-4")),
        ({"exposed": True, "status": "dead"}, {}, None, ("target_dead", "HR-OA-1")),
        ({"status": "unconscious"}, {}, None, ("gm_approval_required", "HR-OA-2")),
        ({"conditions": {"stunned": Condition()}}, {}, None, ("gm_approval_required", "HR-OA-2")),
        ({}, {"hidden_from": {"wolf": 8}}, None, ("not_hidden", "HR-HIDE-2")),
        ({"exposed": True, "position": (2, 0)}, {}, None, ("not_in_range", "HR-OA-1")),
    ],
)
def test_HR_OA_1_and_HR_ACT_4_who_gives_an_opening_is_struck_at_the_price(
    changes: dict[str, Any], mine: dict[str, Any], pay: Any, refusal: tuple[str, str] | None
) -> None:
    places = {"pia": (0, 0), "orc": (1, 0), "wolf": (20, 0)}
    fight = begun(places).given("orc", **changes).given("pia", **{"rush": 1, **mine})
    asked = {"creature": "pia", "target": "orc", "stance": "might", "pay": pay}
    before = fight["pia"]
    found = refusal_of(fight, "zoe", "opportunity_attack", **asked)
    if refusal is None or refusal[1] in ("HR-OA-1", "HR-OA-2", "HR-HIDE-2"):
        assert found == refusal
    else:
        assert found is not None
        assert found[0] == refusal[0]
    spent = (before.action - fight["pia"].action, before.rush - fight["pia"].rush)
    if refusal:
        assert spent == (0, 0)
    else:
        assert spent == ((0, 1) if pay == "rush" or not before.action else (1, 0))


@pytest.mark.parametrize(
    ("who", "target", "prompt", "code"),
    [
        ("pia", "orc", None, None),
        ("pia", "wolf", None, "no_oa_trigger"),
        ("pia", "ash", None, "no_oa_trigger"),
        ("ash", "orc", "pia", "no_oa_trigger"),
        ("pia", "orc", "r1/none", "window_closed"),
        ("pia", "elf", None, "no_oa_trigger"),
    ],
)
def test_HR_OA_1_a_prompt_lets_its_creature_strike_the_mover(
    who: str, target: str, prompt: str | None, code: str | None
) -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0), "wolf": (1, 1)}
    mace = [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]
    fight = begun(places, first="enemies", sheets={"ash": {"weapons": mace}})
    fight.do("dash", creature="orc", to=[5, 0])
    asked = {"creature": who, "target": target, "stance": "might", "prompt": prompt or fight.prompt(who)}
    if prompt == "pia":
        asked["prompt"] = fight.prompt("pia")
    found = refusal_of(fight, "zoe", "opportunity_attack", **asked)
    assert (found and found[0]) == code
    if code is None:
        (declared,) = fight.logged("instant_declared")
        assert (declared.item.creature, declared.item.target) == ("pia", "orc")
        assert waiting(fight.state)


# --- what is refused first -------------------------------------------------------------------------------

KNIFE: Any = [{"id": "knife", "attack_type": "thrown", "damage_type": "piercing"}]
BOTH: Any = [*CAST["ash"]["weapons"], {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}]


def passing(**changes: Any) -> Fight:
    """Return a fight in which the orc dashes past Pia, who may strike."""
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, first="enemies", **changes)
    return fight.do("dash", creature="orc", to=[5, 0])


def test_HR_OA_1_without_the_price_nobody_asks_for_the_opening() -> None:
    """HR-ACT-4."""
    fight = begun({"pia": (0, 0), "orc": (1, 0)}).given("pia", action=0, rush=0)
    asked = {"creature": "pia", "target": "orc", "stance": "might"}
    assert fight.refused("opportunity_attack", **asked) == "cannot_pay"
    assert fight.given("pia", rush=1).refused("opportunity_attack", **asked) == "no_oa_trigger"


def test_HR_OA_1_in_a_window_the_price_comes_before_the_perk() -> None:
    fight = passing()
    asked = {"creature": "pia", "target": "orc", "stance": "cunning", "perk": {"dazed": 1}}
    asked["prompt"] = fight.prompt("pia")
    fight.given("pia", action=0, rush=1)
    assert fight.refused("opportunity_attack", **asked, pay="action") == "action_spent"
    assert fight.refused("opportunity_attack", **asked, pay="rush") == "perk_not_available"


def test_HR_OA_1_nobody_is_struck_while_a_roll_waits() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}).given("orc", exposed=True)
    fight.send("roll_check", "gm", creature="pia", what="lift", ability="might", cn=8)
    asked = {"creature": "pia", "target": "orc", "stance": "might"}
    assert fight.refused("opportunity_attack", **asked) == "no_oa_trigger"
    fight.throw(6, 6)
    assert refusal_of(fight, "zoe", "opportunity_attack", **asked) is None


@pytest.mark.parametrize(("terrain", "code"), [({"1,0": "deep_water"}, "weapon_underwater"), ({}, None)])
def test_HR_OA_1_the_weapon_must_work_in_water(terrain: dict[str, str], code: str | None) -> None:
    """HR-WPN-12."""
    sheets = {"pia": {"weapons": KNIFE}}
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets=sheets, terrain=terrain).given("orc", exposed=True)
    found = refusal_of(fight, "zoe", "opportunity_attack", creature="pia", target="orc", stance="might")
    assert (found and found[0]) == code


@pytest.mark.parametrize(("pay", "code"), [(None, None), ("action", "cannot_pay"), ("rush", "cannot_pay")])
def test_HR_OA_1_a_sentinel_pays_nothing(pay: Any, code: str | None) -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets={"pia": {"abilities": ["sentinel"]}})
    fight.given("orc", exposed=True).given("pia", rush=2)
    asked = {"creature": "pia", "target": "orc", "stance": "might", "pay": pay}
    found = refusal_of(fight, "zoe", "opportunity_attack", **asked)
    assert (found and found[0]) == code
    assert (fight["pia"].action, fight["pia"].rush) == (1, 2)


def test_HR_OA_1_in_a_window_one_strikes_and_pushes_with_a_melee_weapon() -> None:
    """HR-OA-6: an archer who has a mace too; where the target gives an opening, the bow in hand counts."""
    options = {"oa_perks": "as_if_beaten"}
    fight = passing(sheets={"pia": {"weapons": BOTH}}, options=options).given("pia", wielded="shortbow")
    asked = {"creature": "pia", "target": "orc", "stance": "might", "push": 5}
    assert refusal_of(fight, "zoe", "opportunity_attack", **asked, prompt=fight.prompt("pia")) is None

    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets={"pia": {"weapons": BOTH}}, options=options)
    fight.given("orc", exposed=True).given("pia", wielded="shortbow")
    assert fight.refused("opportunity_attack", **asked) == "push_not_possible"


# --- what is offered -------------------------------------------------------------------------------------


def strikes_offered(fight: Fight) -> list[tuple[Any, Any]]:
    """Return the stances of each strike that is offered to Pia, with its perks or pushes."""
    return [
        (offer.choices["stance"], offer.choices.get("perk") or offer.choices.get("push"))
        for offer in fight.offers("zoe", "pia")
        if offer.type == "opportunity_attack"
    ]


def test_HR_OA_1_a_strike_is_offered_with_its_perks_where_the_house_has_them() -> None:
    """HR-OA-3."""
    plain = (STANCES, None)
    assert strikes_offered(passing()) == [plain]
    options = {"oa_perks": "as_if_beaten"}
    perks, pushes = (("cunning",), PERK_CHOICES), (("might",), (0, 5, 10))
    assert strikes_offered(passing(options=options)) == [plain, perks, pushes]
    sheets = {"pia": {"weapons": BOTH}}
    fight = passing(sheets=sheets, options=options).given("pia", wielded="shortbow")
    assert strikes_offered(fight) == [plain, perks, pushes]

    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets=sheets, options=options).given("orc", exposed=True)
    assert strikes_offered(fight.given("pia", wielded="mace")) == [plain, perks, pushes]
    assert strikes_offered(fight.given("pia", wielded="shortbow")) == [plain, perks]
