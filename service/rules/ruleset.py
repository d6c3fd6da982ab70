"""Run any ruleset: decide a command, fold facts to a state, list what is legal.

This file does not know which ruleset it runs. A refusal changes nothing and throws no dice. Legality is
judged on the seat's view, so a command is never refused because of what its seat cannot see.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import GeneratorType
from typing import Any, Final, Generic, TypeVar

from service.rules.house_options import OptionSpec
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.families import Families
from service.rules.kernel.folding import combinations
from service.rules.kernel.messages import (
    TABLE,
    Actor,
    Awaited,
    Command,
    Event,
    Fact,
    Offer,
    Private,
    QuestionNeeded,
    Refused,
    Scope,
    Sentence,
)
from service.rules.kernel.meter import DECIDING, READING, TOO_MUCH_WORK, Meter, TooMuchWork, spend
from service.rules.kernel.records import EMPTY, changed, derived, record
from service.rules.kernel.rulebook import RULING, Rule, enforces, rule_of
from service.rules.kernel.sealed import EnvelopeClosed, view
from service.rules.rolls.asking import DiceFrame, ThrowDice, ask, withdraw
from service.rules.rolls.chance import (
    DICE_NOT_SEALED,
    Chance,
    DiceNeeded,
    DieUnknown,
    UnknownDice,
    UnsealedDice,
)
from service.rules.rolls.epochs import DICE_MOVED
from service.rules.rolls.seeding import owed_seeds
from service.rules.secrecy.choices import SealChoice, refuse_unsealed
from service.rules.secrecy.gm_only import guarded, knows_more, refuse_without_reason, revealing
from service.rules.secrecy.hidden_creatures import reveal_discovered
from service.rules.shared import FRAMES
from service.rules.table.carried import TABLE_CARRY_1, Carried, CarriedFrom, Carrying
from service.rules.table.counted import UNCOUNTED, Counted
from service.rules.table.library import LibraryEntry, SheetGroup
from service.rules.table.short_view import BattleMap, CreatureToken
from service.rules.table.stack import Frame
from service.rules.table.table import CLOCK, WATCHERS, Table
from service.rules.table.unchanged import is_act, is_same, unchanged
from service.rules.table.unprompted import SHARED as UNPROMPTED
from service.rules.table.unprompted import Unprompted

TABLE_BATCH_1: Final = Rule(
    "TABLE-BATCH-1",
    "After a refusal in an array of commands the rest is refused too, unless the array asks otherwise.",
    RULING,
)

TABLE_WORK_1: Final = Rule(
    "TABLE-WORK-1",
    "A command that takes more work than the service allows any command is refused, and changes nothing.",
    RULING,
)

S = TypeVar("S", bound=Table)

OFFER_STEPS: Final = 3
"""The steps of an offer, beside those of the values that it lists."""

LISTED_OF_A_STEP: Final = 16
"""The values that an offer lists in a step."""

FACT_STEPS: Final = 3
"""The steps of work (`kernel/meter.py`) of a fact, and of a frame that advances."""


@dataclass(frozen=True, eq=False)
class Ruleset(Generic[S]):
    """One edition of a rulebook: its messages and options. An encounter keeps the edition it opened with.

    Two rulesets are equal if they are the same object, so one can be the key of a cache.
    """

    edition: str
    title: str
    blank: S
    """The state before the opening; it has the ruleset's families."""
    opening: type[Command[S]]
    commands: Mapping[str, type[Command[S]]]
    events: Mapping[str, type[Event[S]]]
    options: Mapping[str, OptionSpec]
    packages: tuple[str, ...]
    """Dotted names of the packages whose sources make up the ruleset's digest."""
    summary: str = ""
    """How it is played, in one sentence, for those who choose a book."""
    frames: tuple[type[Frame[Any]], ...] = ()
    """The ruleset's own kinds of frames; those of the table are added."""
    kinds: Mapping[type, tuple[type, ...]] = EMPTY
    """The members of the ruleset's other families, by head."""
    tokens: Callable[[S], tuple[CreatureToken, ...]] = lambda _: ()
    """Returns the creatures of a seat's view."""
    part: Callable[[S], str] = lambda _: ""
    """Names the part of the round that a seat's view shows as played now, such as a phase; empty for none."""
    battle_map: Callable[[S], BattleMap] = lambda _: BattleMap()
    """Returns the map of a seat's view."""
    counted: Counted = UNCOUNTED
    """Names the events that statistics of creatures count."""
    sentences: Mapping[str, Sentence] = EMPTY
    """Sentences by type of event; empty for one that others make visible (see `core/sentences.py`)."""
    telling: tuple[str, ...] = ()
    """Types of events that say what came of a command, the most important first; answers name these."""
    answer: Callable[[Sequence[Mapping[str, Any]], Mapping[str, str]], str] = lambda _events, _names: ""
    """Says in one sentence why the events of a commit happened, with creatures' names by id; empty for none.

    The events are as a seat sees them, with sealed fields closed.
    """
    sheet_groups: tuple[SheetGroup, ...] = ()
    """The fields of a creature's sheet as people read them; those that no group names come last."""
    spaces: Mapping[str, int] = EMPTY
    """How many cells a creature fills along one side, by the size on its sheet; one, where none is named."""
    library: Callable[[], tuple[LibraryEntry, ...]] = tuple
    """Returns what the book has by name: stat blocks, weapons, abilities, conditions, sample fights."""
    unprompted: tuple[Unprompted, ...] = UNPROMPTED
    """The commands that answer no prompt, in the order in which people read them."""
    carrying: Carrying | None = None
    """How characters are carried from encounter to encounter; None if they are not."""

    def __post_init__(self) -> None:
        families = Families({Frame: (*FRAMES, *self.frames), **self.kinds})
        object.__setattr__(self, "blank", changed(self.blank, families=families))

    @property
    def families(self) -> Families:
        """What its data is read with: the members of all its families."""
        return self.blank.families


def records_sent(ruleset: Ruleset[Any]) -> tuple[type, ...]:
    """Return the records that clients send: commands, the opening among them, and carried characters."""
    carried = () if ruleset.carrying is None else (ruleset.carrying.kind,)
    return (*ruleset.commands.values(), *carried)


@record
class Refusal:
    """Why a command was refused, as the record has it."""

    code: str
    detail: str
    rule: str | None


@record
class Decision(Generic[S]):
    """The outcome of a command: its facts or its refusal, and the state after it."""

    state: S
    facts: tuple[Fact[S], ...] = ()
    refusal: Refusal | None = None
    scope: Scope | None = None
    stuck_at: str = ""
    """For the author of a ruleset: the kind of the frame that took too much work; no record has it."""

    @property
    def outcome(self) -> str:
        """`sealed` inside a sealed scope, otherwise `accepted` or `refused`."""
        if self.scope:
            return "sealed"
        return "refused" if self.refusal else "accepted"


class _DecisionRecorder(Generic[S]):
    """Collects the facts of a decision, and the state after them."""

    def __init__(self, state: S) -> None:
        self.state = state
        self.facts: list[Fact[S]] = []
        self.advancing = ""
        """The kind of the frame that advances."""

    def play(self, tale: Generator[Fact[S], S, object], place: str = TABLE) -> None:
        """Collect all facts that *tale* emits at *place*, or none of them if it raises."""
        start, before = len(self.facts), self.state
        try:
            self._tell(tale, place)
            self.meet(before)
        except BaseException:
            del self.facts[start:]
            self.state = before
            raise

    def _tell(self, tale: Generator[Fact[S], S, object], place: str) -> None:
        scope = self.state.scope_at(place)
        assert isinstance(tale, GeneratorType), f"decide or advance returns {tale!r} and yields no event"
        try:
            fact = next(tale)
            while True:
                spend(FACT_STEPS)
                event = fact.event if isinstance(fact, Private) else fact
                if isinstance(event, Event):
                    assert event.because, f"no rule speaks for {event.type}: no because, and no @enforces"
                    kind: Any = type(event)
                    if revealing(kind):
                        fact = guarded(self.state.at(place), fact)
                if scope is not None:
                    assert not isinstance(fact, Private), f"what {place} does is private as a whole"
                    fact = Private(scope=scope, event=fact)
                state = fact.evolve(self.state)
                assert state is not None, f"evolve of {type(event).__name__} returns None and not the state"
                self.state = state
                self.facts.append(fact)
                fact = tale.send(state if place == TABLE else state.at(place))
        except StopIteration:
            return

    def meet(self, before: S) -> None:
        """Reveal each hidden creature whose space another creature entered since *before*."""
        while (met := self.state.trespass(before)) is not None:
            self.play(reveal_discovered(self.state, *met))

    def settle(self, chance: Chance) -> None:
        """Advance every stack until all are empty or wait: the groups' first, then the table's."""
        before = -1
        while before != len(self.facts):
            before = len(self.facts)
            for place in (*self.state.apart, TABLE):
                if place == TABLE or place in self.state.apart:
                    self.come_to_rest(chance, place)
            if not self.state.apart:
                return

    def ask_again(self, before: S, chance: Chance) -> None:
        """Withdraw dice that were asked for *before* and still are, where the step below needs others now."""
        for place in (*self.state.apart, TABLE):
            asked = _asked(self.state, place)
            if asked is None or asked != _asked(before, place) or is_same(before, self.state):
                continue
            start, state = len(self.facts), self.state
            self.play(withdraw(asked), place)
            self.come_to_rest(chance, place)
            if len(self.facts) == start + 2 and self.state.at(place).top == asked:  # it asks for the same
                del self.facts[start:]
                self.state = state

    def come_to_rest(self, chance: Chance, place: str) -> None:
        """Advance the stack of *place* until it is empty or waits.

        Raises `AssertionError` for a frame that emits nothing, because it would do so for ever.
        """
        while True:
            state = self.state.at(place)
            frame = state.top
            if frame is None or frame.waits(state):
                return
            self.advancing = type(frame).__name__
            spend(FACT_STEPS)
            before = len(self.facts)
            try:
                self.play(frame.advance(state, chance), place)
            except DiceNeeded as wanted:
                self.play(ask(state, wanted), place)
            except QuestionNeeded as stopped:
                self.play(stopped.tell(state), place)
            assert len(self.facts) > before, (
                f"the stack of {place} does not come to rest: {self.advancing} neither waits nor is popped"
            )


def _asked(state: Table, place: str) -> DiceFrame | None:
    """Return what asks for dice at *place*, None if nothing does."""
    top = state.at(place).top if place in (*state.apart, TABLE) else None
    return top if isinstance(top, DiceFrame) else None


def decide(state: S, command: Command[S], chance: Chance, batch: str | None = None) -> Decision[S]:
    """Decide *command* on *state*; the same arguments and the same dice give the same decision.

    *batch* is the id of the command's array, if a refusal in it stops the rest. A decision has `DECIDING`
    steps of work.
    """
    scope: Scope | None = None
    with Meter(DECIDING):
        try:
            scope = command.scope(state)
            admit(state, command, batch)
        except Refused as refused:
            return _refused(state, refused, scope, batch)
        except TooMuchWork as fault:
            return _refused(state, _too_much(fault), scope, batch)
        tape = _DecisionRecorder(state)
        try:
            place, _ = _checked(state, command)
            tape.play(command.decide(state.at(place)), place)
            tape.settle(chance)
            if type(command) is not ThrowDice:
                tape.ask_again(state, chance)
                tape.settle(chance)
            has_said = not state.edition or any(is_act(fact, place) for fact in tape.facts)
            if not has_said and is_same(state, tape.state):  # an opening says that there is a fight
                tape.play(unchanged(type(command).type), place)
        except TooMuchWork as fault:
            stopped = _refused(state, _too_much(fault), scope, batch)
            return changed(stopped, stuck_at=tape.advancing)
        except Refused as refused:
            is_open = scope is None and refused.code not in (DICE_NOT_SEALED, DICE_MOVED)
            is_kept = is_open and knows_more(state, command.by)
            return _refused(state, refuse_without_reason() if is_kept else refused, scope, batch)
    assert tape.state.families is state.families, "the opening must change the blank state, not replace it"
    return Decision(state=tape.state, facts=tuple(tape.facts), scope=scope)


@enforces(TABLE_WORK_1)
def _too_much(fault: TooMuchWork) -> Refused:
    """Return the refusal of a command whose work has reached its limit."""
    detail = f"deciding it takes more than {fault.limit} steps of work"
    return Refused(TOO_MUCH_WORK, detail, TABLE_WORK_1.id)


def _refused(state: S, refused: Refused, scope: Scope | None, batch: str | None) -> Decision[S]:
    """Return the decision that a command is refused, which also stops *batch*, if there is one."""
    refusal = Refusal(code=refused.code, detail=refused.detail, rule=refused.rule)
    after = changed(state, stopped=batch) if batch else state
    return Decision(state=after, refusal=refusal, scope=scope)


def _checked(state: S, command: Command[S], worlds: Mapping[str, S] = EMPTY) -> tuple[str, S]:
    """Return the place where *command* is decided, and its seat's view of it, that of *worlds* first.

    Raises `Refused` if the command is not legal there.
    """
    seen = view(state, command.by.seat)
    refuse_unsealed(seen, command)
    place = command.place(seen)
    local = worlds[place] if place in worlds else seen.at(place)
    try:
        command.check(local)
    except Refused as refused:
        refused.rule = refused.rule or rule_of(type(command).check)
        raise
    return place, local


@enforces(TABLE_BATCH_1)
def admit(state: Table, command: Command[Any], batch: str | None = None) -> None:
    """Raise `Refused` for a closed encounter, a stopped batch, and a seat that is unknown or only watches."""
    if state.continued is not None:
        raise Refused("encounter_continued", f"it continues as {state.continued}", "TABLE-AMEND-3")
    if state.closed:
        raise Refused("encounter_over", "the encounter is closed and takes no more commands", "TABLE-CLOSE-1")
    if batch and batch == state.stopped:
        raise Refused("skipped", "an earlier command of the array was refused", "TABLE-BATCH-1")
    seat = state.seats.get(command.by.seat)
    if seat is None:
        if state.encounter and command.by != Actor(seat=CLOCK, role=CLOCK):
            raise Refused("no_such_seat", f"there is no seat {command.by.seat}", "TABLE-SEAT-1")
    elif seat.closed or seat.role in WATCHERS:
        raise Refused("seat_cannot_act", f"the seat {command.by.seat} only watches", "TABLE-SEAT-1")
    elif command.by.role != seat.role:
        detail = f"the seat {command.by.seat} is of the role {seat.role}"
        raise Refused("other_role", detail, "TABLE-SEAT-1")


def check(state: S, command: Command[S]) -> None:
    """Raise `Refused` if the rules refuse *command* in *state*.

    The API calls this before it appends a command of a sealed scope.
    """
    with _as_one_decision():
        admit(state, command)
        _checked(state, command)


@contextmanager
def _as_one_decision() -> Iterator[None]:
    """Give what is done inside the steps of a decision, and raise `Refused` if it takes more."""
    try:
        with Meter(DECIDING):
            yield
    except TooMuchWork as fault:
        raise _too_much(fault) from fault


class ChecksInOrder(Generic[S]):
    """Checks commands of one array, each on what its seat knows once those before it have happened.

    Only the worlds of groups that act apart go on, and only by what is certain: a command that throws a die,
    or depends on what the seat may not read, leaves its world as it was. So a refusal tells a seat nothing
    that it does not know.
    """

    def __init__(self, state: S) -> None:
        self._state = state
        self._worlds: dict[str, S] = {}
        self._last: tuple[Command[S], str, S] | None = None
        """The command that was checked last, its place, and the seat's view of that place."""

    def check(self, command: Command[S]) -> None:
        """Raise `Refused` if the rules refuse *command*, which comes after those that were checked."""
        with _as_one_decision():
            admit(self._state, command)
            self._go_on()
            self._last = (command, *_checked(self._state, command, self._worlds))

    def _go_on(self) -> None:
        """Take the last command as having happened in its world, if what comes of it is certain."""
        if self._last is None or self._last[1] == TABLE:
            return
        command, place, local = self._last
        tape = _DecisionRecorder(local)
        try:
            tape.play(command.decide(local), place)
            tape.come_to_rest(Chance(UnknownDice()), place)
        except (DieUnknown, EnvelopeClosed):
            return
        self._worlds[place] = tape.state


def fold(state: S, facts: Iterable[Fact[S]]) -> S:
    """Return *state* with all *facts* true in it, in their order."""
    for fact in facts:
        state = fact.evolve(state)
    return state


@enforces(TABLE_CARRY_1)
def carried(ruleset: Ruleset[S], state: S, creature: str, carried_from: CarriedFrom) -> Carried:
    """Return *creature* as it is carried to another encounter; raises `Refused` while it cannot be."""
    if ruleset.carrying is None:
        raise Refused("not_carriable", f"{ruleset.edition} carries no characters", "TABLE-CARRY-1")
    return ruleset.carrying.carry(state, creature, carried_from)


def waiting(state: Table) -> tuple[Awaited, ...]:
    """Return every awaited answer: the table's, then those of each group whose world *state* may read."""
    owed = tuple(awaited for local in _places(state) for awaited in _owed_in(local))
    return (*owed_seeds(state), *owed)


def _places(state: S) -> Iterator[S]:
    yield state
    for place in state.apart:
        yield state.at(place)


def _owed_in(local: Table) -> tuple[Awaited, ...]:
    """Return what the top frame of *local* waits for; asked several times of the state after a commit."""
    return derived(local, "owed", _owed_by_top)


def _owed_by_top(local: Table) -> tuple[Awaited, ...]:
    frame = local.top
    return frame.waiting(local) if frame is not None else ()


def asked(state: S, seat: str) -> Iterator[tuple[S, Awaited]]:
    """Yield each answer that *seat* owes or may give, with the seat's view of the place that waits for it."""
    mine = view(state, seat)
    places = ((local, (*_owed_in(local), *local.optional_prompts())) for local in _places(mine))
    for seen, owed in ((mine, owed_seeds(mine)), *places):
        yield from ((seen, awaited) for awaited in owed if awaited.seat == seat)


def legal(
    ruleset: Ruleset[S],
    state: S,
    seat: str,
    wanted: Callable[[Awaited], Iterable[str]] = lambda each: each.accepts,
) -> Iterator[tuple[Awaited, tuple[Offer, ...]]]:
    """Yield each answer that *seat* owes or may give, with every legal command of the types *wanted*.

    All of them have `READING` steps of work; raises `TooMuchWork` beyond.
    """
    meter = Meter(READING, is_lenient=True)
    with meter:
        every = tuple(asked(state, seat))
    for seen, awaited in every:
        names = tuple(wanted(awaited))
        if awaited.accepts and not names:
            continue
        with meter:
            offers = tuple(_offers(ruleset, seen, awaited, names))
            if not state.dice_sealed:
                offers = tuple(_without_dice(ruleset, state, seat, offers))
        yield awaited, offers


def legal_types(
    ruleset: Ruleset[S], state: S, seat: str, wanted: Callable[[Awaited], Iterable[str]]
) -> Iterator[tuple[Awaited, tuple[str, ...]]]:
    """Yield each answer that *seat* owes or may give, with the types *wanted* of which a command is legal.

    Of each type one offer is made and no more. Raises `TooMuchWork` as `legal` does.
    """
    meter = Meter(READING, is_lenient=True)
    with meter:
        every = tuple(asked(state, seat))
    for seen, awaited in every:
        names = tuple(wanted(awaited))
        if awaited.accepts and not names:
            continue
        with meter:
            found = tuple(
                [name for name in names if _is_offered(ruleset, state, seat, (seen, awaited), name)]
            )
        yield awaited, found


def _is_offered(ruleset: Ruleset[S], state: S, seat: str, place: tuple[S, Awaited], name: str) -> bool:
    """Return whether a command *name* is offered for the answer that *place* awaits."""
    offers = _offers(ruleset, *place, (name,))
    return any(True for _ in (offers if state.dice_sealed else _without_dice(ruleset, state, seat, offers)))


def _offers(ruleset: Ruleset[S], seen: S, awaited: Awaited, names: Iterable[str]) -> Iterator[Offer]:
    """Yield the offers of the commands *names* for *awaited*; a commitment names what it may commit to."""
    for name in names:
        for offer in ruleset.commands[name].offers(seen, awaited):
            spend(
                OFFER_STEPS + sum([_listed(choice) for choice in offer.choices.values()]) // LISTED_OF_A_STEP
            )
            if awaited.seals and name == SealChoice.type:
                yield changed(offer, seals=tuple(_offers(ruleset, seen, awaited, awaited.seals)))
            else:
                yield offer


def _listed(choice: Sequence[Any]) -> int:
    """Return how many values *choice* lists; a compact one lists none."""
    return len(choice) if isinstance(choice, tuple | list) else 0


# --- before the dice are sealed --------------------------------------------------------------------------


def needs_dice(state: S, command: Command[S]) -> bool:
    """Return whether *command* would throw a die although the dice are not sealed yet."""
    if state.dice_sealed:
        return False
    refusal = decide(state, command, Chance(UnsealedDice())).refusal
    return refusal is not None and refusal.code == DICE_NOT_SEALED


def _without_dice(ruleset: Ruleset[S], state: S, seat: str, offers: Iterable[Offer]) -> Iterator[Offer]:
    """Yield the combinations of *offers* that need no dice, each as an offer without choices.

    Those of `combinations` are tried.
    """
    role = state.seats[seat].role if seat in state.seats else seat
    by = Actor(seat=seat, role=role)
    for offer in offers:
        names = tuple(offer.choices)
        for chosen in combinations(*offer.choices.values()):
            given = {**offer.given, **dict(zip(names, chosen, strict=True))}
            one = changed(offer, given=given, choices={})
            try:
                data = offered_data(ruleset, changed(one, given={**offer.written, **given}))
                command = from_data(ruleset.commands[one.type], data, families=ruleset.families, by=by)
            except Malformed:  # a face is missing, which no offer can contain
                yield one
                continue
            if not needs_dice(state, command):
                yield one


def offered_data(ruleset: Ruleset[S], offer: Offer) -> dict[str, Any]:
    """Return the data of the command that *offer* describes, without what is to choose."""
    kind: Any = ruleset.commands[offer.type]
    taken = kind.__dataclass_fields__
    places = {"creature": offer.creature, "prompt": offer.prompt}
    filled: dict[str, Any] = {name: at for name, at in places.items() if at is not None and name in taken}
    spelled: dict[str, Any] = to_data({**filled, **offer.given})
    return spelled
