"""Keep the receipts that the service signs: a receipt and a record that contradict it are proof, offline.

`rewound verify FILE --receipt RECEIPT` compares them. It needs the package `cryptography` (the extra
`signing`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from rewound_client.errors import RewoundError

Receipt = dict[str, Any]
"""A receipt (`rewound/receipt/1`), with a true signature."""
Keep = Callable[[Receipt], None]
_LEAF: Final = b"\x00rewound/receipt/1\x00"
_BATCH: Final = b"rewound/receipts/1\x00"
_SAID: Final = ("encounter", "hash", "n", "prev", "request")
_FORMAT: Final = "rewound/receipt/1"
_MEMBERS: Final = frozenset((*_SAID, "batch", "format", "key", "signature"))
_IN_BATCH: Final = frozenset(("index", "path", "size"))
_LONGEST_PATH: Final = 32
_LINE: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")


class FalseReceipt(RewoundError):
    """The service answered with a receipt that is not signed, or is not about the answer."""

    def __init__(self, detail: str, receipt: Receipt) -> None:
        super().__init__(detail)
        self.receipt = receipt
        """What the service sent."""


class ReceiptFolder:
    """Keeps each receipt in a file of its own in a directory, by encounter and number."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)

    def __call__(self, receipt: Receipt) -> None:
        """Write *receipt* into its file. Two different receipts about one command are kept both."""
        raw = _canonical(receipt)
        name = f"{receipt['encounter']}-{receipt['n']:06}-{sha256(raw).hexdigest()[:8]}.receipt.json"
        (self.path / name).write_bytes(raw)

    def files(self) -> list[Path]:
        """Return the files, in the order of the commands."""
        return sorted(self.path.glob("*.receipt.json"))


class ReceiptChecker:
    """Passes on the receipts of answers whose signature is true, made by *key* if one is given."""

    def __init__(self, keep: Keep, key: str | None = None) -> None:
        self._keep = keep
        self._key = key

    def take(self, answer: object) -> None:
        """Pass on the receipts in *answer*; raises `FalseReceipt` for one that is false or does not fit."""
        outcomes = (answer.get("outcomes") or [answer]) if isinstance(answer, Mapping) else []
        for outcome in outcomes:
            receipt = outcome.get("receipt") if isinstance(outcome, Mapping) else None
            if receipt is not None:
                self._check(receipt, outcome)
                self._keep(dict(receipt))

    def _check(self, receipt: Receipt, outcome: Mapping[str, Any]) -> None:
        if not is_true(receipt):
            raise FalseReceipt("the signature of the receipt is false", receipt)
        if self._key is not None and receipt["key"] != self._key:
            raise FalseReceipt(f"the receipt is signed by the key {receipt['key']}", receipt)
        if any(receipt[name] != outcome.get(name) for name in ("n", "hash")):
            raise FalseReceipt("the receipt is about another commit than the answer", receipt)


def is_true(receipt: Receipt) -> bool:
    """Return whether *receipt* is one that a verifier takes, signed by the key that it names."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - an extra

    if not _has_form(receipt):
        return False
    try:
        batch = receipt["batch"]
        leaf = sha256(_LEAF + _canonical({name: receipt[name] for name in _SAID})).digest()
        root = _root(leaf, batch["index"], batch["size"], [bytes.fromhex(step) for step in batch["path"]])
        if root is None:
            return False
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(receipt["key"]))
        message = _BATCH + batch["size"].to_bytes(8, "big") + root
        public.verify(bytes.fromhex(receipt["signature"]), message)
    except (InvalidSignature, ValueError, OverflowError):
        return False
    return True


def _has_form(receipt: object) -> bool:
    """Return whether *receipt* has exactly the members of the format, each spelled as a verifier reads it.

    One that is spelled otherwise would prove nothing later. Its encounter is a part of its file's name.
    """
    if not isinstance(receipt, Mapping) or receipt.keys() != _MEMBERS or receipt["format"] != _FORMAT:
        return False
    batch = receipt["batch"]
    if not isinstance(batch, Mapping) or batch.keys() != _IN_BATCH or not isinstance(batch["path"], list):
        return False
    hashes = [*(receipt[name] for name in ("hash", "prev", "request", "key")), *batch["path"]]
    return (
        _is(_LINE, receipt["encounter"])
        and all(type(each) is int for each in (receipt["n"], batch["index"], batch["size"]))
        and receipt["n"] >= 1
        and len(batch["path"]) <= _LONGEST_PATH
        and all(_is(_HASH, each) for each in hashes)
        and _is(_SIGNATURE, receipt["signature"])
    )


def _is(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """Return the root to which *path* leads from the leaf at *index* (RFC 9162, 2.1.3.2), None if to none."""
    at, last, found = index, size - 1, leaf
    if not 0 <= at <= last:
        return None
    for step in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            found = sha256(b"\x01" + step + found).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = sha256(b"\x01" + found + step).digest()
        at, last = at >> 1, last >> 1
    return found if last == 0 else None


def _canonical(data: object) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
