"""An owner appends no more than its bound: as this process knows, and as the heads say before a refusal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.log import CommitWrite, TooManyUndecided
from service.log.memory import MemoryLog
from service.log.values import ZERO_HASH, Entry, StreamHead
from service.stores import backlogs
from service.stores.backlogs import OwnerBacklogs


class CountingLog(MemoryLog):
    """A log that counts how often heads were read."""

    reads = 0

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        self.reads += 1
        return super().tails(after, count)


@pytest.fixture
def log() -> CountingLog:
    return CountingLog()


def appended(log: MemoryLog, encounter: str, count: int, first: int = 1) -> int:
    """Append that many commands; return how many are undecided."""
    undecided = 0
    for n in range(first, first + count):
        undecided = log.submit(
            encounter, b"r", scope="s", key=str(n), fingerprint="f", create=n == 1, at_ms=1, notify_ms=1
        ).undecided
    return undecided


def test_an_owner_is_refused_what_is_more_than_its_bound_over_all_encounters(
    log: CountingLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlogs, "OF_OWNER", 10)
    known = OwnerBacklogs(log, lambda: 0.0)
    known.check("ada", 10)
    for encounter in ("e1", "e2"):
        known.appended("ada", encounter, appended(log, encounter, 5))

    with pytest.raises(TooManyUndecided) as refused:
        known.check("ada", 1)
    assert (refused.value.undecided, refused.value.most) == (10, 10)
    known.check("bob", 10)


def test_what_was_decided_meanwhile_is_read_before_a_refusal_and_once_a_second_at_most(
    log: CountingLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlogs, "OF_OWNER", 4)
    now = [100.0]
    known = OwnerBacklogs(log, lambda: now[0])
    known.appended("ada", "e1", appended(log, "e1", 4))
    for _ in range(3):
        with pytest.raises(TooManyUndecided):
            known.check("ada", 1)
    assert log.reads == 1

    log.commit("e1", CommitWrite(1, ZERO_HASH, "a" * 64, b"c", b"r"))
    with pytest.raises(TooManyUndecided):
        known.check("ada", 1)
    now[0] += 1.0

    known.check("ada", 1)

    assert log.reads == 2


def test_an_encounter_that_is_gone_counts_no_longer(
    log: CountingLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlogs, "OF_OWNER", 2)
    known = OwnerBacklogs(log, lambda: 0.0)
    known.appended("ada", "e1", appended(log, "e1", 2))
    log.forget("e1")

    known.check("ada", 2)
