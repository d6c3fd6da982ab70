"""Generate the OpenAPI document from the operations, the problem table and the schemas.

Everything it describes is also used to route, to check or to answer. `openapi.yaml` at the root is this
document, committed; a test compares the two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from itertools import chain, count
from typing import Any, Final

import yaml
from apispec import APISpec

from service.api import headers, limits, resources
from service.api.answers import PROBLEM
from service.api.describe import VERSION, json_schemas
from service.api.event_stream import MEDIA_TYPE as STREAM
from service.api.examples import example
from service.api.fields import ID
from service.api.inputs import EditionInputs, all_inputs, component_name
from service.api.member_texts import describe
from service.api.operations import OPERATIONS, Operation, ResponseSchema
from service.api.parameters import LINE, Parameter
from service.api.problems import MEDIA_TYPE, PROBLEMS
from service.api.recorded import add_examples, problem_examples, references_to_problems
from service.api.request import KEY, SIGNATURE, VERSION_TAG
from service.api.schemas import StrictSchema
from service.api.shapes import (
    COMPONENTS,
    Component,
    Schema,
    add_components,
    either,
    one_of,
    ref,
    with_objects,
)
from service.api.view_schemas import EditionViews
from service.core.fold import Registry
from service.rules.registry import REGISTRY


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # chosen when it runs: not everywhere
    """Writes YAML without anchors and aliases, so that every schema can be read where it is used."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return true for every value, so that none becomes an alias."""
        del data
        return True


TAGS: Final[Mapping[str, str]] = {
    "Encounters": "Open fights, find them, close and remove them.",
    "Seats": "Who sits at the table, and what each may do.",
    "Commands": "Send commands and get their outcomes.",
    "State": "What is true now, and what may be done.",
    "Record": "The stored commits, their dice, and why they came out so.",
    "Rounds": "Rounds, and their replay.",
    "Contests": "Doubts about what was decided, and their answers.",
    "Amendments": "Undo, redo and rulings that continue from an earlier commit.",
    "Lines of play": "The lines of an encounter: the one that is played, and those before it.",
    "Forks": "Copies of a fight to try something in.",
    "Audits": "Decide again, compare, and certify; bundles and checkpoints.",
    "Webhooks": "Messages to an address of yours when something happens.",
    "Simulations": "Fights that bots play.",
    "Rulesets": "Editions, their options, commands and rules.",
    "Public log": "The log of all encounters, for everybody to read, as tiles.",
    "Service": "Whether the service runs, and how.",
    "API keys": "Keys that own encounters.",
    "Owners": "What owners store, and their quotas.",
    "Pages": "The page for people: home, and a fight to look at and to play.",
    "Documentation": "This document, its pages, and the types of problems.",
}
"""The tags of operations, in the order of the documentation, and their descriptions."""
BYTES: Final = "application/octet-stream"
METHODS: Final = ("GET", "POST", "PATCH", "DELETE")
_PATH_PARAMETERS: Final[Mapping[str, Schema]] = {
    "encounter": {"type": "string", "format": "uuid"},
    "seat": {"type": "string", "pattern": f"^{ID.pattern}$"},
    "n": {"type": "integer", "minimum": 1},
    "round": {"type": "integer", "minimum": 1},
    "key": {"type": "string", "pattern": "^[0-9a-f]{12}$"},
    "level": {"type": "string", "pattern": "^(entries|[0-9]|[1-5][0-9]|6[0-3])$"},
}
_EVERYWHERE: Final = ("bad-request", "invalid", "internal-error", "out-of-memory")
_INSIDE: Final = (
    "unauthenticated",
    "forbidden",
    "not-found",
    "too-many-requests",
    "store-unavailable",
    "store-loading",
)
_OF_A_RECORD: Final = (
    "edition-unavailable",
    "record-damaged",
    "archive-unavailable",
    "too-much-work",
    "too-slow",
)
_OF_AN_ENCOUNTER: Final = ("fork-expired", "encounter-removed", "encounter-missing", *_OF_A_RECORD)
_BODY: Final = ("body-too-large", "request-timeout", "unsupported-media-type")
_WAITING: Final = (
    "not-strict-json",
    *_BODY,
    "idempotency-key-reused",
    "command-quarantined",
    "store-full",
    "quota-exceeded",
    "too-many-undecided",
    "too-many-refusals",
    "outcome-unknown",
)
_INTRODUCTION: Final = """\
Rewound runs tabletop combat as an event-sourced record. Every command is numbered, decided once, and can be
replayed and audited.

**Start.** Open an encounter with your API key, list the legal commands with `options`, send a command, read
`state`. Authenticate with `Authorization: Bearer <token>`. An API key (`rw_…`) owns encounters and acts as
their gm; a seat token (`rs_…`) acts for one seat of one encounter.

**Retry safely.** Send an `Idempotency-Key` with every POST, PATCH and DELETE. Requests with the same key and
content take effect once; a repeat gets the first answer, with `Idempotency-Replayed: true`.

**Wait, or do not.** A command is answered when it is decided. The request waits up to two seconds by default,
or up to N with `Prefer: wait=N` (at most 30); `Prefer: respond-async` does not wait. If the command is not
decided by then, the answer is 202 with its address in `Location`.

**One game, one address.** `POST …/undo {"to": 12}` goes back to version 12. After an undo or a ruling the
encounter continues at the same address; `?line=` reads an earlier line of play.

**Numbers** are integers and written as such: `1`, never `1.0` or `1e0`, although JSON Schema's `integer`
permits these.

**Errors** are `application/problem+json` (RFC 9457). Each `type` is the address of a page that explains it.

**For people**: with `?pretty` at any address the JSON of the answer is indented.
"""


def document(registry: Registry = REGISTRY) -> dict[str, Any]:
    """Return the OpenAPI document for the editions in *registry*.

    Raises `DuplicateComponent` if a request and an answer, or two requests, give one name to two schemas.
    """
    resources.load()
    spec = APISpec(
        title="Rewound",
        version="1",
        openapi_version=VERSION,
        plugins=[],
        info={
            "description": _INTRODUCTION,
            "contact": {"name": "The maintainers of Rewound"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        servers=[{"url": "/", "description": "This service"}],
        tags=[{"name": tag, "description": text} for tag, text in TAGS.items()],
    )
    spec.components.security_scheme(
        "bearer",
        {"type": "http", "scheme": "bearer", "description": "An API key (`rw_…`) or a seat token (`rs_…`)."},
    )
    inputs = all_inputs(registry)
    schemas = components(inputs.values())
    add_components(schemas, views(registry))
    add_components(
        schemas,
        {name: each._replace(schema=describe(name, each.schema)) for name, each in COMPONENTS.items()},
    )
    for name, each in sorted(schemas.items()):
        spec.components.schema(name, each.schema)
    for name, described in headers.components().items():
        spec.components.header(name, described)
    for code, shown in problem_examples().items():
        spec.components.example(code, shown)
    problems = _SharedResponses()
    for operation in sorted(OPERATIONS.all.values(), key=_place):
        described = _operation(operation)
        described["responses"] = problems.shared(described["responses"])
        spec.path(operation.path, operations={operation.method.lower(): described})
    for name, response in problems.responses.items():
        spec.components.response(name, response)
    made: dict[str, Any] = with_objects(spec.to_dict(), _with_typed_values)
    return made


_TYPE_NAMES: Final[Mapping[type, str]] = {str: "string", bool: "boolean", int: "integer", type(None): "null"}


def _with_typed_values(part: Schema) -> Schema:
    """Return an object with a type beside its list of values; one value is a list of one.

    Generators of Go, Java and TypeScript make no type of a `const` or an `enum` that has none.
    """
    if "const" not in part and "enum" not in part:
        return part
    values = [part["const"]] if "const" in part else part["enum"]
    names = list(dict.fromkeys(_TYPE_NAMES[type(each)] for each in values))
    rest = {name: each for name, each in part.items() if name not in ("const", "enum", "type")}
    return {"type": names[0] if len(names) == 1 else names, "enum": values, **rest}


class _SharedResponses:
    """The responses with problems: operations share them, so each stands in the document once."""

    def __init__(self) -> None:
        self.responses: dict[str, Schema] = {}
        self._names: dict[str, str] = {}

    def shared(self, responses: Mapping[str, Schema]) -> Schema:
        """Return *responses*, those with problems as references to components."""
        return {
            status: self._reference(status, each) if MEDIA_TYPE in each.get("content", ()) else each
            for status, each in responses.items()
        }

    def _reference(self, status: str, response: Schema) -> Schema:
        key = as_json(response)
        if key not in self._names:
            phrase = "".join(re.findall("[A-Za-z]+", HTTPStatus(int(status)).phrase.title()))
            names = chain((phrase,), (f"{phrase}{n}" for n in count(2)))
            self._names[key] = next(name for name in names if name not in self.responses)
            self.responses[self._names[key]] = response
        return {"$ref": f"{_RESPONSES}{self._names[key]}"}


_RESPONSES: Final = "#/components/responses/"


def response_of(made: Mapping[str, Any], path: str, method: str, status: str) -> Schema:
    """Return a response of the document *made*, itself where it is shared."""
    found: Schema = made["paths"][path][method]["responses"][status]
    name = found.get("$ref", "").removeprefix(_RESPONSES)
    return made["components"]["responses"][name] if name else found


def _place(operation: Operation) -> tuple[int, str, int]:
    """Return the sort key of *operation*: its tag, then its path, then its method."""
    return tuple(TAGS).index(operation.tag), operation.path, METHODS.index(operation.method)


def dump(registry: Registry = REGISTRY) -> str:
    """Return the text of `openapi.yaml`."""
    return as_yaml(document(registry))


def as_json(made: dict[str, Any]) -> str:
    """Return the document *made* as JSON."""
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def as_yaml(made: dict[str, Any]) -> str:
    """Return the document *made* as YAML."""
    text: str = yaml.dump(made, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return "# Generated by `rewound openapi`; do not edit.\n" + text


def components(inputs: Iterable[EditionInputs]) -> dict[str, Component]:
    """Return the components of request bodies: editions' openings and commands, unions of them, the rest.

    Raises `DuplicateComponent`.
    """
    made: dict[str, Component] = {}
    openings: dict[str, Schema] = {}
    editions: dict[str, Schema] = {}
    with_example: list[StrictSchema] = []
    for each in inputs:
        opening = type(each.opening)
        _add(made, json_schemas(opening), f"the opening of {each.edition}")
        openings[each.edition] = ref(opening.__name__)
        types: dict[str, Schema] = {}
        for tag, schema in each.commands.items():
            _add(made, json_schemas(type(schema)), f"the command {tag} of {each.edition}")
            types[tag] = ref(type(schema).__name__)
        with_example += each.commands.values()
        editions[f"{each.name}Command"] = {
            "description": f"A command of {each.edition}.",
            **one_of("type", types),
        }
    for operation in OPERATIONS.all.values():
        if isinstance(operation.body, StrictSchema):
            bodies = json_schemas(type(operation.body)).items()
            described = {name: describe(name, schema) for name, schema in bodies}
            _add(made, described, f"the body of {operation.id}")
            with_example += [operation.body] if _can_have_example(operation.body) else []
    schemas = {name: each.schema for name, each in made.items()}
    for body in with_example:
        name = type(body).__name__
        shown = {**schemas[name], "examples": [example(schemas[name], schemas)]}
        made[name] = made[name]._replace(schema=shown)
    unions = {
        "Opening": {
            "description": "The opening of an encounter, by its edition.",
            **one_of("edition", openings),
        },
        "Command": {
            "description": "A command of the encounter's edition.",
            "anyOf": [ref(name) for name in editions],
        },
        "CommandOrCommands": {
            "description": "A command, or an array of commands that are decided in order.",
            "anyOf": [
                ref("Command"),
                {"type": "array", "items": ref("Command"), "minItems": 1, "maxItems": 50},
            ],
        },
    }
    _add(made, editions | unions, "a union of commands or openings")
    return made


def views(registry: Registry) -> dict[str, Component]:
    """Return the components of what rulesets show: each edition's state and events, and unions of them.

    Raises `DuplicateComponent`.
    """
    made: dict[str, Component] = {}
    found = {edition: EditionViews(ruleset, component_name(edition)) for edition, ruleset in registry.items()}
    for edition, each in found.items():
        _add(made, each.components, f"what {edition} shows")
    carried = [each.carried for each in found.values() if each.carried is not None]
    unions: dict[str, Schema] = {
        "CarriedCharacter": {
            "description": "A character as it stood after a commit; an opening takes it as it is.",
            **(either(*carried) if carried else {"type": "object"}),
        },
        "EditionState": {
            "description": "The state of a fight, by its edition.",
            **one_of("edition", {edition: each.state for edition, each in found.items()}),
        },
        "Event": {
            "description": "One fact. `type` selects its schema among the events of the edition.",
            "anyOf": [each.event for each in found.values()],
        },
    }
    _add(made, unions, "a union of states or events")
    return made


def _add(made: dict[str, Component], schemas: Mapping[str, Schema], home: str) -> None:
    add_components(made, {name: Component(schema, home) for name, schema in schemas.items()})


def _can_have_example(body: StrictSchema) -> bool:
    """Return whether *body* has a required field and no field that refers to an edition's component."""
    shown = json_schemas(type(body))[type(body).__name__]
    return bool(shown.get("required")) and not any("$ref" in each for each in shown["properties"].values())


# --- operations --------------------------------------------------------------------------------------


def _operation(operation: Operation) -> Schema:
    made: Schema = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    text = operation.text
    who = "Public." if operation.is_public else f"Callers: {', '.join(operation.roles)}."
    made["description"] = "\n\n".join(filter(None, (text, limits.sentence(operation.id), who)))
    made["security"] = [] if operation.is_public else [{"bearer": []}]
    parameters = [
        *(path_parameter(name) for name in operation.path_names),
        *(_query_parameter(each) for each in operation.query),
        *((_query_parameter(LINE),) if operation.is_inside else ()),
        *_headers(operation),
    ]
    if parameters:
        made["parameters"] = parameters
    if operation.body is not None:
        content = {"application/json": {"schema": _body(operation.body)}}
        made["requestBody"] = {"required": operation.needs_body, "content": content}
    if operation.raw_body:
        made["requestBody"] = {
            "required": True,
            "content": {each: {"schema": _raw(each)} for each in operation.raw_body},
        }
    made["responses"] = _responses(operation)
    add_examples(operation.id, made)
    return made


def _body(body: StrictSchema | Schema) -> Schema:
    return ref(type(body).__name__) if isinstance(body, StrictSchema) else body


def path_parameter(name: str) -> Schema:
    """Return the path parameter *name*; its schema is a string unless one is listed for it."""
    schema = _PATH_PARAMETERS.get(name, {"type": "string"})
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _whole(pattern: str) -> str:
    """Return *pattern* for the whole of a text; alternatives are in a group, or the ends would be theirs."""
    return f"^(?:{pattern})$" if "|" in pattern else f"^{pattern}$"


def _query_parameter(each: Parameter) -> Schema:
    schema: Schema = (
        {"type": "integer", "minimum": each.least, "maximum": each.most}
        if each.kind == "whole"
        else {"type": "string", "pattern": _whole(each.pattern)}
    )
    made: Schema = {"name": each.name, "in": "query", "description": each.text, "schema": schema}
    return made | {"required": True} if each.required else made


def _headers(operation: Operation) -> Iterable[Schema]:
    text = {"type": "string"}
    if operation.is_repeatable:
        yield _header(
            "Idempotency-Key",
            "Makes a repeat of the request take effect only once. If absent, the server makes a key.",
            rf'^(?:{KEY.pattern}|"{KEY.pattern}")$',
        )
    if operation.waits and operation.is_inside:
        yield _header(
            "Rewound-Signature",
            "For a seat with a key: the newest commit that it has seen, and its signature of each command, "
            "`N:HASH SIGNATURE …`.",
            f"^{SIGNATURE.pattern}$".replace("\\d", "[0-9]"),
        )
    if operation.takes_preference:
        yield _header(
            "Prefer", "`wait=N` (seconds) or `respond-async`. Other preferences are ignored.", "^[ -~]*$"
        )
    if "version-mismatch" in operation.problems:
        yield _header(
            "If-Match",
            'Refuse the request unless this is the newest version, for example `"12"`.',
            rf"^(?:\*|{VERSION_TAG.pattern})$",
        )
    elif operation.method == "GET" and (operation.is_inside or operation.is_conditional):
        yield {
            "name": "If-None-Match",
            "in": "header",
            "description": "The `ETag` of an earlier answer; if it still applies, the answer is 304.",
            "schema": text,
        }


def _header(name: str, text: str, pattern: str) -> Schema:
    schema = {"type": "string", "pattern": pattern}
    return {"name": name, "in": "header", "description": text, "schema": schema}


def _responses(operation: Operation) -> Schema:
    made: Schema = {str(status): _answer(shape) for status, shape in operation.answers.items()}
    if operation.stream is not None:
        made["200"]["content"][STREAM] = {"schema": operation.stream}
    by_status: dict[int, list[str]] = {}
    for code in problems_of(operation):
        by_status.setdefault(PROBLEMS[code].status, []).append(code)
    for status, codes in sorted(by_status.items()):
        text = "; ".join(f"[{PROBLEMS[code].title}]({PROBLEMS[code].uri})" for code in codes)
        content: Schema = {MEDIA_TYPE: {"schema": PROBLEM, **references_to_problems(codes)}}
        if operation.has_page:
            content["text/html"] = {"schema": {"type": "string"}}
        own = made.get(str(status), {})  # an answer of the operation itself has this status, too
        texts = [each for each in (own.get("description"), text) if each]
        made[str(status)] = {
            "description": "; ".join(texts),
            "content": {**own.get("content", {}), **content},
        }
    for spelled, response in made.items():
        names = headers.of(operation, int(spelled))
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return made


def problems_of(operation: Operation) -> tuple[str, ...]:
    """Return the codes of all problems that *operation* may answer with."""
    inside = _INSIDE if not operation.is_public else () if operation.is_probe else ("too-many-requests",)
    below = _OF_AN_ENCOUNTER if "{encounter}" in operation.path else ()
    waiting = _WAITING if operation.waits else ()
    body = _BODY if operation.body or operation.raw_body else ()
    strict = ("not-strict-json",) if operation.body else ()
    keyed = ("idempotency-key-reused",) if operation.is_keyed else ()
    return tuple(
        dict.fromkeys((*_EVERYWHERE, *inside, *below, *waiting, *operation.problems, *body, *strict, *keyed))
    )


def _answer(shape: ResponseSchema) -> Schema:
    made: Schema = {"description": shape.text}
    if shape.schema is not None:
        made["content"] = {shape.media_type: {"schema": shape.schema}}
        if shape.page:
            made["content"]["text/html"] = {"schema": {"type": "string"}}
    elif shape.media_type != "application/json":
        made["content"] = {each: {"schema": _raw(each)} for each in (shape.media_type, *shape.also)}
    return made


def _raw(media_type: str) -> Schema:
    """Return the schema of a body that is no JSON: of the document that YAML has, of a text, or of bytes."""
    if media_type == "application/yaml":
        return {"type": "object"}
    return {"type": "string", "format": "binary"} if media_type == BYTES else {"type": "string"}
