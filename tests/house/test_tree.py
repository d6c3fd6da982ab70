"""Keep the tree as a reader expects it: few names on top, short files, no host or place of one machine."""

import io
import re
import tokenize
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import grimp
import pytest

TOP_LEVEL: Final = frozenset(
    {"pyproject.toml", "Dockerfile", "openapi.yaml", "service", "workers", "tests", "deploy"}
    | {"README.md", "CHANGELOG.md", "LICENSE", "Makefile", "docs", "examples", "clients", ".ci"}
    | {".gitignore", ".dockerignore"}
)

# Written in halves, so that this file does not hold what it looks for.
ELSEWHERE: Final = re.compile(
    "|".join(
        (
            r"pypi\." + "org",
            "python" + "hosted",
            "registry" + r"\.npmjs",
            "--(?:extra-)?" + "index-url",
            "--trusted" + "-host",
            "--find" + "-links",
            r"(?<![\w.])/work" + "/",
            "/opt/" + "(?:pypi|wheels)",
            r"(?<![\w.])/ro" + r"ot\b",
            r"\bshared" + "/(?:design|hooks|rules|seeds|vectors|README)",
        )
    )
)
ELSEWHERE_EXAMPLES: Final = (
    "https://pypi." + "org/simple",
    "--extra-" + "index-url x",
    "cd /work" + "/main",
    "see shared" + "/design/log.md",
    "/ro" + "ot/.cache",
)

LONGEST: Final = 600  # one idea for each file: a chapter of a book needs so many lines at most

# What a line excuses itself from must be named, and followed by the reason.
EXCUSE: Final = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:\s*no cover|nosec|fmt:\s*(?:off|skip)|ruff:)")
REASONED: Final = re.compile(
    r"#\s*(?:noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|type:\s*ignore\[[\w, -]+\]|pragma:\s*no cover|fmt:\s*\w+)"
    r"(?:\s*[-#:]\s*|\s+)\w+.*\w"
)


def text_of(path: Path) -> str:
    """Return the text of *path*, or nothing where it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def comments(text: str) -> list[tuple[int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]


def test_the_top_level_holds_only_what_a_reader_expects(tracked: tuple[Path, ...]) -> None:
    assert {path.parts[0] for path in tracked} - TOP_LEVEL == set()


def test_no_file_names_a_host_or_a_place_of_one_machine(root: Path, tracked: tuple[Path, ...]) -> None:
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in tracked
        for number, line in enumerate(text_of(root / path).splitlines(), 1)
        if ELSEWHERE.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("line", ELSEWHERE_EXAMPLES)
def test_a_host_or_a_place_would_be_seen(line: str) -> None:
    assert ELSEWHERE.search(line)


def test_no_source_file_is_long(root: Path, tracked: tuple[Path, ...]) -> None:
    long = {
        str(path): lines
        for path in tracked
        if path.parts[0] in {"service", "workers", "clients"}
        and path.suffix in {".py", ".lua", ".js", ".mjs", ".css", ".html"}
        and (lines := text_of(root / path).count("\n")) > LONGEST
    }
    assert long == {}


def test_every_excuse_carries_its_reason(root: Path, tracked: tuple[Path, ...]) -> None:
    bare = [
        f"{path}:{number}: {comment}"
        for path in tracked
        if path.suffix == ".py"
        for number, comment in comments(text_of(root / path))
        if EXCUSE.search(comment) and not REASONED.search(comment)
    ]
    assert bare == []


def test_a_bare_excuse_would_be_seen() -> None:
    bare = ("# noqa", "# noqa: A002", "# type: ignore", "# type: ignore[misc]", "# pragma: no cover")
    reasoned = (
        "# noqa: A002 - the book's word",
        "# noqa: A002  the book's word",
        "# type: ignore[misc]  # rq is untyped here",
    )
    assert [line for line in bare + reasoned if EXCUSE.search(line) and not REASONED.search(line)] == list(
        bare
    )


def test_every_rule_that_ruff_leaves_out_says_why(root: Path) -> None:
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    section = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.pydocstyle]")]
    codes = [line for line in section.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]
    assert codes
    assert [line for line in codes if not re.search(r'",\s*# \w', line)] == []


def test_what_the_code_imports_is_declared(root: Path) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    declared = {re.split(r"[<>=!~\[; ]", line)[0].lower() for line in settings["project"]["dependencies"]}
    graph = grimp.build_graph("service", "workers", include_external_packages=True, cache_dir=None)
    homes = packages_distributions()
    imported = {
        distribution.lower().replace("_", "-")
        for module in graph.modules
        if graph.is_module_squashed(module)
        for distribution in homes.get(module, [])
    }
    ours_or_theirs = {
        "rewound",
        "markupsafe",
        "werkzeug",
        "itsdangerous",
        "jinja2",
    }  # the last four are Flask's own
    assert imported - ours_or_theirs - declared == set()
