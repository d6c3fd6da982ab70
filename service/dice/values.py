"""Represent one roll: its name, its purpose, its dice, and the terms of its total.

Laws. Values are immutable. A roll equals itself after a round trip through plain data. Every roll names its
source, so dice derived from the seed and dice that people threw are never mixed silently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from service.dice.chain import LANES
from service.dice.errors import DiceError
from service.dice.stream import MAX_SIDES, MIN_SIDES, check_stream

Source: TypeAlias = Literal["seeded", "declared"]
Scalar: TypeAlias = str | int | None
Purpose: TypeAlias = tuple[tuple[str, Scalar | tuple[Scalar, ...]], ...]
"""Who rolls, against whom, with what, in which step: pairs sorted by key."""


class MalformedRoll(DiceError):
    """The plain data does not spell a roll."""

    code = "malformed_roll"


class DeclaredFacesError(DiceError):
    """The declared faces are not possible for the requested dice."""

    code = "declared_faces"


@dataclass(frozen=True, slots=True)
class RollName:
    """The name of a roll, which identifies one throw in a line of play."""

    epoch: int
    lane: int
    stream: str
    place: int
    """The number of earlier rolls of this stream and lane in the epoch."""

    def __str__(self) -> str:
        """Return the name as text: `epoch/lane/stream#place`."""
        return f"{self.epoch}/{self.lane}/{self.stream}#{self.place}"

    def to_data(self) -> dict[str, Any]:
        """Return the name as in a commit."""
        return {"epoch": self.epoch, "lane": self.lane, "stream": self.stream, "place": self.place}

    @classmethod
    def from_data(cls, data: object) -> "RollName":
        """Return the name that *data* spells; raises `MalformedRoll`, or `BadStream` for its stream."""
        given = _fields(data, ("epoch", "lane", "stream", "place"))
        lane = _whole(given["lane"], 0, "lane")
        if lane not in LANES:
            raise MalformedRoll(f"there is no lane {lane}")
        return cls(
            epoch=_whole(given["epoch"], 1, "epoch"),
            lane=lane,
            stream=check_stream(_text(given["stream"], "stream")),
            place=_whole(given["place"], 0, "place"),
        )


@dataclass(frozen=True, slots=True)
class Die:
    """One thrown die: its role (`heart`, `weapon`), its sides, its face, and whether it was dropped."""

    role: str
    sides: int
    face: int
    dropped: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the die as in a commit; `dropped` is present only if true."""
        data: dict[str, Any] = {"role": self.role, "sides": self.sides, "face": self.face}
        if self.dropped:
            data["dropped"] = True
        return data

    @classmethod
    def from_data(cls, data: object) -> "Die":
        """Return the die that *data* spells; raises `MalformedRoll`, also for a face it cannot show."""
        given = _fields(data, ("role", "sides", "face"), ("dropped",))
        if given.get("dropped", True) is not True:
            raise MalformedRoll("dropped must be true if present")
        die = cls(
            role=_text(given["role"], "role"),
            sides=_whole(given["sides"], MIN_SIDES, "sides"),
            face=_whole(given["face"], 1, "face"),
            dropped="dropped" in given,
        )
        if die.sides > MAX_SIDES or die.face > die.sides:
            raise MalformedRoll(f"a d{die.sides} cannot show {die.face}")
        return die


@dataclass(frozen=True, slots=True)
class Term:
    """A flat part of a total: its amount, its reason, and the rule that adds it."""

    amount: int
    what: str
    rule: str

    def to_data(self) -> dict[str, Any]:
        """Return the term as in a commit."""
        return {"amount": self.amount, "what": self.what, "rule": self.rule}

    @classmethod
    def from_data(cls, data: object) -> "Term":
        """Return the term that *data* spells; raises `MalformedRoll`."""
        given = _fields(data, ("amount", "what", "rule"))
        return cls(
            amount=_whole(given["amount"], None, "amount"),
            what=_text(given["what"], "what"),
            rule=_text(given["rule"], "rule"),
        )


@dataclass(frozen=True, slots=True)
class Roll:
    """One throw for one purpose: its dice in the order thrown; *by* is the seat that declared their faces."""

    name: RollName
    purpose: Purpose
    dice: tuple[Die, ...]
    terms: tuple[Term, ...] = ()
    source: Source = "seeded"
    by: str | None = None

    def __post_init__(self) -> None:
        assert (self.by is not None) == (self.source == "declared"), (
            "a roll names who threw if and only if its dice are declared"
        )
        # Canonical JSON sorts keys, and a roll that is read back must equal the one that was written.
        object.__setattr__(self, "purpose", tuple(sorted(self.purpose, key=_key)))

    @property
    def total(self) -> int:
        """The sum of the faces that were not dropped, and of the terms."""
        return sum(die.face for die in self.dice if not die.dropped) + sum(term.amount for term in self.terms)

    def to_data(self) -> dict[str, Any]:
        """Return the roll as in a commit; `by` is present only for declared dice."""
        data: dict[str, Any] = {
            "name": self.name.to_data(),
            "purpose": {
                key: list(value) if isinstance(value, tuple) else value for key, value in self.purpose
            },
            "dice": [die.to_data() for die in self.dice],
            "terms": [term.to_data() for term in self.terms],
            "source": self.source,
        }
        if self.by is not None:
            data["by"] = self.by
        return data

    @classmethod
    def from_data(cls, data: object) -> "Roll":
        """Return the roll that *data* spells; raises `MalformedRoll`, or `BadStream` for its stream."""
        given = _fields(data, ("name", "purpose", "dice", "terms", "source"), ("by",))
        source: Source = "declared" if "by" in given else "seeded"
        if given["source"] != source:
            raise MalformedRoll("a roll is seeded, or declared by a seat")
        return cls(
            name=RollName.from_data(given["name"]),
            purpose=_purpose(given["purpose"]),
            dice=tuple([Die.from_data(die) for die in _list(given["dice"], "dice")]),
            terms=tuple([Term.from_data(term) for term in _list(given["terms"], "terms")]),
            source=source,
            by=_text(given["by"], "by") if "by" in given else None,
        )


def check_declared(faces: Sequence[int], sides: Sequence[int]) -> tuple[int, ...]:
    """Return *faces* if dice with *sides*, in this order, can show them; raises `DeclaredFacesError`."""
    if len(faces) != len(sides):
        raise DeclaredFacesError(f"{len(sides)} dice are asked for, {len(faces)} faces are declared")
    for number, (face, side) in enumerate(zip(faces, sides, strict=True), 1):
        # A JSON true is an int to Python, and 1.0 equals 1; neither is a face.
        if type(face) is not int or not 1 <= face <= side:
            raise DeclaredFacesError(f"die {number} is a d{side} and cannot show {face!r}")
    return tuple(faces)


def _key(pair: tuple[str, object]) -> str:
    return pair[0]


def _purpose(data: object) -> Purpose:
    if not isinstance(data, Mapping):
        raise MalformedRoll("purpose is an object")
    return tuple([(key, _plain(value, key)) for key, value in data.items()])


def _plain(value: object, key: str) -> Scalar | tuple[Scalar, ...]:
    if isinstance(value, list | tuple):
        return tuple([_scalar(item, key) for item in value])
    return _scalar(value, key)


def _scalar(value: object, key: str) -> Scalar:
    if value is None or isinstance(value, str | int):
        return value
    raise MalformedRoll(f"purpose {key!r} is text, a whole number, true, false, null or a list of these")


def _fields(data: object, needed: tuple[str, ...], allowed: tuple[str, ...] = ()) -> Mapping[str, object]:
    """Return *data* if it is an object with all fields *needed* and otherwise only those *allowed*."""
    if not isinstance(data, Mapping):
        raise MalformedRoll(f"expected an object with {', '.join(needed)}")
    for field in needed:
        if field not in data:
            raise MalformedRoll(f"{field} is missing")
    if len(data) > len(needed):
        for field in data:
            if field not in needed and field not in allowed:
                raise MalformedRoll(f"unknown field {field!r}")
    return data


def _list(value: object, what: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise MalformedRoll(f"{what} is a list")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise MalformedRoll(f"{what} is text")
    return value


def _whole(value: object, least: int | None, what: str) -> int:
    if type(value) is not int or (least is not None and value < least):
        raise MalformedRoll(f"{what} is a whole number" + ("" if least is None else f" of at least {least}"))
    return value
