"""Suggest the path of an operation that is most similar to an unknown path."""

from __future__ import annotations

from typing import Final

from service.api.operations import OPERATIONS
from service.rules.kernel.near import likeness

CLOSE: Final = 80
"""The least per cent of letters that a suggested path has in common with the one that was asked for."""

LONGEST_STEP: Final = 40
"""The maximum length, in characters, of a path segment that is compared with a name."""


def near_path(path: str, method: str) -> str:
    """Return a hint at the operation's path that is most similar to *path*, an empty text if none is close.

    Only fixed segments are compared, not path parameters. Long segments are not compared, because the
    comparison takes quadratic time and unauthenticated clients can trigger it.
    """
    steps = path.strip("/").split("/")
    if steps[:2] == ["v1", "v1"]:  # a client was given the address with its first segment
        del steps[0]
    best, near = CLOSE, ""
    for operation in OPERATIONS.all.values():
        wanted = operation.path.strip("/").split("/")
        shift = len(wanted) - len(steps)  # also suggest paths for one without its first segment, `v1`
        if operation.method != method or shift not in {0, 1}:
            continue
        pairs = list(zip(wanted[shift:], steps, strict=True))
        named = [(name, given) for name, given in pairs if not name.startswith("{")]
        if any(len(given) > LONGEST_STEP for _, given in named):
            continue
        theirs = "/".join(given for _, given in named)
        ours = "/".join([*wanted[:shift], *(name for name, _ in named)])
        alike = likeness(theirs, ours, CLOSE)
        if alike > best:
            filled = [given if name.startswith("{") else name for name, given in pairs]
            best, near = alike, "/" + "/".join([*wanted[:shift], *filled])
    return f"; closest match: {near}" if near else ""
