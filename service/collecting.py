"""Have a process of the API or a worker look for cycles seldom: hardly anything that it makes is part of one.

Records point down only, so what nobody holds any more is freed at once. Python's collector does not know it:
by its usual threshold it walks the young containers each time that 700 are more than were freed, several
times for one command, and now and then everything that was ever loaded, which holds up whoever waits. Cycles
of libraries are still found, only later; no request leaves one with its body in it.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 50_000
"""Containers made since the last look, less those freed, at which the young are walked: some megabytes."""


def collect_seldom() -> None:
    """Set this process up, once all of it is loaded: what is there by now is never walked again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
