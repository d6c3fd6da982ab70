"""Change files that strangers give beside a bundle: receipts, answers, certificates, log proofs, policies.

Whatever they have, both verifiers say the same, and neither breaks; `tests.audit.cases` draws many.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from service.audit import bundle
from service.audit.certificate import certificate, signed
from service.audit.evidence import Evidence
from service.audit.log_proof import make
from service.audit.receipts import sign_receipts
from service.audit.verify import verify
from service.record.canonical import NotCanonical, dumps
from service.record.ed25519 import sign_bytes
from service.record.log_entries import BadEntry, LogEntry, read_entry
from tests.audit.bundle_vectors import HOME, game, spelled
from tests.audit.log_vectors import LogVector, vectors
from tests.audit.shapes import ODD, PROTOTYPE, spoil
from tests.audit.test_logged import entries_of, record
from tests.audit.test_receipts import write_of
from tests.support.a_log import a_log, policy_text
from tests.support.javascript_verifier import Case
from tests.support.tiny_table import SIGNER

SAID = ("encounter", "hash", "n", "prev", "request")
"""What the leaf of a receipt is made of."""


@dataclass(frozen=True)
class Files:
    """A sound record and the files that hold against it."""

    raw: bytes
    receipt: bytes
    answer: bytes
    certificate: bytes
    logged: tuple[LogVector, ...]
    """Sound records and others, each with its log proof and policy."""


@cache
def files() -> Files:
    """Return the files."""
    record = game()
    raw = spelled(record)
    (receipt,) = sign_receipts([(record.encounter, write_of(record, 4))], SIGNER.secret)
    report = verify(bundle.read(raw, pinned=(SIGNER.public,)), {}, without_rules=True)
    with tempfile.TemporaryDirectory() as home:
        logged = tuple(each for each in vectors(Path(home)) if not each.name.startswith("bad-"))
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
        (
            *(_receipt, _signed_receipt, _answer, _unsigned, _certificate, _signed_certificate),
            *(_log, _entries, _policy),
        )
    )
    return of(rng)


def _receipt(rng: random.Random) -> Case:
    return _held(receipt=_changed(files().receipt, rng))


def _signed_receipt(rng: random.Random) -> Case:
    """Change what a receipt says, and sign it again: only the record can contradict it."""
    data = json.loads(files().receipt)
    spoil(data, rng)
    with suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
        leaf = sha256(b"\0rewound/receipt/1\0" + dumps({name: data[name] for name in SAID})).digest()
        message = b"rewound/receipts/1\0" + data["batch"]["size"].to_bytes(8, "big") + leaf
        data["signature"] = sign_bytes(message, SIGNER.secret).hex()
    return _held(receipt=_spelled(data))


def _signed_certificate(rng: random.Random) -> Case:
    """Change what a certificate says, and sign it again: each member is compared with the record."""
    data = json.loads(files().certificate)
    del data["signature"]
    spoil(data, rng)
    with suppress(NotCanonical, KeyError, TypeError):
        return _held(certificate=dumps(signed(data, SIGNER)))
    return _held(certificate=_spelled(data))


def _entries(rng: random.Random) -> Case:
    """Log other entries about a fight than an honest host does, each in its form, and prove them."""
    fight = rng.choice((fight_with_rulings(), (record(),)))
    entries = entries_of(*fight)
    for _ in range(rng.choice((0, 1, 1, 2))):
        at = rng.randrange(len(entries))
        other = rng.choice(entries)
        changed = replace(
            entries[at],
            **rng.choice(
                (
                    {"size": max(1, entries[at].size + rng.choice((-1, 1, 5)))},
                    {"size": other.size, "hash": other.hash},
                    {"hash": other.hash},
                    {"kind": rng.choice(("head", "end"))},
                    {"kind": other.kind, "size": other.size, "hash": other.hash, "owner": "cd" * 16},
                    {"encounter": other.encounter},
                    {"parent": other.encounter},
                    {"ruled_in": other.encounter},
                    {"n": rng.randrange(1, 12)},
                    {"head": "ab" * 32},
                    {"continued_in": rng.choice((other.encounter, ""))},
                )
            ),
        )
        how = rng.random()
        entries[at:at] = [changed] if how < 0.4 else []
        if how >= 0.4:
            entries[at : at + 1] = [changed] * (how < 0.8)
    logged = [each for each in entries if _is_entry(each)]
    with tempfile.TemporaryDirectory() as home:
        _, writer = a_log(Path(home), *logged)
        proof = make(writer.log, *(line.encounter for line in fight))
    policy = rng.choice((None, policy_text([], "").encode()))
    return Case(spelled(*fight), pinned=(SIGNER.public,), log=proof, policy=policy)


def _is_entry(entry: LogEntry) -> bool:
    """Return whether *entry* has the form of an entry."""
    try:
        return read_entry(entry.to_bytes()) is not None
    except BadEntry:
        return False


@cache
def fight_with_rulings() -> tuple[Evidence, ...]:
    """Return the fight with rulings of the vectors."""
    return bundle.read_fight((HOME / "right-fight-with-rulings.jsonl").read_bytes(), pinned=(SIGNER.public,))


def _answer(rng: random.Random) -> Case:
    return _held(receipt=_changed(files().answer, rng))


def _unsigned(rng: random.Random) -> Case:
    said = json.loads(files().receipt)
    return _held(receipt=_changed(dumps({"n": said["n"], "hash": said["hash"]}), rng))


def _certificate(rng: random.Random) -> Case:
    return _held(certificate=_changed(files().certificate, rng))


def _log(rng: random.Random) -> Case:
    case = _logged(rng)
    assert case.log is not None
    return replace(case, log=_changed(case.log, rng))


def _policy(rng: random.Random) -> Case:
    case = _logged(rng)
    lines = (case.policy or b"").decode().split("\n")
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    words[rng.randrange(len(words))] = rng.choice(
        (*PROTOTYPE, "all", "any", "0", "1", "2", "unseen", "\u00e9", "\t", "")
    )
    lines[at] = " ".join(words)
    if rng.random() < 0.3:
        odd = ("group g constructor ada", "group g all ada ada", "quorum none", "unseen 3 0", "\r")
        lines.insert(at, rng.choice((*lines, *odd)))
    return replace(case, policy="\n".join(lines).encode())


def _held(**files_: Any) -> Case:
    return Case(files().raw, pinned=(SIGNER.public,), **files_)


def _logged(rng: random.Random) -> Case:
    logged = rng.choice(files().logged)
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
