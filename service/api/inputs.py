"""The schemas of openings and commands by edition, made once per process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.api.fields import kind_of
from service.api.problems import invalid
from service.api.schemas import StrictSchema, near, schema_of
from service.core.fold import Registry
from service.rules.kernel.hints import RecordObject, fields_of
from service.rules.kernel.records import EMPTY, record
from service.rules.ruleset import Ruleset
from service.usecases.openings import opening_fields


@record
class EmptyBody:
    """An empty object."""


NOTHING: Final = schema_of(EmptyBody)()


@dataclass(frozen=True)
class EditionInputs:
    """The input schemas of an edition: its opening, and its commands by type."""

    edition: str
    name: str
    """The prefix of its component names, for example `Heartrush1`."""
    opening: StrictSchema
    commands: Mapping[str, StrictSchema]
    elsewhere: Mapping[str, Collection[str]] = EMPTY
    """The command types of other editions, by edition."""

    def command(self, type_: object, at: str = "") -> tuple[str, StrictSchema]:
        """Return a command's type and schema; raises the problem `invalid` if *type_* is not a command type.

        *at* is the JSON pointer of the command.
        """
        schema = self.commands.get(type_) if isinstance(type_, str) else None
        if schema is None or not isinstance(type_, str):
            raise invalid((f"{at}/type", self._no_command(type_)))
        return type_, schema

    def _no_command(self, type_: object) -> str:
        """Return why *type_* is not a command type, and where the types are listed."""
        listed = f"/v1/rulesets/{self.edition}/commands lists them"
        if type_ is None:
            return f"this field is required: the type of a command of {self.edition}; {listed}"
        if not isinstance(type_, str):
            return f"text, not {kind_of(type_)}"
        others = [edition for edition, types in self.elsewhere.items() if type_ in types]
        if others:
            theirs = ", ".join(others)
            return f"{type_} is a command of {theirs}, this encounter uses {self.edition}; {listed}"
        return f"{self.edition} has no command {type_[:100]}{near(type_, self.commands)}; {listed}"


@cache
def inputs_of(ruleset: Ruleset[Any]) -> EditionInputs:
    """Return the schemas of *ruleset*; they are made once in a process."""
    name = component_name(ruleset.edition)
    return EditionInputs(
        edition=ruleset.edition,
        name=name,
        opening=_opening(ruleset, f"{name}Opening"),
        commands=MappingProxyType(
            {
                tag: schema_of(
                    kind,
                    name=f"{name}{kind.__name__}",
                    tag=tag,
                    families=ruleset.families,
                )()
                for tag, kind in ruleset.commands.items()
                if tag != ruleset.opening.type
            }
        ),
    )


def all_inputs(registry: Registry) -> Mapping[str, EditionInputs]:
    """Return the schemas of every edition in *registry*, by edition."""
    types = {edition: frozenset(ruleset.commands) for edition, ruleset in registry.items()}
    return MappingProxyType(
        {
            edition: replace(
                inputs_of(ruleset),
                elsewhere={other: named for other, named in types.items() if other != edition},
            )
            for edition, ruleset in registry.items()
        }
    )


def component_name(edition: str) -> str:
    """Return the prefix of component names for *edition*: `Heartrush1` for `heartrush@1`."""
    return "".join(part.capitalize() for part in edition.split("@"))


def _opening(ruleset: Ruleset[Any], name: str) -> StrictSchema:
    """Return the schema of an opening: the edition and the fields of the ruleset's opening command."""
    names = opening_fields(ruleset)
    common: dict[str, Any] = {
        "name": name,
        "edition": ruleset.edition,
        "families": ruleset.families,
    }
    if names == ("opening",):
        command: type = ruleset.opening
        [shape] = [field.shape for field in fields_of(command) if field.name == "opening"]
        assert isinstance(shape, RecordObject), shape
        return schema_of(shape.kind, **common)()
    return schema_of(ruleset.opening, only=names, **common)()
