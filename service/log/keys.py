"""The names of everything the log keeps; nothing else in the project spells a key.

A *bucket* is one of `BUCKETS`, derived from an encounter's id. All keys of an encounter carry the hash tag of
its bucket, `{b0417}`, and so do the bucket's dirty set, its ring and its channels: whatever one function
touches lies in one slot of a cluster, and a bucket moves between nodes as a whole. A collection, a schedule
and a lease have tags of their own.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Final

BUCKETS: Final = 1024
"""How many buckets there are. It is part of every key, so it never changes for a store."""


FORMAT: Final = "rewound:{format}"
"""Names the format in which the store is kept."""


def bucket_of(encounter: str) -> int:
    """Return the bucket of an encounter."""
    return int.from_bytes(sha256(encounter.encode()).digest()[:2], "big") % BUCKETS


def _tag(bucket: int) -> str:
    return f"{{b{bucket:04}}}"


@lru_cache(maxsize=65_536)
def _own(encounter: str) -> str:
    """Return what the names of an encounter's keys begin with."""
    return f"{_tag(bucket_of(encounter))}:{encounter}"


OCCASIONS = "occasions"
"""What the fields of a state's hash begin with that hold the occasions of an interval."""


def commands(encounter: str) -> str:
    """Name the stream of requests, entry n-0."""
    return f"{_own(encounter)}:commands"


def commits(encounter: str) -> str:
    """Name the stream of commits, entry n-0."""
    return f"{_own(encounter)}:commits"


def head(encounter: str) -> str:
    """Name the hash of appended, folded, hash, frontier, run."""
    return f"{_own(encounter)}:head"


def idempotency(encounter: str) -> str:
    """Name the hash of idempotency keys: `key_field` -> "n fingerprint"."""
    return f"{_own(encounter)}:keys"


def key_field(scope: str, key: str) -> str:
    """Name one idempotency key inside that hash."""
    assert "\n" not in scope, "a scope with a line feed could be another scope with another key"
    return f"{scope}\n{key}"


def state(encounter: str) -> str:
    """Name the hash of what is derived: the cached fold, snapshots (`n/rules`), occasions (`occasions/n`)."""
    return f"{_own(encounter)}:state"


def marks(encounter: str) -> str:
    """Name the hash of marks."""
    return f"{_own(encounter)}:marks"


def sealed(encounter: str) -> str:
    """Name the stream of envelope payloads, entry n-index."""
    return f"{_own(encounter)}:sealed"


def secret(encounter: str) -> str:
    """Name the encrypted secret."""
    return f"{_own(encounter)}:secret"


def tries(encounter: str) -> str:
    """Name the hash that counts the tries of one command: n, count."""
    return f"{_own(encounter)}:tries"


def archived(encounter: str) -> str:
    """Name the hash that takes the place of an archived encounter: entry, bytes of its file."""
    return f"{_own(encounter)}:archived"


def archived_tally(bucket: int) -> str:
    """Name the hash that counts a bucket's archived encounters, and the bytes of their files."""
    return f"{_tag(bucket)}:archived"


def draft(name: str) -> str:
    """Name what becomes one of an encounter's keys in one step, once all of it is there."""
    own, _, kind = name.rpartition(":")
    return f"{own}~:{kind}"


def all_of(encounter: str) -> tuple[str, ...]:
    """Name every key of one encounter that is in the store."""
    names = (commands, commits, head, idempotency, state, marks, sealed, secret, tries)
    return tuple(name(encounter) for name in names)


def dirty(bucket: int) -> str:
    """Name the sorted set of a bucket's encounters that wait for a fold, by time."""
    return f"{_tag(bucket)}:dirty"


def notified(bucket: int) -> str:
    """Name what exists while a fold of the bucket has been asked for and not begun."""
    return f"{_tag(bucket)}:ring"


def appends(bucket: int) -> str:
    """Name the channel of a bucket's commands: encounter, LF, number, LF, the request's bytes.

    A space and the name of the process that asked may stand behind the encounter.
    """
    return f"rewound:{_tag(bucket)}:commands"


def outcomes(bucket: int) -> str:
    """Name the channel of a bucket's commits: encounter, LF, number, LF, what is told beside, LF, bytes."""
    return f"rewound:{_tag(bucket)}:commits"


def replies(bucket: int, process: str) -> str:
    """Name the channel of those of a bucket's commits that were asked for by *process*, as `outcomes`."""
    return f"rewound:{_tag(bucket)}:replies:{process}"


def notices(bucket: int) -> str:
    """Name the channel of those of a bucket's commits that every process must hear, as `outcomes`."""
    return f"rewound:{_tag(bucket)}:notices"


def lease(name: str) -> str:
    """Name what holds the token of whoever has leased *name*."""
    return f"lease:{{{name}}}"


def schedule(name: str) -> str:
    """Name the sorted set of what is due, by time."""
    return f"schedule:{{{name}}}:due"


def once(name: str) -> str:
    """Name what may be used once."""
    return f"once:{{{name}}}"


def records(collection: str) -> str:
    """Name the hash of a collection's records by id."""
    return f"collection:{{{collection}}}:records"


def order(collection: str) -> str:
    """Name the sorted set of a collection's ids by number."""
    return f"collection:{{{collection}}}:order"
