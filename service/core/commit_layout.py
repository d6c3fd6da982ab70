"""Lay out the facts of a decision as a commit stores them: open events, envelopes, rolls.

Open facts are in the commit in the order in which they became true. Private facts are gathered into one
envelope for each audience and occasion, at the place of the first of them, so that the number and size of
envelopes reveal nothing. After a public fact that divides (`Event.divides`) a group's facts depend on it and
begin a new envelope; that fact is public, so the number of envelopes reveals no more than the fact does. A
field of an event that not everybody may read is in such an envelope too, under the event's place. Rolls are a
list of their own. If gathering moves a fact past another, the state must be folded from the facts in the
commit's order, because every other reader folds them in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import TABLE, Event, Fact, Private, Rolled, Scope
from service.rules.kernel.sealed import is_public, places_of_sealed
from service.rules.kernel.sealed_data import taken
from service.rules.table.table import Table

S = TypeVar("S", bound=Table)


class CommitLayout(Generic[S]):
    """Facts as data: `events` with a hole for each envelope, and the `envelopes` by their place.

    *scope* is the sealed scope of the command, which always has an envelope. `reordered` are the facts in the
    commit's order, or None if that is the order in which they were decided.
    """

    def __init__(self, facts: Sequence[Fact[S]], scope: Scope | None) -> None:
        self.events: list[dict[str, Any]] = []
        self.rolls: list[dict[str, Any]] = []
        self.envelopes: dict[int, tuple[Scope, dict[str, Any]]] = {}
        self.reordered: list[Fact[S]] | None = None
        self._places: dict[Scope, int] = {}
        self._inside: dict[int, list[Private[S]]] = {}
        apart = False
        last: Scope | None = None
        for fact in facts:
            if isinstance(fact, Rolled):
                self.rolls.append(fact.roll.to_data())
                continue
            if isinstance(fact, Private):
                apart = apart or (fact.scope in self._places and fact.scope != last)
                last = fact.scope
                self._put(fact)
            else:
                last = None
                self.events.append({})
                index = len(self.events) - 1
                self.events[index] = self._parted(fact, str(index))
                if fact.divides:
                    self._places = {known: at for known, at in self._places.items() if known.at == TABLE}
        if scope is not None:
            self.payload(scope)
        if apart:
            self.reordered = self._as_folded(facts)

    def payload(self, scope: Scope) -> dict[str, Any]:
        """Return the payload of the first envelope of *scope*, a new empty one if it has none."""
        found = next((payload for known, payload in self.envelopes.values() if known == scope), None)
        return self.envelopes[self._open(scope)][1] if found is None else found

    def _put(self, fact: Private[S]) -> None:
        index = self._open(fact.scope)
        payload = self.envelopes[index][1]
        self._inside[index].append(fact)
        if isinstance(fact.event, Rolled):
            payload["rolls"].append(fact.event.roll.to_data())
        else:
            payload["events"].append(self._parted(fact.event, f"{index}/{len(payload['events'])}"))

    def _parted(self, event: Event[S], key: str) -> dict[str, Any]:
        """Return *event*, named *key*, as data; move what is sealed in it to its envelope."""
        data: dict[str, Any] = to_data(event)
        if is_public(event):
            return data
        for pointer, sealed in reversed(list(places_of_sealed(event))):
            payload = self.envelopes[self._open(Scope(audience=sealed.audience, opens=sealed.opens))][1]
            payload.setdefault("fields", {}).setdefault(key, {})[pointer] = taken(data, pointer)
        return data

    def _open(self, scope: Scope) -> int:
        """Return the place of *scope*'s envelope; open one at the end if there is none."""
        if scope not in self._places:
            index = self._places[scope] = len(self.events)
            self.events.append({})
            payload: dict[str, Any] = {"events": [], "rolls": []}
            if scope.at != TABLE:
                payload["at"] = scope.at
            self.envelopes[index] = (scope, payload)
            self._inside[index] = []
        return self._places[scope]

    def _as_folded(self, facts: Sequence[Fact[S]]) -> list[Fact[S]]:
        """Return *facts* in the commit's order: all facts of an envelope at its place."""
        open_facts = iter([fact for fact in facts if not isinstance(fact, Private | Rolled)])
        ordered: list[Fact[S]] = []
        for index in range(len(self.events)):
            if index in self.envelopes:
                inside = self._inside[index]
                ordered += [fact for fact in inside if not isinstance(fact.event, Rolled)]
                ordered += [fact for fact in inside if isinstance(fact.event, Rolled)]
            else:
                ordered.append(next(open_facts))
        return ordered + [fact for fact in facts if isinstance(fact, Rolled)]
