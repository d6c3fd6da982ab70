"""Draw the diagrams of the documentation from the code.

`make generate` writes them into `docs/pictures`, and `test_diagrams.py` fails for one that is out of date.

- `floors.svg`: the contract "Imports point down only" of `pyproject.toml`, with each package's first line.
- `stack.svg`: the frames on the stack after each command of the first engagement of the sample fight, which
  the rules decide here.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from service.cli.every_ruleset import every_ruleset
from service.cli.script import sample
from service.simulation.table import LocalTable

ROOT: Final = Path(__file__).parents[2]
PICTURES: Final = ROOT / "docs" / "pictures"
STYLE: Final = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #22201d; }
.name { font-weight: 650; }
.soft { fill: #5f5951; font-size: 11.5px; }
.box { fill: #f4f0ea; stroke: #8b8377; }
.back { fill: #fdfcfa; }
.waits { fill: #f3dfe1; stroke: #8b2f3c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e9e4dc; }
  .soft { fill: #a39b8f; }
  .box { fill: #2a2622; stroke: #837b70; }
  .back { fill: #1b1917; }
  .waits { fill: #4a2a2e; stroke: #e08a94; }
}
"""
FORM: Final = "s002"
WIDTH: Final = 900


def svg(height: int, label: str, parts: Iterator[str]) -> str:
    """Return a picture of *parts*, which is named *label* for who cannot see it."""
    inside = "\n".join(parts)
    shape = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {shape} role="img" aria-label="{escape(label)}">\n'
        f"<style>{STYLE}</style>\n"
        f'<rect class="back" width="{WIDTH}" height="{height}"/>\n{inside}\n</svg>\n'
    )


def box(at: tuple[float, float], size: tuple[float, float], kind: str = "box") -> str:
    """Return a rectangle."""
    return (
        f'<rect class="{kind}" x="{at[0]:g}" y="{at[1]:g}" width="{size[0]:g}" height="{size[1]:g}" rx="6"/>'
    )


def text(at: tuple[float, float], words: str, kind: str = "") -> str:
    """Return one line of text."""
    return f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}">{escape(words)}</text>'


# --- floors -----------------------------------------------------------------------------------------------

FLOOR: Final = 66
GAP: Final = 10


def floors() -> str:
    """Return the packages of each floor, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["id"] == "layers")
    rows = [[name.strip() for name in re.split(r"[|:]", layer)] for layer in layers]
    return svg(len(rows) * (FLOOR + GAP) + GAP, "The floors: imports point down only", _floors(rows))


def _floors(rows: list[list[str]]) -> Iterator[str]:
    for number, names in enumerate(rows):
        top = GAP + number * (FLOOR + GAP)
        width = (WIDTH - GAP * (len(names) + 1)) / len(names)
        for place, name in enumerate(names):
            left = GAP + place * (width + GAP)
            yield box((left, top), (width, FLOOR))
            yield text((left + 12, top + 21), name, "name")
            lines = wrap(idea_of(name), int(width / 6.8), max_lines=2, placeholder=" …")
            for line, words in enumerate(lines):
                yield text((left + 12, top + 39 + 15 * line), words, "soft")


def idea_of(module: str) -> str:
    """Return the first line of the docstring of *module*, without its full stop."""
    path = ROOT.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    return found.partition("\n")[0].rstrip(".").replace("`", "")


# --- the stack --------------------------------------------------------------------------------------------

Column = tuple[str, list[tuple[str, str, bool]]]
FRAME: Final = 34
COMMANDS: Final = 15
"""The commands of the sample fight that are shown: its first engagement."""


def stack() -> str:
    """Return the frames on the stack after each command, the bottom of the stack below."""
    columns = list(_stacks())
    deepest = max(len(frames) for _, frames in columns)
    return svg(
        deepest * FRAME + 120,
        "The stack of frames after each command of the sample fight's first engagement",
        _stack(columns, deepest),
    )


def _stacks() -> Iterator[Column]:
    """Yield each command's type with its frames from the bottom up: kind, path, and whether it is on top."""
    fight = sample(FORM)
    table = LocalTable(every_ruleset(), fight.opening)
    for step in [each for each in fight.steps if each.send is not None][:COMMANDS]:
        sent: Mapping[str, Any] = step.send or {}
        table.send(step.seat, sent["type"], {name: value for name, value in sent.items() if name != "type"})
        frames = table.state.stacks.table
        yield sent["type"], [(each.kind, each.path, each is frames[-1]) for each in frames]


def _stack(columns: list[Column], deepest: int) -> Iterator[str]:
    width = (WIDTH - 7 * GAP) / len(columns)
    ground = deepest * FRAME + GAP
    for depth in range(deepest):
        start = 0
        while start < len(columns):
            frame = columns[start][1][depth : depth + 1]
            end = start + 1
            while frame and end < len(columns) and columns[end][1][depth : depth + 1] == frame:
                end += 1
            if frame:
                ((kind, _, is_top),) = frame
                at = (GAP + start * width + 1, ground - (depth + 1) * FRAME)
                size = ((end - start) * width - 2, FRAME - 3)
                yield box(at, size, "waits" if is_top else "box")
                yield text((at[0] + 6, at[1] + 20), _fitting(kind, size[0]))
            start = end
    for number, (type_, _) in enumerate(columns):
        x = GAP + (number + 0.5) * width
        turned = f"translate({x:g} {ground + 14}) rotate(40)"
        yield f'<text class="soft" transform="{turned}">{escape(type_)}</text>'


def _fitting(kind: str, width: float) -> str:
    """Return as much of *kind* as *width* has room for."""
    most = int((width - 8) / 7)
    words = kind.replace("_", " ")
    return words if len(words) <= most else f"{words[: most - 1]}…"


DIAGRAMS: Final[Mapping[str, Callable[[], str]]] = {"floors.svg": floors, "stack.svg": stack}


def main() -> None:
    """Write every diagram."""
    for name, draw in DIAGRAMS.items():
        (PICTURES / name).write_text(draw(), "utf-8")
        sys.stdout.write(f"docs/pictures/{name} written\n")


if __name__ == "__main__":
    main()
