"""Hold what is offered to what is legal: each combination alone is tried, and offers are exactly those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from service.rules.kernel.folding import alike, combinations, products
from service.rules.kernel.messages import Actor, Command, Offer
from service.rules.rise import RISE
from service.rules.rise.acting import strikes
from service.rules.rise.creatures.state import State
from service.rules.ruleset import asked
from tests.rules.rise.bot import melee
from tests.rules.rise.campaign import Campaign
from tests.rules.rise.tried import CANDIDATES, tried

EVERY = 6
"""Turns between two states that are compared."""


def differences(state: State) -> Iterator[str]:
    """Yield each command that is offered and not legal, or legal when tried alone and not offered."""
    for seat in state.seats:
        for seen, awaited in asked(state, seat):
            by = Actor(seat=seat, role=state.seats[seat].role)
            for type_ in awaited.accepts:
                if type_ in CANDIDATES:
                    told = {"by": by, "creature": awaited.creature}
                    offers = RISE.commands[type_].offers(seen, awaited)
                    offered = {commanded(type_, told, data) for offer in offers for data in combined(offer)}
                    legal = {commanded(type_, told, data) for data in tried(seen, awaited, type_)}
                    yield from (f"not legal: {one}" for one in offered - legal)
                    yield from (f"not offered: {one}" for one in legal - offered)


def combined(offer: Offer) -> Iterator[Mapping[str, Any]]:
    """Yield every combination of an offer."""
    for chosen in product(*offer.choices.values()):
        yield {**offer.given, **dict(zip(offer.choices, chosen, strict=True))}


def commanded(type_: str, told: Mapping[str, Any], data: Mapping[str, Any]) -> Command[State]:
    """Return the command with *data*, whatever of it is as usual."""
    return RISE.commands[type_](**told, **data)


@pytest.mark.parametrize("seed", range(6))
def test_offers_are_exactly_what_is_legal_when_each_combination_is_tried(seed: int) -> None:
    played, types = Campaign(seed, (4, 6, 3)[seed % 3], meddling=0.1), 0
    played.open()
    played.attempt("start_combat", "gm", {})
    for turn in range(90):
        if played.state.stage == "ended":
            break
        if turn % EVERY == 0:
            assert not list(differences(played.state)), f"seed {seed}, turn {turn}"
            types += 1
        played.turn()
    assert types > 3, f"seed {seed} was over at once"


def test_a_planted_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fight = melee(1).to_actions()
    assert not list(differences(fight.state))
    monkeypatch.setattr(strikes, "struck", lambda *_: ("nobody",))
    found = list(differences(fight.state))
    assert any(text.startswith("not legal") for text in found)
    assert any(text.startswith("not offered") for text in found)


def test_choices_that_go_with_the_same_are_one_product() -> None:
    rows = [("a", (1, 2)), ("b", (1,)), ("c", (1, 2)), ("d", ())]
    assert products(rows) == [(("a", "c"), (1, 2)), (("b",), (1,))]


def test_what_goes_with_the_same_choices_is_one_product_where_that_makes_fewer() -> None:
    rows = [("a", (1,)), ("b", (1, 2)), ("c", (2, 3)), ("d", (3, 1))]
    assert products(rows) == [(("a", "b", "d"), (1,)), (("b", "c"), (2,)), (("c", "d"), (3,))]
    assert {(value, goes) for values, those in products(rows) for value in values for goes in those} == {
        (value, goes) for value, those in rows for goes in those
    }


def test_what_differs_in_what_is_given_first_is_one_offer() -> None:
    paths: dict[str, tuple[Any, ...]] = {"path": ((), ((0, 1),))}
    other: dict[str, tuple[Any, ...]] = {"path": ((),)}
    found = [
        ({"ability": "a"}, paths),
        ({"mode": "b"}, paths),
        ({"ability": "c"}, paths),
        ({"ability": "d"}, other),
    ]
    assert list(alike(found)) == [
        ({}, {"ability": ("a", "c"), **paths}),
        ({"mode": "b"}, paths),
        ({"ability": "d"}, other),
    ]
    riding = [({"ability": name, "carry": ("x",)}, paths) for name in ("a", "b")]
    assert list(alike(riding)) == [({"carry": ("x",)}, {"ability": ("a", "b"), **paths})]


def test_before_the_dice_are_sealed_every_target_is_tried_with_every_path() -> None:
    """A folded offer has more combinations than one creature's share of them."""
    targets, paths = tuple(range(40)), tuple(range(192))
    assert len(set(combinations(targets, paths))) == len(targets) * len(paths)
    assert list(combinations()) == [()]
