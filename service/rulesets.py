"""Load every ruleset: the two books, and those that installed packages add.

A package adds a ruleset with an entry point of the group `rewound.rulesets`. Whatever is wrong with one fails
the start, and the failure names the package: an encounter of a ruleset that is left out could not be decided.
The contract of this repository and its tables of rules are made of the two books alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint
from string import Formatter
from types import MappingProxyType
from typing import Any, Final

from service.added_rulesets import added
from service.record.digest import ruleset_digest
from service.rules.kernel.declared import unsaid
from service.rules.kernel.hints import RecordObject, fields_of, parts_of
from service.rules.kernel.rulebook import rules_in
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset, records_sent
from service.rules.table.stack import Frame

_EDITION: Final = re.compile(r"[a-z][a-z0-9-]*@[1-9][0-9]*")


class RulesetUnusable(Exception):
    """An installed ruleset cannot be used; the text names its package."""


@cache
def installed() -> Mapping[str, Ruleset[Any]]:
    """Return every ruleset by edition; raises `RulesetUnusable`."""
    return with_entry_points(REGISTRY, added())


def warm() -> None:
    """Read every source, so that a process which is forked from this one need not."""
    for ruleset in installed().values():
        ruleset_digest(ruleset)


def with_entry_points(
    books: Mapping[str, Ruleset[Any]], found: Iterable[EntryPoint]
) -> Mapping[str, Ruleset[Any]]:
    """Return *books* and the rulesets of the entry points *found*, by edition; raises `RulesetUnusable`."""
    every = dict(books)
    homes = dict.fromkeys(books, "Rewound itself")
    for point in sorted(found, key=lambda each: (each.name, each.value)):
        home = _home(point)
        ruleset = _loaded(point, home)
        edition = ruleset.edition
        if edition in every:
            raise RulesetUnusable(f"{home} adds the edition {edition}, which {homes[edition]} has already")
        every[edition], homes[edition] = ruleset, home
    return MappingProxyType(every)


def _home(point: EntryPoint) -> str:
    """Return the name and version of the package that has *point*."""
    if point.dist is None:
        return f"the entry point {point.name}"
    return f"the package {point.dist.name} {point.dist.version}"


def _loaded(point: EntryPoint, home: str) -> Ruleset[Any]:
    """Return the ruleset at *point*; raises `RulesetUnusable`."""
    place = f"{home} adds the ruleset {point.value}"
    try:
        found = point.load()
    except Exception as fault:  # whatever the import of another's package raises
        raise RulesetUnusable(
            f"{place}, which cannot be loaded: {_said(fault)}{_shadowed(point.module)}"
        ) from fault
    if not isinstance(found, Ruleset):
        raise RulesetUnusable(f"{place}, which is a {type(found).__name__} and not a Ruleset")
    if not _EDITION.fullmatch(found.edition):
        raise RulesetUnusable(f"{place}, whose edition {found.edition!r} is not a name like duel@1")
    try:
        _check(found)
    except Exception as fault:  # a type hint, a source or a rule of another's package
        raise RulesetUnusable(f"{place}, which cannot be used: {_said(fault)}") from fault
    return found


def _check(ruleset: Ruleset[Any]) -> None:
    """Raise an exception if the sources, rules or messages of *ruleset* cannot be read."""
    ruleset_digest(ruleset)
    rules_in(ruleset.packages)
    left: list[Any] = [
        type(ruleset.blank),
        *ruleset.commands.values(),
        *ruleset.events.values(),
        *ruleset.families.listed(Frame),
    ]
    seen: set[Any] = set()
    while left:
        kind = left.pop()
        if kind not in seen:
            seen.add(kind)
            every = (part for field in fields_of(kind) if field.given for part in parts_of(field.shape))
            left += [part.kind for part in every if isinstance(part, RecordObject)]
    found = tuple(unsaid(records_sent(ruleset), ruleset.families))
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        text = f"{found[0]}{more}: name a type of the kit, such as kit.Feet, or note kit.number or kit.text"
        raise TypeError(text)
    events: Iterable[Any] = ruleset.events.values()
    for event in events:
        names = {field.name for field in fields_of(event)} | {"because"}
        for _, part, _, _ in Formatter().parse(event.sentence):
            if part and part not in names and not any(part.startswith(f"{name}_") for name in names):
                text = f"the sentence of {event.__name__} has {{{part}}}, which is none of its fields"
                raise ValueError(text)


def _shadowed(module: str) -> str:
    """Return what to do if Python found a mere directory in the place of *module*; empty if it did not."""
    found = sys.modules.get(module)
    if found is None or getattr(found, "__file__", None) is not None:
        return ""
    return f" (it is the directory {', '.join(found.__path__)}: start in another directory than its parent)"


def _said(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
