"""Modules of the page whose types are not strict yet. A module that has become so must leave the list."""

from __future__ import annotations

from typing import Final

UNTYPED: Final = frozenset({"fight/fight.mjs"})
