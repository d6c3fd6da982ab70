"""Build the wheel the image installs, without a network, and see that nothing the code reads stays behind."""

import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from zipfile import ZipFile

import pytest

BUILD = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")

TREE = {"service", "workers", "pyproject.toml", "README.md", "LICENSE"}
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
