"""Both sides of Heart Rush's poisons and wounds: doses, coats and their time, and what gets in the way."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Wound
from service.rules.heartrush.creatures.sheet import Coat, Poison
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import PLACES, refusal_of

CLUB = {"id": "club", "size_class": "light", "damage_type": "bludgeoning"}
MACE = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}


def poisoner(doses: int = 1, poison: Any = None, **changes: Any) -> Fight:
    """Return a table before combat at which Pia has two weapons and so many doses."""
    found = {"id": "asp", "doses": max(doses, 1), **(poison or {})}
    fight = opened(PLACES, sheets={"pia": {"weapons": [CLUB, MACE], "poisons": [found]}})
    fight.state = fight.state.with_creature("pia", doses={"asp": doses} if doses else {}, **changes)
    return fight


@pytest.mark.parametrize(
    ("doses", "poison", "data", "code"),
    [
        (1, {}, {}, None),
        (2, {}, {}, None),
        (0, {}, {}, "no_poison_dose"),
        (1, {"on_weapons": False}, {}, "no_poison_dose"),
        (1, {}, {"poison": "elf"}, "no_poison_dose"),
        (1, {}, {"weapon": "mace"}, None),
        (1, {}, {"weapon": "axe"}, "weapon_not_wielded"),
    ],
)
def test_HR_POIS_1_a_dose_goes_on_a_weapon_that_one_has(
    doses: int, poison: dict[str, Any], data: dict[str, str], code: str | None
) -> None:
    fight = poisoner(doses, poison)
    sent = {"weapon": "club", "poison": "asp", **data}
    found = refusal_of(fight, "zoe", "coat_weapon", creature="pia", **sent)
    assert (found[0] if found else None) == code
    if code is None:
        assert fight["pia"].doses.get("asp", 0) == doses - 1
        assert list(fight["pia"].coats) == [sent["weapon"]]


def test_HR_POIS_1_a_coated_weapon_takes_no_second_dose() -> None:
    coat = Coat(poison=Poison(id="asp"))
    fight = poisoner(coats={"club": coat})
    assert refusal_of(fight, "zoe", "coat_weapon", creature="pia", weapon="club", poison="asp") is not None
    assert refusal_of(fight, "zoe", "coat_weapon", creature="pia", weapon="mace", poison="asp") is None


@pytest.mark.parametrize(("potent_s", "until_s"), [(None, None), (600, 700), (0, 100)])
def test_HR_POIS_1_a_coat_lasts_as_long_as_its_poison_says(potent_s: int | None, until_s: int | None) -> None:
    fight = poisoner(poison={} if potent_s is None else {"potent_s": potent_s})
    fight.state = changed(fight.state, clock_s=100)
    fight.do("coat_weapon", creature="pia", weapon="club", poison="asp")
    assert fight["pia"].coats["club"].until_s == until_s


@pytest.mark.parametrize("in_combat", [False, True])
def test_HR_POIS_1_and_HR_POIS_3_weapons_are_coated_and_scraped_outside_combat(*, in_combat: bool) -> None:
    coat = Coat(poison=Poison(id="asp"))
    fight = begun(PLACES) if in_combat else opened(PLACES)
    fight.state = fight.state.with_creature("pia", coats={"mace": coat}, doses={"asp": 1})
    found = refusal_of(fight, "zoe", "scrape_weapon", creature="pia", weapon="mace")
    assert (found is not None) is in_combat, found
    again = refusal_of(fight, "zoe", "scrape_weapon", creature="pia", weapon="mace")
    assert again is not None
    assert in_combat or again == ("weapon_not_coated", "HR-POIS-3")


# --- wounds that get in the way ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "wound", "changes", "code"),
    [
        ("zoe", "w1", {}, None),
        ("zoe", "w2", {}, None),
        ("gm", "w1", {}, None),
        ("gm", "w2", {}, None),
        ("tom", "w1", {}, "not_your_creature"),
        ("zoe", "w9", {}, "wound_none"),
        ("zoe", "w1", {"penalty": 1}, "already_invoked"),
        ("gm", "w1", {"penalty": 1}, "already_invoked"),
    ],
)
def test_HR_WND_3_and_HR_WND_4_a_wound_is_invoked_once_before_a_check(
    by: str, wound: str, changes: dict[str, Any], code: str | None
) -> None:
    fight = opened(PLACES).do("open_seat", seat="tom", role="player")
    wounds = tuple(Wound(id=f"w{i}", rank=i, initial_rank=i) for i in (1, 2))
    fight.state = fight.state.with_creature("pia", wounds=wounds, **changes)
    found = refusal_of(fight, by, "invoke_wound", creature="pia", wound=wound)
    assert (found[0] if found else None) == code
    if code is None and by == "gm":
        assert fight["pia"].penalty == int(wound[1:])
