"""Read a Merkle tree from tiles (C2SP tlog-tiles): its root, and proofs of inclusion and consistency.

A tile of level l has up to 256 hashes, each the root over 256^l leaves. A tree of any size that the tiles
cover can be read, so an older tree needs no tiles of its own.

Laws. A tile is read once. Only tiles that the tree of this size has are read, with the width that it has
there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from service.audit.tree import Frontier, consistency_path, inclusion_path, node, root

WIDTH: Final = 256
"""Hashes of a full tile."""
ENTRIES: Final = "entries"
"""In place of the level in the path of an entry bundle."""

_BITS: Final = 8
_DIGITS: Final = 1000

TileReader = Callable[[int, int, int], Sequence[bytes]]
"""Return the first hashes of a tile: its level, its number in the level, and how many."""


def tile_path(level: int | str, number: int, width: int = WIDTH) -> str:
    """Return the path of a tile below the log's prefix; *level* is `ENTRIES` for a bundle of entries."""
    parts = [f"{number % _DIGITS:03}"]
    while number := number // _DIGITS:
        parts.insert(0, f"x{number % _DIGITS:03}")
    partial = "" if width == WIDTH else f".p/{width}"
    return f"tile/{level}/{'/'.join(parts)}{partial}"


class TiledTree:
    """The tree of the first *size* leaves of the tiles that *read* returns."""

    def __init__(self, size: int, read: TileReader) -> None:
        self.size = size
        self._read = read
        self._tiles: dict[tuple[int, int], Sequence[bytes]] = {}

    @cached_property
    def frontier(self) -> Frontier:
        """The roots of the complete subtrees."""
        roots: list[bytes] = []
        for level in reversed(range((self.size.bit_length() + _BITS - 1) // _BITS)):
            count = self.size >> _BITS * level
            group = Frontier()
            for each in self._tile(level, count // WIDTH) if count % WIDTH else ():
                group = group.append(each)
            roots += group.roots
        return Frontier(self.size, tuple(roots))

    @cached_property
    def root(self) -> bytes:
        """The root over all leaves."""
        return self.frontier.root()

    def inclusion(self, index: int) -> list[bytes]:
        """Return the proof that the leaf at *index* is in the tree, nearest first."""
        return inclusion_path(index, self.size, self._over)

    def consistency(self, first: int) -> list[bytes]:
        """Return the proof that the tree of the *first* leaves is a prefix of this one."""
        return consistency_path(first, self.size, self._over)

    def _over(self, start: int, end: int) -> bytes:
        """Return the root over the leaves from *start* to before *end*, a subtree of the tree."""
        width = end - start
        if width & (width - 1) == 0:
            level = (width.bit_length() - 1) // _BITS
            first, count = start >> _BITS * level, width >> _BITS * level
            at = first % WIDTH
            return root(self._tile(level, first // WIDTH)[at : at + count])
        middle = start + (1 << (width - 1).bit_length() - 1)
        return node(self._over(start, middle), self._over(middle, end))

    def _tile(self, level: int, number: int) -> Sequence[bytes]:
        found = self._tiles.get((level, number))
        if found is None:
            width = min(WIDTH, (self.size >> _BITS * level) - number * WIDTH)
            found = self._tiles[level, number] = self._read(level, number, width)
        return found
