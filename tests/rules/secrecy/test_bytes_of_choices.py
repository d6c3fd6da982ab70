"""What a commitment to a choice covers is spelled as the record spells it, by two encoders."""

from __future__ import annotations

from typing import Any

import pytest

from service.record.canonical import dumps
from service.rules.secrecy.choices import canonical


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"type": "choose_stance", "creature": "pia", "stance": "might", "prompt": "r1/e1/stance/pia"},
        {"type": "plan_movement", "path": [[1, -2], [0, 0]], "carry": [], "mount": None, "stand_up": True},
        {
            "type": "x",
            "b": {"z": 1, "a": [{"d": False, "c": 2**53 - 1}]},
            "a": 'é "quoted" \\ /\n\t\x7f\x01 🎲',
        },
    ],
)
def test_a_choice_has_the_bytes_of_the_record(choice: dict[str, Any]) -> None:
    assert canonical(choice) == dumps(choice)
