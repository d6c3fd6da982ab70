"""The resources of the API: one module each, which declares and handles its operations."""

from importlib import import_module
from pkgutil import iter_modules


def load() -> None:
    """Import every module of this package, so that all operations are declared."""
    for found in iter_modules(__path__):
        import_module(f"{__name__}.{found.name}")
