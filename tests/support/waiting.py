"""Wait until something holds; a test that waits in vain fails with what it waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

PATIENCE_S: Final = 50.0


def until(
    holds: Callable[[], object],
    what: str | Callable[[], str] = "it does not hold",
    seconds: float = PATIENCE_S,
    *,
    every_s: float = 0.005,
    despite: tuple[type[Exception], ...] = (),
) -> None:
    """Wait until *holds* returns what is true; fails with *what* after *seconds*.

    It may raise *despite*, which is not true. *what* may be a function, which is called once it has failed.
    """
    ends = time.monotonic() + seconds
    while True:
        with suppress(*despite):
            if holds():
                return
        if time.monotonic() > ends:
            raise AssertionError(f"{what if isinstance(what, str) else what()}: not within {seconds:g} s")
        time.sleep(every_s)
