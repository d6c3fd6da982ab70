"""Hold the rules and the dice to their purity, and prove on planted violations that the reader sees them."""

from pathlib import Path

import pytest

from tests.house.purity.laws import OURS, REGISTRARS
from tests.house.purity.reader import faults

FIELD_OF_SETS = "class Wound:\n    parts: frozenset[str]\n"

IMPURE = {
    "random": ("import random\n", "import of random"),
    "a clock": ("from time import monotonic\n", "import of time.monotonic"),
    "a calendar": ("from datetime import datetime\n", "import of datetime.datetime"),
    "the system": ("import os.path\n", "import of os.path"),
    "a log": ("    import logging\n", "import of logging"),
    "identifiers": ("import uuid\n", "import of uuid"),
    "secrets": ("from secrets import token_bytes\n", "import of secrets.token_bytes"),
    "a third party": ("import msgspec\n", "import of msgspec"),
    "the service's settings": ("from service import settings\n", "import of service.settings"),
    "the log's bytes": (
        "from service.log.memory import MemoryLog\n",
        "import of service.log.memory.MemoryLog",
    ),
    "a square root": ("from math import sqrt\n", "import of math.sqrt"),
    "true division as a function": ("from operator import truediv\n", "import of operator.truediv"),
    "a float": ("    return 0.5\n", "float"),
    "a power of ten": ("    return 1e3\n", "float"),
    "true division": ("    return a / 2\n", "true division"),
    "true division in place": ("    a /= 2\n", "true division"),
    "a negative power": ("    return a ** -1\n", "float: negative power"),
    "float()": ("    return float(a)\n", "float makes"),
    "round()": ("    return round(a)\n", "round rounds"),
    "hash()": ("    return hash(a)\n", "hash differs"),
    "hash() near a __hash__": (
        "    def __hash__(self):\n        return 1\n    return hash(a)\n",
        "hash differs",
    ),
    "hash as a key": ("    return sorted(a, key=hash)\n", "hash differs"),
    "id()": ("    return id(a)\n", "id tells"),
    "open()": ("    return open(a)\n", "open touches"),
    "print()": ("    print(a)\n", "print touches"),
    "eval()": ("    return eval(a)\n", "eval runs"),
    "exec()": ("    exec(a)\n", "exec runs"),
    "a hidden import": ("    return __import__(a)\n", "__import__ hides"),
    "global": ("    global turn\n", "global"),
    "a coroutine": ("async def wait(): ...\n", "async"),
    "for over a set literal": ("    for x in {1, 2}: pass\n", "order of a set"),
    "for over set()": ("    for x in set(a): pass\n", "order of a set"),
    "for over an annotated argument": ("def g(s: set[str]):\n    for x in s: pass\n", "order of a set"),
    "for over an optional set": (
        "def g(s: frozenset[str] | None):\n    for x in s: pass\n",
        "order of a set",
    ),
    "for over an assigned name": ("    s = {x for x in a}\n    for x in s: pass\n", "order of a set"),
    "for over a union": ("    s = set(a)\n    for x in s | t: pass\n", "order of a set"),
    "for over a difference": ("    for x in set(a).difference(t): pass\n", "order of a set"),
    "for over a module's set": ("S = frozenset({1})\ndef g():\n    for x in S: pass\n", "order of a set"),
    "for over a record's field": (
        FIELD_OF_SETS + "def g(w):\n    for x in w.parts: pass\n",
        "order of a set",
    ),
    "a list made of a set": ("    return list({1, 2})\n", "order of a set"),
    "a tuple made of a set": ("    return tuple(set(a))\n", "order of a set"),
    "a comprehension over a set": ("    return [x for x in set(a)]\n", "order of a set"),
    "a joined set": ("    return ','.join(set(a))\n", "order of a set"),
    "a set unpacked": ("    return [*set(a)]\n", "order of a set"),
    "a set taken apart": ("    b, c = {1, 2}\n", "order of a set"),
    "a set popped": ("    return set(a).pop()\n", "order of a set"),
    "the least of a set by key": ("    return min(set(a), key=len)\n", "order of a set"),
    "a yielded set": ("    yield from set(a)\n", "order of a set"),
    "a list in the module": ("seen = []\n", "state of the module"),
    "a dict in the module": ("seen: dict[str, int] = {}\n", "state of the module"),
    "a counter in the module": ("seen = defaultdict(int)\n", "state of the module"),
    "a write to the module": ("T: Final = {}\ndef g(k):\n    T[k] = 1\n", "write to the module"),
    "a write to another module": (
        "from service.rules.registry import T\ndef g(k):\n    T[k] = 1\n",
        "write to the module",
    ),
    "an append to the module": ("T: Final = []\ndef g(k):\n    T.append(k)\n", "write to the module"),
}

PURE = {
    "our own modules": "from service.dice.values import Die\nfrom service.rules import stack\n",
    "whole division": "def f(a):\n    return -(-a // 2)\n",
    "whole roots": "from math import isqrt\n",
    "membership": "S = frozenset({1})\ndef f(a):\n    return a in S\n",
    "a sorted set": "def f(a):\n    return sorted(set(a))\n",
    "for over a sorted set": "def f(a):\n    for x in sorted(set(a)): pass\n",
    "any of a set": "def f(s: set[int]):\n    return any(x > 1 for x in s)\n",
    "a set of a set": "def f(s: set[int]):\n    return {x + 1 for x in s}\n",
    "the same name elsewhere": "def f(s: set[int]): ...\ndef g(s: tuple[int, ...]):\n    for x in s: pass\n",
    "an argument called like a built-in": "def f(id):\n    return id\n",
    "a field called like a built-in": "class F:\n    round: int\ndef f(s):\n    return s.round\n",
    "a read-only table": "T: Mapping[str, int] = {'a': 1}\nU: Final = {'b': 2}\n",
    "hash() in a __hash__": "class F:\n    def __hash__(self):\n        return hash(self.a)\n",
    "a local list": "def f():\n    seen = []\n    seen.append(1)\n    return seen\n",
}


def read(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for package in OURS
        for path in sorted(root.joinpath(*package.split(".")).rglob("*.py"))
    }


def test_the_rules_and_the_dice_are_pure(root: Path) -> None:
    sources = read(root)
    assert sources, "nothing was read"
    found = faults(sources)
    assert not found, "\n" + "\n".join(map(str, found))


def test_the_registrars_exist(root: Path) -> None:
    gone = [path for path, (name, _) in REGISTRARS.items() if f"def {name}(" not in (root / path).read_text()]
    assert not gone


@pytest.mark.parametrize(("text", "law"), IMPURE.values(), ids=IMPURE)
def test_a_planted_violation_is_caught(text: str, law: str) -> None:
    planted = f"def f(a, t):\n{text}" if text.startswith("    ") else text
    laws = [fault.law for fault in faults({"service/rules/planted.py": planted})]
    assert any(found.startswith(law) for found in laws), laws


@pytest.mark.parametrize("text", PURE.values(), ids=PURE)
def test_what_is_pure_passes(text: str) -> None:
    assert faults({"service/rules/planted.py": text}) == []


def test_a_field_of_sets_is_known_in_other_files() -> None:
    found = faults(
        {"service/rules/a.py": FIELD_OF_SETS, "service/rules/b.py": "def g(w):\n    return [*w.parts]\n"}
    )
    assert [fault.path for fault in found] == ["service/rules/b.py"]
