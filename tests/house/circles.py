"""Find in the syntax tree the imports that only hide a circle of modules.

An import below `if TYPE_CHECKING:` or inside a function is hidden: Python does not run it when it loads the
module. Two modules that need each other are one idea in two files, or one of them holds a type that belongs
below both.
"""

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Import:
    """One name that a module imports, with the module that may have it."""

    module: str
    name: str | None
    is_hidden: bool
    is_for_typing: bool


def imports_of(sources: Mapping[str, str]) -> dict[str, list[Import]]:
    """Return the imports of each module whose path and text *sources* has, by the module's name."""
    return {_module(path): list(_imports(ast.parse(text).body)) for path, text in sources.items()}


def circles(found: Mapping[str, Iterable[Import]]) -> list[str]:
    """Return each hidden import of *found* whose target leads back: `from -> to`, by the modules' names."""
    targets = [(name, _target(each, found), each) for name, imports in found.items() for each in imports]
    graph: dict[str, list[str]] = {name: [] for name in found}
    for name, target, _ in targets:
        if target is not None and target != name:
            graph[name].append(target)
    hidden = {(name, target) for name, target, each in targets if target and each.is_hidden}
    return sorted(f"{name} -> {target}" for name, target in hidden if _leads(target, name, graph))


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(body: Iterable[ast.stmt], *, hidden: bool = False, typing: bool = False) -> Iterator[Import]:
    """Yield the imports of *body* and of every block inside it."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (Import(each.name, None, hidden, typing) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (Import(node.module or "", each.name, hidden, typing) for each in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
            yield from _imports(node.body, hidden=True, typing=True)
            yield from _imports(node.orelse, hidden=hidden, typing=typing)
        else:
            is_lazy = hidden or isinstance(node, FUNCTIONS)
            for name in ("body", "orelse", "finalbody"):
                yield from _imports(getattr(node, name, ()), hidden=is_lazy, typing=typing)
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _imports(inner.body, hidden=is_lazy, typing=typing)


def _target(each: Import, known: Container[str]) -> str | None:
    """Return the module among *known* that is imported, None if it is none of them."""
    inner = f"{each.module}.{each.name}"
    return inner if each.name and inner in known else each.module if each.module in known else None


def _leads(start: str, end: str, graph: Mapping[str, Iterable[str]]) -> bool:
    """Return whether the imports of *start* lead to *end*."""
    seen, waiting = {start}, [start]
    while waiting:
        module = waiting.pop()
        if module == end:
            return True
        new = [each for each in graph[module] if each not in seen]
        seen.update(new)
        waiting += new
    return False
