"""A wing of a book shows a face: the modules that other wings may use, at most a dozen; it is not high."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.house.wings import WINGS, floor_of, modules, wing_of

HIGHEST = 6
WIDEST = 12


@pytest.mark.parametrize("wing", WINGS)
def test_a_face_names_what_other_wings_use_and_nothing_else(wing: str) -> None:
    found = modules()
    assert len(found) > 100, "a search that finds nothing proves nothing"
    used = {
        each
        for name, imported in found.items()
        for each in imported
        if wing_of(each) == wing and wing_of(name) != wing
    }
    face = import_module(wing).FACE
    assert {f"{wing}.{each}" for each in face} == used
    assert len(face) <= WIDEST


@pytest.mark.parametrize("wing", WINGS)
def test_a_wing_has_few_floors(wing: str) -> None:
    found = modules()
    floors = {name: floor_of(name, found) for name in found if wing_of(name) == wing}
    assert max(floors.values()) <= HIGHEST, floors
