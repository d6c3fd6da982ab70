"""Every message that a ruleset defines is listed: what is told and not listed could never be read again."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from service.rules.messages import Command, Event
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset


def defined(base: type[Any], package: str) -> Iterator[type[Any]]:
    """Yield the messages below *base* in *package* that have a type of their own."""
    for cls in base.__subclasses__():
        if cls.__module__.startswith(f"{package}.") and "type" in vars(cls):
            yield cls
        yield from defined(cls, package)


@pytest.mark.parametrize("edition", REGISTRY)
def test_every_message_of_a_ruleset_is_listed(edition: str) -> None:
    ruleset: Ruleset[Any] = REGISTRY[edition]
    for package in ruleset.packages:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module.name)
        messages = {*defined(Command, package), *defined(Event, package)}
        assert len(messages) > 50, "a search that finds nothing proves nothing"
        unlisted = messages - {*ruleset.commands.values(), *ruleset.events.values()}
        assert not unlisted, f"{edition} does not list them"
