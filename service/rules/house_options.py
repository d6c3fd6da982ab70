"""Describe the options of the house: what a book leaves open, the values to choose from, and the default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from service.rules.openings import Fault
from service.rules.records import record
from service.rules.table import Option


@record
class OptionSpec:
    """A choice of the house rules: its values (the first is the default) and the ambiguity it settles."""

    key: str
    values: tuple[Option, ...]
    settles: str
    text: str
    bounds: tuple[int, int] | None = None
    """Where any whole number within bounds will do, instead of the values listed."""

    def fault(self, value: object) -> str | None:
        """Return what is wrong with *value*, None if it may be chosen."""
        if self.bounds is not None:
            least, most = self.bounds
            fits = type(value) is int and least <= value <= most
            return None if fits else f"a whole number from {least} to {most}"
        if any(value == known and type(value) is type(known) for known in self.values):
            return None
        return "one of " + ", ".join(map(str, self.values))


def option(
    key: str, settles: str, text: str, *values: Option, bounds: tuple[int, int] | None = None
) -> OptionSpec:
    """Return an option as a book lists it, on one line."""
    return OptionSpec(key=key, values=values, settles=settles, text=text, bounds=bounds)


def by_key(specs: Iterable[OptionSpec]) -> Mapping[str, OptionSpec]:
    """Return options by their keys."""
    return MappingProxyType({spec.key: spec for spec in specs})


def defaults(specs: Iterable[OptionSpec]) -> Mapping[str, Option]:
    """Return what holds where the opening says nothing."""
    return MappingProxyType({spec.key: spec.values[0] for spec in specs})


def option_faults(specs: Mapping[str, OptionSpec], chosen: Mapping[str, Option]) -> Iterator[Fault]:
    """Yield what is wrong with the options of an opening."""
    for key, value in chosen.items():
        fault = specs[key].fault(value) if key in specs else "no such option"
        if fault is not None:
            yield f"/options/{key}", fault
