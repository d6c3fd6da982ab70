"""What is sealed is taken out of every view it is not for, wherever in the state it lies."""

from collections.abc import Mapping

import pytest

from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.sealed import _suspects, is_closed, is_public, unsealed, view

SECRET: Sealed[str] = Sealed(audience=("seat:zoe",), opens="r1/reveal", value="might")


@record
class Inner:
    """A record with one place for a secret among plain ones."""

    name: str = "inner"
    stance: str | Sealed[str] | None = None
    left: tuple[tuple[int, int], ...] | Sealed[tuple[tuple[int, int], ...]] = ()


@record
class Outer:
    """A state in small: records in mappings and tuples."""

    round: int = 1
    flags: Mapping[str, int] = EMPTY
    parts: Mapping[str, Inner] = EMPTY
    frames: tuple[Inner, ...] = ()


PLACES = [
    Outer(parts={"pia": Inner(stance=SECRET)}),
    Outer(frames=(Inner(), Inner(stance=SECRET))),
    changed(Outer(), parts={"pia": changed(Inner(), stance=SECRET)}),
    changed(changed(Outer(), round=2), frames=(Inner(stance=SECRET),)),
]


def spelled(value: object) -> str:
    return repr(value)


@pytest.mark.parametrize("state", PLACES)
def test_a_closed_envelope_leaves_the_view_of_everybody_else(state: Outer) -> None:
    assert not is_public(state)
    assert "might" in spelled(view(state, "zoe"))
    for seat in ("gm", "ada"):
        assert "might" not in spelled(view(state, seat))


@pytest.mark.parametrize("rounds", [1, 3, 20])
def test_a_secret_put_into_a_state_known_to_be_public_is_found(rounds: int) -> None:
    state = Outer(parts={"pia": Inner()})
    assert is_public(state)
    for i in range(rounds):
        state = changed(state, round=i)
    state = changed(state, parts={"pia": Inner(stance=SECRET)})
    for i in range(rounds):
        state = changed(state, round=i)

    assert not is_public(state)
    assert is_closed(view(state, "gm").parts["pia"].stance)


def test_an_opened_secret_makes_the_state_public_again() -> None:
    state = Outer(parts={"pia": Inner(stance=SECRET)})
    assert not is_public(state)
    state = changed(state, parts={"pia": Inner(stance=unsealed(SECRET))})

    assert is_public(state)
    assert view(state, "gm") is state


def test_a_record_inside_a_sealed_value_travels_whole() -> None:
    path: Sealed[tuple[tuple[int, int], ...]] = Sealed(audience=("seat:zoe",), opens="end", value=((1, 2),))
    state = Outer(frames=(Inner(left=path),))

    assert view(state, "zoe").frames[0].left == ((1, 2),)
    assert is_closed(view(state, "gm").frames[0].left)


@record
class Plain:
    """Nothing in it could be sealed, nor in those it points to."""

    name: str = ""
    next: "Plain | None" = None


@record
class Box:
    """Something else may stand in its place."""


@record
class Locked(Box):
    """Stands in the place of a box."""

    word: str | Sealed[str] | None = None


@record
class Shelf:
    """Holds records of both kinds."""

    plain: Mapping[str, Plain] = EMPTY
    boxes: tuple[Box, ...] = ()


def test_records_that_could_hold_nothing_sealed_are_known_by_their_type() -> None:
    assert list(_suspects(Plain)) == []
    assert list(_suspects(Shelf)) == ["boxes"]


def test_a_record_in_anothers_place_is_looked_into() -> None:
    word = Sealed(audience=("seat:a",), opens="never", value="word")
    registry = Shelf(plain={"x": Plain(next=Plain())}, boxes=(Box(), Locked(word=word)))
    seen = view(registry, "b").boxes[1]
    assert isinstance(seen, Locked)
    assert is_closed(seen.word)
    assert view(registry, "a").boxes[1] == Locked(word="word")
