"""Find what a ruleset's packages define and its ruleset does not list: messages, frames, rules."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from service.rules.kernel.messages import Command, Event
from service.rules.kernel.rulebook import HOMES, Rule
from service.rules.opening import EncounterOpened, OpenEncounter
from service.rules.ruleset import Ruleset
from service.rules.table.stack import Frame


def defined(ruleset: Ruleset[Any]) -> set[type[Any]]:
    """Return the commands, events and frames that the packages of *ruleset* define; imports every module."""
    for package in ruleset.packages:
        for module in pkgutil.walk_packages(getattr(import_module(package), "__path__", ()), f"{package}."):
            import_module(module.name)
    homes = tuple([f"{package}." for package in ruleset.packages])
    heads = (Command, "type"), (Event, "type"), (Frame, "kind")
    return {
        kind
        for head, tag in heads
        for kind in _below(head)
        if f"{kind.__module__}.".startswith(homes) and tag in vars(kind) and "abstract" not in vars(kind)
    }


def unlisted(ruleset: Ruleset[Any]) -> list[str]:
    """Return the names of the commands, events and frames that *ruleset* defines and does not list."""
    listed = {*ruleset.commands.values(), *ruleset.events.values(), *ruleset.families.listed(Frame)}
    own = [kind for kind in defined(ruleset) if not issubclass(kind, OpenEncounter | EncounterOpened)]
    return sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in own if kind not in listed)


def unenforced(ruleset: Ruleset[Any]) -> set[str]:
    """Return the ids of the rules in the modules of *ruleset* that no code enforces."""
    homes = tuple([f"{package}." for package in ruleset.packages])
    modules = [vars(module) for name, module in list(sys.modules.items()) if f"{name}.".startswith(homes)]
    every = [value for names in modules for value in names.values() if isinstance(value, Rule)]
    return {rule.id for rule in every if rule not in HOMES}


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for child in type.__subclasses__(kind):
        yield child
        yield from _below(child)
