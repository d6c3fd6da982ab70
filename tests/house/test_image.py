"""Read the Dockerfile and the Compose file as a builder would; that takes no engine."""

import json
import os
import re
import shlex
import stat
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from service.settings import IN_FILES


class Step(NamedTuple):
    """One instruction of the Dockerfile, with the number of the stage it belongs to."""

    stage: int
    word: str
    rest: str


@pytest.fixture(scope="module")
def steps(root: Path) -> tuple[Step, ...]:
    text = re.sub(r"^#.*\n", "", (root / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = [line.strip() for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip()]
    stage, found = 0, []
    for line in lines:
        word, _, rest = line.partition(" ")
        stage += word == "FROM"
        found.append(Step(stage, word, rest.strip()))
    return tuple(found)


@pytest.fixture(scope="module")
def compose(root: Path) -> dict[str, Any]:
    loaded = yaml.safe_load((root / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def rests(steps: tuple[Step, ...], word: str, stage: int | None = None) -> list[str]:
    return [step.rest for step in steps if step.word == word and stage in (None, step.stage)]


def test_the_image_has_a_building_stage_and_a_running_one(steps: tuple[Step, ...]) -> None:
    builder, final = rests(steps, "FROM")
    assert builder == f"{final} AS builder"


def test_the_running_stage_installs_nothing(steps: tuple[Step, ...]) -> None:
    assert not [rest for rest in rests(steps, "RUN", 2) if re.search(r"\b(?:pip|apt-get|apt) install", rest)]
    assert rests(steps, "COPY", 2) == ["--from=builder /opt/rewound /opt/rewound"]


def test_every_image_from_outside_can_be_pinned_by_digest(
    steps: tuple[Step, ...], compose: dict[str, Any]
) -> None:
    tag = "python:3.13-slim-bookworm"
    assert rests(steps, "ARG", 0) == [f"PYTHON_IMAGE={tag}"]
    assert {rest.split()[0] for rest in rests(steps, "FROM")} == {"${PYTHON_IMAGE}"}
    ours, stores = compose["x-rewound"], compose["x-valkey"]
    assert ours["build"]["args"] == {"PYTHON_IMAGE": f"${{REWOUND_PYTHON_IMAGE:-{tag}}}"}
    assert re.fullmatch(r"\${REWOUND_VALKEY_IMAGE:-valkey/valkey:[\w.-]+}", stores["image"])
    assert {service["image"] for service in compose["services"].values()} == {stores["image"], ours["image"]}


def test_the_image_runs_as_a_user_without_rights(steps: tuple[Step, ...]) -> None:
    (user,) = rests(steps, "USER", 2)
    assert user.split(":")[0] not in {"root", "0"}
    last_privileged = max(place for place, step in enumerate(steps) if step.word == "RUN")
    assert [step.word for step in steps].index("USER") > last_privileged


def test_what_comes_from_outside_is_installed_by_hash(steps: tuple[Step, ...]) -> None:
    installs = [
        part
        for rest in rests(steps, "RUN")
        for part in rest.split("&&")
        if " install " in part and "pip" in part
    ]
    assert installs
    for install in installs:
        assert "--require-hashes" in install or "--no-index" in install, install
    wheels = [part for rest in rests(steps, "RUN") for part in rest.split("&&") if "pip wheel" in part]
    assert all("--no-deps --no-build-isolation" in wheel for wheel in wheels)


def test_what_is_copied_exists_and_is_let_into_the_build(root: Path, steps: tuple[Step, ...]) -> None:
    ignore = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = [line[1:].rstrip("/") for line in ignore if line.startswith("!")]
    assert "*" in ignore
    for rest in rests(steps, "COPY", 1):
        *sources, _ = shlex.split(rest)
        for source in sources:
            assert (root / source).exists(), source
            assert any(fnmatch(source.rstrip("/"), f"{name}*") for name in let_in), source
    for name in let_in:
        assert (root / name).exists(), name


def test_the_image_is_one_program_that_tells_its_health(steps: tuple[Step, ...]) -> None:
    assert [json.loads(rest) for rest in rests(steps, "ENTRYPOINT")] == [["rewound"]]
    assert [json.loads(rest) for rest in rests(steps, "CMD")] == [["serve"]]
    (health,) = rests(steps, "HEALTHCHECK")
    program = json.loads(health.partition(" CMD ")[2])
    compile(program[2], "healthcheck", "exec")
    assert program[:2] == ["python", "-c"]
    assert "/livez" in program[2]


def test_the_api_and_the_workers_are_one_image(compose: dict[str, Any]) -> None:
    ours = [compose["services"][name] for name in ("api", "worker")]
    assert {service["image"] for service in ours} == {"rewound:latest"}
    assert [service["command"] for service in ours] == [["serve"], ["worker"]]


def test_every_container_is_watched_and_can_write_little(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["cap_drop"] == ["ALL"], name
        assert "PASSWORD" not in str(service.get("command")), f"{name}: a command line is read by everybody"
        assert service["mem_limit"], name
        assert service["pids_limit"], name
        assert "healthcheck" in service or name == "api", name  # the api's stands in the image


def test_no_secret_is_in_the_file_or_in_an_environment(root: Path, compose: dict[str, Any]) -> None:
    """Compose mounts files of a directory of its own, and starts nothing as long as one is missing."""
    script = (root / "deploy" / "secrets.sh").read_text(encoding="utf-8")
    for name, secret in compose["secrets"].items():
        assert secret == {"file": f"${{REWOUND_SECRETS:-./secrets}}/{name}"}
    used = set()
    for service in compose["services"].values():
        mounted = {
            each["target"] if isinstance(each, dict) else f"/run/secrets/{each}": each
            for each in service["secrets"]
        }
        used |= {each["source"] if isinstance(each, dict) else each for each in mounted.values()}
        named = [value for name, value in service.get("environment", {}).items() if name.endswith("_FILE")]
        assert {value for value in named if value.startswith("/run/secrets/")} <= set(mounted)
        assert not {"REWOUND_SECRET_KEY", "REWOUND_STREAMS_URL", "REWOUND_QUEUE_URL"} & set(
            service.get("environment", {})
        )
    assert used == set(compose["secrets"])
    assert "configs" not in compose, "Compose cannot write a file into a container that is read-only"
    assert all(name in script for name in ("secret-key", "-users", "-streams-url", "queue-url"))
    assert "deploy/secrets" in (root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "/deploy/secrets/" in (root / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_nobody_else_enters_the_directory_of_the_secrets(root: Path, tmp_path: Path) -> None:
    """The files in it are readable, so a directory that was there before is closed too."""
    place = tmp_path / "secrets"
    place.mkdir()
    place.chmod(0o755)
    environment = {**os.environ, "REWOUND_SECRETS": str(place)}
    subprocess.run(["sh", root / "deploy" / "secrets.sh"], env=environment, check=True)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert len((place / "secret-key").read_text("ascii").strip()) == 64


@pytest.mark.parametrize("store", ["streams", "queue"])
def test_every_user_but_the_one_who_may_nothing_has_a_password(root: Path, store: str) -> None:
    text = (root / "deploy" / f"{store}-users.acl").read_text(encoding="utf-8")
    users = [line.split() for line in text.splitlines() if line.startswith("user ")]
    may_nothing = {user[1]: user for user in users if "nopass" in user}
    assert list(may_nothing) == ["default"]
    assert may_nothing["default"][-2:] == ["-@all", "+ping"]
    assert all(re.fullmatch(r"@\w+@", user[3]) for user in users if "nopass" not in user)


def test_the_stores_are_out_of_reach(compose: dict[str, Any]) -> None:
    for name in ("streams", "queue"):
        assert compose["services"][name]["networks"] == ["stores"]
        assert "ports" not in compose["services"][name]
    assert compose["networks"]["stores"] == {"internal": True}


def test_every_named_volume_and_mounted_file_exists(root: Path, compose: dict[str, Any]) -> None:
    mounts = [mount for service in compose["services"].values() for mount in service.get("volumes", ())]
    sources = {mount.split(":")[0] for mount in mounts}
    assert {source for source in sources if not source.startswith(".")} == set(compose["volumes"])
    assert all((root / "deploy" / source).is_file() for source in sources if source.startswith("."))


def test_the_log_is_kept_and_the_queue_is_not(root: Path) -> None:
    lines = (root / "deploy" / "valkey-streams.conf").read_text(encoding="utf-8").splitlines()
    for promise in ("appendonly yes", "appendfsync always", "maxmemory-policy noeviction", 'save ""'):
        assert promise in lines
    assert "appendonly no" in (root / "deploy" / "valkey-queue.conf").read_text(encoding="utf-8").splitlines()


def test_every_setting_that_is_given_is_one_the_service_reads(
    root: Path, steps: tuple[Step, ...], compose: dict[str, Any]
) -> None:
    composed = {key for service in compose["services"].values() for key in service.get("environment", {})}
    baked = {name for rest in rests(steps, "ENV") for name in re.findall(r"\b(REWOUND_[A-Z_]+)=", rest)}
    assert composed
    assert baked
    settings = (root / "service" / "settings.py").read_text(encoding="utf-8")
    read = {f"REWOUND_{name.removeprefix('REWOUND_')}" for name in re.findall(r'"([A-Z][A-Z_]+)"', settings)}
    read |= {f"REWOUND_{name}_FILE" for name in IN_FILES}
    assert composed | baked <= read
