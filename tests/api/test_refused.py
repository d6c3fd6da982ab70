"""What is refused changes nothing and burns no dice, in a fight as it is played.

Twin runs: two services with the same ids, clock and seeds. In one of them a mistake is made before
each step of an exchange; its state and its dice are those of the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from werkzeug.test import TestResponse

from tests.api.client import Api, is_problem
from tests.api.test_secrecy import served
from tests.rules.heartrush.kit import opening

PLACES: Final = {"pia": (0, 0), "ash": (9, 9), "orc": (1, 0), "wolf": (20, 20)}
SEATS: Final = [
    {"seat": "zoe", "role": "player", "creatures": ["pia"]},
    {"seat": "yan", "role": "player", "creatures": ["ash"]},
]


class Fight:
    """Pia against the orc, with dice of the service."""

    def __init__(self, gm: Api) -> None:
        data = {"edition": "heartrush@1", **opening(PLACES, seats=SEATS, declared_sides=[])}
        self.at = "/v1/encounters/" + json.loads(gm("POST", "/v1/encounters", data).text)["encounter"]
        self.seats = {"gm": gm}
        for seat in ("zoe", "yan"):
            answer = json.loads(gm("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = gm.with_token(answer["token"])
        self.do("gm", type="begin_combat", unaware_side="enemies")
        self.do("gm", type="grant_priority")

    def send(self, seat: str, command: object, /, **headers: str) -> TestResponse:
        return self.seats[seat]("POST", f"{self.at}/commands", command, **headers)

    def do(self, seat: str, /, **command: object) -> Any:
        answer = self.send(seat, command)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text)

    def state(self) -> Any:
        state = self.seats["gm"].get(f"{self.at}/state")["state"]
        return {name: value for name, value in state.items() if name != "stopped"}

    def rolls(self) -> list[Any]:
        """Return every roll, without the number of its commit."""
        found = self.seats["gm"].get(f"{self.at}/rolls")["rolls"]
        return [{name: value for name, value in roll.items() if name != "n"} for roll in found]

    def steps(self) -> Iterator[None]:
        """Play an exchange from the engagement to the damage, stopping before each step."""
        yield
        self.do("zoe", type="engage", creature="pia", target="orc")
        for _ in range(4):
            waits = [o["prompt"] for o in self._options() if "decline_join" in o["prompt"]["accepts"]]
            if waits:
                found = {"creature": waits[0]["creature"], "prompt": waits[0]["prompt"]}
                self.do(waits[0]["seat"], type="decline_join", **found)
        yield
        self.do("zoe", type="choose_stance", creature="pia", prompt="r1/e1/stance/pia", stance="might")
        yield
        self.do("gm", type="choose_stance", creature="orc", prompt="r1/e1/stance/orc", stance="cunning")
        yield
        self.do("zoe", type="declare_attack", creature="pia", prompt="r1/e1/might/pia", target="orc")
        yield

    def _options(self) -> list[Any]:
        return [
            option
            for seat, who in self.seats.items()
            for option in who.get(f"{self.at}/options")["options"]
            if option["prompt"]["seat"] == seat
        ]


DASH: Final = {"type": "dash", "creature": "pia", "to": [0, 1]}

MISTAKES: Final[dict[str, tuple[Callable[[Fight], TestResponse], int, str]]] = {
    "no priority": (lambda f: f.send("gm", {**DASH, "creature": "wolf"}), 409, "command-refused"),
    "another's creature": (lambda f: f.send("yan", DASH), 409, "command-refused"),
    "out of range": (
        lambda f: f.send("zoe", {"type": "engage", "creature": "pia", "target": "wolf"}),
        409,
        "command-refused",
    ),
    "a prompt that is gone": (
        lambda f: f.send("zoe", {"type": "throw_dice", "prompt": "r1/none", "faces": [1]}),
        409,
        "command-refused",
    ),
    "unknown field": (lambda f: f.send("zoe", {**DASH, "speed": 90}), 422, "invalid"),
    "wrong type": (lambda f: f.send("zoe", {**DASH, "to": [0, True]}), 422, "invalid"),
    "unknown command": (lambda f: f.send("zoe", {"type": "fly", "creature": "pia"}), 422, "invalid"),
    "a number as text": (lambda f: f.send("zoe", {**DASH, "to": ["1_0", 1]}), 422, "invalid"),
    "stale version": (lambda f: f.send("zoe", DASH, If_Match='"1"'), 412, "version-mismatch"),
    "no token": (lambda f: Api(f.seats["gm"].app)("POST", f"{f.at}/commands", DASH), 401, "unauthenticated"),
}


@pytest.fixture(scope="module")
def spotless() -> tuple[list[Any], list[Any]]:
    """Give the states and the rolls of the exchange as it goes without any mistake."""
    with served() as api:
        fight = Fight(api)
        return [fight.state() for _ in fight.steps()], fight.rolls()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_refused_command_moves_neither_the_state_nor_a_die(
    spotless: tuple[list[Any], list[Any]], mistake: str
) -> None:
    """HR-SVC-1: every command is validated against the whole state, and a refusal leaves it untouched."""
    make, status, code = MISTAKES[mistake]
    with served() as api:
        fight = Fight(api)
        states = []
        for _ in fight.steps():
            is_problem(make(fight), status, code)
            states.append(fight.state())

        assert states == spotless[0]
        assert fight.rolls() == spotless[1]


def test_the_exchange_throws_dice_at_all(spotless: tuple[list[Any], list[Any]]) -> None:
    """The comparison above would pass for nothing otherwise."""
    assert sum(len(roll["dice"]) for roll in spotless[1]) >= 5


def test_a_key_with_another_body_is_refused_and_moves_nothing() -> None:
    with served() as api:
        fight = Fight(api)
        first = fight.send("zoe", DASH, Idempotency_Key="k1")
        before = fight.state()

        is_problem(
            fight.send("zoe", {**DASH, "to": [1, 1]}, Idempotency_Key="k1"), 422, "idempotency-key-reused"
        )

        assert first.status_code == 200
        assert fight.state() == before


CODES: Final[list[tuple[str, dict[str, Any], str, str]]] = [
    ("gm", {"type": "dash", "creature": "wolf", "to": [19, 20]}, "no_priority", "HR-PRIO-1"),
    ("yan", DASH, "not_your_creature", "TABLE-SEAT-1"),
    ("zoe", {**DASH, "creature": "nobody"}, "no_such_creature", "TABLE-SEAT-1"),
    ("zoe", {"type": "close"}, "not_gm", "TABLE-CLOSE-1"),
]


@pytest.mark.parametrize(("seat", "command", "code", "rule"), CODES, ids=[case[2] for case in CODES])
def test_a_refusal_names_its_code_and_its_rule(
    seat: str, command: dict[str, Any], code: str, rule: str
) -> None:
    with served() as api:
        problem = is_problem(Fight(api).send(seat, command), 409, "command-refused")

    assert (problem["code"], problem["rule"]) == (code, rule)
