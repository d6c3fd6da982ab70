"""Throw many dice in Python and in JavaScript and compare: `make draws` throws a million."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from typing import Final

from service.dice.chain import epoch_key
from service.dice.stream import faces
from tests.support.javascript_verifier import node

SIDES: Final = (2, 3, 4, 6, 8, 10, 12, 20, 100, 1000, 65_537, 999_983, 1_000_000)
ROLLS: Final = 1_000
"""Rolls of one epoch, each of 1 to 9 dice: 4996 draws."""


def draws(epochs: int) -> int:
    """Return how many dice so many epochs throw."""
    return epochs * sum(1 + at % 9 for at in range(ROLLS))


def hashes(epochs: int, first: int = 1) -> list[str]:
    """Return one hash for each epoch over the faces of its rolls; names and keys are made from numbers."""
    found = []
    for epoch in range(first, first + epochs):
        result = sha256(b"epoch" + epoch.to_bytes(4, "big")).digest()
        seal, link = sha256(result).digest(), sha256(b"link" + result).digest()
        key = epoch_key(link, seal, result[:16], epoch % 2, epoch)
        shown = []
        for at in range(ROLLS):
            plain = f"creature-{at % 97}/attack"
            stream = plain if at % 3 else f"orc-{at % 89}/defense/pia-{at % 7}/step-{at % 1009}"
            dice = [SIDES[(at + 5 * die + epoch) % len(SIDES)] for die in range(1 + at % 9)]
            shown.append(" ".join(map(str, faces(key, stream, at * 2_147_483_647, dice))))
        found.append(sha256("\n".join(shown).encode()).hexdigest())
    return found


def theirs(epochs: int, first: int = 1) -> list[str]:
    """Return the same as the verifier in JavaScript throws it."""
    found: list[str] = json.loads(node("tests/clients/draws.mjs", str(epochs), str(ROLLS), str(first)))
    return found


def main() -> int:
    """Compare a million draws, or so many epochs from the second argument's on; return the exit status."""
    epochs, first = (*map(int, sys.argv[1:]), *(201, 1)[len(sys.argv) - 1 :])
    same = hashes(epochs, first) == theirs(epochs, first)
    print(f"{draws(epochs)} draws in {epochs} epochs: {'the same' if same else 'NOT the same'}")  # noqa: T201 - its answer
    return not same


if __name__ == "__main__":
    sys.exit(main())
