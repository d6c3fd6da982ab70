"""Hold a fight that is decided in a test to the same fight over HTTP, command by command.

Every command that the kit decides is sent to the API too, from the same seat, dice declared. After each of
them the answer, and the states that the gm and the sender see, must be what the kit has: accepted or refused
with the same code, the same faces, the same state. Where a test sets fields by hand, what the service has
folded is set alike: no client can.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.core import views
from service.core.fold import Folder
from service.rules.kernel.messages import Private, Rolled
from service.rules.ruleset import Decision
from service.usecases.services import Services
from tests.api.client import Api
from tests.api.conftest import Worker

_OURS: Final = frozenset({"encounter", "digest", "dice", "seats"})
"""What the service draws, and the tokens that its clients need."""
SENDERS: Final = ("gm", "player")
"""Roles that may send commands; what others send is no command, and refused before the rules are asked."""


@dataclass(frozen=True)
class Service:
    """What of a service that runs in this process can be changed behind its back."""

    folders: tuple[Folder, ...]
    """Those of its processes."""
    at_rest: Callable[[], AbstractContextManager[object]]
    """As long as it lasts nothing is folded: a fold keeps its state a moment after its commit stands."""


@dataclass
class Mirror:
    """One encounter over HTTP, which follows a fight of the kit."""

    owner: Api
    service: Service
    edition: str
    at: str = ""
    answers: int = 0
    faces: int = 0
    """How many faces were thrown, each the same here and there."""
    seats: dict[str, Api] = field(default_factory=dict)

    def follow(self, type_: str, seat: str, data: Mapping[str, Any], decision: Decision[Any]) -> None:
        """Send what the kit has decided, and compare what comes back."""
        self.answers += 1
        if type_ == "open":
            self._open(data["opening"], decision)
        else:
            self._send(seat, {"type": type_, **data}, decision)

    def give(self, change: Callable[[Any], Any]) -> None:
        """Change the state that the service has folded, as the kit does its own."""
        with self.service.at_rest():
            for folder in self.service.folders:
                folded = folder.current(self.at.rpartition("/")[2])
                folder.keep(replace(folded, state=change(folded.state)))

    def _open(self, opening: Mapping[str, Any], decision: Decision[Any]) -> None:
        answer = self.owner("POST", "/v1/encounters", {"edition": self.edition, **opening})
        assert answer.status_code == (422 if decision.refusal else 201), answer.text
        if decision.refusal is None:
            self.at = f"/v1/encounters/{json.loads(answer.text)['encounter']}"
            self.seats = {"gm": self.owner}
            self._compare("gm", decision.state)

    def _send(self, seat: str, command: Mapping[str, Any], decision: Decision[Any]) -> None:
        readers = {"gm", seat}
        before = {reader: self._seen(reader) for reader in readers} if decision.refusal else None
        answer = self.at_seat(seat)("POST", f"{self.at}/commands", command)
        if decision.refusal is not None:
            if decision.state.seats[seat].role in SENDERS:
                assert answer.status_code == 409, f"{command} by {seat}: {answer.text}"
                assert json.loads(answer.text)["code"] == decision.refusal.code, answer.text
            else:
                assert answer.status_code == 403, f"{command} by {seat}: {answer.text}"
            after = {reader: self._seen(reader) for reader in readers}
            assert after == before, "a refused command changed the state"
            return
        assert answer.status_code == 200, f"{command}: {answer.text}"
        thrown = _faces(json.loads(answer.text)["rolls"])
        assert sorted(thrown) == sorted(_faces(_thrown(decision, seat)))
        self.faces += sum(map(len, thrown))
        for reader in readers:
            self._compare(reader, decision.state)

    def at_seat(self, seat: str) -> Api:
        """Return the client of *seat*, which is handed its token when it first acts."""
        if seat not in self.seats:
            answer = json.loads(self.owner("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = self.owner.with_token(answer["token"])
        return self.seats[seat]

    def _seen(self, seat: str) -> Any:
        return _ours_apart(self.at_seat(seat).get(f"{self.at}/state")["state"])

    def _compare(self, seat: str, state: Any) -> None:
        here = json.loads(json.dumps(views.state_data(state, seat)))
        assert self._seen(seat) == _ours_apart(here)


def _thrown(decision: Decision[Any], seat: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rolls of a decision that *seat* may see."""
    for fact in decision.facts:
        inner = fact.event if isinstance(fact, Private) else fact
        seen = not isinstance(fact, Private) or f"seat:{seat}" in fact.scope.audience
        if isinstance(inner, Rolled) and seen:
            yield inner.roll.to_data()


def _ours_apart(state: Any) -> Any:
    """Return a state without what differs between the kit and the service, also in the worlds of groups."""
    if isinstance(state, list):
        return [_ours_apart(value) for value in state]
    if not isinstance(state, dict):
        return state
    is_state = "stacks" in state
    return {k: _ours_apart(v) for k, v in state.items() if not (is_state and k in _OURS)}


def _faces(rolls: Any) -> list[list[int]]:
    return [[die["face"] for die in roll["dice"]] for roll in rolls]


_SERVICE: ContextVar[tuple[Api, Service] | None] = ContextVar("_SERVICE", default=None)
_MADE: Final[list[Mirror]] = []


def mirror(edition: str) -> Mirror | None:
    """Return what is to follow a fight that begins now: nothing, unless the test is `mirrored`."""
    service = _SERVICE.get()
    if service is None:
        return None
    _MADE.append(Mirror(*service, edition))
    return _MADE[-1]


@contextmanager
def mirrored(owner: Api, services: Services, worker: Worker) -> Iterator[list[Mirror]]:
    """Let every fight of a test be followed over HTTP by the client *owner*; there must be one.

    What is yielded tells how they went. *host* and *worker* are what serves and folds in this process.
    """
    token = _SERVICE.set((owner, Service((services.folder, worker.folder), worker.at_rest)))
    _MADE.clear()
    try:
        yield _MADE
        assert [made for made in _MADE if made.answers], "no fight was played over HTTP"
    finally:
        _SERVICE.reset(token)
