"""What creatures carry, let go, throw and pick up (HR-SIZE-8, HR-ITEM-1, HR-ITEM-2), and their lanterns."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.possessions import lantern_light, load
from service.rules.heartrush.body.weapons import TOTAL, lines_blocked
from service.rules.heartrush.creatures.sheet import Scenery
from service.rules.heartrush.rolling.rolls import light_for, light_on
from service.rules.heartrush.table.presentation import map_rows, tokens
from service.rules.kernel.codec import Malformed, to_data
from service.rules.kernel.sealed import view
from service.rules.ruleset import carried, waiting
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.creatures.test_gm_only_thresholds import hidden
from tests.rules.heartrush.kit import Fight, begun, opened

KNIFE = {"id": "knife", "attack_type": "thrown", "damage_type": "slashing"}
DART = {"id": "dart", "attack_type": "thrown", "damage_type": "slashing"}
MACE = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}
MAUL = {"id": "maul", "size_class": "heavy", "damage_type": "bludgeoning"}
BITE = {"id": "bite", "size_class": "light", "tags": ["natural"]}
PLACES = {"pia": (0, 0), "ash": (0, 2), "orc": (1, 0)}


def peace(weapons: list[dict[str, Any]] | None = None, **changes: Any) -> Fight:
    """Return a place outside combat, where handling things costs nothing; Ash has bare hands."""
    pia = {"weapons": [MACE] if weapons is None else weapons, **changes}
    return opened(PLACES, sheets={"pia": pia, "ash": {"weapons": []}})


def handle(fight: Fight, verb: str, item: str | None = None, creature: str = "pia") -> Fight:
    return fight.do("object", creature=creature, verb=verb, item=item)


def refused(fight: Fight, verb: str, item: str | None = None, creature: str = "pia") -> str:
    return fight.refused("object", creature=creature, verb=verb, item=item)


def offered(fight: Fight, verb: str, creature: str = "pia") -> set[Any]:
    offers = fight.offers("zoe", creature)
    found = [o for o in offers if o.type == "object" and o.given["verb"] == verb]
    return {item for offer in found for item in offer.choices["item"]}


def armed(fight: Fight, creature: str, weapon: dict[str, Any]) -> bool:
    """Tell whether the GM may put *weapon* into the hand of a creature; it is there then."""
    effect = {"kind": "arm", "creature": creature, "weapon": weapon}
    ruling = fight.send("gm_ruling", "gm", kind="effect", decision="take it", effects=[effect])
    return ruling.refusal is None


# --- carrying ------------------------------------------------------------------------------------------


def test_HR_SIZE_8_what_is_put_away_takes_slots() -> None:
    """Might d8: 10 slots. The first weapon is the primary one, which takes none; a mace takes 5."""
    fight = peace([MAUL, MACE, {**MACE, "id": "club"}])
    assert load(fight["pia"]) == 10
    handle(handle(fight, "stow"), "draw", "mace")
    assert load(fight["pia"]) == 5
    handle(fight, "stow")
    assert load(fight["pia"]) == 10


def test_HR_SIZE_8_what_is_too_much_to_carry_stays_in_hand_or_lies() -> None:
    fight = peace([MACE, KNIFE])
    assert load(fight["pia"]) == 2
    assert armed(fight, "pia", MAUL)
    assert refused(fight, "stow", "maul") == "overloaded", "10 slots beside the knife's 2, of 10"
    assert offered(fight, "stow") == set()
    assert offered(fight, "drop") == {None, "maul"}
    handle(fight, "drop", "maul")
    assert list(fight.state.lying) == ["maul"]


@pytest.mark.parametrize("spare", [(), (KNIFE,)])
def test_HR_SIZE_8_a_heavy_shield_put_away_takes_ten_slots(spare: tuple[dict[str, Any], ...]) -> None:
    fight = peace([MACE, *spare], shield="heavy")
    if not spare:
        assert load(handle(fight, "stow", "shield")["pia"]) == 10
        return
    assert refused(fight, "stow", "shield") == "overloaded"
    handle(fight, "drop", "shield")
    assert (fight["pia"].sheet.shield, load(fight["pia"])) == ("none", 2)


def test_HR_SIZE_8_nobody_is_armed_with_what_leaves_too_much_to_carry() -> None:
    fight = peace([MACE, KNIFE])
    assert armed(fight, "pia", MAUL)
    assert not armed(fight, "pia", {**MAUL, "id": "beam"})
    handle(fight, "drop")
    assert armed(fight, "pia", {**MAUL, "id": "beam"})


def test_HR_SIZE_8_what_is_carried_is_shown() -> None:
    fight = peace([MACE, KNIFE])
    shown = {token.id: token for token in tokens(view(fight.state, "zoe"))}
    assert (shown["pia"].load, shown["pia"].capacity) == (2, 10)


@pytest.mark.parametrize(
    ("field", "seen"), [("might", (2, None)), ("shield", (None, 11)), ("speed", (2, 11))]
)
def test_HR_SIZE_8_what_a_gm_only_field_decides_is_shown_to_the_gm_alone(
    field: str, seen: tuple[int | None, ...]
) -> None:
    fight = hidden((field,), weapons=[MACE, KNIFE])
    orcs = [
        next(token for token in tokens(view(fight.state, seat)) if token.id == "orc")
        for seat in ("zoe", "gm")
    ]
    assert [(orc.load, orc.capacity) for orc in orcs] == [seen, (2, 11)]


# --- letting go and picking up -------------------------------------------------------------------------


def test_HR_ITEM_2_what_is_dropped_is_picked_up_by_whom_it_lies_beside() -> None:
    fight = handle(peace(), "drop")
    [lies] = fight.state.lying.values()
    assert (lies.position, fight["pia"].wielded, fight["pia"].thrown) == ((0, 0), None, ("mace",))
    assert refused(fight, "draw", "mace") == "weapon_not_wieldable"
    assert refused(fight, "pick_up", "mace", "ash") == "not_adjacent"
    assert refused(fight, "pick_up", "maul") == "no_valid_target"
    assert offered(fight, "pick_up") == {"mace"}
    handle(fight, "pick_up", "mace")
    assert (fight["pia"].wielded, fight["pia"].thrown, fight.state.lying) == ("mace", (), {})
    assert len(fight["pia"].sheet.weapons) == 1


def test_HR_ITEM_2_what_is_picked_up_needs_an_empty_hand() -> None:
    fight = handle(handle(peace([MACE, MAUL]), "drop"), "draw", "maul")
    assert refused(fight, "pick_up", "mace") == "no_free_hand"
    assert not offered(fight, "pick_up")
    handle(fight.given("ash", position=(0, 1)), "pick_up", "mace", "ash")
    assert fight["ash"].wielded == "mace"


def test_HR_WPN_11_what_is_too_large_to_wield_is_not_picked_up() -> None:
    fight = opened(PLACES, sheets={"pia": {"weapons": [MAUL]}, "ash": {"size": "small", "weapons": []}})
    handle(fight, "drop").given("ash", position=(0, 1))
    assert refused(fight, "pick_up", "maul", "ash") == "weapon_not_wieldable"


def test_HR_ITEM_2_two_things_of_one_name_have_two_names() -> None:
    fight = opened(PLACES, sheets={"pia": {"weapons": [MACE]}, "ash": {"weapons": [MACE]}})
    fight.given("ash", position=(0, 1))
    handle(handle(fight, "drop"), "drop", creature="ash")
    assert list(fight.state.lying) == ["mace", "mace-2"]
    handle(handle(fight, "pick_up", "mace-2"), "stow")
    assert armed(fight, "pia", {**MACE, "id": "club"})
    handle(fight, "drop")
    fight.given("pia", thrown=("club",))
    handle(fight, "pick_up", "mace")
    assert [weapon.id for weapon in fight["pia"].sheet.weapons] == ["mace", "club", "mace-2"]


def test_HR_ITEM_2_neither_fangs_nor_what_is_not_held_is_dropped() -> None:
    fight = peace([BITE, MACE])
    for item in (None, "bite", "mace", "shield"):
        assert refused(fight, "drop", item) == "weapon_not_wielded"
    assert not offered(fight, "drop")


def test_HR_ITEM_2_a_shield_is_dropped_and_taken_by_another() -> None:
    fight = handle(peace(shield="light"), "drop", "shield")
    fight.given("ash", position=(0, 1))
    assert offered(fight, "pick_up", "ash") == {"shield"}
    handle(fight, "pick_up", "shield", "ash")
    assert (fight["ash"].sheet.shield, fight["pia"].sheet.shield) == ("light", "none")
    handle(fight, "drop", "shield", "ash")
    assert fight["ash"].sheet.shield == "none"


def test_HR_ITEM_2_who_has_a_shield_or_no_hand_takes_none() -> None:
    both = opened(PLACES, sheets={"pia": {"shield": "light"}, "ash": {"shield": "light"}})
    handle(both, "drop", "shield").given("ash", position=(0, 1))
    assert refused(both, "pick_up", "shield", "ash") == "no_free_hand"
    both.given("ash", gm_only=("shield",))
    assert refused(both, "pick_up", "shield", "ash") == "gm_only"
    heavy = handle(peace([MAUL], shield="light"), "drop", "shield")
    assert refused(heavy, "pick_up", "shield") == "no_free_hand"


def test_HR_ITEM_2_nobody_reaches_through_a_wall() -> None:
    fight = opened(PLACES, sheets={"ash": {"weapons": []}}, walls={"0,0|0,1": "wall"})
    handle(fight, "drop").given("ash", position=(0, 1))
    assert refused(fight, "pick_up", "mace", "ash") == "not_adjacent"


def test_HR_ITEM_2_in_combat_it_is_an_object_interaction() -> None:
    fight = handle(begun(PLACES, sheets={"pia": {"weapons": [MACE]}}), "drop")
    assert (fight["pia"].free_object, fight["pia"].action) == (False, 1)
    assert [event.because for event in fight.logged("thing_dropped")] == [("HR-ACT-9", "HR-ITEM-2")]


def test_HR_ITEM_2_poison_lies_with_its_weapon_and_what_lies_does_not_go_on() -> None:
    fight = peace([MACE, KNIFE], poisons=[{"id": "viper", "doses": 2}])
    fight.do("coat_weapon", creature="pia", weapon="mace", poison="viper")
    handle(fight, "drop")
    assert fight["pia"].coats == {}
    assert fight.refused("coat_weapon", creature="pia", weapon="mace", poison="viper") == "weapon_not_wielded"
    origin = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=1, hash="ab" * 32)
    gone = to_data(carried(HEARTRUSH, view(fight.state, "gm"), "pia", origin))
    assert gone["character"]["thrown"] == ["mace"]
    handle(fight, "pick_up", "mace")
    assert list(fight["pia"].coats) == ["mace"]


# --- throwing ------------------------------------------------------------------------------------------


def thrown(first: dict[str, Any], *others: dict[str, Any]) -> Fight:
    """Return a fight after Pia has struck with her first weapon at the orc."""
    at = (2, 0) if first["id"] == "knife" else (1, 0)
    fight = begun({"pia": (0, 0), "orc": at}, sheets={"pia": {"weapons": [first, *others]}})
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="cunning", orc="agility")
    fight.answer("declare_attack", "pia", target="orc")
    while wants := next((awaited.wants for awaited in waiting(fight.state) if awaited.wants), ()):
        fight.throw(*[1] * len(wants))
    return fight


def test_HR_ITEM_1_a_thrown_weapon_lies_where_its_target_stands() -> None:
    fight = thrown(KNIFE, DART)
    [event] = fight.logged("weapon_landed")
    assert (event.weapon, event.thing, event.position) == ("knife", "knife", (2, 0))
    assert event.because == ("HR-ITEM-1",)
    assert (fight["pia"].wielded, fight["pia"].thrown) == (None, ("knife",))
    assert list(fight.state.lying) == ["knife"]


def test_HR_ITEM_1_what_strikes_in_melee_stays_in_hand() -> None:
    fight = thrown(MACE)
    assert not fight.logged("weapon_landed")
    assert fight["pia"].wielded == "mace"


# --- lanterns ------------------------------------------------------------------------------------------


def dark(**changes: Any) -> Fight:
    return opened(PLACES, sheets={"ash": {"lantern_ft": 10}}, scenery={"ambient": "dark"}, **changes)


@pytest.mark.parametrize(("at", "light"), [(0, "bright"), (2, "bright"), (3, "dim"), (4, "dim"), (5, "dark")])
def test_HR_LIGHT_1_a_lantern_lights_brightly_near_by_and_dimly_as_far_again(at: int, light: str) -> None:
    fight = dark().given("orc", position=(at, 2))
    assert light_on(fight.state, fight["orc"]) == light


def test_HR_LIGHT_1_the_light_goes_with_its_bearer_and_out_with_it() -> None:
    fight = dark().given("ash", position=(20, 20))
    assert light_for(fight.state, fight["pia"], fight["orc"]) == "dark"
    fight.given("ash", position=(1, 1))
    assert light_for(fight.state, fight["pia"], fight["orc"]) == "bright"
    assert {each.ground.light for each in map_rows(fight.state)} == {"bright", "dim"}
    handle(fight, "put_out", creature="ash")
    assert light_for(fight.state, fight["pia"], fight["orc"]) == "dark"
    assert refused(fight, "put_out", creature="ash") == "params_missing"
    assert refused(fight, "light", creature="pia") == "params_missing"
    assert offered(fight, "light", "ash") == {None}
    handle(fight, "light", creature="ash")
    assert light_for(fight.state, fight["pia"], fight["orc"]) == "bright"
    fight.given("ash", status="dead")
    assert light_for(fight.state, fight["pia"], fight["orc"]) == "dark"


def test_HR_LIGHT_1_a_cell_is_dark_where_walls_cut_all_lines_as_they_cover() -> None:
    fight = dark(
        terrain={"1,1": "wall", "-2,3": "wall", "-1,3": "wall", "0,4": "wall"},
        walls={"0,1|0,2": "wall", "1,2|2,2": "closed_door", "1,3|2,3": "wall", "-1,1|-1,2": "open_door"},
    )
    for cell in product(range(-4, 5), range(-2, 7)):
        seen = fight.given("orc", position=cell)
        is_cut = lines_blocked(seen.state, seen["ash"], seen["orc"]) == TOTAL
        is_near = seen.state.distance(seen["ash"], seen["orc"]) <= 2 * seen["ash"].sheet.lantern_ft
        assert (lantern_light(seen.state, seen["ash"], cell) == "dark") is (is_cut or not is_near), cell


def test_HR_LIGHT_1_walls_keep_it_out_and_daylight_needs_none() -> None:
    fight = dark(terrain={f"{x},1": "wall" for x in range(-6, 7)})
    assert light_on(fight.state, fight["pia"]) == "dark"
    fight.with_table(scenery=Scenery())
    assert light_on(fight.state, fight["pia"]) == "bright"


@pytest.mark.parametrize("feet", [-5, 7, 65])
def test_HR_LIGHT_1_a_lantern_lights_in_fives(feet: int) -> None:
    with pytest.raises(Malformed, match="/lantern_ft: a whole number of feet from 0 to 60, in steps of 5"):
        opened(PLACES, sheets={"ash": {"lantern_ft": feet}})


# --- sides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sides", "fits"),
    [
        (["players"], False),
        (["players", "enemies"], True),
        (["players", "players"], False),
        (["players", "enemies", "beasts"], False),
    ],
)
def test_HR_SVC_8_a_fight_has_two_sides(sides: list[str], fits: bool) -> None:  # noqa: FBT001 - a row
    if fits:
        assert opened(PLACES, sides=sides).state.sides == tuple(sides)
        return
    with pytest.raises(AssertionError, match="exactly two sides"):
        opened(PLACES, sides=sides, declared_sides=[])
