"""The base classes of every ruleset's messages: commands, events and refusals.

A command class defines how it is checked and decided, an event class what it changes; a class without these
methods cannot be imported. A decision is a generator that yields events and receives the state after each of
them (`state = yield Moved(...)`). No generator lives longer than one command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Final, Generic, Self, TypeAlias, TypeVar

from service.dice.values import Roll
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.sealed import view
from service.rules.kernel.values import Code, CreatureId, Occasion, PromptId, Reader, RuleId, SeatId

S = TypeVar("S")

TABLE: Final = "table"
"""The place where everybody plays; every other place is a group's id."""


class Refused(Exception):
    """The rules do not allow the command: a code for machines, and a lower-case detail for people."""

    def __init__(self, code: str, detail: str, rule: str | None = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.rule = rule


class QuestionNeeded(Exception):
    """A step needs a player's decision first: its events are discarded, and `tell` emits the question."""

    def tell(self, state: Any) -> Generator[Any, Any, Any]:  # noqa: ANN401 - of any ruleset
        """Emit the question; it must leave a frame that waits, and the step runs again after the answer."""
        raise NotImplementedError


@record
class Actor:
    """The sender of a command: a seat of the encounter and its role."""

    seat: SeatId
    role: Code


@record
class Way:
    """The way that a movement would take, as its seat foresees it: nobody answers, and no die is thrown."""

    path: tuple[tuple[int, int], ...]
    """The cells in order, without the one where it begins."""
    feet: int
    """What it costs of the speed."""
    provokes: tuple[CreatureId, ...] = ()
    """Who may strike at the mover on it, in the order of the way."""


@record
class Scope:
    """A sealed scope: who reads what is decided inside it, and which occasion opens it for all."""

    audience: tuple[Reader, ...]
    opens: Occasion
    at: Code = TABLE
    """The place where its events apply: the table, or the world of a group that acts apart."""


@record
class Awaited:
    """An awaited answer: which seat gives it, for which creature, and with which commands."""

    prompt: PromptId
    """The path of the frame that waits and who must answer, as `r1/e1/stance/pia`; it contains no counter."""
    seat: SeatId
    """The seat that must answer; empty if others may not know it."""
    accepts: tuple[Code, ...]
    creature: CreatureId | None = None
    optional: bool = False
    """Whether play can also go on without this seat's answer, when another seat acts."""
    wants: tuple[Code, ...] = ()
    """The dice to throw, as `role:dN`, if the answer is the faces of dice."""
    seals: tuple[Code, ...] = ()
    """The commands among which the seat chooses, if it answers with a commitment to one of them."""


Sentence: TypeAlias = str | Mapping[str, str]
"""A pattern, or patterns by the value of a field: the first key that holds, such as `verb=draw`, or for a tie
`mine={theirs}`, else the key without a text. `{name}` is a field. A part in brackets falls away if a field in
it is empty or no."""


@record
class Offer:
    """A command that is legal now, with the values each parameter may take; every combination is accepted."""

    type: Code
    creature: CreatureId | None = None
    prompt: PromptId | None = None
    given: Mapping[Code, Any] = EMPTY
    """Parameters that have exactly this value in the offer."""
    choices: Mapping[Code, Sequence[Any]] = EMPTY
    """Parameters to choose: one of the values of a tuple, or of a compact choice (`compact.py`)."""
    written: Mapping[str, Any] = EMPTY
    """Parameters that a person writes, each with a value that is accepted, which bots send."""
    seals: tuple[Offer, ...] = ()
    """The commands to one of which this one commits; they are not accepted themselves."""
    about: Any = None
    """A record of what it answers, for its sentence alone: `{about_amount}` is the amount of that."""


@record
class Event(Generic[S]):
    """One fact, in the past tense, with the rules that made it true."""

    type: ClassVar[str]
    divides: ClassVar[bool] = False
    """Whether groups react to it: their events after it form another sealed part than those before it."""
    plays: ClassVar[bool] = True
    """Whether it changes the fight, and not only seats, contests or amendments."""
    acts: ClassVar[bool] = False
    """Whether it says something even where the state stays as it was, such as words that are spoken."""
    decides: ClassVar[str] = ""
    """The kind of decision of the gm or the host that it records, outside the rules; audits list it."""
    sentence: ClassVar[Sentence] = ""
    """What a terminal shows. Empty to show the type and the fields."""
    because: tuple[RuleId, ...] = ()
    """The ids of the rules and of the ambiguity rulings that caused it."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        complete(cls, "type", "evolve")

    def evolve(self, state: S) -> S:
        """Return *state* with this fact true in it; an event never fails and never asks a question."""
        raise NotImplementedError


@record
class Rolled(Generic[S]):
    """A roll that was thrown: logged with the commit, and counted so that the next has its own place."""

    roll: Roll

    def evolve(self, state: S) -> S:
        """Return *state* with the roll counted under its stream."""
        counted: S = state.counted(self.roll.name)  # type: ignore[attr-defined]  # every state is a Table; importing it here would be a circle
        return counted


@record
class Private(Generic[S]):
    """An event that only its audience reads until the occasion that opens it."""

    scope: Scope
    event: Event[S] | Rolled[S]

    def evolve(self, state: S) -> S:
        """Return *state* with the fact true where its scope says; at the table it stores it `Sealed`."""
        return evolve_at(state, self.scope.at, self.event)


def evolve_at(state: S, place: str, fact: Event[S] | Rolled[S]) -> S:
    """Return *state* with *fact* true at *place*."""
    if place == TABLE:
        return fact.evolve(state)
    table: Any = state
    after: S = table.with_at(place, fact.evolve(table.at(place)))
    return after


Fact: TypeAlias = Event[S] | Private[S] | Rolled[S]
Emits: TypeAlias = Generator[Fact[S], S, S]
"""A generator of a decision's events; it returns the state after all of them."""


@record
class Command(Generic[S]):
    """A request to change the fight, in the imperative. Its docstring is its text in the API."""

    type: ClassVar[str]
    sentence: ClassVar[Sentence] = ""
    """What an offer of it says, in the imperative; a part in brackets also falls away if a field in it is
    still to be chosen. Empty for the words of its type and of its fields."""
    notes: ClassVar[Mapping[str, str]] = EMPTY
    """What a person writes in a field that an offer asks for, where the field's docstring says more."""
    passes: ClassVar[bool] = False
    """Whether it lets the moment go by: who sends it does nothing, or nothing more."""
    bounded: ClassVar[bool] = True
    """Its data is read within the bounds of its fields; that of a command of the service's own is not."""
    by: Actor = field(metadata={"given": False})

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        complete(cls, "type", "check", "decide")

    def check(self, view: S) -> None:
        """Raise `Refused` unless the command is legal on the seat's *view*."""
        raise NotImplementedError

    def decide(self, state: S) -> Emits[S]:
        """Emit the immediate events; frames that they leave on the stack roll the dice."""
        raise NotImplementedError

    def completed(self, kept: Callable[[Any], Any]) -> Self:
        """Return the command with the sealed values that its request does not carry, read by *kept*."""
        return self

    def place(self, view: S) -> str:
        """Return the place, the table or a group, where the command is decided, from its seat's *view*."""
        return TABLE

    def scope(self, state: S) -> Scope | None:
        """Return the sealed scope of this command, by default that of its place; None if it is open."""
        table: Any = state  # every state is a Table, as in Rolled
        if not table.apart:
            return None
        found: Scope | None = table.scope_at(self.place(view(state, self.by.seat)))
        return found

    def foresee(self, view: S) -> Way | None:
        """Return the way that it would take, on the seat's *view*; None for what is no movement.

        Only a command that `check` accepts is asked.
        """
        return None

    @classmethod
    def offers(cls, view: S, awaited: Awaited) -> Iterator[Offer]:
        """Yield each way in which this command may answer *awaited*."""
        yield from ()


def complete(cls: type, *members: str) -> None:
    """Raise `TypeError` if a message class lacks one of *members*, unless it has `abstract = True`."""
    if vars(cls).get("abstract") or inspect.isabstract(cls):
        return
    for member in members:
        found = next((vars(base)[member] for base in cls.__mro__ if member in vars(base)), None)
        missing = found is None or found in (vars(Event).get(member), vars(Command).get(member))
        if missing:
            text = f"{cls.__name__} lacks {member}"
            raise TypeError(text)


@record
class Answering(Command[S]):
    """An answer to what is asked, with nothing to choose in it but whether to give it."""

    abstract: ClassVar[bool] = True

    @classmethod
    def offers(cls, view: S, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)


@record
class Noted(Event[S]):
    """A fact that the record keeps and that changes nothing in the state."""

    abstract: ClassVar[bool] = True
    acts: ClassVar[bool] = True

    def evolve(self, state: S) -> S:
        return state
