"""Serve the resources: one module each, every operation declared where it is handled."""

from importlib import import_module
from pkgutil import iter_modules


def load() -> None:
    """Import every module of this package, which declares its operations."""
    for found in iter_modules(__path__):
        import_module(f"{__name__}.{found.name}")
