"""Declare the operations of the API: who may call them, what a client may send, and what it is answered.

Routing, authorization, the OpenAPI document, header fields, problems and the tests' tables are derived from
these declarations, once, when the process starts. A declaration without roles fails at import.

A caller without access to an encounter gets the same 404 as for an encounter that does not exist. A seat
whose role may not call the operation gets 403. The rules decide, on the record, what a role may do *within* a
command (which creature, which ruling). The owner's API key acts as the gm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, wraps
from inspect import cleandoc
from typing import Final, Literal, TypeVar

from service.api.parameters import LINE, PRETTY, Parameter
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import UNKNOWN, StrictSchema, faults, raise_if_invalid
from service.api.shapes import Schema
from service.steps import Steps

Handler = Callable[[ApiRequest], ApiResponse | Steps[ApiResponse]]
"""A handler that waits is a generator of steps; see `service.steps`."""
DeclaredHandler = TypeVar("DeclaredHandler", bound=Handler)

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Scope = Literal["read", "write", "keys", "operator"]
"""A permission of an API key."""

ANYONE: Final = "anyone"
KEY: Final = "key"
"""Any API key, regardless of what it owns."""

PUBLIC: Final = (ANYONE,)
KEY_HOLDERS: Final = (KEY,)
READERS: Final = ("gm", "player", "observer", "auditor")
ACTORS: Final = ("gm", "player")
GM_ALONE: Final = ("gm",)
AUDITORS: Final = ("gm", "auditor")

KIB: Final = 1024
BODY_LIMIT: Final = 64 * KIB
OPENING_LIMIT: Final = 1024 * KIB
BUNDLE_LIMIT: Final = 32 * 1024 * KIB
_UNCHANGED: Final = 304


TICKET: Final = Parameter("ticket", "A ticket, for clients that cannot send `Authorization`.")
"""An operation with this parameter accepts a ticket in place of a token."""


@dataclass(frozen=True)
class ResponseSchema:
    """One possible response of an operation: its description and the schema of its body."""

    text: str
    schema: Schema | None = None
    media_type: str = "application/json"
    also: tuple[str, ...] = ()
    """Further media types for the same bytes, for a client that asks for one of them."""
    page: bool = False
    """Whether a client that prefers `text/html` gets a page instead."""
    headers: tuple[str, ...] = ()
    """Header fields that only this response may carry."""


UNCHANGED: Final = ResponseSchema("Not modified.")
"""The 304 of a GET."""


@dataclass(eq=False)
class Operation:
    """One method of one path, and the decorator of its handler.

    The handler's docstring documents the operation: the first line is the summary.
    """

    method: Method
    path: str
    id: str
    tag: str
    _: KW_ONLY
    roles: tuple[str, ...]
    """Who may call it: roles of seats inside an encounter, `KEY_HOLDERS` outside, or everybody (`PUBLIC`)."""
    scope: Scope | None = None
    """The scope an API key needs; None is `read` for a GET and `write` for every other method."""
    answers: Mapping[int, ResponseSchema]
    outlives: bool = False
    """Whether it still answers after its encounter was removed."""
    is_probe: bool = False
    """Whether it is a health probe, whose requests are not counted by rate limits."""
    query: tuple[Parameter, ...] = ()
    body: StrictSchema | Schema | None = None
    """The schema of a JSON body: a `StrictSchema` is checked before the handler runs, a reference by it."""
    raw_body: tuple[str, ...] = ()
    """The media types of a body that is not JSON and is taken as it is."""
    limit: int = BODY_LIMIT
    """The most bytes of a body."""
    problems: tuple[str, ...] = ()
    """Codes of `problems.py` that this operation alone answers with.

    Those of credentials, bodies, keys and the store follow from the other fields.
    """
    stream: Schema | None = None
    """The schema of the stream for a client that accepts `text/event-stream`; None if there is no stream."""
    is_quick: bool = False
    """Whether it starts on the event loop; every other operation runs in a thread pool."""
    waits: bool = False
    """Whether it appends a command: it takes `Prefer` and `Idempotency-Key`, and may answer 202."""
    may_wait: bool = False
    """Whether it takes `Prefer` without appending a command, because it may wait for something else."""
    is_keyed: bool = False
    """Whether it takes an `Idempotency-Key` without appending a command."""
    has_secret: bool = False
    """Whether an answer carries a token, a key or a secret; then it is never compressed."""
    handler: Handler = field(init=False)

    def __call__(self, handler: DeclaredHandler) -> DeclaredHandler:
        """Register *handler* and return it; a second operation with the same id fails at import."""
        assert self.id not in OPERATIONS.all, f"two operations are called {self.id}"
        self.handler = _checking(handler, self.body)
        OPERATIONS.all[self.id] = self
        return handler

    @cached_property
    def needed_scope(self) -> Scope:
        """The scope that an API key needs."""
        return self.scope or ("read" if self.method == "GET" else "write")

    @cached_property
    def is_public(self) -> bool:
        """Whether it needs no credentials."""
        return ANYONE in self.roles

    @cached_property
    def is_inside(self) -> bool:
        """Whether it acts within one encounter."""
        return not self.is_public and KEY not in self.roles

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The query parameters that it takes, by name, with those that it need not declare."""
        every = (*self.query, PRETTY, *((LINE,) if self.is_inside else ()))
        return {each.name: each for each in every}

    @property
    def needs_body(self) -> bool:
        """Whether the body is required: it has a required field, or its schema is a reference."""
        return not isinstance(self.body, StrictSchema) or any(
            each.required for each in self.body.fields.values()
        )

    @property
    def is_conditional(self) -> bool:
        """Whether it is a GET that may answer 304."""
        return _UNCHANGED in self.answers

    @cached_property
    def has_page(self) -> bool:
        """Whether people open its address in a browser, so that its problems are pages there, too."""
        return any(each.page or each.media_type in {"text/html", "*/*"} for each in self.answers.values())

    @property
    def takes_preference(self) -> bool:
        """Whether it takes `Prefer`."""
        return self.waits or self.may_wait

    @property
    def is_repeatable(self) -> bool:
        """Whether it takes an `Idempotency-Key`."""
        return self.waits or self.is_keyed

    @property
    def summary(self) -> str:
        """The first line of its handler's docstring."""
        return cleandoc(self.handler.__doc__ or "").split("\n")[0].rstrip(".")

    @property
    def text(self) -> str:
        """The rest of its handler's docstring."""
        return "\n".join(cleandoc(self.handler.__doc__ or "").split("\n")[1:]).strip()

    @property
    def path_names(self) -> Sequence[str]:
        """The names of its path parameters, in order."""
        return re.findall(r"{(\w+)}", self.path)


@dataclass
class Operations:
    """All operations by id, in the order of their declaration."""

    all: dict[str, Operation] = field(default_factory=dict)


def _checking(handler: Handler, body: StrictSchema | Schema | None) -> Handler:
    """Return *handler*, preceded by a check of the body if *body* is a `StrictSchema`."""
    if not isinstance(body, StrictSchema):
        return handler

    @wraps(handler)
    def check(call: ApiRequest) -> ApiResponse | Steps[ApiResponse]:
        raise_if_invalid([(at, said + _hint(at, said)) for at, said in faults(body, call.data)])
        return handler(call)

    return check


def _hint(at: str, said: str) -> str:
    """Return where a field at the pointer *at* belongs, which a body does not have but an address has."""
    asked = {each.name for declared in OPERATIONS.all.values() for each in declared.query}
    name = at.removeprefix("/")
    return f"; it belongs in an address: ?{name}=" if said == UNKNOWN and name in asked else ""


OPERATIONS: Final = Operations()
operation: Final = Operation
