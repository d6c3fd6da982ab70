"""The names of everything the log keeps in a server; nothing else in the project spells a key.

All keys of an encounter share the hash tag `{id}`, and so one slot of a cluster; likewise a shard's and a
shelf's.
"""

OUTCOMES = "rewound:outcomes"
"""Channel of all commits: encounter, LF, number, LF, what is told beside, LF, the commit's bytes."""


def commands(encounter: str) -> str:
    """Name the stream of requests, entry n-0."""
    return f"{{{encounter}}}:commands"


def commits(encounter: str) -> str:
    """Name the stream of commits, entry n-0."""
    return f"{{{encounter}}}:commits"


def head(encounter: str) -> str:
    """Name the hash of appended, folded, hash, frontier, run."""
    return f"{{{encounter}}}:head"


def idempotency(encounter: str) -> str:
    """Name the hash of idempotency keys: `key_field` -> "n fingerprint"."""
    return f"{{{encounter}}}:keys"


def key_field(scope: str, key: str) -> str:
    """Name one idempotency key inside that hash."""
    assert "\n" not in scope, "a scope with a line feed could be another scope with another key"
    return f"{scope}\n{key}"


def state(encounter: str) -> str:
    """Name the hash of the cached fold: n, hash, ruleset, blob."""
    return f"{{{encounter}}}:state"


def marks(encounter: str) -> str:
    """Name the hash of marks."""
    return f"{{{encounter}}}:marks"


def sealed(encounter: str) -> str:
    """Name the stream of envelope payloads, entry n-index."""
    return f"{{{encounter}}}:sealed"


def secret(encounter: str) -> str:
    """Name the encrypted secret."""
    return f"{{{encounter}}}:secret"


def tries(encounter: str) -> str:
    """Name the hash that counts the tries of one command: n, count."""
    return f"{{{encounter}}}:tries"


def all_of(encounter: str) -> tuple[str, ...]:
    """Name every key of one encounter."""
    names = (commands, commits, head, idempotency, state, marks, sealed, secret, tries)
    return tuple(name(encounter) for name in names)


def dirty(shard: int) -> str:
    """Name the sorted set of encounters that wait for a fold, by time."""
    return f"shard:{{{shard}}}:dirty"


def bell(shard: int) -> str:
    """Name the bell: absent, "rung", or the token of the worker that folds the shard."""
    return f"shard:{{{shard}}}:bell"


def wakes(shard: int) -> str:
    """Name the channel of encounters that have something to fold."""
    return f"rewound:wakes:{shard}"


def agenda(name: str) -> str:
    """Name the sorted set of what is due, by time."""
    return f"side:{{{name}}}:agenda"


def once(name: str) -> str:
    """Name what may be used once."""
    return f"once:{{{name}}}"


def records(shelf: str) -> str:
    """Name the hash of a shelf's records by id."""
    return f"side:{{{shelf}}}:records"


def order(shelf: str) -> str:
    """Name the sorted set of a shelf's ids by number."""
    return f"side:{{{shelf}}}:order"
