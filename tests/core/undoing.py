"""Undo and redo every round of random fights, and hold the dice of all lines of play to each other.

`python -m tests.core.undoing` plays many; the tests play a few.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any
from unittest import mock

from service.audit.lines import ITS_OWN
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Refused
from service.rules.registry import REGISTRY
from service.rules.rise import RISE
from service.rules.table.table import GM, Table
from tests.random_play.situations import concealed, disturbed, hidden
from tests.rules.heartrush.bot import random_opening
from tests.rules.rise.bot import KIT
from tests.rules.rise.cast import drawn_opening
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise_opening
from tests.support.in_process_service import House, random_command

COMMANDS = {HEARTRUSH.edition: 200, RISE.edition: 80}
"""How many commands a fight of each book has."""

MANY = (2, 3, 4, 6)
"""Creatures of a fight of Rise with secrets."""
HIDING = 0.5
"""How often the GM hides creatures, of all fights with secrets."""
MOVING = 0.05
"""How often the GM does something with a hidden creature, of all turns."""
ENDING = 0.7
"""How often the GM ends what is still fought, of all fights with secrets."""
LEISURE = 5
"""Commands outside combat, each time."""
OTHERWISE = 30
"""Commands played after an undo, at random."""

Names = dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]]
"""Rolls by their names: what for, the sides, the faces."""


class Ledger:
    """Every roll of every line of play of one fight: a name stands for one throw on all of them."""

    def __init__(self) -> None:
        self.known: Names = {}

    def take(self, rolls: list[dict[str, Any]], seed: str) -> Names:
        """Add the rolls of a line, and return them; fails where a name is used for something else."""
        found: Names = {}
        for roll in rolls:
            name = str(tuple(roll["name"].values()))
            purpose = tuple(sorted((key, str(value)) for key, value in roll["purpose"].items()))
            sides = tuple(die["sides"] for die in roll["dice"])
            faces = tuple(die["face"] for die in roll["dice"])
            before = self.known.get(name)
            if before is not None and roll["source"] == "seeded":
                most = min(len(sides), len(before[1]))
                assert before[0] == purpose, f"seed {seed}: {name} is thrown for two purposes"
                assert before[2][:most] == faces[:most], f"seed {seed}: {name} has two faces"
            if before is None or len(sides) > len(before[1]):
                self.known[name] = (purpose, sides, faces)
            found[name] = (purpose, sides, faces)
        return found


def opened(house: House, edition: str, random: Random) -> str:
    """Open a random fight, all dice seeded."""
    if edition == HEARTRUSH.edition:
        opening = random_opening(random) | {"declared_sides": []}
        return house.open(HEARTRUSH, opening)
    entries = [
        entry(f"{kind}@{side}/{side[:2]}{i}", (2 * s, 2 * i), dexterity=i, **KIT)
        for s, (kind, side) in enumerate((("pc", "heroes"), ("mon", "orcs")))
        for i in range(2)
    ]
    return house.open(RISE, rise_opening(*entries) | {"declared_sides": []})


def opened_with_secrets(house: House, edition: str, random: Random) -> str:
    """Open a random fight, all dice seeded, with what only the GM knows; much is done before it begins.

    Sides have GM-only fields and hidden creatures, groups of Rise one player or two, and in some fights the
    GM plays everybody.
    """
    drawn = drawn_opening(random, random.choice(MANY)) if edition == RISE.edition else random_opening(random)
    opening = concealed(random, edition, drawn)
    line = house.open(REGISTRY[edition], opening | {"declared_sides": []})
    if random.random() < HIDING:
        for type_, data in hidden(random, edition, opening):
            tried(house, line, type_, data)
    _at_leisure(house, line, random)
    return line


def _at_leisure(house: House, line: str, random: Random) -> None:
    """Let everybody do something outside combat, and some rest; what is not possible is refused."""
    for _ in range(LEISURE):
        random_command(house, line, random)
    state: Any = house.state(line)
    name = random.choice(list(state.creatures))
    who = {"creature": name} if state.edition == RISE.edition else {"creatures": [name]}
    tried(house, line, "rest", {"rest": "short", **who})


def started(house: House, encounter: str) -> None:
    """Begin the fight, whatever its book calls it, unless it was begun at random."""
    begin = "begin_combat" if house.state(encounter).edition == HEARTRUSH.edition else "start_combat"
    tried(house, encounter, begin, {})


def played_with_secrets(house: House, line: str, random: Random, commands: int) -> None:
    """Play a fight, the GM moving who hides; end it in some, and do something after it."""
    for _ in range(commands):
        state: Any = house.state(line)
        if state.hidden_creatures and random.random() < MOVING:
            tried(house, line, *disturbed(random, state.hidden))
        if not random_command(house, line, random):
            break
    if random.random() < ENDING:
        tried(house, line, "end_combat", {})
    _at_leisure(house, line, random)


def played(house: House, line: str, random: Random, commands: int) -> None:
    """Play a fight."""
    for _ in range(commands):
        if house.state(line).closed or not random_command(house, line, random):
            break


def tried(house: House, line: str, type_: str, data: Mapping[str, Any]) -> None:
    """Let the GM try something, which may be refused."""
    with suppress(Refused):
        house.send(line, GM, type_, **data)


def fight_of(state: Table) -> dict[str, Any]:
    """Return a state, and the worlds in it, without what a line of play has of its own."""

    def without(data: Any) -> Any:
        if isinstance(data, list):
            return [without(each) for each in data]
        if isinstance(data, dict):
            return {name: without(value) for name, value in data.items() if name not in ITS_OWN}
        return data

    found: dict[str, Any] = without(to_data(state))
    return found


def first_of_round(house: House, encounter: str, number: int) -> int | None:
    """Return the commit in which a round begins, if it begins in this line and after its opening."""
    marks = house.log.marks(encounter)
    n = int(marks.get(f"round/{number}", b"0"))
    return n + 1 if n > 1 else None


def last_played(house: House, encounter: str) -> int:
    """Return the last commit of a line, but for the one which says that the line was accepted."""
    last = len(house.commits(encounter))
    events = house.commit(encounter, last).events
    return last - any(event.get("type") == "line_accepted" for event in events)


def undo_and_redo_every_round(
    edition: str, seed: int, commands: int, *, secrets: bool = True
) -> tuple[int, int]:
    """Play a fight, undo and redo each of its rounds; return how many rounds and rolls there were.

    Without *secrets* everybody knows everything, and nothing is done but fighting.
    """
    random = Random(f"{edition}/{seed}")
    ledger = Ledger()
    # Seeds of this fight alone, so that a fight that fails fails again.
    seeds = mock.patch("service.stores.secrets.urandom", Random(f"{edition}/{seed}/seeds").randbytes)
    with seeds, House() as house:
        line = (opened_with_secrets if secrets else opened)(house, edition, random)
        started(house, line)
        (played_with_secrets if secrets else played)(house, line, random, commands)
        rounds, done = house.state(line).round, 0
        for number in range(1, rounds + 1):
            first = first_of_round(house, line, number)
            if first is not None and first <= last_played(house, line):
                line, done = undone_and_redone(house, ledger, line, first, f"{edition} {seed}"), done + 1
        _otherwise(house, ledger, line, random, f"{edition} {seed}")
        return done, len(ledger.known)


def undone_and_redone(house: House, ledger: Ledger, line: str, first: int, seed: str) -> str:
    """Undo everything from commit *first* on and redo it; return the line that is played after that."""
    before = ledger.take(house.rolls(line), seed)
    since = _since(house, line, first)
    undone = _undone(house, line, first)
    assert house.rolls(undone) == house.rolls(line)[: len(house.rolls(line)) - len(since)]
    proposal = house.proposed(undone, "redo")
    assert proposal["difference"]["gone"] == [], f"seed {seed}: {proposal['difference']['gone']}"
    redone = house.accept(undone, proposal)
    now = ledger.take(house.rolls(redone), seed)
    assert now == before, f"seed {seed}, from commit {first}"
    verdict = house.audit(redone).verdict
    assert verdict.is_sound, f"seed {seed}: {verdict}"
    return redone


def _undone(house: House, line: str, first: int) -> str:
    """Undo everything from commit *first* on; return the line played after that, all its seals in place."""
    undone = house.accept(line, house.proposed(line, "undo", commit=first))
    origin = house.state(undone).origin
    assert origin is not None
    assert origin.pending_sealed == {}, f"sealed, but nowhere: {list(origin.pending_sealed)}"
    return undone


def _since(house: House, encounter: str, first: int) -> list[str]:
    """Return the names of the rolls thrown from commit *first* on."""
    return [str(tuple(roll["name"].values())) for roll in house.rolls(encounter, after=first - 1)]


def _otherwise(house: House, ledger: Ledger, line: str, random: Random, seed: str) -> None:
    """Undo some of it and play on otherwise: no die that was seen is thrown for something else."""
    ledger.take(house.rolls(line), seed)
    undone = _undone(house, line, random.randint(2, last_played(house, line)))
    for _ in range(OTHERWISE):
        if not random_command(house, undone, random):
            break
    ledger.take(house.rolls(undone), seed)
    verdict = house.audit(undone).verdict
    assert verdict.is_sound, f"seed {seed}: {verdict}"


def main() -> None:
    """Play 25 fights of each book, or as many as the first argument says, from the second's seed on."""
    count, start = (*map(int, sys.argv[1:]), *(25, 0)[len(sys.argv) - 1 :])
    for edition in REGISTRY:
        rounds = rolls = 0
        for seed in range(start, start + count):
            done = undo_and_redo_every_round(edition, seed, COMMANDS[edition])
            rounds, rolls = rounds + done[0], rolls + done[1]
        sys.stdout.write(f"{edition}: {count} fights, {rounds} rounds undone and redone, {rolls} rolls\n")


if __name__ == "__main__":
    main()
