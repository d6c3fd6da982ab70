"""Generate clients from the contract of each edition, compile them strictly, and play a fight with each.

python -m tests.generators [TOOL ...]

It prints a table: tool, edition, seconds and those of CPU, bytes and files of the client, errors of the
compiler, commands played.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from rewound_client import Rewound
from tests.cli.fights import served
from tests.support.node_tools import NODE, PINS, ROOT, installed

HERE: Final = Path(__file__).parent
PATIENCE_S: Final = 600
COMMANDS: Final = 20
TYPESCRIPT: Final = "node_modules/typescript/bin/tsc"
STRICT: Final = {
    "strict": True,
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": [],
    "skipLibCheck": True,
    "rewriteRelativeImportExtensions": True,
    "outDir": "made",
}


@dataclass
class Found:
    """What one tool made of one contract."""

    tool: str
    edition: str
    seconds: float = 0
    computed: float = 0
    """Seconds of CPU of the generator."""
    size: int = 0
    files: int = 0
    errors: int = 0
    """Of the compiler, or of the generator if there is no client."""
    played: int = 0
    fault: str = ""

    def __str__(self) -> str:
        """Return the row of the table."""
        size = f"{self.size / 1e6:.1f} MB, {self.files} files"
        played = f"{self.played} of {COMMANDS}"
        row = (
            self.tool,
            self.edition,
            f"{self.seconds:.0f} s, {self.computed:.0f} s CPU",
            size,
            self.errors,
            played,
        )
        return f"| {' | '.join(map(str, row))} |"


def ran(*words: str | Path, cwd: Path) -> str:
    """Run a command and return what it printed; raises `CalledProcessError`."""
    environment = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, words, done.stdout + done.stderr)
    return done.stdout


def python() -> Path:
    """Return a Python that has openapi-python-client and what its clients need, by version and hash."""
    home, pins = ROOT / ".venv" / "generators-python", PINS / "generators.txt"
    wanted, stamp = sha256(pins.read_bytes()).hexdigest(), home / "ready"
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        venv.create(home, with_pip=True, clear=True)
        ran(
            home / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "-r",
            pins,
            cwd=home,
        )
        stamp.write_text(wanted, "utf-8")
    return home / "bin" / "python"


def swagger_typescript_api(home: Path) -> None:
    """Generate with swagger-typescript-api."""
    script = "../../node_modules/swagger-typescript-api/dist/cli.mjs"
    ran(NODE, script, "generate", "--path", "contract.yaml", "-o", "client", "-n", "api.ts", cwd=home)


def orval(home: Path) -> None:
    """Generate with orval."""
    script = "../../node_modules/orval/dist/bin/orval.js"
    ran(
        NODE,
        script,
        "--input",
        "contract.yaml",
        "--output",
        "client/client.ts",
        "--client",
        "fetch",
        cwd=home,
    )


def kubb(home: Path) -> None:
    """Generate with kubb."""
    shutil.copy(HERE / "kubb.config.mjs", home)
    ran(
        NODE, "../../node_modules/@kubb/cli/bin/kubb.cjs", "generate", "--config", "kubb.config.mjs", cwd=home
    )


TOOLS: Final[dict[str, Callable[[Path], None]]] = {
    "swagger-typescript-api": swagger_typescript_api,
    "orval": orval,
    "kubb": kubb,
}


def in_typescript(found: Found, contract: str, where: tuple[str, ...]) -> None:
    """Generate, compile and play with a tool that writes TypeScript."""
    home = installed("generators") / "work" / f"{found.tool}-{found.edition}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "contract.yaml").write_text(contract, "utf-8")
    (home / "package.json").write_text('{"private": true, "type": "module"}')
    begun = time.monotonic(), computed()
    TOOLS[found.tool](home)
    measured(found, home / "client", begun)
    for name in (f"{found.tool}.mts", "loop.mts"):
        shutil.copy(HERE / name, home)
    options = {"compilerOptions": STRICT, "files": [f"{found.tool}.mts"]}
    (home / "tsconfig.json").write_text(json.dumps(options))
    try:
        ran(NODE, f"../../{TYPESCRIPT}", "-p", "tsconfig.json", cwd=home)
    except subprocess.CalledProcessError as fault:
        found.errors = str(fault.output).count(": error TS") or 1
        raise
    found.played = len(json.loads(ran(NODE, f"made/{found.tool}.mjs", *where, str(COMMANDS), cwd=home)))


def in_python(found: Found, contract: str, where: tuple[str, ...]) -> None:
    """Generate with openapi-python-client, import all of it, and play."""
    with TemporaryDirectory() as made:
        home = Path(made)
        (home / "contract.yaml").write_text(contract, "utf-8")
        maker = python()
        begun = time.monotonic(), computed()
        tool = maker.with_name("openapi-python-client")
        told = ran(tool, "generate", "--path", "contract.yaml", "--output-path", "client", cwd=home)
        measured(found, home / "client", begun)
        # It warns of media types that it does not know; what counts is that no operation is left out.
        left = [line for line in told.splitlines() if "will not be generated" in line]
        found.errors = len(left)
        (package,) = (path.name for path in (home / "client").iterdir() if (path / "client.py").exists())
        shutil.copy(HERE / "python_loop.py", home)
        (home / "commands.json").write_text(json.dumps(commands(contract)))
        said = ran(maker, "-W", "error", "python_loop.py", package, *where, str(COMMANDS), cwd=home)
        found.played = len(json.loads(said))


def commands(contract: str) -> dict[str, str]:
    """Return the component of each command, by type."""
    schemas = yaml.load(contract, yaml.CSafeLoader)["components"]["schemas"]
    union = schemas[schemas["Command"]["$ref"].rpartition("/")[2]]
    return {name: at.rpartition("/")[2] for name, at in union["discriminator"]["mapping"].items()}


def computed() -> float:
    """Return the seconds of CPU that the programs have had that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(found: Found, client: Path, begun: tuple[float, float]) -> None:
    """Note how long it took and how much there is."""
    found.seconds, found.computed = time.monotonic() - begun[0], computed() - begun[1]
    files = [path for path in client.rglob("*") if path.suffix in {".ts", ".py"}]
    found.files, found.size = len(files), sum(path.stat().st_size for path in files)


def openings() -> Iterator[dict[str, Any]]:
    """Yield an opening of each edition, nobody's dice declared, and what begins the fight."""
    for name in ("orc-and-hound", "mutual-kill"):
        forms = json.loads((ROOT / "examples" / f"{name}.json").read_text("utf-8"))["forms"]
        opening = next(iter(forms.values()))["opening"]
        yield {
            member: value for member, value in opening.items() if member not in {"seats", "declared_sides"}
        }


def main(wanted: list[str]) -> int:
    """Try each tool on each edition; return how many failed."""
    tried: list[Found] = []
    with TemporaryDirectory() as data, served(Path(data)) as service:
        address, key = service.station.url, service.key
        with Rewound(address, key) as rewound:
            for opening in openings():
                edition = str(opening["edition"])
                contract = rewound.edition_contract(edition)
                for tool in wanted:
                    table = rewound.open(opening)
                    found = Found(tool, edition)
                    make = in_python if tool == "openapi-python-client" else in_typescript
                    try:
                        make(found, contract, (address, key, table.encounter))
                    except subprocess.CalledProcessError as fault:
                        found.fault = str(fault.output)[-2000:]
                    tried.append(found)
                    sys.stdout.write(f"{found}\n")
                    sys.stdout.flush()
                    if found.fault:
                        sys.stderr.write(found.fault)
    return sum(found.played < COMMANDS or found.errors > 0 for found in tried)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [*TOOLS, "openapi-python-client"]))
