"""Name a failure of random play by the fewest commands that bring it.

The fight is played again with every accepted command kept; then commands are left out, many at once and
fewer and fewer, as long as what is left fails alike: it breaks in the same place, offer and outcome of the
same command differ, or nobody may do anything.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from time import process_time
from typing import Any, Final, NamedTuple, Protocol

from service.rules.ruleset import waiting
from tests.random_play.offer_check import Stuck, Unheld

TRIES: Final = 400
"""Plays that one failure is worth."""
TRYING_S: Final = 240.0
"""Seconds of processor time that one failure is worth."""

MOST_ALIKE: Final = 12
"""Commands of the type that broke a fight which are tried after each play, its own the first of them."""


class Playing(Protocol):
    """A fight that is played at random, by a seed."""

    @property
    def state(self) -> Any: ...
    def open(self) -> object:
        """Open the fight: the same one for the same seed, however often."""

    def play(self) -> object:
        """Play it to its end; raises for what is wrong."""

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> object:
        """Try a command; return why it is refused, if it is."""

    def look(self) -> None:
        """Look up what everybody may do now."""

    def is_stuck(self) -> bool:
        """Tell whether nobody may do anything now."""

    def offers_of(self, type_: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield seat and data of one command for each offer of a type."""

    def fault_of(self, type_: str, seat: str, data: Mapping[str, Any]) -> str | None:
        """Return how offer and outcome of a command differ now, null if they do not; changes nothing."""

    def finish(self) -> None:
        """Hold the whole fight to what must be true of it; raises for what is wrong."""


class Given(NamedTuple):
    """One command that was given."""

    type: str
    seat: str
    data: Mapping[str, Any]


def story(kind: str, seed: int, fight: Callable[[], Playing] | None = None) -> str:
    """Return what the failure in hand is, and the commands that bring it to a *fight*."""
    text = f"FAILED {kind} {seed}\n{traceback.format_exc()}"
    if fight is None:
        return text
    given, broken = _played(fight())
    if broken is None:
        return f"{text}it does not fail again\n"
    fails = _like(broken, fight)
    if not fails(given):
        return f"{text}its {len(given)} commands alone do not bring it:\n{_lines(given)}"
    left = _accepted(fight(), smallest(given, fails))
    return f"{text}{len(left)} of {len(given)} commands bring it after the opening:\n{_lines(left)}"


def _lines(given: Sequence[Given]) -> str:
    return "".join(f"  {one.seat}: {one.type} {json.dumps(one.data)}\n" for one in given)


def smallest(given: Sequence[Given], fails: Callable[[Sequence[Given]], bool]) -> Sequence[Given]:
    """Return a part of *given*, which *fails*, in order, that fails and of which nothing can be left out."""
    ends = process_time() + TRYING_S
    if not fails(given[:0]):
        given = _shortest_start(given, fails)
    size, tries = max(1, len(given) // 2), 0
    while tries < TRIES and process_time() < ends:
        at, before = 0, len(given)
        while at < len(given) and tries < TRIES and process_time() < ends:
            tries += 1
            rest = [*given[:at], *given[at + size :]]
            if fails(rest):
                given = rest
            else:
                at += size
        if size == 1 and len(given) == before:
            break
        size = max(1, size // 2)
    return given


def _shortest_start(given: Sequence[Given], fails: Callable[[Sequence[Given]], bool]) -> Sequence[Given]:
    """Return a start of *given* that fails, found by halving: what comes after the fault goes first."""
    low, high = 0, len(given)
    while high - low > 1:
        middle = (low + high) // 2
        if fails(given[:middle]):
            high = middle
        else:
            low = middle
    return given[:high]


def _played(fight: Playing) -> tuple[list[Given], Exception | None]:
    """Play *fight* to its end; return what it accepted, with the command that broke it, and what broke."""
    given: list[Given] = []
    attempt = fight.attempt

    def keep(type_: str, seat: str, data: Mapping[str, Any]) -> Any:
        given.append(Given(type_, seat, data))
        refusal = attempt(type_, seat, data)
        if refusal is not None or type_ == "open":
            given.pop()
        return refusal

    fight.attempt = keep  # type: ignore[method-assign]  # what is played is watched from outside

    def whole() -> None:
        fight.play()
        fight.finish()

    return given, _raised(whole)


def _like(broken: Exception, fight: Callable[[], Playing]) -> Callable[[Sequence[Given]], bool]:
    """Return what tells whether commands break a new *fight* as it was *broken*."""
    place = _place(broken)

    def fails(given: Sequence[Given]) -> bool:
        again = fight()
        again.open()

        def play() -> None:
            for one in given:
                again.attempt(*_now(again, one))

        found = _raised(play)
        if isinstance(broken, Unheld):
            if found is not None or broken.seat not in again.state.seats:
                return False
            last = _now(again, Given(broken.type, broken.seat, broken.data))
            alike = (last, *(Given(broken.type, *offer) for offer in again.offers_of(broken.type)))
            return any(again.fault_of(*one) == broken.fault for one in islice(alike, MOST_ALIKE))
        if isinstance(broken, Stuck):
            return found is None and again.is_stuck()
        found = found or _raised(again.look) or _raised(again.finish)
        return found is not None and _place(found) == place

    return fails


def _now(fight: Playing, one: Given) -> Given:
    """Return a command with the prompt that its creature has now, where what is left out renamed it.

    Prompts name rounds and engagements by their numbers, so fewer of them are other prompts.
    """
    owed = [awaited for awaited in waiting(fight.state) if one.type in awaited.accepts]
    mine = [a for a in owed if a.seat == one.seat and a.creature == one.data.get("creature", a.creature)]
    if "prompt" not in one.data or not mine or any(a.prompt == one.data["prompt"] for a in owed):
        return one
    return one._replace(data={**one.data, "prompt": mine[0].prompt})


def _accepted(fight: Playing, given: Sequence[Given]) -> list[Given]:
    """Return the commands that a new *fight* accepts or breaks at, as they are sent there."""
    fight.open()
    taken: list[Given] = []

    def play() -> None:
        for one in given:
            taken.append(_now(fight, one))
            if fight.attempt(*taken[-1]) is not None:
                taken.pop()

    _raised(play)
    return taken


def _raised(play: Callable[[], object]) -> Exception | None:
    """Return what *play* raises; null if it raises nothing."""
    try:
        play()
    except Exception as broken:  # noqa: BLE001 - whatever breaks is what is looked for
        return broken
    return None


def _place(broken: Exception) -> str:
    """Return the kind and the place of what was raised."""
    last = traceback.extract_tb(broken.__traceback__)[-1]
    return f"{type(broken).__name__} at {last.filename}:{last.lineno}"
