"""Count what each creature did: damage dealt, damage taken, and acts, by rounds.

Laws. Only events as a seat may read them are counted, and the ruleset names which (`Ruleset.counted`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from service.rules.table.counted import Counted

Event = Mapping[str, Any]


@dataclass
class Tally:
    """What a creature did in a round."""

    dealt: int = 0
    taken: int = 0
    acts: int = 0


Tallies = dict[str, dict[int, Tally]]
"""By creature and round."""


def tallies(counted: Counted, played: Iterable[tuple[int, Iterable[Event]]]) -> Tallies:
    """Return what creatures did in *played*, which has rounds and events in the order of the record."""
    found: Tallies = {}
    sources: dict[tuple[str, str], object] = {}
    declaring = {harm.declared: (harm.key, harm.source) for harm in counted.harms.values() if harm.declared}

    def of(creature: object, number: int) -> Tally:
        return found.setdefault(str(creature), {}).setdefault(number, Tally())

    for number, events in played:
        for event in events:
            kind = str(event["type"])
            if kind in declaring:
                key, source = declaring[kind]
                sources[kind, str(event.get(key))] = event.get(source)
            if kind in counted.acts:
                of(event.get(counted.acts[kind]), number).acts += 1
            if kind in counted.harms:
                harm = counted.harms[kind]
                amount = event.get(harm.amount)
                if not isinstance(amount, int):
                    continue  # it is closed to this seat
                of(event.get(harm.creature), number).taken += amount
                named = sources.get((harm.declared, str(event.get(harm.key)))) or event.get(harm.source)
                if named is not None:
                    of(named, number).dealt += amount
    return found


def whole(rounds: Mapping[int, Tally]) -> Tally:
    """Return the sum of all *rounds*."""
    names = [each.name for each in fields(Tally)]
    return Tally(**{name: sum(getattr(each, name) for each in rounds.values()) for name in names})
