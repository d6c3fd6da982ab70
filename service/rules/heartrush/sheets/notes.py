"""Describe small things noted beside a fight: answers in advance, requests, coats of poison, leave."""

from __future__ import annotations

from typing import Literal

from service.rules.heartrush.sheets.sheet import Poison
from service.rules.kernel.records import record


@record
class Standing:
    """What a seat answers in advance for a creature, so that play need not wait for it."""

    windows: Literal["ask", "only_abilities", "pass"] = "ask"
    shrug: Literal["ask", "never", "if_it_kills"] = "ask"


@record
class Complication:
    """A complication that a check brought, until the GM has said what it is."""

    id: str
    creature: str
    what: str


@record
class Request:
    """Something a player asked the GM to rule on."""

    id: str
    creature: str
    text: str


@record
class Coat:
    """Poison on a weapon, and the campaign second at which it lapses; null never does."""

    poison: Poison
    until_s: int | None = None


@record
class HidingPlace:
    """The GM's leave to hide: the number of the stealth check, and whom success hides from."""

    cn: int
    viewers: tuple[str, ...]
