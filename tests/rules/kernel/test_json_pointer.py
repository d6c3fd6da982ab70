"""JSON pointers are written and read as RFC 6901 has them, in one place."""

from pathlib import Path

import pytest

from service.rules.kernel.json_pointer import escaped, steps

ROOT = Path(__file__).parents[3]
AS_WRITTEN = (("a", "a"), ("a/b", "a~1b"), ("m~n", "m~0n"), ("~1", "~01"), ("", ""))


@pytest.mark.parametrize(("name", "step"), AS_WRITTEN)
def test_a_name_is_escaped_and_read_back(name: str, step: str) -> None:
    assert escaped(name) == step
    assert steps(f"/{step}/0") == [name, "0"]


def test_nobody_else_escapes_names_of_pointers() -> None:
    sources = [*ROOT.glob("service/**/*.py"), *ROOT.glob("workers/**/*.py")]
    found = [path.name for path in sources if '"~0"' in path.read_text("utf-8").replace("'", '"')]
    assert found == ["json_pointer.py"]
