"""Play the golden vectors twice: through decide alone, and with every command sent over HTTP as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.api.conftest import api, log, owner, services, worker
from tests.support.both_ways import both_ways, one_way
from tests.support.rule_ledger import read

__all__ = ["api", "log", "owner", "services", "worker"]


SHEETS = frozenset({"test_HR_V_76_slots_go_by_size_and_might"})
"""Vectors of a sheet alone: nobody plays in them."""
DICELESS = frozenset({"test_HR_V_70_a_hindering_push_goes_by_size_and_always_unbalances"})
"""Tests of the half of a vector that throws nothing; another test throws its faces."""


WITH_FACES: Final = frozenset(
    int(row["id"].rpartition("-")[2])
    for row in read(Path(__file__).parent / "fixtures/vectors.json")
    if row.get("faces")
)
"""Vectors in which the ledger prints faces: they are thrown over HTTP, too."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each vector both ways."""
    both_ways(metafunc, "test_HR_V_", SHEETS)


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Follow the fights of a test over HTTP, if that is the way it is played; printed faces are thrown."""
    vector = re.search(r"test_HR_V_(\d+)", request.node.name)
    with one_way(request) as fights:
        yield
        if fights is None or request.node.originalname in DICELESS:
            return
        if vector and int(vector[1]) in WITH_FACES:
            assert any(fight.faces for fight in fights), "the ledger prints faces, and none was thrown"
