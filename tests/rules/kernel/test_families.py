"""Kinds belong to their ruleset: two rulesets may use the same kinds for different frames and effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from service.api.schemas import faults, schema_of
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.families import Families
from service.rules.kernel.messages import Actor, Awaited, Command, Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.rise import RISE
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Ruleset, decide
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import Table
from tests.rules.heartrush.kit import NoDice


@record
class Effect:
    """An effect of two games."""

    kind: ClassVar[str]


@record
class Step(Frame[Table]):
    """A step of two games; it waits for nobody and ends nothing."""

    def waiting(self, state: Table) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat="gm", accepts=()),)

    def advance(self, state: Table, chance: Chance) -> Emits[Table]:
        raise AssertionError("it always waits")


@record
class ChessCombat(Step):
    kind: ClassVar[str] = "combat"
    clock: int


@record
class ChessFork(Effect):
    kind: ClassVar[str] = "push"
    square: str


@record
class DuelCombat(Step):
    kind: ClassVar[str] = "combat"
    effects: tuple[Effect, ...]


@record
class DuelPush(Effect):
    kind: ClassVar[str] = "push"
    feet: int


@record
class Said(Event[Table]):
    type: ClassVar[str] = "said"
    effects: tuple[Effect, ...]

    def evolve(self, state: Table) -> Table:
        return state


@record
class Begun(Event[Table]):
    type: ClassVar[str] = "begun"

    def evolve(self, state: Table) -> Table:
        return changed(state, encounter="e")


@record
class Replaced(Begun):
    type: ClassVar[str] = "replaced"

    def evolve(self, state: Table) -> Table:
        return Table(encounter="e")


@record
class Open(Command[Table]):
    type: ClassVar[str] = "open"
    effects: tuple[Effect, ...] = ()
    replaces: bool = False

    def check(self, view: Table) -> None:
        pass

    def decide(self, state: Table) -> Emits[Table]:
        return (yield (Replaced if self.replaces else Begun)(because=("TINY-1",)))


def game(edition: str, frame: type[Frame[Any]], effect: type[Effect]) -> Ruleset[Table]:
    return Ruleset(
        edition=edition,
        title=edition,
        blank=Table(),
        opening=Open,
        commands={},
        events={Said.type: Said},
        options={},
        packages=(),
        frames=(frame,),
        kinds={Effect: (effect,)},
    )


CHESS = game("chess@1", ChessCombat, ChessFork)
DUEL = game("duel@1", DuelCombat, DuelPush)
PUSHED = DuelPush(feet=5)


def after(ruleset: Ruleset[Table], frame: Frame[Table]) -> Table:
    return changed(ruleset.blank, stacks=Stacks(table=(frame,)))


@pytest.mark.parametrize(
    ("ruleset", "frame"),
    [(CHESS, ChessCombat(path="c", clock=3)), (DUEL, DuelCombat(path="c", effects=(PUSHED,)))],
)
def test_each_ruleset_reads_its_own_frame_of_a_kind_that_others_have(
    ruleset: Ruleset[Table], frame: Frame[Table]
) -> None:
    state = after(ruleset, frame)
    read = from_data(Table, to_data(state), families=ruleset.families)

    assert read == state
    assert type(read.top) is type(frame)
    assert read.families is ruleset.families


def test_the_books_that_are_shipped_do_not_read_a_foreign_frame_of_one_kind() -> None:
    foreign = to_data(after(CHESS, ChessCombat(path="c", clock=3)))
    data = to_data(HEARTRUSH.blank)
    data["stacks"] = foreign["stacks"]

    with pytest.raises(Malformed, match="/stacks/table/0/clock: no such field"):
        from_data(type(HEARTRUSH.blank), data, families=HEARTRUSH.families)


def test_an_event_and_a_command_are_read_with_their_rulesets_effects() -> None:
    chess, duel = {"kind": "push", "square": "f7"}, {"kind": "push", "feet": 5}
    by = Actor(seat="gm", role="gm")

    assert from_data(Said, {"effects": [duel]}, families=DUEL.families).effects == (PUSHED,)
    found = from_data(Open, {"effects": [chess]}, families=CHESS.families, by=by).effects
    assert found == (ChessFork(square="f7"),)
    with pytest.raises(Malformed, match="/effects/0/feet"):
        from_data(Said, {"effects": [duel]}, families=CHESS.families)


def test_what_clients_send_is_checked_with_their_rulesets_effects() -> None:
    chess, duel = {"kind": "push", "square": "f7"}, {"kind": "push", "feet": 5}
    of_chess = schema_of(Open, name="ChessOpen", families=CHESS.families)()
    of_duel = schema_of(Open, name="DuelOpen", families=DUEL.families)()

    assert faults(of_chess, {"effects": [chess]}) == faults(of_duel, {"effects": [duel]}) == []
    assert [at for at, _ in faults(of_duel, {"effects": [chess]})] == ["/effects/0/square", "/effects/0/feet"]


def test_a_family_without_a_tag_has_the_order_of_its_list() -> None:
    class Plug:
        pass

    class Last(Plug):
        pass

    class Early(Plug):
        pass

    families = Families({Plug: (Last, Early)})
    assert families.listed(Plug) == (Last, Early)
    with pytest.raises(AssertionError, match="the ruleset lists no Last"):
        families.listed(Last)
    with pytest.raises(AssertionError, match="the ruleset lists no Plug"):
        families.members(Plug)


def test_a_kind_that_the_ruleset_does_not_list_is_not_read() -> None:
    data = to_data(after(CHESS, ChessCombat(path="c", clock=3)))
    with pytest.raises(Malformed, match="/stacks/table/0: a known frame"):
        from_data(Table, data, families=RISE.families)


def unsound() -> Iterator[Any]:
    yield {Frame: (ChessCombat, DuelCombat)}, "combat is the kind of ChessCombat and DuelCombat"
    yield {Frame: (ChessFork,)}, "ChessFork is not a Frame"
    yield {Frame: (Step,)}, "Step has no kind"


@pytest.mark.parametrize(("members", "told"), tuple(unsound()))
def test_a_list_that_is_not_sound_is_refused(members: Any, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        Families(members)


def test_every_ruleset_reads_the_frames_of_the_table() -> None:
    kinds = [set(each.families.members(Frame)) for each in (CHESS, DUEL, HEARTRUSH, RISE)]
    assert set.intersection(*kinds) == {"dice", "screen", "closing", "disclosing"}


def test_an_opening_that_replaces_the_blank_state_is_found() -> None:
    by = Actor(seat="gm", role="gm")
    opened = decide(CHESS.blank, Open(by=by), Chance(NoDice()))
    assert opened.state.families is CHESS.families
    with pytest.raises(AssertionError, match="must change the blank state"):
        decide(CHESS.blank, Open(by=by, replaces=True), Chance(NoDice()))
