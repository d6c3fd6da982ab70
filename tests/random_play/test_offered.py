"""Play a sample of `make offered`: by options alone, over HTTP, with nothing refused or crashed."""

from __future__ import annotations

from collections import Counter
from itertools import chain, count

import pytest

from tests.random_play.offered import BOOKS, played
from tests.random_play.situations import SITUATIONS

pytestmark = pytest.mark.slow

COMMANDS = 500
MOST = 5_000
"""Commands that are played at most to reach every situation."""

FIRST = {"rise": (3, 9), "heartrush": (6, 12)}
"""Seeds that reach every situation soon, when they were chosen; other rules may need more fights."""


@pytest.mark.parametrize("book", BOOKS)
def test_what_is_offered_is_accepted_and_reaches_every_situation(book: str) -> None:
    wanted = SITUATIONS[f"{book}@1"]
    types: Counter[str] = Counter()
    met: Counter[str] = Counter()
    others = (seed for seed in count(1) if seed not in FIRST[book])
    for fight in played(book, chain(FIRST[book], others), MOST):
        types += fight.types
        met += fight.met
        if types.total() >= COMMANDS and wanted <= met.keys():
            break
    assert types.total() >= COMMANDS
    assert len(types) > 15, types
    assert set(met) >= wanted, f"in {types.total()} commands"
