"""Commands that come to nothing move no die: a thousand of them, refused, looked at first, or too late."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from service.core.decide import decide_request
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Refused
from service.rules.ruleset import check, legal
from tests.support.tiny_game import TINY
from tests.support.tiny_table import GM, Sitting, player, request

WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("add", {"amount": 10}),
    ("choose", {"number": 1}),
    ("throw_dice", {"prompt": "nowhere", "faces": [6]}),
    ("roll_behind_screen", {"dice": [], "what": "luck"}),
    ("show_roll", {"roll": 9}),
    ("advance_epoch", {"reason": ""}),
    ("commit_seed", {"commitment": "00" * 32}),
    ("roll", {"sides": "six"}),
    ("nonsense", {}),
)


def opened() -> Sitting:
    sitting = Sitting()
    sitting.open()
    return sitting


def coming(sitting: Sitting) -> list[Any]:
    """Return the dice that follow: of both lanes, over three epochs."""
    found: list[Any] = []
    for _ in range(3):
        for _ in range(4):
            found.append(json.loads(sitting.do("roll", sides=1000).raw)["rolls"])
            sealed = sitting.do("roll_behind_screen", dice=[1000, 1000], what="luck").sealed
            found.append(json.loads(sealed[0][1].payload)["rolls"])
        sitting.do("end_round")
    return found


def test_a_thousand_commands_that_are_refused_previewed_or_lose_a_race_move_no_die() -> None:
    plain, tried = opened(), opened()
    random = Random(5)
    for n in range(1_000):
        kind = n % 3
        if kind == 0:  # refused, on the record
            type_, data = random.choice(WRONG)
            found = json.loads(tried.do(type_, **data).raw)
            assert found["outcome"] in ("refused", "sealed")
        elif kind == 1:  # looked at beforehand: what is offered, and whether it would do
            assert [offer.type for _, offers in legal(TINY, tried.state, "ada") for offer in offers]
            preview(tried, "roll", {"sides": random.randint(2, 1000)})
        else:  # decided by a worker that lost the race: its commit never stands
            raw = request(len(tried.written) + 1, "roll", {"sides": 20}, encounter=tried.encounter)
            decide_request(TINY, tried.folded, raw, len(tried.written) + 1, tried.secrets)

    assert coming(tried) == coming(plain)


def preview(sitting: Sitting, type_: str, data: dict[str, Any]) -> None:
    """Ask whether a command would be refused, as the API does inside a sealed scope."""
    for by in (GM, player("ada")):
        try:
            check(sitting.state, from_data(TINY.commands[type_], data, families=TINY.families, by=by))
        except Refused:
            continue
