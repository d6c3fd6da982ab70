"""Hold a line of play to the one it goes on from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.audit import bundle
from service.audit.evidence import Evidence, stored
from service.audit.lines import mismatch
from service.audit.verdict import Verdict
from service.audit.verify import verify
from tests.support.in_process_service import BOTH, House
from tests.support.javascript_verifier import OTHERWISE, Case, judged
from tests.support.tiny_game import TINY


def said(parent: Evidence, child: Evidence) -> tuple[str, str]:
    """Return what is wrong with a seam, and why."""
    found = mismatch(parent, child, BOTH)
    assert found is not None
    return str(found), found.detail


@pytest.fixture(scope="module")
def lines() -> tuple[Evidence, Evidence, Evidence]:
    """Give a line as played, the line in which it goes on, and the same game played by itself."""
    with House() as house:
        one, other = (house.open(TINY, {}) for _ in range(2))
        for line in (one, other):
            house.send(line, "gm", "roll")
            house.send(line, "ada", "choose", number=3)
            house.send(line, "gm", "add", amount=4)
            house.send(line, "bo", "choose", number=1)
        house.send(one, "ada", "contest", commit=2, claim="a d8 it should be")
        instead = [{"type": "roll", "data": {"sides": 8}}]
        proposal = house.proposed(one, "amend", contest="c1", decision="so it is", instead=instead)
        after = house.accept(one, proposal)
        house.send(after, "gm", "add", amount=1)
        played, goes_on, apart = (stored(house.log, line) for line in (one, after, other))
        return played, goes_on, apart


def test_a_line_goes_on_from_the_one_it_names(lines: tuple[Evidence, Evidence, Evidence]) -> None:
    played, goes_on, _ = lines
    assert mismatch(played, goes_on, BOTH) is None


def test_what_does_not_fit_is_named(lines: tuple[Evidence, Evidence, Evidence]) -> None:
    played, goes_on, apart = lines
    assert mismatch(played, apart, BOTH) == Verdict(
        "wrong_parent", 1, "it does not continue another encounter"
    )
    posing = replace(apart, encounter=played.encounter)
    assert said(posing, goes_on) == (
        "seam_broken(1)",
        "commit 1 of the parent is not the one it continues from",
    )
    unaccepted = replace(played, commits=played.commits[:-1])
    assert said(unaccepted, goes_on) == ("seam_broken(1)", "its parent has not accepted it")
    shortened = replace(goes_on, commits=goes_on.commits[:1])
    assert said(played, shortened) == ("seam_broken(1)", "its parent is continued by another line")
    swapped = list(played.requests)
    swapped[2] = swapped[3]
    assert said(replace(played, requests=swapped), goes_on) == (
        "seam_broken(3)",
        "its command 3 differs from command 3 of the parent",
    )


def test_another_encounter_given_as_the_parent_is_named_as_that(
    lines: tuple[Evidence, Evidence, Evidence],
) -> None:
    played, goes_on, apart = lines
    assert said(apart, goes_on) == (
        "wrong_parent(1)",
        f"it continues {played.encounter}, not {apart.encounter}",
    )


def test_rules_that_are_not_at_hand_are_named_and_are_no_fault_of_the_seam(
    lines: tuple[Evidence, Evidence, Evidence],
) -> None:
    played, goes_on, _ = lines
    assert str(mismatch(played, goes_on, {})) == "unknown_edition(1)"


def test_a_seam_that_is_sealed_from_the_reader_is_no_tampering(
    lines: tuple[Evidence, Evidence, Evidence],
) -> None:
    played, goes_on, _ = lines
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "ada", "choose", number=3)
        house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        blind = replace(stored(house.log, line), opened={})
        assert (
            said(replace(blind, commits=blind.commits[:-1]), stored(house.log, after))[0] == "seam_broken(1)"
        )
        found = mismatch(blind, stored(house.log, after), BOTH)
    assert found == Verdict("seam_sealed", 2, "commit 2 of the parent is sealed from this reader")
    assert mismatch(replace(played, opened={}), goes_on, BOTH) is None  # nothing was sealed before commit 2


def test_dice_of_a_line_as_played_are_proved_by_what_the_line_that_continues_it_discloses() -> None:
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "gm", "roll")
        house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        before = house.audit(line)
        house.send(after, "gm", "close", reason="enough")
        evidence = stored(house.log, line)
        raw = b"".join(bundle.write(evidence, "gm"))
        report = house.audit(line)

    assert (before.counts.rolls_checked, before.counts.rolls_unverified) == (0, 1)
    assert (report.counts.rolls_checked, report.counts.rolls_unverified) == (1, 0)
    assert report.verdict.extent == "valid"
    assert b'"kind":"disclosure"' in raw
    assert verify(bundle.read(raw), BOTH).counts.rolls_checked == 1
    assert judged([Case(raw)]) == [OTHERWISE]
