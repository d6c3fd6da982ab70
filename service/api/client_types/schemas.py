"""Read the parts of the OpenAPI document from which types are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from service.api.shapes import Schema

COMPONENTS: Final = "#/components/schemas/"


def name_of(reference: str) -> str:
    """Return the name of the component to which *reference* leads."""
    return reference.removeprefix(COMPONENTS)


def described(schema: Schema) -> str:
    """Return the description of *schema*, empty if it has none."""
    text: str = schema.get("description", "")
    return text


def operations(document: Schema) -> Iterator[Schema]:
    """Yield every operation of *document*."""
    for item in document["paths"].values():
        yield from item.values()


def kinds_of(schema: Schema) -> list[str]:
    """Return the types that *schema* names; none for a value of any type."""
    named = schema.get("type", [])
    return named if isinstance(named, list) else [named]
