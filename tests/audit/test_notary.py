"""What is signed continues what was signed before; what contradicts it is found and stops everything."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest

from service.audit import bundle, checkpoint
from service.audit.evidence import stored, stored_fight
from service.audit.fight import verify_fight
from service.audit.notary import Disputed, Notary
from service.audit.notes import verifier_key
from service.audit.signing import publish
from service.audit.signing_memory import RememberedHead, SigningMemory
from service.log import Entry, Log
from service.log.memory import MemoryLog
from service.stores import checkpoints, removals
from service.stores.cached import CachedLookup
from service.stores.checkpoints import TreeHead
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.removals import Removal
from tests.audit.evidence_of import closed, kept, played
from tests.support.in_process_service import BOTH, House
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting

KEY = verifier_key(f"{SIGNER.origin}/{Sitting().encounter}", SIGNER.public)


@pytest.fixture
def signing_memory(tmp_path: Path) -> Iterator[SigningMemory]:
    made = SigningMemory(tmp_path / "signing-memory.db")
    yield made
    made.close()


def notary_of(log: MemoryLog, signing_memory: SigningMemory) -> Notary:
    return Notary(log, signing_memory, lambda: SIGNER)


def other() -> Sitting:
    """Return a game with the id of `closed` and another third command."""
    sitting = Sitting()
    sitting.open()
    sitting.do("add", amount=4)
    for _ in range(5):
        sitting.do("roll")
    sitting.do("end_round")
    sitting.do("add", amount=1)
    return sitting


def closes_of(sitting: Sitting) -> list[int]:
    """Return the numbers of the commits that close an epoch or the encounter."""
    return [w.n for w in sitting.written if b"epoch_closed" in w.raw or b"encounter_closed" in w.raw]


def sizes_signed(log: Log, encounter: str) -> list[int]:
    """Return the sizes of the signed heads of *encounter*, rising."""
    return sorted(checkpoint.size_of(note) for note in checkpoints.all_notes(log, encounter))


def root_at(sitting: Sitting, n: int) -> str:
    return sitting.written[n - 1].folded.frontier.root().hex()


def test_every_close_is_signed_once_at_its_own_size(signing_memory: SigningMemory) -> None:
    sitting = closed()
    log = kept(sitting)
    by = notary_of(log, signing_memory)

    made = by.sign_closed(sitting.encounter)

    assert len(closes_of(sitting)) > 1
    assert made == [TreeHead(n, root_at(sitting, n)) for n in closes_of(sitting)]
    assert by.sign_closed(sitting.encounter) == []
    assert checkpoints.latest(log, sitting.encounter) == made[-1]
    notes = checkpoints.all_notes(log, sitting.encounter)
    assert [checkpoint.verify(note, KEY).size for note in notes] == closes_of(sitting)


def test_a_line_of_play_is_signed_from_its_own_first_commit_on_and_after_those_before_it(
    signing_memory: SigningMemory,
) -> None:
    """What it has of the line that it continues is signed in that line's name, and first."""
    with House() as house:
        notary = Notary(house.log, signing_memory, lambda: SIGNER)
        publish(house.log, SIGNER, 0)
        before = house.open(TINY, {})
        house.send(before, "gm", "end_round")
        house.send(before, "gm", "roll")
        after = house.accept(before, house.proposed(before, "undo", commit=3))
        house.send(after, "gm", "end_round")
        notary.check(after)
        assert notary.sign_closed_together([after]) == ({}, [after]), "lines before it may not be signed"
        assert [point.size for point in notary.sign_closed(after)] == [5]
        assert sizes_signed(house.log, before) == [2, 5]
        house.send(after, "gm", "end_round")
        signed, left = notary.sign_closed_together([after])
        assert ([point.size for point in signed[after]], left) == ([6], [])
        house.send(after, "gm", "add", amount=1)
        notary.sign_head(after)
        assert sizes_signed(house.log, after) == [5, 6, 7]
        whole, part = stored_fight(house.log, after), [stored(house.log, after)]
        for fight, verdict in ((whole, "valid_to_epoch"), (part, "valid_in_part")):
            raw = b"".join(bundle.write_fight(fight, "gm"))
            report = verify_fight(bundle.read_fight(raw, pinned=(SIGNER.public,)), BOTH)
            assert report.verdict.name == verdict


def test_the_head_is_signed_when_somebody_asks(signing_memory: SigningMemory) -> None:
    sitting = played()
    by = notary_of(kept(sitting), signing_memory)

    [*_, last] = by.sign_head(sitting.encounter)

    assert last == TreeHead(9, root_at(sitting, 9))
    assert by.sign_head(sitting.encounter) == []


def test_another_process_signs_on_where_the_first_ended(
    signing_memory: SigningMemory, tmp_path: Path
) -> None:
    sitting = closed()
    log = kept(sitting, upto=8)
    first = notary_of(log, signing_memory).sign_closed(sitting.encounter)
    kept(sitting, log)

    for seen in (signing_memory, SigningMemory(tmp_path / "of-another-machine.db")):
        more = notary_of(log, seen).sign_closed(sitting.encounter)
        assert all(point.size > first[-1].size for point in more)
    assert [
        checkpoint.parse(note).size for note in checkpoints.all_notes(log, sitting.encounter)
    ] == closes_of(sitting)


def test_a_signature_that_the_store_lost_is_put_back(signing_memory: SigningMemory) -> None:
    sitting = closed()
    notary_of(kept(sitting), signing_memory).sign_closed(sitting.encounter)
    fresh = kept(sitting)

    notary_of(fresh, signing_memory).check(sitting.encounter)

    assert checkpoints.latest(fresh, sitting.encounter) == TreeHead(10, root_at(sitting, 10))


def test_a_store_that_was_rolled_back_is_found_before_anything_is_added(
    signing_memory: SigningMemory,
) -> None:
    sitting = closed()
    notary_of(kept(sitting), signing_memory).sign_closed(sitting.encounter)

    with pytest.raises(Disputed, match="10 commits were signed, and the store has 6"):
        notary_of(kept(sitting, upto=6), signing_memory).check(sitting.encounter)


def test_a_store_that_went_on_otherwise_is_found(signing_memory: SigningMemory) -> None:
    sitting = closed()
    notary_of(kept(sitting, upto=7), signing_memory).sign_head(sitting.encounter)
    log = kept(other())

    for _ in range(2):
        with pytest.raises(Disputed, match="the first 7 commits are not those that were signed"):
            notary_of(log, signing_memory).sign_closed(sitting.encounter)
    assert [checkpoint.parse(note).root.hex() for note in checkpoints.all_notes(log, sitting.encounter)] == [
        root_at(sitting, 7)
    ], "nothing is signed that contradicts it"


def test_a_running_notary_finds_what_was_rolled_back_under_it(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = closed()
    log = kept(sitting)
    by = notary_of(log, signing_memory)
    by.sign_closed(sitting.encounter)
    shorter = kept(sitting, upto=6)
    monkeypatch.setattr(by, "_log", shorter)

    with pytest.raises(Disputed, match="10 commits were signed"):
        by.check(sitting.encounter)


def test_stored_bytes_that_were_changed_are_found_when_the_tree_is_made_anew(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = closed()
    log = kept(sitting)
    by = notary_of(log, signing_memory)
    by.sign_closed(sitting.encounter)
    good = log.commits

    def bad(encounter: str, after: int, count: int) -> list[Entry]:
        entries = good(encounter, after, count)
        return [Entry(e.n, e.raw.replace(b'"roll"', b'"rill"') if e.n == 3 else e.raw) for e in entries]

    by.check(sitting.encounter)
    monkeypatch.setattr(log, "commits", bad)
    assert bad(sitting.encounter, 2, 1) != good(sitting.encounter, 2, 1)
    with pytest.raises(Disputed, match="are not those that were signed"):
        by.recompute(sitting.encounter)


def test_a_dispute_stands_until_it_is_accepted_and_then_signing_goes_on(
    signing_memory: SigningMemory,
) -> None:
    sitting = closed()
    notary_of(kept(sitting, upto=7), signing_memory).sign_head(sitting.encounter)
    log = kept(other())
    by = notary_of(log, signing_memory)
    with pytest.raises(Disputed):
        by.check(sitting.encounter)

    standing = by.disputes.standing(sitting.encounter)
    assert standing is not None
    ended = by.disputes.accept(sitting.encounter, standing.public_data, 5)

    assert ended is not None
    assert (ended.why, ended.size) == ("forked", 7)
    by.check(sitting.encounter)
    assert by.sign_closed(sitting.encounter) == [TreeHead(n, root_at(other(), n)) for n in closes_of(other())]
    assert by.disputes.accept(sitting.encounter, standing.public_data, 5) is None


def test_an_encounter_that_is_missing_whole_is_disputed_until_it_is_back(
    signing_memory: SigningMemory, tmp_path: Path
) -> None:
    sitting = closed()
    log = kept(sitting)
    EncounterIndex(log).enter(EncounterEntry(sitting.encounter, "ada", "tiny@1", "", ""))
    notary_of(log, signing_memory).sign_closed(sitting.encounter)
    empty = MemoryLog()
    by = notary_of(empty, signing_memory)

    with pytest.raises(Disputed, match="the store has none of them") as result:
        by.check_missing(sitting.encounter, 0.0)
    lost = result.value.dispute
    assert (lost.why, lost.size, lost.root, lost.owner) == ("missing", 10, root_at(sitting, 10), "ada")
    assert lost.epoch > 1
    assert by.disputes.missing(sitting.encounter) == lost

    for commits, is_whole in ((6, False), (10, True)):
        back = kept(sitting, upto=commits)
        Disputes(back).open(lost)
        elsewhere = notary_of(back, SigningMemory(tmp_path / f"of-another-machine-{commits}.db"))
        if is_whole:
            elsewhere.recompute(sitting.encounter)
            assert Disputes(back).standing(sitting.encounter) is None
        else:  # a machine that signed nothing of it holds it to what the dispute says
            with pytest.raises(Disputed) as found:
                elsewhere.recompute(sitting.encounter)
            short = found.value.dispute
            assert (short.why, short.folded) == ("rolled_back", commits)
            assert (short.epoch, short.owner) == (lost.epoch, "ada")


def test_a_machine_that_signed_nothing_learns_from_the_store_past_which_epoch_dice_were_seen(
    signing_memory: SigningMemory,
) -> None:
    sitting = closed()
    short = kept(sitting, upto=6)
    checkpoints.put(short, sitting.encounter, TreeHead(10, root_at(sitting, 10)), "signed elsewhere", epoch=3)

    with pytest.raises(Disputed) as found:
        notary_of(short, signing_memory).check(sitting.encounter)

    assert (found.value.dispute.why, found.value.dispute.epoch) == ("rolled_back", 3)


def test_what_was_removed_or_has_expired_is_not_missing(signing_memory: SigningMemory) -> None:
    sitting = closed()
    left = Removal(sitting.encounter, "2026-01-02T00:00:00.000Z", "owner", 8, "a", "b", {})
    fork = EncounterEntry(sitting.encounter, "ada", "tiny@1", "", "", expires="2026-01-02T00:00:00Z")
    for gone, later in ((left, 0.0), (fork, 2e9)):
        notary_of(kept(sitting), signing_memory).sign_closed(sitting.encounter)
        empty = MemoryLog()
        if isinstance(gone, Removal):
            removals.put(empty, [gone], 0.0)
        else:
            EncounterIndex(empty).enter(gone)
            with pytest.raises(Disputed):
                notary_of(empty, signing_memory).check_missing(
                    sitting.encounter, 1.0
                )  # its time was not over

        notary_of(empty, signing_memory).check_missing(sitting.encounter, later)

        assert signing_memory.encounters() == []


def test_a_signing_memory_that_knows_no_owners_is_read_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "signing-memory.db") as db:
        db.execute("CREATE TABLE signed (encounter TEXT PRIMARY KEY, size, root, note, epoch) WITHOUT ROWID")
        db.execute("INSERT INTO signed VALUES ('e', 3, x'00', 'note', 1)")
    db.close()
    made = SigningMemory(tmp_path / "signing-memory.db")

    assert made.seen("e") == RememberedHead("e", 3, bytes(1), "note")
    made.remember(RememberedHead("e", 4, bytes(1), "note", 2, "ada"))
    assert made.seen("e") == RememberedHead("e", 4, bytes(1), "note", 2, "ada")
    made.close()


def test_the_signing_memory_remembers_the_greatest_and_forgets_when_told(
    signing_memory: SigningMemory,
) -> None:
    for size in (3, 7, 5):
        signing_memory.remember(RememberedHead("e1", size, bytes([size]) * 32, str(size)))

    assert signing_memory.seen("e1") == RememberedHead("e1", 7, b"\x07" * 32, "7")
    assert signing_memory.encounters() == ["e1"]
    signing_memory.forget("e1")
    assert signing_memory.seen("e1") is None


def test_the_signing_memory_is_for_its_owner_alone(tmp_path: Path) -> None:
    SigningMemory(tmp_path / "new" / "signing-memory.db").close()

    assert (tmp_path / "new" / "signing-memory.db").stat().st_mode & 0o777 == 0o600


def test_the_latest_checkpoint_is_looked_up_once_a_second() -> None:
    log, now = MemoryLog(), [0.0]
    latest = CachedLookup(lambda each: checkpoints.latest(log, each), lambda: now[0])
    checkpoints.put(log, "e1", TreeHead(3, "a" * 64), "note")
    assert latest.of("e1") == TreeHead(3, "a" * 64)

    checkpoints.put(log, "e1", TreeHead(5, "b" * 64), "note")

    assert latest.of("e1") == TreeHead(3, "a" * 64)
    now[0] = 1.0
    assert latest.of("e1") == TreeHead(5, "b" * 64)


def test_on_a_loop_what_is_old_of_many_encounters_is_looked_up_together() -> None:
    now = [0.0]
    asked: list[tuple[str, ...]] = []
    looked = Event()
    names = [f"e{i}" for i in range(50)]

    def looks(encounters: Sequence[str]) -> list[int]:
        asked.append(tuple(sorted(encounters)))
        looked.set()
        return [1] * len(encounters)

    async def ask() -> None:
        fresh = CachedLookup(lambda _: 0, lambda: now[0], looks=looks)
        await asyncio.to_thread(lambda: [fresh.of(each) for each in names])
        now[0] = 5.0
        assert [fresh.of(each) for each in names] == [0] * 50
        assert await asyncio.to_thread(looked.wait, 30)

    asyncio.run(ask())

    assert asked == [tuple(sorted(names))]
