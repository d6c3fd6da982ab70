"""Move whole encounters out of a Valkey or Redis server, and back, in one step each."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from service.log import keys
from service.log.valkey.library import call
from service.log.valkey.replies import entry_numbers
from service.log.valkey.routing import Router
from service.log.valkey.wire import Command
from service.log.values import ArchivedTotals, Payload, StoredEncounter

_PAGE = 500
_RUN_ID = b"0" * 40


class ValkeyArchive:
    """Encounters as a whole."""

    _wire: Router

    def dump(self, encounter: str) -> StoredEncounter | None:
        """Read everything of one encounter; see `ArchivedEncounters.dump`."""
        fields = self._wire.read("HMGET", keys.head(encounter), "appended", "folded", "hash", "frontier")
        if fields[0] is None or fields[0] != fields[1]:
            return None
        state = mapping(self._wire.read("HGETALL", keys.state(encounter)))
        found = StoredEncounter(
            encounter=encounter,
            hash=fields[2].decode(),
            frontier=fields[3],
            commands=[raw for _, raw in entries(self._wire, keys.commands(encounter))],
            commits=[raw for _, raw in entries(self._wire, keys.commits(encounter))],
            sealed=[
                Payload(*entry_numbers(id_), raw) for id_, raw in entries(self._wire, keys.sealed(encounter))
            ],
            keys={
                name: value.decode()
                for name, value in mapping(self._wire.read("HGETALL", keys.idempotency(encounter))).items()
            },
            marks=mapping(self._wire.read("HGETALL", keys.marks(encounter))),
            derived={name: value for name, value in state.items() if "/" in name},
        )
        return found if len(found.commands) == len(found.commits) == int(fields[0]) else None

    def evict(self, encounter: str, n: int, hash_: str, entry: bytes, size: int) -> bool:
        """Put *entry* in the place of an encounter; see `ArchivedEncounters.evict`."""
        stays = (keys.head(encounter), keys.secret(encounter))
        goes = (name for name in keys.all_of(encounter) if name not in stays)
        names = (*archived_names(encounter), keys.head(encounter), *goes)
        return bool(self._wire.change(*call("evict", names, n, hash_, entry, size)))

    def archived(self, encounter: str) -> bytes | None:
        """Read the entry of an archived encounter."""
        entry: bytes | None = self._wire.read("HGET", keys.archived(encounter), "entry")
        return entry

    def archived_totals(self) -> ArchivedTotals:
        """Read how many encounters are archived, and what their files hold."""
        tallies = [
            ("HMGET", keys.archived_tally(bucket), "encounters", "bytes") for bucket in range(keys.BUCKETS)
        ]
        counted = self._wire.read_all(tallies)
        return ArchivedTotals(*(sum(int(each[i] or 0) for each in counted) for i in (0, 1)))

    def restore(self, stored: StoredEncounter, entry: bytes = b"", over: int = 0) -> bool:
        """Put an encounter in the place of *entry*; see `ArchivedEncounters.restore`."""
        encounter = stored.encounter
        there = {
            keys.head(encounter): True,
            keys.commands(encounter): bool(stored.commands),
            keys.commits(encounter): bool(stored.commits),
            keys.idempotency(encounter): bool(stored.keys),
            keys.state(encounter): bool(stored.derived),
            keys.marks(encounter): bool(stored.marks),
            keys.sealed(encounter): bool(stored.sealed),
        }
        self._wire.change("DEL", *map(keys.draft, there))
        for commands in _batched(_writes(stored), _PAGE):
            self._wire.change_all(commands)
        names = [name for name, is_there in there.items() if is_there]
        drafts = [keys.draft(name) for name in names]
        return bool(
            self._wire.change(
                *call("restore", (*archived_names(encounter), *drafts, *names), entry, len(names), over)
            )
        )


def entries(wire: Router, stream: str, upto: int | None = None) -> Iterator[tuple[bytes, bytes]]:
    """Yield id and bytes of every entry of *stream*, up to number *upto* if it is given."""
    start, end = "-", "+" if upto is None else str(upto)
    while page := wire.read("XRANGE", stream, start, end, "COUNT", _PAGE):
        for id_, fields in page:
            yield id_, fields[1]
        start = "(" + page[-1][0].decode()


def archived_names(encounter: str) -> tuple[str, str]:
    """Return the keys of an encounter's entry, and of its bucket's count of entries."""
    return keys.archived(encounter), keys.archived_tally(keys.bucket_of(encounter))


def _writes(stored: StoredEncounter) -> Iterator[Command]:
    """Yield the commands that write *stored* to the keys of drafts."""
    encounter = stored.encounter
    for name, raws in ((keys.commands, stored.commands), (keys.commits, stored.commits)):
        stream = keys.draft(name(encounter))
        yield from (("XADD", stream, f"{n}-0", "r", raw) for n, raw in enumerate(raws, 1))
    sealed = keys.draft(keys.sealed(encounter))
    yield from (("XADD", sealed, f"{each.n}-{each.index}", "r", each.raw) for each in stored.sealed)
    hashes: tuple[tuple[str, Mapping[str, str | bytes]], ...] = (
        (keys.idempotency(encounter), stored.keys),
        (keys.marks(encounter), stored.marks),
        (keys.state(encounter), stored.derived),
    )
    for name_, fields in hashes:
        yield from (("HSET", keys.draft(name_), field, value) for field, value in fields.items())
    head: dict[str, str | int | bytes] = {
        "appended": len(stored.commands),
        "folded": len(stored.commits),
        "hash": stored.hash,
        "frontier": stored.frontier,
        "bytes": stored.size,
        "derived": sum(map(len, stored.derived.values())),
        "run": _RUN_ID,
    }
    yield ("HSET", keys.draft(keys.head(encounter)), *(part for field in head.items() for part in field))


def mapping(flat: Sequence[bytes]) -> dict[str, bytes]:
    """Return the fields of a hash, from the names and values of its reply."""
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _batched(commands: Iterator[Command], size: int) -> Iterator[list[Command]]:
    """Yield *commands* in lists of *size*."""
    while page := list(islice(commands, size)):
        yield page
