"""The place of an archive: a directory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from service.encounter.archive.places import ArchiveUnavailable, Directory, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Directory(tmp_path / "archive")


def test_a_file_comes_back_as_it_was(place: Place) -> None:
    raw = bytes(range(256)) * 40_000

    place.put("a.1.rwa", raw)

    assert place.get("a.1.rwa") == raw
    place.put("a.1.rwa", b"")
    assert place.get("a.1.rwa") == b""


def test_names_are_found_by_their_beginning(place: Place) -> None:
    assert place.names("a.") == []
    for name in ("a.2.rwa", "b.1.rwa", "a.1.rwa"):
        place.put(name, name.encode())

    assert place.names("a.") == ["a.1.rwa", "a.2.rwa"]
    place.drop("a.1.rwa")
    place.drop("a.1.rwa")
    assert place.names("a.") == ["a.2.rwa"]
    assert place.names("") == ["a.2.rwa", "b.1.rwa"]


def test_a_file_that_is_not_there_is_an_outage(place: Place) -> None:
    with pytest.raises(ArchiveUnavailable):
        place.get("nothing.rwa")


def test_a_directory_that_cannot_be_used_is_an_outage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    place = Directory(tmp_path / "file")
    asked: list[Callable[[], object]] = [
        partial(place.put, "a", b"x"),
        partial(place.get, "a"),
        partial(place.drop, "a"),
        partial(place.names, "a"),
    ]
    for ask in asked:
        with pytest.raises(ArchiveUnavailable):
            ask()


def test_files_are_for_their_owners_eyes_alone(tmp_path: Path) -> None:
    place = Directory(tmp_path / "archive")
    place.put("a.1.rwa", b"raw")

    assert place.path.stat().st_mode & 0o077 == 0
    assert (place.path / "a.1.rwa").stat().st_mode & 0o077 == 0
    assert [file.name for file in place.path.iterdir()] == ["a.1.rwa"]
