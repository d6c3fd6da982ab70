"""Keys that sign: kept apart, published, and handed on only by the one before."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.audit import signing
from service.audit.notes import BadNote, verifier_key
from service.audit.signing import PublishedKey, Signer
from service.key_files import read_or_create_key
from service.log.memory import MemoryLog
from service.record.ed25519 import public_key
from tests.support.tiny_table import SIGNER

ORIGIN = SIGNER.origin
OLD, NEW, OTHER = bytes(range(32)), bytes(range(1, 33)), bytes(range(2, 34))


def test_a_secret_is_not_shown() -> None:
    assert OLD.hex() not in repr(SIGNER)
    assert repr(OLD) not in repr(SIGNER)


def test_a_key_is_published_once_and_stays() -> None:
    log = MemoryLog()
    signing.publish(log, SIGNER, 100.0)
    signing.publish(log, SIGNER, 200.0)

    assert signing.published(log) == [PublishedKey(ORIGIN, SIGNER.public.hex(), 100)]


def test_a_second_key_that_no_earlier_one_names_is_unvouched(tmp_path: Path) -> None:
    log, file = MemoryLog(), tmp_path / "signing.key"
    first, stray = Signer(ORIGIN, read_or_create_key(file)), Signer(ORIGIN, OTHER)
    signing.publish(log, first, 100.0)
    signing.rotate(log, ORIGIN, file, 200.0, read_or_create_key)
    signing.publish(log, stray, 300.0)

    assert not signing.is_unvouched(log, first)
    assert not signing.is_unvouched(log, Signer(ORIGIN, read_or_create_key(file))), "the first key names it"
    assert signing.is_unvouched(log, stray)


def test_a_rotation_is_believed_of_the_older_key_alone() -> None:
    note = signing.rotation(ORIGIN, OLD, public_key(NEW))

    assert signing.read_rotation(note, ORIGIN, public_key(OLD)) == public_key(NEW)
    for origin, key in ((ORIGIN, NEW), (ORIGIN, OTHER), ("elsewhere.example", OLD)):
        with pytest.raises(BadNote):
            signing.read_rotation(note, origin, public_key(key))


def test_whoever_believes_a_key_believes_those_that_follow_and_none_before() -> None:
    first = signing.rotation(ORIGIN, OLD, public_key(NEW))
    second = signing.rotation(ORIGIN, NEW, public_key(OTHER))
    old, new, other = map(public_key, (OLD, NEW, OTHER))

    assert signing.believed(ORIGIN, [old], [second, first]) == {old, new, other}
    assert signing.believed(ORIGIN, [new], [first, second]) == {new, other}
    assert signing.believed(ORIGIN, [old], [second]) == {old}


def test_a_rotation_leaves_the_new_key_in_the_file_and_the_old_one_listed(tmp_path: Path) -> None:
    log, file = MemoryLog(), tmp_path / "signing.key"
    old = read_or_create_key(file)

    key = signing.rotate(log, ORIGIN, file, 5.0, read_or_create_key)

    assert read_or_create_key(file) != old
    assert key.public == public_key(read_or_create_key(file)).hex()
    assert [each.public for each in signing.published(log)] == [public_key(old).hex(), key.public]
    assert key.rotation is not None
    assert signing.believed(ORIGIN, [public_key(old)], [key.rotation]) >= {bytes.fromhex(key.public)}
    assert [path.name for path in tmp_path.iterdir()] == ["signing.key"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_rotation_that_was_interrupted_goes_on_with_the_same_new_key(tmp_path: Path) -> None:
    class Broken(MemoryLog):
        def put_record(self, registry: str, id_: str, blob: bytes) -> int:
            if b"rewound/key/1" in blob:
                raise OSError
            return super().put_record(registry, id_, blob)

    file = tmp_path / "signing.key"
    old = read_or_create_key(file)
    with pytest.raises(OSError):  # noqa: PT011 - its own
        signing.rotate(Broken(), ORIGIN, file, 5.0, read_or_create_key)
    coming = read_or_create_key(tmp_path / "signing.key.next")

    assert read_or_create_key(file) == old
    assert (
        signing.rotate(MemoryLog(), ORIGIN, file, 6.0, read_or_create_key).public == public_key(coming).hex()
    )
    assert read_or_create_key(file) == coming


def test_the_verifier_key_of_an_encounter_follows_from_origin_and_public_key() -> None:
    note = Signer(ORIGIN, OLD).checkpoint("e1", 3, bytes(32))

    key = verifier_key(f"{ORIGIN}/e1", public_key(OLD))
    assert note.startswith(f"{ORIGIN}/e1\n3\n")
    assert note.split(" ")[1] == key.split("+")[0]
