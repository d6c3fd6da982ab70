"""Distinguish the classes of a family by a tag: messages by `type`; frames, effects and others by `kind`.

The head of a family is a class that declares the tag without a value; each member sets its own value.
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
    """Return the tag's name if *kind* is the head of a family (`Frame`, `Event`), otherwise None.

    A field may be named `type` or `kind` too: only a class variable is a tag.
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
    """Return all subclasses of *head* that have a tag, by its value."""
    found: dict[Any, Any] = {}
    children: list[Any] = type.__subclasses__(head)
    for child in children:
        tag = tag_of(child)
        if tag is not None and tag in vars(child):
            found[getattr(child, tag)] = child
        found.update(members(child))
    return found
