"""Play a test both ways: through decide alone, and with every command sent over HTTP as well.

A folder's conftest gives its vectors both ways with `both_ways`, and wraps each test in `one_way`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pytest

from tests.support.http_mirror import Mirror, mirrored


def both_ways(metafunc: pytest.Metafunc, prefix: str, apart: Collection[str]) -> None:
    """Give each test whose name begins with *prefix* both ways, but those set *apart*."""
    name = metafunc.function.__name__
    if name.startswith(prefix) and name not in apart:
        metafunc.parametrize("way", ["decided", "http"], indirect=True)


@contextmanager
def one_way(request: pytest.FixtureRequest) -> Iterator[list[Mirror] | None]:
    """Follow the fights of a test over HTTP, if that is the way it is played; None where it is not."""
    if getattr(request, "param", "decided") == "decided":
        yield None
        return
    owner, services, worker = map(request.getfixturevalue, ("owner", "services", "worker"))
    with mirrored(owner, services, worker) as fights:
        yield fights
