"""Serve the resources: one module each, every operation declared where it is handled."""

from importlib import import_module
from typing import Final

MODULES: Final = (
    "encounters",
    "seats",
    "commands",
    "states",
    "commits",
    "tickets",
    "rounds",
    "explanations",
    "differences",
    "previews",
    "contests",
    "amendments",
    "forks",
    "checkpoints",
    "audits",
    "webhooks",
    "bundles",
    "removals",
    "simulations",
    "rulesets",
    "keys",
    "api_keys",
    "health",
    "documents",
)
"""In the order the documentation shows them."""


def load() -> None:
    """Import every resource, which declares its operations."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
