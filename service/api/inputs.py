"""Keep the schemas of what clients send: one per command type and opening, made once per process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal, get_type_hints

from service.api.fields import Component, Items, OneOf, Text, Whole, kind_of
from service.api.problems import invalid
from service.api.schemas import Strict, near, schema_of
from service.encounter.deciding.fold import Shelf
from service.encounter.openings import opening_fields
from service.encounter.stores.keys import SCOPES
from service.rules.contests import OpenContest
from service.rules.records import EMPTY, record
from service.rules.ruleset import Ruleset
from service.rules.seats import OpenSeat


@record
class SeatChange:
    """The creatures a seat controls from now on."""

    creatures: tuple[str, ...]


@record
class ContestRuling:
    """The GM's answer to a contest: how it ends, and why."""

    ending: Literal["upheld", "effects", "as_ruled"]
    decision: str
    reason: str = ""
    kind: str | None = None
    """With `effects`: what kind of ruling it is, as in the edition's `gm_ruling`."""
    subject: str | None = None
    """With `effects`: what the ruling is about."""
    effects: tuple[Any, ...] = ()
    """With `effects`: what happens now, as in the edition's `gm_ruling`."""
    instead: tuple[Any, ...] = ()
    """With `as_ruled`: the commands taken in place of the contested one. Each has its `type` and fields;
    with `by: gm` the gm gives it, else the seat that gave the contested one."""


@record
class NewFork:
    """After which commit a what-if goes on, and what its gm commands there at once."""

    at: int
    commands: tuple[Any, ...] = ()


@record
class NewUndo:
    """From which commit on everything is taken back, and why."""

    commit: int
    reason: str = ""
    line: str = ""
    """The earlier line in which the commit stands; none is this one."""


@record
class NewRedo:
    """Why what was undone is taken again."""

    reason: str = ""


@record
class Acceptance:
    """The version of the encounter that was compared with the proposal."""

    version: int


@record
class Nothing:
    """An empty object."""


_YEAR_S: Final = 366 * 86_400
_TEN_YEARS_S: Final = 10 * _YEAR_S

NEW_SEAT: Final = schema_of(OpenSeat, name="NewSeat")()
NEW_CONTEST: Final = schema_of(OpenContest, name="NewContest")()
NEW_FORK: Final = schema_of(NewFork)()
NEW_UNDO: Final = schema_of(NewUndo)()
NEW_REDO: Final = schema_of(NewRedo)()
ACCEPTANCE: Final = schema_of(Acceptance)()
CONTEST_RULING: Final = schema_of(ContestRuling)()
SEAT_CHANGE: Final = schema_of(SeatChange)()
NOTHING: Final = schema_of(Nothing)()
AUDIT_REQUEST: Final = Strict.from_dict(
    {"from": Whole(least=1, most=2**31), "to": Whole(least=1, most=2**31)}, name="AuditRequest"
)()
"""`from` is no name a record's field can have."""


NEW_WEBHOOK: Final = Strict.from_dict(
    {"url": Text(length=2_000, required=True), "encounter": Text(length=36)}, name="NewWebhook"
)()
NEW_REMOVAL: Final = Strict.from_dict({"bundle": Text(length=64, required=True)}, name="NewRemoval")()
WEBHOOK_CHANGE: Final = Strict.from_dict(
    {"url": Text(length=2_000), "state": OneOf(("active",))}, name="WebhookChange"
)()
NEW_API_KEY: Final = Strict.from_dict(
    {
        "name": Text(length=100, required=True),
        "scopes": Items(OneOf(SCOPES)),
        "expires_in_s": Whole(least=1, most=_TEN_YEARS_S),
    },
    name="NewApiKey",
)()
SIMULATION: Final = Strict.from_dict(
    {
        "opening": Component("Opening", required=True),
        "times": Whole(least=1, most=100),
        "seed": Text(least=1, length=64),
        "rounds": Whole(least=1, most=200),
        "commands": Whole(least=1, most=5_000),
    },
    name="SimulationRequest",
)()
ROTATION: Final = Strict.from_dict({"overlap_s": Whole(least=0, most=_YEAR_S)}, name="Rotation")()

COMMON: Final = (
    NEW_SEAT,
    NEW_CONTEST,
    CONTEST_RULING,
    NEW_FORK,
    NEW_UNDO,
    NEW_REDO,
    ACCEPTANCE,
    SEAT_CHANGE,
    NOTHING,
    AUDIT_REQUEST,
    NEW_API_KEY,
    ROTATION,
    NEW_WEBHOOK,
    WEBHOOK_CHANGE,
    NEW_REMOVAL,
    SIMULATION,
)


@dataclass(frozen=True)
class EditionInputs:
    """What an edition takes: its opening, and its commands by type."""

    edition: str
    name: str
    """How its components are called: `Heartrush1`."""
    opening: Strict
    commands: Mapping[str, Strict]
    elsewhere: Mapping[str, Collection[str]] = EMPTY
    """The types of command that other editions have, by edition."""

    def command(self, type_: object, at: str = "") -> tuple[str, Strict]:
        """Return a command's type and schema; raises `Problem` where *type_*, at pointer *at*, is none."""
        schema = self.commands.get(type_) if isinstance(type_, str) else None
        if schema is None or not isinstance(type_, str):
            raise invalid((f"{at}/type", self._no_command(type_)))
        return type_, schema

    def _no_command(self, type_: object) -> str:
        """Return why *type_* names no command, and where the commands are listed."""
        listed = f"/v1/rulesets/{self.edition}/commands lists them"
        if type_ is None:
            return f"this field is required: the type of a command of {self.edition}; {listed}"
        if not isinstance(type_, str):
            return f"text, not {kind_of(type_)}"
        others = [edition for edition, types in self.elsewhere.items() if type_ in types]
        if others:
            theirs = ", ".join(others)
            return f"{type_} is a command of {theirs}, this encounter is {self.edition}; {listed}"
        return f"{self.edition} has no command {type_[:100]}{near(type_, self.commands)}; {listed}"


def inputs_of(ruleset: Ruleset[Any]) -> EditionInputs:
    """Return the schemas of *ruleset*."""
    name = component_name(ruleset.edition)
    return EditionInputs(
        edition=ruleset.edition,
        name=name,
        opening=_opening(ruleset, f"{name}Opening"),
        commands=MappingProxyType(
            {
                tag: schema_of(kind, name=f"{name}{kind.__name__}", tag=tag)()
                for tag, kind in ruleset.commands.items()
                if tag != ruleset.opening.type
            }
        ),
    )


def all_inputs(shelf: Shelf) -> Mapping[str, EditionInputs]:
    """Return the schemas of every edition on *shelf*, by edition."""
    types = {edition: frozenset(ruleset.commands) for edition, ruleset in shelf.items()}
    return MappingProxyType(
        {
            edition: replace(
                inputs_of(ruleset),
                elsewhere={other: named for other, named in types.items() if other != edition},
            )
            for edition, ruleset in shelf.items()
        }
    )


def component_name(edition: str) -> str:
    """Return *edition* as the beginning of component names: `heartrush@1` gives `Heartrush1`."""
    return "".join(part.capitalize() for part in edition.split("@"))


def _opening(ruleset: Ruleset[Any], name: str) -> Strict:
    """Return the schema of what opens an encounter: the edition, and what the ruleset begins with."""
    names = opening_fields(ruleset)
    if names == ("opening",):
        kind: type[Any] = get_type_hints(ruleset.opening)["opening"]
        return schema_of(kind, name=name, edition=ruleset.edition)()
    return schema_of(ruleset.opening, name=name, edition=ruleset.edition, only=names)()
