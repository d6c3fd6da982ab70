"""Distinguish the classes of a family by a tag: messages by `type`; frames, effects and others by `kind`.

The head of a family is a class that declares the tag without a value; each member sets its own value. A
ruleset lists the members of its families, so two rulesets may use one tag for different classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final


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


class Families:
    """The members of a ruleset's families, by head and tag; it never changes and equals itself alone."""

    def __init__(self, members: Mapping[type, Iterable[type]]) -> None:
        self._members = {head: _by_tag(head, listed) for head, listed in members.items()}

    def members(self, head: type) -> Mapping[str, Any]:
        """Return the members of *head* by tag, as they are listed; raises `AssertionError` if none are."""
        assert head in self._members, f"the ruleset lists no {head.__name__}"
        return self._members[head]


def _by_tag(head: type, listed: Iterable[Any]) -> Mapping[str, Any]:
    tag = family_tag(head)
    assert tag is not None, f"{head.__name__} is not the head of a family"
    found: dict[str, Any] = {}
    for member in listed:
        assert issubclass(member, head), f"{member.__name__} is not a {head.__name__}"
        value = getattr(member, tag, None)
        assert isinstance(value, str), f"{member.__name__} has no {tag}"
        assert value not in found, f"{value} is the {tag} of {found[value].__name__} and {member.__name__}"
        found[value] = member
    return MappingProxyType(found)


NO_FAMILIES: Final = Families({})
"""No members of any family: enough to read records that contain none."""
