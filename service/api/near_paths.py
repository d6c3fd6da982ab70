"""Find the operation's path that may be meant by one that no operation has."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from service.api.operations import OPERATIONS

CLOSE: Final = 0.8
"""How alike a path that is near must be, 1 being the same."""

LONGEST_STEP: Final = 40
"""Characters of a path's step that is compared with a name."""


def near_path(path: str, method: str) -> str:
    """Return a hint at the operation's path that may be meant by *path*, nothing if none is near.

    Names alone are compared, never what stands for a parameter, and no long ones: comparing takes the square
    of their length, and whoever has no token may ask.
    """
    steps = path.strip("/").split("/")
    best, near = CLOSE, ""
    for operation in OPERATIONS.all.values():
        wanted = operation.path.strip("/").split("/")
        shift = len(wanted) - len(steps)  # a path without its first step, `v1`, is near too
        if operation.method != method or shift not in {0, 1}:
            continue
        pairs = list(zip(wanted[shift:], steps, strict=True))
        named = [(name, given) for name, given in pairs if not name.startswith("{")]
        if any(len(given) > LONGEST_STEP for _, given in named):
            continue
        theirs = "/".join(given for _, given in named)
        ours = "/".join([*wanted[:shift], *(name for name, _ in named)])
        ratio = SequenceMatcher(None, ours, theirs).ratio()
        if ratio > best:
            filled = [given if name.startswith("{") else name for name, given in pairs]
            best, near = ratio, "/" + "/".join([*wanted[:shift], *filled])
    return f"; near it: {near}" if near else ""
