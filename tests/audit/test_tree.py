"""The tree: RFC 9162's own example, the vectors, every small size, and proofs that prove nothing."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from service.audit.tree import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    includes,
    inclusion_proof,
    is_prefix,
    node,
    root,
)

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "log.json").read_text("utf-8"))
HASHES = [bytes.fromhex(case["hash"]) for case in VECTORS["commits"]]
LEAVES = [sha256(b"\x00" + n.to_bytes(2, "big")).digest() for n in range(300)]
ROOTS = [root(LEAVES[:size]) for size in range(41)]
FORGED = bytes(32)


def test_the_root_vectors() -> None:
    assert root(HASHES[:1]) == HASHES[0]
    assert root(HASHES[:2]).hex() == VECTORS["root_2"]
    assert root(HASHES).hex() == VECTORS["root_3"]


def test_the_proof_vectors_are_made_and_verify() -> None:
    inclusion, consistency = inclusion_proof(1, HASHES), consistency_proof(2, HASHES)

    assert [step.hex() for step in inclusion] == VECTORS["inclusion_of_2_in_3"]
    assert [step.hex() for step in consistency] == VECTORS["consistency_2_to_3"]
    assert includes(HASHES[1], 1, 3, inclusion, root(HASHES))
    assert is_prefix(2, 3, consistency, root(HASHES[:2]), root(HASHES))


def test_the_root_of_no_leaves_is_the_hash_of_nothing() -> None:
    assert root([]) == Frontier().root() == EMPTY_ROOT
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ],
)
def test_the_roots_of_the_certificate_transparency_test_tree(size: int, expected: str) -> None:
    """Leaves and roots as in google/certificate-transparency, merkle_tree_test.cc."""
    inputs = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    leaves = [sha256(b"\x00" + bytes.fromhex(raw)).digest() for raw in inputs]

    assert root(leaves[:size]).hex() == expected


def test_the_proofs_of_the_rfcs_example_tree() -> None:
    """RFC 9162, 2.1.5: seven leaves; its letters name the same nodes here."""
    a, b, c, d, e, f, j = LEAVES[:7]
    g, h, i = node(a, b), node(c, d), node(e, f)
    k, tail = node(g, h), node(i, j)

    assert root(LEAVES[:7]) == node(k, tail)
    assert inclusion_proof(0, LEAVES[:7]) == [b, h, tail]
    assert inclusion_proof(3, LEAVES[:7]) == [c, g, tail]
    assert inclusion_proof(4, LEAVES[:7]) == [f, j, k]
    assert inclusion_proof(6, LEAVES[:7]) == [i, k]
    assert consistency_proof(3, LEAVES[:7]) == [c, d, g, tail]
    assert consistency_proof(4, LEAVES[:7]) == [tail]
    assert consistency_proof(6, LEAVES[:7]) == [i, j, k]


def test_the_frontier_has_the_root_of_the_whole_tree_at_every_size() -> None:
    frontier = Frontier()
    for size, leaf in enumerate(LEAVES, 1):
        frontier = frontier.append(leaf)

        assert frontier.size == size
        assert len(frontier.roots) <= size.bit_length()
        assert frontier.root() == root(LEAVES[:size]), size


def test_the_frontier_comes_back_from_its_bytes() -> None:
    frontier = Frontier()
    for leaf in LEAVES:
        assert Frontier.from_bytes(frontier.to_bytes()) == frontier
        frontier = frontier.append(leaf)


def test_appending_leaves_the_old_frontier_as_it_was() -> None:
    """A commit that loses its race is thrown away with its frontier; the head's is still true."""
    frontier = Frontier().append(LEAVES[0])
    one = frontier.append(LEAVES[1])
    other = frontier.append(LEAVES[2])

    assert frontier.root() == LEAVES[0]
    assert (one.root(), other.root()) == (node(LEAVES[0], LEAVES[1]), node(LEAVES[0], LEAVES[2]))


@pytest.mark.parametrize(
    "raw", [b"", bytes(7), bytes(9), (1).to_bytes(8, "big"), (2).to_bytes(8, "big") + bytes(64)]
)
def test_bytes_that_are_no_frontier_are_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="are not a frontier"):
        Frontier.from_bytes(raw)


def test_every_leaf_of_every_tree_to_40_is_proved_to_be_in_it() -> None:
    for size in range(1, 41):
        for index in range(size):
            proof = inclusion_proof(index, LEAVES[:size])

            assert len(proof) <= (size - 1).bit_length()
            assert includes(LEAVES[index], index, size, proof, ROOTS[size]), (index, size)


def test_every_tree_to_40_is_proved_to_begin_with_every_smaller_one() -> None:
    for second in range(41):
        for first in range(second + 1):
            proof = consistency_proof(first, LEAVES[:second])

            assert is_prefix(first, second, proof, ROOTS[first], ROOTS[second]), (first, second)


def test_no_inclusion_proof_serves_for_anything_else() -> None:
    for size in range(1, 18):
        for index in range(size):
            leaf, proof = LEAVES[index], inclusion_proof(index, LEAVES[:size])
            bent = [[*proof[:i], FORGED, *proof[i + 1 :]] for i in range(len(proof))]

            for false in [[*proof, FORGED], *([proof[:-1]] if proof else []), *bent]:
                assert not includes(leaf, index, size, false, ROOTS[size]), (index, size)
            assert not includes(FORGED, index, size, proof, ROOTS[size])
            assert not includes(leaf, index, size, proof, FORGED)
            for other in range(size):
                assert other == index or not includes(leaf, other, size, proof, ROOTS[size])


def test_no_consistency_proof_serves_for_anything_else() -> None:
    for second in range(1, 18):
        for first in range(1, second):
            proof, old, new = consistency_proof(first, LEAVES[:second]), ROOTS[first], ROOTS[second]
            bent = [[*proof[:i], FORGED, *proof[i + 1 :]] for i in range(len(proof))]

            for false in [[], [*proof, FORGED], proof[:-1], *bent]:
                assert not is_prefix(first, second, false, old, new), (first, second)
            assert not is_prefix(first, second, proof, FORGED, new)
            assert not is_prefix(first, second, proof, old, FORGED)
            assert not is_prefix(second, first, proof, new, old)
            for other in range(1, second):
                assert other == first or not is_prefix(other, second, proof, old, new)


def test_a_rewritten_leaf_makes_the_new_tree_inconsistent_with_the_old() -> None:
    rewritten = [*LEAVES[:4], FORGED, *LEAVES[5:9]]

    assert not is_prefix(6, 9, consistency_proof(6, rewritten), ROOTS[6], root(rewritten))


def test_trees_of_one_size_are_consistent_only_if_they_are_the_same() -> None:
    assert is_prefix(5, 5, [], ROOTS[5], ROOTS[5])
    assert not is_prefix(5, 5, [], ROOTS[5], FORGED)
    assert not is_prefix(5, 5, [FORGED], ROOTS[5], ROOTS[5])


def test_the_empty_tree_is_the_beginning_of_every_tree_and_needs_no_proof() -> None:
    assert is_prefix(0, 5, [], EMPTY_ROOT, ROOTS[5])
    assert not is_prefix(0, 5, [], FORGED, ROOTS[5])
    assert not is_prefix(0, 5, [FORGED], EMPTY_ROOT, ROOTS[5])


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0), (2**64, 3)])
def test_a_leaf_outside_the_tree_is_not_in_it(index: int, size: int) -> None:
    assert not includes(LEAVES[0], index, size, [], LEAVES[0])


def test_negative_sizes_prove_nothing() -> None:
    assert not is_prefix(-1, 3, [], EMPTY_ROOT, ROOTS[3])
