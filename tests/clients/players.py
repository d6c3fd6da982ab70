"""The three clients behind one face, so that each can be given the same fight, and asked for its head."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, Any, Final, Protocol, cast

from rewound_client import Rewound, Table
from tests.clients.conftest import Host
from tests.clients.generated import Generated
from tests.support.javascript_verifier import NODE, ROOT

Json = dict[str, Any]
ENDED: Final = "the end"


class Player(Protocol):
    """A client that sits at every seat of one encounter."""

    def opened(self, opening: Json, key: str) -> None:
        """Open an encounter with the idempotency *key*, from which its id follows, and take every seat."""

    def joined(self, encounter: str, tokens: Mapping[str, str]) -> None:
        """Take the seats of an encounter that is open, with these tokens."""

    def send(self, seat: str, command: Json) -> Json:
        """Send *command* and return its outcome."""

    def closed(self) -> None:
        """Close the encounter."""

    def head(self) -> str:
        """Return the hash of the head, as this client reads it."""


class OfPython:
    """Plays with `rewound_client`."""

    def __init__(self, service: Rewound) -> None:
        self.service = service
        self.seats: dict[str, Table] = {}

    def opened(self, opening: Json, key: str) -> None:
        gm = self.service.open(opening, key=key)
        self.seats = {"gm": gm} | {each["seat"]: gm.sit(each["seat"]) for each in opening["seats"]}

    def joined(self, encounter: str, tokens: Mapping[str, str]) -> None:
        table = self.service.encounter(encounter)
        self.seats = {seat: table.with_token(token) for seat, token in tokens.items()}

    def send(self, seat: str, command: Json) -> Json:
        return cast("Json", self.seats[seat].send(command))

    def closed(self) -> None:
        self.seats["gm"].close(ENDED)

    def head(self) -> str:
        return self.seats["gm"].get()["hash"]


class OfJavascript:
    """Plays with the JavaScript client, in one node that is told line by line."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self._to, self._from = cast("IO[str]", running.stdin), cast("IO[str]", running.stdout)

    def _told(self, **words: object) -> Json:
        self._to.write(json.dumps(words) + "\n")
        self._to.flush()
        return cast("Json", json.loads(self._from.readline()))

    def opened(self, opening: Json, key: str) -> None:
        self._told(open=opening, key=key)

    def joined(self, encounter: str, tokens: Mapping[str, str]) -> None:
        self._told(join=encounter, tokens=dict(tokens))

    def send(self, seat: str, command: Json) -> Json:
        return self._told(seat=seat, send=command)

    def closed(self) -> None:
        self._told(close=ENDED)

    def head(self) -> str:
        return cast("str", self._told(about=True)["hash"])


class OfGenerator:
    """Plays with the client that a public generator made of the contract."""

    def __init__(self, generated: Generated, host: Host) -> None:
        self.generated, self.host = generated, host
        self.encounter: Any = None
        self.edition = "heartrush@1"
        self.seats: dict[str, Any] = {}

    def _client(self, token: str) -> Any:
        return self.generated.client(base_url=self.host.address, token=token, timeout=40.0)

    def opened(self, opening: Json, key: str) -> None:
        self.seats["gm"] = gm = self._client(self.host.key)
        self.edition = opening["edition"]
        self.encounter = self.generated.open(gm, opening, key)
        for each in opening["seats"]:
            token = self.generated.token(gm, self.encounter, each["seat"])
            self.seats[each["seat"]] = self._client(token)

    def joined(self, encounter: str, tokens: Mapping[str, str]) -> None:
        self.encounter = encounter
        self.seats = {seat: self._client(token) for seat, token in tokens.items()}

    def send(self, seat: str, command: Json) -> Json:
        return self.generated.send(self.encounter, self.seats[seat], command, self.edition)

    def closed(self) -> None:
        done, gm = self.generated.done, self.seats["gm"]
        done("encounters.close_encounter", self.encounter, client=gm, reason=ENDED, prefer="wait=30")

    def head(self) -> str:
        gm = self.seats["gm"]
        found = self.generated.done("encounters.get_encounter", self.encounter, client=gm)
        return cast("str", found.hash_)

    def leave(self) -> None:
        """Give every connection back."""
        for seat in self.seats.values():
            seat.get_httpx_client().close()


@contextmanager
def clients(host: Host, generated: Generated) -> Iterator[dict[str, Player]]:
    """Give a player with each client, by its name."""
    node = [str(NODE), str(ROOT / "tests" / "clients" / "seats.mjs"), host.address, host.key]
    with ExitStack() as stack:
        service = stack.enter_context(Rewound(host.address, host.key))
        running = stack.enter_context(
            subprocess.Popen(node, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        by_generator = OfGenerator(generated, host)
        stack.callback(by_generator.leave)
        yield {
            "python": OfPython(service),
            "javascript": OfJavascript(running),
            "generated": by_generator,
        }
