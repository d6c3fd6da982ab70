"""Say where two services that differ in hidden things alone tell somebody something else.

What was asked and answered is in `Told`. Commitments, and the hashes of the record that follow from them, are
masked by their order, and no other hash is. What follows from the stored bytes alone is worked out once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any, Final
from unittest import mock

from service.api import inputs
from service.audit import explain
from service.audit.tree import root
from service.core.fold import Folder
from service.record.commit import Commit
from tests.api.conftest import BOTH
from tests.api.everything import masked

WEBHOOK: Final = "a webhook"
CERTIFICATE: Final = "a certificate"
"""Readers beside the seats."""


@dataclass(frozen=True)
class Told:
    """Every answer of one twin, by who got it, and the hashes that its record is made of."""

    answers: dict[str, list[str]]
    hashes: frozenset[str]
    sent: tuple[Any, ...] = ()
    """What was asked and sent to play it."""

    def masked(self, reader: str) -> list[str]:
        return masked(self.answers[reader], self.hashes)


def hashes_of(commits: Sequence[Commit]) -> Iterator[str]:
    """Yield the hashes that follow from salts, and so may differ: of commits, requests, what is sealed."""
    for commit in commits:
        yield from (commit.hash, commit.prev, commit.request)
        yield from (event["sealed"] for event in commit.events if "sealed" in event)
    yield root([bytes.fromhex(commit.hash) for commit in commits]).hex()


@contextmanager
def remembering() -> Iterator[None]:
    """Have what follows from the stored bytes alone worked out once: past states, chains of rules.

    Nothing that is told is kept: each view, options and every answer are made anew for each seat.
    """
    moments: dict[int, Any] = {}
    chains: dict[str, Any] = {}
    fold, watch = Folder.at, explain.chain

    def at(folder: Folder, encounter: str, n: int) -> Any:
        if n not in moments and n - 1 in moments:
            moments.update((folded.n, folded) for _, folded in folder.steps(encounter, n - 1, n))
        if n not in moments:
            found = fold(folder, encounter, n)
            moments[found.n] = found
            return found
        return moments[n]

    def chain(before: Any, request: bytes, commit: Commit, payloads: Any) -> Any:
        if commit.hash not in chains:
            chains[commit.hash] = watch(before, request, commit, payloads)
        return chains[commit.hash]

    with (
        mock.patch.object(Folder, "at", at),
        mock.patch("service.audit.explanations.chain", chain),
        mock.patch("service.api.app.all_inputs", return_value=_inputs()),
    ):
        yield


@cache
def _inputs() -> Any:
    """Return the schemas of what is sent, which follow from the shelf."""
    return inputs.all_inputs(BOTH)


# --- what differs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Where one reader of a script is told something else of each twin."""

    script: str
    reader: str
    where: str
    """What was asked: `GET /options`."""
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.script} {self.reader}: {self.where}: {self.left!r} {self.right!r}"


def compared(script: str, left: Told, right: Told) -> list[Difference]:
    """Return where the twins *left* and *right* of a script differ for whoever is not the gm."""
    if left.answers["gm"] == right.answers["gm"]:
        return [Difference(script, "gm", "nothing", "nothing was hidden", "")]
    found = []
    for reader in left.answers.keys() - {"gm"}:
        for one, other in zip_longest(left.masked(reader), right.masked(reader), fillvalue="no answer"):
            if one != other:
                at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
                where = " ".join(max(one, other).split(" ", 2)[:2])
                part = slice(max(0, at - 200), at + 99)
                found.append(Difference(script, reader, where, one[part], other[part]))
    return sorted(found, key=lambda each: (each.reader, each.where))
