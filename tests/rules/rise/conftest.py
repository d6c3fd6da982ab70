"""Play the golden vectors twice: through decide alone, and with every command sent over HTTP as well."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.conftest import api, log, owner, services, worker
from tests.support.both_ways import both_ways, one_way

__all__ = ["api", "log", "owner", "services", "worker"]


SEEDED = frozenset({"test_RI_V_14_no_order_of_groups_and_no_interleaving_matters"})
"""Tests that are named by a vector but throw seeded dice: the service draws other seeds."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each vector both ways."""
    both_ways(metafunc, "test_RI_V_", SEEDED)


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Follow the fights of a test over HTTP, if that is the way it is played."""
    with one_way(request):
        yield
