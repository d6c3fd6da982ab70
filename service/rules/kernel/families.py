"""Find the classes of a family: those that a ruleset lists as members of the family's head.

Records of a family are distinguished by a tag: messages by `type`; frames, effects and others by `kind`. The
head declares the tag without a value; each member sets its own value. Two rulesets may use one value for
different classes. The order of a family is the order of its list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

T = TypeVar("T")


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
    """The members of a ruleset's families, by head; it never changes and equals itself alone."""

    def __init__(self, members: Mapping[type, Iterable[type]]) -> None:
        self._listed = {head: tuple(listed) for head, listed in members.items()}
        for head, listed in self._listed.items():
            for member in listed:
                assert issubclass(member, head), f"{member.__name__} is not a {head.__name__}"
        self._tagged = {
            head: _by_tag(tag, listed)
            for head, listed in self._listed.items()
            if (tag := family_tag(head)) is not None
        }

    def listed(self, head: type[T]) -> tuple[type[T], ...]:
        """Return the members of *head* in their order; raises `AssertionError` if none are listed."""
        assert head in self._listed, f"the ruleset lists no {head.__name__}"
        return self._listed[head]

    def members(self, head: type) -> Mapping[str, Any]:
        """Return the members of *head*, which are records, by tag; raises as `listed` does."""
        assert head in self._tagged, f"the ruleset lists no {head.__name__}"
        return self._tagged[head]


def _by_tag(tag: str, listed: Iterable[Any]) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for member in listed:
        value = getattr(member, tag, None)
        assert isinstance(value, str), f"{member.__name__} has no {tag}"
        assert value not in found, f"{value} is the {tag} of {found[value].__name__} and {member.__name__}"
        found[value] = member
    return MappingProxyType(found)


NO_FAMILIES: Final = Families({})
"""No members of any family: enough to read records that contain none."""
