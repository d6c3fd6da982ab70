"""The folder: what it keeps, what it distrusts, and that every road to commit n leads to the same state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from service.core.decide import quarantine_request
from service.core.fold import UNUSED_S, ChainBroken, Folder, UnknownEdition
from service.core.snapshot import folded_from, snapshot_of
from service.log import CommitWrite, NoSuchEncounter
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from service.record.quarantine import KILLED, because
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import Sitting, eid, opening, player, request


class CountingLog(MemoryLog):
    """A log that counts what is read of it."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def __getattribute__(self, name: str) -> object:
        if name in {"head", "commits", "commands", "sealed", "state", "look"}:
            self.reads.append(name)
        return super().__getattribute__(name)


@pytest.fixture
def log() -> CountingLog:
    return CountingLog()


@pytest.fixture
def folder(log: CountingLog) -> Folder:
    return Folder(log, SHELF)


def _store(log: MemoryLog, sitting: Sitting, start: int = 0) -> None:
    """Append and commit what was decided in *sitting* from number *start* + 1 on."""
    for raw, written in list(zip(sitting.requests, sitting.written, strict=True))[start:]:
        n = written.n
        log.append(sitting.encounter, raw, scope="s", key=str(n), fingerprint="f", create=n == 1)
        prev = load_commit(written.raw).prev
        log.commit(
            sitting.encounter,
            CommitWrite(n, prev, written.hash, written.raw, raw, sealed=written.envelope_payloads),
        )


def _played(encounter: str | None = None) -> Sitting:
    """Play two rounds with everything in them."""
    sitting = Sitting(encounter or eid())
    sitting.open()
    for _ in range(2):
        sitting.do("roll", sides=20)
        sitting.do("add", amount=99)
        sitting.do("choose", player("ada"), number=3)
        sitting.do("whisper", to=["bo", "ada"], note="psst")
        sitting.do("choose", player("bo"), number=4)
        sitting.do("end_round", last=True)
    return sitting


@pytest.fixture
def sitting(log: CountingLog) -> Sitting:
    sitting = _played()
    _store(log, sitting)
    return sitting


# --- the present --------------------------------------------------------------------------------------


def test_folding_the_stored_commits_gives_the_decided_state(folder: Folder, sitting: Sitting) -> None:
    assert folder.current(eid()) == sitting.folded


def test_an_encounter_that_does_not_exist_is_said_not_to(folder: Folder) -> None:
    with pytest.raises(NoSuchEncounter):
        folder.current(eid(9))
    with pytest.raises(NoSuchEncounter):
        folder.at(eid(9), 1)


def test_an_encounter_without_commits_is_blank(folder: Folder, log: CountingLog) -> None:
    log.append(eid(), opening(eid()), scope="s", key="1", fingerprint="f", create=True)

    folded = folder.current(eid())

    assert (folded.n, folded.state, folded.ruleset) == (0, TINY.blank, TINY)


def test_a_kept_state_that_is_the_heads_costs_one_question(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    folder.current(eid())
    log.reads.clear()

    assert folder.current(eid()).n == len(sitting.written)
    assert log.reads == ["head"]


def test_a_kept_state_that_is_new_enough_costs_none(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    folder.current(eid())
    log.reads.clear()

    assert folder.current(eid(), at_least=len(sitting.written)) == sitting.folded
    assert log.reads == []


def test_a_kept_state_that_is_doubted_is_compared_with_its_head_again(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    last = len(sitting.written)
    folder.current(eid())
    _take_back(log, sitting)
    other = replace(sitting, requests=sitting.requests[:-1], written=sitting.written[:-1])
    other.do("add", amount=7)
    _store(log, other, last - 1)

    assert folder.current(eid(), at_least=last) == sitting.folded, "nobody has said that it may be lost"
    folder.doubt()

    assert folder.current(eid(), at_least=last) == other.folded
    log.reads.clear()
    assert folder.current(eid(), at_least=last) == other.folded
    assert log.reads == [], "it was compared"


def test_what_was_published_before_a_doubt_is_not_folded(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    last = len(sitting.written)
    _take_back(log, sitting)
    before = folder.current(eid())
    folder.offer(eid(), last, sitting.written[-1].raw)
    folder.doubt()

    assert folder.current(eid()) == before
    assert before.n == last - 1


def test_a_failover_between_the_head_and_its_commits_breaks_no_chain(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    before = log.head(eid())
    _take_back(log, sitting)
    heads = [before, log.head(eid())]
    with mock.patch.object(log, "head", side_effect=heads):
        assert folder.current(eid()).n == len(sitting.written) - 1
    with mock.patch.object(log, "head", side_effect=heads):
        assert folder.at(eid(), len(sitting.written)).n == len(sitting.written) - 1


def _take_back(log: CountingLog, sitting: Sitting) -> None:
    """Lose the last command and its commit, as a failover does."""
    stored = replace(sitting, requests=sitting.requests[:-1], written=sitting.written[:-1])
    log.forget(sitting.encounter)
    _store(log, stored)


def test_what_came_since_is_folded_onto_the_kept_state(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    folder.current(eid())
    known = len(sitting.written)
    sitting.do("choose", player("ada"), number=5)
    sitting.do("add", amount=1)
    _store(log, sitting, known)

    assert folder.current(eid(), at_least=known + 2) == sitting.folded


def test_a_published_commit_moves_the_kept_state_on(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    folder.current(eid())
    written = sitting.do("add", amount=1)
    log.reads.clear()

    folder.offer(eid(), written.n, written.raw)

    assert folder.current(eid(), at_least=written.n) == sitting.folded
    assert log.reads == []


def test_a_published_commit_that_does_not_continue_the_kept_state_is_left_alone(
    folder: Folder, sitting: Sitting
) -> None:
    before = folder.current(eid())
    written = sitting.do("add", amount=1)
    next_ = sitting.do("add", amount=1)

    folder.offer(eid(), next_.n, next_.raw)
    folder.offer(eid(), written.n, written.raw.replace(before.hash.encode(), b"0" * 64))
    folder.offer(eid(2), 1, sitting.written[0].raw)

    assert folder.kept(eid()) == before
    assert folder.kept(eid(2)) is None


def test_a_kept_state_the_record_does_not_know_is_thrown_away(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    elsewhere = _played()
    elsewhere.do("add", amount=9)
    folder.keep(elsewhere.folded)
    sitting.do("add", amount=1)
    sitting.do("add", amount=2)
    _store(log, sitting, len(sitting.written) - 2)

    assert folder.current(eid()) == sitting.folded


def test_a_kept_state_of_another_commit_with_the_same_number_is_thrown_away(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    other = Sitting(sitting.encounter)
    other.open()
    while len(other.written) < len(sitting.written):
        other.do("add", amount=9)
    folder.keep(other.folded)

    assert folder.current(sitting.encounter) == sitting.folded


def test_a_head_that_is_not_the_last_commit_is_not_folded_to(
    folder: Folder, log: CountingLog, sitting: Sitting
) -> None:
    head = log.head(sitting.encounter)
    assert head is not None
    with (
        mock.patch.object(log, "head", return_value=replace(head, hash="7" * 64)),
        pytest.raises(ChainBroken),
    ):
        folder.current(sitting.encounter)


def test_only_the_last_used_are_kept(log: CountingLog) -> None:
    folder = Folder(log, SHELF, capacity=2)
    for number in (1, 2, 3):
        _store(log, _played(eid(number)))
    for number in (1, 2, 1, 3):
        folder.current(eid(number))

    assert [folder.kept(eid(number)) is None for number in (1, 2, 3)] == [False, True, False]


def test_a_state_that_nobody_uses_is_dropped(log: CountingLog) -> None:
    now = [0.0]
    folder = Folder(log, SHELF, clock=lambda: now[0])
    for number in (1, 2, 3):
        _store(log, _played(eid(number)))
        folder.current(eid(number))
    before = folder.current(eid(2))
    now[0] = UNUSED_S - 1
    folder.kept(eid(1))
    now[0] = UNUSED_S + 1
    folder.offer(eid(2), 9, b"{}")  # to hear of a commit is no use of the state
    folder.current(eid(1))
    folder.keep(folder.current(eid(1)))

    assert [folder.kept(eid(number)) is None for number in (1, 2, 3)] == [False, True, True]
    assert folder.current(eid(2)) == before


def test_stored_commits_that_do_not_follow_each_other_are_not_folded(
    log: CountingLog, folder: Folder
) -> None:
    sitting = _played()
    _store(log, sitting)
    entries = log._encounters[eid()].commits  # noqa: SLF001 - the damage is done behind the store's back
    entries[3], entries[4] = entries[4], entries[3]

    with pytest.raises(ChainBroken):
        folder.current(eid())


def test_rules_that_are_not_on_the_shelf_are_named(log: CountingLog, folder: Folder) -> None:
    log.append(
        eid(), opening(eid(), {"edition": "chess@1"}), scope="s", key="1", fingerprint="f", create=True
    )

    with pytest.raises(UnknownEdition, match="chess@1"):
        folder.current(eid())


@pytest.mark.parametrize("raw", [b"{", request(1, "open", {}), request(1, "open", {"edition": 3})])
def test_an_encounter_opened_with_rubbish_is_folded_by_no_rules(
    log: CountingLog, folder: Folder, raw: bytes
) -> None:
    log.append(eid(), raw, scope="s", key="1", fingerprint="f", create=True)

    folded = folder.current(eid())

    assert folded.ruleset.edition == "none"
    assert not folded.ruleset.commands


# --- the past -----------------------------------------------------------------------------------------


def test_any_past_number_is_folded_as_it_was(folder: Folder, log: CountingLog, sitting: Sitting) -> None:
    log.put_state(eid(), snapshot_of(sitting.written[6].folded))

    for written in sitting.written:
        assert folder.at(eid(), written.n) == written.folded
    assert folder.at(eid(), 0).state == TINY.blank
    assert folder.at(eid(), 10_000) == sitting.folded


def test_steps_yield_each_commit_with_the_state_it_leads_to(folder: Folder, sitting: Sitting) -> None:
    steps = list(folder.steps(eid(), 3, 9))

    assert [commit.n for commit, _ in steps] == [4, 5, 6, 7, 8, 9]
    assert [folded for _, folded in steps] == [written.folded for written in sitting.written[3:9]]
    assert [folded.n for _, folded in folder.steps(eid(), 0, 10_000)] == list(range(1, 14))


# --- snapshots ----------------------------------------------------------------------------------------


def test_a_snapshot_comes_back_as_the_same_state(sitting: Sitting) -> None:
    for written in sitting.written:
        assert folded_from(eid(), TINY, snapshot_of(written.folded)) == written.folded


def test_a_snapshot_saves_the_commits_before_it(folder: Folder, log: CountingLog, sitting: Sitting) -> None:
    log.put_state(eid(), snapshot_of(sitting.written[-2].folded))
    for n in range(len(sitting.written) - 3):
        log._encounters[eid()].commits[n] = b"{}"  # noqa: SLF001 - they are not to be read

    assert folder.current(eid()) == sitting.folded


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cached: replace(cached, blob=cached.blob[:-1]),
        lambda cached: replace(cached, blob=b""),
        lambda cached: replace(
            cached, blob=cached.blob[:40] + bytes([cached.blob[40] ^ 1]) + cached.blob[41:]
        ),
        lambda cached: replace(cached, ruleset_digest="0" * 64),
        lambda cached: replace(cached, hash="0" * 64),
        lambda cached: replace(cached, n=cached.n - 1),
        lambda cached: replace(cached, n=cached.n + 1),
        lambda cached: replace(cached, n=10_000),
        lambda cached: replace(cached, n=0),
    ],
)
def test_a_spoilt_snapshot_is_ignored(
    folder: Folder, log: CountingLog, sitting: Sitting, spoil: Callable[[Any], Any]
) -> None:
    log.put_state(eid(), spoil(snapshot_of(sitting.written[5].folded)))

    assert folder.current(eid()) == sitting.folded


def test_a_quarantined_command_is_folded_over(folder: Folder, log: CountingLog, sitting: Sitting) -> None:
    before = folder.current(eid())
    raw = request(before.n + 1, "burst", {"how": "raise"})
    written = quarantine_request(before, raw, before.n + 1, because(KILLED, TINY))
    log.append(eid(), raw, scope="s", key="q", fingerprint="f")
    log.commit(eid(), CommitWrite(written.n, before.hash, written.hash, written.raw, raw))

    assert folder.current(eid()) == written.folded
    assert written.state == before.state
