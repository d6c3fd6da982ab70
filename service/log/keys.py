"""The names of all keys and channels of the log; no other module builds one.

A *bucket* is one of `BUCKETS`, derived from an encounter's id. All keys of an encounter have the hash tag of
its bucket, `{b0417}`, and so have the bucket's dirty set, its ring and its channels. So all keys of one
function call are in one slot of a cluster, and a bucket moves between nodes as a whole. A collection, a
schedule and a lease have tags of their own.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Final

BUCKETS: Final = 1024
"""The number of buckets. It is part of every key, so it never changes for a store."""


FORMAT: Final = "rewound:{format}"
"""The key of the store's format."""


def bucket_of(encounter: str) -> int:
    """Return the bucket of an encounter."""
    return int.from_bytes(sha256(encounter.encode()).digest()[:2], "big") % BUCKETS


_TAGS: Final = tuple(f"{{b{bucket:04}}}" for bucket in range(BUCKETS))
"""The hash tags of the buckets."""


@lru_cache(maxsize=65_536)
def _own(encounter: str) -> str:
    """Return the prefix of an encounter's keys."""
    return f"{_TAGS[bucket_of(encounter)]}:{encounter}"


OCCASIONS = "occasions"
"""The prefix of the fields that hold an interval's occasions, in the hash of derived data."""


def commands(encounter: str) -> str:
    """Return the key of the stream of requests, entry n-0."""
    return f"{_own(encounter)}:commands"


def commits(encounter: str) -> str:
    """Return the key of the stream of commits, entry n-0."""
    return f"{_own(encounter)}:commits"


def head(encounter: str) -> str:
    """Return the key of the hash of appended, folded, hash, frontier, run."""
    return f"{_own(encounter)}:head"


def idempotency(encounter: str) -> str:
    """Return the key of the hash of idempotency keys: `key_field` -> "n fingerprint"."""
    return f"{_own(encounter)}:keys"


def key_field(scope: str, key: str) -> str:
    """Return the field of one idempotency key in that hash."""
    assert "\n" not in scope, "a scope with a line feed could be another scope with another key"
    return f"{scope}\n{key}"


def state(encounter: str) -> str:
    """Return the key of the hash of derived data: newest state, snapshots (`n/rules`), `occasions/n`."""
    return f"{_own(encounter)}:state"


def marks(encounter: str) -> str:
    """Return the key of the hash of marks."""
    return f"{_own(encounter)}:marks"


def sealed(encounter: str) -> str:
    """Return the key of the stream of envelope payloads, entry n-index."""
    return f"{_own(encounter)}:sealed"


def secret(encounter: str) -> str:
    """Return the key of the encrypted secret."""
    return f"{_own(encounter)}:secret"


def tries(encounter: str) -> str:
    """Return the key of the hash that counts attempts at one command: n, count."""
    return f"{_own(encounter)}:tries"


def archived(encounter: str) -> str:
    """Name the hash that takes the place of an archived encounter: entry, bytes of its file."""
    return f"{_own(encounter)}:archived"


def archived_tally(bucket: int) -> str:
    """Name the hash that counts a bucket's archived encounters, and the bytes of their files."""
    return f"{_TAGS[bucket]}:archived"


def draft(name: str) -> str:
    """Return the key of a draft, which is renamed to *name* in one step once all of them are written."""
    own, _, kind = name.rpartition(":")
    return f"{own}~:{kind}"


def all_of(encounter: str) -> tuple[str, ...]:
    """Name every key of one encounter that is in the store."""
    names = (commands, commits, head, idempotency, state, marks, sealed, secret, tries)
    return tuple(name(encounter) for name in names)


def dirty(bucket: int) -> str:
    """Return the key of the sorted set of a bucket's encounters that wait for a fold, by time."""
    return f"{_TAGS[bucket]}:dirty"


def notified(bucket: int) -> str:
    """Return the key that exists while a requested fold of the bucket has not begun."""
    return f"{_TAGS[bucket]}:ring"


def appends(bucket: int) -> str:
    """Name the channel of a bucket's commands: encounter, LF, number, LF, the request's bytes.

    A space and the name of the process that asked may stand behind the encounter.
    """
    return f"rewound:{_TAGS[bucket]}:commands"


def outcomes(bucket: int) -> str:
    """Return the channel of a bucket's commits: encounter, LF, number, LF, extra line, LF, the bytes."""
    return f"rewound:{_TAGS[bucket]}:commits"


def replies(bucket: int, process: str) -> str:
    """Name the channel of those of a bucket's commits that were asked for by *process*, as `outcomes`."""
    return f"rewound:{_TAGS[bucket]}:replies:{process}"


def notices(bucket: int) -> str:
    """Name the channel of those of a bucket's commits that every process must hear, as `outcomes`."""
    return f"rewound:{_TAGS[bucket]}:notices"


def lease(name: str) -> str:
    """Return the key of the token that has leased *name*."""
    return f"lease:{{{name}}}"


def schedule(name: str) -> str:
    """Return the key of a schedule's sorted set of names, by time."""
    return f"schedule:{{{name}}}:due"


def once(name: str) -> str:
    """Return the key that marks *name* as used."""
    return f"once:{{{name}}}"


def records(collection: str) -> str:
    """Return the key of the hash of a collection's records by id."""
    return f"collection:{{{collection}}}:records"


def order(collection: str) -> str:
    """Return the key of the sorted set of a collection's ids by number."""
    return f"collection:{{{collection}}}:order"


EVERY_COLLECTION: Final = records("*")
"""The pattern of the keys of all collections."""

EVERY_SCHEDULE: Final = schedule("*")
"""The pattern of the keys of all schedules."""


def named_in(key: str) -> str:
    """Return the name of the collection or schedule that has *key*."""
    return key.partition("{")[2].rpartition("}")[0]
