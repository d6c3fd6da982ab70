"""Two creatures that differ between the books in nothing that an opening needs."""

from __future__ import annotations

from typing import Any


def openings() -> dict[str, dict[str, Any]]:
    """Give an opening of each book."""
    sides = [
        {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes"}},
    ]
    heartrush = {"edition": "heartrush@1", "creatures": sides, "sides": ["heroes", "foes"]}
    return {
        "heartrush@1": {**heartrush, "player_side": "heroes"},
        "rise@1": {"edition": "rise@1", "creatures": sides},
    }
