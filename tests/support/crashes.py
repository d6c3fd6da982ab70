"""Notice every command that a worker could not decide: the test that sees one fails, whatever else it shows.

Workers in this process are watched where they decide; those in processes of their own are read by their logs.
A test that plants such a command is marked `plants_crash`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from traceback import format_exception
from typing import Any, Final

import pytest

from service.core.decide import decide_request, quarantine_request
from service.record.quarantine import DISPUTED
from workers import fold

EVENTS: Final = ("command.crashed", "command.quarantined")
_seen: Final[list[str]] = []


def watch(patch: pytest.MonkeyPatch) -> None:
    """Notice what workers in this process crash on and put away, until *patch* is undone."""
    patch.setattr(fold, "decide_request", _noticing_a_crash(decide_request))
    patch.setattr(fold, "quarantine_request", _noticing(quarantine_request))


def _noticing_a_crash(decide: Callable[..., Any]) -> Callable[..., Any]:
    def decided(*given: Any, **more: Any) -> Any:
        try:
            return decide(*given, **more)
        except Exception as error:
            _seen.append("".join(format_exception(error)))
            raise

    return decided


def _noticing(quarantine: Callable[..., Any]) -> Callable[..., Any]:
    def quarantined(*given: Any, **more: Any) -> Any:
        if given[3]["cause"] == DISPUTED:  # it waited while a history was in dispute: nothing crashed
            return quarantine(*given, **more)
        _seen.append(f"command {given[2]} was quarantined")
        return quarantine(*given, **more)

    return quarantined


def read(lines: Iterable[Mapping[str, Any]]) -> None:
    """Notice crashes in the log lines of a worker in a process of its own."""
    _seen.extend(str(line) for line in lines if line["event"] in EVENTS)


def drained() -> list[str]:
    """Return what was noticed since the last call."""
    found = list(_seen)
    _seen.clear()
    return found
