"""Closed epochs of several encounters are signed together, each as it would be alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from service.audit import checkpoint
from service.audit.notary import Disputed, Notary
from service.audit.signing_memory import RememberedHead, SigningMemory
from service.log.memory import MemoryLog
from service.stores import checkpoints
from service.stores.checkpoints import TreeHead
from service.stores.disputes import ROLLED_BACK, Dispute, Disputes
from tests.audit.evidence_of import kept
from tests.support.tiny_table import SIGNER, Sitting, eid

MANY = 5


class Broken(Exception):
    """The store is away."""


class Counting(MemoryLog):
    """Counts writes of records, and fails them where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.puts = 0
        self.left = 1_000

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        if self.puts == self.left:
            raise Broken
        self.puts += 1
        super().put_records(records)


@pytest.fixture
def signing_memory(tmp_path: Path) -> Iterator[SigningMemory]:
    made = SigningMemory(tmp_path / "signing-memory.db")
    yield made
    made.close()


def sittings() -> list[Sitting]:
    """Return games with two closed epochs each, every one of another length."""
    made = []
    for nth in range(1, MANY + 1):
        sitting = Sitting(eid(nth))
        sitting.open()
        for _ in range(2):
            for _ in range(nth):
                sitting.do("roll")
            sitting.do("end_round")
        sitting.do("add", amount=1)
        made.append(sitting)
    return made


def held(log: MemoryLog, signing_memory: SigningMemory, games: list[Sitting]) -> Notary:
    """Return a notary that has held *log*, where each game has begun, to what it signed: nothing."""
    notary = Notary(log, signing_memory, lambda: SIGNER)
    for each in games:
        kept(each, log, upto=1)
        notary.check(each.encounter)
    return notary


def test_each_is_signed_as_it_would_be_alone(signing_memory: SigningMemory, tmp_path: Path) -> None:
    games, log, other = sittings(), Counting(), MemoryLog()
    notary = held(log, signing_memory, games)
    for each in games:
        kept(each, log)
        kept(each, other)

    signed, left = notary.sign_closed_together([each.encounter for each in games])

    assert left == []
    assert log.puts == 4, "notes and latest of all first closes, then of all second ones"
    alone = Notary(other, SigningMemory(tmp_path / "alone.db"), lambda: SIGNER)
    for each in games:
        assert signed[each.encounter] == alone.sign_closed(each.encounter)
        assert len(signed[each.encounter]) == 2
        assert checkpoints.all_notes(log, each.encounter) == checkpoints.all_notes(other, each.encounter)
        assert checkpoints.latest(log, each.encounter) == signed[each.encounter][-1]
        seen = signing_memory.seen(each.encounter)
        assert seen is not None
        assert TreeHead(seen.size, seen.root.hex()) == signed[each.encounter][-1]


def test_what_was_signed_together_is_not_signed_again(signing_memory: SigningMemory) -> None:
    games, log = sittings(), Counting()
    notary = held(log, signing_memory, games)
    for each in games:
        kept(each, log)
    ids = [each.encounter for each in games]
    notary.sign_closed_together(ids)

    signed, left = notary.sign_closed_together(ids)

    assert left == []
    assert signed == {each: [] for each in ids}
    assert all(notary.sign_closed(each) == [] for each in ids)


def test_what_is_not_known_or_contradicts_a_signature_is_left_to_be_looked_at_alone(
    signing_memory: SigningMemory,
) -> None:
    games, log = sittings(), Counting()
    unknown, beyond, disputed, altered, fine = games
    notary = held(log, signing_memory, [beyond, disputed, altered, fine])
    for each in games:
        kept(each, log)
    signing_memory.remember(RememberedHead(beyond.encounter, 99, bytes(32), "note"))
    Disputes(log).open(Dispute(disputed.encounter, ROLLED_BACK, 9, "00" * 32, 3))
    log._read(altered.encounter).commits.pop(2)  # noqa: SLF001 - what a store must never do

    signed, left = notary.sign_closed_together([each.encounter for each in games])

    assert set(left) == {each.encounter for each in (unknown, beyond, disputed, altered)}
    assert list(signed) == [fine.encounter]
    with pytest.raises(Disputed):
        notary.sign_closed(beyond.encounter)
    with pytest.raises(Disputed):
        notary.sign_closed(altered.encounter)


@pytest.mark.parametrize("told", [0, 1, 2, 3])
def test_a_crash_before_it_is_told_leaves_no_close_unsigned(signing_memory: SigningMemory, told: int) -> None:
    games, log = sittings(), Counting()
    notary = held(log, signing_memory, games)
    for each in games:
        kept(each, log)
    log.left = told
    with pytest.raises(Broken):
        notary.sign_closed_together([each.encounter for each in games])
    log.left = MANY * MANY

    after = Notary(log, signing_memory, lambda: SIGNER)

    for each in games:
        after.sign_closed(each.encounter)
        latest = checkpoints.latest(log, each.encounter)
        closes = [w.n for w in each.written if b"epoch_closed" in w.raw]
        assert [checkpoint.size_of(note) for note in checkpoints.all_notes(log, each.encounter)] == closes
        assert latest is not None
        assert latest.size == closes[-1]
