"""Describe characters that are carried to another encounter: where they come from, and who makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from service.rules.kernel.meaning import within
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule
from service.rules.kernel.values import CommitHash, CommitNumber, EncounterId

TABLE_CARRY_1: Final = Rule(
    "TABLE-CARRY-1",
    "A character may be carried to another encounter as it stood after a commit, while no combat runs.",
    RULING,
)


@record
class CarriedFrom:
    """The commit of another encounter after which a character stood as it is carried."""

    encounter: EncounterId
    """The encounter, or the line of play, that has the commit."""
    n: Annotated[CommitNumber, within(1, 10**9)]
    hash: CommitHash


@record
class Carried:
    """A character as it stood after a commit of another encounter.

    A book adds `character`, a record whose `sheet` has the creature's `id`; the audit names both.
    """

    carried_from: CarriedFrom
    """The commit after which it stood so."""


@dataclass(frozen=True)
class Carrying:
    """How a book carries characters."""

    kind: type[Carried]
    """Its record of a carried character."""
    carry: Callable[[Any, str, CarriedFrom], Carried]
    """Returns a creature of a state as it is carried; raises `Refused` while it cannot be."""
    written: tuple[str, ...] = ()
    """Members of an entry, beside its sheet, that replace those of the carried character unless null."""
