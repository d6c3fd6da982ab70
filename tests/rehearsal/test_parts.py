"""What `make rehearsal` is made of fits this tree: the two builds, and the reading of Compose's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rehearsal.builds import ROOT, changed_build, this_build
from tests.rehearsal.topology import APIS, STORES, NotGivenError, Topology, interpolated, new_variables


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a${A}b${B}", "a1b"),
        ("${A:?needed}", "1"),
        ("${B:-two words}", "two words"),
        ("${A:+>${A}} ${B:+>${B}}", ">1 "),
    ],
)
def test_variables_are_replaced(text: str, found: str) -> None:
    assert interpolated(text, {"A": "1"}) == found


def test_what_has_to_be_set_is_missed() -> None:
    with pytest.raises(NotGivenError, match="B: needed"):
        interpolated("${B:?needed}", {"A": "1"})


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
    variables = new_variables()
    topology = Topology(tmp_path, this_build(tmp_path / "a"), variables, tmp_path / "clock")
    users = topology.file["configs"]["streams-users"]["content"]
    assert f"user api on >{variables['REWOUND_API_PASSWORD']}" in users
    assert users.count(" >") == len(("api", "worker", "backup"))
    variables["REWOUND_API_PASSWORD_BEFORE"] = "before"
    users = topology.file["configs"]["streams-users"]["content"]
    assert f"user api on >{variables['REWOUND_API_PASSWORD']} >before" in users
    assert len({topology.ports[name] for name in (*STORES, *APIS)}) == len((*STORES, *APIS))
