"""Frames are found on the stack by path and kind, or on top of it."""

from __future__ import annotations

from typing import ClassVar

import pytest

from service.rules.kernel.messages import Event
from service.rules.kernel.records import record
from service.rules.table.stack import Frame, Stacks, opened_by
from service.rules.table.table import Table


@record
class Deal(Frame[Table]):
    kind: ClassVar[str] = "deal"
    cards: int = 0


@record
class Bid(Frame[Table]):
    kind: ClassVar[str] = "bid"


STATE = Table(stacks=Stacks(table=(Deal(path="deal"), Bid(path="deal/bid"))))


def test_a_frame_is_found_by_its_path_and_kind_also_below_others() -> None:
    assert STATE.frame("deal", Deal) == Deal(path="deal")
    assert STATE.frame("deal", Frame) == Deal(path="deal")
    assert STATE.top_frame(Bid) == Bid(path="deal/bid")


def test_another_kind_and_another_path_are_mistakes_of_the_rules() -> None:
    with pytest.raises(AssertionError, match="there is no Bid at deal"):
        STATE.frame("deal", Bid)
    with pytest.raises(AssertionError, match="there is no Deal at deal/2"):
        STATE.frame("deal/2", Deal)
    with pytest.raises(AssertionError, match="the top frame is no Deal"):
        STATE.top_frame(Deal)
    with pytest.raises(AssertionError, match="the top frame is no Deal"):
        Table().top_frame(Deal)


def test_a_frame_changes_where_it_is() -> None:
    after = STATE.with_frame("deal", Deal, cards=3)
    assert after.stacks.table == (Deal(path="deal", cards=3), Bid(path="deal/bid"))
    assert after.popped("deal/bid").with_top(Deal, cards=4).top == Deal(path="deal", cards=4)
    with pytest.raises(AssertionError, match="no field of Deal"):
        STATE.with_frame("deal", Deal, coins=3)


@record
class DeclaredTrick:
    lead: str
    trump: str = "none"


@record
class Trick(DeclaredTrick, Frame[Table]):
    kind: ClassVar[str] = "trick"
    taken: int = 0


@record
class TrickBegun(DeclaredTrick, Event[Table]):
    type: ClassVar[str] = "trick_begun"
    trick: str
    taken: int = 7

    def evolve(self, state: Table) -> Table:
        return state.pushed(opened_by(self, Trick, self.trick))


def test_a_frame_has_what_the_event_that_opens_it_declares_and_nothing_else_of_it() -> None:
    begun = TrickBegun(trick="t1", lead="ann", trump="hearts")

    assert begun.evolve(Table()).top == Trick(path="t1", lead="ann", trump="hearts")
    assert opened_by(begun, Trick, "t2", taken=1, trump="clubs") == Trick(
        path="t2", lead="ann", trump="clubs", taken=1
    )
