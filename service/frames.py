"""The one module that reads frames of Python: what runs, and where an exception came from, by names.

Nothing that decides depends on it. A function that is compiled otherwise has no frame, so `watched` does not
hear of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from traceback import walk_tb
from types import FrameType
from typing import NamedTuple, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class FaultPlace(NamedTuple):
    """A place that an exception left: a function by module and qualified name, and a line of its file."""

    module: str
    function: str
    file: str
    line: int


def places(fault: BaseException) -> list[FaultPlace]:
    """Return the places that *fault* left, the innermost last."""
    found = []
    for frame, line in walk_tb(fault.__traceback__):
        code = frame.f_code
        found.append(FaultPlace(_module_of(frame), code.co_qualname, code.co_filename, line))
    return found


def caller() -> str:
    """Return the name of the module that calls the function that calls this."""
    return _module_of(sys._getframe(2))  # noqa: SLF001 - it is documented


def watched(
    work: Callable[[], T], by_home: Mapping[tuple[str, str], V], heard: Callable[[V, int], object]
) -> T:
    """Return what *work* returns; call *heard* for each call of a function that *by_home* has.

    *by_home* has the values of functions by module and qualified name. *heard* gets the value of the function
    that is called, and how many others of *by_home* run around it.
    """
    seen: dict[int, FrameType] = {}  # holds the frames alive, so that no id is reused
    depth = 0

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth
        value = by_home.get((_module_of(frame), frame.f_code.co_qualname))
        if value is None:
            return
        if event == "call":
            if id(frame) not in seen:  # resuming a generator is not a new call
                seen[id(frame)] = frame
                heard(value, depth)
            depth += 1
        elif event == "return":
            depth -= 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return work()
    finally:
        sys.setprofile(before)


def _module_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "?")
    return name
