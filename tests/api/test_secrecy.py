"""Until it opens no other seat can learn what is sealed from any answer: a stance, a target, a secret roll.

Twin runs: two services with the same ids, clock, nonces and seeds, in which only the hidden choice differs.
For every seat but the one that chose, every answer has the same bytes once commitments, and the hashes that
follow from them, are replaced by the order in which they first appear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Event
from types import SimpleNamespace
from typing import Any, Final, Protocol
from unittest import mock

import pytest

from service.api.app import create_app
from service.audit.signing_memory import SigningMemory
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.stores import api_keys
from service.usecases.services import make_services
from tests.api.client import Api, contract
from tests.api.conftest import BOTH, KEY, Worker, until_it_listens
from tests.api.everything import MISTAKES, PATHS, answers, masked, of_each
from tests.rules.heartrush.kit import opening
from workers.audits import Auditor

NOW = 1_790_000_000.0
PATIENCE_S = 60
"""A busy machine must not make an outcome `pending` in one of two runs."""
PLACES = {"pia": (0, 0), "ash": (-4, 0), "orc": (1, 0), "wolf": (0, 1)}
SEATS = [
    {"seat": "zoe", "role": "player", "creatures": ["pia"]},
    {"seat": "yan", "role": "player", "creatures": ["ash"]},
    {"seat": "eve", "role": "observer", "creatures": []},
]


def counted_hexes() -> Callable[[int], str]:
    """Return what counts in hexadecimal digits."""
    ids = count(1)

    def hexes(size: int = 16) -> str:
        return f"{next(ids):0{2 * size}x}"

    return hexes


def counted_bytes() -> Callable[[int], bytes]:
    """Return what stands in for random bytes: the same numbers."""
    hexes = counted_hexes()
    return lambda size: bytes.fromhex(hexes(size))


@contextmanager
def served(log: Log | None = None, signing_memory: SigningMemory | None = None) -> Iterator[Api]:
    """Serve with everything that differs between two runs counted instead of drawn.

    With a signing memory it signs receipts and checkpoints. Each kind is counted apart:
    who asks once more than another has the same nonces in its commands.
    """
    log = log or MemoryLog()
    worker = Worker(log, signing_memory)
    services = make_services(
        log, BOTH, ring=lambda _: None, clock=lambda: NOW, keys=Keyring.of(KEY), mode="memory"
    )
    drawn = mock.patch("service.stores.secrets.urandom", bytes)
    stopped = SimpleNamespace(time=lambda: NOW)
    with (
        drawn,
        mock.patch("service.api.quotas.time", stopped),
        mock.patch("service.api.request.WAIT", PATIENCE_S),
        mock.patch("service.usecases.sending.urandom", counted_bytes()),
        mock.patch("service.api.request.urandom", counted_bytes()),
        mock.patch("service.stores.tickets.token_hex", counted_hexes()),
        mock.patch("service.stores.api_keys.token_hex", return_value="0" * 12),
        mock.patch("service.stores.api_keys.token_urlsafe", return_value="A" * 43),
    ):
        worker.start()
        until_it_listens(services)
        token, _ = api_keys.create(log, "tests", NOW)
        try:
            yield Api(create_app(services), token)
        finally:
            services.outcomes.close()
            worker.stop()


class Run:
    """A fight up to the moment when something was hidden, and what each seat can be told then."""

    def __init__(self, api: Api, secret: Secret, choice: Any) -> None:
        data = {"edition": "heartrush@1", **opening(PLACES, seats=SEATS, declared_sides=[])}
        self.at = "/v1/encounters/" + json.loads(api("POST", "/v1/encounters", data).text)["encounter"]
        self.seats = {"gm": api}
        for seat in ("zoe", "yan", "eve"):
            answer = json.loads(api("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = api.with_token(answer["token"])
        self.do("gm", type="begin_combat", unaware_side="enemies")
        self.do("gm", type="grant_priority")
        secret.hide(self, choice)

    def do(self, seat: str, /, **command: object) -> None:
        answer = self.seats[seat]("POST", f"{self.at}/commands", command)
        assert answer.status_code == 200, answer.text

    def engaged(self) -> None:
        """Have pia engage the orc, and the wolf join."""
        self.do("zoe", type="engage", creature="pia", target="orc")
        while owed := self.joining():
            seat, creature, prompt = owed[0]
            answer = "join_engagement" if creature == "wolf" else "decline_join"
            self.do(seat, type=answer, creature=creature, prompt=prompt)

    def joining(self) -> list[tuple[str, str, str]]:
        """Return whose answer is owed on joining: seat, creature and prompt."""
        asked = [each["prompt"] for who in self.seats.values() for each in self._options(who)]
        return [(p["seat"], p["creature"], p["prompt"]) for p in asked if "decline_join" in p["accepts"]]

    def _options(self, who: Api) -> list[Any]:
        found: list[Any] = who.get(f"{self.at}/options")["options"]
        return found

    def choose(self, seat: str, creature: str, stance: str) -> None:
        self.do(
            seat, type="choose_stance", creature=creature, prompt=f"r1/e1/stance/{creature}", stance=stance
        )

    def look(self, seat: str) -> list[str]:
        """Return every answer *seat* can get now, headers too."""
        return answers(self.seats[seat], self.at, PATHS, MISTAKES)


def test_every_answer_about_an_encounter_is_among_those_that_are_compared() -> None:
    asked = [path.partition("?")[0] for path in (*PATHS, *of_each(1))]
    reading = [path for path, operations in contract()["paths"].items() if "get" in operations]
    for path in reading:
        inside = path.removeprefix("/v1/encounters/{encounter}")
        if inside != path:
            pattern = re.compile(re.sub(r"{\w+}", "[^/]+", inside))
            assert any(pattern.fullmatch(each) for each in asked), f"{path} is compared by no twins"


# --- what is hidden ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Secret:
    """Something that a player hides: the two ways in which the twins differ, and how it comes to that."""

    name: str
    choices: tuple[Any, Any]
    hide: Callable[[Run, Any], None]
    owner: str = "zoe"
    """The seat that knows it; every other one is told the same by both twins."""


def hide_stance(run: Run, stance: str) -> None:
    run.engaged()
    run.choose("zoe", "pia", stance)


def hide_target(run: Run, target: str) -> None:
    run.engaged()
    for seat, creature in (("zoe", "pia"), ("gm", "orc"), ("gm", "wolf")):
        run.choose(seat, creature, "might")
    run.do("zoe", type="declare_attack", creature="pia", prompt="r1/e1/might/pia", target=target)


def hide_order(run: Run, order: str) -> None:
    run.engaged()
    for seat, creature in (("zoe", "pia"), ("gm", "orc"), ("gm", "wolf")):
        run.choose(seat, creature, "agility")
    prompt = "r1/e1/agility/pia"
    run.do("zoe", type="declare_agility", creature="pia", prompt=prompt, target="orc", order=order)


def hide_path(run: Run, to: list[int]) -> None:
    """HR-OA-1: the first step leaves the orc's reach, so the dash waits with its whole way before it."""
    run.do("zoe", type="dash", creature="pia", to=to)


def hide_roll(run: Run, roll: tuple[list[int], int]) -> None:
    """TABLE-SCREEN-1: what the GM rolls in secret, and how many dice, is for the gm's seat alone."""
    dice, bonus = roll
    run.do("gm", type="roll_behind_screen", dice=dice, bonus=bonus, what=f"a secret of {len(dice)}")


SECRETS: Final = (
    Secret("roll", (([20], 0), ([6, 6, 6], 12)), hide_roll, owner="gm"),
    Secret("stance", ("might", "cunning"), hide_stance),
    Secret("target", ("orc", "wolf"), hide_target),
    Secret("order", ("attack_first", "move_first"), hide_order),
    Secret("path", ([0, -2], [0, -7]), hide_path),
)


class Sitting(Protocol):
    """An encounter that is served: where it is, and a client for each seat."""

    at: str
    seats: dict[str, Api]


@dataclass(frozen=True)
class Twins:
    """What two runs that differ in one secret tell each seat, and what an audit says of each."""

    secret: Secret
    told: tuple[dict[str, list[str]], dict[str, list[str]]]
    certificates: tuple[dict[str, Any], dict[str, Any]]


def audit(log: Log, run: Sitting) -> dict[str, Any]:
    """Return the certificate of an audit that the gm asks for."""
    answer = json.loads(run.seats["gm"]("POST", f"{run.at}/audits", {}).text)
    Auditor(log, BOTH, worker="one", stopping=Event()).look()
    certificate: dict[str, Any] = run.seats["gm"].get(f"{run.at}/audits/{answer['audit']}")["certificate"]
    return certificate


@pytest.fixture(scope="module", params=SECRETS, ids=[secret.name for secret in SECRETS])
def twins(request: pytest.FixtureRequest) -> Twins:
    found, certificates = [], []
    for choice in request.param.choices:
        log = MemoryLog()
        with served(log) as api:
            run = Run(api, request.param, choice)
            found.append({seat: run.look(seat) for seat in run.seats})
            certificates.append(audit(log, run))
    return Twins(request.param, (found[0], found[1]), (certificates[0], certificates[1]))


@pytest.mark.parametrize("seat", ["gm", "zoe", "yan", "eve"])
def test_HR_STANCE_1_what_is_hidden_changes_nothing_that_others_receive(twins: Twins, seat: str) -> None:
    """HR-SVC-2: and not a length either."""
    left, right = (masked(each[seat]) for each in twins.told)
    if seat == twins.secret.owner:  # else the comparison would pass for nothing
        assert left != right
        return

    assert left == right


def test_an_audit_tells_nothing_of_it_either(twins: Twins) -> None:
    left, right = (masked([json.dumps(found, sort_keys=True)]) for found in twins.certificates)

    assert left == right


def test_the_seat_that_chose_sees_its_choice(twins: Twins) -> None:
    """The comparison above would pass for nothing if the choice were not in the record at all."""
    left, right = (masked(each[twins.secret.owner]) for each in twins.told)

    assert left != right


def test_the_word_itself_is_told_to_nobody_else(twins: Twins) -> None:
    words = {
        "stance": '"stance":"',
        "target": '"declaration":{"t',
        "order": '"order":"',
        "path": '"left":[[',
        "roll": "a secret of",
    }
    for each in twins.told:
        for seat in {"gm", "zoe", "yan", "eve"} - {twins.secret.owner}:
            said = (_OFFER.sub("", text.replace("\\", "")) for text in each[seat])
            assert not [text for text in said if words[twins.secret.name] in text]


_OFFER = re.compile(r'"command":\{.*?\},"choices"')
"""What a seat itself may send, which is no word about another seat's choice."""
