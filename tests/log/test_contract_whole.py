"""What a store promises about itself as a whole, held against every store: names, numbers, copies."""

from __future__ import annotations

from service.log import Log, Record
from service.log.memory import MemoryLog
from tests.log.conftest import Store
from tests.log.test_contract import everything, fold, opened


def test_an_unused_store_has_no_data_and_a_used_one_has(log: Log) -> None:
    assert not log.has_data()
    opened(log)
    assert log.has_data()


def test_every_collection_and_schedule_is_named(log: Log) -> None:
    for name in ("keys", "encounters/ada", "odd {name}:records"):
        log.put_record(name, "a", b"1")
    log.set_due("webhooks", ["w1"], 7, reschedule=False)
    assert log.collections() == ["encounters/ada", "keys", "odd {name}:records"]
    assert log.schedules() == ["webhooks"]
    log.drop_record("keys", "a")
    log.drop_due("webhooks", "w1")
    assert (log.collections(), log.schedules()) == (["encounters/ada", "odd {name}:records"], [])


def test_records_are_put_at_their_own_numbers(log: Log) -> None:
    records = [Record(7, "late", b"7"), Record(2, "early", b"2")]
    log.put_numbered("c", records)
    log.put_numbered("c", [])
    assert log.records("c") == records
    assert log.put_record("c", "next", b"8") == 8
    log.put_numbered("c", [Record(2, "early", b"again")])
    assert log.record("c", "early") == b"again"
    assert [record.number for record in log.records("c")] == [8, 7, 2]


def test_a_schedule_is_read_and_put_with_its_times(log: Log) -> None:
    names = [("first", 3), ("second", 2**45)]
    log.put_scheduled("s", names[::-1])
    log.put_scheduled("s", [])
    assert log.scheduled("s") == names
    assert log.scheduled("nothing") == []
    assert log.due("s", 3, 9) == ["first"]


def test_what_waits_longest_is_known_by_its_time(log: Log) -> None:
    assert log.waiting_since() is None
    log.mark_dirty("e1", 9_000)
    log.mark_dirty("e2", 7_000)
    assert log.waiting_since() == 7_000
    log.set_due("s", ["a", "b", "c"], 5, reschedule=False)
    assert log.scheduled("s", 2) == [("a", 5), ("b", 5)]


def test_the_store_says_how_its_disk_is(log: Log) -> None:
    opened(log)
    disk = log.disk()
    assert disk.rewrites
    assert disk.log_bytes > 0 or isinstance(log, MemoryLog)


def test_a_copy_has_the_commands_that_wait_and_comes_back_as_it_was(log: Log, store: Store) -> None:
    opened(log, commands=3)
    log.commit("e1", fold(1)._replace(sealed=((0, b"in"), (2, b"side")), marks={"m": b"1"}))
    log.put_secret("e1", b"secret")
    before = everything(log)
    found = log.copy("e1")
    assert found is not None
    assert (found.commands, found.commits) == ([b"request 1", b"request 2", b"request 3"], [b"commit 1"])
    assert found.keys["gm\nopen-3"] == "3 f3"

    log.forget("e1")
    assert log.copy("e1") is None
    assert log.restore(found)

    assert everything(log) == before
    assert log.commit("e1", fold(2)) == 1
    log.append("e1", b"request 4", scope="gm", key="k", fingerprint="f", expected=3)
    assert "~:" not in str(store.dump()), "a key of the restoring is left"
