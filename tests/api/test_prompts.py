"""What an answer says its seat may answer next is what options are listed for, both sides in hand or one."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import pytest

from rewound_client import with_lists
from tests.api.client import Api
from tests.api.twins import KEPT_OUT
from tests.rules.heartrush.kit import opening as heartrush
from tests.support.offers import spelled

STEPS: Final = 25


def rise(id_: str, side: str, at: int) -> dict[str, Any]:
    weapon = {"id": "axe", "strike": {"dice": [10], "flat": 1}}
    sheet = {"id": id_, "name": id_, "side": side, "hp_max": 10, "weapons": [weapon]}
    return {"position": [at, 0], "sheet": sheet}


BOTH_SIDES: Final[dict[str, dict[str, Any]]] = {
    "rise@1": {"creatures": [rise("pia", "heroes", 0), rise("ash", "heroes", 2), rise("orc", "foes", 1)]},
    "heartrush@1": heartrush({"pia": (0, 0), "ash": (2, 0), "orc": (1, 0)}, seats=[], declared_sides=[]),
}
BEGIN: Final = {
    "rise@1": {"type": "start_combat", "start_phase": "action"},
    "heartrush@1": {"type": "begin_combat", "unaware_side": "enemies"},
}


@pytest.mark.parametrize("edition", BOTH_SIDES)
def test_an_answer_tells_all_that_its_seat_may_answer_next_and_what_presses_first(
    owner: Api, edition: str
) -> None:
    chance = Random(edition)
    opened = owner("POST", "/v1/encounters", {"edition": edition, **BOTH_SIDES[edition]})
    at = f"/v1/encounters/{json.loads(opened.text)['encounter']}"
    command: dict[str, Any] = BEGIN[edition]
    widest = 0
    for _ in range(STEPS):
        answer = owner("POST", f"{at}/commands", command)
        assert answer.status_code == 200, f"{command}: {answer.text}"
        data = json.loads(answer.text)["prompts"]
        options: list[Any] = list(with_lists(owner.get(f"{at}/options"))["options"])

        pressing = [each for each in data if not each["optional"]]
        assert data[: len(pressing)] == pressing
        assert _named(data) == _named([each["prompt"] for each in options])
        widest = max(widest, len({each["creature"] for each in data}))

        wanted = [each for each in options if not each["prompt"]["optional"]] or options
        offers = [o for each in wanted for o in each["commands"] if o["command"]["type"] not in KEPT_OUT]
        if not offers:
            break
        command = spelled(chance.choice(offers), chance)
    assert widest > 1, "never had the seat more than one creature to answer for"


def _named(prompts: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in prompts)
