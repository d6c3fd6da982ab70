"""Both clients, and the example without one, read of a choice the values that the service means."""

from __future__ import annotations

import json
from typing import Any, Final

from examples import play
from rewound_client import values_of
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
