"""Play a sample of `make offered`: by options alone, over HTTP, with nothing refused or crashed."""

from __future__ import annotations

from collections import Counter
from itertools import count

import pytest

from tests.offered import BOOKS, played

COMMANDS = 500


@pytest.mark.parametrize("book", BOOKS)
def test_what_is_offered_is_accepted_and_crashes_nothing(book: str) -> None:
    types: Counter[str] = Counter()
    for fight in played(book, count(1), COMMANDS):
        types += fight.types
    assert types.total() >= COMMANDS
    assert len(types) > 15, types
