"""What is GM-only on both sides of each threshold: closed where the rules allow, and listed where not.

Each pair is played twice; what a player's seat receives is compared: the view, what waits, and what is told.
"""

from __future__ import annotations

from typing import Any

import pytest

from service.dice.values import Roll, RollName, Term
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.sealed import view
from service.rules.rolls.withheld import open_part
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import ENCOUNTER, Fight, opening

PLACES = {"pia": (0, 0), "orc": (3, 0)}
BOW = {"id": "bow", "size_class": "light", "attack_type": "ranged", "damage_type": "piercing"}


def hidden(fields: tuple[str, ...], entry: dict[str, Any] | None = None, **sheet: Any) -> Fight:
    """Return a fight whose orc has GM-only fields."""
    data = opening(PLACES, sheets={"orc": sheet})
    orc = next(one for one in data["creatures"] if one["sheet"]["id"] == "orc")
    orc.update(gm_only=list(fields), **(entry or {}))
    dice = {
        "algorithm": "rewound/dice/1",
        "mode": "server",
        "lanes": [{"lane": 0, "n": 64, "anchor": "00" * 32}],
    }
    fight = Fight(mirror=None)
    fight.do("open", encounter=ENCOUNTER, edition="heartrush@1", digest="00" * 32, dice=dice, opening=data)
    fight.events.clear()
    return fight


def seen(fight: Fight) -> tuple[State, list[str], list[str]]:
    """Return what Zoe receives: her view, the prompts that wait, and the types of what happened."""
    prompts = [awaited.prompt for awaited in waiting(fight.state)]
    return view(fight.state, "zoe"), prompts, [event.type for event in fight.events]


def shot(speed: int) -> Fight:
    """Return a fight in which the orc, in agility with a bow, has shot and might sidestep."""
    fight = hidden(("speed",), speed=speed, weapons=[BOW], armor="none")
    fight.do("begin_combat", unaware_side="players").do("grant_priority")
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="agility", pia="defensive")
    return fight.answer("declare_agility", "orc", 1, 1, 1, 8, 6, order="attack_first", target="pia")


@pytest.mark.parametrize("speeds", [(5, 60), (0, 60), (5, 10)])
def test_TABLE_GMONLY_1_who_is_asked_for_a_sidestep_tells_nothing_of_a_speed(speeds: tuple[int, int]) -> None:
    slow, fast = map(shot, speeds)
    assert seen(slow) == seen(fast)
    assert slow.waits_for() == ["orc"]
    assert {offer.type for offer in slow.offers("gm", "orc")} == {"decline_sidestep"}
    for fight in (slow, fast):
        fight.answer("decline_sidestep", "orc")
    assert seen(slow) == seen(fast)


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("hp", [(35, 20), (35, 34)])
def test_TABLE_GMONLY_1_a_night_tells_nothing_of_what_was_missing(hp: tuple[int, int], *, good: bool) -> None:
    night = {"shelter": "structure", "bedding": "bed", "warmth": "comfortable"} if good else {}
    faces = () if good else (1, 2)
    received = []
    for points in hp:
        fight = hidden(("hp_max",), {"hp": points}, hp_max=35)
        fight.do("rest", rest="long", creatures=["orc"], night=night)
        if not good:
            fight.throw(*faces)
            while waiting(fight.state) and waiting(fight.state)[0].wants:
                fight.throw(*(1 for _ in waiting(fight.state)[0].wants))
            if any("choose_check" in awaited.accepts for awaited in waiting(fight.state)):
                fight.answer("choose_check", "orc", choice="fail")
        assert "healed" in [event.type for event in fight.events]
        received.append(seen(fight))
    assert received[0] == received[1]


def test_TABLE_GMONLY_1_where_hit_points_are_public_a_night_that_heals_nothing_tells_nothing() -> None:
    fight = hidden((), {"hp": 35}, hp_max=35)
    night = {"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}
    fight.do("rest", rest="long", creatures=["orc"], night=night)
    assert "healed" not in [event.type for event in fight.events]


def test_TABLE_GMONLY_1_that_a_creature_is_at_zero_shows_and_is_listed() -> None:
    below, above = (hidden(("hp_max",), {"hp": hp}, hp_max=35) for hp in (0, 1))
    assert (below["orc"].down_since_s, above["orc"].down_since_s) == (0, None)
    assert [a for a in seen(below)[1] if a not in seen(above)[1]] == []
    far = hidden(("hp_max",), {"hp": 20}, hp_max=35)
    assert seen(above) == seen(far), "by how much it is above zero does not"


def test_TABLE_GMONLY_1_that_damage_would_have_killed_shows_by_a_standing_answer_and_is_listed() -> None:
    told = []
    for hp_max in (10, 12, 30):
        fight = hidden(("hp_max",), {"hp": 1}, hp_max=hp_max)
        fight.do("set_standing", creature="orc", shrug="if_it_kills")
        effect = {"kind": "damage", "creature": "orc", "amount": 11, "cause": "fire"}
        fight.do("gm_ruling", kind="effect", decision="fire", effects=[effect])
        told.append("shrugged" in [event.type for event in fight.events])
    assert told[0] is True
    assert told[2] is False


def test_TABLE_GMONLY_1_a_dash_that_a_gm_only_armor_forbids_is_offered_accepted_and_not_taken() -> None:
    """Its player knows neither the armor nor the feet that it costs: refusing a dash would show both."""
    fight = hidden(("armor",), speed=40, armor="heavy")
    fight.do("change_seat", seat="zoe", creatures=["pia", "orc"])
    fight.events.clear()
    goals = next(offer.choices["to"] for offer in fight.offers("zoe", "orc") if offer.type == "dash")
    before = fight["orc"].position
    far = max(goals, key=lambda cell: (cell[0], -abs(cell[1])))
    assert far == (before[0] + 7, before[1]), "35 feet, as far as anybody sees"

    fight.do("dash", creature="orc", to=list(far))

    assert fight["orc"].position == before
    assert [event.type for event in fight.events] == ["ability_used", "deed_declared", "deed_in_vain"]
    assert vars(fight.events[-1])["reason"] == "the reason is for the gm"
    fight.do("dash", creature="orc", to=[before[0] + 2, before[1]])
    assert fight["orc"].position == (before[0] + 2, before[1])


def test_TABLE_GMONLY_1_who_does_not_know_of_a_shield_does_not_handle_it() -> None:
    """The refusal of the stow names TABLE-GMONLY-1; a weapon called shield is a weapon."""
    fight = hidden(("shield",), shield="heavy")
    fight.do("change_seat", seat="zoe", creatures=["pia", "orc"])
    fight.do("begin_combat", unaware_side="players").do("grant_priority")
    for verb in ("stow", "draw"):
        refusal = fight.send("object", "zoe", creature="orc", verb=verb, item="shield").refusal
        assert refusal is not None
        assert (refusal.code, refusal.rule) == ("gm_only", "TABLE-GMONLY-1")
    open_ = hidden((), shield="heavy")
    open_.do("begin_combat", unaware_side="players").do("grant_priority")
    open_.do("object", creature="orc", verb="stow", item="shield")
    plain = hidden((), shield="none")
    plain.do("begin_combat", unaware_side="players").do("grant_priority")
    assert plain.refused("object", creature="orc", verb="stow", item="shield") == "weapon_not_wielded"


@pytest.mark.parametrize(
    ("fields", "purchase", "code"),
    [
        (("hp_max",), {"kind": "hit_points"}, "gm_only"),
        (("might",), {"kind": "ability_die", "ability": "might"}, "gm_only"),
        ((), {"kind": "hit_points"}, None),
        (("hp_max",), {"kind": "aspect_new", "text": "old"}, None),
    ],
)
def test_TABLE_GMONLY_1_a_price_tells_nothing_that_is_gm_only(
    fields: tuple[str, ...], purchase: dict[str, Any], code: str | None
) -> None:
    fight = hidden(fields).do("award_xp", creatures=["orc"], amount=400)
    fight.do("change_seat", seat="zoe", creatures=["orc"])
    refusal = fight.send("spend_xp", "zoe", creature="orc", purchase=purchase).refusal
    assert (refusal and (refusal.code, refusal.rule)) == (code and (code, "TABLE-GMONLY-1"))


@pytest.mark.parametrize(
    ("by", "creature", "fields", "code"),
    [
        ("zoe", "orc", ("speed",), "not_gm"),
        ("gm", "elf", (), "no_such_creature"),
        ("gm", "pia", (), "already_shown"),
        ("gm", "orc", (), "already_shown"),
        ("gm", "orc", ("speed",), None),
    ],
)
def test_TABLE_GMONLY_3_the_gm_shows_once_what_was_gm_only(
    by: str, creature: str, fields: tuple[str, ...], code: str | None
) -> None:
    fight = hidden(fields)
    refusal = fight.send("show_sheet", by, creature=creature).refusal
    assert (refusal and (refusal.code, refusal.rule)) == (code and (code, "TABLE-GMONLY-3"))
    assert fight["orc"].gm_only == (() if code is None else fields)


def test_TABLE_GMONLY_2_the_flat_parts_of_a_roll_are_withheld() -> None:
    roll = Roll(
        name=RollName(epoch=1, lane=0, stream="orc", place=0),
        purpose=(),
        dice=(),
        terms=(Term(amount=4, what="might", rule="HR-ATK-1"),),
    )
    found = open_part(roll)
    assert [(term.amount, term.rule) for term in found.terms] == [(0, "TABLE-GMONLY-2")]
