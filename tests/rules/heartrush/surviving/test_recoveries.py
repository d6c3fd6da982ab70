"""What passing time brings back: frequencies, wounds, spells and coats, by hand from the book."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from service.rules.heartrush.creatures.abilities import FREQUENCIES
from service.rules.kernel.codec import to_data
from tests.rules.heartrush.kit import Fight, opened

VECTORS: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[3] / "vectors/heartrush_recoveries.json").read_text()
)
PLACES: Final = {"pia": (0, 0), "ash": (0, 5), "orc": (1, 0)}


def found(data: Any, path: str) -> Any:
    """Return what is at a path of names and indices."""
    for part in path.split("/"):
        data = data[int(part) if isinstance(data, list) else part]
    return data


def take(fight: Fight, step: dict[str, Any]) -> None:
    """Take one step of a vector: a command, an answer, or what holds by now."""
    faces, data = step.get("faces", ()), step.get("with", {})
    if "refused" in step:
        assert fight.refused(step["do"], **data) == step["refused"], step
    elif "do" in step:
        fight.do(step["do"], *faces, **data)
    elif "answer" in step:
        fight.answer(step["answer"], step["creature"], *faces, **data)
    elif "stances" in step:
        fight.stances(**step["stances"])
    elif "joined" in step:
        fight.joined_by(*step["joined"])
    elif "logged" in step:
        assert {type_: len(fight.logged(type_)) for type_ in step["logged"]} == step["logged"]
    else:
        for creature, wanted in step["is"].items():
            here = to_data(fight[creature])
            assert {path: found(here, path) for path in wanted} == wanted


def test_every_frequency_has_its_vector() -> None:
    assert {name for name in FREQUENCIES if not any(row["id"].startswith(name) for row in VECTORS)} == set()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_HR_V_of_what_time_brings_back(vector: dict[str, Any]) -> None:
    """HR-ABIL-2 to HR-ABIL-7, HR-WND-5, HR-WND-8, HR-REST-4, HR-CAST-2, HR-POIS-1, HR-POIS-2, HR-POIS-3."""
    fight = opened(PLACES, sheets={"pia": vector["sheet"]}, abilities=vector["abilities"])
    for step in vector["steps"]:
        take(fight, step)
