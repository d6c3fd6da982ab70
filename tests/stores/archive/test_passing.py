"""The log with an archive has every call of the port, and no other."""

from __future__ import annotations

from inspect import Parameter, isfunction, signature
from typing import Any

import pytest

from service.log import Log
from service.stores.archive.archive_log import ArchiveLog
from service.stores.archive.passing import PassingLog

CALLS = sorted(name for name in dir(Log) if isfunction(getattr(Log, name)) and not name.startswith("_"))


class Recorder:
    """Notes every call, and answers with its name."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> str:
            self.calls.append((name, given, named))
            return name

        return call


@pytest.mark.parametrize("name", CALLS)
def test_a_log_with_an_archive_has_every_call_of_the_port(name: str) -> None:
    assert isfunction(getattr(ArchiveLog, name))


@pytest.mark.parametrize("name", sorted(set(CALLS) & set(vars(PassingLog))))
def test_a_call_is_passed_on_with_all_that_was_given(name: str) -> None:
    _, *wanted = signature(getattr(Log, name)).parameters.values()
    given = tuple(
        each.name for each in wanted if each.kind not in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    )
    named = {each.name: each.name for each in wanted if each.kind is Parameter.KEYWORD_ONLY}
    recorder = Recorder()
    answer = getattr(PassingLog(recorder), name)(*given, **named)
    assert recorder.calls == [(name, given, named)]
    assert answer == (None if signature(getattr(Log, name)).return_annotation is None else name)


def test_a_call_that_the_port_does_not_have_is_not_passed_on() -> None:
    assert not hasattr(PassingLog(Recorder()), "compact")
