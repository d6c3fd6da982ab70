"""Tell a failure of random play by the fewest commands that bring it.

The campaign is played again with every command kept; then accepted commands are left out, many at once and
fewer and fewer, as long as what is left fails in the same place.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tests.heartrush.campaign import Campaign
from tests.heartrush.nearmiss import Unheld, fault_of
from tests.heartrush.plays import KINDS, probed

TRIES: Final = 400
"""Plays that one failure is worth."""


class Given(NamedTuple):
    """One command that was given."""

    type: str
    seat: str
    data: Mapping[str, Any]


def story(kind: str, seed: int) -> str:
    """Return what the failure in hand is, and for Heart Rush the commands that bring it."""
    text = f"FAILED {kind} {seed}\n{traceback.format_exc()}"
    if kind not in KINDS:
        return text
    given, place, broken = _played(probed(kind, seed))
    if place is None:
        return f"{text}it does not fail again\n"

    def fails(commands: Sequence[Given]) -> bool:
        campaign = probed(kind, seed)
        if isinstance(broken, Unheld):
            return _is_unheld(campaign, commands, broken)
        return _place(campaign, commands) == place

    left = smallest(given, fails)
    lines = "".join(f"  {one.seat}: {one.type} {json.dumps(one.data)}\n" for one in left)
    return f"{text}{len(left)} of {len(given)} commands bring it after the opening:\n{lines}"


def smallest(given: Sequence[Given], fails: Callable[[Sequence[Given]], bool]) -> Sequence[Given]:
    """Return a part of *given*, in order, that *fails* and of which nothing more can be left out."""
    if not fails(given):
        return given  # what fails is not brought by commands alone: the whole story is needed
    if not fails(given[:0]):
        given = _shortest_start(given, fails)
    size, tries = max(1, len(given) // 2), 0
    while tries < TRIES:
        at = 0
        while at < len(given) and tries < TRIES:
            tries += 1
            rest = [*given[:at], *given[at + size :]]
            if fails(rest):
                given = rest
            else:
                at += size
        if size == 1:
            break
        size //= 2
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


def _played(campaign: Campaign) -> tuple[list[Given], str | None, Exception | None]:
    """Play *campaign*; return the commands it accepted, with the one that broke it, where, and what broke."""
    given: list[Given] = []
    attempt = campaign.attempt

    def keep(type_: str, seat: str, data: Mapping[str, Any]) -> Any:
        given.append(Given(type_, seat, data))
        refusal = attempt(type_, seat, data)
        if refusal is not None:
            given.pop()
        return refusal

    campaign.attempt = keep  # type: ignore[method-assign]  # what is played is watched from outside
    place, broken = _where(campaign.play)
    return given, place, broken


def _is_unheld(campaign: Campaign, given: Sequence[Given], broken: Unheld) -> bool:
    """Tell whether offer and outcome of the same command differ alike after these commands."""
    campaign.open()

    def play() -> None:
        for one in given:
            campaign.attempt(*one)

    if _where(play)[0] is not None or broken.seat not in campaign.state.seats:
        return False
    return fault_of(campaign, broken.type, broken.seat, broken.data) == broken.fault


def _place(campaign: Campaign, given: Sequence[Given]) -> str | None:
    """Return where *campaign* breaks if these commands follow its opening; null where it does not."""
    campaign.open()

    def play() -> None:
        for one in given:
            campaign.attempt(*one)

    return _where(play)[0]


def _where(play: Callable[[], object]) -> tuple[str | None, Exception | None]:
    """Return the kind and the place of what *play* raises, and that itself; nulls if it raises nothing."""
    try:
        play()
    except Exception as broken:  # noqa: BLE001 - whatever breaks is what is looked for
        last = traceback.extract_tb(sys.exc_info()[2])[-1]
        return f"{type(broken).__name__} at {last.filename}:{last.lineno}", broken
    return None, None
