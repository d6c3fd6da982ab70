"""What creatures of each size can carry (HR-SIZE-8)."""

import pytest

from service.rules.heartrush.creatures.bestiary import drawn
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.creatures.size_and_bonds import slots, slots_taken
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import begun, opened, sheet

MAUL = {"id": "maul", "size_class": "heavy"}
MACES = [{"id": f"mace-{i}", "size_class": "light"} for i in range(3)]
FANGS = {"id": "fangs", "size_class": "light", "tags": ["natural"]}


@pytest.mark.parametrize(
    ("size", "might", "carried"),
    [
        ("medium", 4, 8),
        ("medium", 8, 10),
        ("large", 8, 14),
        ("small", 6, 7),
        ("small", 10, 8),
        ("tiny", 6, 7),
        ("minuscule", 4, 7),
        ("l2", 8, 56),
        ("l3", 8, 126),
    ],
)
def test_HR_V_76_slots_go_by_size_and_might(size: str, might: int, carried: int) -> None:
    """HR-SIZE-8; A-62: below small as small, above large as large for each cell; A-74: faces."""
    sheet = changed(drawn("new-character", "it", "players", None), size=size, might=might)
    assert slots(sheet) == carried


def test_HR_SIZE_8_what_is_in_hand_or_part_of_the_body_takes_no_slots() -> None:
    fangs = Weapon(id="fangs", size_class="light", tags=("natural",))
    maul, mace = Weapon(id="maul", size_class="heavy"), Weapon(id="mace", size_class="light")
    bare = drawn("new-character", "it", "players", None)
    assert slots_taken(changed(bare, weapons=(), wielded=None)) == 0
    assert slots_taken(changed(bare, weapons=(maul, mace, fangs), wielded=None)) == 5
    assert slots_taken(changed(bare, weapons=(maul, mace, fangs), wielded="mace")) == 10
    assert slots_taken(changed(bare, weapons=(maul, mace, fangs), wielded="fangs")) == 15


def test_HR_SIZE_8_nobody_comes_with_more_than_it_can_carry() -> None:
    """Pia's might is d8: 10 slots, which two maces fill; with a d6 a third is too much."""
    full = {"weapons": [MAUL, *MACES[:2], FANGS]}
    assert len(opened({"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": full})["pia"].sheet.weapons) == 4
    laden = {"weapons": [MAUL, *MACES]}
    assert (
        len(
            opened(
                {"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": laden | {"size": "large", "might": 10}}
            ).state.creatures
        )
        == 2
    )
    with pytest.raises(AssertionError, match="15 slots besides the one in hand, of 10"):
        opened({"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": laden})


def test_HR_SIZE_8_holds_for_who_arrives_later_too() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)})
    entry = {"sheet": sheet("ox", like="orc", might=4, weapons=[MAUL, *MACES]), "position": [9, 9]}
    decision = fight.send("add_creature", "gm", entry=entry)
    assert decision.refusal is not None
    assert "of 8" in decision.refusal.detail
