"""Store the Merkle tree over an encounter's commits as its right edge alone.

The tree is RFC 9162's; its leaves are the commits' hashes. With the roots of the complete subtrees, largest
first, a commit costs one hash on average and the root at most log2(size).
"""

from hashlib import sha256
from typing import Final, NamedTuple

EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of no leaves."""

_HASH_BYTES: Final = 32
_SIZE_BYTES: Final = 8


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


class Frontier(NamedTuple):
    """The part of the tree in an encounter's head: the roots of its complete subtrees, largest first.

    A frontier is immutable, so a commit that loses its race does not change the head's.
    """

    size: int = 0
    roots: tuple[bytes, ...] = ()
    """One per bit of *size*."""

    def append(self, leaf: bytes) -> "Frontier":
        """Return the frontier with *leaf* as the last one."""
        roots, merged, size = list(self.roots), leaf, self.size
        while size & 1:
            merged = node(roots.pop(), merged)
            size >>= 1
        return Frontier(self.size + 1, (*roots, merged))

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self.roots:
            return EMPTY_ROOT
        *greater, reached = self.roots
        for left in reversed(greater):
            reached = node(left, reached)
        return reached

    def to_bytes(self) -> bytes:
        """Return the size as u64, then the roots."""
        return self.size.to_bytes(_SIZE_BYTES, "big") + b"".join(self.roots)

    @classmethod
    def from_bytes(cls, raw: bytes) -> "Frontier":
        """Return the frontier that `to_bytes` wrote; raise `ValueError` for bytes of a wrong length."""
        size = int.from_bytes(raw[:_SIZE_BYTES], "big")
        if len(raw) != _SIZE_BYTES + size.bit_count() * _HASH_BYTES:
            raise ValueError(f"{len(raw)} bytes are not a frontier of {size} leaves")
        starts = range(_SIZE_BYTES, len(raw), _HASH_BYTES)
        return cls(size, tuple(raw[start : start + _HASH_BYTES] for start in starts))
