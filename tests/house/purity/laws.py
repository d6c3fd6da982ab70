"""Say what a pure module may import and use; `reader.py` holds the source to it.

Laws of this file: a name allowed here brings in no clock, no chance, no system and no float; an entry that
looks odd says why it stands.
"""

from collections.abc import Mapping
from typing import Final

# None stands for the whole module. What differs between Pythons (unicodedata, locale) is not here.
ALLOWED: Final[Mapping[str, frozenset[str] | None]] = {
    "__future__": None,
    "abc": None,
    "bisect": None,
    "collections": frozenset({"ChainMap", "namedtuple"}),
    "collections.abc": None,
    "contextlib": frozenset({"contextmanager"}),
    "contextvars": None,  # the meter of the work that is being done: it counts and decides nothing else
    "dataclasses": None,
    "enum": None,
    "fractions": None,
    "functools": None,
    "hashlib": None,
    "heapq": None,
    "hmac": None,
    "inspect": None,
    "itertools": None,
    "json": None,
    "math": frozenset({"comb", "gcd", "isqrt", "lcm", "perm", "prod"}),
    "operator": frozenset({"add", "attrgetter", "itemgetter", "methodcaller", "mul", "sub"}),
    "re": None,
    "string": None,
    "struct": None,
    "textwrap": None,
    "types": None,
    "typing": None,
}
OURS: Final = ("service.dice", "service.rules")

# Modules that fill a table while they are imported and never after: path -> (function, why).
REGISTRARS: Final[Mapping[str, tuple[str, str]]] = {
    "service/rules/kernel/rulebook.py": (
        "enforces",
        "the decorator enters each rule once, when its module is imported",
    ),
}

BUILTINS: Final[Mapping[str, str]] = {
    "float": "makes a float",
    "complex": "makes a float",
    "round": "rounds floats; whole numbers are divided with // in the direction the rule says",
    "hash": "differs between processes",
    "id": "tells an address",
    "open": "touches the world",
    "print": "touches the world",
    "input": "touches the world",
    "eval": "runs text",
    "exec": "runs text",
    "compile": "runs text",
    "__import__": "hides an import",
    "globals": "is the state of a module",
    "breakpoint": "waits for a person",
}
SET_NAMES: Final = frozenset({"set", "frozenset"})
SET_TYPES: Final = SET_NAMES | {"AbstractSet", "FrozenSet", "MutableSet", "Set"}
SET_METHODS: Final = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
ORDER_SHOWS: Final = frozenset(
    {"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed", "dict"}
)
ORDER_HIDDEN: Final = frozenset({"sorted", "any", "all", "sum", "len", "set", "frozenset"})
MUTABLE_CALLS: Final = frozenset(
    {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"}
)
READ_ONLY: Final = frozenset(
    {"Final", "Mapping", "Sequence", "AbstractSet", "Collection", "Iterable", "TypeAlias"}
)
WRITERS: Final = frozenset(
    {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault"}
    | {"sort", "reverse", "update"}
)
