"""Shift `time.time` by what a file says, in every Python process that has this directory on its path.

The file is named by `NEMESIS_CLOCK` and holds seconds; it is read at most twenty times a second.
`time.sleep`, `time.monotonic` and what the kernel counts stay true, as where an operator sets the clock.
"""

import os
import time

_real_time, _monotonic = time.time, time.monotonic
_path = os.environ.get("NEMESIS_CLOCK", "")
_looked, _shift = -1.0, 0.0


def _shifted() -> float:
    global _looked, _shift  # noqa: PLW0603 - one clock a process
    now = _monotonic()
    if _path and now - _looked > 0.05:
        _looked = now
        try:
            with open(_path, encoding="ascii") as file:  # noqa: PTH123 - as little as possible is imported this early
                _shift = float(file.read() or 0)
        except (OSError, ValueError):
            pass
    return _real_time() + _shift


if _path:
    time.time = _shifted
    time.time_ns = lambda: int(_shifted() * 1_000_000_000)
