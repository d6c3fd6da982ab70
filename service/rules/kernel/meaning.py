"""Say what the value of a field is, once: its kind, its bounds, its unit and its text.

A note in the annotation of a field says it: `Annotated[int, number("feet", 0, 480, step=5, unit="feet")]`.
Each type in `values.py` has such a note, so that most fields only name one of them. A field says with one
more note what is different, and the last note wins: `Annotated[Feet, within(5, 60)]`.

    number(kind, least, most)    a whole number
    text(kind, most)             text, with the greatest number of characters
    within(least, most)          other bounds of the same kind of number, or other lengths of a text
    at_most(count)               the greatest count of a list or of the names of an object
    named(kind)                  the kind alone

The codec checks commands against it, and so do the schemas of the API. The contract, the forms of the page
and the sentences read it from the shape of the field (`hints.Shape.meaning`, `hints.kind_in`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Final


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a value is; a part that is empty or None is not said."""

    kind: str = ""
    """The name of its kind, such as `creature` or `feet`."""
    said: str = ""
    """What it is, in words: a sentence for the contract."""
    unit: str = ""
    """What a number counts, in the plural, such as `feet`."""
    least: int | None = None
    most: int | None = None
    """The bounds of a number, or of the number of characters of a text."""
    step: int | None = None
    """Of what a number is a multiple."""
    lines: bool | None = None
    """Whether a text may have several lines."""
    pattern: str = ""
    """The regular expression that a whole text fits."""
    form: str = ""
    """What fits the pattern, in words."""
    fewest: int | None = None
    count: int | None = None
    """The bounds of the number of items of a list, or of names of an object."""
    many: int | None = None
    """The greatest count of a list of such values, where the list says none."""

    def __post_init__(self) -> None:
        step = self.step or 1
        for bound in (self.least, self.most):
            assert bound is None or bound % step == 0, f"{bound} is no multiple of {step}"

    def with_notes(self, later: Meaning) -> Meaning:
        """Return this meaning with everything that *later* says."""
        said = {name: value for name in _PARTS if (value := getattr(later, name)) not in _UNSAID}
        return replace(self, **said) if said else self

    @property
    def is_bounded(self) -> bool:
        """Whether it says the greatest number or length, and of a number the least."""
        return self.most is not None and self.least is not None

    # --- faults: None, or what is expected --------------------------------------------------------------

    def number_fault(self, value: int) -> str | None:
        """Return which numbers are expected, None if *value* is one of them."""
        if (self.least is None or self.least <= value) and (self.most is None or value <= self.most):
            return self.numbers if self.step and value % self.step else None
        return self.numbers

    def text_fault(self, value: str) -> str | None:
        """Return which text is expected, None if *value* is such a text."""
        if self.pattern and not _compiled(self.pattern).fullmatch(value):
            low = value.lower()
            close = f"; closest match: {low}" if _compiled(self.pattern).fullmatch(low) else ""
            return (self.form or f"text like {self.pattern}") + close
        if len(value) < (self.least or 0) or (self.most is not None and len(value) > self.most):
            return self.texts
        return None

    def count_fault(self, count: int, of: str) -> str | None:
        """Return how many items *of* a list or an object are expected, None if it may have *count*."""
        if count < (self.fewest or 0) or (self.count is not None and count > self.count):
            return self.counts(of)
        return None

    @property
    def numbers(self) -> str:
        """Which numbers it allows, in words."""
        steps = f", in steps of {self.step}" if self.step and self.step > 1 else ""
        unit = f" of {self.unit}" if self.unit else ""
        return f"a whole number{unit} from {self.least} to {self.most}{steps}"

    @property
    def texts(self) -> str:
        """How long a text may be, in words."""
        return f"text of {_between(self.least, self.most)} characters"

    def counts(self, of: str) -> str:
        """Return how many items a list (*of* is `a list`) or an object may have, in words."""
        return f"{of} of {_between(self.fewest, self.count)}{' names' if of == AN_OBJECT else ''}"


A_LIST: Final = "a list"
AN_OBJECT: Final = "an object"

UNSAID: Final = Meaning()
"""The meaning of a value of which nothing is said."""

_PARTS: Final = tuple(field.name for field in fields(Meaning))
_UNSAID: Final[tuple[Any, ...]] = ("", None)


def number(
    kind: str,
    least: int,
    most: int,
    *,
    step: int | None = None,
    unit: str = "",
    said: str = "",
    many: int | None = None,
) -> Meaning:
    """Return the meaning of a whole number from *least* to *most*; *many* is the greatest count of a list."""
    return Meaning(kind=kind, least=least, most=most, step=step, unit=unit, said=said, many=many)


def text(  # noqa: PLR0913 - each is said by its name
    kind: str,
    most: int,
    *,
    least: int = 0,
    lines: bool = False,
    pattern: str = "",
    form: str = "",
    said: str = "",
    many: int | None = None,
) -> Meaning:
    """Return the meaning of a text of at most *most* characters; *form* describes its *pattern*."""
    return Meaning(
        kind=kind, least=least, most=most, lines=lines, pattern=pattern, form=form, said=said, many=many
    )


def within(least: int, most: int, *, step: int | None = None) -> Meaning:
    """Return other bounds of a number, or other lengths of a text."""
    return Meaning(least=least, most=most, step=step)


def at_most(count: int, *, fewest: int | None = None) -> Meaning:
    """Return the greatest count, and perhaps the least, of a list or of the names of an object."""
    return Meaning(count=count, fewest=fewest)


def named(kind: str, said: str = "") -> Meaning:
    """Return the meaning of a value of *kind* that has no bounds of its own, such as a cell."""
    return Meaning(kind=kind, said=said)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _between(least: int | None, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    return f"{least} to {most}" if least else f"at most {most}"
