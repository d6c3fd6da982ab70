"""Snapshots: what they save, what is distrusted, who makes them, and play back and forth across them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from service.audit.evidence import stored
from service.audit.verify import verify
from service.core import snapshots
from service.core.fold import Folder
from service.core.snapshot import snapshot_of
from service.key_files import Keyring
from service.log import CachedState, CommitWrite
from service.log.memory import MemoryLog
from service.log.values import SNAPSHOT_BYTES, Entry
from service.record.commit import load_commit
from service.record.intervals import EVERY, SCHEDULE
from service.record.occasions import Occasions, derive
from tests.support.folding import fold_whole
from tests.support.in_process_service import BOTH, House
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import KEY, Sitting, eid, player
from workers.fold import CommandFolder
from workers.snapshots import SnapshotWriter

COUNT = 3 * EVERY + 40


class CountingLog(MemoryLog):
    """A log that counts the commits that are read of it."""

    read = 0

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        found = super().commits(encounter, after, count)
        self.read += len(found)
        return found


@pytest.fixture(scope="module")
def played() -> Sitting:
    sitting = Sitting()
    sitting.open()
    while len(sitting.written) < COUNT:
        n = len(sitting.written)
        if n % 100 == 0:
            sitting.do("end_round")
        elif n % 100 in (50, 51):
            sitting.do("choose", player("ada" if n % 2 else "bo"), number=n % 7)
        elif n % 7 == 0:
            sitting.do("add", amount=99)  # refused
        elif n % 5 == 0:
            sitting.do("whisper", to=["bo"], note=f"psst {n}")
        else:
            sitting.do("roll", sides=20)
    return sitting


@pytest.fixture
def log(played: Sitting) -> CountingLog:
    """Return the stored record, without a snapshot."""
    return stored_log(played)


def stored_log(sitting: Sitting) -> CountingLog:
    log = CountingLog()
    for raw, written in zip(sitting.requests, sitting.written, strict=True):
        n = written.n
        log.append(eid(), raw, scope="s", key=str(n), fingerprint="f", create=n == 1)
        prev = load_commit(written.raw).prev
        log.commit(
            eid(), CommitWrite(n, prev, written.hash, written.raw, raw, sealed=written.envelope_payloads)
        )
    return log


@pytest.fixture
def kept(log: CountingLog, played: Sitting) -> CountingLog:
    """Return the stored record with all its snapshots."""
    for n in range(EVERY, COUNT + 1, EVERY):
        assert log.put_snapshot(eid(), snapshot_of(played.written[n - 1].folded))
    log.read = 0
    return log


def numbers(log: MemoryLog, encounter: str | None = None) -> list[int]:
    return [name.n for name in log.snapshots(encounter or eid())]


def asked(log: MemoryLog) -> list[str]:
    return log.due(SCHEDULE, 1, 10)


# --- what they save -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, EVERY - 1, EVERY, EVERY + 1, 2 * EVERY - 1, 3 * EVERY, COUNT])
def test_any_past_state_costs_one_interval_at_most(kept: CountingLog, played: Sitting, n: int) -> None:
    assert Folder(kept, SHELF).at(eid(), n) == played.written[n - 1].folded

    assert kept.read <= EVERY + 1
    assert not asked(kept)


def test_a_process_that_is_far_behind_takes_the_newest_snapshot(kept: CountingLog, played: Sitting) -> None:
    folder = Folder(kept, SHELF)
    folder.keep(played.written[4].folded)

    assert folder.current(eid()) == played.folded
    assert kept.read <= EVERY + 1


def test_a_kept_state_that_is_near_is_folded_on(kept: CountingLog, played: Sitting) -> None:
    folder = Folder(kept, SHELF)
    folder.keep(played.written[COUNT - 4].folded)

    assert folder.current(eid()) == played.folded
    assert kept.read == 3


def test_the_state_that_was_written_down_when_idle_is_one_of_them(kept: CountingLog, played: Sitting) -> None:
    kept.put_state(eid(), snapshot_of(played.written[COUNT - 2].folded))

    assert Folder(kept, SHELF).current(eid()) == played.folded
    assert kept.read == 2


# --- what is distrusted -------------------------------------------------------------------------------


def spoilt(cached: CachedState, place: int) -> CachedState:
    blob = bytearray(cached.blob)
    blob[place] ^= 1
    return replace(cached, blob=bytes(blob))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cached: spoilt(cached, 50),
        lambda cached: spoilt(cached, 0),
        lambda cached: replace(cached, blob=b""),
        lambda cached: replace(cached, hash="0" * 64),
        lambda cached: replace(cached, ruleset_digest=cached.ruleset_digest[:16] + "0" * 48),
    ],
)
def test_a_spoilt_snapshot_is_passed_over_for_the_one_below(
    kept: CountingLog, played: Sitting, spoil: Callable[[CachedState], CachedState]
) -> None:
    kept.put_snapshot(eid(), spoil(snapshot_of(played.written[2 * EVERY - 1].folded)))

    n = 2 * EVERY + 9
    assert Folder(kept, SHELF).at(eid(), n) == played.written[n - 1].folded
    assert EVERY < kept.read <= 2 * EVERY
    assert asked(kept) == [eid()]


def test_snapshots_of_other_rules_are_not_read_and_made_anew(log: CountingLog, played: Sitting) -> None:
    for n in range(EVERY, COUNT + 1, EVERY):
        other = replace(snapshot_of(played.written[n - 1].folded), ruleset_digest="0" * 64)
        assert log.put_snapshot(eid(), other)

    assert Folder(log, SHELF).at(eid(), COUNT) == played.folded
    assert log.read == COUNT
    SnapshotWriter(log, SHELF, Event()).look()

    log.read = 0
    assert Folder(log, SHELF).at(eid(), COUNT - 5) == played.written[COUNT - 6].folded
    assert log.read <= EVERY
    assert {name.rules for name in log.snapshots(eid())} == {
        name.rules for name in snapshots.named(log, eid(), TINY)
    }
    assert numbers(log) == [EVERY, 2 * EVERY, 3 * EVERY]


def test_a_snapshot_of_another_history_is_ignored_and_replaced(kept: CountingLog, played: Sitting) -> None:
    """The store was rolled back and played on: the same numbers are other commits."""
    other = Sitting()
    for raw in played.requests[: 2 * EVERY - 20]:
        other.put(raw)
    while len(other.written) < COUNT:
        other.do("roll", sides=6)
    log = stored_log(other)
    for name in kept.snapshots(eid()):
        found = kept.snapshot(eid(), name)
        assert found is not None
        log.put_snapshot(eid(), found)

    assert Folder(log, SHELF).at(eid(), COUNT) == other.folded != played.folded
    assert asked(log) == [eid()]
    SnapshotWriter(log, SHELF, Event()).look()
    log.read = 0
    assert Folder(log, SHELF).at(eid(), COUNT) == other.folded
    assert log.read <= EVERY


# --- who makes them -----------------------------------------------------------------------------------


def test_a_worker_keeps_one_of_every_interval_as_it_folds(played: Sitting) -> None:
    log = MemoryLog()
    log.put_secret(eid(), played.secrets.encrypt(KEY))
    for n, raw in enumerate(played.requests, 1):
        log.append(eid(), raw, scope="s", key=str(n), fingerprint="f", create=n == 1)
    snapshooter = SnapshotWriter(log, SHELF, Event())
    folding = CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), snapshot=snapshooter.take)

    fold_whole(folding, eid())
    assert numbers(log) == []  # nothing is written on the command's path
    snapshooter.look()

    assert numbers(log) == [EVERY, 2 * EVERY, 3 * EVERY]
    for name in log.snapshots(eid()):
        assert log.snapshot(eid(), name) == snapshot_of(played.written[name.n - 1].folded)


def test_missing_ones_are_made_once_somebody_reads_through(log: CountingLog, played: Sitting) -> None:
    Folder(log, SHELF).at(eid(), 2 * EVERY + 1)
    assert asked(log) == [eid()]

    SnapshotWriter(log, SHELF, Event()).look()

    assert numbers(log) == [EVERY, 2 * EVERY, 3 * EVERY]
    assert asked(log) == []
    log.read = 0
    Folder(log, SHELF).at(eid(), 3 * EVERY - 1)
    assert log.read <= EVERY


def test_nobody_asks_twice_within_the_hour(log: CountingLog) -> None:
    Folder(log, SHELF).at(eid(), COUNT)
    log.drop_due(SCHEDULE, eid())

    Folder(log, SHELF).at(eid(), COUNT)

    assert asked(log) == []


def test_what_was_asked_for_and_is_not_there_any_more_holds_up_nobody(log: CountingLog) -> None:
    log.set_due(SCHEDULE, [eid(9)], 0, reschedule=False)
    log.set_due(SCHEDULE, [eid()], 0, reschedule=False)

    SnapshotWriter(log, SHELF, Event()).look()

    assert asked(log) == []
    assert numbers(log) == [EVERY, 2 * EVERY, 3 * EVERY]


def test_without_room_a_past_state_is_folded_from_further_below(log: CountingLog, played: Sitting) -> None:
    assert log.put_snapshot(eid(), snapshot_of(played.written[EVERY - 1].folded))
    large = replace(snapshot_of(played.written[2 * EVERY - 1].folded), blob=bytes(SNAPSHOT_BYTES))

    assert not log.put_snapshot(eid(), large)

    assert numbers(log) == [EVERY]
    assert Folder(log, SHELF).at(eid(), 2 * EVERY + 1) == played.written[2 * EVERY].folded


# --- occasions ----------------------------------------------------------------------------------------


def revealed(record: Sitting | MemoryLog) -> tuple[dict[str, int], list[Any]]:
    """Return what a first look tells of all occasions and envelopes."""
    log = record if isinstance(record, MemoryLog) else stored_log(record)
    seen = Occasions(log)._read(eid(), COUNT)  # noqa: SLF001 - the envelopes too
    return seen.came, seen.envelopes


def test_occasions_of_every_interval_save_the_reading_of_it(log: CountingLog, played: Sitting) -> None:
    wanted = revealed(played)
    assert len(wanted[0]) > 3
    assert len(wanted[1]) > EVERY // 5
    Folder(log, SHELF).at(eid(), COUNT)
    SnapshotWriter(log, SHELF, Event()).look()
    log.read = 0

    assert revealed(log) == wanted
    assert log.read <= EVERY


def test_who_reads_through_all_occasions_asks_for_them(log: CountingLog) -> None:
    Occasions(log).upto(eid(), EVERY)
    assert asked(log) == []

    Occasions(log).upto(eid(), COUNT)

    assert asked(log) == [eid()]
    SnapshotWriter(log, SHELF, Event()).look()
    assert [entry.n for entry in log.occasions(eid())] == [EVERY, 2 * EVERY, 3 * EVERY]


def spoilt_end(raw: bytes) -> bytes:
    """Return occasions of another history: one is said to have come that never did."""
    data = json.loads(zlib.decompress(raw))
    return zlib.compress(json.dumps(data | {"end": "0" * 64, "came": {"epoch/9": 1}}).encode())


@pytest.mark.parametrize("n", [EVERY, 2 * EVERY, 3 * EVERY])
@pytest.mark.parametrize("spoil", [lambda _: b"", lambda raw: raw[:-9], spoilt_end])
def test_occasions_that_are_not_of_the_record_are_not_believed(
    log: CountingLog, played: Sitting, n: int, spoil: Callable[[bytes], bytes]
) -> None:
    for each in (EVERY, 2 * EVERY, 3 * EVERY):
        blob = derive(log, eid(), each)
        assert blob is not None
        log.put_occasions(eid(), each, spoil(blob) if each == n else blob)

    assert revealed(log) == revealed(played)
    log.set_due(SCHEDULE, [eid()], 0, reschedule=False)
    SnapshotWriter(log, SHELF, Event()).look()
    log.read = 0
    assert revealed(log) == revealed(played)
    assert log.read <= EVERY


# --- lines of play ------------------------------------------------------------------------------------


def test_play_goes_back_and_forth_across_snapshots() -> None:
    """An undo and its redo, and another undo, each over the border of an interval."""
    with House() as house:
        snapshooter = SnapshotWriter(house.log, BOTH, Event())
        house.folding._snapshot = snapshooter.take  # noqa: SLF001 - as a worker wires it
        first = house.open(TINY, {})
        while len(house.commits(first)) < 2 * EVERY + 20:
            house.send(first, "gm", "roll", sides=20)
        back = house.accept(first, house.proposed(first, "undo", commit=EVERY - 10))
        forth = house.accept(back, house.proposed(back, "redo"))
        further = house.accept(forth, house.proposed(forth, "undo", commit=EVERY + 3))
        snapshooter.look()

        assert numbers(house.log, first) == [EVERY, 2 * EVERY]
        assert numbers(house.log, forth) == [EVERY, 2 * EVERY], "those of the path came with its commits"
        for line in (first, back, forth, further):
            assert house.audit(line).verdict.is_sound
            fresh, cold = Folder(house.log, BOTH), Folder(_bare(house.log, line), BOTH)
            for n in range(1, len(house.commits(line)) + 1, 37):
                assert fresh.at(line, n) == cold.at(line, n), (line, n)


@pytest.mark.parametrize(
    "at",
    [
        *(10, EVERY),
        *(pytest.param(at, marks=pytest.mark.overnight) for at in (EVERY - 1, EVERY + 1, 2 * EVERY + 5)),
    ],
)
def test_a_fork_of_a_long_encounter_is_played_on_across_snapshots(at: int) -> None:
    """Forked before, on and behind a snapshot of its parent; its own snapshots are of its own commits."""
    with House() as house:
        snapshooter = SnapshotWriter(house.log, BOTH, Event())
        house.folding._snapshot = snapshooter.take  # noqa: SLF001 - as a worker wires it
        parent = house.open(TINY, {})
        while len(house.commits(parent)) < 2 * EVERY + 20:
            house.send(parent, "gm", "add", amount=1)
        snapshooter.look()
        before = house.commits(parent)

        fork = house.forked(parent, at)
        came = house.state(fork)
        while len(house.commits(fork)) < EVERY + 20:
            house.send(fork, "gm", "add", amount=2)
        snapshooter.look()

        bare = Folder(_bare(house.log, parent), BOTH)
        assert came.counter == bare.at(parent, at).state.counter  # type: ignore[attr-defined]  # the tiny game's
        assert numbers(house.log, parent) == [EVERY, 2 * EVERY]
        assert numbers(house.log, fork) == [EVERY]
        assert house.commits(parent) == before
        for line in (parent, fork):
            assert house.audit(line).verdict.is_sound
            fresh, cold = Folder(house.log, BOTH), Folder(_bare(house.log, line), BOTH)
            for n in (1, 2, EVERY - 1, EVERY, EVERY + 1, len(house.commits(line))):
                assert fresh.at(line, n) == cold.at(line, n), (line, n)


def _bare(log: MemoryLog, encounter: str) -> MemoryLog:
    """Return a log with the same record of *encounter*, and no state of it."""
    bare = MemoryLog()
    bare._encounters[encounter] = replace(log._encounters[encounter], state=None, snapshots={})  # noqa: SLF001 - the same record, bare
    return bare


def test_an_audit_takes_nothing_from_a_snapshot(kept: CountingLog, played: Sitting) -> None:
    """All of the record is decided again from commit 1, whatever the snapshots say."""
    for name in kept.snapshots(eid()):
        kept.put_snapshot(eid(), replace(snapshot_of(played.written[0].folded), n=name.n))
    report = verify(stored(kept, eid()), SHELF)

    assert report.verdict.is_sound
    assert report.counts.decided == COUNT
