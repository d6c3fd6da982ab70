"""What the author of a ruleset imports: `from service.rules.kit import …`, and nothing else of the service.

Each name is documented where it is defined. `docs/write-a-ruleset.md` introduces them one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from service.rules.house_options import OptionSpec
from service.rules.kernel.meaning import at_most, named, number, text, within
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Private, Refused, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, record, sealable, with_key
from service.rules.kernel.rulebook import Book, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import (
    Bonus,
    Cell,
    CellKey,
    Code,
    Count,
    CreatureId,
    DieSides,
    Face,
    Feet,
    HitPoints,
    Id,
    Label,
    Level,
    Member,
    Occasion,
    Ordinal,
    Reason,
    Remark,
    Round,
    SeatId,
    SideId,
    StepId,
    Total,
    Words,
)
from service.rules.opening import Opening, opening_messages
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.rolls.closing import close_epoch
from service.rules.ruleset import Ruleset
from service.rules.secrecy.gm_only import facts_of, hide_gm_only
from service.rules.shared import messages_in
from service.rules.table.awaited_command import AwaitedCommand
from service.rules.table.counted import UNCOUNTED, Counted, Harm
from service.rules.table.stack import Frame
from service.rules.table.table import GM, Table

__all__ = [
    "EMPTY",
    "GM",
    "Awaited",
    "AwaitedCommand",
    "Bonus",
    "Book",
    "Cell",
    "CellKey",
    "Chance",
    "Code",
    "Command",
    "Count",
    "Counted",
    "CreatureId",
    "DieSides",
    "Emits",
    "Event",
    "Face",
    "Feet",
    "Frame",
    "Harm",
    "HitPoints",
    "Id",
    "Label",
    "Level",
    "Member",
    "Occasion",
    "Offer",
    "Opening",
    "OptionSpec",
    "Ordinal",
    "PoolDie",
    "Private",
    "Reason",
    "Refused",
    "Remark",
    "Round",
    "Rule",
    "Scope",
    "Sealed",
    "SeatId",
    "SideId",
    "StepId",
    "Table",
    "Total",
    "Words",
    "at_most",
    "changed",
    "close_epoch",
    "enforces",
    "facts_of",
    "hide_gm_only",
    "named",
    "number",
    "record",
    "ruleset",
    "sealable",
    "text",
    "unsealed",
    "with_key",
    "within",
]

S = TypeVar("S", bound=Table)


def ruleset(  # noqa: PLR0913 - each is said by its name
    edition: str,
    title: str,
    *,
    state: type[S],
    opening: type[Opening],
    messages: Iterable[type[Command[Any] | Event[Any]]],
    frames: Iterable[type[Frame[Any]]] = (),
    options: Iterable[OptionSpec] = (),
    counted: Counted = UNCOUNTED,
    packages: tuple[str, ...] = (),
) -> Ruleset[S]:
    """Return a ruleset: its own *messages* and *frames*, those of its *opening*, and those of every ruleset.

    *counted* names the events by which statistics count what a creature dealt, took and did. *packages* are
    the dotted names of its sources, by default the top-level package of *opening*. Raises `AssertionError` if
    two commands or two events have one type.
    """
    specs = tuple(options)
    opens, opened = opening_messages(opening, specs)
    listed = (opens, opened, *messages)
    return Ruleset(
        edition=edition,
        title=title,
        blank=state(),
        opening=opens,
        commands=messages_in(listed, Command),
        events=messages_in(listed, Event),
        options=opens.specs,
        packages=packages or (opening.__module__.partition(".")[0],),
        frames=tuple(frames),
        counted=counted,
    )
