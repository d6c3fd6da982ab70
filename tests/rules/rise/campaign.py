"""Play whole fights of Rise at random: seats take what is offered to them, players and GM meddle.

Bots prefer what has been done least, so seldom things come early. After each command the state is held to
what must always be true of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Actor, Awaited, Fact, Offer
from service.rules.kernel.records import Sealed
from service.rules.kernel.sealed import view
from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Refusal, decide, legal, waiting
from tests.random_play.offer_check import Stuck, Unheld, fits, refused_offer
from tests.random_play.situations import concealed, disturbed, hidden, met
from tests.rules.rise import master
from tests.rules.rise.bot import data_of
from tests.rules.rise.cast import drawn_opening
from tests.rules.rise.held import held
from tests.rules.rise.kit import AIMED, Fight, Seeded, unfolded
from tests.support.recorded_fight import Record

LAST: Final[tuple[str, ...]] = (
    *("end_combat", "pass_turn", "end_turn", "no_more_swift", "pass_movement"),
    *("withdraw_plan", "ask_pause"),
)
"""Commands that end or skip something: taken only now and then, or where nothing else is offered."""
MIDDLE: Final = (4, 1)
"""Where creatures like to go."""
SECRET: Final = 3
"""In one fight of so many there are secrets of the GM's on every side; in some it plays everybody."""
MOVING: Final = 0.05
"""How often the GM does something with a hidden creature, of all turns."""
SPENDING: Final = ("commit_swift", "manipulate_object", "begin_turn", "improvise")
"""Commands that leave little to do afterwards: taken half as often."""


@dataclass
class Campaign:
    """A fight of *many* creatures that is over once *budget* commands are given."""

    seed: int
    many: int
    budget: int = 250
    played: int | None = None
    meddling: float = 0.2
    fight: Fight = field(init=False)
    done: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    """How many commands met each of the situations that play must reach."""
    hidden: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """What the GM sends before the fight to hide creatures."""
    commands: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.apart = Random(f"{self.seed}/secrets")
        """Chance of its own for secrets, so that they change nothing that a seed brings besides."""
        self.fight = Fight(dice=Seeded(self.seed), mirror=None)

    @property
    def state(self) -> State:
        """The state as decided."""
        return self.fight.state

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Try a command; a refusal changes nothing."""
        before = self.state
        refusal = self.send(type_, seat, data)
        self.commands += 1
        if refusal is None:
            self.done[type_] += 1
            self.met.update(met(before, self.state, seat, type_))
        else:
            self.codes[refusal.code] += 1
        held(before, self.state, f"seed {self.seed}, {type_} {data}")
        return refusal

    def send(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Decide a command."""
        return self.fight.send(type_, seat, **data).refusal

    def facts(self) -> list[Fact[State]]:
        """Return everything that was told."""
        return list(self.fight.events)

    @property
    def keeps_secrets(self) -> bool:
        """Whether fields of sheets are GM-only and creatures are hidden in this fight."""
        return self.seed % SECRET == 0

    def opening(self) -> dict[str, Any]:
        """Return what the fight begins with."""
        opening = drawn_opening(self.random, self.many, self.played)
        if self.keeps_secrets:
            opening = concealed(self.apart, RISE.edition, opening)
            self.hidden = hidden(self.apart, RISE.edition, opening)
        return opening

    def open(self) -> None:
        """Open the fight."""
        lanes = [{"lane": 0, "n": 512, "anchor": "00" * 32}]
        dice = {"algorithm": "rewound/dice/1", "mode": "server", "lanes": lanes}
        told = {"encounter": "00112233-4455-6677-8899-aabbccddeeff", "edition": "rise@1", "digest": "00" * 32}
        self.must("open", "gm", {**told, "dice": dice, "opening": self.opening()})

    def must(self, type_: str, seat: str, data: Mapping[str, Any]) -> None:
        """Send a command that has to be accepted."""
        refusal = self.attempt(type_, seat, data)
        assert refusal is None, f"seed {self.seed}: {type_} {data} by {seat}: {refusal}"

    def play(self) -> Campaign:
        """Play until the budget is spent; fails if everybody waits for nobody."""
        self.open()
        for type_, data in self.hidden:
            self.attempt(type_, "gm", data)
        for step in master.prologue(self.state, self.random):
            self.attempt(*step)
        while self.commands < self.budget and self.state.stage != "ended":
            self.turn()
        for step in master.epilogue(self.state, self.random):
            self.attempt(*step)
        return self

    def turn(self) -> None:
        """Let somebody do something, or try to."""
        if self.hidden and self.state.hidden_creatures and self.apart.random() < MOVING:
            type_, data = disturbed(self.apart, self.state.hidden)
            self.attempt(type_, "gm", data)
        if self.random.random() < (0.6 if master.is_tempting(self.state) else self.meddling):
            self.attempt(*master.attempt(self.state, self.random))
            return
        choice = self.choice()
        if choice is None and self.gives_back():
            return
        if choice is None:
            raise Stuck(f"seed {self.seed} is stuck: {self.state.top}")
        seat, offer = choice
        data = data_of(offer, self.random)
        if offer.choices.get("path", ((),))[0] and self.random.random() < 0.8:
            data["path"] = [list(cell) for cell in min(offer.choices["path"], key=_from_the_middle)]
        if offer.type == "throw_dice":
            data["faces"] = self.faces(offer)
        refusal = self.attempt(offer.type, seat, data)
        if refusal is not None:
            unheld = Unheld(self.seed, offer.type, seat, data, refused_offer(refusal.code))
            unheld.add_note(str(refusal))
            raise unheld

    def fault_of(self, type_: str, seat: str, data: Mapping[str, Any]) -> str | None:
        """Return how a command is refused that is offered now, null if it is not; changes nothing."""
        if not any(whose == seat and fits(offer, type_, data) for whose, offer in self.every_offer()):
            return None
        actor = Actor(seat=seat, role=self.state.seats[seat].role)
        command = from_data(RISE.commands[type_], data, families=RISE.families, by=actor)
        refusal = decide(self.state, command, Chance(self.fight.dice)).refusal
        return refused_offer(refusal.code) if refusal is not None else None

    def every_offer(self) -> list[tuple[str, Offer]]:
        """Return every offer of every seat."""
        return [
            (seat, offer)
            for seat in self.state.seats
            for _, offers in legal(RISE, self.state, seat)
            for offer in offers
        ]

    def offers_of(self, type_: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield seat and data of one command for each offer of a type."""
        for seat, offer in self.every_offer():
            if offer.type == type_ != "throw_dice":
                yield seat, data_of(offer, self.random)

    def look(self) -> None:
        """Look up what everybody may do now."""
        self.every_offer()

    def is_stuck(self) -> bool:
        """Tell whether nobody may do anything now, though the fight is not over."""
        return self.state.stage != "ended" and self.choice() is None and not self.gives_back()

    def finish(self) -> None:
        """Hold nothing more to be true: every step was held to it."""

    def gives_back(self) -> bool:
        """Give a creature that fell to a blind GM in a phase to a player of its group, who may act for it."""
        for group, kept in self.state.worlds.items():
            assert isinstance(kept, Sealed)
            readers = [reader.removeprefix("seat:") for reader in kept.audience if reader != "seat:gm"]
            fallen = [name for name in self.state.groups[group] if self.state.controller(name) == "gm"]
            for seat in readers if fallen and "seat:gm" not in kept.audience else ():
                if seat in self.state.seats and not self.state.seats[seat].closed:
                    mine = self.state.seats[seat].creatures
                    self.must("change_seat", "gm", {"seat": seat, "creatures": [*mine, *fallen]})
                    return True
        return False

    def faces(self, offer: Offer) -> list[int]:
        """Return faces for the dice that are asked for, high and low ones more often; ties are common."""
        wanted = next(a for a in waiting(self.state) if a.prompt == offer.prompt).wants
        sides = [int(want.rpartition("d")[2]) for want in wanted]
        if "initiative" in str(offer.prompt) and self.random.random() < 0.6:
            return [die // 2 for die in sides]
        return [self.random.choice((1, die, self.random.randint(1, die))) for die in sides]

    def preferred(self) -> tuple[str, ...]:
        """Return the commands that are taken before all others now."""
        return ()

    def choice(self) -> tuple[str, Offer] | None:
        """Choose what has been done least, of all that anybody may do; what skips something comes last."""
        asked = [
            (local, awaited, name)
            for seat in self.state.seats
            for local in _places(view(self.state, seat))
            for awaited in _owed(local)
            if awaited.seat == seat
            for name in awaited.accepts
        ]
        self.random.shuffle(asked)
        put_off = LAST if self.random.random() > 0.15 else ()
        put_off += SPENDING if self.random.random() < 0.6 else ()
        first = self.preferred()
        asked.sort(key=lambda one: (one[2] not in first, one[2] in put_off, self.done[one[2]] // 3))
        for local, awaited, name in asked:
            offers = unfolded(RISE.commands[name].offers(local, awaited), *AIMED)
            if offers:
                going = [offer for offer in offers if offer.choices.get("path", ((),))[0]]
                liked = going if going and self.random.random() < 0.4 else offers
                return awaited.seat, self.random.choice(liked)
        return None


def _from_the_middle(path: tuple[tuple[int, int], ...]) -> int:
    """Return how far from the middle *path* ends: where all meet they get in each other's way."""
    return max(abs(path[-1][0] - MIDDLE[0]), abs(path[-1][1] - MIDDLE[1]))


def _places(seen: State) -> list[State]:
    return [seen, *(seen.at(group) for group in seen.apart)]


def _owed(local: State) -> tuple[Awaited, ...]:
    """Return what a place waits for, and where it waits for anything what may be done besides."""
    if local.top is None:
        return ()
    owed = local.top.waiting(local)
    return (*owed, *local.optional_prompts()) if owed else ()


class Recorded(Campaign):
    """A campaign whose requests and commits are kept, with the dice of a chain."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.record = Record(RISE, self.seed)

    @property
    def state(self) -> State:
        return self.record.folded.state

    def send(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        return self.record.send(type_, seat, data)

    def open(self) -> None:
        self.must("open", "gm", self.record.opening(self.opening()))

    def close(self) -> None:
        """Close the encounter, so that every link is disclosed."""
        self.must("close", "gm", {"reason": "enough"})

    def finish(self) -> None:
        """Close the encounter and hold its record to an audit, and to what was decided."""
        self.close()
        self.record.must_be_sound()
