"""The OpenAPI document of one edition: what a client of that book needs, and nothing of other books.

It is made from the whole document, so the two agree. It leaves out operations that no fight needs, recorded
examples, headers of answers, and texts of members of states and events, and with them every component that
nothing refers to any more. What stands in it several times becomes a component: a parameter, a union, the
values of a member, as an id or a cell. An operation has one answer for all problems. Whatever fits on a line
stands on one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import chain, count, takewhile
from typing import Any, Final

import yaml

from service.api import openapi
from service.api.inputs import component_name
from service.api.shapes import Schema, with_objects
from service.api.view_schemas import EditionViews
from service.rules.ruleset import Ruleset

LEFT_OUT: Final = ("Public log", "Service", "API keys", "Owners", "Pages", "Documentation", "Simulations")
"""Tags of operations that no fight needs; they are alike for all editions."""
_REFERENCE: Final = re.compile(r'"#/components/(\w+)/([\w.-]+)"')
_DROPPED: Final = ("example", "examples", "headers")
_PROBLEM: Final = "A refusal or a failure: `status` and `code` say which, and `detail` what to send instead."
_LINE: Final = 340
"""Letters of an object or a list that stands on one line."""
_WORTH: Final = 200
"""Letters that a component of values must save; a reference is as long as `_COSTS`."""
_COSTS: Final = 45
_TEXT: Final = """\
The contract of Rewound for `{edition}` alone: {title}. It has the operations of a fight, and of `{edition}`
the commands, the openings, the states and the events. `/openapi.yaml` is the whole contract: it also has the
operations for keys, owners, pages, simulations and the public log, the headers of answers, the statuses with
which each operation may refuse, examples, and a text for every member.
"""


def document(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Return the OpenAPI document for the edition of *ruleset*."""
    made = openapi.document({ruleset.edition: ruleset})
    tags = [tag for tag in made["tags"] if tag["name"] not in LEFT_OUT]
    kept = {tag["name"] for tag in tags}
    paths = {path: _kept(item, kept) for path, item in made["paths"].items()}
    shown = EditionViews(ruleset, component_name(ruleset.edition)).components
    components = dict(made["components"])
    components["schemas"] = {
        name: _untold(each) if name in shown else each for name, each in components["schemas"].items()
    }
    lean: dict[str, Any] = with_objects(
        {
            **made,
            "info": {
                **made["info"],
                "title": f"Rewound: {ruleset.edition}",
                "description": _TEXT.format(edition=ruleset.edition, title=ruleset.title),
            },
            "tags": tags,
            "paths": {path: item for path, item in paths.items() if item},
            "components": components,
        },
        _lean,
    )
    _join_problems(lean)
    lean["components"] = _reachable(lean)
    _share_parameters(lean)
    _share_unions(lean["components"]["schemas"])
    _name_values(lean["components"]["schemas"])
    _silence_tags(lean["components"]["schemas"])
    _share_values(lean["components"]["schemas"])
    return lean


class _FlowDumper(openapi.Dumper):
    """Writes each object and list that fits on a line as one: a fifth of the bytes would be spaces."""

    def represent_mapping(self, *given: Any) -> yaml.MappingNode:
        """Return the node of a mapping."""
        node: yaml.MappingNode = super().represent_mapping(*given)
        node.flow_style = _fits(node)
        return node

    def represent_sequence(self, *given: Any) -> yaml.SequenceNode:
        """Return the node of a sequence."""
        node: yaml.SequenceNode = super().represent_sequence(*given)
        node.flow_style = _fits(node)
        return node


def _fits(node: yaml.CollectionNode) -> bool:
    return sum(map(_letters, chain.from_iterable(_pairs(node)))) <= _LINE


def _pairs(node: yaml.CollectionNode) -> Iterator[tuple[yaml.Node, ...]]:
    for each in node.value:
        yield each if isinstance(each, tuple) else (each,)


def _letters(node: yaml.Node) -> int:
    """Return how many letters *node* takes on a line; more than a line has, if it stands on several."""
    if not isinstance(node, yaml.CollectionNode):
        return len(node.value) + 2
    return sum(map(_letters, chain.from_iterable(_pairs(node)))) + 2 if node.flow_style else _LINE + 1


def as_yaml(made: Mapping[str, Any]) -> str:
    """Return the document *made* as YAML, with a line for each object and list that fits on one."""
    text: str = yaml.dump(made, Dumper=_FlowDumper, sort_keys=False, allow_unicode=True, width=_LINE)
    return text


def _kept(item: Mapping[str, Any], tags: Iterable[str]) -> dict[str, Any]:
    return {method: each for method, each in item.items() if set(each["tags"]) <= {*tags}}


def _untold(schema: Schema) -> Schema:
    """Return the schema of a record without the texts of its members."""
    if "properties" not in schema:
        return schema
    return {
        **schema,
        "properties": {name: with_objects(each, _silent) for name, each in schema["properties"].items()},
    }


def _silent(part: Schema) -> Schema:
    """Return an object of a schema without its text."""
    return {name: each for name, each in part.items() if name != "description"}


def _lean(part: Schema) -> Schema:
    """Return an object of a document without examples, and with what a union of one chooses in its place."""
    made = {name: each for name, each in part.items() if name not in _DROPPED}
    for union in ("anyOf", "oneOf"):
        if len(made.get(union, ())) == 1:
            (only,) = made.pop(union)
            made.pop("discriminator", None)
            made = {**only, **made}
    return made


def _reachable(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return those components to which the paths lead, and the security schemes."""
    components: Mapping[str, Any] = made["components"]
    found: set[tuple[str, str]] = set()
    waiting = _references(made["paths"])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting |= _references(components[each[0]][each[1]])
    return {
        kind: kept
        for kind, members in components.items()
        if (kept := {name: each for name, each in members.items() if (kind, name) in found})
    } | {"securitySchemes": components["securitySchemes"]}


def _join_problems(made: dict[str, Any]) -> None:
    """Give each operation one answer for all problems: their statuses differ, their form does not."""
    responses = made["components"]["responses"]
    joined: Schema = {"description": _PROBLEM}
    for item in made["paths"].values():
        for operation in item.values():
            told = operation["responses"]
            problems = [each for each in told if int(each) >= HTTPStatus.BAD_REQUEST and "$ref" in told[each]]
            for each in problems:
                shared = responses[told.pop(each)["$ref"].rpartition("/")[2]]
                if joined.setdefault("content", shared["content"]) != shared["content"]:
                    raise ValueError(f"{operation['operationId']} answers {each} in a form of its own")
            if problems:
                told["default"] = {"$ref": "#/components/responses/Problem"}
    responses["Problem"] = joined


def _share_parameters(made: dict[str, Any]) -> None:
    """Make components of the parameters that several operations take."""
    shared: dict[str, Any] = {}
    taking = [each for item in made["paths"].values() for each in item.values() if "parameters" in each]
    often = Counter(openapi.as_json(each) for operation in taking for each in operation["parameters"])
    names: dict[str, str] = {}
    for operation in taking:
        for index, each in enumerate(operation["parameters"]):
            key = openapi.as_json(each)
            if often[key] > 1:
                names.setdefault(key, _free(each["name"], shared))
                shared[names[key]] = each
                operation["parameters"][index] = {"$ref": f"#/components/parameters/{names[key]}"}
    made["components"]["parameters"] = shared


def _share_unions(schemas: dict[str, Schema]) -> None:
    """Make components of unions that stand several times, named by how the names of their members begin."""
    often = Counter(openapi.as_json(_union(each)) for each in _unions(schemas))
    names: dict[str, str] = {}
    for each in [*_unions(schemas)]:
        union = _union(each)
        key = openapi.as_json(union)
        if often[key] < 2:  # noqa: PLR2004 - it stands once
            continue
        if key not in names:
            begins = _beginning([one["$ref"].rpartition("/")[2] for one in union["oneOf"]])
            names[key] = _free(f"{begins}Union", schemas)
            schemas[names[key]] = union
        for name in union:
            del each[name]
        each["$ref"] = f"#/components/schemas/{names[key]}"


def _name_values(schemas: dict[str, Schema]) -> None:
    """Make components of lists of values in a map of maps: some generators find no name for those."""
    made: dict[str, Schema] = {}
    names: dict[str, str] = {}
    for owner, schema in schemas.items():
        for member, each in schema.get("properties", {}).items():
            of_maps = each.get("additionalProperties")
            values = of_maps.get("additionalProperties") if isinstance(of_maps, dict) else None
            if not isinstance(values, dict) or "enum" not in values:
                continue
            key = openapi.as_json(values)
            if key not in names:
                names[key] = _free(f"{owner}{member.title().replace('_', '')}Value", schemas)
                made[names[key]] = values
            of_maps["additionalProperties"] = {"$ref": f"#/components/schemas/{names[key]}"}
    schemas.update(made)


def _silence_tags(schemas: dict[str, Schema]) -> None:
    """Take away the texts of members with one value: it says what the schema is."""
    for schema in schemas.values():
        for each in schema.get("properties", {}).values():
            if len(each.get("enum", ())) == 1:
                each.pop("description", None)


def _share_values(schemas: dict[str, Schema]) -> None:
    """Make components of values that stand in several members, named by the member where they stand most."""
    places = [place for schema in schemas.values() for place in _values(schema)]
    often = Counter(key for _, _, key in places)
    named: dict[str, Counter[str]] = {}
    texts: dict[str, Counter[str]] = {}
    for member, value, key in places:
        named.setdefault(key, Counter())[member] += 1
        texts.setdefault(key, Counter())[value.get("description", "")] += 1
    shared = {key for key, times in often.items() if (len(key) - _COSTS) * (times - 1) >= _WORTH}
    names: dict[str, str] = {}
    waiting = [_values(schema) for schema in schemas.values()]
    while waiting:
        for member, value, key in waiting.pop(0):
            if key not in shared:
                continue
            if key not in names:
                ((usual, _),) = named[key].most_common(1)
                names[key] = _free(f"{usual.title().replace('_', '')}Value", schemas)
                made = {name: each for name, each in value.items() if name != "description"}
                ((text, _),) = texts[key].most_common(1)
                schemas[names[key]] = {"description": text, **made} if text else made
                waiting.append(_items(member, made))
            text = value.get("description", "")
            value.clear()  # so nothing below it is looked at
            value["$ref"] = f"#/components/schemas/{names[key]}"
            if text not in ("", schemas[names[key]].get("description")):
                value["description"] = text


def _values(schema: Schema) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the values of members of *schema*, the outermost first: the member, the schema, its text.

    Objects with members are no values: they are named where they are declared.
    """
    for name, each in schema.get("properties", {}).items():
        if isinstance(each, dict):
            yield from _value(name, each)


def _value(member: str, value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    if not value.keys() & {"$ref", "properties"}:
        said_apart = {name: each for name, each in value.items() if name != "description"}
        yield member, value, openapi.as_json(said_apart)
        yield from _items(member, value)


def _items(member: str, value: Schema) -> Iterator[tuple[str, dict[str, Any], str]]:
    items = value.get("items")
    if isinstance(items, dict):
        yield from _value(member, items)


def _unions(part: Any) -> Iterator[dict[str, Any]]:
    """Yield each union with a discriminator that stands in *part*, the innermost first."""
    for each in part if isinstance(part, list) else part.values() if isinstance(part, dict) else ():
        yield from _unions(each)
    if isinstance(part, dict) and "oneOf" in part and isinstance(part.get("discriminator"), dict):
        yield part


def _union(part: Mapping[str, Any]) -> Schema:
    return {"oneOf": part["oneOf"], "discriminator": part["discriminator"]}


def _beginning(names: Sequence[str]) -> str:
    """Return the longest text with which all *names* begin."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return *name*, with a number if it is taken."""
    return next(each for each in chain((name,), (f"{name}{n}" for n in count(2))) if each not in taken)


def _references(part: object) -> set[tuple[str, str]]:
    """Return the kind and the name of each component that *part* refers to."""
    return set(_REFERENCE.findall(json.dumps(part)))
