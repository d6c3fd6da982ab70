"""Change files that strangers give beside a bundle: receipts, answers, certificates, log proofs, policies.

Whatever they have, both verifiers say the same, and neither breaks. `make shapes` draws them too.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from service.audit import bundle
from service.audit.certificate import certificate, signed
from service.audit.receipts import sign_receipts
from service.audit.verify import verify
from service.record.canonical import dumps
from tests.audit.bundle_vectors import game, spelled
from tests.audit.log_vectors import LogVector, vectors
from tests.audit.shapes import ODD, spoil
from tests.audit.test_receipts import write_of
from tests.support.javascript_verifier import Case
from tests.support.tiny_table import SIGNER

PROTOTYPE: Final = (
    *("constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__proto__"),
    *("propertyIsEnumerable", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
"""The names that every object of JavaScript has from its prototype."""


@dataclass(frozen=True)
class Files:
    """A sound record and the files that hold against it."""

    raw: bytes
    receipt: bytes
    answer: bytes
    certificate: bytes
    logged: LogVector


@cache
def files() -> Files:
    """Return the files."""
    record = game()
    raw = spelled(record)
    (receipt,) = sign_receipts([(record.encounter, write_of(record, 4))], SIGNER.secret)
    report = verify(bundle.read(raw, pinned=(SIGNER.public,)), {}, without_rules=True)
    with tempfile.TemporaryDirectory() as home:
        logged = next(iter(vectors(Path(home))))
    said = json.loads(receipt)
    return Files(
        raw=raw,
        receipt=receipt,
        answer=dumps({"n": said["n"], "hash": said["hash"], "outcome": "accepted", "receipt": said}),
        certificate=dumps(signed(certificate(report), SIGNER)),
        logged=logged,
    )


def drawn(seed: int) -> Case:
    """Return the case that *seed* makes: a sound record, and one file of a stranger that is changed."""
    rng = random.Random(f"stranger {seed}")
    of: Callable[[random.Random], Case] = rng.choice(
        (_receipt, _answer, _unsigned, _certificate, _log, _policy)
    )
    return of(rng)


def _receipt(rng: random.Random) -> Case:
    return _held(receipt=_changed(files().receipt, rng))


def _answer(rng: random.Random) -> Case:
    return _held(receipt=_changed(files().answer, rng))


def _unsigned(rng: random.Random) -> Case:
    said = json.loads(files().receipt)
    return _held(receipt=_changed(dumps({"n": said["n"], "hash": said["hash"]}), rng))


def _certificate(rng: random.Random) -> Case:
    return _held(certificate=_changed(files().certificate, rng))


def _log(rng: random.Random) -> Case:
    logged = files().logged
    return replace(_logged(), log=_changed(logged.proof, rng))


def _policy(rng: random.Random) -> Case:
    lines = files().logged.policy.split("\n")
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    words[rng.randrange(len(words))] = rng.choice(
        (*PROTOTYPE, "all", "any", "0", "1", "2", "\u00e9", "\t", "")
    )
    lines[at] = " ".join(words)
    if rng.random() < 0.3:
        lines.insert(
            at, rng.choice((*lines, "group g constructor ada", "group g all ada ada", "quorum none", "\r"))
        )
    return replace(_logged(), policy="\n".join(lines).encode())


def _held(**files_: Any) -> Case:
    return Case(files().raw, pinned=(SIGNER.public,), **files_)


def _logged() -> Case:
    logged = files().logged
    return Case(logged.bundle, pinned=(SIGNER.public,), log=logged.proof, policy=logged.policy.encode())


def _changed(raw: bytes, rng: random.Random) -> bytes:
    """Change a file of JSON: a value of it, its spelling, or its bytes."""
    how = rng.random()
    data = json.loads(raw)
    if how < 0.5:
        spoil(data, rng)
        return _spelled(data)
    if how < 0.6:
        return _respelled(data, rng)
    if how < 0.7:
        deep = rng.choice((2, 63, 64, 65, 1_000, 200_000))
        return rng.choice(
            (raw[:-1] + b',"zz":' + b"[" * deep + b"]" * deep + b"}", b"[" * deep, b'{"n":' * deep)
        )
    if how < 0.8:
        at = rng.randrange(len(raw))
        return raw[:at] + bytes([rng.randrange(256)]) + raw[at + rng.randrange(2) :]
    if how < 0.9:
        data[rng.choice((*PROTOTYPE, "format", "zz"))] = rng.choice(ODD)
        return _spelled(data)
    return rng.choice(
        (b"", b"\n", b"null", b"[]", b"{}", b"7", b"\xef\xbb\xbf" + raw, raw + b"\n", raw + b"\n\n", raw[:-1])
    )


def _spelled(data: Any) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _respelled(data: Any, rng: random.Random) -> bytes:
    """Return other spellings of the same value, or of one that readers understand in two ways."""
    text = rng.choice(
        (
            json.dumps(data),
            json.dumps(data, indent=2),
            json.dumps(data, ensure_ascii=True).replace("/", "\\/"),
            _spelled(data).decode().replace('"n":4', '"n":4.0'),
            _spelled(data).decode().replace('"n":4', '"n":4e0'),
            _spelled(data).decode().replace('"n":4', '"n":4,"n":5'),
            _spelled(data).decode().replace('"n":4', '"n":-0'),
            _spelled(data).decode().replace('"hash"', '"h\\u0061sh"'),
            _spelled(data).decode().replace('"hash"', '"h\\u0061sh\\ud800"'),
            _spelled(data).decode().replace("rewound/receipt/1", "rewound/receipt/2"),
            _spelled(data).decode().replace("rewound/receipt/1", "rewound/receipt/1\u007f"),
        )
    )
    return text.encode()
