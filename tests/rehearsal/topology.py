"""Run the services of `deploy/compose.yaml` as processes of this machine, and restart those that end.

Each container becomes a process with its command, its environment and its volumes; a volume is a directory.
The stores take their configuration and users from the files that the containers get. What differs: addresses
are ports of 127.0.0.1, there are two API processes as on Kubernetes, the stores have one more user, who may
do everything, and no process is confined.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final, Self

import redis
import yaml

from service.supervisor.server import binary
from tests.cluster.nodes import free_ports, until
from tests.nemesis.http import HOST
from tests.nemesis.tree import SHIFTED
from tests.rehearsal.builds import ROOT, Build

COMPOSE: Final = ROOT / "deploy" / "compose.yaml"
STORES: Final = ("streams", "queue")
APIS: Final = ("api-1", "api-2")
WORKERS: Final = ("worker-1", "worker-2")
ADMIN: Final = "rehearsal"
STOP_S: Final = 60.0
STARTED: Final = b'"worker.started"'
COMMAND: Final = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')")

_VARIABLE: Final = re.compile(r"\$\{(\w+):-([^{}]*)\}")


def interpolated(text: str, variables: Mapping[str, str]) -> str:
    """Return *text* with its variables replaced as Compose does."""
    return _VARIABLE.sub(lambda found: variables.get(found[1]) or found[2], text)


def make_secrets(place: Path, what: str = "make") -> None:
    """Do what an operator does with the secrets, in the directory *place*."""
    environment = os.environ | {"REWOUND_SECRETS": str(place)}
    subprocess.run(["sh", COMPOSE.parent / "secrets.sh", what], env=environment, check=True)


@dataclass
class Part:
    """One container, as a process that is started again when it ends."""

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    log: Path
    directory: Path
    process: subprocess.Popen[bytes] | None = None
    wanted: bool = False
    starts: int = 0
    killed: int = 0
    """How often it had been started when it was killed last."""

    told: int = 0
    """How often a worker had said that it started before this start."""

    def said(self) -> bytes:
        """Return what the process and those before it have printed."""
        return self.log.read_bytes() if self.log.exists() else b""

    def launch(self) -> None:
        """Start the process."""
        self.starts += 1
        self.told = self.said().count(STARTED)
        with self.log.open("ab") as said:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.directory,
                env={**os.environ, **self.environment},
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.process is not None and self.process.poll() is None


@dataclass
class Topology:
    """The services on one directory; use it as a context, which ends all processes."""

    directory: Path
    build: Build
    secrets: Path
    """The directory of the secrets."""
    clock: Path
    """The file that shifts the clock of the second API process."""
    volumes: dict[str, Path] = field(default_factory=dict)
    """Volumes that are somewhere else than in *directory*."""
    parts: dict[str, Part] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    """Settings of API and workers beyond the file's."""
    _lock: Lock = field(default_factory=Lock)
    _over: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        """Find ports, and read the file."""
        names = (*STORES, *APIS)
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        self.directory.mkdir(parents=True, exist_ok=True)

    # --- the file ------------------------------------------------------------------------------------

    @property
    def file(self) -> dict[str, Any]:
        """Return the file, with its variables replaced."""
        found: dict[str, Any] = self._interpolated(yaml.safe_load(COMPOSE.read_text("utf-8")))
        return found

    def _interpolated(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._interpolated(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._interpolated(each) for each in value]
        return (
            interpolated(value, {"REWOUND_SECRETS": str(self.secrets)}) if isinstance(value, str) else value
        )

    def volume(self, name: str) -> Path:
        """Return the directory of a volume."""
        place = self.volumes.get(name) or self.directory / "volumes" / name
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    def environment(self, service: str, build: Build) -> dict[str, str]:
        """Return the environment of a service of the file."""
        composed = self.file["services"][service]
        home = self.directory / "volumes" / f"{service}-home"
        mounts = {"/var/lib/rewound": home}
        for mount in composed["volumes"]:
            name, target, *_ = mount.split(":")
            mounts[target] = self.volume(name)
        mounts |= self._files(service, composed)
        found = {"REWOUND_DATA_DIR": "/var/lib/rewound"}
        found |= {name: str(value) for name, value in composed["environment"].items()}
        for name, value in found.items():
            for target in sorted(mounts, key=len, reverse=True):
                if value.removeprefix("file://").startswith(target):
                    value = value.replace(target, str(mounts[target]))  # noqa: PLW2901 - replaced step by step
                    break
            found[name] = value
        paths = [*build.paths, str(SHIFTED)]
        return {**found, "PYTHONPATH": os.pathsep.join(paths), "NEMESIS_CLOCK": ""}

    def _files(self, service: str, composed: dict[str, Any]) -> dict[str, Path]:
        """Write a service's secrets, with addresses of this machine; return where each is, by its target."""
        own = self.directory / "etc" / service
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = {}
        for each in composed["secrets"]:
            name, target = (each["source"], each["target"]) if isinstance(each, dict) else (each, "")
            text = Path(self.file["secrets"][name]["file"]).read_text("utf-8")
            for store in STORES:
                text = text.replace(f"@{store}:6379", f"@{HOST}:{self.ports[store]}")
            place = found[target or f"/run/secrets/{name}"] = own / name
            place.write_text(text, "utf-8")
        return found

    def _part(self, name: str, build: Build) -> Part:
        service = name.partition("-")[0]
        log = self.directory / f"{name}.log"
        if service in STORES:
            return Part(name, self._store(service), {}, log, self.directory)
        environment = self.environment(service, build) | self.extra
        command = (*COMMAND, *self.file["services"][service]["command"])
        if service == "api":
            environment |= {"REWOUND_HOST": HOST, "REWOUND_PORT": str(self.ports[name])}
            environment["NEMESIS_CLOCK"] = str(self.clock) if name == APIS[1] else ""
        return Part(name, command, environment, log, build.directory)

    def _store(self, name: str) -> list[str | Path]:
        """Return the command line of a store: the container's, with addresses of this machine."""
        service = self.file["services"][name]
        config, flag, users = service["command"][1:]
        assert (service["command"][0], flag) == ("valkey-server", "--aclfile")
        acl = self._files(name, service)[users]
        with acl.open("a", encoding="utf-8") as file:
            file.write(f"user {ADMIN} on nopass ~* &* +@all\n")
        (mounted,) = [mount for mount in service["volumes"] if f":{config}:" in mount]
        text = (COMPOSE.parent / mounted.split(":")[0]).read_text("utf-8")
        copy = acl.with_name(f"{name}.conf")
        copy.write_text(re.sub(r"^dir /data$", f"dir {self.volume(name)}", text, flags=re.MULTILINE), "utf-8")
        return [binary(), copy, "--aclfile", acl, "--port", str(self.ports[name]), "--bind", HOST]

    # --- processes -----------------------------------------------------------------------------------

    def start(self, name: str, build: Build | None = None) -> None:
        """Start a part, of another build if it is given."""
        with self._lock:
            part = self._part(name, build or self.build)
            before = self.parts.get(name)
            part.starts = before.starts if before else 0
            part.wanted = True
            self.parts[name] = part
            part.launch()

    def stop(self, *names: str) -> None:
        """Stop parts at once as Compose does, and wait for their end."""
        with self._lock:
            parts = [self.parts[name] for name in names]
            for part in parts:
                part.wanted = False
        for part in parts:
            assert part.process is not None
            with suppress(ProcessLookupError):
                part.process.send_signal(signal.SIGTERM)
        for part in parts:
            assert part.process is not None
            try:
                part.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(part.process.pid, signal.SIGKILL)
                part.process.wait()

    def restart(self, *names: str, build: Build | None = None) -> None:
        """Stop parts at once and start them, and wait until they are well."""
        self.stop(*names)
        for name in names:
            self.start(name, build)
        for name in names:
            self.until_well(name)

    def roll(self, build: Build | None = None) -> None:
        """Restart a worker and an API while the others serve, then those."""
        for pair in zip(WORKERS, APIS, strict=True):
            self.restart(*pair, build=build)

    def kill(self, name: str) -> None:
        """Kill all processes of a part; it is started again."""
        part = self.parts[name]
        process = part.process
        assert process is not None
        part.killed = part.starts
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def until_back(self, name: str) -> None:
        """Wait until a part that was killed has been started again, and is well."""
        until(lambda: self.parts[name].starts > self.parts[name].killed, f"{name} is started again", 120)
        self.until_well(name)

    def until_well(self, name: str) -> None:
        """Wait until a part answers."""
        if name in STORES:
            until(lambda: self.admin(name).ping(), f"{name} answers")
        elif name in APIS:
            until(lambda: self._answers(self.ports[name]), f"{name} is ready", 300)
        else:
            part = self.parts[name]
            until(lambda: part.said().count(STARTED) > part.told, f"{name} starts", 300)

    @staticmethod
    def _answers(port: int) -> bool:
        import urllib.request  # noqa: PLC0415 - only where a part is asked

        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def ask(self, name: str, *command: str | int) -> Any:
        """Send a store a command as the user who may do everything."""
        execute: Any = self.admin(name).execute_command
        return execute(*command)

    def admin(self, name: str) -> redis.Redis:
        """Return a client of a store that may do everything."""
        return redis.Redis(port=self.ports[name], username=ADMIN, password="any", socket_timeout=10)

    def operate(self, *arguments: str, service: str = "operator", build: Build | None = None) -> str:
        """Run a command as `docker compose run --rm operator` does, and return what it prints."""
        build = build or self.build
        made = subprocess.run(
            [*COMMAND, *arguments],
            cwd=build.directory,
            env={**os.environ, **self.environment(service, build)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert made.returncode == 0, f"rewound {' '.join(arguments)}: {made.stderr}\n{made.stdout}"
        return made.stdout.strip()

    def up(self) -> None:
        """Start everything in the order in which the file's dependencies come."""
        for name in STORES:
            self.start(name)
        for name in STORES:
            self.until_well(name)
        for name in (*WORKERS, *APIS):
            self.start(name)
        for name in (*WORKERS, *APIS):
            self.until_well(name)

    def down(self) -> None:
        """Stop everything, the stores last."""
        for name in (*APIS, *WORKERS, *reversed(STORES)):
            if name in self.parts:
                self.stop(name)

    def crash(self) -> None:
        """Kill every process at once, and start none again."""
        with self._lock:
            for part in self.parts.values():
                part.wanted = False
        for name in self.parts:
            self.kill(name)
        for part in self.parts.values():
            assert part.process is not None
            part.process.wait(30)

    def _keep(self) -> None:
        """Start every part again that ended, as `restart: unless-stopped` does."""
        while not self._over.wait(0.2):
            with self._lock:
                ended = [part for part in self.parts.values() if part.wanted and not part.is_alive]
                for part in ended:
                    part.launch()
            if ended:
                time.sleep(0.5)

    def __enter__(self) -> Self:
        Thread(target=self._keep, name="restarts", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._lock:
            for part in self.parts.values():
                part.wanted = False
        for name, part in self.parts.items():
            if part.is_alive:
                self.kill(name)
