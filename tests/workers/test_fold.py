"""Folding one encounter in this process: pages, snapshots, lost races, tries, and what cannot be folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

import pytest
from structlog.testing import capture_logs

from service.core.decide import unfolded
from service.core.fold import Folder
from service.core.summaries import MARK, read_summary
from service.key_files import Keyring
from service.log import CommandNotification, CommitWrite, NoSuchEncounter, StaleCommit, StoreUnavailable
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from service.rules.kernel.codec import to_data
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.secrets import EncounterSecrets, Undecipherable
from tests.support.folding import LONG_S, fold_whole, turns_of
from tests.support.tiny_game import EDITION, SHELF, TINY, TinyState
from tests.support.tiny_table import KEY, Sitting, eid, player, request
from workers.fold import MAX_TRIES, PAGE, CommandFolder, SecretMissing
from workers.turns import Turn, TurnTime


def always() -> bool:
    return True


class Meddler(MemoryLog):
    """A log in which somebody may act just before each commit."""

    def __init__(self) -> None:
        super().__init__()
        self.before_commit: Callable[[], None] = lambda: None
        self.tries: list[int] = []

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        meddle, self.before_commit = self.before_commit, lambda: None
        meddle()
        return super().commit(encounter, *folds)

    def tried(self, encounter: str, n: int) -> int:
        self.tries.append(n)
        return super().tried(encounter, n)


@pytest.fixture
def log() -> Meddler:
    return Meddler()


def _append(log: MemoryLog, sitting: Sitting, start: int = 0) -> None:
    """Append what was sent in *sitting* from number *start* + 1 on, decided or not."""
    if start == 0:
        log.put_secret(sitting.encounter, sitting.secrets.encrypt(KEY))
    for n, raw in enumerate(sitting.requests[start:], start + 1):
        log.append(sitting.encounter, raw, scope="s", key=str(n), fingerprint="f", create=n == 1)


def _sitting(rounds: int = 3, encounter: str | None = None) -> Sitting:
    sitting = Sitting(encounter or eid())
    sitting.open()
    for _ in range(rounds):
        sitting.do("roll")
        sitting.do("choose", player("ada"), number=2)
        sitting.do("end_round")
    return sitting


def _folding(log: MemoryLog) -> tuple[CommandFolder, Folder]:
    folder = Folder(log, SHELF)
    return CommandFolder(log, folder, Keyring.of(KEY)), folder


def _notified(
    folding: CommandFolder, notifications: Sequence[CommandNotification]
) -> tuple[dict[str, int], list[str]]:
    """Return the commits by encounter, and the encounters that need a page."""
    found = folding.fold_notified(turns_of(notifications))
    assert not found.late
    return found.done, found.left


def _stored(log: MemoryLog, sitting: Sitting) -> bool:
    """Tell whether the log holds exactly the commits of *sitting*."""
    entries = log.commits(sitting.encounter, 0, 10_000)
    return [entry.raw for entry in entries] == [written.raw for written in sitting.written]


@pytest.mark.parametrize("rounds", [0, 1, PAGE])
def test_everything_appended_is_committed_in_pages(log: Meddler, rounds: int) -> None:
    sitting = _sitting(rounds)
    _append(log, sitting)
    folding, folder = _folding(log)

    assert fold_whole(folding, eid()) == len(sitting.requests)
    assert fold_whole(folding, eid()) == 0
    assert _stored(log, sitting)
    assert folder.kept(eid()) == sitting.folded
    assert log.marks(eid())["round/1"] == b"1"
    head = log.head(eid())
    assert head is not None
    assert head.frontier == sitting.folded.frontier.to_bytes()


def test_commits_that_are_written_together_have_one_summary_of_the_last_state(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = _sitting(2)
    _append(log, sitting)
    written: list[CommitWrite] = []
    commit = log.commit

    def noted(encounter: str, *writes: CommitWrite) -> int:
        written.extend(writes)
        return commit(encounter, *writes)

    monkeypatch.setattr(log, "commit", noted)
    fold_whole(_folding(log)[0], eid())

    assert len(written) == len(sitting.requests)
    assert [MARK in write.marks for write in written] == [False] * (len(written) - 1) + [True]
    summary = read_summary(log.marks(eid())[MARK])
    assert (summary["status"], summary["round"]) == ("open", sitting.folded.state.round)


def test_a_state_is_written_down_when_idle(log: Meddler) -> None:
    sitting = _sitting()
    _append(log, sitting)
    folding, _ = _folding(log)
    fold_whole(folding, eid())
    assert log.state(eid()) is None

    folding.settle(eid())

    settled = log.state(eid())
    assert settled is not None
    assert settled.n == len(sitting.requests)


def test_an_encounter_that_is_over_is_forgotten_when_idle(log: Meddler) -> None:
    sitting = _sitting()
    sitting.do("close")
    _append(log, sitting)
    folding, folder = _folding(log)
    fold_whole(folding, eid())

    folding.settle(eid())

    assert folder.kept(eid()) is None
    folding.settle(eid())


def test_that_a_game_was_played_to_its_end_is_noted_before_the_end_stands(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever hears of the end finds it noted: the next opening does not count it as left unfinished."""
    monkeypatch.setattr(TinyState, "is_over", property(lambda state: state.round > 1))
    register = EncounterIndex(log)
    register.enter(EncounterEntry(eid(), "ada", "tiny@1", "", "2026-01-02T00:00:00.000Z"))
    sitting = _sitting()
    sitting.do("close")
    _append(log, sitting)
    noted: list[bool] = []
    log.before_commit = lambda: noted.append(bool(log.records("encounters/ada/finished")))

    fold_whole(_folding(log)[0], eid())

    assert noted == [True]
    later = EncounterEntry(eid(2), "ada", "tiny@1", "", "2026-01-02T00:00:01.000Z")
    assert register.unfinished_before(later) == 0


def test_a_race_that_is_lost_starts_again_from_the_store(log: Meddler) -> None:
    sitting = _sitting()
    _append(log, sitting)
    other, _ = _folding(log)

    def overtake() -> None:
        fold_whole(other, eid())

    log.before_commit = overtake
    folding, folder = _folding(log)

    fold_whole(folding, eid())

    assert _stored(log, sitting)
    assert folder.current(eid()) == sitting.folded


@pytest.mark.parametrize("folded_after", [(1, 2), (2,), ()], ids=["one by one", "together", "woken"])
def test_an_encounter_that_was_lost_and_opened_again_is_decided_with_its_new_secrets(
    log: Meddler, folded_after: tuple[int, ...]
) -> None:
    lost = _sitting(1)
    _append(log, lost)
    folding, folder = _folding(log)
    fold_whole(folding, eid())
    log.forget(eid())  # as a store that was set back does
    drawn = EncounterSecrets(eid(), {0: b"a" * 32, 1: b"b" * 32}, {0: 64, 1: 64}, b"c" * 32)
    log.put_secret(eid(), drawn.encrypt(KEY))
    data = {"encounter": eid(), "edition": EDITION, "digest": "0" * 64, "dice": to_data(drawn.setup())}
    requests = [request(1, "open", data), request(2, "choose", {"number": 2}, player("ada"))]
    for n, raw in enumerate(requests, 1):
        log.append(eid(), raw, scope="s", key=str(n), fingerprint="f", create=n == 1)
        if n in folded_after:
            fold_whole(folding, eid())
    if not folded_after:
        folder.drop(eid())
        folder.keep(unfolded(eid(), TINY))
        notified = [CommandNotification(eid(), n, raw) for n, raw in enumerate(requests, 1)]
        assert _notified(folding, notified) == ({}, [eid()])
        fold_whole(folding, eid())

    again = Sitting()
    again.secrets = drawn
    for raw in requests:
        again.put(raw)
    assert _stored(log, again)


def test_a_late_commit_is_refused_by_the_log(log: Meddler) -> None:
    sitting = _sitting()
    _append(log, sitting)
    fold_whole(_folding(log)[0], eid())
    late = sitting.written[2]

    with pytest.raises(StaleCommit):
        log.commit(eid(), CommitWrite(3, load_commit(late.raw).prev, "0" * 64, late.raw, sitting.requests[2]))

    assert _stored(log, sitting)


def test_a_turn_ends_with_its_page(log: Meddler) -> None:
    sitting = _sitting(PAGE)
    _append(log, sitting)
    folding, _ = _folding(log)

    assert folding.fold_page(eid(), TurnTime(LONG_S)) == PAGE
    assert folding.fold_page(eid(), TurnTime(LONG_S)) == PAGE


def test_a_turn_whose_time_is_over_decides_one_command_of_a_page(log: Meddler) -> None:
    sitting = _sitting(2)
    _append(log, sitting)
    folding, _ = _folding(log)

    for _ in sitting.requests:
        assert folding.fold_page(eid(), TurnTime(0.0)) == 1
    assert folding.fold_page(eid(), TurnTime(0.0)) is None
    assert _stored(log, sitting)


def test_a_turn_whose_time_ends_decides_one_notified_command_and_names_the_others(log: Meddler) -> None:
    folding, _, [first, _], notifications = _going(log, 1, 2)
    mine = [each for each in notifications if each.encounter == eid(1)]

    found = folding.fold_notified([Turn(eid(1), TurnTime(1e-9), mine)])
    assert (found.done, found.left, found.late) == ({eid(1): 1}, [], {eid(1): mine[1:]})

    found = folding.fold_notified([Turn(eid(1), TurnTime(LONG_S), mine[1:])])
    assert (found.done, found.late) == ({eid(1): len(mine) - 1}, {})
    assert _stored(log, first)


def test_an_owner_whose_time_is_over_has_no_second_encounter_in_the_round(log: Meddler) -> None:
    folding, _, _, notifications = _going(log, 1, 2)
    shared = TurnTime(1e-9)
    turns = turns_of(notifications)
    for turn in turns:
        turn.time = shared

    found = folding.fold_notified(turns)

    assert found.done == {turns[0].encounter: 1}
    assert found.late[turns[1].encounter] == turns[1].notified


def test_tries_are_counted_on_cold_loads_alone(log: Meddler) -> None:
    sitting = _sitting()
    _append(log, sitting)
    folding, _ = _folding(log)
    fold_whole(folding, eid())
    sitting.do("roll")
    _append(log, sitting, len(sitting.requests) - 1)
    fold_whole(folding, eid())

    assert log.tries == [1]


def test_a_command_that_was_tried_before_is_decided_alone(log: Meddler) -> None:
    sitting = _sitting(1)
    _append(log, sitting)
    log.tried(eid(), 1)

    fold_whole(_folding(log)[0], eid())

    assert log.tries[1:] == [1, 2, 3, 4]
    assert _stored(log, sitting)


def test_what_follows_a_command_that_was_tried_before_is_decided_alone_in_later_turns_too(
    log: Meddler,
) -> None:
    sitting = _sitting(1)
    _append(log, sitting)
    log.tried(eid(), 1)
    folding, _ = _folding(log)

    assert folding.fold_page(eid(), TurnTime(0.0)) == 1
    fold_whole(folding, eid())

    assert log.tries[1:] == [1, 2, 3, 4]
    assert _stored(log, sitting)


def test_once_no_command_waits_the_next_ones_are_decided_together_again(log: Meddler) -> None:
    sitting = _sitting(1)
    _append(log, sitting)
    log.tried(eid(), 1)
    folding, _ = _folding(log)
    fold_whole(folding, eid())
    log.tries.clear()
    start = len(sitting.requests)
    for _ in range(2):
        sitting.do("roll")
    _append(log, sitting, start)

    assert folding.fold_page(eid(), TurnTime(LONG_S)) == 2

    assert log.tries == []
    assert _stored(log, sitting)


@pytest.mark.plants_crash
def test_a_command_that_breaks_is_tried_three_times_and_no_more(log: Meddler) -> None:
    sitting = _sitting(1)
    _append(log, sitting)
    before = len(sitting.requests)
    raw = _burst(sitting)
    log.append(eid(), raw, scope="s", key="b", fingerprint="f")
    folding, _ = _folding(log)

    fold_whole(folding, eid())

    outcomes = [load_commit(entry.raw).outcome for entry in log.commits(eid(), 0, 100)]
    assert outcomes[before:] == ["quarantined"]
    assert log.tries == [1, *[before + 1] * MAX_TRIES]


@pytest.mark.plants_crash
def test_a_command_without_memory_is_set_aside_as_one_that_ended_its_workers(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit on a larger machine decides it, and must not name an honest host for that."""
    sitting = _sitting(1)
    _append(log, sitting)
    before = len(sitting.requests)
    folding, _ = _folding(log)
    fold_whole(folding, eid())
    log.append(eid(), _burst(sitting), scope="s", key="b", fingerprint="f")

    def exhaust(*_: object) -> NoReturn:
        raise MemoryError

    monkeypatch.setattr("workers.fold.decide_request", exhaust)
    fold_whole(folding, eid())

    said = load_commit(log.commits(eid(), before, 1)[0].raw).quarantine
    assert said is not None
    assert (said["cause"], said["error"]) == ("killed", None)


def test_an_outage_while_a_command_is_decided_does_not_set_it_aside(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = _sitting(1)
    _append(log, sitting)
    folding, _ = _folding(log)
    fold_whole(folding, eid())
    rolled = request(len(sitting.requests) + 1, "roll", {})
    log.append(eid(), rolled, scope="s", key="b", fingerprint="f")
    n = len(sitting.requests) + 1

    def fail(*_: object) -> NoReturn:
        raise StoreUnavailable("the store is restarting")

    with monkeypatch.context() as outage:
        outage.setattr("workers.fold.decide_request", fail)
        for _ in range(MAX_TRIES):
            with pytest.raises(StoreUnavailable):
                fold_whole(folding, eid())
    fold_whole(folding, eid())

    assert load_commit(log.commits(eid(), n - 1, 1)[0].raw).outcome == "accepted"


def _burst(sitting: Sitting) -> bytes:
    return request(len(sitting.requests) + 1, "burst", {"how": "raise"})


# --- what wakes bring ---------------------------------------------------------------------------------


def _wakes(sitting: Sitting, start: int) -> list[CommandNotification]:
    """Return the wakes of what was sent in *sitting* from number *start* + 1 on."""
    return [
        CommandNotification(sitting.encounter, n, raw)
        for n, raw in enumerate(sitting.requests[start:], start + 1)
    ]


def _going(
    log: Meddler, *numbers: int
) -> tuple[CommandFolder, Folder, list[Sitting], list[CommandNotification]]:
    """Fold encounters, then send a few more commands to each; the wakes come interleaved."""
    folding, folder = _folding(log)
    sittings = [_sitting(1, eid(number)) for number in numbers]
    notifications = []
    for sitting in sittings:
        _append(log, sitting)
        fold_whole(folding, sitting.encounter)
        start = len(sitting.requests)
        sitting.do("roll")
        sitting.do("choose", player("ada"), number=3)
        _append(log, sitting, start)
        notifications.append(_wakes(sitting, start))
    return folding, folder, sittings, [wake for pair in zip(*notifications, strict=True) for wake in pair]


def test_what_wakes_bring_is_written_without_a_look(log: Meddler, monkeypatch: pytest.MonkeyPatch) -> None:
    folding, folder, sittings, notifications = _going(log, 1, 2, 3)
    for read in ("look", "head", "commits", "commands"):
        monkeypatch.setattr(log, read, None)

    assert _notified(folding, notifications) == ({eid(1): 2, eid(2): 2, eid(3): 2}, [])

    monkeypatch.undo()
    assert all(_stored(log, sitting) for sitting in sittings)
    assert [folder.kept(sitting.encounter) for sitting in sittings] == [s.folded for s in sittings]


def test_a_commit_names_who_asked_unless_every_process_must_hear_it(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    folding, _, [sitting], notifications = _going(log, 1)
    start = len(sitting.requests)
    sitting.do("open_seat", seat="eve", role="observer")
    _append(log, sitting, start)
    written: list[CommitWrite] = []
    commit_all = log.commit_all

    def note(batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        written.extend(fold for _, folds in batch for fold in folds)
        return commit_all(batch)

    monkeypatch.setattr(log, "commit_all", note)
    asked = [replace(wake, process="asks") for wake in (*notifications, *_wakes(sitting, start))]

    assert _notified(folding, asked) == ({eid(1): 3}, [])

    assert [fold.process for fold in written] == ["asks", "asks", ""]
    assert b'"seat_' in written[-1].raw


def test_a_wake_that_does_not_continue_what_is_kept_is_left_to_a_look(log: Meddler) -> None:
    folding, folder, [first, second], notifications = _going(log, 1, 2)
    folder.drop(eid(2))

    assert _notified(folding, [wake for wake in notifications if wake.n != notifications[0].n]) == (
        {},
        [eid(1), eid(2)],
    )
    assert _notified(folding, [CommandNotification(eid(1), 0, b"")]) == ({}, [eid(1)])

    for sitting in (first, second):
        fold_whole(folding, sitting.encounter)
        assert _stored(log, sitting)


def test_a_wake_that_comes_after_a_look_has_nothing_left_to_do(
    log: Meddler, monkeypatch: pytest.MonkeyPatch
) -> None:
    folding, folder, [first, second], notifications = _going(log, 1, 2)
    fold_whole(folding, eid(1))
    monkeypatch.setattr(log, "look", None)

    assert _notified(folding, notifications) == ({eid(2): 2}, [])

    assert folder.kept(eid(1)) == first.folded
    assert _stored(log, first)
    assert _stored(log, second)


def test_a_wave_that_loses_a_race_stands_for_the_others(log: Meddler) -> None:
    folding, folder, [first, second], notifications = _going(log, 1, 2)
    fold_whole(_folding(log)[0], eid(1))
    first.do("add", amount=1)
    _append(log, first, len(first.requests) - 1)
    fold_whole(_folding(log)[0], eid(1))

    assert _notified(folding, notifications) == ({eid(2): 2}, [eid(1)])

    assert folder.kept(eid(1)) is None
    assert _stored(log, first)
    assert _stored(log, second)


@pytest.mark.plants_crash
def test_a_wake_that_breaks_the_rules_is_left_to_be_counted(log: Meddler) -> None:
    folding, folder, [first, second], notifications = _going(log, 1, 2)
    raw = request(len(first.requests) + 1, "burst", {"how": "raise"}, encounter=eid(1))
    n = log.append(eid(1), raw, scope="s", key="b", fingerprint="f").n

    assert _notified(folding, [*notifications, CommandNotification(eid(1), n, raw)]) == (
        {eid(2): 2},
        [eid(1)],
    )

    assert folder.kept(eid(1)) is None
    fold_whole(folding, eid(1))
    assert load_commit(log.commits(eid(1), n - 1, 1)[0].raw).outcome == "quarantined"
    assert _stored(log, second)


# --- what goes wrong ----------------------------------------------------------------------------------


def test_an_outage_is_passed_on_and_nothing_kept_is_believed_after_it(log: Meddler) -> None:
    sitting = _sitting()
    _append(log, sitting)
    folding, folder = _folding(log)

    def fail() -> None:
        raise StoreUnavailable("gone")

    log.before_commit = fail
    with pytest.raises(StoreUnavailable):
        fold_whole(folding, eid())

    assert folder.kept(eid()) is None
    assert fold_whole(folding, eid()) == len(sitting.requests)
    assert _stored(log, sitting)


def test_what_is_no_encounter_has_no_secret_or_the_wrong_one_is_named(log: Meddler) -> None:
    folding, _ = _folding(log)
    with pytest.raises(NoSuchEncounter):
        fold_whole(folding, eid(1))

    bare, foreign = _sitting(1, eid(2)), _sitting(1, eid(3))
    log.append(eid(2), bare.requests[0], scope="s", key="1", fingerprint="f", create=True)
    with pytest.raises(SecretMissing):
        fold_whole(folding, eid(2))

    log.put_secret(eid(3), EncounterSecrets.create(eid(4)).encrypt(KEY))
    log.append(eid(3), foreign.requests[0], scope="s", key="1", fingerprint="f", create=True)
    with pytest.raises(Undecipherable):
        fold_whole(folding, eid(3))


def test_commits_that_the_store_lost_are_named() -> None:
    sitting, log = _sitting(), Meddler()
    _append(log, sitting)
    folding, _ = _folding(log)
    fold_whole(folding, sitting.encounter)
    behind = Meddler()
    _append(behind, sitting)
    del vars(behind)["_encounters"][sitting.encounter].commands[-3:]
    kept = vars(behind)["_encounters"][sitting.encounter]
    kept.head = replace(kept.head, appended=len(kept.commands))

    vars(log)["_encounters"] = vars(behind)["_encounters"]
    with capture_logs() as lines:
        fold_whole(folding, sitting.encounter)

    n = len(sitting.requests)
    named = [line for line in lines if line["event"] == "encounter.commits_lost"]
    assert [(line["encounter"], line["first"], line["last"]) for line in named] == [
        (sitting.encounter, n - 2, n)
    ]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_commit_is_decided_again_byte_for_byte_and_another_one_is_named(*, replaced: bool) -> None:
    sitting, log = _sitting(), Meddler()
    _append(log, sitting)
    folding, _ = _folding(log)
    fold_whole(folding, sitting.encounter)
    behind = Meddler()
    _append(behind, sitting)
    n = len(sitting.requests)
    if replaced:
        vars(behind)["_encounters"][sitting.encounter].commands[-1] = request(n, "roll", {})

    vars(log)["_encounters"] = vars(behind)["_encounters"]
    with capture_logs() as lines:
        fold_whole(folding, sitting.encounter)

    named = [line for line in lines if line["event"] == "encounter.commits_lost"]
    assert [(line["first"], line["last"]) for line in named] == ([(n, n)] if replaced else [])
    assert _stored(log, sitting) is not replaced
