"""Build the Merkle tree of RFC 9162 over commits, and make and verify its proofs.

A leaf is the hash of a commit (`canonical.commit_hash`). A proof is a list of hashes in the RFC's order. The
verifying functions (`includes`, `is_prefix`) need no leaves and follow the RFC's verification algorithms, not
its generation: each tests the other.

Laws. A size is a number of leaves, an index counts from 0. A malformed proof returns False and never raises,
because proofs come from strangers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hmac import compare_digest

from service.record.frontier import EMPTY_ROOT, Frontier, node

__all__ = [
    "EMPTY_ROOT",
    "Frontier",
    "consistency_path",
    "consistency_proof",
    "includes",
    "inclusion_path",
    "inclusion_proof",
    "is_prefix",
    "node",
    "root",
    "root_of_path",
]


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over *leaves* (2.1.1)."""
    return _root(leaves, 0, len(leaves)) if leaves else EMPTY_ROOT


def inclusion_proof(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the path from the leaf at *index* to the root of all *leaves*, nearest first (2.1.3.1)."""
    return inclusion_path(index, len(leaves), partial(_root, leaves))


def inclusion_path(index: int, size: int, over: Callable[[int, int], bytes]) -> list[bytes]:
    """Return what `inclusion_proof` does; *over* returns the root over the leaves of a subtree."""
    assert 0 <= index < size, f"no leaf {index} among {size}"
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _left(end - start)
        if index < middle:
            path.append(over(middle, end))
            end = middle
        else:
            path.append(over(start, middle))
            start = middle
    return path[::-1]


def consistency_proof(first: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the proof that the tree of the *first* leaves is a prefix of the tree of all (2.1.4.1).

    Empty if *first* is 0 or all leaves, because there is nothing to prove.
    """
    return consistency_path(first, len(leaves), partial(_root, leaves))


def consistency_path(first: int, size: int, over: Callable[[int, int], bytes]) -> list[bytes]:
    """Return what `consistency_proof` does; *over* returns the root over the leaves of a subtree."""
    assert 0 <= first <= size, f"no tree of {first} among {size} leaves"
    if first in (0, size):
        return []
    path: list[bytes] = []
    start, end = 0, size
    while end != first:
        middle = start + _left(end - start)
        if first <= middle:
            path.append(over(middle, end))
            end = middle
        else:
            path.append(over(start, middle))
            start = middle
    # If the old tree is one complete leftmost subtree, the verifier already knows its root.
    if start > 0:
        path.append(over(start, end))
    return path[::-1]


def includes(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether *proof* proves *leaf* at *index* in the tree of *size* leaves with *root* (2.1.3.2)."""
    reached = root_of_path(leaf, index, size, proof)
    return reached is not None and compare_digest(reached, root)


def root_of_path(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root to which *proof* leads from *leaf* at *index* of *size*; None if it leads to none."""
    if not 0 <= index < size:
        return None
    at, last, reached = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if at & 1 or at == last:
            reached = node(sibling, reached)
            at, last = _up_to_right(at, last)
        else:
            reached = node(reached, sibling)
        at, last = at >> 1, last >> 1
    return reached if last == 0 else None


def is_prefix(first: int, second: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes) -> bool:
    """Return whether *proof* shows that the tree of *second* leaves begins with that of *first* (2.1.4.2)."""
    if not 0 <= first <= second:
        return False
    if first == second:
        return not proof and compare_digest(first_root, second_root)
    if first == 0:
        return not proof and compare_digest(first_root, EMPTY_ROOT)
    path = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    if not path:
        return False
    at, last = first - 1, second - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node(sibling, old), node(sibling, new)
            at, last = _up_to_right(at, last)
        else:
            new = node(new, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and compare_digest(old, first_root) and compare_digest(new, second_root)


def _left(size: int) -> int:
    """Return the size of the left subtree: the greatest power of two below *size*, which is above 1."""
    return 1 << ((size - 1).bit_length() - 1)


def _root(leaves: Sequence[bytes], start: int, end: int) -> bytes:
    """Return the root over the leaves from *start* to before *end*, at least one."""
    if end - start == 1:
        return leaves[start]
    middle = start + _left(end - start)
    return node(_root(leaves, start, middle), _root(leaves, middle, end))


def _up_to_right(at: int, last: int) -> tuple[int, int]:
    """Climb while *at* is a left child without a sibling: a proof has no hash for such levels."""
    while at and not at & 1:
        at, last = at >> 1, last >> 1
    return at, last
