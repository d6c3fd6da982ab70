"""The one module that reads frames of Python: what runs, and where an exception came from, by names.

Nothing that decides depends on it. A function that is compiled otherwise has no frame, so `watched` does not
hear of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from inspect import CO_GENERATOR
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")
V = TypeVar("V")

_PYTHON: Final = ("call", "return")
"""What happens to a function of Python."""


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


class TooMuchToWatch(Exception):
    """What is watched calls, returns and resumes more often than it may."""


def watched(
    work: Callable[[], T],
    by_home: Mapping[tuple[str, str], V],
    heard: Callable[[V, int], object],
    most: int | None = None,
) -> T:
    """Return what *work* returns; call *heard* for each call of a function that *by_home* has.

    *by_home* has the values of functions by module and qualified name. *heard* gets the value of the function
    that is called, and how many others of *by_home* run around it. Raises `TooMuchToWatch` after *most* calls
    and returns of any function, which each cost time; None is without limit.
    """
    found: dict[int, tuple[V | None, CodeType]] = {}  # by id: a code is slow to hash; it keeps the code alive
    resumed: dict[int, FrameType] = {}  # keeps the frames alive, so that no id is reused
    depth = 0
    left = most if most is not None else sys.maxsize

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth, left
        left -= 1
        if left < 0:
            raise TooMuchToWatch
        if event not in _PYTHON:  # most calls are of what C does
            return
        code = frame.f_code
        known = found.get(id(code))
        if known is None:
            known = found[id(code)] = by_home.get((_module_of(frame), code.co_qualname)), code
        value = known[0]
        if value is None:
            return
        if event == "return":
            depth -= 1
            return
        if not code.co_flags & CO_GENERATOR:
            heard(value, depth)
        elif id(frame) not in resumed:  # resuming a generator is not a new call
            resumed[id(frame)] = frame
            heard(value, depth)
        depth += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        found_by_work = work()
    finally:
        sys.setprofile(before)
    if left < 0:  # something caught what `watch` raised
        raise TooMuchToWatch
    return found_by_work


def _module_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "?")
    return name
