"""Build the wheel the image installs, without a network, and see that nothing the code reads stays behind."""

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from configparser import ConfigParser
from pathlib import Path
from zipfile import ZipFile

import pytest

BUILD = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")

TREE = {"service", "workers", "pyproject.toml", "README.md", "LICENSE"}
COMMAND = "from service.cli import main; main(prog_name='rewound')"
CLIENT = Path("clients/python/rewound_client")


def is_client(path: Path) -> bool:
    return path.is_relative_to(CLIENT)


@pytest.fixture(scope="module")
def wheel(root: Path, tracked: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Yield a wheel made from the tracked files alone, as a clean clone would make it."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for path in tracked:
        if path.parts[0] in {"service", "workers", "pyproject.toml", "README.md", "LICENSE"} or is_client(
            path
        ):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, tree / path)
    command = [sys.executable, "-m", "pip", "wheel", *BUILD, "--wheel-dir", str(out), str(tree)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (made,) = out.glob("rewound-*.whl")
    return made


def test_the_wheel_holds_every_file_of_the_packages_and_no_test(
    wheel: Path, tracked: tuple[Path, ...]
) -> None:
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {path.as_posix() for path in tracked if path.parts[0] in {"service", "workers"}}
    client = {path.relative_to(CLIENT.parent).as_posix() for path in tracked if is_client(path)}
    assert client
    assert held == ours | client


def test_the_wheel_installs_one_command(wheel: Path) -> None:
    archive = ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    entry_points = ConfigParser()
    entry_points.read_string(archive.read(name).decode())
    assert dict(entry_points["console_scripts"]) == {"rewound": "service.cli:main"}


def test_the_wheel_alone_plays_and_proves_its_sample_fight(wheel: Path, tmp_path: Path) -> None:
    """Only the packages that it declares are beside it: nothing of the tree is read."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False)
    place = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    (place / "ours.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    command = [sys.executable, "-m", "pip", "install", *BUILD, "--target", str(place), str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    clean = {name: text for name, text in os.environ.items() if not name.startswith(("REWOUND_", "PYTHON"))}

    def run(*words: str) -> str:
        done = subprocess.run(
            [home / "bin" / "python", *words],
            cwd=tmp_path,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = run("-c", "import service, workers, rewound_client as c; print(service, workers, c)")
    assert where.count(str(place)) == 3
    assert "\nvalid  nothing was changed" in run("-c", COMMAND, "demo")


def test_the_sources_that_are_packed_build_the_same_wheel(
    wheel: Path, root: Path, tracked: tuple[Path, ...], tmp_path: Path
) -> None:
    packages = runpy.run_path(str(root / "deploy" / "packages.py"))
    tree, out = tmp_path / "tree", tmp_path / "out"
    for path in tracked:
        if path.parts[0] in TREE or is_client(path):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, tree / path)
    out.mkdir()
    subprocess.run(
        [sys.executable, "-c", packages["SDIST"], str(out)], cwd=tree, check=True, capture_output=True
    )
    (sdist,) = out.glob("rewound-*.tar.gz")
    command = [sys.executable, "-m", "pip", "wheel", *BUILD, "--wheel-dir", str(out), str(sdist)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    (made,) = out.glob("rewound-*.whl")
    with ZipFile(made) as mine, ZipFile(wheel) as theirs:
        assert {each.filename: each.CRC for each in mine.infolist() if "RECORD" not in each.filename} == {
            each.filename: each.CRC for each in theirs.infolist() if "RECORD" not in each.filename
        }


def test_the_archive_of_the_image_has_all_that_its_build_copies(
    root: Path, tracked: tuple[Path, ...], tmp_path: Path
) -> None:
    packages = runpy.run_path(str(root / "deploy" / "packages.py"))
    with tarfile.open(packages["image_context"](tmp_path)) as archive:
        held = {each.name for each in archive}
    copied = [
        source
        for line in (root / "Dockerfile").read_text("utf-8").splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for source in line.split()[1:-1]
    ]
    assert len(copied) > 10
    for source in copied:
        assert source.rstrip("/") in held or any(name.startswith(source) for name in held), source
    ours = {path.as_posix() for path in tracked}
    assert {name for name in held if name not in ours} == set()
