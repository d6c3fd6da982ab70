"""Answer small questions about one node of a syntax tree: what it binds, writes, or says to be a set.

Laws of this file: it judges nothing; a question it cannot answer from the node alone is answered with no.
"""

import ast
from collections.abc import Iterator

from tests.house.purity.laws import MUTABLE_CALLS, OURS, SET_TYPES, WRITERS

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def ours(module: str) -> bool:
    """Say whether *module* is one of the pure packages or lies in one."""
    return any(module == own or module.startswith(f"{own}.") for own in OURS)


def head(annotation: ast.AST | None) -> str:
    """Return the outer name of an annotation: `Final` of `Final[dict[str, int]]`."""
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return head(value)
        case ast.Constant(value=str(text)):
            return head(ast.parse(text, mode="eval").body)
    return ""


def says_set(annotation: ast.AST | None) -> bool:
    """Say whether *annotation* is a set, or a set or something else."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return says_set(left) or says_set(right)
        case ast.Subscript(value=value, slice=inner) if head(value) in {"Final", "ClassVar", "Annotated"}:
            return says_set(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
    return head(annotation) in SET_TYPES


def imported(tree: ast.Module) -> frozenset[str]:
    """Return the names that *tree* takes from other modules, as it calls them."""
    return frozenset(
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def mutable(value: ast.AST) -> bool:
    """Say whether *value* can be changed in place."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in MUTABLE_CALLS
    return False


def target(line: ast.AST) -> str:
    """Return the one bare name that *line* assigns, or the empty string."""
    match line:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def written(node: ast.AST) -> str:
    """Return the bare name whose value *node* changes in place, or the empty string."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in WRITERS:
            return name
    return ""


def bindings(scope: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield each name that *scope* itself binds, with the node that says what it is."""
    if isinstance(scope, Function):
        rest = (scope.args.vararg, scope.args.kwarg)
        for argument in (
            *scope.args.posonlyargs,
            *scope.args.args,
            *scope.args.kwonlyargs,
            *filter(None, rest),
        ):
            yield argument.arg, argument
    for node in within(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                yield name, value
            case ast.For(target=ast.Name(id=name)) | ast.comprehension(target=ast.Name(id=name)):
                yield name, ast.Constant(None)


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of *scope* without those of the functions and classes inside it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, Function | ast.ClassDef):
            yield from within(child)
