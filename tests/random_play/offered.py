"""Play both books over HTTP by what is offered and by nothing else: all of it is accepted, nothing crashes.

`python -m tests.random_play.offered --commands 10000 --book rise` plays so many commands in as many fights
as it takes: creatures of all kinds, mounts, house options, two players in one group, groups across sides,
creatures and fields that only the GM knows on every side, fights that the GM plays alone. What the GM hides
and moves is tried besides, and may be refused. A fight ends when nobody may do anything; its record must
then fold to the state that was decided. A failure names the seed of its fight, and `--seed` begins with
that one.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from unittest import mock

import pytest
import structlog

from rewound_client import with_lists
from service.api.app import create_app
from service.core.fold import Folder
from service.key_files import Keyring
from service.log.memory import MemoryLog
from service.rules.registry import REGISTRY
from service.stores import api_keys, secrets
from service.usecases import openings
from service.usecases.openings import encounter_id
from service.usecases.services import Services, make_services
from tests.api.client import Api
from tests.api.conftest import KEY, Worker, until_it_listens
from tests.api.quick import Quick
from tests.random_play.situations import concealed, disturbed, hidden, met
from tests.rules.heartrush.bot import random_opening
from tests.rules.rise.cast import SIDES, drawn_opening
from tests.support import crashes
from tests.support.offers import spelled

FIGHT: Final = 250
"""Commands of one fight, at most."""
MOST: Final = 12
"""Creatures of one fight, at most."""
SELDOM: Final = frozenset(
    (
        *("end_combat", "pass_turn", "end_turn", "pass_movement", "pass_side"),
        *("manipulate_object", "set_order", "ask_pause", "withdraw_plan"),
    )
)
"""Commands that end or skip something: taken now and then, or where nothing else is offered."""
NEVER: Final = ("close",)
REFUSED: Final = (403, 409, 422)
HIDING: Final = 0.4
"""How often the GM hides creatures, of all fights."""
MOVING: Final = 0.05
"""How often the GM does something with a hidden creature, of all turns."""
PLAYED: Final = SIDES[:2]
"""The sides of players in a fight in which players and the GM hide Swift abilities."""
SWIFT: Final = 0.5
"""How many fights of Rise begin so that players and the GM hide Swift abilities."""
LATE: Final = 0.75
"""After this part of its commands a fight may be ended, so that there is something after it."""
ENDING: Final = 0.1
"""How often the GM ends a fight that is late, of all turns."""
WHOLE: Final = 0.1
"""How often a command of Rise is sent together with the end of its turn."""
ENDED: Final = 0.5
"""How often the GM ends a fight at its last command, so that there is a rest after it."""


class Broken(AssertionError):
    """Say what was offered and not accepted, or what crashed, and in which fight."""


@contextmanager
def serving() -> Iterator[tuple[Api, Services]]:
    """Serve both books over the memory log, with a worker in a thread."""
    log = MemoryLog()
    worker = Worker(log)
    services = make_services(
        log, REGISTRY, ring=lambda _: None, clock=time.time, keys=Keyring.of(KEY), mode="memory"
    )
    with mock.patch("service.api.request.WAIT", 60.0):
        worker.start()
        until_it_listens(services)
        token, _ = api_keys.create(log, "tests", time.time())
        try:
            yield Quick(create_app(services), token), services
        finally:
            services.outcomes.close()
            worker.stop()
            log.close()


def rise_opening(random: Random) -> dict[str, Any]:
    """Return a fight of Rise: few or many, mounted or not, sides with no, one or two players.

    One of two has two sides of players, two players on one of them, and a side of the gm: all but one commit
    to Swift abilities unseen.
    """
    is_swift = random.random() < SWIFT
    opening = drawn_opening(random, random.choice((1, 2, 2, 3, 4, 6, MOST)))
    while is_swift and not _may_hide_swift(opening):
        opening = drawn_opening(random, random.choice((3, 4, 6)), len(PLAYED))
    if is_swift:
        opening["options"]["swift_mode"] = "lenient"
    sides = {each["sheet"]["side"] for each in opening["creatures"]}
    declared = [side for side in opening["declared_sides"] if side in sides]
    return {"edition": "rise@1", **opening, "declared_sides": declared}


def _may_hide_swift(opening: Mapping[str, Any]) -> bool:
    """Tell whether each side of `PLAYED` has a seat, one of them two, and another side is the gm's."""
    sides = {each["sheet"]["id"]: each["sheet"]["side"] for each in opening["creatures"]}
    seated = [{sides[name] for name in seat["creatures"]} for seat in opening["seats"] if seat["creatures"]]
    return set().union(*seated) == set(PLAYED) < set(sides.values()) and len(seated) > len(PLAYED)


def heartrush_opening(random: Random) -> dict[str, Any]:
    """Return a fight of Heart Rush."""
    return {"edition": "heartrush@1", **random_opening(random)}


def across_sides(random: Random, opening: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the GM's word that some of different sides act together."""
    names = [each["sheet"]["id"] for each in opening["creatures"]]
    return "set_groups", {"groups": {"pact": random.sample(names, random.randint(1, len(names)))}}


@dataclass(frozen=True)
class Book:
    """How the fights of a book begin: an opening, and what the GM says before."""

    opening: Callable[[Random], dict[str, Any]]
    says: tuple[Callable[[Random, Mapping[str, Any]], tuple[str, dict[str, Any]]], ...] = ()


BOOKS: Final[Mapping[str, Book]] = {
    "rise": Book(rise_opening, (across_sides,)),
    "heartrush": Book(heartrush_opening),
}


@dataclass
class Play:
    """One fight over HTTP that is played by options, until *budget* commands are sent."""

    api: Api
    services: Services
    book: str
    seed: int
    budget: int = FIGHT
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    types: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    """How many commands met each of the situations that play must reach."""

    def __post_init__(self) -> None:
        self.random = Random(f"{self.book}/{self.seed}")

    def play(self) -> Play:
        """Play the fight; raises `Broken` where something that was offered is not accepted."""
        book = BOOKS[self.book]
        opening = book.opening(self.random)
        opening = concealed(self.random, opening["edition"], opening)
        answer = self.opened(opening)
        self.need(answer.status_code == 201, f"the opening: {answer.text}")
        self.id = json.loads(answer.text)["encounter"]
        self.at = f"/v1/encounters/{self.id}"
        self.seats = {"gm": self.api}
        for seat in opening["seats"]:
            body = json.loads(self.api("POST", f"{self.at}/seats/{seat['seat']}/token", {}).text)
            self.seats[seat["seat"]] = self.api.with_token(body["token"])
        for says in book.says:
            if self.random.random() < 0.3:
                type_, data = says(self.random, opening)
                self.send("gm", type_, data)
        if self.random.random() < HIDING:
            for type_, data in hidden(self.random, opening["edition"], opening):
                self.try_("gm", type_, data)
        self.rest()
        while len(self.sent) < self.budget and self.turn():
            if len(self.sent) > LATE * self.budget and self.random.random() < ENDING:
                self.try_("gm", "end_combat", {})
            if self.state.hidden_creatures and self.random.random() < MOVING:
                self.try_("gm", *disturbed(self.random, self.state.hidden))
        if self.random.random() < ENDED:
            self.try_("gm", "end_combat", {})
        self.rest()
        self.folds()
        return self

    def opened(self, opening: dict[str, Any]) -> Any:
        """Return the answer to *opening*; the encounter's id and dice follow from the seed, too."""
        own = f"{self.book}/{self.seed}"
        with (
            mock.patch.object(
                openings, "encounter_id", lambda services, *_: encounter_id(services, "offered", own)
            ),
            mock.patch.object(secrets, "urandom", Random(own).randbytes),
        ):
            return self.api("POST", "/v1/encounters", opening)

    def rest(self) -> None:
        """Let some rest, where the book allows it now."""
        names = list(self.state.creatures)
        for name in self.random.sample(names, min(2, len(names))):
            each = {"creature": name} if self.book == "rise" else {"creatures": [name]}
            self.try_("gm", "rest", {"rest": "short", **each})

    def turn(self) -> bool:
        """Let somebody do something that is offered to it; tells whether anybody may do anything."""
        for seat in self.random.sample(list(self.seats), len(self.seats)):
            options = with_lists(self.seats[seat].get(f"{self.at}/options"))
            chosen = self.choice(options)
            if chosen is not None:
                command = self.spelled(*chosen)
                if self.random.random() >= WHOLE or not self.ends_its_turn(seat, *command):
                    self.send(seat, *command)
                return True
        return False

    def choice(self, options: Any) -> tuple[Any, Any] | None:
        """Return a prompt and an offer, rather of a type that was seldom sent; what skips comes late."""
        by_type: dict[str, list[tuple[Any, Any]]] = {}
        for option in options["options"]:
            for offer in option["commands"]:
                by_type.setdefault(offer["command"]["type"], []).append((option["prompt"], offer))
        found = [name for name in by_type if name not in NEVER]
        liked = [name for name in found if name not in SELDOM]
        names = liked if liked and self.random.random() < 0.8 else found
        if not names:
            return None
        rarest = min(names, key=lambda name: (self.types[name] + 1) * self.random.random())
        return self.random.choice(by_type[rarest])

    def spelled(self, prompt: Any, offer: Any) -> tuple[str, dict[str, Any]]:
        """Return the command that an offer stands for: chosen what it lets choose, written what it asks."""
        data = spelled(offer, self.random)
        if prompt["wants"]:
            sides = [int(want.rpartition("d")[2]) for want in prompt["wants"]]
            data["faces"] = [self.random.choice((1, die, self.random.randint(1, die))) for die in sides]
        return data.pop("type"), data

    def send(self, seat: str, type_: str, data: dict[str, Any]) -> None:
        """Send a command that must be accepted."""
        self.sent.append((seat, {"type": type_, **data}))
        self.types[type_] += 1
        self.try_(seat, type_, data, may_be_refused=False)

    def ends_its_turn(self, seat: str, type_: str, data: dict[str, Any]) -> bool:
        """Send a command that is offered and the end of its creature's turn at once; return if that is legal.

        Whether it is, only its group knows; nothing of it is on the record if it is not.
        """
        if self.book != "rise" or "creature" not in data:
            return False
        whole = [{"type": type_, **data}, {"type": "end_turn", "creature": data["creature"]}]
        answer = self.seats[seat]("POST", f"{self.at}/commands?continue_on_refusal=true", whole)
        accepted = (
            answer.status_code == 200 and json.loads(answer.text)["outcomes"][0]["outcome"] == "accepted"
        )
        self.need(accepted or answer.status_code in REFUSED, f"{seat} {whole}: {answer.text}")
        if accepted:
            self.sent += [(seat, each) for each in whole]
            self.types[type_] += 1
            self.met["whole_turn"] += 1
        return accepted

    def try_(self, seat: str, type_: str, data: dict[str, Any], *, may_be_refused: bool = True) -> None:
        """Send a command that nobody is offered; it may be refused, and must not crash."""
        before = self.state
        answer = self.seats[seat]("POST", f"{self.at}/commands", {"type": type_, **data})
        accepted = answer.status_code == 200
        refused = may_be_refused and answer.status_code in REFUSED
        self.need(accepted or refused, f"{seat} {type_} {data}: {answer.text}")
        if accepted:
            self.met.update(met(before, self.state, seat, type_))

    @property
    def state(self) -> Any:
        """The state as decided, whole."""
        return self.services.folder.current(self.id).state

    def folds(self) -> None:
        """Hold the record to the state that was decided."""
        decided = self.services.folder.current(self.id)
        again = Folder(self.services.log, REGISTRY).current(self.id)
        self.need(again.hash == decided.hash and again.state == decided.state, "the record folds otherwise")

    def need(self, holds: bool, what: str) -> None:  # noqa: FBT001 - what is asserted
        """Raise `Broken` unless it *holds* and nothing has crashed."""
        crashed = crashes.drained()
        if not holds or crashed:
            place = f"--book {self.book} --seed {self.seed}, command {len(self.sent)}"
            raise Broken("\n".join([f"{place}: {what}", *crashed]))


def played(book: str, seeds: Iterator[int], commands: int) -> Iterator[Play]:
    """Yield fights of *book* until so many commands are sent."""
    with serving() as (api, services):
        left = commands
        while left > 0:
            fight = Play(api, services, book, next(seeds), budget=min(FIGHT, left)).play()
            left -= max(1, len(fight.sent))
            yield fight


def main(*words: str) -> int:
    """Play, print how far it has come, and return 1 if anything was not as it was offered."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_play.offered", description=__doc__)
    parser.add_argument("--book", choices=tuple(BOOKS), action="append")
    parser.add_argument("--commands", type=int, default=10_000)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    first = int(time.time()) if given.seed is None else given.seed
    failed = 0
    with pytest.MonkeyPatch.context() as patch:
        crashes.watch(patch)
        for book in given.book or BOOKS:
            failed += not _play(book, first, given.commands)
    return 1 if failed else 0


def _play(book: str, first: int, commands: int) -> bool:
    sys.stdout.write(f"{book}: {commands} commands, fights from seed {first} on\n")
    sent = fights = 0
    types: Counter[str] = Counter()
    situations: Counter[str] = Counter()
    try:
        for fight in played(book, iter(range(first, first + commands + 1)), commands):
            sent, fights, types = sent + len(fight.sent), fights + 1, types + fight.types
            situations += fight.met
            sys.stdout.write(f"{book} {fight.seed}: {sent} commands in {fights} fights\n")
            sys.stdout.flush()
    except Broken as broken:
        sys.stdout.write(f"{broken}\n")
        return False
    found = ", ".join(f"{name} {count}" for name, count in types.most_common())
    sys.stdout.write(f"{book}: all accepted, none quarantined: {found}\n")
    found = ", ".join(f"{name} {count}" for name, count in situations.most_common())
    sys.stdout.write(f"{book}, situations: {found}\n")
    return True


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
