"""Do the steps of the Dockerfile one by one in a directory, without an engine and an image to begin from.

`/opt`, `/src` and `/wheel` are directories of the scratch. What is not done is what belongs to a container:
the user of its own, its file system, and taking pip out of the image. The Python is this machine's.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from tests.cluster.nodes import free_ports, until
from tests.deploy.tools import ROOT, run

PYTHONS: Final = ("python3.13", str(Path.home() / ".pyenv/versions/3.13.0/bin/python"), sys.executable)


def steps() -> list[tuple[int, str, str]]:
    """Return the instructions of the Dockerfile: stage, word, rest."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    stage, found = 0, []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        word, _, rest = line.strip().partition(" ")
        stage += word == "FROM"
        if word:
            found.append((stage, word, rest.strip()))
    return found


def build(scratch: Path) -> str:
    """Build, start what the image starts, ask what its health check asks; return what was done."""
    python = next(each for each in PYTHONS if _runs(each))
    programs = scratch / "bin"
    programs.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n', "utf-8")
    (programs / "python").chmod(0o755)
    source = scratch / "src"
    source.mkdir()
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment.pop("PYTHONPATH", None)
    done = 0
    for stage, word, rest in steps():
        if stage == 1 and word == "COPY":
            _copy(shlex.split(rest), source)
        elif stage == 1 and word == "RUN":
            command = re.sub(r"(?<![\w.])/(opt|wheel|tmp/doctrees)\b", rf"{scratch}/\1", rest)
            made = subprocess.run(
                ["sh", "-c", command],
                cwd=source,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert made.returncode == 0, f"RUN {rest}: {made.stdout[-2000:]}{made.stderr[-2000:]}"
            done += 1
    version = run([python, "--version"]).strip()
    _serves(scratch)
    return f"{version}: {done} steps were run, the command starts and the health check answers"


def _runs(python: str) -> bool:
    """Return whether there is such a Python; a shim of pyenv is there without one."""
    found = shutil.which(python)
    return (
        found is not None
        and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0
    )


def _copy(words: list[str], source: Path) -> None:
    """Copy what is let into the build."""
    *names, target = words
    rules = [
        line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] not in "#!*"
    ]
    rules += ["**/__pycache__"]

    def ignored(directory: str, entries: list[str]) -> set[str]:
        at = Path(directory).relative_to(ROOT)
        return {
            name
            for name in entries
            if any(fnmatch(str(at / name), rule.rstrip("/").replace("**/", "*")) for rule in rules)
        }

    for name in names:
        origin, place = ROOT / name, source / target
        assert origin.exists(), f"COPY {name}: it is not there"
        if origin.is_dir():
            shutil.copytree(origin, place, ignore=ignored, dirs_exist_ok=True)
        else:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, place)


def _serves(scratch: Path) -> None:
    """Start the command as a container does, and ask its health."""
    last = {word: rest for stage, word, rest in steps() if stage == 2}
    command = [*json.loads(last["ENTRYPOINT"]), *json.loads(last["CMD"])]
    check = json.loads(last["HEALTHCHECK"].partition(" CMD ")[2])
    (port,) = free_ports(1)
    home = scratch / "home"
    home.mkdir(mode=0o700)
    programs = scratch / "opt" / "rewound" / "bin"
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "REWOUND_DATA_DIR": str(home),
        "REWOUND_PORT": str(port),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with (scratch / "said").open("wb") as said:
        process = subprocess.Popen(
            [programs / command[0], *command[1:]], cwd=home, env=environment, stdout=said, stderr=said
        )

    def is_well() -> bool:
        assert process.poll() is None, (scratch / "said").read_text("utf-8")[-2000:]
        asked = [programs / check[0], *(word.replace(":8000/", f":{port}/") for word in check[1:])]
        return subprocess.run(asked, env=environment, capture_output=True, check=False).returncode == 0

    try:
        until(is_well, "the health check answers", 300)
    finally:
        process.terminate()
        process.wait(60)
