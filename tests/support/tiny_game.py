"""Play the smallest game that has everything: a counter, a die, a choice in secret, a round that ends.

It stands on the same core as the real books and shares nothing else with them, so whatever works with it does
not know Heart Rush. Its rules are numbered TINY-1 to TINY-5 and are no book's. `burst` does what no ruleset
may: it kills, hangs or breaks whoever decides it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules import shared
from service.rules.house_options import OptionSpec
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Private, Refused, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, record, with_key
from service.rules.kernel.rulebook import Book, Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.rolls.closing import close_epoch
from service.rules.rolls.seeding import Seeding, check_setup, seeding_faults
from service.rules.ruleset import Ruleset
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import GM, DiceSetup, Seat, Table

EDITION = "tiny@1"

TINY_1: Final = Rule("TINY-1", "A game begins with a counter at nothing.", Book("Tiny game").at("Rules"))


@record
class TinyState(Table):
    """A counter, what each player chose this round, and notes that were whispered."""

    counter: int = 0
    players: tuple[str, ...] = ()
    choices: Mapping[str, int | Sealed[int]] = EMPTY
    notes: tuple[Sealed[str], ...] = ()
    spoken: tuple[str, ...] = ()
    declared: bool = False

    def dice_policy(self, owner: str) -> str:
        return "declared" if self.declared else "seeded"

    def has_creature(self, creature: str) -> bool:
        return False

    @property
    def all_chose(self) -> bool:
        """Whether every player has chosen this round."""
        return bool(self.players) and len(self.choices) == len(self.players)


# --- frames -------------------------------------------------------------------------------------------


@record
class GameFrame(Frame[TinyState]):
    """The round that runs: waits for the gm, and for players who have not chosen; reveals when all have."""

    kind: ClassVar[str] = "tiny_game"

    def waiting(self, state: TinyState) -> tuple[Awaited, ...]:
        if state.all_chose:
            return ()
        gm = Awaited(prompt="game", seat=GM, accepts=("add", "roll", "end_round"), optional=True)
        return (
            gm,
            *(
                Awaited(prompt=f"r{state.round}/choice/{seat}", seat=seat, accepts=("choose",))
                for seat in state.players
                if seat not in state.choices
            ),
        )

    def advance(self, state: TinyState, chance: Chance) -> Emits[TinyState]:
        chosen = {seat: choice.value for seat, choice in state.choices.items() if isinstance(choice, Sealed)}
        return (
            yield Revealed(
                choices={seat: value or 0 for seat, value in chosen.items()},
                occasion=f"r{state.round}/choice/reveal",
                because=("TINY-3",),
            )
        )


@record
class RollFrame(Frame[TinyState]):
    """Throws the die that was asked for, and is done."""

    kind: ClassVar[str] = "tiny_roll"
    sides: int

    def waiting(self, state: TinyState) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: TinyState, chance: Chance) -> Emits[TinyState]:
        state, roll = yield from chance.throw(
            state,
            owner="table",
            stream="table",
            purpose={"what": "counter"},
            pool=(PoolDie(role="counter", sides=self.sides),),
        )
        return (yield Counted(by=roll.total, rolled=self.path, because=("TINY-2",)))


# --- events -------------------------------------------------------------------------------------------


@record
class TinyOpened(Event[TinyState]):
    """The game exists."""

    type: ClassVar[str] = "encounter_opened"
    encounter: str
    edition: str
    digest: str
    dice: DiceSetup
    players: tuple[str, ...]
    declared: bool

    def evolve(self, state: TinyState) -> TinyState:
        return changed(
            state,
            encounter=self.encounter,
            edition=self.edition,
            digest=self.digest,
            dice=self.dice,
            players=self.players,
            declared=self.declared,
            seats={GM: Seat(role=GM)} | {player: Seat(role="player") for player in self.players},
            round=1,
            stacks=Stacks(table=(GameFrame(path="game"),)),
        )


@record
class Counted(Event[TinyState]):
    """The counter moved."""

    type: ClassVar[str] = "counted"
    by: int
    rolled: str | None = None

    def evolve(self, state: TinyState) -> TinyState:
        state = state.popped(self.rolled) if self.rolled else state
        return changed(state, counter=state.counter + self.by)


@record
class RollBegun(Event[TinyState]):
    """A die is about to be thrown."""

    type: ClassVar[str] = "roll_begun"
    sides: int

    def evolve(self, state: TinyState) -> TinyState:
        return state.pushed(RollFrame(path="roll", sides=self.sides))


@record
class ChoiceCommitted(Event[TinyState]):
    """Somebody has chosen; what, nobody else knows."""

    type: ClassVar[str] = "choice_committed"
    seat: str

    def evolve(self, state: TinyState) -> TinyState:
        return state


@record
class Chosen(Event[TinyState]):
    """What somebody chose: for their seat alone until all have."""

    type: ClassVar[str] = "chosen"
    seat: str
    number: int

    def evolve(self, state: TinyState) -> TinyState:
        sealed = Sealed(
            audience=(f"seat:{self.seat}",), opens=f"r{state.round}/choice/reveal", value=self.number
        )
        return changed(state, choices=with_key(state.choices, self.seat, sealed))


@record
class Revealed(Event[TinyState]):
    """All have chosen: the counter moves by the sum of it."""

    type: ClassVar[str] = "revealed"
    choices: Mapping[str, int]
    occasion: str
    """What opens the envelopes of the choices for all."""

    def evolve(self, state: TinyState) -> TinyState:
        return changed(state, counter=state.counter + sum(self.choices.values()), choices=EMPTY)


@record
class Whispered(Event[TinyState]):
    """A note was passed to one seat."""

    type: ClassVar[str] = "whispered"
    to: str
    note: str

    def evolve(self, state: TinyState) -> TinyState:
        note = Sealed(audience=(f"seat:{self.to}",), opens="close", value=self.note)
        return changed(state, notes=(*state.notes, note))


@record
class Spoken(Event[TinyState]):
    """Something was said aloud."""

    type: ClassVar[str] = "spoken"
    words: str

    def evolve(self, state: TinyState) -> TinyState:
        return changed(state, spoken=(*state.spoken, f"{words_heard(state)}:{self.words}"))


def words_heard(state: TinyState) -> int:
    """Return how many notes were whispered before: it makes the order of facts matter."""
    return len(state.notes)


@record
class RoundStarted(Event[TinyState]):
    """A round begins."""

    type: ClassVar[str] = "round_started"
    round: int

    def evolve(self, state: TinyState) -> TinyState:
        return changed(state.popped("end"), round=self.round, choices=EMPTY)


# --- commands -----------------------------------------------------------------------------------------


@enforces(TINY_1)
@record
class OpenTiny(Command[TinyState]):
    """Open a game."""

    type: ClassVar[str] = "open"
    encounter: str
    edition: str
    digest: str
    dice: DiceSetup
    players: tuple[str, ...] = ("ada", "bo")
    declared: bool = False
    seeding: Seeding = Seeding()

    def check(self, view: TinyState) -> None:
        if view.encounter:
            raise Refused("already_open", "the game is open")
        check_setup(self.dice, self.seeding)

    def check_opening(self) -> tuple[tuple[str, str], ...]:
        return tuple(seeding_faults(self.seeding, dict.fromkeys(self.players, "player")))

    def decide(self, state: TinyState) -> Emits[TinyState]:
        return (
            yield TinyOpened(
                encounter=self.encounter,
                edition=self.edition,
                digest=self.digest,
                dice=self.dice,
                players=self.players,
                declared=self.declared,
            )
        )


@record
class Add(Command[TinyState]):
    """Move the counter by a number of one to nine."""

    type: ClassVar[str] = "add"
    amount: int

    def check(self, view: TinyState) -> None:
        if not 1 <= self.amount <= 9:
            raise Refused("amount_out_of_range", f"{self.amount} is not 1 to 9", "TINY-2")

    def decide(self, state: TinyState) -> Emits[TinyState]:
        return (yield Counted(by=self.amount, because=("TINY-2",)))


@record
class Roll(Command[TinyState]):
    """Move the counter by a die."""

    type: ClassVar[str] = "roll"
    sides: int = 6

    def check(self, view: TinyState) -> None:
        if not isinstance(view.top, GameFrame):
            raise Refused("busy", "a die is in the air", "TINY-2")

    def decide(self, state: TinyState) -> Emits[TinyState]:
        return (yield RollBegun(sides=self.sides, because=("TINY-2",)))


@record
class Choose(Command[TinyState]):
    """Choose a number in secret; when all have, they are revealed together."""

    type: ClassVar[str] = "choose"
    number: int
    seat: str = ""

    def check(self, view: TinyState) -> None:
        if self.by.seat not in view.players:
            raise Refused("not_a_player", f"{self.by.seat} does not play", "TINY-3")
        if self.by.seat in view.choices:
            raise Refused("already_chosen", f"{self.by.seat} has already chosen", "TINY-3")

    def decide(self, state: TinyState) -> Emits[TinyState]:
        state = yield ChoiceCommitted(seat=self.by.seat, because=("TINY-3",))
        chosen = Chosen(seat=self.by.seat, number=self.number, because=("TINY-3",))
        return (yield Private(scope=self._scope(state), event=chosen))

    def _scope(self, state: TinyState) -> Scope:
        return Scope(audience=(f"seat:{self.by.seat}",), opens=f"r{state.round}/choice/reveal")

    def scope(self, state: TinyState) -> Scope | None:
        return self._scope(state)

    @classmethod
    def offers(cls, view: TinyState, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, prompt=awaited.prompt, choices={"number": (1, 2, 3)})


@record
class Whisper(Command[TinyState]):
    """Pass notes to seats, one after the other, and say something aloud after each."""

    type: ClassVar[str] = "whisper"
    to: tuple[str, ...]
    note: str

    def check(self, view: TinyState) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", "TINY-4")

    def decide(self, state: TinyState) -> Emits[TinyState]:
        for seat in self.to:
            scope = Scope(audience=(f"seat:{seat}",), opens="close")
            event = Whispered(to=seat, note=self.note, because=("TINY-4",))
            state = yield Private(scope=scope, event=event)
            state = yield Spoken(words=f"psst {seat}", because=("TINY-4",))
        return state


@record
class EndRound(Command[TinyState]):
    """End the round and disclose its dice; with *last* a die is thrown just before and one just after."""

    type: ClassVar[str] = "end_round"
    last: bool = False

    def check(self, view: TinyState) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", "TINY-5")

    def decide(self, state: TinyState) -> Emits[TinyState]:
        return (yield RoundEnding(last=self.last, because=("TINY-5",)))


@record
class RoundEnding(Event[TinyState]):
    """The round is about to end."""

    type: ClassVar[str] = "round_ending"
    last: bool

    def evolve(self, state: TinyState) -> TinyState:
        return state.pushed(EndFrame(path="end", last=self.last))


@record
class EndFrame(Frame[TinyState]):
    """Closes the epoch and begins a round."""

    kind: ClassVar[str] = "tiny_end"
    last: bool

    def waiting(self, state: TinyState) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: TinyState, chance: Chance) -> Emits[TinyState]:
        if self.last:
            state = yield from _die(state, chance)
        state = yield from close_epoch(state, chance)
        if self.last:
            state = yield from _die(state, chance)
        return (yield RoundStarted(round=state.round + 1, because=("TINY-5",)))


def _die(state: TinyState, chance: Chance) -> Emits[TinyState]:
    state, roll = yield from chance.throw(
        state,
        owner="table",
        stream="table",
        purpose={"what": "last"},
        pool=(PoolDie(role="counter", sides=20),),
    )
    return (yield Counted(by=roll.total, because=("TINY-5",)))


@record
class Burst(Command[TinyState]):
    """Do to whoever decides it what a poisonous command would."""

    type: ClassVar[str] = "burst"
    how: Literal["raise", "kill", "loop"]

    def check(self, view: TinyState) -> None:
        pass

    def decide(self, state: TinyState) -> Emits[TinyState]:
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        while self.how == "loop":
            pass
        yield from ()
        raise AssertionError("burst")


COMMANDS = (
    *(Add, Roll, Choose, Whisper, EndRound, Burst),
    *shared.COMMANDS,
)
EVENTS = (
    *(
        TinyOpened,
        Counted,
        RollBegun,
        ChoiceCommitted,
        Chosen,
        Revealed,
        Whispered,
        Spoken,
        RoundStarted,
        RoundEnding,
    ),
    *shared.EVENTS,
)

TINY: Ruleset[TinyState] = Ruleset(
    edition=EDITION,
    title="Tiny",
    blank=TinyState(),
    opening=OpenTiny,
    commands={command.type: command for command in COMMANDS},  # type: ignore[misc]  # commands of any table are this one's
    events={event.type: event for event in EVENTS},  # type: ignore[misc]  # as above
    options={"nothing": OptionSpec(key="nothing", values=("no",), settles="", text="")},
    packages=("tests.support.tiny_game",),
    frames=(GameFrame, RollFrame, EndFrame),
)
SHELF = {EDITION: TINY}
