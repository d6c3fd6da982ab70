"""Write and read JSON pointers (RFC 6901)."""

from __future__ import annotations


def escaped(name: str) -> str:
    """Return *name* as a step of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def steps(pointer: str) -> list[str]:
    """Return the names and indexes that *pointer* leads through."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
