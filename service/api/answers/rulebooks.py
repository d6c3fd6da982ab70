"""Describe what the rulebooks hold: editions, commands, options, rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import HASH, OPEN, TEXT, Schema, closed, listing, ref

# One line per member reads as the table it is.
_RULE: Final = closed(
    "A rule: its statement in our words and where the books have it.",
    id=TEXT,
    statement=TEXT,
    source=TEXT,
    settles={**listing(TEXT), "description": "Ambiguities of the books that it decides."},
)

RULEBOOKS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Rule": _RULE,
        "Ruleset": closed(
            "An edition of a rulebook.",
            edition=TEXT,
            title=TEXT,
            digest=HASH,
            commands=listing(TEXT),
            events=listing(TEXT),
            options=listing(
                closed(
                    "A choice of the house rules; the first value is the default.",
                    {"bounds": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}},
                    key=TEXT,
                    values={"type": "array", "items": {}},
                    settles=TEXT,
                    text=TEXT,
                )
            ),
            rules=listing(ref("Rule")),
        ),
        "Rulesets": closed("All editions.", rulesets=listing(closed("One.", edition=TEXT, title=TEXT))),
        "CommandTypes": closed(
            "The commands of an edition, each with the JSON Schema of its parameters.",
            edition=TEXT,
            commands=listing(closed("A type of command.", type=TEXT, text=TEXT, schema=OPEN)),
        ),
    }
)
