"""Every kind of file gives the same over HTTP as on the command line, and bounds name their figure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from service.cli.import_ import command
from tests.api.client import Api
from tests.api.test_file_imports import convert
from tests.conversion.test_creature_list import TEXTS

CASES: Final = Path(__file__).parents[1] / "conversion" / "cases"
FILES: Final = sorted(path for path in CASES.rglob("*") if path.is_file())
MIB: Final = 1024 * 1024


def of_command_line(path: Path, kind: str, edition: str) -> tuple[Any, list[str]]:
    """Return the part and the notes that the command prints, or nothing and the faults."""
    done = CliRunner().invoke(command, [kind, str(path), "--edition", edition])
    lines = [line.removeprefix("Error: ").removeprefix(f"{path}: ") for line in done.stderr.splitlines()]
    if done.exception is not None:
        said = [str(done.exception)] if not isinstance(done.exception, SystemExit) else []
        return None, [*lines, *(line.removeprefix(f"{path}: ") for line in said)]
    return json.loads(done.stdout), lines


def with_options(said: list[str]) -> list[str]:
    """Return what the service says with options where it names parameters of the query: `--side SIDE`."""
    return sorted(re.sub(r"\?([a-z]+)=", r"--\1 ", each) for each in said)


def of_service(owner: Api, body: bytes, kind: str, edition: str) -> tuple[Any, list[str]]:
    answer = convert(owner, body, f"edition={edition}&kind={kind}")
    if answer.status_code == 200:
        return answer.json["part"], answer.json["notes"]
    assert answer.json["type"] == "/problems/file-not-converted", answer.text
    return None, answer.json["faults"]


@pytest.mark.parametrize("edition", ["heartrush@1", "rise@1"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_a_file_says_the_same_over_http_and_on_the_command_line(owner: Api, path: Path, edition: str) -> None:
    kind = "map" if path.is_relative_to(CASES / "maps") else "creatures"
    part, said = of_service(owner, path.read_bytes(), kind, edition)
    printed, lines = of_command_line(path, kind, edition)
    assert printed == part
    assert sorted(lines) == with_options(said)


@pytest.mark.parametrize("name", TEXTS)
def test_lists_as_programs_wrap_them_are_alike_too(owner: Api, name: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(TEXTS[name], "utf-8")
    part, said = of_service(owner, path.read_bytes(), "creatures", "heartrush@1")
    assert (part, with_options(said)) == (
        (found := of_command_line(path, "creatures", "heartrush@1"))[0],
        sorted(found[1]),
    )
    assert part["creatures"]


def test_a_file_of_more_than_4_mib_is_too_large(owner: Api) -> None:
    at_most = b"name\n" + b" " * (4 * MIB - 5)
    assert convert(owner, at_most, "edition=heartrush@1&kind=creatures").status_code == 422
    answer = convert(owner, at_most + b"\n", "edition=heartrush@1&kind=creatures")
    assert answer.status_code == 413
    assert answer.json["detail"] == "a body of at most 4,194,304 bytes"


def walls(count: int) -> Any:
    """Return a map with *count* edges of wall, each in a line of its own."""
    lines = [
        [{"x": n % 400, "y": 2 * (n // 400)}, {"x": n % 400 + 1, "y": 2 * (n // 400)}] for n in range(count)
    ]
    return {"resolution": {"map_size": {"x": 400, "y": 400}}, "line_of_sight": lines}


def long_line(points: int) -> Any:
    line = [{"x": n % 2, "y": 0} for n in range(points)]
    return {"resolution": {"map_size": {"x": 4, "y": 4}}, "line_of_sight": [line]}


def sized(x: int) -> Any:
    return {"resolution": {"map_size": {"x": x, "y": 1}}, "line_of_sight": []}


def listed(count: int) -> Any:
    return [{"name": "Orc", "hp": 7}] * count


BOUNDS: Final[dict[str, tuple[str, Any, Any, str]]] = {
    "edges": ("map", walls(2000), walls(2001), "walls has 2001 members, and an opening takes 2000"),
    "points": ("map", long_line(100_000), long_line(100_001), "at most 100000 points"),
    "side": ("map", sized(500), sized(501), "1 to 500 cells"),
    "creatures": ("creatures", listed(200), listed(201), "at most 200 creatures"),
    "count": ("creatures", [{"name": "Orc", "count": 200}], [{"name": "Orc", "count": 201}], "from 1 to 200"),
}


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_is_reached_and_what_is_above_it_names_the_figure(owner: Api, bound: str) -> None:
    kind, within, above, fault = BOUNDS[bound]
    part, _ = of_service(owner, json.dumps(within).encode(), kind, "heartrush@1")
    assert part is not None
    nothing, faults = of_service(owner, json.dumps(above).encode(), kind, "heartrush@1")
    assert nothing is None
    assert fault in faults[0]


def test_yaml_has_at_most_a_mebibyte(owner: Api) -> None:
    text = "- name: Orc\n  hp: 7\n"
    within = text + "#" * (MIB - len(text))
    assert of_service(owner, within.encode(), "creatures", "heartrush@1")[0]["creatures"]
    _, faults = of_service(owner, (within + "#").encode(), "creatures", "heartrush@1")
    assert faults == ["a file of YAML has at most 1048576 characters"]
