"""Options of the house: choices that a book leaves to the table, with their values and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields
from types import MappingProxyType
from typing import Any

from service.rules.kernel.hints import Choice, fields_of
from service.rules.kernel.near import nearest_name
from service.rules.kernel.records import record
from service.rules.openings import Fault
from service.rules.table.table import Option


@record
class OptionSpec:
    """An option of the house: its values (the first is the default) and the ambiguity that it settles."""

    key: str
    values: tuple[Option, ...]
    settles: str = ""
    text: str
    bounds: tuple[int, int] | None = None
    """The least and the greatest value, if any whole number between them may be chosen."""
    rulings: tuple[str, ...] = ()
    """What each of the values means at the table, as a sentence; one with `{value}` for a number."""

    def sentence(self, value: Option) -> str:
        """Return what *value* means at the table; an option without sentences is named."""
        if not self.rulings:
            return f"{self.text[:1].upper()}{self.text[1:]}: {value}."
        if self.bounds is not None:
            return self.rulings[0].format(value=value)
        return self.rulings[[type(each) is type(value) and each == value for each in self.values].index(True)]

    def fault(self, value: object) -> str | None:
        """Return which values may be chosen, None if *value* is one of them."""
        if self.bounds is not None:
            least, most = self.bounds
            fits = type(value) is int and least <= value <= most
            return None if fits else f"a whole number from {least} to {most}"
        if any(value == known and type(value) is type(known) for known in self.values):
            return None
        return "one of " + ", ".join(map(str, self.values))


def option(
    settles: str, text: str, *rulings: str, default: int = 0, bounds: tuple[int, int] | None = None
) -> Any:  # noqa: ANN401 - as `field`
    """Return a field of a book's record of options, which has one for each.

    The field's type is a `Literal` of its values, the default first, or `int` with *bounds* and a *default*.
    *rulings* say what each value means, in the order of the values.
    """
    return field(
        metadata={"settles": settles, "text": text, "rulings": rulings, "default": default, "bounds": bounds}
    )


def specs_of(house: type) -> Mapping[str, OptionSpec]:
    """Return the options that are the fields of the record *house*, by their keys."""
    shapes = {field.name: field.shape for field in fields_of(house)}
    values = {name: shape.values for name, shape in shapes.items() if isinstance(shape, Choice)}
    return by_key(
        OptionSpec(
            key=each.name,
            values=values.get(each.name, (each.metadata["default"],)),
            settles=each.metadata["settles"],
            text=each.metadata["text"],
            bounds=each.metadata["bounds"],
            rulings=each.metadata["rulings"],
        )
        for each in fields(house)
    )


def by_key(specs: Iterable[OptionSpec]) -> Mapping[str, OptionSpec]:
    """Return options by their keys."""
    return MappingProxyType({spec.key: spec for spec in specs})


def defaults(specs: Iterable[OptionSpec]) -> Mapping[str, Option]:
    """Return the default of each option."""
    return MappingProxyType({spec.key: spec.values[0] for spec in specs})


def option_faults(specs: Mapping[str, OptionSpec], chosen: Mapping[str, Option]) -> Iterator[Fault]:
    """Yield the faults of the options that an opening chooses."""
    for key, value in chosen.items():
        fault = specs[key].fault(value) if key in specs else _unknown(key, specs)
        if fault is not None:
            yield f"/options/{key}", fault


def _unknown(key: str, specs: Mapping[str, OptionSpec]) -> str:
    return f"no such option; the nearest is {nearest_name(key, specs)}" if specs else "no such option"
