"""What creatures of each size can carry (HR-SIZE-8)."""

import pytest

from service.rules.heartrush.bestiary import drawn
from service.rules.heartrush.sizes import slots
from service.rules.records import changed


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
