"""The worker that signs: woken by folds, asked over the store, and stopped by a history that is another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from structlog.testing import capture_logs

from service.audit import checkpoint
from service.audit.evidence import stored
from service.audit.notary import Notary
from service.audit.notes import verifier_key
from service.audit.signing import Signer, publish, published, rotate
from service.audit.signing_memory import SigningMemory
from service.audit.verify import verify
from service.core.fold import Folder
from service.key_files import Keyring, read_or_create_key
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from service.stores import checkpoints
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from tests.audit.evidence_of import closed, kept
from tests.support.folding import fold_whole
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import KEY, SIGNER, Sitting, eid, request, secrets_of
from tests.support.waiting import until
from tests.workers.conftest import Hall
from workers import notary as work
from workers.fold import CommandFolder, RecordNotAsSigned
from workers.notary import CheckpointSigner


@pytest.fixture
def signing_memory(tmp_path: Path) -> Iterator[SigningMemory]:
    made = SigningMemory(tmp_path / "signing-memory.db")
    yield made
    made.close()


def signing_of(log: MemoryLog, signing_memory: SigningMemory) -> CheckpointSigner:
    return CheckpointSigner(log, Notary(log, signing_memory, lambda: SIGNER), lambda: SIGNER, Event())


def appended(sitting: Sitting) -> MemoryLog:
    """Return a log with the commands of *sitting*, none of them folded."""
    log = MemoryLog()
    assert log.put_secret(sitting.encounter, secrets_of(sitting.encounter).encrypt(KEY))
    for n, raw in enumerate(sitting.requests, 1):
        log.append(sitting.encounter, raw, scope="gm", key=str(n), fingerprint="f", create=n == 1)
    return log


def test_a_fold_that_closes_epochs_is_signed_at_each(signing_memory: SigningMemory) -> None:
    sitting = closed()
    log = appended(sitting)
    signing = signing_of(log, signing_memory)

    fold_whole(CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing), sitting.encounter)
    signing.work()

    closing = [w.n for w in sitting.written if b"epoch_closed" in w.raw or b"encounter_closed" in w.raw]
    assert [int(note.split("\n")[1]) for note in checkpoints.all_notes(log, sitting.encounter)] == closing


def test_what_was_left_unsigned_is_signed_at_the_next_start(signing_memory: SigningMemory) -> None:
    sitting = closed()
    log = kept(sitting)
    EncounterIndex(log).enter(EncounterEntry(sitting.encounter, "ada", "tiny@1", "", ""))

    signing_of(log, signing_memory).catch_up()

    latest = checkpoints.latest(log, sitting.encounter)
    assert latest is not None
    assert latest.size == 10


def test_a_disputed_encounter_is_not_folded_until_it_is_accepted(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "RECHECK_S", 0.0)
    sitting = closed()
    Notary(kept(sitting), signing_memory, lambda: SIGNER).sign_closed(sitting.encounter)
    log = kept(sitting, upto=6)
    assert log.put_secret(sitting.encounter, secrets_of(sitting.encounter).encrypt(KEY))
    log.append(sitting.encounter, sitting.requests[6], scope="gm", key="7", fingerprint="f")
    signing = signing_of(log, signing_memory)
    folding = CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing)

    for _ in range(2):
        with pytest.raises(RecordNotAsSigned):
            fold_whole(folding, sitting.encounter)
    standing = Disputes(log).standing(sitting.encounter)
    assert standing is not None
    assert Disputes(log).accept(sitting.encounter, standing.public_data, 0) is not None

    assert fold_whole(folding, sitting.encounter) == 1


def test_the_whole_tree_is_made_anew_every_so_many_commits(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "WHOLE_EVERY", 4)
    sitting = closed()
    log = appended(sitting)
    notary = Notary(log, signing_memory, lambda: SIGNER)
    signing = CheckpointSigner(log, notary, lambda: SIGNER, Event())
    seen: list[str] = []
    monkeypatch.setattr(notary, "recompute", seen.append)

    fold_whole(CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing), sitting.encounter)
    signing.work()

    assert seen == [sitting.encounter]


def test_an_encounter_at_which_signing_fails_keeps_no_other_unsigned(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = closed()
    log = appended(sitting)
    notary = Notary(log, signing_memory, lambda: SIGNER)
    signing = CheckpointSigner(log, notary, lambda: SIGNER, Event())
    fold_whole(CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing), sitting.encounter)
    whole = notary.recompute

    def fails(encounter: str) -> None:
        if encounter != sitting.encounter:
            raise ArithmeticError(encounter)
        whole(encounter)

    monkeypatch.setattr(notary, "recompute", fails)
    monkeypatch.setattr(notary, "encounters", lambda: [eid(9), sitting.encounter])
    signing.look()

    assert checkpoints.latest(log, sitting.encounter) is not None


def test_a_worker_process_publishes_its_key_and_signs(hall: Hall) -> None:
    encounter = eid(1)
    hall.open(encounter)
    hall.start()
    for type_ in ("roll", "end_round"):
        hall.do(encounter, type_)
    hall.until_folded()

    until(lambda: checkpoints.latest(hall.log, encounter), "a checkpoint")

    assert [key.public for key in published(hall.log)] == [SIGNER.public.hex()]


def test_a_worker_process_refuses_a_history_that_was_rolled_back(hall: Hall) -> None:
    encounter = eid(1)
    hall.open(encounter)
    hall.do(encounter, "roll")
    sitting = closed()
    Notary(kept(sitting), SigningMemory(hall.signing_memory), lambda: SIGNER).sign_closed(sitting.encounter)

    worker = hall.start()

    until(lambda: worker.lines("encounter.disputed"), "the dispute")
    assert worker.lines("encounter.disputed")[0]["why"] == "rolled_back"
    assert hall.folded(encounter) == 0
    assert sitting.encounter == encounter


def test_a_worker_process_names_what_is_missing_whole(hall: Hall) -> None:
    sitting = closed()
    signing_memory = SigningMemory(hall.signing_memory)
    Notary(kept(sitting), signing_memory, lambda: SIGNER).sign_closed(sitting.encounter)
    signing_memory.close()

    worker = hall.start()

    until(lambda: worker.lines("encounter.disputed"), "the dispute")
    (line,) = worker.lines("encounter.disputed")
    assert (line["encounter"], line["why"], line["signed"]) == (sitting.encounter, "missing", 10)
    assert Disputes(hall.log).missing(sitting.encounter) is not None


def test_what_came_while_a_history_was_disputed_is_set_aside_and_no_seen_die_is_thrown_again(
    signing_memory: SigningMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TABLE-EPOCH-3: the lost history closed an epoch, so its link is known; none of its epochs is used."""
    monkeypatch.setattr(work, "RECHECK_S", 0.0)
    lost = closed()
    Notary(kept(lost), signing_memory, lambda: SIGNER).sign_closed(lost.encounter)
    log = kept(lost, upto=6)
    assert log.put_secret(lost.encounter, secrets_of(lost.encounter).encrypt(KEY))
    again = Sitting()
    again.requests, again.written = lost.requests[:6], lost.written[:6]
    folding = CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing_of(log, signing_memory))

    def append(n: int, type_: str, **data: object) -> None:
        raw = request(n, type_, data, encounter=lost.encounter)
        log.append(lost.encounter, raw, scope="gm", key=str(n), fingerprint="f")

    append(7, "roll")
    with pytest.raises(RecordNotAsSigned):
        fold_whole(folding, lost.encounter)
    dispute = Disputes(log).standing(lost.encounter)
    assert dispute is not None
    found = {"size": dispute.size, "root": dispute.root}
    append(8, "accept_history", reason="the disk died", lost=found, epoch=dispute.epoch)
    append(9, "roll")
    Disputes(log).accept(lost.encounter, dispute.public_data, 8)
    assert fold_whole(folding, lost.encounter) == 3

    commits = [load_commit(entry.raw) for entry in log.commits(lost.encounter, 6, 10)]
    assert [commit.outcome for commit in commits] == ["quarantined", "accepted", "accepted"]
    used = {roll["name"]["epoch"] for made in lost.written for roll in load_commit(made.raw).rolls}
    (roll,) = commits[-1].rolls
    assert roll["name"]["epoch"] > max(used)
    publish(log, SIGNER, 0.0)
    pinned = (SIGNER.public,)
    before = verify(replace(stored(log, lost.encounter), pinned=pinned), SHELF)
    assert not before.verdict.is_sound, "nobody has signed the acceptance yet"
    Notary(log, signing_memory, lambda: SIGNER).sign_closed(lost.encounter)
    report = verify(replace(stored(log, lost.encounter), pinned=pinned), SHELF)
    assert (str(report.verdict), report.counts.quarantined) == ("valid_to_epoch(0)", 1)
    assert (report.signed.size, report.signed.lost) == (8, 1)


def test_a_worker_with_another_key_than_the_published_one_says_so(signing_memory: SigningMemory) -> None:
    log = MemoryLog()
    publish(log, Signer(SIGNER.origin, bytes(range(5, 37))), 100.0)

    with capture_logs() as lines:
        signing_of(log, signing_memory).look()

    (line,) = [line for line in lines if line["event"] == "signing.unvouched_key"]
    assert line["public_key"] == SIGNER.public.hex()
    assert "REWOUND_SIGNING_KEY_FILE" in line["mend"]


def test_a_key_that_is_rotated_while_the_worker_runs_signs_what_comes_next(
    signing_memory: SigningMemory, tmp_path: Path
) -> None:
    sitting, file = closed(), tmp_path / "signing.key"

    def signer() -> Signer:
        return Signer(SIGNER.origin, read_or_create_key(file))

    closing = [each.n for each in sitting.written if b"epoch_closed" in each.raw]
    first, half = signer(), closing[0]
    log = appended(replace(sitting, requests=sitting.requests[:half]))
    signing = CheckpointSigner(log, Notary(log, signing_memory, signer), signer, Event())
    folding = CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing)
    signing.look()
    fold_whole(folding, sitting.encounter)
    signing.work()
    before = checkpoints.all_notes(log, sitting.encounter)

    second = rotate(log, SIGNER.origin, file, 200.0, read_or_create_key)
    for n, raw in enumerate(sitting.requests[half:], half + 1):
        log.append(sitting.encounter, raw, scope="gm", key=str(n), fingerprint="f")
    fold_whole(folding, sitting.encounter)
    signing.work()

    after = checkpoints.all_notes(log, sitting.encounter)[len(before) :]
    name = f"{SIGNER.origin}/{sitting.encounter}"
    for notes, key in ((before, first.public), (after, bytes.fromhex(second.public))):
        assert notes
        for note in notes:
            checkpoint.verify(note, verifier_key(name, key))
    pinned = replace(stored(log, sitting.encounter), pinned=(first.public,))
    assert verify(pinned, SHELF).verdict.name == "valid"


def test_after_an_outage_the_store_is_held_to_what_was_signed(signing_memory: SigningMemory) -> None:
    """A failover may have lost what was signed while the worker was running."""
    sitting = closed()
    log = appended(sitting)
    signing = signing_of(log, signing_memory)
    folding = CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY), signing)
    fold_whole(folding, sitting.encounter)
    signing.work()
    behind = appended(sitting)
    vars(log).update({"_encounters": vars(behind)["_encounters"]})
    assert signing.may_fold(sitting.encounter), "it was looked at before"

    folding.recheck()

    with pytest.raises(RecordNotAsSigned):
        fold_whole(folding, sitting.encounter)
