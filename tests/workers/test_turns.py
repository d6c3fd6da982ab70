"""Each owner that waits has a turn, then each of its encounters, for no longer than its share of a round."""

from __future__ import annotations

import time
from collections import Counter
from types import SimpleNamespace

import pytest

from service.log import CommandNotification
from workers import turns as product
from workers.turns import KEPT, ROUND, Turn, Turns


def owner_of(encounter: str) -> str:
    return encounter[0]


def notified(encounter: str, n: int) -> CommandNotification:
    return CommandNotification(encounter, n, b"")


def waiting(**counts: int) -> Turns:
    """Return turns in which each encounter waits with as many commands."""
    turns = Turns(owner_of)
    for encounter, count in counts.items():
        for n in range(1, count + 1):
            turns.notify(notified(encounter, n))
    return turns


def numbers(turns: list[Turn]) -> dict[str, list[int]]:
    return {turn.encounter: [each.n for each in turn.notified] for turn in turns}


def test_one_owner_alone_has_the_whole_round() -> None:
    turns = waiting(a1=ROUND + 5)

    assert numbers(turns.take()) == {"a1": list(range(1, ROUND + 1))}
    assert numbers(turns.take()) == {"a1": list(range(ROUND + 1, ROUND + 6))}
    assert turns.take() == []
    assert not turns


def test_each_owner_has_a_turn_in_each_round_however_much_another_sends() -> None:
    turns = waiting(**{f"a{number}": 100 for number in range(50)}, b1=3, c1=1)

    found = numbers(turns.take())

    assert found["b1"] == [1, 2, 3]
    assert found["c1"] == [1]
    by_owner = Counter(owner_of(encounter) for encounter, ns in found.items() for _ in ns)
    assert by_owner == {"a": ROUND - 4, "b": 3, "c": 1}


def test_the_encounters_of_one_owner_have_turns_in_order() -> None:
    turns = waiting(**{f"a{number}": 2 for number in range(ROUND + 10)})

    first, second = numbers(turns.take()), numbers(turns.take())

    assert list(first) == [f"a{number}" for number in range(ROUND)]
    assert list(second)[:10] == [f"a{number}" for number in range(ROUND, ROUND + 10)]


def test_what_a_round_left_is_first_in_the_next_and_in_order() -> None:
    turns = waiting(a1=3, a2=1)
    turns.take()
    turns.notify(notified("a2", 2))

    turns.put_back("a1", [notified("a1", 2), notified("a1", 3)])
    turns.notify(notified("a1", 4))

    assert numbers(turns.take()) == {"a1": [2, 3, 4], "a2": [2]}


def test_an_encounter_with_many_commands_reads_the_store_and_keeps_none_in_memory() -> None:
    turns = waiting(a1=KEPT + 1, b1=1)
    turns.notify(notified("a1", KEPT + 2))

    first, second = turns.take()

    assert (first.encounter, first.reads, first.notified) == ("a1", True, [])
    assert (second.encounter, second.reads) == ("b1", False)


def test_an_encounter_that_reads_the_store_waits_behind_others_unless_it_is_put_first() -> None:
    turns = waiting(a1=1)
    turns.read("a2")
    turns.read("a3", first=True)

    assert [turn.encounter for turn in turns.take()] == ["a3", "a1", "a2"]


def test_what_is_dropped_has_no_turn() -> None:
    turns = waiting(a1=1, b1=1, b2=1)

    turns.drop(lambda encounter: encounter != "b2")

    assert "b2" in turns
    assert numbers(turns.take()) == {"b2": [1]}


def is_over(turn: product.Turn) -> bool:
    """Tell whether the time is over now; a property would be known to a type check from its last answer."""
    return turn.time.is_over


def test_owners_share_the_time_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(product, "time", SimpleNamespace(thread_time=lambda: now[0], monotonic=lambda: 0.0))
    first, second, other = waiting(a1=1, b1=1, a2=1).take()
    assert first.time is other.time or first.time is second.time, "the encounters of an owner share its time"
    mine = next(turn for turn in (first, second, other) if turn.encounter == "a1")
    theirs = next(turn for turn in (first, second, other) if turn.encounter == "b1")

    with mine.time:
        now[0] += product.ROUND_S / 4
        assert not is_over(mine)
        now[0] += product.ROUND_S / 2
        assert is_over(mine)

    now[0] += 1.0
    assert is_over(mine)
    assert not is_over(theirs), "only what is measured counts"


def test_a_turn_ends_by_what_its_thread_works_and_not_by_what_it_waits() -> None:
    turn = waiting(a1=1).take()[0]
    with turn.time:
        time.sleep(product.ROUND_S * 1.1)
        assert not is_over(turn)
        while not is_over(turn):
            pass
    assert is_over(turn)


class Clock:
    """Seconds that a test passes: of the processor, and since the start."""

    def __init__(self) -> None:
        self.used = self.now = 100.0

    def thread_time(self) -> float:
        return self.used

    def monotonic(self) -> float:
        return self.now

    def work(self, turns: list[Turn], seconds: float) -> None:
        """Let the turns use so many seconds each."""
        for turn in turns:
            with turn.time:
                self.used += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(product, "time", made)
    return made


def _seconds(turn: Turn, clock: Clock) -> float:
    """Return the seconds that a turn has, and use them."""
    before = clock.used
    with turn.time:
        while not turn.time.is_over:
            clock.used += 0.0001
    return clock.used - before


def test_a_light_owner_has_its_round_before_a_heavy_one_and_never_two_in_a_row(clock: Clock) -> None:
    turns = waiting(a1=1)
    clock.work(turns.take(), 0.1)
    for n in range(2, 7):
        turns.notify(notified("a1", n))
    turns.notify(notified("b1", 1))

    assert numbers(turns.take()) == {"b1": [1]}
    turns.notify(notified("b1", 2))
    assert numbers(turns.take()) == {"a1": [2, 3, 4, 5, 6], "b1": [2]}


def test_a_heavy_owner_has_short_rounds_while_there_are_light_ones(clock: Clock) -> None:
    turns = waiting(a1=1)
    clock.work(turns.take(), 0.9)
    clock.now += 1.1 * product.RECENT_S
    turns.notify(notified("a1", 2))
    assert _seconds(turns.take()[0], clock) == pytest.approx(product.ROUND_S, abs=0.0002)

    turns.notify(notified("b1", 1))
    assert numbers(turns.take()) == {"b1": [1]}
    turns.notify(notified("a1", 3))
    assert _seconds(turns.take()[0], clock) == pytest.approx(product.BESIDE_S, abs=0.0002)

    clock.now += 1.1 * product.RECENT_S
    turns.notify(notified("a1", 4))
    assert _seconds(turns.take()[0], clock) == pytest.approx(product.ROUND_S, abs=0.0002)


def test_what_an_owner_used_fades(clock: Clock) -> None:
    turns = waiting(a1=1)
    clock.work(turns.take(), 0.1)
    clock.now += 2 * product.RECENT_S
    turns.notify(notified("a1", 2))
    turns.notify(notified("b1", 1))

    assert numbers(turns.take()) == {"a1": [2], "b1": [1]}, "both are light"


def test_the_uses_of_owners_who_went_are_dropped(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product, "REMEMBERED", 5)
    uses = product._Uses()  # noqa: SLF001 - what it keeps is not seen from outside
    for n in range(20):
        spent = product.TurnTime(1.0)
        uses.begin({f"owner-{n}": spent}, clock.now)
        with spent:
            clock.used += 0.01
        clock.now += 10 * product.RECENT_S
    assert len(uses._used) <= product.REMEMBERED + 1  # noqa: SLF001 - as above
