"""What `make rehearsal` is made of fits this tree: the two builds, and the reading of Compose's file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.rehearsal.builds import ROOT, changed_build, this_build
from tests.rehearsal.topology import APIS, STORES, Topology, interpolated, make_secrets


def test_variables_are_replaced() -> None:
    assert interpolated("a${A:-x}b${B:-./y}", {"A": "1"}) == "a1b./y"


def test_the_changed_build_differs_where_an_upgrade_may(tmp_path: Path) -> None:
    one, two = this_build(tmp_path / "a"), changed_build(tmp_path / "b")
    changed = {
        str(file.relative_to(two.directory))
        for file in two.directory.rglob("*")
        if file.is_file()
        and not (
            (there := one.directory / file.relative_to(two.directory)).is_file()
            and there.read_bytes() == file.read_bytes()
        )
    }
    assert changed == {
        "service/log/valkey/library.py",
        "service/log/valkey/functions/rewound.lua",
        "service/core/snapshot.py",
        "service/rules/heartrush/__init__.py",
        "service/api/resources/owners.py",
        "rewound_duel.py",
        "rewound_duel-1.0.0.dist-info/METADATA",
        "rewound_duel-1.0.0.dist-info/entry_points.txt",
    }
    assert (one.directory / "service" / "asgi.py").read_bytes() == (ROOT / "service" / "asgi.py").read_bytes()


def test_two_passwords_are_valid_while_one_is_changed(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    make_secrets(secrets)
    topology = Topology(tmp_path, this_build(tmp_path / "a"), secrets, tmp_path / "clock")
    assert len({topology.ports[name] for name in (*STORES, *APIS)}) == len((*STORES, *APIS))

    def valid(user: str) -> list[str]:
        (line,) = re.findall(
            rf"^user {user} on (.*?) resetkeys", (secrets / "streams-users").read_text(), re.MULTILINE
        )
        return [word.removeprefix(">") for word in line.split()]

    key, (first,) = (secrets / "secret-key").read_text(), valid("api")
    make_secrets(secrets)
    assert valid("api") == [first], "what is there stays"
    make_secrets(secrets, "change")
    second, before = valid("api")
    assert (before, len({first, second})) == (first, 2)
    assert f"redis://api:{second}@" in (secrets / "api-streams-url").read_text()
    with pytest.raises(subprocess.CalledProcessError):  # the old password would end while it is in use
        make_secrets(secrets, "change")
    make_secrets(secrets, "finish")
    assert valid("api") == [second]
    assert (secrets / "secret-key").read_text() == key
    assert secrets.stat().st_mode & 0o077 == 0
