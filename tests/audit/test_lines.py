"""Hold a line of play to those that it continues, and a fork to its parent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.audit import bundle
from service.audit.evidence import Evidence, fight_of, played_line, stored
from service.audit.fight import verify_fight
from service.audit.lines import fork_fault
from service.audit.verdict import SEAM_BROKEN, WRONG_PARENT, Verdict
from service.record.canonical import dumps, loads, request_digest
from tests.audit.bundle_vectors import fight, retold
from tests.support.in_process_service import BOTH, House
from tests.support.javascript_verifier import OTHERWISE, Case, judged
from tests.support.tiny_game import TINY

Fight = tuple[Evidence, ...]


def test_a_fight_with_a_ruling_an_undo_and_a_redo_is_whole_and_says_what_was_taken_back() -> None:
    report = verify_fight(fight(), BOTH)

    assert report.verdict.extent == "valid"
    assert [(each.kind, each.n, each.by, each.took_back, bool(each.drawn_anew)) for each in report.lines] == [
        ("as_ruled", 2, "gm", (2, 6), True),
        ("undo", 8, "gm", (8, 8), False),
        ("redo", 9, "gm", (8, 9), True),
    ]


def test_what_stands_keeps_its_number_and_its_bytes_in_every_line() -> None:
    first, ruled, undone, redone = (each.commits for each in fight())

    assert (ruled[:1], undone[:7], redone[:8]) == (first[:1], ruled[:7], ruled[:8])


def test_with_the_rules_a_line_begins_exactly_as_the_earlier_one_leaves_it() -> None:
    """What only the service may say there, such as which dice were seen, is derived again."""
    first, ruled = fight()[:2]

    def forget(moments: list[dict[str, Any]]) -> None:
        begun = moments[1]
        for event in (begun["request"]["data"], begun["commit"]["events"][0]):
            event["state"]["line"]["old_rolls"] = {}

    def accept(moments: list[dict[str, Any]]) -> None:
        (event,) = (each for each in moments[-1]["commit"]["events"] if each["type"] == "continued")
        event["head"] = moments[-1]["request"]["data"]["head"] = head

    forgotten = retold(ruled, forget)
    head = {"n": 6, "hash": loads(forgotten.commits[6])["prev"]}
    found = verify_fight((retold(first, accept), forgotten), BOTH, without_rules=True)
    assert found.verdict.name == "valid_unsigned_without_rules", "nothing else is wrong with it"
    found = verify_fight((retold(first, accept), forgotten), BOTH)
    assert not found.verdict.is_sound


def test_a_line_is_found_from_any_line_of_its_fight() -> None:
    with House() as house:
        one = house.open(TINY, {})
        house.send(one, "gm", "roll")
        two = house.accept(one, house.proposed(one, "undo", commit=2))
        three = house.accept(two, house.proposed(two, "redo"))

        assert [played_line(house.log, each) for each in (one, two, three)] == [three] * 3
        assert fight_of(house.log, three) == (one, two, three)
        assert fight_of(house.log, two) == (one, two)


def test_a_fight_before_and_after_an_undo_has_every_commit_of_before() -> None:
    with House() as house:
        line = house.open(TINY, {})
        for amount in (4, 5):
            house.send(line, "gm", "add", amount=amount)
        before = b"".join(bundle.write_fight([stored(house.log, line)], "gm")).splitlines()
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        fight_ = [stored(house.log, each) for each in fight_of(house.log, after)]
        now = b"".join(bundle.write_fight(fight_, "gm")).splitlines()

    assert set(before[:-1]) <= set(now)
    assert len([each for each in now if b'"kind":"commit"' in each]) == len(
        {each for one in fight_ for each in one.commits}
    ), "each commit once"


def test_what_the_seat_could_see_in_one_line_stands_once_for_all_that_have_the_commit() -> None:
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "ada", "choose", number=3)
        house.send(line, "bo", "choose", number=1)  # reveals both
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        fight_ = [stored(house.log, each) for each in fight_of(house.log, after)]
        whole, part = (b"".join(bundle.write_fight(each, "gm")) for each in (fight_, fight_[-1:]))

    assert whole.count(b'"kind":"opened"') == 2, "the line that was taken back has opened them"
    assert part.count(b'"kind":"opened"') == 0, "the one that is played has not"
    assert judged([Case(whole), Case(part)]) == [OTHERWISE, "valid_in_part(3)"]
    assert verify_fight(bundle.read_fight(whole), BOTH).verdict.extent == "valid_to_epoch"


@pytest.fixture(scope="module")
def forked() -> Fight:
    """Give an encounter, its fork, and the same game played by itself."""
    with House() as house:
        one, other = (house.open(TINY, {}) for _ in range(2))
        for line in (one, other):
            house.send(line, "gm", "add", amount=4)
        fork = house.forked(one, 2)
        return tuple(stored(house.log, each) for each in (one, fork, other))


def test_a_fork_is_held_to_its_parent(forked: Fight) -> None:
    parent, fork, apart = forked

    assert fork_fault(parent, fork, BOTH) is None
    assert fork_fault(parent, apart, BOTH) == Verdict(
        WRONG_PARENT, 1, "it does not continue another encounter"
    )
    named = f"it continues {parent.encounter}, not {apart.encounter}"
    assert fork_fault(apart, fork, BOTH) == Verdict(WRONG_PARENT, 1, named)
    posing = fork_fault(replace(apart, encounter=parent.encounter), fork, BOTH)
    assert posing == Verdict(SEAM_BROKEN, 1, "commit 2 of the parent is not the one it continues from")
    assert str(fork_fault(parent, fork, {})) == "unknown_edition(1)"


def test_a_fork_with_another_first_state_is_named(forked: Fight) -> None:
    parent, fork, _ = forked
    first, request = loads(fork.commits[0]), loads(fork.requests[0] or b"")
    request["data"]["state"]["counter"] = first["events"][0]["state"]["counter"] = 400
    first["request"] = request_digest(dumps(request)).hex()
    false = replace(
        fork, commits=[dumps(first), *fork.commits[1:]], requests=[dumps(request), *fork.requests[1:]]
    )

    assert str(fork_fault(parent, false, BOTH)) == "seam_broken(1, /counter)"


def test_a_fork_alone_is_a_part(forked: Fight) -> None:
    report = verify_fight(forked[1:2], BOTH)

    assert str(report.verdict) == "valid_in_part(1)"
    assert report.as_fork is not None
    assert report.as_fork.extent == "valid_to_epoch", "once its parent is given"


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
    assert verify_fight(bundle.read_fight(raw), BOTH).counts.rolls_checked == 1
    assert judged([Case(raw)]) == [OTHERWISE]
