"""Write and read JSON pointers (RFC 6901)."""

from __future__ import annotations


def escaped(name: str) -> str:
    """Return *name* escaped as one step of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def steps(pointer: str) -> list[str]:
    """Return the names and indexes of *pointer*'s steps, unescaped."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
