"""The public log: each statement once, whoever writes and dies; never two logs of one name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.audit import checkpoint
from service.audit.log_writer import FORKED, ROLLED_BACK, LogDisputed, LogWriter
from service.audit.signing_memory import SigningMemory
from service.audit.tiles import WIDTH
from service.audit.tree import includes, root
from service.log import Record
from service.log.memory import MemoryLog
from service.record.log_entries import LINE, BadEntry, LogEntry, leaf_hash, pseudonym_of, read_entry
from service.stores.public_log import PublicLog
from tests.support.a_log import a_log, encounter, head, opening
from tests.support.tiny_table import SIGNER


def written(store: MemoryLog) -> list[bytes]:
    """Return all entries."""
    log = PublicLog(store)
    return log.entries(0, log.size())


def point_of(store: MemoryLog) -> checkpoint.Checkpoint:
    """Return the latest checkpoint."""
    latest = PublicLog(store).latest()
    assert latest is not None
    return checkpoint.parse(latest[1])


def test_what_is_proposed_stands_once_in_order_and_is_signed(tmp_path: Path) -> None:
    entries = [opening(1), opening(2), head(1, 5)]  # what is proposed at one instant has its openings first
    store, writer = a_log(tmp_path, *reversed(entries))
    writer.log.propose([head(1, 5), opening(1)])
    writer.write()

    assert written(store) == [entry.to_bytes() for entry in entries]
    assert point_of(store).size == 3
    assert point_of(store).root == root([leaf_hash(raw) for raw in written(store)])
    assert writer.log.proposed(9) == []
    assert writer.log.of(encounter(1)) == [(0, entries[0].to_bytes()), (2, entries[2].to_bytes())]


def test_the_tiles_of_a_long_log_prove_every_entry(tmp_path: Path) -> None:
    store, writer = a_log(tmp_path, *(head(1, size) for size in range(1, 600)))
    leaves = [leaf_hash(raw) for raw in written(store)]
    tree = writer.tree(599)

    assert point_of(store).root == root(leaves) == tree.root
    assert [writer.log.tiles(level) for level in (1, 2)] == [2, 0]
    assert writer.log.tile(1, 0, WIDTH) == [root(leaves[:256]), root(leaves[256:512])]
    assert includes(leaves[300], 300, 599, tree.inclusion(300), root(leaves))


class _Died(Exception):
    """The process is gone."""


@pytest.mark.parametrize("call", range(1, 14))
def test_a_worker_that_dies_at_any_step_leaves_the_rest_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    store, writer = a_log(tmp_path, *(opening(at) for at in range(255)))
    writer.log.propose([opening(at) for at in range(255, 258)])
    calls = 0

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == call:
                raise _Died
            return real(*args, **options)

        return step

    with monkeypatch.context() as patched:
        for name in ("due", "records_named", "append_records", "put_record", "put_records", "drop_due"):
            patched.setattr(store, name, dying(getattr(store, name)))
        try:
            writer.write()
        except _Died:
            died = True
        else:
            died = False
    assert died == (call <= calls)

    LogWriter(PublicLog(store), writer.memory, lambda: SIGNER).write()
    found = written(store)
    assert sorted(found) == sorted(opening(at).to_bytes() for at in range(258))
    assert point_of(store).root == root([leaf_hash(raw) for raw in found])
    assert PublicLog(store).tiles(1) == 1
    assert all(PublicLog(store).of(encounter(at)) for at in range(258))


def test_two_workers_at_once_append_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, one = a_log(tmp_path, opening(1))
    two = LogWriter(PublicLog(store), SigningMemory(tmp_path / "two.db"), lambda: SIGNER)
    one.log.propose([opening(2), opening(3)])
    real, raced = store.append_records, False

    def race(*args: Any) -> bool:
        nonlocal raced
        if not raced:
            raced = True
            two.write()
        return real(*args)

    monkeypatch.setattr(store, "append_records", race)
    one.write()
    assert written(store) == [opening(at).to_bytes() for at in (1, 2, 3)]
    assert point_of(store).size == 3


def test_an_older_store_that_was_put_back_stops_the_log_until_a_mirror_fills_it(tmp_path: Path) -> None:
    newest, writer = a_log(tmp_path, *(opening(at) for at in range(300)))
    mirror = written(newest)
    older = MemoryLog()
    again = LogWriter(PublicLog(older), writer.memory, lambda: SIGNER)
    assert PublicLog(older).append(0, mirror[:200])
    again.log.propose([opening(999)])

    with pytest.raises(LogDisputed) as fault:
        again.write()
    assert (fault.value.why, fault.value.size, fault.value.stored) == (ROLLED_BACK, 300, 200)
    assert written(older) == mirror[:200]  # nothing was added, nothing was signed
    assert PublicLog(older).latest() is None

    with pytest.raises(LogDisputed):
        again.put_back([*mirror[:299], opening(5000).to_bytes()], point_of(newest))
    assert again.put_back(mirror, point_of(newest)) == 100
    again.write()
    assert written(older) == [*mirror, opening(999).to_bytes()]


def test_a_store_with_another_history_stops_the_log(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, *(opening(at) for at in range(3)))
    other = MemoryLog()
    again = LogWriter(PublicLog(other), writer.memory, lambda: SIGNER)
    PublicLog(other).append(0, [opening(at).to_bytes() for at in (0, 1, 9, 10)])

    with pytest.raises(LogDisputed) as fault:
        again.write()
    assert fault.value.why == FORKED
    assert PublicLog(other).latest() is None


def test_an_owner_has_one_pseudonym_and_no_name(tmp_path: Path) -> None:
    key = bytes(32)
    assert pseudonym_of("ada", key) == pseudonym_of("ada", key) != pseudonym_of("ben", key)
    assert pseudonym_of("ada", key) != pseudonym_of("ada", bytes([1]) * 32)
    store, _ = a_log(tmp_path, LogEntry("opening", encounter(1), 1, "0" * 64, pseudonym_of("ada", key)))
    assert b"ada" not in written(store)[0]


@pytest.mark.parametrize(
    "change",
    [
        (b'"size":1', b'"size":2'),
        (b'"size":1', b'"size":1.0'),
        (b'"v":1', b'"v":2'),
        (b'"kind":"opening"', b'"kind":"head"'),
        (b'"kind":"opening"', b'"kind":["opening"]'),
        (b'"owner":"aa', b'"owner":"AA'),
        (b'"root":"0', b'"root":"g'),
        (b'"encounter":"0', b'"encounter":"x'),
        (b"{", b"{ "),
    ],
)
def test_what_is_no_entry_is_refused(change: tuple[bytes, bytes]) -> None:
    raw = opening(1).to_bytes()
    assert read_entry(raw) == opening(1)
    assert change[0] in raw
    with pytest.raises(BadEntry):
        read_entry(raw.replace(*change, 1))


LINE_ENTRY = LogEntry(
    *(LINE, encounter(2), 4, "cd" * 32), parent=encounter(1), n=3, head="ab" * 32, ruled_in=encounter(1)
)


@pytest.mark.parametrize(
    "change",
    [
        (b'"n":3', b'"n":4'),
        (b'"n":3', b'"n":0'),
        (b'"n":3', b'"n":"3"'),
        (b'"head":"ab', b'"head":"AB'),
        (b'"parent":"0', b'"parent":"x'),
        (b',"ruled_in":"00000000-0000-4000-8000-000000000001"', b""),
        (b'"kind":"line"', b'"kind":"head"'),
        (b'"kind":"line"', b'"kind":"lines"'),
    ],
)
def test_what_is_no_entry_of_a_line_is_refused(change: tuple[bytes, bytes]) -> None:
    raw = LINE_ENTRY.to_bytes()
    assert read_entry(raw) == LINE_ENTRY
    assert change[0] in raw
    with pytest.raises(BadEntry):
        read_entry(raw.replace(*change, 1))


@pytest.mark.parametrize("swapped", [False, True])
def test_the_checkpoints_after_a_size_are_found_without_reading_all(swapped: bool) -> None:  # noqa: FBT001 - a parameter
    sizes = [*range(2, 1_200, 3)]
    if swapped:  # two workers stored theirs the other way round
        sizes[100], sizes[101] = sizes[101], sizes[100]
    store = CountingLog()
    log = PublicLog(store)
    for size in sizes:
        log.put_checkpoint(size, str(size))
    store.read = 0

    for size in (0, 1, 2, 300, 301, 302, 303, 304, 305, 1_190, 1_197, 1_198, 1_199, 5_000):
        assert log.sizes_after(size, 4) == [each for each in sorted(sizes) if each > size][:4], size
    assert PublicLog(MemoryLog()).sizes_after(3, 4) == []
    assert store.read < 14 * 50, "each search reads a few"


class CountingLog(MemoryLog):
    """A log that counts the records that are read."""

    read = 0

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Return records, and count them."""
        found = super().records(collection, before, limit)
        self.read += len(found)
        return found
