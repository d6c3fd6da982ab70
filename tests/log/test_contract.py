"""What the log promises, held against every store: numbers, keys, versions, commits."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from service.log import (
    ZERO_HASH,
    Appended,
    CachedState,
    CommitWrite,
    EncounterExists,
    EncounterSize,
    Entry,
    KeyReused,
    KnownKey,
    Log,
    NoSuchEncounter,
    Payload,
    StaleCommit,
    StoredEncounter,
    StoreRefusal,
    VersionConflict,
)
from service.log.values import SNAPSHOT_BYTES, ArchivedTotals
from tests.log.conftest import Store

THREADS = 8


def digest(n: int) -> str:
    return f"{n:064x}"


def fold(n: int, prev: str | None = None, raw: bytes | None = None) -> CommitWrite:
    """Make the plain commit n of a chain whose hashes are their numbers."""
    return CommitWrite(
        n,
        prev or digest(n - 1),
        digest(n),
        raw or b"commit %d" % n,
        request=b"request %d" % n,
        frontier=b"frontier %d" % n,
    )


def opened(log: Log, encounter: str = "e1", commands: int = 1) -> None:
    """Create an encounter with so many commands, none folded."""
    for n in range(1, commands + 1):
        log.append(
            encounter, b"request %d" % n, scope="gm", key=f"open-{n}", fingerprint=f"f{n}", create=n == 1
        )


# --- append: numbers, keys, versions ------------------------------------------------------------------


def test_numbers_are_dense_and_in_order(log: Log) -> None:
    opened(log, commands=5)

    assert [Entry(n, b"request %d" % n) for n in range(1, 6)] == log.commands("e1", 0, 10)


def test_a_page_starts_after_a_number_and_ends_at_a_count(log: Log) -> None:
    opened(log, commands=5)

    assert [entry.n for entry in log.commands("e1", 2, 2)] == [3, 4]
    assert log.commands("e1", 5, 2) == []


def test_the_same_key_and_fingerprint_answer_the_first_number(log: Log) -> None:
    opened(log, commands=2)

    again = log.append("e1", b"request 1", scope="gm", key="open-1", fingerprint="f1", create=True)

    assert Appended(1, replayed=True) == again
    assert len(log.commands("e1", 0, 10)) == 2


def test_a_replay_answers_the_first_number_whatever_version_is_expected_now(log: Log) -> None:
    opened(log)
    log.append("e1", b"x", scope="gm", key="k", fingerprint="f", expected=1)

    again = log.append("e1", b"x", scope="gm", key="k", fingerprint="f", expected=1)

    assert Appended(2, replayed=True) == again


def test_the_same_key_with_another_fingerprint_is_refused_and_names_the_command(log: Log) -> None:
    opened(log)

    with pytest.raises(KeyReused) as refused:
        log.append("e1", b"other", scope="gm", key="open-1", fingerprint="other")

    assert refused.value.n == 1


def test_a_key_belongs_to_its_scope_and_its_encounter(log: Log) -> None:
    opened(log)
    opened(log, "e2")

    assert log.append("e1", b"x", scope="pia", key="open-1", fingerprint="f").n == 2
    assert log.append("e2", b"x", scope="pia", key="open-1", fingerprint="f").n == 2


def test_a_key_can_be_asked_for(log: Log) -> None:
    opened(log)

    assert KnownKey(1, "f1") == log.find_key("e1", "gm", "open-1")
    assert log.find_key("e1", "pia", "open-1") is None
    assert log.find_key("e2", "gm", "open-1") is None


def test_an_existing_encounter_is_not_created_again(log: Log) -> None:
    opened(log)

    with pytest.raises(EncounterExists):
        log.append("e1", b"x", scope="other", key="k", fingerprint="f", create=True)


def test_an_encounter_that_was_not_created_takes_no_command(log: Log) -> None:
    with pytest.raises(NoSuchEncounter):
        log.append("e1", b"x", scope="gm", key="k", fingerprint="f")

    assert log.head("e1") is None


def test_a_secret_alone_is_no_encounter(log: Log) -> None:
    log.put_secret("e1", b"sealed box")

    assert log.head("e1") is None
    opened(log)


def test_the_expected_version_is_exact(log: Log) -> None:
    opened(log, commands=3)

    for wrong in (0, 2, 4):
        with pytest.raises(VersionConflict) as refused:
            log.append("e1", b"x", scope="gm", key="k", fingerprint="f", expected=wrong)
        assert refused.value.actual == 3

    assert log.append("e1", b"x", scope="gm", key="k", fingerprint="f", expected=3).n == 4


def test_bytes_come_back_as_they_were(log: Log) -> None:
    every_byte = bytes(range(256))
    log.append("e1", every_byte, scope="gm", key="k", fingerprint="f", create=True)
    beside = ((0, every_byte),), {"r": every_byte}
    log.commit("e1", CommitWrite(1, ZERO_HASH, digest(1), every_byte, every_byte, every_byte, *beside))

    head = log.head("e1")

    assert head is not None
    assert [every_byte] * 5 == [
        log.commands("e1", 0, 1)[0].raw,
        log.commits("e1", 0, 1)[0].raw,
        head.frontier,
        log.sealed("e1", 0, 1)[0].raw,
        log.marks("e1")["r"],
    ]


# --- races --------------------------------------------------------------------------------------------


def test_racing_threads_get_dense_numbers(log: Log) -> None:
    opened(log)
    together = Barrier(THREADS)

    def hurry(thread: int) -> list[int]:
        together.wait()
        return [
            log.append("e1", b"%d" % thread, scope=f"s{thread}", key=f"{i}", fingerprint="f").n
            for i in range(50)
        ]

    with ThreadPoolExecutor(THREADS) as pool:
        numbers = sorted(n for got in pool.map(hurry, range(THREADS)) for n in got)

    assert list(range(2, 2 + THREADS * 50)) == numbers


def test_each_version_has_one_winner(log: Log) -> None:
    opened(log)
    together = Barrier(THREADS)

    def hurry(thread: int) -> list[int]:
        won = []
        for version in range(1, 26):
            together.wait()
            try:
                key = f"{thread}/{version}"
                won.append(log.append("e1", b"x", scope="s", key=key, fingerprint="f", expected=version).n)
            except VersionConflict as conflict:
                assert version + 1 == conflict.actual  # noqa: PT017  one of many threads, not the claim's error
            together.wait()
        return won

    with ThreadPoolExecutor(THREADS) as pool:
        numbers = sorted(n for got in pool.map(hurry, range(THREADS)) for n in got)

    assert list(range(2, 27)) == numbers


def test_one_key_sent_by_all_at_once_has_one_effect(log: Log) -> None:
    opened(log)
    together = Barrier(THREADS)

    def hurry(_: int) -> Appended:
        together.wait()
        return log.append("e1", b"x", scope="s", key="one", fingerprint="f")

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(hurry, range(THREADS)))

    assert {2} == {answer.n for answer in answers}
    assert sum(answer.replayed for answer in answers) == THREADS - 1


def test_of_racing_workers_one_commits_each_number(log: Log) -> None:
    opened(log, commands=30)
    together = Barrier(THREADS)

    def work(thread: int) -> int:
        written = 0
        for n in range(1, 31):
            together.wait()
            try:
                # another hash for each worker: as if they decided differently
                head = log.head("e1")
                assert head is not None
                together.wait()
                mine = fold(n, head.hash, b"by %d" % thread)._replace(hash=f"{n * 10 + thread:064x}")
                written += log.commit("e1", mine)
            except StaleCommit:
                pass
            together.wait()
        return written

    with ThreadPoolExecutor(THREADS) as pool:
        written = sum(pool.map(work, range(THREADS)))

    assert written == 30
    assert list(range(1, 31)) == [entry.n for entry in log.commits("e1", 0, 100)]


# --- commit -------------------------------------------------------------------------------------------


def test_a_commit_moves_the_head(log: Log) -> None:
    opened(log, commands=2)

    assert log.commit("e1", fold(1)) == 1

    head = log.head("e1")
    assert head is not None
    assert (2, 1, digest(1), b"frontier 1") == (head.appended, head.folded, head.hash, head.frontier)
    assert [Entry(1, b"commit 1")] == log.commits("e1", 0, 10)


def test_a_new_encounter_starts_from_the_zero_hash(log: Log) -> None:
    opened(log)

    head = log.head("e1")

    assert head is not None
    assert (head.appended, head.folded, head.hash, head.frontier) == (1, 0, ZERO_HASH, b"")
    assert head.run_id


def test_consecutive_commits_go_together(log: Log) -> None:
    opened(log, commands=3)

    assert log.commit("e1", fold(1), fold(2), fold(3)) == 3

    assert [entry.n for entry in log.commits("e1", 0, 10)] == [1, 2, 3]


def test_commits_of_several_encounters_go_together_and_are_judged_apart(log: Log) -> None:
    for encounter in ("e1", "e2", "e3"):
        opened(log, encounter, commands=2)
    log.commit("e2", fold(1))

    kept = log.commit_all(
        [("e1", [fold(1), fold(2)]), ("e2", [fold(1, raw=b"late", prev="f" * 64)]), ("e3", [fold(1)])]
    )

    assert [stale is None for stale in kept] == [True, True, True]
    again = log.commit_all([("e2", [fold(1, prev="e" * 64), fold(3)]), ("e3", [fold(2)])])
    assert isinstance(again[0], StaleCommit)
    assert again[0].folded == 1
    assert again[1] is None
    assert [head.folded for e in ("e1", "e2", "e3") if (head := log.head(e))] == [2, 1, 2]


def test_the_same_commit_again_changes_nothing_and_is_no_error(store: Store) -> None:
    opened(store.log, commands=2)
    store.log.commit("e1", fold(1))
    before = store.dump()

    assert store.log.commit("e1", fold(1)) == 0

    assert before == store.dump()


def test_a_worker_that_was_overtaken_by_equal_decisions_goes_on(log: Log) -> None:
    opened(log, commands=3)
    log.commit("e1", fold(1), fold(2))

    assert log.commit("e1", fold(1), fold(2), fold(3)) == 1


@pytest.mark.parametrize(
    "late",
    [
        pytest.param(fold(1, raw=b"other"), id="a number folded before"),
        pytest.param(fold(2)._replace(hash="f" * 64), id="the head's number with another hash"),
        pytest.param(fold(4), id="a number too far"),
        pytest.param(fold(3, prev="f" * 64), id="another hash before it"),
        pytest.param(fold(3, prev=digest(1)), id="the hash of an older head"),
        pytest.param(fold(3)._replace(request=b"request 4"), id="another request than command 3"),
        pytest.param(fold(3)._replace(request=b""), id="no request"),
    ],
)
def test_a_commit_that_does_not_continue_the_head_changes_nothing(store: Store, late: CommitWrite) -> None:
    opened(store.log, commands=5)
    store.log.commit("e1", fold(1), fold(2))
    before = store.dump()

    with pytest.raises(StaleCommit) as refused:
        store.log.commit("e1", late)

    assert (2, digest(2)) == (refused.value.folded, refused.value.hash)
    assert before == store.dump()


def test_a_command_that_was_not_appended_is_not_committed(store: Store) -> None:
    opened(store.log)
    store.log.commit("e1", fold(1))
    before = store.dump()

    for encounter, early in (("e1", fold(2)), ("nobody", fold(1))):
        with pytest.raises(StaleCommit):
            store.log.commit(encounter, early)

    assert before == store.dump()


def test_sealed_and_marks_stand_with_their_commit(log: Log) -> None:
    opened(log, commands=2)
    first = fold(1)._replace(sealed=((0, b"stance"), (3, b"roll")), marks={"r1": b"1"})
    second = fold(2)._replace(sealed=((0, b"plan"),), marks={"r2": b"2", "e2": b"2"})

    log.commit("e1", first, second)

    payloads = [Payload(1, 0, b"stance"), Payload(1, 3, b"roll"), Payload(2, 0, b"plan")]
    assert payloads == log.sealed("e1", 0, 2)
    assert payloads[2:] == log.sealed("e1", 1, 2)
    assert payloads[:2] == log.sealed("e1", 0, 1)
    assert log.sealed("e1", 2, 2) == []
    assert log.marks("e1") == {"r1": b"1", "r2": b"2", "e2": b"2"}
    opened(log, "e2")
    assert log.marks_named("r2", ["e2", "e1", "nobody"]) == [None, b"2", None]
    assert log.marks_named("r2", []) == []


def test_a_stale_commit_leaves_neither_payload_nor_mark(log: Log) -> None:
    opened(log)
    late = fold(1, prev="f" * 64)._replace(sealed=((0, b"stance"),), marks={"r1": b"1"})

    with pytest.raises(StaleCommit):
        log.commit("e1", late)

    assert (log.sealed("e1", 0, 9), log.marks("e1")) == ([], {})


# --- refused means unchanged --------------------------------------------------------------------------

_GOOD: dict[str, object] = {"scope": "gm", "key": "new", "fingerprint": "f"}
_BAD: list[tuple[str, dict[str, object]]] = [
    ("e1", {**_GOOD, "key": "open-1"}),
    ("e1", {**_GOOD, "expected": 7}),
    ("e1", {**_GOOD, "create": True}),
    ("nobody", _GOOD),
    ("nobody", {**_GOOD, "create": True, "expected": 1}),
]


@pytest.mark.parametrize(("encounter", "how"), _BAD)
def test_a_refused_append_leaves_no_trace(store: Store, encounter: str, how: dict[str, object]) -> None:
    opened(store.log, commands=2)
    before = store.dump()

    with pytest.raises(StoreRefusal):
        store.log.append(encounter, b"x", **how)  # type: ignore[arg-type]  # the cases differ in their types

    assert before == store.dump()


@pytest.mark.parametrize(("encounter", "how"), _BAD)
def test_a_refused_submission_leaves_no_trace(store: Store, encounter: str, how: dict[str, object]) -> None:
    opened(store.log, commands=2)
    before = store.dump()
    bell = {"at_ms": 1, "notify_ms": 10_000}

    with store.log.listen_commands() as wakes, pytest.raises(StoreRefusal):
        store.log.submit(encounter, b"x", **how, **bell)  # type: ignore[arg-type]  # as above
    with store.log.listen_commands() as wakes:
        assert wakes.get(0.05) is None

    assert before == store.dump()


# --- what else belongs to an encounter ----------------------------------------------------------------


def test_a_look_tells_head_and_commands(log: Log) -> None:
    opened(log, commands=3)
    log.commit("e1", fold(1))

    head, entries = log.look("e1", 1, 10)

    assert log.head("e1") == head
    assert log.commands("e1", 1, 10) == entries
    assert log.look("nobody", 0, 10) == (None, [])


def test_heads_and_commits_of_several_are_read_together(log: Log) -> None:
    for name in ("e1", "e2", "e3"):
        opened(log, name, commands=3)
        log.commit(name, fold(1), fold(2))

    tails = log.tails([("e2", 0), ("e1", 1), ("nobody", 0), ("e3", 2)], 10)

    assert tails == [
        (log.head("e2"), log.commits("e2", 0, 10)),
        (log.head("e1"), log.commits("e1", 1, 10)),
        (None, []),
        (log.head("e3"), []),
    ]
    assert [len(entries) for _, entries in log.tails([("e1", 0)], 1)] == [1]
    assert log.tails([], 10) == []


def test_a_secret_is_replaced_only_where_there_is_one(log: Log) -> None:
    assert log.replace_secret("e1", b"second") is False
    assert log.secret("e1") is None

    log.put_secret("e1", b"first")
    assert log.replace_secret("e1", b"second") is True
    assert log.secret("e1") == b"second"


def test_a_secret_is_set_once(log: Log) -> None:
    assert log.secret("e1") is None

    assert [log.put_secret("e1", b"first"), log.put_secret("e1", b"second")] == [True, False]

    assert log.secret("e1") == b"first"


def test_the_cached_state_is_replaced_whole(log: Log) -> None:
    assert log.state("e1") is None
    log.put_state("e1", CachedState(64, digest(64), "aa", b"old"))

    log.put_state("e1", CachedState(3, digest(3), "bb", b"new"))

    assert CachedState(3, digest(3), "bb", b"new") == log.state("e1")


def snapshot(n: int, rules: str = "a" * 64, size: int = 9) -> CachedState:
    return CachedState(n, digest(n), rules, b" " + bytes(size - 1))


def test_snapshots_stand_beside_each_other_and_beside_the_cached_state(log: Log) -> None:
    opened(log, commands=3)
    for n in (1, 2, 3):
        log.commit("e1", fold(n))
    log.put_state("e1", CachedState(3, digest(3), "bb", b"newest"))

    assert [log.put_snapshot("e1", snapshot(n)) for n in (2, 1)] == [True, True]

    assert log.snapshots("e1") == [snapshot(1).name, snapshot(2).name]
    assert log.snapshot("e1", snapshot(2).name) == snapshot(2)
    assert log.snapshot("e1", snapshot(3).name) is None
    assert log.state("e1") == CachedState(3, digest(3), "bb", b"newest")


def test_one_snapshot_of_a_commit_takes_the_place_of_another(log: Log) -> None:
    opened(log, commands=1)
    log.commit("e1", fold(1))
    log.put_snapshot("e1", snapshot(1, size=70))

    log.put_snapshot("e1", snapshot(1, "b" * 64, size=40))

    assert log.snapshots("e1") == [snapshot(1, "b" * 64).name]
    assert log.snapshot("e1", snapshot(1).name) is None


def test_a_snapshot_of_what_is_not_committed_is_not_kept(log: Log) -> None:
    opened(log, commands=2)
    log.commit("e1", fold(1))

    assert not log.put_snapshot("e1", snapshot(2))
    assert not log.put_snapshot("nobody", snapshot(1))
    assert (log.snapshots("e1"), log.snapshots("nobody")) == ([], [])


def test_snapshots_count_and_have_a_bound(log: Log) -> None:
    opened(log, commands=3)
    for n in (1, 2, 3):
        log.commit("e1", fold(n))
    (before,) = log.sizes(["e1"])

    half = SNAPSHOT_BYTES // 2 + 1
    assert [log.put_snapshot("e1", snapshot(n, size=half)) for n in (1, 2)] == [True, False]
    assert log.put_snapshot("e1", snapshot(2, size=half - 1_000))

    (after,) = log.sizes(["e1"])
    assert 2 * half - 1_000 <= after.bytes - before.bytes <= SNAPSHOT_BYTES
    assert log.put_snapshot("e1", snapshot(1, size=9))
    (less,) = log.sizes(["e1"])
    assert after.bytes - less.bytes == half - 9


def test_tries_are_counted_for_one_command(log: Log) -> None:
    assert [log.tried("e1", 7) for _ in range(3)] == [1, 2, 3]
    assert [log.tried("e1", 8) for _ in range(2)] == [1, 2]
    assert log.tried("e2", 8) == 1


def test_a_record_that_was_dropped_is_gone_and_its_number_too(log: Log) -> None:
    for name in ("a", "b", "c"):
        log.put_record("s", name, name.encode())

    log.drop_record("s", "b")
    log.drop_record("s", "nobody")

    assert [record.id for record in log.records("s")] == ["c", "a"]
    assert log.record("s", "b") is None
    assert log.put_record("s", "d", b"d") == 4


def test_records_of_several_shelves_are_put_and_read_together(log: Log) -> None:
    log.put_record("s", "a", b"old")

    log.put_records([("s", "b", b"b"), ("t", "a", b"ta"), ("s", "a", b"new")])

    assert log.records_named([("s", "a"), ("t", "b"), ("t", "a"), ("s", "b")]) == [b"new", None, b"ta", b"b"]
    assert [record.id for record in log.records("s")] == ["b", "a"]
    assert log.records_named([]) == []


def test_a_shelf_that_was_dropped_is_empty_and_begins_anew(log: Log) -> None:
    for registry in ("s", "t"):
        log.put_record(registry, "a", b"a")

    log.drop_collection("s")
    log.drop_collection("nothing")

    assert (log.records("s"), log.record("s", "a")) == ([], None)
    assert [record.id for record in log.records("t")] == ["a"]
    assert log.put_record("s", "b", b"b") == 1


def test_an_encounter_that_was_forgotten_is_as_one_that_never_was(log: Log) -> None:
    for encounter in ("e1", "e2"):
        opened(log, encounter, commands=2)
        log.put_secret(encounter, b"secret")
        log.commit(encounter, fold(1, ZERO_HASH)._replace(sealed=((0, b"payload"),), marks={"m": b"1"}))
        log.put_state(encounter, CachedState(1, digest(1), digest(2), b"state"))
        log.put_snapshot(encounter, snapshot(1))
        log.tried(encounter, 2)

    log.forget("e1")
    log.forget("nobody")

    assert (log.head("e1"), log.commands("e1", 0, 9), log.commits("e1", 0, 9)) == (None, [], [])
    assert (log.secret("e1"), log.state("e1"), log.marks("e1"), log.sealed("e1", 0, 9)) == (
        None,
        None,
        {},
        [],
    )
    assert (log.snapshots("e1"), log.sizes(["e1"])) == ([], [EncounterSize(0, 0)])
    assert not log.put_snapshot("e1", snapshot(1))
    assert log.snapshots("e2") == [snapshot(1).name]
    assert (log.find_key("e1", "gm", "open-1"), log.tried("e1", 2)) == (None, 1)
    assert [entry.n for entry in log.commands("e2", 0, 9)] == [1, 2]
    assert log.secret("e2") == b"secret"


# --- archived encounters ------------------------------------------------------------------------------


def everything(log: Log, encounter: str = "e1") -> list[object]:
    """Return all that a log tells of one encounter."""
    head = log.head(encounter)
    return [
        None if head is None else replace(head, run_id=""),
        log.commands(encounter, 0, 9),
        log.commits(encounter, 0, 9),
        log.sealed(encounter, 0, 9),
        log.marks(encounter),
        log.snapshots(encounter),
        log.snapshot(encounter, snapshot(1).name),
        log.occasions(encounter),
        log.find_key(encounter, "gm", "open-1"),
        log.sizes([encounter]),
    ]


def whole(log: Log) -> StoredEncounter:
    """Write an encounter with all that belongs to one; return it."""
    opened(log, commands=2)
    log.put_secret("e1", b"secret")
    log.commit("e1", fold(1)._replace(sealed=((0, b"in"), (2, b"side")), marks={"m": b"1", "o": b"\xff"}))
    log.commit("e1", fold(2)._replace(sealed=((1, b"more"),)))
    log.put_snapshot("e1", snapshot(1))
    log.put_occasions("e1", 2, b"came")
    found = log.dump("e1")
    assert found is not None
    return found


def test_an_encounter_goes_out_and_comes_back_as_it_was(log: Log) -> None:
    stored = whole(log)
    before = everything(log)

    assert log.evict("e1", 2, digest(2), b"entry", 5)

    assert everything(log) == everything(log, "nobody")
    assert (log.archived("e1"), log.secret("e1")) == (b"entry", b"secret")
    assert log.archived_totals() == ArchivedTotals(1, 5)
    assert log.restore(stored, b"entry")
    assert log.archived_totals() == ArchivedTotals(0, 0)
    assert everything(log) == before
    assert (log.archived("e1"), log.secret("e1")) == (None, b"secret")
    log.append("e1", b"request 3", scope="gm", key="k", fingerprint="f", expected=2)
    assert log.commit("e1", fold(3)) == 1


def test_an_encounter_gives_place_only_as_it_was_archived(log: Log) -> None:
    stored = whole(log)
    before = everything(log)
    assert not log.evict("e1", 1, digest(1), b"entry", 5)
    assert not log.evict("e1", 2, digest(1), b"entry", 5)
    assert not log.evict("nobody", 0, digest(0), b"entry", 5)
    assert (everything(log), log.archived("e1"), log.archived("nobody")) == (before, None, None)
    log.append("e1", b"late", scope="gm", key="k", fingerprint="f")
    assert not log.evict("e1", 2, digest(2), b"entry", 5)
    assert log.dump("e1") is None
    assert stored.hash == digest(2)


def test_an_encounter_comes_back_once_and_in_its_own_place(log: Log) -> None:
    stored = whole(log)
    assert not log.restore(stored, b"entry")
    log.evict("e1", 2, digest(2), b"entry", 5)
    assert not log.restore(stored, b"another")
    assert everything(log) == everything(log, "nobody")

    assert log.restore(stored, b"entry")

    log.append("e1", b"request 3", scope="gm", key="k", fingerprint="f")
    now = everything(log)
    assert not log.restore(stored, b"entry")
    assert not log.restore(stored)
    assert everything(log) == now


def test_a_restoring_that_was_cut_short_is_begun_anew(log: Log, store: Store) -> None:
    stored = whole(log)
    before = everything(log)
    log.evict("e1", 2, digest(2), b"entry", 5)
    log.restore(replace(stored, commands=[b"other"] * 3), b"another")

    assert log.restore(stored, b"entry")

    assert everything(log) == before
    assert "~:" not in str(store.dump()), "a key of the restoring is left"


def test_an_archived_encounter_is_forgotten_whole(log: Log) -> None:
    whole(log)
    log.evict("e1", 2, digest(2), b"entry", 5)

    log.forget("e1")

    assert (log.archived("e1"), log.secret("e1"), log.head("e1")) == (None, None, None)
    assert log.archived_totals() == ArchivedTotals(0, 0)
    log.forget("e1")
    assert log.archived_totals() == ArchivedTotals(0, 0)


def test_archived_encounters_are_counted_with_what_their_files_hold(log: Log) -> None:
    assert log.archived_totals() == ArchivedTotals(0, 0)
    for name, size in (("a", 7), ("b", 20), ("c", 1_000)):
        log.append(name, b"request 1", scope="gm", key="k", fingerprint="f", create=True)
        log.commit(name, fold(1, ZERO_HASH))
        assert log.evict(name, 1, digest(1), b"entry", size)
        assert not log.evict(name, 1, digest(1), b"entry", size)
    assert log.archived_totals() == ArchivedTotals(3, 1_027)

    log.forget("b")

    assert log.archived_totals() == ArchivedTotals(2, 1_007)


def test_what_comes_late_to_a_forgotten_encounter_makes_nothing_of_it(log: Log) -> None:
    opened(log, commands=2)
    log.commit("e1", fold(1, ZERO_HASH))
    log.mark_dirty("e1", 1)
    log.forget("e1")

    with pytest.raises(StaleCommit):
        log.commit("e1", fold(2))
    with pytest.raises(NoSuchEncounter):
        log.append("e1", b"late", scope="gm", key="late", fingerprint="f")

    assert log.head("e1") is None
    assert log.clean("e1")


def test_an_agenda_tells_what_is_due_the_longest_first(log: Log) -> None:
    log.set_due("a", ["late", "later"], 20, reschedule=False)
    log.set_due("a", ["soon"], 10, reschedule=False)
    log.set_due("a", ["late"], 5, reschedule=False)
    log.set_due("a", ["later"], 30, reschedule=True)

    assert log.due("a", 9, 9) == []
    assert log.due("a", 25, 9) == ["soon", "late"]
    assert log.due("a", 30, 1) == ["soon"]
    log.drop_due("a", "soon")
    log.drop_due("a", "nobody")
    assert log.due("a", 30, 9) == ["late", "later"]
    assert log.due("b", 30, 9) == []


def test_a_name_is_used_once_until_it_is_forgotten(log: Log) -> None:
    assert [log.use_once("ticket/a", 60_000) for _ in range(2)] == [True, False]
    assert log.use_once("ticket/b", 1)

    ends = time.monotonic() + 30
    while not log.use_once("ticket/b", 1):
        assert time.monotonic() < ends


def test_shelves_number_their_records_and_list_the_newest_first(log: Log) -> None:
    assert [log.put_record("encounters/ada", f"e{i}", b"%d" % i) for i in range(3)] == [1, 2, 3]
    assert log.put_record("encounters/ada", "e0", b"replaced") == 1

    newest = log.records("encounters/ada", limit=2)

    assert [record.id for record in newest] == ["e2", "e1"]
    assert [
        (record.number, record.id, record.blob)
        for record in log.records("encounters/ada", before=newest[-1].number)
    ] == [(1, "e0", b"replaced")]
    assert log.record("encounters/ada", "e2") == b"2"
    assert (log.record("encounters/bo", "e2"), log.records("encounters/bo")) == (None, [])


def test_a_secret_is_kept_with_what_creates_the_encounter_and_by_nothing_else(log: Log) -> None:
    at = {"scope": "k", "fingerprint": "f", "at_ms": 1, "notify_ms": 1000}

    log.submit("e1", b"open", key="a", create=True, secret=b"first", **at)  # type: ignore[arg-type]  # one mapping of several types
    assert log.secret("e1") == b"first"
    log.submit("e1", b"open", key="a", create=True, secret=b"second", **at)  # type: ignore[arg-type]  # as above
    assert log.secret("e1") == b"first"
    with pytest.raises(EncounterExists):
        log.submit("e1", b"open", key="b", create=True, secret=b"third", **at)  # type: ignore[arg-type]  # as above
    assert log.secret("e1") == b"first"


def test_records_are_appended_only_behind_the_last_one_and_only_if_all_are_new(log: Log) -> None:
    assert log.append_records("s", 0, [("a", b"1"), ("b", b"2")])
    assert not log.append_records("s", 0, [("c", b"3")])
    assert not log.append_records("s", 3, [("c", b"3")])
    assert not log.append_records("s", 2, [("c", b"3"), ("a", b"other")])
    assert log.append_records("s", 2, [("c", b"3")])

    assert [(record.number, record.id, record.blob) for record in log.records("s")] == [
        (3, "c", b"3"),
        (2, "b", b"2"),
        (1, "a", b"1"),
    ]
    assert log.append_records("s", 3, [])
