"""Read a whole Valkey or Redis server, or a cluster, and put records at their numbers."""

from collections.abc import Iterator, Sequence
from typing import Final

from service.log import keys
from service.log.valkey.archive import entries, mapping
from service.log.valkey.durable import parse_info
from service.log.valkey.replies import entry_numbers
from service.log.valkey.routing import Router
from service.log.values import Payload, Record, StoredEncounter, StoreDisk

_SCANNED: Final = 1_000
_PAGE: Final = 500


class ValkeyWhole:
    """Everything that the store has."""

    _wire: Router

    def has_data(self) -> bool:
        """Return whether there is any key but that of the format."""
        there = sum(int(wire.read("DBSIZE")) for wire in self._wire.primaries())
        return there > int(self._wire.read("EXISTS", keys.FORMAT))

    def collections(self) -> list[str]:
        """Return the names of all collections."""
        return self._names(keys.EVERY_COLLECTION)

    def schedules(self) -> list[str]:
        """Return the names of all schedules."""
        return self._names(keys.EVERY_SCHEDULE)

    def _names(self, every: str) -> list[str]:
        return sorted({keys.named_in(key) for key in self._keys(every)})

    def _keys(self, pattern: str) -> Iterator[str]:
        """Yield the keys of *pattern*; one that stays meanwhile is among them, perhaps twice."""
        for wire in self._wire.primaries():
            cursor = b"0"
            while True:
                cursor, found = wire.read("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED)
                yield from (key.decode() for key in found)
                if cursor == b"0":
                    break

    def scheduled(self, schedule: str, count: int | None = None) -> list[tuple[str, int]]:
        """Return every name on a schedule, or the first *count*, with its time."""
        last = -1 if count is None else count - 1
        flat = self._wire.read("ZRANGE", keys.schedule(schedule), 0, last, "WITHSCORES")
        return [(name.decode(), int(at)) for name, at in zip(flat[::2], flat[1::2], strict=True)]

    def put_numbered(self, collection: str, records: Sequence[Record]) -> None:
        """Put or replace records, each at its own number."""
        for start in range(0, len(records), _PAGE):
            page = records[start : start + _PAGE]
            numbers = [part for each in page for part in (each.number, each.id)]
            blobs = [part for each in page for part in (each.id, each.blob)]
            self._wire.change_all(
                (
                    ("ZADD", keys.order(collection), *numbers),
                    ("HSET", keys.records(collection), *blobs),
                )
            )

    def put_scheduled(self, schedule: str, names: Sequence[tuple[str, int]]) -> None:
        """Put or move names on a schedule, each to its time."""
        for start in range(0, len(names), _PAGE):
            scored = [part for name, at_ms in names[start : start + _PAGE] for part in (at_ms, name)]
            self._wire.change("ZADD", keys.schedule(schedule), *scored)

    def waiting_since(self) -> int | None:
        """Return since when the encounter waits that has waited longest; see `WholeStore.waiting_since`."""
        first = self._wire.read_all(
            [("ZRANGE", keys.dirty(bucket), 0, 0, "WITHSCORES") for bucket in range(keys.BUCKETS)]
        )
        return min((int(flat[1]) for flat in first if flat), default=None)

    def disk(self) -> StoreDisk:
        """Return how the append-only files are."""
        found = [parse_info(wire.read("INFO", "persistence")) for wire in self._wire.primaries()]
        return StoreDisk(
            log_bytes=sum(int(info.get("aof_current_size", 0)) for info in found),
            rewrites=all(info.get("aof_last_bgrewrite_status", "ok") == "ok" for info in found),
        )

    def copy(self, encounter: str) -> StoredEncounter | None:
        """Read one encounter as it is at one moment; see `WholeStore.copy`."""
        head = ("HMGET", keys.head(encounter), "appended", "folded", "hash", "frontier")
        there, marks, after = self._wire.read_all((head, ("HGETALL", keys.marks(encounter)), head))
        if there[0] is None:
            return None
        if there != after:  # a commit came between the two, so the marks may be newer than the head
            return self.copy(encounter)
        appended, folded = int(there[0]), int(there[1])
        known = mapping(self._wire.read("HGETALL", keys.idempotency(encounter)))
        found = StoredEncounter(
            encounter=encounter,
            hash=there[2].decode(),
            frontier=there[3],
            commands=[raw for _, raw in entries(self._wire, keys.commands(encounter), appended)],
            commits=[raw for _, raw in entries(self._wire, keys.commits(encounter), folded)],
            sealed=[
                Payload(*entry_numbers(id_), raw)
                for id_, raw in entries(self._wire, keys.sealed(encounter), folded)
            ],
            keys={
                name: value.decode()
                for name, value in known.items()
                if int(value.partition(b" ")[0]) <= appended
            },
            marks=mapping(marks),
            derived={},
        )
        is_whole = (len(found.commands), len(found.commits)) == (appended, folded)
        if not is_whole and self._wire.read("HGET", keys.head(encounter), "appended") is None:
            return None  # it left the store meanwhile
        return found
