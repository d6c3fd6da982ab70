"""Sign receipts of commits, many with one signature, and read them.

A receipt (`rewound/receipt/1`) is the service's word on one command: its number, the digest of its request,
the commit that it continues, and the hash of its own commit. It is signed by the key of checkpoints, so a
receipt and a record that contradict each other are proof against the holder of that key. The bytes are
specified in docs/format.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.audit.evidence import Receipt
from service.audit.tree import node, root_of_path
from service.log.values import CommitWrite
from service.record.canonical import NotCanonical, dumps, loads, read_strictly, request_digest
from service.record.ed25519 import SIGNATURE, is_signed, public_key, sign_bytes
from service.rules.kernel.hexadecimal import is_hex

FORMAT: Final = "rewound/receipt/1"
_LEAF: Final = b"\x00rewound/receipt/1\x00"
_BATCH: Final = b"rewound/receipts/1\x00"
_SIZE_BYTES: Final = 8
_LONGEST_PATH: Final = 32
_SAID: Final = ("encounter", "hash", "n", "prev", "request")
_MEMBERS: Final = frozenset((*_SAID, "batch", "format", "key", "signature"))
_IN_BATCH: Final = frozenset(("index", "path", "size"))


class BadReceipt(ValueError):
    """The bytes are not a receipt, or their signature is false."""


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """What the holder of a key signed about one command."""

    encounter: str
    n: int
    request: str
    """The digest of the request."""
    prev: str
    """The hash of the commit that it continues."""
    hash: str
    """The hash of its own commit."""
    public: bytes
    """The public key that signed it."""

    @property
    def said(self) -> str:
        """The commit as the receipt has it, to compare with that of a record."""
        return f"{self.hash}:{self.request}:{self.prev}"


def sign_receipts(writes: Sequence[tuple[str, CommitWrite]], secret: bytes) -> list[bytes]:
    """Return a receipt of each (encounter, commit), as canonical JSON; *secret* signs all of them at once."""
    if not writes:
        return []
    said = [
        {
            "encounter": encounter,
            "hash": write.hash,
            "n": write.n,
            "prev": write.prev,
            "request": request_digest(write.request).hex(),
        }
        for encounter, write in writes
    ]
    root, paths = _paths([_leaf(each) for each in said])
    value = sign_bytes(_message(len(said), root), secret).hex()
    key = public_key(secret).hex()
    return [
        dumps(
            {
                **each,
                "batch": {"index": index, "path": [step.hex() for step in path], "size": len(said)},
                "format": FORMAT,
                "key": key,
                "signature": value,
            }
        )
        for index, (each, path) in enumerate(zip(said, paths, strict=True))
    ]


def receipt_encounter(raw: bytes) -> str:
    """Return the encounter that an unchecked receipt names; empty if it names none."""
    try:
        data = read_strictly(raw.removesuffix(b"\n"))
    except NotCanonical:
        return ""
    named = data.get("encounter") if isinstance(data, dict) else None
    return named if isinstance(named, str) else ""


def read_receipt(raw: bytes) -> SignedReceipt:
    """Return the receipt in *raw*, canonical JSON with an optional LF, after verifying its signature.

    Raises `BadReceipt`.
    """
    try:
        data = read_strictly(raw.removesuffix(b"\n"))
    except NotCanonical as fault:
        raise BadReceipt("it is not canonical JSON") from fault
    if not _is_receipt(data):
        raise BadReceipt(f"its members are not those of {FORMAT}")
    batch = data["batch"]
    path = [bytes.fromhex(step) for step in batch["path"]]
    leaf = _leaf({name: data[name] for name in _SAID})
    root = root_of_path(leaf, batch["index"], batch["size"], path)
    if root is None:
        raise BadReceipt("its path does not lead to a root")
    public = bytes.fromhex(data["key"])
    if not is_signed(_message(batch["size"], root), bytes.fromhex(data["signature"]), public):
        raise BadReceipt("its signature is false")
    return SignedReceipt(
        encounter=data["encounter"],
        n=data["n"],
        request=data["request"],
        prev=data["prev"],
        hash=data["hash"],
        public=public,
    )


def read_receipt_file(raw: bytes) -> tuple[list[bytes], Receipt | None]:
    """Return what a file holds against a record: signed receipts, or a number and a hash that nobody signed.

    An answer of the service may be spelled in any way. What is no answer is taken for a receipt, which then
    does not hold, and accuses nobody.
    """
    try:
        answer = loads(raw)
    except NotCanonical:
        return [raw], None
    if not isinstance(answer, dict) or "format" in answer:
        return [raw], None
    signed = receipts_in(answer)
    if signed:
        return signed, None
    n, hash_ = answer.get("n"), answer.get("hash")
    if type(n) is not int or n < 1 or not is_hex(hash_):
        return [raw], None
    return [], Receipt(n, str(hash_))


def receipts_in(answer: object) -> list[bytes]:
    """Return the receipts in an answer to commands, each as canonical JSON: one, or one of each outcome."""
    if not isinstance(answer, dict):
        return []
    outcomes = answer.get("outcomes")
    found: Iterable[object] = outcomes if isinstance(outcomes, list) else (answer,)
    return [
        dumps(each["receipt"]) for each in found if isinstance(each, dict) and each.get("receipt") is not None
    ]


def _is_receipt(data: Any) -> bool:  # noqa: ANN401 - JSON of any shape
    if not isinstance(data, dict) or data.keys() != _MEMBERS or data["format"] != FORMAT:
        return False
    batch = data["batch"]
    return (
        isinstance(data["encounter"], str)
        and type(data["n"]) is int
        and data["n"] >= 1
        and all(is_hex(data[name]) for name in ("hash", "prev", "request", "key"))
        and is_hex(data["signature"], SIGNATURE)
        and isinstance(batch, dict)
        and batch.keys() == _IN_BATCH
        and all(type(batch[name]) is int for name in ("index", "size"))
        and 0 <= batch["index"] < batch["size"]
        and isinstance(batch["path"], list)
        and len(batch["path"]) <= _LONGEST_PATH
        and all(map(is_hex, batch["path"]))
    )


def _leaf(said: Mapping[str, Any]) -> bytes:
    return sha256(_LEAF + dumps(said)).digest()


def _message(size: int, root: bytes) -> bytes:
    return _BATCH + size.to_bytes(_SIZE_BYTES, "big") + root


def _paths(leaves: Sequence[bytes]) -> tuple[bytes, list[list[bytes]]]:
    """Return the root over *leaves* (RFC 9162), and the path of each leaf, nearest first."""
    if len(leaves) == 1:
        return leaves[0], [[]]
    middle = 1 << ((len(leaves) - 1).bit_length() - 1)
    (left, first), (right, second) = _paths(leaves[:middle]), _paths(leaves[middle:])
    return node(left, right), [[*path, right] for path in first] + [[*path, left] for path in second]
