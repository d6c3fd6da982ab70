"""No honest fight is accused, whatever happens in it: rulings, undos, losses, keys set, replaced and lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from service.audit import bundle
from service.audit.evidence import Evidence, fight_of
from service.audit.fight import verify_fight
from service.dice.chain import seat_commitment
from service.record.canonical import eid_of
from service.rules.kernel.messages import Refused
from tests.audit.signed_fights import KEYS, SignedHouse, signed_fight
from tests.support.in_process_service import BOTH
from tests.support.javascript_verifier import Case, expected, judged
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER

SEATS = ("gm", "ada", "bo")
STEPS = 24
INSTEAD = (
    {"type": "roll", "data": {"sides": 4}},
    {"type": "add", "data": {"amount": 2}},
    {"type": "add", "data": {"amount": 1}, "by": "gm"},
)


class Table:
    """A table at which anything honest may happen."""

    def __init__(self, house: SignedHouse, random: Random) -> None:
        self.house, self.random = house, random
        seeded = {"seeding": {"mode": "mixed", "seats": ["ada", "bo"]}}
        self.line = house.open(TINY, seeded if random.random() < 1 / 3 else {})
        self.seeds = {seat: bytes([random.randrange(256)]) * 32 for seat in SEATS}

    def send(self, seat: str, type_: str, /, **data: Any) -> None:
        self.house.send(self.line, seat, type_, **data)

    def any_commit(self) -> int:
        return self.random.randrange(2, len(self.house.commits(self.line)) + 2)

    def rule(self, type_: str, /, **data: Any) -> None:
        """Propose another line of play, and mostly accept it."""
        said = self.house.proposed(self.line, type_, **data)
        if self.random.random() < 4 / 5:
            self.line = self.house.accept(self.line, said)

    def amend(self) -> None:
        contests = self.house.state(self.line).contests
        found = [name for name, each in contests.items() if each.status == "open"]
        if found:
            instead = self.random.choices(INSTEAD, k=self.random.randrange(3))
            self.rule("amend", contest=self.random.choice(found), decision="so", instead=instead)

    def seed(self) -> None:
        seat, first = self.random.choice(SEATS[1:]), self.house.commits(self.line)[0].encounter
        made = seat_commitment(eid_of(first), seat, self.seeds[seat]).hex()
        kinds: tuple[Callable[[], None], ...] = (
            lambda: self.send(seat, "commit_seed", commitment=made),
            lambda: self.send("gm", "waive_seed", seat=seat, reason="gone"),
            lambda: self.send(seat, "reveal_seed", seed=self.seeds[seat].hex()),
        )
        self.random.choice(kinds)()

    def key(self) -> None:
        seat = self.random.choice(SEATS)
        by = self.random.choice((seat, "gm"))
        self.send(by, "set_seat_key", seat=seat, key=KEYS[seat])

    def lose(self) -> None:
        if not self.house.state(self.line).seats["gm"].key:
            self.house.lost(self.line)

    def anything(self) -> None:
        """Do one thing; what the rules refuse leaves the game as it is, or a refusal on the record."""
        player = self.random.choice(SEATS[1:])
        kinds: tuple[Callable[[], None], ...] = (
            lambda: self.send(self.random.choice(SEATS), "add", amount=self.random.randrange(1, 9)),
            lambda: self.send("gm", "roll", sides=self.random.choice((4, 6))),
            lambda: self.send(player, "choose", number=self.random.randrange(1, 5)),
            lambda: self.send("gm", "end_round"),
            lambda: self.send("gm", "advance_epoch", reason="a pause"),
            lambda: self.send(player, "contest", commit=self.any_commit(), claim="no"),
            lambda: self.send("gm", "remove_seat_key", seat=player),
            lambda: self.rule("undo", commit=self.any_commit()),
            lambda: self.rule("redo", reason="after all"),
            self.amend,
            self.amend,
            self.seed,
            self.key,
            self.lose,
        )
        with suppress(Refused, AssertionError):
            self.random.choice(kinds)()


def fought(seed: int) -> tuple[Evidence, ...]:
    """Return the lines of play of a fight at random, open or closed."""
    random = Random(f"honest/{seed}")
    with SignedHouse() as house:
        table = Table(house, random)
        for _ in range(STEPS):
            table.anything()
        if random.random() < 1 / 2:
            table.send("gm", "close", reason="enough")
        return house.lines(*fight_of(house.log, table.line))


@pytest.mark.parametrize("seed", range(12))
def test_no_honest_fight_is_accused_by_any_verifier(seed: int) -> None:
    fight = fought(seed)
    files = [b"".join(bundle.write_fight(fight, seat)) for seat in SEATS]
    cases = [Case(raw, pinned=(SIGNER.public,)) for raw in files]

    assert judged(cases) == [expected(case) for case in cases] == ["valid_without_rules"] * len(SEATS)
    for raw in files:
        report = verify_fight(bundle.read_fight(raw, pinned=[SIGNER.public]), BOTH)
        assert report.verdict.is_sound, report.verdict


def test_the_key_of_the_gm_may_be_known_from_elsewhere() -> None:
    """Nobody can sign the opening: there is no commit that its sender could have seen."""
    raw = b"".join(bundle.write_fight(signed_fight(), "gm"))
    case = Case(raw, pinned=(SIGNER.public,), seat_keys={seat: KEYS[seat] for seat in ("gm", "ada")})

    assert judged([case]) == [expected(case)] == ["valid_without_rules"]


def test_a_ruling_in_place_of_a_command_of_the_service_lets_the_gm_send() -> None:
    with SignedHouse() as house:
        line = house.open(TINY, {})
        added = house.send(line, "gm", "add", amount=1)
        line = house.accept(line, house.proposed(line, "undo", commit=added.n))
        accepted = len(house.commits(line))
        house.send(line, "ada", "contest", commit=accepted, claim="not this line")
        instead = [{"type": "add", "data": {"amount": 2}}]
        said = house.proposed(line, "amend", contest="c1", decision="so", instead=instead)
        line = house.accept(line, said)
        fight = house.lines(*fight_of(house.log, line))
    case = Case(b"".join(bundle.write_fight(fight, "gm")), pinned=(SIGNER.public,))

    assert judged([case]) == [expected(case)] == ["valid_without_rules"]
