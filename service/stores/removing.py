"""Remove a closed fight: the record of each of its lines of play is deleted, a summary remains.

Laws. Only a closed fight is removed, and only after its bundle was downloaded by the owner or written by the
archive. All its lines go in one step, with what was only proposed, so that its address never stands for what
was taken back. From its removal on it is answered as removed; a worker deletes its records a minute later.
Its ids are never used for another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from service.core.continuation import line_id
from service.core.fold import Folder
from service.log import Log, NoSuchEncounter
from service.record.timestamps import timestamp_of
from service.rules.table.table import Table
from service.stores import disputes, imports, removals, webhooks
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.removals import Removal


class NotRemovable(Exception):
    """The encounter cannot be removed; the message says why."""


class Remover:
    """Removes the fights of a store."""

    def __init__(self, log: Log, folder: Folder, register: EncounterIndex) -> None:
        self._log = log
        self._folder = folder
        self._register = register

    def played(self, encounter: str) -> str:
        """Return the line of play in which the fight of *encounter* goes on, in this store."""
        entry = self._register.find(encounter)
        if entry is not None and entry.imported:
            return encounter
        line = self._register.root(encounter)
        while (after := self._state(line).continued) is not None and self._log.head(after) is not None:
            line = after
        return line

    def check(self, encounter: str) -> None:
        """Return if the fight that is played in the line *encounter* may be removed.

        Raises `NotRemovable` otherwise, and `NoSuchEncounter`.
        """
        entry = self._register.find(encounter)
        if entry is None:
            raise NoSuchEncounter(encounter)
        if not self._state(encounter).closed and not entry.imported:
            raise NotRemovable("it is not closed")
        if entry.expires is not None:
            raise NotRemovable("a fork is deleted when it expires")
        if any(Disputes(self._log).standing(line) is not None for line in self.lines(encounter)):
            raise NotRemovable("its record is in dispute: accept the stored history first")

    def lines(self, encounter: str) -> list[str]:
        """Return every line of play of a fight, proposed ones too, the first one first."""
        taken = imports.find(self._log, encounter)
        if taken is None:
            return list(self._onward(self._register.root(encounter)))
        earlier = [self._register.find(line) for line in taken.lines.values()]
        # A line that is the address of another import stays with that.
        return [encounter, *(each.encounter for each in earlier if each and each.root == encounter)]

    def _onward(self, line: str) -> Iterator[str]:
        yield line
        if self._log.head(line) is None:
            return
        for number in range(1, self._state(line).amendments + 1):
            later = line_id(line, f"a{number}")
            if self._register.find(later) is not None:
                yield from self._onward(later)

    def remove(self, encounter: str, bundle: str, by: Literal["owner", "retention"], now: float) -> Removal:
        """Remove the fight that is played in the line *encounter*, which `check` allows.

        *bundle* is the digest of its bundle. The removal that is returned stands at the fight's address.
        """
        folded = self._folder.current(encounter)
        seats = {
            name: (seat.role, seat.tokens) for name, seat in folded.state.seats.items() if not seat.closed
        }
        played = Removal(encounter, timestamp_of(now), by, folded.n, folded.hash, bundle, seats)
        address, *later = self.lines(encounter)
        made = [replace(played, encounter=address)]
        for line in later:
            head = self._log.head(line)
            if head is not None:
                made.append(replace(played, encounter=line, size=head.folded, hash=head.hash))
        removals.put(self._log, made, now)
        return made[0]

    def _state(self, line: str) -> Table:
        state: Table = self._folder.current(line).state
        return state


def delete(log: Log, entry: EncounterEntry) -> None:
    """Delete the record of an encounter and its data in other collections.

    Its entry, its removal, the notes that signed it, and its audits with their certificates remain.
    """
    log.forget(entry.encounter)
    log.drop_due(removals.CLOSED, entry.encounter)
    log.drop_record(disputes.COLLECTION, entry.encounter)
    webhooks.forget(log, entry)
