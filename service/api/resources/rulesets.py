"""Rulesets: editions, their commands, house options and rules."""

from __future__ import annotations

from threading import Lock
from typing import Any, Final

from service.api import edition_contract
from service.api.describe import json_schema
from service.api.operations import PUBLIC, UNCHANGED, ResponseSchema, operation
from service.api.parameters import Parameter
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import near
from service.api.served_files import Document, document_response
from service.api.shapes import HASH, NUMBER, OPEN, TEXT, closed, component, listing
from service.api.sheets import groups_of, opening_words, sheet_schema
from service.core.explain import rule_data, rules_of
from service.record.digest import ruleset_digest
from service.rules.house_options import OptionSpec
from service.rules.kernel.codec import to_data
from service.rules.ruleset import Ruleset

TAG: Final = "Rulesets"
_YAML: Final = "application/yaml"
RULE: Final = component(
    "Rule",
    closed(
        "A rule: its statement in our words, and where its books have it.",
        id=TEXT,
        statement=TEXT,
        source={**TEXT, "description": "Title, edition: chapter, heading; semicolons separate several."},
        settles={**listing(TEXT), "description": "The ambiguities of the rulebook that it settles."},
        address={
            "type": "string",
            "format": "uri-reference",
            "description": "Where the API has this rule; `docs/books.md` says where the books are.",
        },
    ),
)
_SUMMARY: Final = {**TEXT, "description": "How it is played, in one sentence; empty if it does not say."}
RULESET: Final = component(
    "Ruleset",
    closed(
        "An edition of a rulebook.",
        edition=TEXT,
        title=TEXT,
        summary=_SUMMARY,
        digest=HASH,
        commands=listing(TEXT),
        events=listing(TEXT),
        options=listing(
            closed(
                "A house option; the first value is the default.",
                {"bounds": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}},
                key=TEXT,
                values={"type": "array", "items": {}},
                settles=TEXT,
                text=TEXT,
            )
        ),
        rules=listing(RULE),
    ),
)
RULESETS: Final = component(
    "Rulesets",
    closed(
        "All editions.", rulesets=listing(closed("An edition.", edition=TEXT, title=TEXT, summary=_SUMMARY))
    ),
)
LIBRARY: Final = component(
    "Library",
    closed(
        "What a rulebook has by name.",
        edition=TEXT,
        entries={
            "description": "What it has, each with its name.",
            **listing(
                closed(
                    "A stat block, a weapon, an ability, a condition or a sample fight.",
                    kind={
                        **TEXT,
                        "description": "`stat_block`, `weapon`, `ability`, `spell`, `condition`, `fight`.",
                    },
                    id=TEXT,
                    name=TEXT,
                    text={**TEXT, "description": "What it does."},
                    group={**TEXT, "description": "The heading of its kind under which people look for it."},
                    data={
                        "description": "What an opening has of it; of a fight the opening; null if nothing."
                    },
                )
            ),
        },
    ),
)
SHEET_SCHEMA: Final = component(
    "SheetSchema",
    closed(
        "How the sheet of a creature is written.",
        edition=TEXT,
        schema={
            **OPEN,
            "description": "JSON Schema 2020-12, with a title, bounds and a default of each field.",
        },
        groups={
            "description": "The fields in groups, in reading order.",
            **listing(
                closed(
                    "Fields that people read together.",
                    title=TEXT,
                    fields={**listing(TEXT), "description": "The names of the fields."},
                )
            ),
        },
        opening=closed(
            "What an opening takes besides creatures.",
            fields={**listing(TEXT), "description": "Its fields."},
            terrain={**listing(TEXT), "description": "What a cell may be made of."},
            light={**listing(TEXT), "description": "How bright a cell may be; empty if it never says so."},
            spaces={
                "type": "object",
                "description": "How many cells a creature fills along one side, by its size; else one.",
                "additionalProperties": NUMBER,
            },
        ),
    ),
)
COMMAND_TYPES: Final = component(
    "CommandTypes",
    closed(
        "The command types of an edition, each with the JSON Schema of its commands.",
        edition=TEXT,
        commands=listing(closed("A command type.", type=TEXT, text=TEXT, schema=OPEN)),
    ),
)


@operation(
    "GET",
    "/v1/rulesets",
    "listRulesets",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The editions.", RULESETS)},
)
def list_rulesets(request: ApiRequest) -> ApiResponse:
    """List the editions that encounters can be played by."""
    found = [
        {"edition": ruleset.edition, "title": ruleset.title, "summary": ruleset.summary}
        for ruleset in request.services.registry.values()
    ]
    return ApiResponse({"rulesets": found})


@operation(
    "GET",
    "/v1/rulesets/{edition}",
    "getRuleset",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The edition.", RULESET)},
    problems=("not-found",),
)
def get_ruleset(request: ApiRequest) -> ApiResponse:
    """Get an edition: its commands, events, house options with their defaults, and rules."""
    ruleset = _edition(request)
    return ApiResponse(
        {
            "edition": ruleset.edition,
            "title": ruleset.title,
            "summary": ruleset.summary,
            "digest": ruleset_digest(ruleset),
            "commands": list(ruleset.commands),
            "events": list(ruleset.events),
            "options": [_option(spec) for spec in ruleset.options.values()],
            "rules": [rule_data(ruleset.edition, rule) for rule in rules_of(ruleset)],
        }
    )


@operation(
    "GET",
    "/v1/rulesets/{edition}/commands",
    "listCommandTypes",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The command types.", COMMAND_TYPES)},
    problems=("not-found",),
)
def list_command_types(request: ApiRequest) -> ApiResponse:
    """List the command types of an edition, each with the JSON Schema of its commands."""
    ruleset = _edition(request)
    return ApiResponse(
        {
            "edition": ruleset.edition,
            "commands": [
                {
                    "type": name,
                    "text": (ruleset.commands[name].__doc__ or "").split("\n")[0],
                    "schema": json_schema(type(schema)),
                }
                for name, schema in request.inputs[ruleset.edition].commands.items()
            ],
        }
    )


@operation(
    "GET",
    "/v1/rulesets/{edition}/library",
    "searchLibrary",
    TAG,
    roles=PUBLIC,
    query=(
        Parameter("kind", "Only entries of this kind, such as `stat_block`.", pattern="[a-z_]{1,32}"),
        Parameter("q", "Only entries whose name or text contains every word of this.", pattern=".{1,100}"),
        Parameter("limit", "At most so many entries.", kind="whole", least=1, most=500),
    ),
    answers={200: ResponseSchema("The entries.", LIBRARY)},
    problems=("not-found",),
)
def search_library(request: ApiRequest) -> ApiResponse:
    """Search what a rulebook has by name: stat blocks, weapons, abilities, conditions, sample fights.

    Entries come in the order of the book; those whose name begins with the words come first.
    """
    ruleset = _edition(request)
    kind, wanted = request.query.get("kind"), request.query.get("q", "").casefold().split()
    found = [
        each
        for each in ruleset.library()
        if kind in (None, each.kind)
        and all(word in f"{each.name} {each.id} {each.group} {each.text}".casefold() for word in wanted)
    ]
    if wanted:
        found.sort(key=lambda each: not each.name.casefold().startswith(wanted[0]))
    entries = [to_data(each) for each in found[: request.query.get("limit", len(found))]]
    return ApiResponse({"edition": ruleset.edition, "entries": entries})


@operation(
    "GET",
    "/v1/rulesets/{edition}/sheet",
    "getSheetSchema",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The schema.", SHEET_SCHEMA)},
    problems=("not-found",),
)
def get_sheet_schema(request: ApiRequest) -> ApiResponse:
    """Get the JSON Schema of a creature's sheet, of which a form can be made, and its groups of fields.

    `opening` says what else an opening of the edition takes, for an editor of maps.
    """
    ruleset = _edition(request)
    schema = sheet_schema(ruleset)
    if schema is None:
        raise not_found(f"creatures of {ruleset.edition} have no sheets")
    groups = [to_data(each) for each in groups_of(ruleset)]
    opening = opening_words(ruleset)
    return ApiResponse({"edition": ruleset.edition, "schema": schema, "groups": groups, "opening": opening})


@operation(
    "GET",
    "/v1/rulesets/{edition}/rules/{rule}",
    "getRule",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The rule.", RULE)},
    problems=("not-found",),
)
def get_rule(request: ApiRequest) -> ApiResponse:
    """Get a rule: its statement and its source."""
    wanted = request.path["rule"]
    known = {rule.id: rule for rule in rules_of(_edition(request))}
    found = known.get(wanted)
    if found is None:
        raise not_found(f"this edition has no such rule{near(wanted, known)}")
    return ApiResponse(rule_data(_edition(request).edition, found))


@operation(
    "GET",
    "/v1/rulesets/{edition}/openapi.yaml",
    "getEditionContract",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The OpenAPI 3.1 document.", None, _YAML), 304: UNCHANGED},
    problems=("not-found",),
)
def get_edition_contract(request: ApiRequest) -> ApiResponse:
    """Get the OpenAPI document of one edition as YAML: what a client of that book needs, for generators.

    It has the operations of a fight and the edition's commands, openings, states and events. Of rulesets of
    other packages there is one, too. `/openapi.yaml` has everything, with examples.
    """
    found = _edition(request)
    with _turn:  # generating takes a second; concurrent requests wait for the result
        if id(found) not in _contracts:
            text = edition_contract.as_yaml(edition_contract.document(found))
            _contracts[id(found)] = found, Document(text.encode())
        return document_response(request, _contracts[id(found)][1], _YAML)


_contracts: Final[dict[int, tuple[Ruleset[Any], Document]]] = {}
"""The documents that were asked for, by the identity of their ruleset, which they keep."""
_turn: Final = Lock()


def _edition(request: ApiRequest) -> Ruleset[Any]:
    edition, known = request.path["edition"], request.services.registry
    found = known.get(edition)
    if found is None:
        raise not_found(f"there is no such ruleset{near(edition, known)}; GET /v1/rulesets lists them")
    return found


def _option(spec: OptionSpec) -> dict[str, Any]:
    data: dict[str, Any] = {
        "key": spec.key,
        "values": list(spec.values),
        "settles": spec.settles,
        "text": spec.text,
    }
    if spec.bounds is not None:
        data["bounds"] = list(spec.bounds)
    return data
