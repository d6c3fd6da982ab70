"""Distinguish the classes of a family: messages by their `type`, frames, effects and the like by `kind`.

A family is headed by a class that declares the tag and leaves it open; its members each have their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any


@cache
def tag_of(kind: type) -> str | None:
    """Return the attribute that distinguishes a class in its family: `type` of messages, `kind` of frames."""
    return next((tag for tag in ("type", "kind") if isinstance(getattr(kind, tag, None), str)), None)


@cache
def family_tag(kind: type) -> str | None:
    """Return the tag of a family's head, whose members each have their own (Frame, Event); None for others.

    A field may be called `type` or `kind` as well: only what the class itself keeps is a tag.
    """
    if not is_dataclass(kind):
        return None
    own = vars(kind).get("__annotations__", {})
    return next(
        (tag for tag in ("type", "kind") if "ClassVar" in str(own.get(tag, "")) and tag not in vars(kind)),
        None,
    )


@cache
def members(head: type) -> Mapping[Any, Any]:
    """Return the classes below *head* by their tags."""
    found: dict[Any, Any] = {}
    children: list[Any] = type.__subclasses__(head)
    for child in children:
        tag = tag_of(child)
        if tag is not None and tag in vars(child):
            found[getattr(child, tag)] = child
        found.update(members(child))
    return found
