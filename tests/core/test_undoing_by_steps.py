"""Undo step by step, back through lines that go on from each other, and redo step by step the same way."""

from __future__ import annotations

from random import Random

import pytest

from service.core.lineage import undone
from service.rules.kernel.messages import Refused
from service.rules.registry import REGISTRY
from tests.core.undoing import Ledger, fight_of, opened, started
from tests.support.in_process_service import House, random_command

COMMANDS = 20


def _played(house: House, edition: str, random: Random) -> str:
    line = opened(house, edition, random)
    started(house, line)
    for _ in range(COMMANDS):
        random_command(house, line, random)
    return line


def _undone(house: House, line: str, first: int) -> str:
    """Undo everything from commit *first* on; return the line that is played after that, audited."""
    return _sound(house, house.accept(line, house.proposed(line, "undo", commit=first)))


def _redone(house: House, line: str) -> str:
    proposal = house.proposed(line, "redo")
    assert proposal["difference"]["gone"] == []
    return _sound(house, house.accept(line, proposal))


def _sound(house: House, line: str) -> str:
    verdict = house.audit(line).verdict
    assert verdict.is_sound, verdict
    origin = house.state(line).origin
    assert origin is not None
    assert origin.pending_sealed == {}
    return line


def _refused(house: House, at: str, type_: str, **data: object) -> str:
    try:
        commit = house.send(at, "gm", type_, **data)
    except Refused as refused:
        return refused.code
    assert commit.refusal is not None
    return str(commit.refusal["code"])


@pytest.mark.parametrize("edition", REGISTRY)
@pytest.mark.parametrize("seed", range(1))
def test_TABLE_AMEND_2_undone_twice_and_redone_twice_it_is_as_it_was(edition: str, seed: int) -> None:
    """The same state, the same dice of the same names, none used twice, every line sound by itself."""
    random, ledger = Random(f"steps/{edition}/{seed}"), Ledger()
    with House() as house:
        played = _played(house, edition, random)
        last = len(house.commits(played))
        one, two = sorted(random.sample(range(2, last + 1), 2))
        was = {n: fight_of(house.services.folder.at(played, n).state) for n in (one - 1, two - 1, last)}
        rolls = ledger.take(house.rolls(played), edition)

        back = _undone(house, played, two)
        assert fight_of(house.state(back)) == was[two - 1]
        further = _undone(house, back, one)
        assert fight_of(house.state(further)) == was[one - 1]
        origin = house.state(further).origin
        assert origin is not None
        assert (origin.parent, origin.n, origin.ruled_in, origin.levels) == (back, one - 1, "", 2)
        again = _redone(house, further)
        assert fight_of(house.state(again)) == was[two - 1]
        whole = _redone(house, again)
        assert fight_of(house.state(whole)) == was[last]
        assert [each.raw for each in house.commits(whole)][:last] == [
            each.raw for each in house.commits(played)
        ][:last]
        assert ledger.take(house.rolls(whole), edition) == rolls
        assert _refused(house, whole, "redo") == "nothing_to_redo"


@pytest.mark.parametrize("edition", REGISTRY)
def test_TABLE_AMEND_2_whoever_undoes_twice_and_plays_on_throws_no_die_that_was_seen(edition: str) -> None:
    random, ledger = Random(f"otherwise/{edition}"), Ledger()
    with House() as house:
        played = _played(house, edition, random)
        ledger.take(house.rolls(played), edition)
        last = len(house.commits(played))
        further = _undone(house, _undone(house, played, last - 3), last - 12)
        for _ in range(COMMANDS):
            random_command(house, further, random)
        ledger.take(house.rolls(further), edition)
        _sound(house, further)


def test_TABLE_AMEND_2_an_undo_goes_back_beyond_what_was_played_since_an_undo() -> None:
    """A second undo needs nothing that the first did not; a new deed is nothing that a redo may pass over."""
    random = Random("since")
    with House() as house:
        played = _played(house, "heartrush@1", random)
        last = len(house.commits(played))
        was = fight_of(house.services.folder.at(played, last - 9).state)
        back = _undone(house, played, last - 2)
        assert random_command(house, back, random)
        now = fight_of(house.state(back))
        further = _undone(house, back, last - 8)
        assert fight_of(house.state(further)) == was
        assert [(part.line, part.first) for part in undone(house.services, further)] == [(back, last - 8)]
        again = _redone(house, further)
        assert fight_of(house.state(again)) == now
        assert random_command(house, again, random)
        assert _refused(house, again, "redo") == "nothing_to_redo"


def test_TABLE_AMEND_2_only_what_was_lived_is_undone() -> None:
    random = Random("lived")
    with House() as house:
        played = _played(house, "rise@1", random)
        back = _undone(house, played, len(house.commits(played)) - 2)
        last = len(house.commits(back))
        assert _refused(house, back, "undo", commit=last) == "no_such_moment"
        assert _refused(house, back, "undo", commit=last + 1) == "no_such_moment"
        assert _refused(house, back, "undo", commit=1) == "opening_stands"
