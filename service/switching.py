"""Let threads of one process change often, so that one that computes delays one that waits by little.

Python lets a thread compute for five milliseconds before another gets the interpreter. A request on the loop
gives it up at each of its reads and writes, so beside a long read it would wait five milliseconds each time.
"""

from __future__ import annotations

import sys
from typing import Final

INTERVAL_S: Final = 0.0005


def switch_often() -> None:
    """Set this process up to change threads every half millisecond."""
    sys.setswitchinterval(INTERVAL_S)
