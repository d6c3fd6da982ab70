"""Collections in a Valkey or Redis server: a hash of records and a sorted set of their order for each."""

from collections.abc import Sequence

from service.log import keys
from service.log.valkey.library import call
from service.log.valkey.routing import Router
from service.log.values import Record


class ValkeyCollections:
    """Records outside the encounters' history."""

    _wire: Router

    def put_record(self, collection: str, id_: str, blob: bytes) -> int:
        """Put or replace a record; return its number in the collection."""
        number: int = self._wire.change(
            *call("put_record", (keys.records(collection), keys.order(collection)), id_, blob)
        )
        return number

    def append_records(self, collection: str, size: int, records: Sequence[tuple[str, bytes]]) -> bool:
        """Put new records if the last number is *size*."""
        flat = [part for record in records for part in record]
        keys_ = (keys.records(collection), keys.order(collection))
        return bool(self._wire.change(*call("append_records", keys_, size, *flat)))

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        """Put or replace records, in one round trip."""
        self._wire.change_all(
            [
                call("put_record", (keys.records(collection), keys.order(collection)), id_, blob)
                for collection, id_, blob in records
            ]
        )

    def records_named(self, names: Sequence[tuple[str, str]]) -> list[bytes | None]:
        """Return records by collection and id, in one round trip."""
        return self._wire.read_all([("HGET", keys.records(collection), id_) for collection, id_ in names])

    def record(self, collection: str, id_: str) -> bytes | None:
        """Return one record."""
        blob: bytes | None = self._wire.read("HGET", keys.records(collection), id_)
        return blob

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Return up to *limit* records, newest first, numbered below *before*."""
        bound = "+inf" if before is None else f"({before}"
        listed = self._wire.read(
            "ZRANGE", keys.order(collection), bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, limit, "WITHSCORES"
        )
        ids, numbers = listed[::2], listed[1::2]
        if not ids:
            return []
        blobs = self._wire.read("HMGET", keys.records(collection), *ids)
        return [
            Record(int(number), id_.decode(), blob)
            for number, id_, blob in zip(numbers, ids, blobs, strict=True)
            if blob is not None  # it was deleted between the two reads
        ]

    def use_once(self, name: str, ttl_ms: int) -> bool:
        """Use up *name*; return whether it was unused."""
        return self._wire.change("SET", keys.once(name), 1, "NX", "PX", ttl_ms) is not None

    def drop_record(self, collection: str, id_: str) -> None:
        """Delete a record."""
        self._wire.change_all(
            (("ZREM", keys.order(collection), id_), ("HDEL", keys.records(collection), id_))
        )

    def drop_collection(self, collection: str) -> None:
        """Delete all records of a collection."""
        self._wire.change("DEL", keys.records(collection), keys.order(collection))
