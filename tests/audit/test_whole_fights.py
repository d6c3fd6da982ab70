"""A fight of each book, with rulings, undos and a loss, is one file: judged, replayed and imported whole."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from service.audit import bundle
from service.audit.evidence import fight_of, stored, stored_fight
from service.audit.fight import verify_fight
from service.audit.importing import ImportRefused, take
from service.cli import main
from service.log.memory import MemoryLog
from service.rules.kernel.messages import Refused
from service.rules.registry import REGISTRY
from tests.core.undoing import opened, started
from tests.support.in_process_service import House, random_command
from tests.support.javascript_verifier import OTHERWISE, Case, judged
from tests.support.tiny_game import SHELF as TINY_SHELF
from tests.support.tiny_game import TINY

COMMANDS = 4
LATER = 2
RULINGS = 3


def _ruled(house: House, line: str) -> str:
    """Leave a command out by a ruling, where nothing is sealed from the gm."""
    for commit in range(len(house.commits(line)), 1, -1):
        with suppress(Refused):
            house.send(line, "gm", "contest", commit=commit, claim="not so")
            contest = max(house.state(line).contests, key=lambda name: int(name[1:]))
            said = house.proposed(line, "amend", contest=contest, decision="so it is", instead=[])
            if said["status"] == "ready":
                return house.accept(line, said)
    return line


@cache
def fought(edition: str) -> tuple[bytes, tuple[str, ...], int]:
    """Return the file of a fight, its lines of play, and how many commits the path has.

    The gm may open all of it: nobody chose in secret just before it was taken back.
    """
    for seed in count():
        raw, lines, commits = _fought(edition, Random(f"whole/{edition}/{seed}"))
        if b'"withheld":true' not in raw:
            return raw, lines, commits
    raise AssertionError("it counts for ever")


def _fought(edition: str, random: Random) -> tuple[bytes, tuple[str, ...], int]:
    def go_on(house: House, line: str) -> None:
        for _ in range(LATER):
            random_command(house, line, random)

    with House() as house:
        line = opened(house, edition, random)
        started(house, line)
        for _ in range(COMMANDS):
            random_command(house, line, random)
        rulings = 0
        while rulings < RULINGS:
            before, line = line, _ruled(house, line)
            rulings += line != before
            go_on(house, line)
        assert house.lost(line).outcome == "accepted"
        go_on(house, line)
        line = house.accept(line, house.proposed(line, "undo", commit=len(house.commits(line)) - 1))
        go_on(house, line)
        line = house.accept(line, house.proposed(line, "undo", commit=3))
        line = house.accept(line, house.proposed(line, "redo"))
        go_on(house, line)
        house.forked(line, 3)
        house.send(line, "gm", "close", reason="enough")
        lines = fight_of(house.log, line)
        raw = b"".join(bundle.write_fight([stored(house.log, each) for each in lines], "gm"))
        return raw, lines, len(house.commits(line))


@pytest.mark.parametrize("edition", REGISTRY)
def test_a_whole_fight_is_one_file_that_both_verifiers_judge(edition: str) -> None:
    raw, lines, commits = fought(edition)
    report = verify_fight(bundle.read_fight(raw), REGISTRY)

    assert report.verdict.extent == "valid", report.verdict
    assert (report.encounter, report.counts.commits) == (lines[-1], commits)
    kinds = [each.kind for each in report.lines]
    assert (kinds.count("undo"), kinds.count("redo"), len(kinds)) == (2, 1, len(lines) - 1)
    assert kinds.count("as_ruled") == RULINGS
    assert [each["kind"] for each in report.decisions].count("loss") == 1
    assert judged([Case(raw)]) == [OTHERWISE]


@pytest.mark.parametrize("edition", REGISTRY)
def test_a_whole_fight_is_replayed_along_its_path(edition: str, tmp_path: Path) -> None:
    raw, _, _ = fought(edition)
    file = tmp_path / "fight.jsonl"
    file.write_bytes(raw)
    told = CliRunner(catch_exceptions=False).invoke(main, ["replay", str(file)])

    assert told.exit_code == 0, told.output


@pytest.mark.parametrize("edition", REGISTRY)
def test_a_whole_fight_is_imported_and_leaves_again_byte_for_byte(edition: str) -> None:
    raw, lines, commits = fought(edition)
    log = MemoryLog()
    taken = take(log, REGISTRY, "ada", raw)

    assert (taken.address, len(taken.commits)) == (lines[-1], commits)
    assert fight_of(log, taken.address) == lines
    assert b"".join(bundle.write_fight(stored_fight(log, taken.address), "gm")) == raw


def test_a_secret_choice_that_was_taken_back_stays_secret_and_both_verifiers_say_so() -> None:
    """Nobody opened it, so its command is in no file of another seat, and the file is not imported."""
    with House() as house:
        first = house.open(TINY, {})
        chosen = house.send(first, "ada", "choose", number=3)
        line = house.accept(first, house.proposed(first, "undo", commit=chosen.n))
        house.send(line, "gm", "close", reason="enough")
        fight = [stored(house.log, each) for each in fight_of(house.log, line)]
        raw = b"".join(bundle.write_fight(fight, "gm"))
    withheld = [each.encounter for each in bundle.read_fight(raw) if None in each.requests]
    report = verify_fight(bundle.read_fight(raw), TINY_SHELF)

    assert withheld == [first], "ada chose in secret, and that was taken back"
    assert report.verdict.extent == "valid_as_opened"
    assert judged([Case(raw)]) == [OTHERWISE]
    with pytest.raises(ImportRefused) as refused:
        take(MemoryLog(), TINY_SHELF, "ada", raw)
    assert refused.value.report.verdict.name == "valid_unsigned_as_opened"
