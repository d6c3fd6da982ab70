"""Find in the syntax tree what would make a ruleset depend on anything but its input.

Laws of this file: it reads source and runs none of it; it knows no ruleset; what it cannot see is said here.

What is caught:

- an import from outside the allow-list of `laws.py`, of a module or of single names; `global`; `async`;
- a float or complex literal, true division, and every built-in that makes a float, rounds, hashes, tells an
  address, or touches the world, also where it is only passed on (`key=hash`), but for `hash` in a `__hash__`;
- an iteration whose order a set would decide: over a set literal, comprehension, call, operation of sets, or
  over a name or a record's field that is annotated or assigned as a set. What cannot show the order is
  allowed: `sorted`, `len`, `any`, `all`, `sum`, `in`, building another set;
- state of the module: a mutable value bound at module level without `Final` or a read-only annotation, and
  any write to a module's name from inside a function that is not a registrar of `laws.py`.

What is not: a set that arrives through a function's return value or an untyped container, and a float that a
C function hands back. mypy and the golden logs under many hash seeds stand behind those.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.house.purity.laws import (
    ALLOWED,
    BUILTINS,
    ORDER_HIDDEN,
    ORDER_SHOWS,
    READ_ONLY,
    REGISTRARS,
    SET_METHODS,
    SET_NAMES,
)
from tests.house.purity.scopes import (
    Function,
    bindings,
    head,
    imported,
    mutable,
    ours,
    says_set,
    target,
    written,
)


@dataclass(frozen=True, order=True)
class Fault:
    """One place that breaks one law of purity."""

    path: str
    line: int
    law: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.law}: {self.what}"


def set_fields(trees: Mapping[str, ast.Module]) -> frozenset[str]:
    """Return the names of all class fields that any of *trees* annotates as sets."""
    return frozenset(
        line.target.id
        for tree in trees.values()
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for line in owner.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and says_set(line.annotation)
    )


def faults(sources: Mapping[str, str]) -> list[Fault]:
    """Return every fault in *sources* (path -> text), in order of path and line."""
    trees = {path: ast.parse(text, path) for path, text in sources.items()}
    fields = set_fields(trees)
    return sorted({fault for path, tree in trees.items() for fault in _Reader(path, tree, fields).read()})


class _Reader:
    """Reads one module; keeps the path of parents, because a name's meaning hangs on where it stands."""

    def __init__(self, path: str, tree: ast.Module, fields: frozenset[str]) -> None:
        self.path = path
        self.tree = tree
        self.fields = fields
        self.asked: frozenset[tuple[ast.AST, str]] = frozenset()
        """Names that are asked about: of `a = b` and `b = a`, another binding decides."""
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.shared = (frozenset(target(line) for line in tree.body) | imported(tree)) - {""}

    def read(self) -> Iterator[Fault]:
        for node in ast.walk(self.tree):
            yield from self._imports(node)
            yield from self._numbers(node)
            yield from self._names(node)
            yield from self._order(node)
            yield from self._writes(node)
        for line in self.tree.body:
            yield from self._module_state(line)

    def _fault(self, node: ast.AST, law: str) -> Fault:
        return Fault(self.path, getattr(node, "lineno", 0), law, ast.unparse(node).split("\n")[0])

    def _imports(self, node: ast.AST) -> Iterator[Fault]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not ours(alias.name) and ALLOWED.get(alias.name, frozenset()) is not None:
                    yield self._fault(node, f"import of {alias.name}")
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            allowed = ALLOWED.get(module, frozenset())
            for alias in node.names:
                if not ours(f"{module}.{alias.name}") and allowed is not None and alias.name not in allowed:
                    yield self._fault(node, f"import of {module}.{alias.name}")

    def _numbers(self, node: ast.AST) -> Iterator[Fault]:
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield self._fault(node, "float")
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield self._fault(node, "true division")
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and isinstance(node.right, ast.UnaryOp)
            and isinstance(node.right.op, ast.USub)
        ):
            yield self._fault(node, "float: negative power")

    def _names(self, node: ast.AST) -> Iterator[Fault]:
        if isinstance(node, ast.Global):
            yield self._fault(node, "global")
        elif isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield self._fault(node, "async")
        elif (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in BUILTINS
            and not self._is_local(node, node.id)
            and not (node.id == "hash" and self._is_in_hash(node))
        ):
            yield self._fault(node, f"{node.id} {BUILTINS[node.id]}")

    def _is_in_hash(self, node: ast.AST) -> bool:
        """Return whether *node* stands in the body of a `__hash__`, which dicts and sets alone read."""
        while not isinstance(node, ast.FunctionDef | ast.Lambda | ast.Module):
            node = self.parents[node]
        return isinstance(node, ast.FunctionDef) and node.name == "__hash__"

    def _order(self, node: ast.AST) -> Iterator[Fault]:
        law = "order of a set"
        if isinstance(node, ast.For) and self._is_set(node.iter):
            yield self._fault(node.iter, law)
        elif isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            if not self._order_is_hidden(node):
                yield from (
                    self._fault(part.iter, law) for part in node.generators if self._is_set(part.iter)
                )
        elif isinstance(node, ast.Starred) and self._is_set(node.value):
            if not isinstance(self.parents[node], ast.Set):
                yield self._fault(node, law)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
            if self._is_set(node.value):
                yield self._fault(node, law)
        elif isinstance(node, ast.YieldFrom) and self._is_set(node.value):
            yield self._fault(node, law)
        elif isinstance(node, ast.Call):
            yield from self._order_of_call(node, law)

    def _order_of_call(self, node: ast.Call, law: str) -> Iterator[Fault]:
        given = [argument for argument in node.args if self._is_set(argument)]
        if isinstance(node.func, ast.Name):
            ties = node.func.id in {"min", "max"} and any(word.arg == "key" for word in node.keywords)
            if given and (ties or node.func.id in ORDER_SHOWS):
                yield self._fault(node, law)
        elif isinstance(node.func, ast.Attribute):
            joined = node.func.attr in {"join", "fromkeys", "extend", "chain"} and given
            popped = node.func.attr == "pop" and not node.args and self._is_set(node.func.value)
            if joined or popped:
                yield self._fault(node, law)

    def _order_is_hidden(self, node: ast.AST) -> bool:
        above = self.parents[node]
        return (
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Name)
            and above.func.id in ORDER_HIDDEN
            and node in above.args
        )

    def _is_set(self, node: ast.AST) -> bool:
        """Say whether *node* is a set for all that its own text and the bindings around it tell."""
        match node:
            case ast.Set() | ast.SetComp():
                found = True
            case ast.Call(func=ast.Name(id=name)):
                found = name in SET_NAMES
            case ast.Call(func=ast.Attribute(value=value, attr=method)):
                found = method in SET_METHODS and self._is_set(value)
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
                found = self._is_set(left) or self._is_set(right)
            case ast.IfExp(body=body, orelse=orelse):
                found = self._is_set(body) or self._is_set(orelse)
            case ast.NamedExpr(value=value):
                found = self._is_set(value)
            case ast.Attribute(attr=name):
                found = name in self.fields
            case ast.Name(id=name):
                found = self._is_set_name(node, name)
            case _:
                found = False
        return found

    def _is_set_name(self, node: ast.AST, name: str) -> bool:
        """Say whether the innermost scope that binds *name* binds it to a set."""
        for scope in self._scopes(node):
            bound = [said for found, said in bindings(scope) if found == name]
            if bound:
                return (scope, name) not in self.asked and self._is_any_set(scope, name, bound)
        return False

    def _is_any_set(self, scope: ast.AST, name: str, bound: list[ast.AST]) -> bool:
        asked, self.asked = self.asked, self.asked | {(scope, name)}
        found = any(
            says_set(said.annotation)
            if isinstance(said, ast.arg | ast.AnnAssign)
            else self._is_set_value(said, name)
            for said in bound
        )
        self.asked = asked
        return found

    def _is_set_value(self, value: ast.AST, name: str) -> bool:
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value)):
            return False  # `seen = seen | more`: another binding of the same name decides
        return self._is_set(value)

    def _scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function | ast.Module):
                yield node

    def _is_local(self, node: ast.AST, name: str) -> bool:
        return any(
            found == name
            for scope in self._scopes(node)
            if not isinstance(scope, ast.Module)
            for found, _ in bindings(scope)
        )

    def _module_state(self, line: ast.stmt) -> Iterator[Fault]:
        if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None and mutable(line.value):
            said = head(line.annotation) if isinstance(line, ast.AnnAssign) else ""
            if said not in READ_ONLY and target(line) != "__all__":
                yield self._fault(line, "state of the module")
        elif isinstance(line, ast.AugAssign):
            yield self._fault(line, "state of the module")

    def _writes(self, node: ast.AST) -> Iterator[Fault]:
        name = written(node)
        if name not in self.shared:
            return
        inside = [scope for scope in self._scopes(node) if not isinstance(scope, ast.Module)]
        if not inside or self._is_local(node, name):
            return
        outermost = inside[-1]
        if getattr(outermost, "name", "") != REGISTRARS.get(self.path, ("", ""))[0]:
            yield self._fault(node, "write to the module")
