"""Files of archived encounters: every byte comes back, and a command takes few of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from service.log.values import Payload, StoredEncounter
from service.record.canonical import commit_hash
from service.stores.archive.container import NotAnArchive, pack, unpack
from service.stores.archive.lines import EVERY, NotSpelled, spell
from tests.stores.archive.played import heartrush, rise, whole
from tests.support.tiny_table import Sitting, player

KEY = bytes(range(32))
MOST = 120
"""Bytes that a command may take in a file."""


def tiny(turns: int = 1) -> StoredEncounter:
    """Return a game with rolls, a contest and a sealed note, and with *turns* at the end."""
    sitting = Sitting()
    sitting.open()
    sitting.do("roll", sides=20)
    sitting.do("choose", player("ada"), number=2)
    sitting.do("whisper", to=["ada"], note="xyzzy")
    for _ in range(turns):
        sitting.do("add", amount=99)
    sitting.do("end_round")
    stored = whole(sitting.encounter, sitting.requests, sitting.written)
    assert stored.sealed
    return replace(
        stored, marks={"m": bytes(range(256))}, derived={"1024/ab": b"\n\x00blob", "occasions/8": b""}
    )


def test_random_fights_come_back_and_take_few_bytes() -> None:
    for fight in (heartrush(2, 400), rise(2, 300)):
        raw = pack(fight, KEY)

        assert unpack(fight.encounter, raw, (KEY,)) == fight
        assert len(raw) <= MOST * len(fight.commits)


def test_what_follows_from_other_bytes_is_not_in_the_file() -> None:
    stored = tiny()
    text, data = spell(stored)

    for n, raw in enumerate(stored.commits):
        assert commit_hash(raw) not in data or n + 1 == len(stored.commits)
    for known in stored.keys.values():
        fingerprint = known.partition(" ")[2]
        assert fingerprint.encode() not in text
        assert bytes.fromhex(fingerprint) not in data


def chained(stored: StoredEncounter) -> StoredEncounter:
    """Return *stored* with the hash that its last commit has."""
    return replace(stored, hash=commit_hash(stored.commits[-1]).hex())


def in_request(old: bytes, new: bytes) -> Callable[[StoredEncounter], StoredEncounter]:
    def change(stored: StoredEncounter) -> StoredEncounter:
        first = stored.commands[1].replace(old, new)
        assert first != stored.commands[1]
        return replace(stored, commands=[stored.commands[0], first, *stored.commands[2:]])

    return change


def last_commit(raw: bytes) -> Callable[[StoredEncounter], StoredEncounter]:
    return lambda stored: chained(replace(stored, commits=[*stored.commits[:-1], raw]))


def with_keys(keys: dict[str, str]) -> Callable[[StoredEncounter], StoredEncounter]:
    return lambda stored: replace(stored, keys=keys)


def with_payload(raw: bytes) -> Callable[[StoredEncounter], StoredEncounter]:
    return lambda stored: replace(stored, sealed=[Payload(3, 0, raw)])


ODD: dict[str, Callable[[StoredEncounter], StoredEncounter]] = {
    "a request with marks in it": in_request(b'"sides"', b"\x01\x05\x04" + b"7\x04\x10"),
    "a request in two lines": in_request(b'"sides"', b"\n"),
    "a request that is no JSON": in_request(b"{", b"["),
    "a request that is nothing": lambda stored: replace(stored, commands=[b""] * len(stored.commands)),
    "a day that is none": in_request(b"2026-01-02T", b"2026-02-30T"),
    "a time before the one before": in_request(b"2026-01-02T", b"0001-01-01T"),
    "a time after all times": in_request(b"2026-01-02T", b"9999-12-31T"),
    "a commit that is no JSON": last_commit(b"\xff\x00 a commit\n"),
    "a commit that is nothing": last_commit(b""),
    "a commit of zeros": last_commit(b"0" * 64 + b" " + b"0" * 64),
    "keys that others chose": with_keys(
        {"gm\nattack\nagain": "2 " + "0" * 64, "gm\n\x0f": f"1 {'ab' * 32}", "seat:a\n" + "F" * 32: "3 -"}
    ),
    "no keys": with_keys({}),
    "a fingerprint in capitals": with_keys({"gm\nk": "2 " + "AB" * 32}),
    "a payload that is only half a salt": with_payload(b"0123"),
    "a payload that is no text": with_payload(bytes(range(200))),
    "a payload of salt alone": with_payload(bytes(32)),
    "digits that come again": with_payload(b"s" * 32 + b'["%b","%b"]' % (b"ab" * 32, b"ab" * 32)),
    "ids that look alike": with_payload(
        b"s" * 32 + b"00000000-0000-0000-0000-0000000000010 " + b"0" * 31 + b" " + b"0" * 33
    ),
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_odd_bytes_come_back_too(change: Callable[[StoredEncounter], StoredEncounter]) -> None:
    stored = change(tiny())

    assert unpack(stored.encounter, pack(stored, KEY), (KEY,)) == stored


def test_writing_and_reading_pause_every_few_commands() -> None:
    """The threads that fold, and those that keep leases, work meanwhile."""
    stored = tiny(2 * EVERY)
    count = 2
    pauses: list[str] = []
    raw = pack(stored, KEY, lambda: pauses.append("write"))
    assert len(pauses) >= 3 * count  # written, and read back, a line for each request and commit
    assert unpack(stored.encounter, raw, (bytes(32), KEY), lambda: pauses.append("read")) == stored
    assert pauses.count("read") >= 2 * count


def test_bytes_drawn_at_random_come_back() -> None:
    alphabet = [
        b'"at":"2026-01-02T03:04:05.678Z"',
        b"ab" * 16,
        b"\x04",
        b"7",
        b'"n":2,',
        b"-",
        b"\n",
        b"\x0f",
        b"K",
    ]
    for seed in range(200):
        chance = Random(seed)
        drawn = [b"".join(chance.choices(alphabet, k=chance.randrange(9))) for _ in range(8)]
        stored = replace(
            tiny(),
            commands=drawn[:3],
            commits=drawn[3:6],
            keys={"gm\n" + drawn[6].decode(): "2 f"},
            sealed=[Payload(2, 1, bytes(32) + drawn[7])],
        )
        stored = chained(stored)

        assert unpack(stored.encounter, pack(stored, KEY), (KEY,)) == stored, seed


def test_what_cannot_come_back_is_not_written() -> None:
    with pytest.raises(NotSpelled):
        pack(replace(tiny(), hash="0" * 64), KEY)
    with pytest.raises(NotSpelled):
        pack(replace(tiny(), keys={"gm\nk": "99 " + "0" * 64}), KEY)


def test_a_file_is_read_with_its_key_and_under_its_name_alone() -> None:
    stored = tiny()
    raw = pack(stored, KEY)

    for encounter, file, key in (
        (stored.encounter, raw, bytes(32)),
        ("00000000-0000-0000-0000-000000000009", raw, KEY),
        (stored.encounter, raw[:-1], KEY),
        (stored.encounter, b"", KEY),
        (stored.encounter, raw[:60] + bytes([raw[60] ^ 1]) + raw[61:], KEY),
    ):
        with pytest.raises(NotAnArchive):
            unpack(encounter, file, (key,))
