"""Play the golden vectors twice: through decide alone, and with every command sent over HTTP as well."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.conftest import api, host, log, owner, worker
from tests.mirror import mirrored

__all__ = ["api", "host", "log", "owner", "worker"]


SHEETS = frozenset({"test_HR_V_76_slots_go_by_size_and_might"})
"""Vectors of a sheet alone: nobody plays in them."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each vector both ways."""
    name = metafunc.function.__name__
    if name.startswith("test_HR_V_") and name not in SHEETS:
        metafunc.parametrize("way", ["decided", "http"], indirect=True)


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Follow the fights of a test over HTTP, if that is the way it is played."""
    if getattr(request, "param", "decided") == "decided":
        yield
        return
    folders = [request.getfixturevalue(name).folder for name in ("host", "worker")]
    with mirrored(request.getfixturevalue("owner"), *folders):
        yield
