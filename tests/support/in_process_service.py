"""Serve encounters in this process, worker and all: what a use case asks for is done at once.

Commands are sent as the API sends them and folded as a worker folds them, over the memory log.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from random import Random
from types import TracebackType
from typing import Any, Self

from service.audit.evidence import stored
from service.audit.report import Report
from service.audit.verify import verify
from service.core import continuation
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import IdempotencyKey
from service.log.memory import MemoryLog
from service.record.commit import Commit, load_commit
from service.record.envelopes import envelopes
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor, Offer
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset, legal
from service.rules.table.table import GM, Table
from service.steps import run
from service.usecases import accepted_lines, amending, forking, openings, sending
from service.usecases.services import make_services
from tests.support.folding import fold_whole
from tests.support.tiny_game import SHELF as TINY_SHELF
from workers.fold import CommandFolder

KEY = bytes(range(32))
BOTH = {**REGISTRY, **TINY_SHELF}
LONG = ("end_combat", "close", "rest", "undo", "redo")
"""What random play leaves alone: it would end the fight."""


class House:
    """A service without a server: open, send, propose, accept."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.services = make_services(
            self.log,
            BOTH,
            ring=lambda _bucket: None,
            clock=time.time,
            keys=Keyring.of(KEY),
            mode="memory",
        )
        self.folding = CommandFolder(self.log, Folder(self.log, BOTH), Keyring.of(KEY))
        self.sent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.services.outcomes.close()
        self.log.close()

    def _once(self) -> IdempotencyKey:
        self.sent += 1
        return IdempotencyKey("house", str(self.sent), str(self.sent))

    def open(self, ruleset: Ruleset[Any], opening: Mapping[str, Any]) -> str:
        """Open an encounter; return its id."""
        entry, _ = openings.open_encounter(self.services, "owner", ruleset, opening, self._once())
        fold_whole(self.folding, entry.encounter)
        commit = self.commit(entry.encounter, 1)
        assert commit.outcome == "accepted", commit.refusal
        return entry.encounter

    def send(self, encounter: str, seat: str, type_: str, /, **data: Any) -> Commit:
        """Send a command as its seat; return its commit."""
        state = self.state(encounter)
        ruleset = BOTH[state.edition]
        actor = Actor(seat=seat, role=state.seats[seat].role)
        steps = sending.send(self.services, encounter, actor, ruleset.commands[type_], data, self._once())
        sent = run(steps)
        fold_whole(self.folding, encounter)
        return self.commit(encounter, sent.n)

    def commit(self, encounter: str, n: int) -> Commit:
        """Return commit *n*."""
        return load_commit(self.log.commits(encounter, n - 1, 1)[0].raw)

    def commits(self, encounter: str) -> list[Commit]:
        """Return every commit."""
        return [load_commit(entry.raw) for entry in self.log.commits(encounter, 0, 100_000)]

    def state(self, encounter: str) -> Table:
        """Return the state as folded now."""
        state: Table = self.services.folder.current(encounter).state
        return state

    def proposed(self, encounter: str, type_: str, /, **data: Any) -> Mapping[str, Any]:
        """Propose to continue otherwise; return the proposal with its difference."""
        commit = self.send(encounter, GM, type_, **data)
        assert commit.outcome == "accepted", commit.refusal
        name = next(e["amendment"] for e in commit.events if e["type"] == "amendment_proposed")
        found = continuation.proposal(self.log, encounter, name)
        assert found is not None
        amending.draft(self.services, found)
        fold_whole(self.folding, found.encounter)
        return amending.amendment_data(self.services, amending.draft(self.services, found))

    def accept(self, encounter: str, proposal: Mapping[str, Any]) -> str:
        """Accept a proposal; return the line in which the encounter goes on."""
        name, version = proposal["amendment"], proposal["version"]
        data = amending.acceptance(self.services, encounter, name, version)
        commit = self.send(encounter, GM, "accept_amendment", **data)
        assert commit.outcome == "accepted", commit.refusal
        line = str(proposal["line"])
        accepted_lines.begin_accepted_line(self.services, line)
        fold_whole(self.folding, line)
        return line

    def lost(self, encounter: str) -> Commit:
        """Accept that three commits of a signed history were lost; return the commit that says so."""
        state, last = self.state(encounter), len(self.commits(encounter))
        lost = {"size": last + 3, "root": "ab" * 32}
        data = {"reason": "the disk died", "lost": lost, "epoch": state.epoch}
        actor = Actor(seat=GM, role=state.seats[GM].role)
        draft = sending.CommandDraft("accept_history", data, actor, sending.now(self.services))
        sending.append(self.services, encounter, draft, self._once())
        fold_whole(self.folding, encounter)
        return self.commit(encounter, last + 1)

    def forked(self, encounter: str, at: int) -> str:
        """Fork an encounter after commit *at*; return the fork's id."""
        fork = forking.fork(self.services, encounter, at, GM, GM, (), self._once()).entry.encounter
        fold_whole(self.folding, fork)
        return fork

    def rolls(self, encounter: str, after: int = 0) -> list[dict[str, Any]]:
        """Return the rolls *after* a commit, sealed ones too, in the order of their commits."""
        commits = self.commits(encounter)[after:]
        lying = envelopes(self.log, encounter, after, after + len(commits))
        found: list[dict[str, Any]] = []
        for commit in commits:
            found += commit.rolls
            for index, event in enumerate(commit.events):
                if "sealed" in event:
                    found += json.loads(lying[commit.n, index].payload)["rolls"]
        return found

    def audit(self, encounter: str) -> Report:
        """Audit an encounter as it is stored."""
        return verify(stored(self.log, encounter), BOTH)


def random_command(house: House, encounter: str, random: Random) -> bool:
    """Send one random legal command of any seat; False where there is none."""
    state = house.state(encounter)
    ruleset = BOTH[state.edition]
    found = [
        (seat, offer)
        for seat in state.seats
        for _, offers in legal(ruleset, state, seat)
        for offer in offers
        if offer.type not in LONG
    ]
    if not found:
        return False
    seat, offer = random.choice(found)
    commit = house.send(encounter, seat, offer.type, **data_of(offer, random))
    assert commit.outcome in ("accepted", "sealed"), (seat, offer, commit.refusal)
    return True


def data_of(offer: Offer, random: Random) -> dict[str, Any]:
    """Return the command that *offer* stands for, its free parameters chosen."""
    data = {
        **offer.given,
        **offer.written,
        **{key: random.choice(values) for key, values in offer.choices.items()},
    }
    if offer.creature is not None:
        data["creature"] = offer.creature
    if offer.prompt is not None:
        data["prompt"] = offer.prompt
    found: dict[str, Any] = to_data(data)
    return found
