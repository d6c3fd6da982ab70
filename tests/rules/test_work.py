"""A ruleset that loops harms nobody: its command is refused, everywhere alike, and its reads are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, ClassVar, Final, Literal, get_args

import pytest

from service.core.decide import decide_request
from service.rules import kit
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.meter import DECIDING, READING, TOO_MUCH_WORK, Meter, TooMuchWork
from service.rules.rise import RISE
from service.rules.ruleset import LISTED_OF_A_STEP, OFFER_STEPS, Ruleset, legal
from service.rules.space.grid import ends_within, free_place, line, reachable, way_to
from service.simulation.table import LocalTable, secrets_of
from tests.rules.rise.forty import forty, next_step
from tests.support.recorded_fight import Record

RULES: Final = kit.Book("Loops").at("Rules")
LOOP_1: Final = kit.Rule("LOOP-1", "What is begun never ends.", RULES)

Loop = Literal["events", "frames", "dice", "flood", "way", "ends", "push", "place", "waiting"]
FAR: Final = 10**9


@kit.record
class State(kit.Table):
    """A game that counts how often it turned."""

    turns: int = 0

    def has_creature(self, creature: str) -> bool:
        return True


@kit.record
class Opening(kit.Opening):
    """Begin it."""

    def creature_ids(self) -> tuple[str, ...]:
        return ("ann",)

    def begin(self) -> State:
        return State(round=1).pushed(Waiting(path="game"))


@kit.record
class Waiting(kit.Frame[State]):
    """Wait for the next loop."""

    kind: ClassVar[str] = "waiting"

    def waiting(self, state: State) -> tuple[kit.Awaited, ...]:
        return (kit.Awaited(prompt="game", seat=kit.GM, accepts=("loop", "offer"), creature="ann"),)


@kit.record
class Searching(kit.Frame[State]):
    """Search before it says for whom it waits."""

    kind: ClassVar[str] = "searching"

    def waiting(self, state: State) -> tuple[kit.Awaited, ...]:
        return (kit.Awaited(prompt=str(len(searched())), seat=kit.GM, accepts=("loop",)),)


@kit.record
class Turning(kit.Frame[State]):
    """Turn for ever."""

    kind: ClassVar[str] = "turning"
    dice: bool = False

    def advance(self, state: State, chance: kit.Chance) -> kit.Emits[State]:
        if self.dice:
            state, _ = yield from chance.throw(
                state, owner="table", stream="table", purpose={}, pool=(kit.PoolDie(role="turn", sides=6),)
            )
        return (yield Turned(because=("LOOP-1",)))


@kit.record
class Turned(kit.Event[State]):
    """It turned once more."""

    type: ClassVar[str] = "turned"

    def evolve(self, state: State) -> State:
        return kit.changed(state, turns=state.turns + 1)


@kit.record
class Begun(kit.Event[State]):
    """A frame is on the stack that never comes to rest."""

    type: ClassVar[str] = "begun"
    frame: Turning | Searching

    def evolve(self, state: State) -> State:
        return state.pushed(self.frame)


def searched() -> Any:
    return reachable((0, 0), FAR, lambda _: 5)


@kit.enforces(LOOP_1)
@kit.record
class LoopForEver(kit.AwaitedCommand[State]):
    """Begin what never ends."""

    type: ClassVar[str] = "loop"
    loop: Loop

    def decide(self, state: State) -> kit.Emits[State]:
        match self.loop:
            case "events":
                while True:
                    yield Turned()
            case "frames" | "dice":
                return (yield Begun(frame=Turning(path="turning", dice=self.loop == "dice")))
            case "waiting":
                return (yield Begun(frame=Searching(path="searching")))
            case "flood":
                searched()
            case "way":
                way_to((0, 0), (FAR, 0), FAR * 10, lambda cell: None if cell[0] == 9 else 5)
            case "ends":
                ends_within((0, 0), FAR, {})
            case "push":
                sum(1 for _ in line((0, 0), (1, 0), FAR))
            case "place":
                free_place((0, 0), 1, lambda _: False, lambda _cell, _side: False)
        return (yield Turned())


@kit.record
class OfferForEver(kit.AwaitedCommand[State]):
    """Be offered for ever."""

    type: ClassVar[str] = "offer"
    number: int

    def decide(self, state: State) -> kit.Emits[State]:
        return (yield Turned(because=("LOOP-1",)))

    @classmethod
    def offers(cls, view: State, awaited: kit.Awaited) -> Iterator[kit.Offer]:
        while True:
            yield kit.Offer(type=cls.type, creature=awaited.creature, given={"number": 1})


LOOPS: Final[Ruleset[Any]] = kit.ruleset(
    "loops@1",
    "Loops",
    state=State,
    opening=Opening,
    messages=(LoopForEver, OfferForEver, Turned, Begun),
    frames=(Waiting, Searching, Turning),
    packages=(__name__,),
)


def opened() -> LocalTable:
    return LocalTable({LOOPS.edition: LOOPS}, {"edition": LOOPS.edition}, secrets_of("loops"))


@pytest.mark.parametrize("loop", get_args(Loop))
def test_TABLE_WORK_1_a_command_that_never_ends_is_refused_and_changes_nothing(loop: str) -> None:
    table = opened()
    before = table.state

    commit, _ = table.send("gm", "loop", {"creature": "ann", "loop": loop})

    assert commit.refusal == {
        "code": TOO_MUCH_WORK,
        "detail": f"deciding it takes more than {DECIDING} steps of work",
        "rule": "TABLE-WORK-1",
    }
    assert (list(commit.events), list(commit.rolls), table.state) == ([], [], before)
    again, _ = opened().send("gm", "loop", {"creature": "ann", "loop": loop})
    assert again.raw == commit.raw


def test_offers_without_end_are_stopped() -> None:
    table = opened()
    with pytest.raises(TooMuchWork, match=f"more than {READING} steps"):
        list(legal(LOOPS, table.state, "gm"))
    kinds = [
        offer.type for _, offers in legal(LOOPS, table.state, "gm", lambda _: ("loop",)) for offer in offers
    ]
    assert kinds == ["loop"]


def test_what_is_computed_for_one_request_has_its_steps_together() -> None:
    table = opened()
    with Meter(READING) as meter:
        list(legal(LOOPS, table.state, "gm", lambda _: ("loop",)))
    assert meter.spent == OFFER_STEPS + len(get_args(Loop)) // LISTED_OF_A_STEP


class Counting(Meter):
    """A meter that tells what each decision took."""

    decisions: ClassVar[list[int]] = []

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, fault, trace)
        if self.limit == DECIDING:
            self.decisions.append(self.spent)


def test_a_command_takes_the_same_steps_whatever_was_looked_at_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.rules.ruleset.Meter", Counting)
    monkeypatch.setattr(Counting, "decisions", [])
    monkeypatch.setattr("tests.rules.rise.forty.EACH", 5)
    record: Record[Any] = Record(RISE, 3)
    record.send("open", "gm", record.opening(forty()))
    compared = 0
    while record.folded.state.round < 2:
        before = record.folded
        fresh = from_data(type(before.state), to_data(before.state), families=RISE.families)
        for seat in before.state.seats:
            list(legal(RISE, before.state, seat))
        Counting.decisions.clear()
        assert record.send(*next_step(before.state)) is None
        n = len(record.requests)
        decide_request(RISE, kit.changed(before, state=fresh), record.requests[-1], n, record.secrets)
        watched, fresh_steps = Counting.decisions
        assert watched == fresh_steps, record.requests[-1]
        compared += watched > OFFER_STEPS
    assert compared > 50
