"""Both clients, and the example without one, read of a choice the values that the service means."""

from __future__ import annotations

import json
from typing import Any, Final

from examples import play
from rewound_client import values_of, with_lists
from service.core.shared_lists import LONG, SharedLists
from service.rules.kernel.codec import to_data
from service.rules.space.compact import Cells, StraightPaths
from tests.support.javascript_verifier import node

CHOICES: Final[list[Any]] = [
    (),
    ("cells", "start", "paths"),
    ((), ("orc",)),
    Cells(cells=()),
    Cells(cells=((-1, 0, 0), (0, -3, 2), (0, 4, 4))),
    StraightPaths(start=(0, 0), paths=()),
    StraightPaths(start=(2, -6), paths=((1, 0, 0, 6), (-1, 1, 3, 4), (0, -1, 1, 1))),
]


def test_clients_read_the_values_that_the_service_means() -> None:
    data = to_data(CHOICES)
    meant = [to_data(tuple(choice)) for choice in CHOICES]
    assert [values_of(choice) for choice in data] == meant
    assert [play.values_of(choice) for choice in data] == meant
    assert json.loads(node("tests/clients/choices.mjs", json.dumps(data))) == meant


def test_clients_put_the_shared_lists_of_an_answer_where_they_belong() -> None:
    names = [f"orc-{i}" for i in range(LONG + 4)]
    alone = [[name] for name in names]
    given: list[list[Any]] = [names, names[1:], alone[:3] + alone[4:], names[::-1], names[::2] * 2, names[:3]]
    choices = [{"target": list(values)} for values in given]
    offers = [{"command": {"type": "aid"}, "choices": each} for each in (*choices, choices[3])]
    offers.append({"command": {"type": "seal"}, "choices": {}, "seals": offers[:2], "asks": ["commitment"]})
    shared = SharedLists(names)
    written = [shared.offer(offer) for offer in offers]
    answer: Any = {"options": [{"prompt": {}, "commands": written}], "lists": shared.lists}

    assert [each["choices"].get("target") for each in written] == [
        {"list": 0},
        {"list": 0, "but": ["orc-0"]},
        {"list": 1, "but": [["orc-3"]]},
        {"list": 2},
        {"list": 3},
        names[:3],
        {"list": 2},
        None,
    ]
    assert shared.lists == [names, alone, names[::-1], names[::2] * 2]
    assert with_lists(answer)["options"][0]["commands"] == offers
    assert json.loads(node("tests/clients/shared_lists.mjs", json.dumps(answer))) == offers
    read = [play.values_of(each["choices"]["target"], shared.lists) for each in written[:6]]
    assert read == given
