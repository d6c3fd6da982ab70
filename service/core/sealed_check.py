"""Refuse to continue from a moment at which something is sealed from the asker: one rule for all lines.

A line shows what it decides, so a choice that is sealed at that moment could be revealed too early. So forks
and rulings begin only where nothing is sealed from their maker, and a ruling decides nothing again that is
sealed from its maker. An undo decides nothing, and a redo decides what was decided; both preserve every seal.
"""

from __future__ import annotations

from service.core.continuation import ContinuationReader
from service.core.lineage import entries
from service.record.subjects import SEALED, events_about
from service.rules.kernel.messages import Refused
from service.rules.kernel.sealed import is_opened, places_of_sealed
from service.rules.rolls.closing import LINKS


def check_nothing_sealed(
    reading: ContinuationReader, line: str, n: int, seat: str, rule: str, *, upto: int | None = None
) -> None:
    """Raise `Refused` if anything is sealed from *seat* after commit *n*, or in the commits up to *upto*."""
    came = reading.occasions.upto(line, reading.folder.current(line).n)
    reader = f"seat:{seat}"
    for _, sealed in places_of_sealed(reading.folder.at(line, n).state):
        if reader not in sealed.audience and not is_opened(sealed.opens, came):
            raise Refused("sealed_here", f"something is sealed from you at commit {n}", rule)
    for entry in entries(reading.log.commits, line, n, upto or n):
        for event in events_about(entry.raw, SEALED).values():
            if reader in event["audience"] or event["opens"] == LINKS:
                continue
            if not is_opened(event["opens"], came):
                detail = f"commit {entry.n} would be decided again, and is sealed from you; undo is possible"
                raise Refused("sealed_here", detail, rule)
