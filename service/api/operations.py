"""Declare operations of the API: who may do what, what a client may send, and what it is answered.

Routing, authorization, the OpenAPI document, header fields, problems and the tests' tables are derived from
these declarations, once, when the process starts. One that does not say who may call it does not import.

A caller from outside an encounter gets the same 404 as for one that does not exist. A seat whose role may not
do this gets 403. What a role may do *within* a command (whose creature, which ruling) the rules decide, on
the record. The owner's API key acts as the gm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from service.api.schemas import StrictSchema, faults, raise_if_invalid
from service.api.shapes import Schema

if TYPE_CHECKING:
    from service.api.request import ApiRequest, ApiResponse
    from service.steps import Steps

Handler = Callable[["ApiRequest"], "ApiResponse | Steps[ApiResponse]"]
"""What waits is written as steps; see `service.steps`."""
DeclaredHandler = TypeVar("DeclaredHandler", bound=Handler)

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Scope = Literal["read", "write", "keys", "operator"]
"""What an API key must be allowed."""

ANYONE: Final = "anyone"
KEY: Final = "key"
"""An API key, whatever it owns."""

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


@dataclass(frozen=True)
class Parameter:
    """A query parameter: text that matches a pattern, or a whole number within bounds."""

    name: str
    text: str
    kind: Literal["whole", "text"] = "text"
    least: int = 0
    most: int = 2**53 - 1
    pattern: str = r"[\x21-\x7e]{1,512}"
    required: bool = False


TICKET: Final = Parameter("ticket", "A ticket, from who can send no `Authorization`.")
"""Operations that have it let in whoever holds one."""


@dataclass(frozen=True)
class ResponseSchema:
    """One possible answer of an operation: what it is, and the schema of its body."""

    text: str
    schema: Schema | None = None
    media_type: str = "application/json"
    page: bool = False
    """Whether who asks for `text/html` gets a page instead."""
    headers: tuple[str, ...] = ()
    """Header fields that it may carry and other answers may not."""


UNCHANGED: Final = ResponseSchema("Nothing has changed.")
"""The 304 of a GET."""


@dataclass(eq=False)
class Operation:
    """One method of one path, and the decorator of the function that answers it.

    Its documentation is the handler's docstring: the first line is the summary.
    """

    method: Method
    path: str
    id: str
    tag: str
    _: KW_ONLY
    roles: tuple[str, ...]
    """Who may call it: seats' roles inside an encounter, `KEY_HOLDERS` outside, or everybody (`PUBLIC`)."""
    scope: Scope | None = None
    """What an API key must be allowed; None is `read` for a GET and `write` for every other method."""
    answers: Mapping[int, ResponseSchema]
    outlives: bool = False
    """Whether it also answers for an encounter that was removed."""
    is_probe: bool = False
    """Whether machines ask it how the process fares: such requests are not counted."""
    query: tuple[Parameter, ...] = ()
    body: StrictSchema | Schema | None = None
    """The schema of a JSON body: a `StrictSchema` is checked before the handler, a reference by it."""
    raw_body: str | None = None
    """The media type of a body that is no JSON."""
    limit: int = BODY_LIMIT
    problems: tuple[str, ...] = ()
    stream: Schema | None = None
    """What it is where the client accepts `text/event-stream`, if it is a stream then."""
    is_quick: bool = False
    """Whether it runs on the event loop and waits there; every other operation runs in a pool of threads."""
    waits: bool = False
    """Whether it appends a command: takes `Prefer` and `Idempotency-Key`, may answer 202."""
    is_keyed: bool = False
    """Whether it takes an `Idempotency-Key` without appending a command."""
    handler: Handler = field(init=False)

    def __call__(self, handler: DeclaredHandler) -> DeclaredHandler:
        """Make the function below the handler; an id that is taken does not import."""
        assert self.id not in OPERATIONS.all, f"two operations are called {self.id}"
        self.handler = _checking(handler, self.body)
        OPERATIONS.all[self.id] = self
        return handler

    @cached_property
    def needed_scope(self) -> Scope:
        """What an API key must be allowed."""
        return self.scope or ("read" if self.method == "GET" else "write")

    @cached_property
    def is_public(self) -> bool:
        """Whether it asks for no credentials at all."""
        return ANYONE in self.roles

    @cached_property
    def is_inside(self) -> bool:
        """Whether it acts within one encounter."""
        return not self.is_public and KEY not in self.roles

    @property
    def needs_body(self) -> bool:
        """Whether a request without a body does not fit: some field of it is required."""
        return not isinstance(self.body, StrictSchema) or any(
            each.required for each in self.body.fields.values()
        )

    @property
    def is_conditional(self) -> bool:
        """Whether it is a GET that may answer 304."""
        return _UNCHANGED in self.answers

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
        """The names in its path, in order."""
        return re.findall(r"{(\w+)}", self.path)


@dataclass
class Operations:
    """All operations by their ids, in the order in which they were declared."""

    all: dict[str, Operation] = field(default_factory=dict)


def _checking(handler: Handler, body: StrictSchema | Schema | None) -> Handler:
    """Return *handler*, which checks the body first where that has a schema of its own."""
    if not isinstance(body, StrictSchema):
        return handler

    @wraps(handler)
    def check(call: ApiRequest) -> ApiResponse | Steps[ApiResponse]:
        raise_if_invalid(faults(body, call.data))
        return handler(call)

    return check


OPERATIONS: Final = Operations()
operation: Final = Operation
