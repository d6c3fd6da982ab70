"""Undo step by step, back through lines that go on from each other, and redo step by step the same way."""

from __future__ import annotations

from random import Random

import pytest

from service.audit.evidence import stored
from service.audit.lines import mismatch
from service.core.lineage import undone
from service.rules.kernel.messages import Refused
from service.rules.registry import REGISTRY
from tests.core.undoing import Ledger, fight_of, opened, started
from tests.support.in_process_service import BOTH, House, random_command

COMMANDS = 20


def _played(house: House, edition: str, random: Random) -> str:
    line = opened(house, edition, random)
    started(house, line)
    for _ in range(COMMANDS):
        random_command(house, line, random)
    return line


def _undone(house: House, line: str, first: int, earlier: str = "") -> str:
    """Undo everything from commit *first* on; return the line that is played after that, audited."""
    data = {"line": earlier} if earlier else {}
    return _sound(house, house.accept(line, house.proposed(line, "undo", commit=first, **data)))


def _redone(house: House, line: str) -> str:
    proposal = house.proposed(line, "redo")
    assert proposal["difference"]["gone"] == []
    return _sound(house, house.accept(line, proposal))


def _sound(house: House, line: str) -> str:
    verdict = house.audit(line).verdict
    assert verdict.is_sound, verdict
    origin = house.folding.folder.at(line, 1).state.origin
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
        further = _undone(house, back, one, played)
        assert fight_of(house.state(further)) == was[one - 1]
        origin = house.folding.folder.at(further, 1).state.origin
        assert origin is not None
        assert (origin.parent, origin.n, origin.ruled_in, origin.levels) == (played, one - 1, back, 2)
        for line in (played, back):  # the one shows the moment, the other that it was accepted
            assert mismatch(stored(house.log, line), stored(house.log, further), BOTH) is None
        again = _redone(house, further)
        assert fight_of(house.state(again)) == was[two - 1]
        whole = _redone(house, again)
        assert fight_of(house.state(whole)) == was[last]
        now = {**ledger.take(house.rolls(again), edition), **ledger.take(house.rolls(whole), edition)}
        assert now == {name: rolls[name] for name in now}
        assert _refused(house, whole, "redo") == "nothing_to_redo"


@pytest.mark.parametrize("edition", REGISTRY)
def test_TABLE_AMEND_2_whoever_undoes_twice_and_plays_on_throws_no_die_that_was_seen(edition: str) -> None:
    random, ledger = Random(f"otherwise/{edition}"), Ledger()
    with House() as house:
        played = _played(house, edition, random)
        ledger.take(house.rolls(played), edition)
        last = len(house.commits(played))
        further = _undone(house, _undone(house, played, last - 3), last - 12, played)
        for _ in range(COMMANDS):
            random_command(house, further, random)
        ledger.take(house.rolls(further), edition)
        _sound(house, further)


def test_TABLE_AMEND_2_what_was_played_since_has_to_be_undone_first() -> None:
    """An undo takes back commits of one line; a new deed is nothing that a redo may pass over."""
    random = Random("since")
    with House() as house:
        played = _played(house, "heartrush@1", random)
        last = len(house.commits(played))
        back = _undone(house, played, last - 2)
        assert random_command(house, back, random)
        assert _refused(house, back, "undo", commit=last - 8, line=played) == "other_line"
        emptied = _undone(house, back, 2)
        further = _undone(house, emptied, last - 8, played)
        assert [part.line for part in undone(house.services, further)] == [played, back]
        again = _redone(house, further)
        assert random_command(house, again, random)
        assert _refused(house, again, "redo") == "nothing_to_redo"


@pytest.mark.parametrize(
    ("commit", "line", "code"),
    [
        (99, "played", "no_such_moment"),
        (1, "played", "opening_stands"),
        (2, "back", "no_such_moment"),
        (2, "x", "other_line"),
    ],
)
def test_TABLE_AMEND_2_only_what_was_lived_is_undone(commit: int, line: str, code: str) -> None:
    random = Random("lived")
    with House() as house:
        played = _played(house, "rise@1", random)
        back = _undone(house, played, len(house.commits(played)) - 2)
        lines = {"played": played, "back": back, "x": "nothing"}
        assert _refused(house, back, "undo", commit=2) == "no_such_moment"
        assert _refused(house, back, "undo", commit=commit, line=lines[line]) == code
