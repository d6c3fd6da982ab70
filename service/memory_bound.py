"""Bound the memory of one process, so that it fails by an exception long before the machine has none left.

The kernel would otherwise end a process of its own choice, which may be another owner's worker or the store.
`RLIMIT_DATA` counts what a process can write to, so a thread's stack counts whole, and address space that the
allocator only reserves, 64 MB for a thread, does not count as it would under `RLIMIT_AS`.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import Final

MEGABYTE: Final = 1 << 20


def bound_memory(megabytes: int) -> None:
    """Let this process write to at most *megabytes* of memory; 0 leaves it as it is.

    Past the bound Python raises `MemoryError`. A lower bound that the process already has stays.
    """
    if not megabytes:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    lowest = min((limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY), default=None)
    wanted = megabytes * MEGABYTE
    with suppress(ValueError, OSError):  # a system without this bound
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if lowest is None else min(wanted, lowest), hard))
