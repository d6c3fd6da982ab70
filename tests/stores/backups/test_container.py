"""A backup is read as it was written, and every file that is not is refused by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.log import Payload, Record, StoredEncounter
from service.stores.archive.storage import DirectoryStorage
from service.stores.backups import container
from service.stores.backups.container import BackupRefused, BackupWriter, Manifest
from service.stores.backups.items import EncounterItem, FileItem, Item, RecordsItem, ScheduleItem

NAME = "backup-20260101T000000Z-abcdef"
KEY = bytes(range(32))
STORED = StoredEncounter(
    encounter="e1",
    hash="ab" * 32,
    frontier=b"\x00\xff",
    commands=[b"one", b"", b"\xff"],
    commits=[b"first"],
    sealed=[Payload(1, 0, b"in"), Payload(1, 2, b"")],
    keys={"gm\nkey ü": "1 print"},
    marks={"m": b"\xfe"},
    derived={},
)
ITEMS: list[Item] = [
    RecordsItem("keys", [Record(3, "b", b"\x00"), Record(1, "a", b"")]),
    RecordsItem("empty", []),
    ScheduleItem("webhooks", [("w1", 2**45)]),
    EncounterItem("e1", STORED, b"secret", [Record(1, "9-ab", b"note")]),
    EncounterItem("e2", None, None, []),
    EncounterItem("e3", None, b"secret", [], b"entry", b"file"),
    FileItem("e4.jsonl", b"bundle"),
]


@pytest.fixture
def storage(tmp_path: Path) -> DirectoryStorage:
    return DirectoryStorage(tmp_path / "backups")


def written(storage: DirectoryStorage, key: bytes | None = None, name: str = NAME) -> Manifest:
    """Write the items in two parts, and the manifest."""
    writer = BackupWriter(storage, name, key)
    for item in ITEMS:
        writer.add(item)
        if isinstance(item, ScheduleItem):
            writer.flush()
    writer.flush()
    manifest = Manifest(name, "2026-01-01T00:00:00.000Z", "0.1.0", "1", parts=tuple(writer.parts))
    writer.finish(manifest)
    return manifest


def read(storage: DirectoryStorage, key: bytes = KEY) -> list[Item]:
    manifest = container.read_manifest(storage, NAME, (bytes(32), key))
    return list(container.read_parts(storage, manifest.parts, (key, bytes(32))))


@pytest.mark.parametrize("key", [None, KEY])
def test_what_was_written_is_read(storage: DirectoryStorage, key: bytes | None) -> None:
    manifest = written(storage, key)
    assert read(storage) == ITEMS
    assert container.read_manifest(storage, NAME, (KEY,)) == manifest
    assert container.finished(storage) == [NAME]


def test_a_large_item_begins_the_next_part(
    storage: DirectoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "PART_BYTES", 1)
    assert len(written(storage).parts) == len(ITEMS)
    assert read(storage) == ITEMS


def test_nothing_in_a_sealed_backup_can_be_read_without_its_key(storage: DirectoryStorage) -> None:
    written(storage, KEY)
    files = [path.read_bytes() for path in storage.path.iterdir()]
    assert not any(word in raw for raw in files for word in (b"request", b"backup-2026", b"e4.jsonl"))
    with pytest.raises(BackupRefused, match="manifest: it is damaged, or was sealed with another secret key"):
        read(storage, bytes(32))


def cut(raw: bytes) -> bytes:
    return raw[:-5]


def flipped(raw: bytes) -> bytes:
    return raw[:40] + bytes([raw[40] ^ 1]) + raw[41:]


def emptied(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("file", ["000001.part", "000002.part", "manifest"])
@pytest.mark.parametrize("damage", [cut, flipped, emptied])
def test_a_damaged_file_is_refused_by_its_name(
    storage: DirectoryStorage, key: bytes | None, file: str, damage: Callable[[bytes], bytes]
) -> None:
    written(storage, key)
    path = storage.path / f"{NAME}.{file}"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BackupRefused, match=f"^{NAME}.{file}: "):
        read(storage)


def test_a_missing_file_is_refused_by_its_name(storage: DirectoryStorage) -> None:
    written(storage)
    (storage.path / f"{NAME}.000002.part").unlink()
    with pytest.raises(BackupRefused, match=r"000002\.part: the file is missing"):
        read(storage)


@pytest.mark.parametrize("key", [None, KEY])
def test_files_of_another_backup_are_refused(storage: DirectoryStorage, key: bytes | None) -> None:
    other = NAME.replace("abcdef", "fedcba")
    written(storage, key)
    written(storage, key, other)
    (storage.path / f"{other}.manifest").replace(storage.path / f"{NAME}.manifest")
    with pytest.raises(BackupRefused, match=f"^{NAME}.manifest: "):
        read(storage)


def test_a_backup_without_a_manifest_is_none_and_can_be_dropped(storage: DirectoryStorage) -> None:
    written(storage)
    later = container.name_at(1_800_000_000)
    assert later > NAME
    (storage.path / f"{NAME}.manifest").unlink()
    assert container.finished(storage) == []
    assert container.unfinished_before(storage, later) == [NAME]
    assert container.unfinished_before(storage, NAME) == []
    container.drop(storage, NAME)
    assert list(storage.path.iterdir()) == []
