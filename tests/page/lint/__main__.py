"""Check the modules of the page with tsc, against the types of the contract, and with eslint.

Both come from npm, pinned by version and hash in `deploy/requirements/page`. The modules are copied to
where their imports lead in a browser: `../client/` is the JavaScript client, typed by the contract.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.support.node_tools import NODE, ROOT, installed

HERE: Final = Path(__file__).parent
PAGES: Final = ROOT / "service" / "api" / "pages"
CLIENT: Final = ROOT / "clients" / "javascript"
FOLDERS: Final = ("fight", "home", "new", "shared", "embed", "verifier")
CHECKED: Final = ("fight", "home", "new", "shared", "embed")
COMPILER: Final = {
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "noEmit": True,
    "target": "es2024",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    "types": [],
    "paths": {"/docs/verifier/*": ["./tree/verifier/*"]},
}
PATIENCE_S: Final = 300
WIDTH: Final = 110
"""Characters of a line of a style sheet."""
FEW: Final = 3
"""Declarations of a rule that may stand on one line; of a longer rule each has a line of its own."""
COMMENT: Final = re.compile(r"/\*.*?\*/")
FAULT: Final = re.compile(r"^tree/(?P<module>[^(]+)\((?P<line>\d+),\d+\): error (?P<text>.*)$")


def main() -> int:
    """Print what is wrong with the modules; return 1 if anything is."""
    home = installed("page")
    tree = laid_out(home / "tree")
    wrong = [*types(home), *style(home, tree), *sheets()]
    sys.stdout.writelines(f"{each}\n" for each in wrong)
    return 1 if wrong else 0


def laid_out(tree: Path) -> Path:
    """Copy the modules into *tree*, as a browser sees them."""
    shutil.rmtree(tree, ignore_errors=True)
    for name in FOLDERS:
        shutil.copytree(PAGES / name, tree / name)
    shutil.copytree(CLIENT, tree / "client", ignore=shutil.ignore_patterns("verifier", "examples"))
    for types_of in (HERE / "types").iterdir():
        shutil.copy(types_of, tree / "client" / types_of.name)
    return tree


def types(home: Path) -> list[str]:
    """Return what tsc finds in the modules that are checked strictly."""
    include = [f"tree/{folder}/*" for folder in CHECKED]
    text = json.dumps({"compilerOptions": COMPILER, "include": include})
    (home / "tsconfig.json").write_text(text, "utf-8")
    lines = ran(home, "node_modules/typescript/bin/tsc", "-p", "tsconfig.json")
    matched = [found for line in lines if (found := FAULT.match(line))]
    if lines and not matched:
        return lines
    faults = [found for found in matched if found["module"].split("/")[0] in CHECKED]
    return [f"service/api/pages/{found['module']}:{found['line']}: {found['text']}" for found in faults]


def style(home: Path, tree: Path) -> list[str]:
    """Return what eslint finds."""
    shutil.copy(HERE / "eslint.config.mjs", home / "eslint.config.mjs")
    lines = ran(home, "node_modules/eslint/bin/eslint.js", "--format", "json", "tree")
    if not lines[0].startswith("["):
        return lines
    return [
        f"{_source(Path(each['filePath']).relative_to(tree.resolve()))}:{fault.get('line', 1)}:"
        f" {fault['message']} ({fault['ruleId']})"
        for each in json.loads(lines[0])
        for fault in each["messages"]
    ]


def sheets() -> list[str]:
    """Return the lines of style sheets that are packed: two rules, many declarations, or too long."""
    return [
        f"{sheet.relative_to(ROOT)}:{number}: one rule a line, or if it has more than {FEW}, one declaration"
        for sheet in sorted(PAGES.rglob("*.css"))
        for number, line in enumerate(sheet.read_text("utf-8").splitlines(), 1)
        if packed(line)
    ]


def packed(line: str) -> bool:
    """Return whether a line of a style sheet says more than one can read at a glance."""
    said = COMMENT.sub("", line)
    most = FEW if "{" in said else 1
    return len(line) > WIDTH or said.count("{") > 1 or said.count(";") > most


def _source(module: Path) -> Path:
    if module.parts[0] == "client":
        return (CLIENT / Path(*module.parts[1:])).relative_to(ROOT)
    return (PAGES / module).relative_to(ROOT)


def ran(home: Path, script: str, *words: str) -> list[str]:
    """Run a script of the packages and return the lines that it printed."""
    done = subprocess.run(
        [NODE, script, *words], cwd=home, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0 or done.stdout, f"{script}: {done.stderr}"
    return [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]


if __name__ == "__main__":
    sys.exit(main())
