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
    given, place = _played(probed(kind, seed))
    if place is None:
        return f"{text}it does not fail again\n"
    left = smallest(given, lambda commands: _place(probed(kind, seed), commands) == place)
    lines = "".join(f"  {one.seat}: {one.type} {json.dumps(one.data)}\n" for one in left)
    return f"{text}{len(left)} of {len(given)} commands bring it after the opening:\n{lines}"


def smallest(given: Sequence[Given], fails: Callable[[Sequence[Given]], bool]) -> Sequence[Given]:
    """Return a part of *given*, in order, that *fails* and of which nothing more can be left out."""
    if not fails(given):
        return given  # what fails is not a command but what is said of one: the whole story is needed
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


def _played(campaign: Campaign) -> tuple[list[Given], str | None]:
    """Play *campaign*; return the commands it accepted, with the one that broke it, and where it broke."""
    given: list[Given] = []
    attempt = campaign.attempt

    def keep(type_: str, seat: str, data: Mapping[str, Any]) -> Any:
        given.append(Given(type_, seat, data))
        refusal = attempt(type_, seat, data)
        if refusal is not None:
            given.pop()
        return refusal

    campaign.attempt = keep  # type: ignore[method-assign]  # what is played is watched from outside
    return given, _where(campaign.play)


def _place(campaign: Campaign, given: Sequence[Given]) -> str | None:
    """Return where *campaign* breaks if these commands follow its opening; null where it does not."""
    campaign.open()

    def play() -> None:
        for one in given:
            campaign.attempt(*one)

    return _where(play)


def _where(play: Callable[[], object]) -> str | None:
    """Return the kind and the place of what *play* raises, or null."""
    try:
        play()
    except Exception as broken:  # noqa: BLE001 - whatever breaks is what is looked for
        last = traceback.extract_tb(sys.exc_info()[2])[-1]
        return f"{type(broken).__name__} at {last.filename}:{last.lineno}"
    return None
