"""Write service/rules/BOUNDS.md from `kernel/values.py`: the kinds of values, their bounds and why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.rules.kernel import values
from service.rules.kernel.hints import Shape, shape_of

PAGE: Final = Path(__file__).parents[2] / "service" / "rules" / "BOUNDS.md"
_HEAD: Final = """# Bounds

Whatever a client sends is within the bounds of its field: a number from its least to its greatest value, a
text up to its greatest length, a list up to its greatest count. A field that says nothing else has the bounds
of its kind; the contract shows those of each field. What the rules make of it may be less or more, such as
hit points below zero; no sum, product or path of values within the bounds leaves the 53 bits that every
reader of JSON keeps exact.

The tables are made of [values.py](kernel/values.py) by `python -m tests.docs.kinds`. The
column *list* is the greatest count of a list of such values, or of an object with such names, where the field
says no other.

"""


def page() -> str:
    """Return the page."""
    numbers = ["| type | least | greatest | list | what it is, and why so much |", "|---|---|---|---|---|"]
    texts = ["| type | characters | list | what it is |", "|---|---|---|---|"]
    for name, text, shape in _types():
        meaning = shape.meaning
        many = "" if meaning.many is None else f"{meaning.many:,}"
        if "str" in str(shape):
            length = meaning.most if not meaning.least else f"{meaning.least} to {meaning.most}"
            texts.append(
                f"| `{name}` | {length} | {many} | {text or meaning.form or meaning.said or meaning.kind} |"
            )
        elif meaning.least is not None:
            numbers.append(
                f"| `{name}` | {meaning.least:,} | {meaning.most:,} | {many} | {text or meaning.said} |"
            )
    return _HEAD + "## Numbers\n\n" + "\n".join(numbers) + "\n\n## Texts\n\n" + "\n".join(texts) + "\n"


def _types() -> Iterator[tuple[str, str, Shape]]:
    """Yield each type with its name and its docstring, in the order of the module.

    One that only says what a value of another type is to its record has the bounds of that one.
    """
    body = ast.parse(Path(values.__file__).read_text("utf-8")).body
    for one, two in zip(body, [*body[1:], ast.Pass()], strict=True):
        if (
            isinstance(one, ast.AnnAssign)
            and ast.unparse(one.annotation) == "TypeAlias"
            and not _is_role(one)
        ):
            name = ast.unparse(one.target)
            has_text = isinstance(two, ast.Expr) and isinstance(two.value, ast.Constant)
            shape = shape_of(getattr(values, name))
            if shape.meaning.most is not None:
                yield name, str(ast.literal_eval(two.value)) if has_text else "", shape  # type: ignore[attr-defined]  # it is an expression


def _is_role(one: ast.AnnAssign) -> bool:
    """Return whether a type is another type with a text, and nothing else."""
    value = one.value
    if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Tuple):
        return False
    return (
        isinstance(value.slice.elts[0], ast.Name)
        and all(isinstance(note, ast.Constant) for note in value.slice.elts[1:])
        and value.slice.elts[0].id not in ("str", "int")
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
