"""Name the rules of events by value: a generator that enforces rules names each event on its way out.

An event without a `because` gets that of the first marked generator that it leaves, which is the innermost.
No code object and no frame of Python is read for it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any

from service.rules.kernel.messages import Event, Private

Code = Callable[..., Any]


class Mark:
    """The rules of marked code, in the order of their marks: a function is marked, and then its class."""

    __slots__ = ("because", "rules", "settles")

    def __init__(self) -> None:
        self.rules: tuple[str, ...] = ()
        """The ids of its rules."""
        self.settles: tuple[str, ...] = ()
        """The ambiguities that its rules settle."""
        self.because: tuple[str, ...] = ()
        """The `because` of its events: the rules, then the ambiguities, each once."""

    def add(self, rules: Iterable[str], settles: Iterable[str]) -> None:
        """Add *rules* by their ids, and the ambiguities that they settle."""
        self.rules = (*self.rules, *rules)
        self.settles = (*self.settles, *settles)
        self.because = tuple(dict.fromkeys((*self.rules, *self.settles)))


def emits(code: Code) -> bool:
    """Return whether *code*, a function, may emit events: a generator that is not declared an `Iterator`."""
    return isgeneratorfunction(code) and "Iterator" not in str(code.__annotations__.get("return"))


def naming(code: Code, mark: Mark) -> Code:
    """Return *code*, which `emits`, so that its events are named by *mark*."""

    @wraps(code)
    def named(*given: object, **known: object) -> Generator[Any, Any, Any]:
        send = code(*given, **known).send
        try:
            fact = send(None)
            while True:
                event = fact.event if isinstance(fact, Private) else fact
                if isinstance(event, Event) and not event.because:
                    event.__dict__["because"] = mark.because
                fact = send((yield fact))
        except StopIteration as end:
            return end.value

    return named
