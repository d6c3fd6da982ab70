"""Type hints are read in one place; whatever is made of them agrees on what a value may be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Anything,
    Choice,
    FixedList,
    Member,
    Names,
    Nothing,
    RecordObject,
    Scalar,
    SealedValue,
    Shape,
    fields_of,
    shape_of,
)
from service.rules.kernel.meaning import Meaning
from service.rules.kernel.records import EMPTY, Sealed, record
from service.rules.table.stack import Frame

ROOT = Path(__file__).parents[3]


@record
class Step:
    feet: int
    note: Annotated[str, "said aloud"] = ""


@record
class Walk:
    steps: tuple[Step, ...]
    speeds: Mapping[str, int] = EMPTY


@pytest.mark.parametrize(
    ("hint", "shape"),
    [
        (str, Scalar(str)),
        (bool, Scalar(bool)),
        (None, Nothing()),
        (Any, Anything()),
        (Literal["a", 1], Choice(("a", 1))),
        (int | None, Alternatives((Scalar(int),), optional=True)),
        (int | str, Alternatives((Scalar(int), Scalar(str)), optional=False)),
        (str | int, Alternatives((Scalar(str), Scalar(int)), optional=False)),
        (tuple[int, ...], AnyList(Scalar(int))),
        (tuple[int, str], FixedList((Scalar(int), Scalar(str)))),
        (Mapping[str, bool], Names(Scalar(bool))),
        (dict[str, int], Names(Scalar(int))),
        (Sealed[int], SealedValue(Scalar(int))),
        (Sealed, SealedValue(Anything())),
        (Annotated[int, 3, "feet"], Scalar(int, meaning=Meaning(said="feet"))),
        (Step, RecordObject(Step)),
        (Frame, Member(Frame, "kind")),
    ],
    ids=str,
)
def test_each_hint_has_its_shape(hint: object, shape: Shape) -> None:
    assert shape_of(hint) == shape


def test_fields_are_in_order_and_say_whether_they_are_required() -> None:
    feet, note = fields_of(Step)

    assert (feet.name, feet.shape, feet.required) == ("feet", Scalar(int), True)
    assert (note.name, note.shape, note.required) == (
        "note",
        Scalar(str, meaning=Meaning(said="said aloud")),
        False,
    )


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"steps": [{"feet": 5, "note": 1}]}, "/steps/0/note"),
        ({"steps": [], "speeds": {"a/b": "fast"}}, "/speeds/a~1b"),
        ({"steps": [], "m~n": 1}, "/m~0n"),
    ],
)
def test_a_fault_has_the_pointer_of_rfc_6901(data: Mapping[str, Any], pointer: str) -> None:
    with pytest.raises(Malformed) as refused:
        from_data(Walk, data)

    assert refused.value.pointer == pointer


def test_nobody_else_reads_hints() -> None:
    """`sealed.py` alone asks whether a class could hold anything sealed; the shapes know sealed values."""
    sources = [*ROOT.glob("service/**/*.py"), *ROOT.glob("workers/**/*.py")]
    found = {path.name for path in sources if "get_type_hints(" in path.read_text("utf-8")}
    assert found == {"hints.py", "sealed.py"}
