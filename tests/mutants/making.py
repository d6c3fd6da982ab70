"""Make mutants of the lines that enforce rules: one small change of a syntax tree each.

A line enforces a rule if its function or class is marked so (`@enforces(HR_RUSH_3)`), if it refuses in the
rule's name (`raise Refused(code, detail, "HR-RUSH-3")`), if it states an event `because` of that rule alone,
or if it is a constant that marked code reads. What a command offers, docstrings, the texts of refusals and
assertions, and the values of rules enforce nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, Final, TypeAlias

ID: Final = re.compile(r"[A-Z]+(?:-[A-Z]+\d*)+(?:-\d+[a-z]?)?")
CONSTANT: Final = re.compile(r"_?[A-Z][A-Z0-9_]*")
MOST_RULES: Final = 3
"""A constant that the code of more rules reads belongs to none of them."""
NOT_ENFORCING: Final = frozenset({"offers"})
"""Methods of a marked class that enforce nothing, nor do those that serve them alone: play holds offers."""

ASKED: Final = frozenset({"check", "decide"})
"""Methods of a command that the service calls."""

Function: TypeAlias = ast.FunctionDef
Rules: TypeAlias = tuple[str, ...]
Definition: TypeAlias = "tuple[Module, ast.AnnAssign | ast.Assign]"

COMPARISONS: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
CALLS: Final[Mapping[str, str]] = {"min": "max", "max": "min", "any": "all", "all": "any"}
NEGATED: Final = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
"""Comparisons whose change is their negation already."""


@dataclass(frozen=True)
class Edit:
    """One change of a syntax tree: *field* of *owner*, or its element at *index*, becomes *value*."""

    owner: ast.AST
    field: str
    index: int | None
    value: Any

    def swap(self) -> Edit:
        """Make the change; the edit that undoes it."""
        if self.index is None:
            before = getattr(self.owner, self.field)
            setattr(self.owner, self.field, self.value)
        else:
            elements = getattr(self.owner, self.field)
            before = elements[self.index]
            elements[self.index] = self.value
        return Edit(self.owner, self.field, self.index, before)


@dataclass(frozen=True)
class Mutant:
    """One change of a line that enforces *rules*."""

    rules: Rules
    marked: Rules
    """The rules whose code the line stands in, and those of the check that it calls."""
    path: Path
    place: str
    """The outermost function or the constant that has the line, as Python qualifies it."""
    line: int
    end: int
    """The last line of the statement, the first of which is `line`."""
    change: str
    edit: Edit
    tree: ast.Module

    def compiled(self) -> CodeType:
        """Return the code of the module with the change."""
        undo = self.edit.swap()
        try:
            return compile(self.tree, str(self.path), "exec", dont_inherit=True)
        finally:
            undo.swap()

    @property
    def is_constant(self) -> bool:
        """Return whether the line defines a constant, which no test runs."""
        return CONSTANT.fullmatch(self.place) is not None

    def line_for(self, root: Path) -> str:
        """Return the line that shows it to people; its path begins at *root* if it is below that."""
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        return f"{'/'.join(self.rules)}  {path}:{self.line}  {self.change}"


@dataclass(frozen=True)
class Module:
    """One module of the rules: its tree, its outermost functions, and the constants that rules read."""

    path: Path
    tree: ast.Module
    functions: tuple[tuple[str, Function, Rules], ...]
    """Each with its place and the rules that it is marked to enforce, mostly none."""
    read: Mapping[str, frozenset[str]]
    """Names of constants, each with the rules whose code reads it."""


def module_at(path: Path) -> Module:
    """Return what the module at *path* has of rules."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = tuple(_functions(tree, "", ()))
    read: dict[str, frozenset[str]] = {}
    for _, function, rules in functions:
        inside = (function.args, *function.body) if rules else ()  # a decorator names rules
        for each in (each for part in inside for each in ast.walk(part)):
            if isinstance(each, ast.Name) and CONSTANT.fullmatch(each.id):
                read[each.id] = read.get(each.id, frozenset()) | frozenset(rules)
    return Module(path, tree, functions, read)


def _functions(node: ast.AST, prefix: str, rules: Rules) -> Iterator[tuple[str, Function, Rules]]:
    """Yield each outermost function below *node*, with its place and the rules that it enforces."""
    offering = _offering(node) if isinstance(node, ast.ClassDef) else NOT_ENFORCING
    for each in getattr(node, "body", ()):
        if isinstance(each, ast.FunctionDef):
            own = _ids_of(each) or (() if each.name in offering else rules)
            yield f"{prefix}{each.name}", each, own
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each, f"{prefix}{each.name}.", _ids_of(each) or rules)


def _offering(kind: ast.ClassDef) -> AbstractSet[str]:
    """Return the methods of a class that make what it offers, and serve nothing else in it."""
    methods = [each for each in kind.body if isinstance(each, ast.FunctionDef)]
    uses = {
        method.name: {each.attr for each in ast.walk(method) if isinstance(each, ast.Attribute)}
        for method in methods
    }
    called = {name for each in uses for name in uses[each] - {each}}
    needed = _reached(uses, {each for each in uses if each in ASKED or each not in called} - NOT_ENFORCING)
    return NOT_ENFORCING | (_reached(uses, NOT_ENFORCING & uses.keys()) - needed)


def _reached(uses: Mapping[str, AbstractSet[str]], first: AbstractSet[str]) -> AbstractSet[str]:
    """Return the methods of *first* and those that they use, and so on."""
    found: AbstractSet[str] = frozenset(first)
    while more := {name for each in found for name in uses[each] & uses.keys()} - found:
        found = found | more
    return found


def _ids_of(node: ast.ClassDef | Function) -> Rules:
    """Return the ids of the rules that *node* is marked to enforce; the name of a rule is its id."""
    return tuple(
        rule.id.replace("_", "-")
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("enforces")
        for rule in mark.args
        if isinstance(rule, ast.Name)
    )


def _citing(function: Function) -> Iterator[tuple[ast.stmt, Rules]]:
    """Yield each statement that refuses, or states an event, in the name of one rule, with that rule."""
    for node in ast.walk(function):
        if isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse:
            ids = _ids_in(node.body[0]) if isinstance(node.body[0], ast.Raise) else ()
        elif isinstance(node, (ast.Expr, ast.Assign, ast.Return)):
            ids = _ids_in(node)
        else:
            continue
        if len(ids) == 1:
            yield node, ids


def _ids_in(node: ast.AST) -> Rules:
    """Return the rules in whose name *node* refuses, calls a check that refuses, or states an event."""
    found: list[str] = []
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        named = [keyword.value for keyword in call.keywords if keyword.arg == "because"]
        if isinstance(call.func, ast.Name) and call.func.id == "Refused":
            named += call.args[2:3]
        elif isinstance(node, ast.Expr) and node.value is call:
            named += [*call.args, *(keyword.value for keyword in call.keywords)]
        found += [_id_of(each) for name in named for each in ast.walk(name)]
    rules = [id_ for id_ in dict.fromkeys(found) if id_.count("-") > 1]  # ambiguities are `A-31`
    return tuple(rules)


def _checks(modules: Sequence[Module]) -> Mapping[str, Rules]:
    """Return the functions that refuse something, each with the rules in whose name they do."""
    found: dict[str, Rules] = {}
    for _, function, rules in (each for module in modules for each in module.functions):
        raised = [each for each in ast.walk(function) if isinstance(each, ast.Raise)]
        cited = [id_ for each in raised for id_ in _ids_in(each)]
        if raised and (rules or cited):
            found[function.name] = (*found.get(function.name, ()), *rules, *cited)
    return {name: rules for name, rules in found.items() if len(set(rules)) <= MOST_RULES}


def _called(line: ast.AST, checks: Mapping[str, Rules]) -> Rules:
    """Return the rules of the check that *line* calls and that refuses for it."""
    call = line.value if isinstance(line, ast.Expr) else None
    named = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    return checks.get(named, ())


def _id_of(node: ast.AST) -> str:
    """Return the id that *node* spells, as `"HR-RUSH-3"` or as `HR_RUSH_3.id`, otherwise nothing."""
    if isinstance(node, ast.Attribute) and node.attr == "id" and isinstance(node.value, ast.Name):
        return node.value.id.replace("_", "-") if CONSTANT.fullmatch(node.value.id) else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value):
        return node.value
    return ""


def _constants(modules: Sequence[Module]) -> Iterator[tuple[Rules, str, Definition]]:
    """Yield each constant that the code of few rules reads: those rules, its name, where it is defined."""
    defined: dict[str, list[Definition]] = {}
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, (ast.AnnAssign, ast.Assign)) and node.value is not None:
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                if not isinstance(target, ast.Name) or _is_rule(node.value):
                    continue
                if CONSTANT.fullmatch(target.id):
                    defined.setdefault(target.id, []).append((module, node))
    for name, definitions in sorted(defined.items()):
        for definition in definitions:
            readers = [
                module.read[name]
                for module in modules
                if name in module.read and _is_read(module, name, definition[0])
            ]
            rules = frozenset[str]().union(*readers)
            if 0 < len(rules) <= MOST_RULES:
                yield tuple(sorted(rules)), name, definition


def _is_rule(value: ast.expr) -> bool:
    """Tell whether a constant is a rule itself, which says what the code enforces and where it stands."""
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "Rule"


def _is_read(module: Module, name: str, home: Module) -> bool:
    """Tell whether the constant *name* in *module* is that of *home*."""
    if module is home:
        return True
    return any(
        isinstance(node, ast.ImportFrom)
        and any(alias.name == name for alias in node.names)
        and home.path.with_suffix("").as_posix().endswith((node.module or "-").replace(".", "/"))
        for node in module.tree.body
    )


# --- changes ------------------------------------------------------------------------------------------------


def mutants_of(modules: Sequence[Module]) -> Iterator[Mutant]:
    """Yield every mutant of the lines in *modules* that enforce rules."""
    checks = _checks(modules)
    for module in modules:
        for place, function, rules in module.functions:
            cited = dict(_citing(function))
            for found, shown, edit in _edits(function, function, rules, cited):
                line = _element(edit) if isinstance(edit.value, ast.Pass) else shown
                marked = tuple(dict.fromkeys((*rules, *_called(line, checks))))
                yield from _mutants((found, marked), module, place, shown, edit)
    for rules, name, (module, node) in _constants(modules):
        for found, shown, edit in _edits(node, node, rules, {}, is_table=True):
            yield from _mutants((found, rules), module, name, shown, edit)


def _mutants(
    rules: tuple[Rules, Rules], module: Module, place: str, shown: ast.AST, edit: Edit
) -> Iterator[Mutant]:
    """Yield the mutant that *edit* makes, if it is shown by another line than before."""
    if isinstance(edit.value, ast.Pass):
        removed = _element(edit)
        change = f"without `{_text(removed)}`"
        yield Mutant(*rules, module.path, place, *_lines(removed), change, edit, module.tree)
        return
    before = _text(shown)
    undo = edit.swap()
    after = _text(shown)
    undo.swap()
    if before != after:
        change = f"`{before}` becomes `{after}`"
        yield Mutant(*rules, module.path, place, *_lines(shown), change, edit, module.tree)


def _lines(node: ast.AST) -> tuple[int, int]:
    """Return the first and the last line of a statement or a function."""
    assert isinstance(node, ast.stmt)
    return node.lineno, node.end_lineno or node.lineno


def _element(edit: Edit) -> ast.AST:
    """Return what stands where *edit* is to be made."""
    found = getattr(edit.owner, edit.field)
    element: ast.AST = found if edit.index is None else found[edit.index]
    return element


def _text(node: ast.AST) -> str:
    """Return *node* in one line; of a statement with a body only its head and what comes first."""
    if isinstance(node, (ast.If, ast.While, ast.For)):
        over = f"{ast.unparse(node.target)} in {ast.unparse(node.iter)}" if isinstance(node, ast.For) else ""
        head = over if isinstance(node, ast.For) else ast.unparse(node.test)
        text = f"{type(node).__name__.lower()} {head}: {ast.unparse(node.body[0])}"
    else:
        text = ast.unparse(node)
    return " ".join(text.split())


def _edits(
    node: ast.AST,
    shown: ast.AST,
    rules: Rules,
    cited: Mapping[ast.stmt, Rules],
    *,
    is_table: bool = False,
    is_row: bool = False,
) -> Iterator[tuple[Rules, ast.AST, Edit]]:
    """Yield every edit of *node* and below that changes what enforces a rule, with that rule.

    Each comes with the statement in which it is shown. *cited* has the statements that name a rule of theirs.
    """
    if isinstance(node, (ast.Assert, ast.JoinedStr, ast.ClassDef)) or _is_docstring(node):
        return
    if isinstance(node, ast.stmt):
        shown, rules = node, cited.get(node, rules)
    if rules:
        yield from ((rules, shown, edit) for edit in _own_edits(node, is_table=is_table and not is_row))
    for field, index, child in _children(node):
        theirs = cited.get(child, rules) if isinstance(child, ast.stmt) else rules
        if theirs:
            yield from ((theirs, shown, edit) for edit in _in_its_place(node, field, index, child))
        is_row = isinstance(child, ast.Tuple) and _has_rows(node)
        yield from _edits(child, shown, rules, cited, is_table=is_table, is_row=is_row)


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """Yield what is below *node* and may be changed, with the field and the index where it is."""
    skipped = {"annotation", "decorator_list", "returns", "target", "targets"}
    if isinstance(node, (ast.FunctionDef, ast.Lambda)) or _is_refused(node):
        skipped |= {"args", "keywords"}
    for field, value in ast.iter_fields(node):
        if field in skipped:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                yield field, index if isinstance(value, list) else None, child


def _has_rows(node: ast.AST) -> bool:
    """Tell whether *node* is a table of tuples of one length: a shorter one is a value of another type.

    Such a row loses no element, because no code can have it so; the table loses a row, and a value changes.
    """
    rows = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else ()
    lengths = {len(row.elts) if isinstance(row, ast.Tuple) else 0 for row in rows}
    return len(rows) > 1 and len(lengths) == 1


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_refused(node: ast.AST) -> bool:
    """Tell whether *node* makes a refusal: what it says enforces nothing."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused"


def _own_edits(node: ast.AST, *, is_table: bool) -> Iterator[Edit]:
    """Yield the edits of *node* itself."""
    if isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            yield Edit(node, "ops", index, COMPARISONS[type(op)]())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield Edit(node, "value", None, not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield Edit(node, "value", None, node.value + 1)
        yield Edit(node, "value", None, node.value - 1)
    elif isinstance(node, ast.BoolOp):
        yield Edit(node, "op", None, ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in ARITHMETIC:
        yield Edit(node, "op", None, ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.Name) and node.id in CALLS:
        yield Edit(node, "id", None, CALLS[node.id])
    elif is_table and isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for index in range(len(node.elts)):
            yield Edit(node, "elts", None, node.elts[:index] + node.elts[index + 1 :])


def _in_its_place(owner: ast.AST, field: str, index: int | None, node: ast.AST) -> Iterator[Edit]:
    """Yield the edits that put something else in the place of *node*."""
    if field == "test" and isinstance(owner, (ast.If, ast.While, ast.IfExp)):
        yield from _negation(owner, field, index, node)
    if field == "ifs":
        yield from _negation(owner, field, index, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Edit(owner, field, index, node.operand)
    if isinstance(node, ast.stmt) and _is_removable(node):
        yield Edit(owner, field, index, ast.copy_location(ast.Pass(), node))


def _negation(owner: ast.AST, field: str, index: int | None, node: ast.AST) -> Iterator[Edit]:
    """Yield the edit that negates a condition, where no other edit does."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], NEGATED):
        return
    assert isinstance(node, ast.expr)
    negated = ast.UnaryOp(op=ast.Not(), operand=node)
    yield Edit(owner, field, index, ast.copy_location(negated, node))


def _is_removable(node: ast.stmt) -> bool:
    """Tell whether *node* does something whose lack leaves a function that still runs."""
    if isinstance(node, (ast.Raise, ast.AugAssign, ast.Continue, ast.Break)):
        return True
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and any(
        isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node.value)
    )
