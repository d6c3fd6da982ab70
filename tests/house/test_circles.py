"""Hold the modules to imports that a reader sees: none for type checkers alone, none that hides a circle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.house.circles import Import, circles, imports_of

BELOW: Final = "from service.below import Type\n"
PLANTED: Final[Mapping[str, Mapping[str, str]]] = {
    "for type checkers": {
        "service/above.py": BELOW,
        "service/below.py": "if TYPE_CHECKING:\n    from service.above import Other\n",
    },
    "of the module typing": {
        "service/above.py": "from service import below\n",
        "service/below.py": "if typing.TYPE_CHECKING:\n    import service.above\n",
    },
    "inside a function": {
        "service/above.py": BELOW,
        "service/below.py": "def f():\n    from service.above import Other\n",
    },
    "by a detour": {
        "service/above.py": "from service.between import Other\n",
        "service/between/__init__.py": BELOW,
        "service/below.py": "class C:\n    async def f(self):\n        from service import above\n",
    },
}


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, list[Import]]:
    """Return what each module of the product imports."""
    sources = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for package in ("service", "workers", "clients/python/rewound_client")
        for path in sorted((root / package).rglob("*.py"))
    }
    return imports_of(sources)


GENERATED = {f"clients.python.rewound_client.{name}" for name in ("heartrush1", "rise1", "shapes")}


def test_no_import_hides_a_circle(found: dict[str, list[Import]]) -> None:
    assert circles(found) == []


def test_nothing_is_imported_for_type_checkers_alone(found: dict[str, list[Import]]) -> None:
    hidden = {name for name, imports in found.items() if any(each.is_for_typing for each in imports)}
    assert hidden == GENERATED  # types alone, which refer to each other


@pytest.mark.parametrize("sources", PLANTED.values(), ids=PLANTED)
def test_a_hidden_circle_is_seen(sources: Mapping[str, str]) -> None:
    assert circles(imports_of(sources)) == ["service.below -> service.above"]


def test_a_lazy_import_without_a_circle_passes() -> None:
    lazy = "def f():\n    from service.below import Type\n"
    assert circles(imports_of({"service/above.py": lazy, "service/below.py": "import re\n"})) == []
