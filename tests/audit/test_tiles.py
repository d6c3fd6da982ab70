"""Tiles: roots and proofs are those of the whole tree, whatever its size."""

from collections.abc import Sequence
from hashlib import sha256

import pytest

from service.audit.tiles import ENTRIES, WIDTH, TiledTree, tile_path
from service.audit.tree import consistency_proof, includes, inclusion_proof, is_prefix, root
from service.record.frontier import Frontier

LEAVES = [sha256(at.to_bytes(4, "big")).digest() for at in range(66_000)]


def tiles(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """Return the hashes of each level over *leaves*."""
    levels = [list(leaves)]
    while len(levels[-1]) >= WIDTH:
        below = levels[-1]
        starts = range(0, len(below) - len(below) % WIDTH, WIDTH)
        levels.append([root(below[at : at + WIDTH]) for at in starts])
    return levels


LEVELS = tiles(LEAVES)


def tree(size: int) -> TiledTree:
    """Return the tree of the first leaves; a tile that it may not read fails."""

    def read(level: int, number: int, width: int) -> Sequence[bytes]:
        assert 0 < width <= min(WIDTH, size // WIDTH**level - number * WIDTH)
        return LEVELS[level][number * WIDTH : number * WIDTH + width]

    return TiledTree(size, read)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 700, 65_536, 65_537, 65_999])
def test_the_root_and_the_proofs_are_those_of_the_leaves(size: int) -> None:
    frontier = Frontier()
    for leaf in LEAVES[:size]:
        frontier = frontier.append(leaf)
    assert tree(size).frontier == frontier
    for index in {0, size // 3, size - 1}:
        assert includes(LEAVES[index], index, size, tree(size).inclusion(index), frontier.root())
    for first in {1, size // 2 or 1, max(1, size - 1), size}:
        proof = tree(size).consistency(first)
        assert is_prefix(first, size, proof, tree(first).root, frontier.root())


def test_small_trees_give_the_proofs_of_the_rfc() -> None:
    for size in range(1, 40):
        leaves = LEAVES[:size]
        for index in range(size):
            assert tree(size).inclusion(index) == inclusion_proof(index, leaves)
        for first in range(size + 1):
            assert tree(size).consistency(first) == consistency_proof(first, leaves)


def test_a_tile_is_read_once() -> None:
    asked: list[tuple[int, int]] = []

    def read(level: int, number: int, width: int) -> Sequence[bytes]:
        asked.append((level, number))
        return LEVELS[level][number * WIDTH : number * WIDTH + width]

    one = TiledTree(65_999, read)
    one.inclusion(300)
    one.consistency(301)
    assert len(asked) == len(set(asked))


def test_an_empty_tree_has_the_root_of_nothing() -> None:
    assert tree(0).root == root([])


@pytest.mark.parametrize(
    ("level", "number", "width", "path"),
    [
        (0, 0, WIDTH, "tile/0/000"),
        (0, 5, 7, "tile/0/005.p/7"),
        (1, 1_234_067, WIDTH, "tile/1/x001/x234/067"),
        (ENTRIES, 273, 112, "tile/entries/273.p/112"),
    ],
)
def test_paths_are_those_of_the_specification(level: int | str, number: int, width: int, path: str) -> None:
    assert tile_path(level, number, width) == path
