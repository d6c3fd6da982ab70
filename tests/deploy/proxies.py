"""Run the example proxies in front of the service: TLS, streams at once, limits, the client's address."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.cluster.nodes import free_ports, until
from tests.deploy.tools import DEPLOY, tool
from tests.nemesis.fights import opening
from tests.support.certificate_authority import Authority

HOST: Final = "127.0.0.1"
NAME: Final = "localhost"
SOCKETS: Final = 20
"""Connections of one address in the configuration of nginx that is tried, instead of 200."""
TOO_LARGE: Final = 40_000_000
FORGED: Final = "203.0.113.9"


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its ports, and whose certificate it shows."""

    name: str
    plain: int
    tls: int
    context: ssl.SSLContext

    def line(self) -> http.client.HTTPSConnection:
        """Return a new connection."""
        return http.client.HTTPSConnection(NAME, self.tls, context=self.context, timeout=60)

    def ask(self, method: str, path: str, key: str = "", data: object = None, **headers: str) -> Any:
        """Return status and body of one request."""
        line = self.line()
        try:
            body = None if data is None else json.dumps(data)
            line.request(method, path, body, _headers(key) | headers)
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()


def _headers(key: str) -> dict[str, str]:
    named = {"Content-Type": "application/json"}
    return named | ({"Authorization": f"Bearer {key}"} if key else {})


@dataclass(frozen=True)
class Service:
    """A running service behind the proxies."""

    port: int
    key: str
    log: Path


@contextmanager
def service(directory: Path) -> Iterator[Service]:
    """Run the service as the proxies expect it."""
    (port,) = free_ports(1)
    log = directory / "service.log"
    command = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')")
    environment = os.environ | {
        "REWOUND_DATA_DIR": str(directory / "data"),
        "REWOUND_PROXIES": "1",
        "REWOUND_API_WORKERS": "1",
    }
    with log.open("wb") as said:
        process = subprocess.Popen(
            [*command, "serve", "--port", str(port)], env=environment, stdout=said, stderr=said
        )
    try:
        until(lambda: b"Rewound serves" in log.read_bytes(), "the service is ready", 300)
        made = subprocess.run(
            [*command, "keys", "create", "proxied"], env=environment, capture_output=True, check=True
        )
        yield Service(port, made.stdout.decode().strip(), log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@contextmanager
def proxy(name: str, served: Service, directory: Path) -> Iterator[Proxy]:
    """Run nginx or Caddy with the example's configuration, on ports and with a certificate of its own."""
    plain, tls = free_ports(2)
    home = directory / name
    home.mkdir()
    authority = Authority(home)
    certificate = authority.certify(NAME)
    if name == "nginx":
        file = _nginx(home, served.port, (plain, tls), certificate)
        check = [tool("nginx"), "-t", "-p", str(home), "-c", str(file)]
        command = [tool("nginx"), "-p", str(home), "-c", str(file), "-g", "daemon off;"]
    else:
        file = _caddy(home, served.port, (plain, tls), certificate)
        check = [tool("caddy"), "validate", "--config", str(file), "--adapter", "caddyfile"]
        command = [tool("caddy"), "run", "--config", str(file), "--adapter", "caddyfile"]
    environment = os.environ | {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    made = subprocess.run(check, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    with (home / "log").open("wb") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    try:
        until(lambda: _answers(tls), f"{name} listens", 60)
        yield Proxy(name, plain, tls, ssl.create_default_context(cafile=str(authority.file)))
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex((HOST, port)) == 0


def _nginx(home: Path, port: int, ports: tuple[int, int], certificate: Path) -> Path:
    text = (DEPLOY / "proxy" / "nginx.conf").read_text("utf-8")
    for before, after in (
        ("127.0.0.1:8000", f"{HOST}:{port}"),
        ("listen 80;", f"listen {HOST}:{ports[0]};"),
        ("listen 443 ssl;", f"listen {HOST}:{ports[1]} ssl;"),
        ("server_name rewound.example;", f"server_name {NAME};"),
        ("/etc/ssl/rewound/fullchain.pem", str(certificate)),
        ("/etc/ssl/rewound/privkey.pem", str(certificate)),
        ("limit_conn rewound_sockets 200;", f"limit_conn rewound_sockets {SOCKETS};"),
    ):
        assert before in text, f"nginx.conf has changed: {before}"
        text = text.replace(before, after)
    places = " ".join(
        f"{kind}_temp_path {home}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = home / "nginx.conf"
    before = f"pid {home}/pid;\nerror_log {home}/errors;\nevents {{}}\nhttp {{\naccess_log off;\n{places}\n"
    file.write_text(f"{before}{text}}}\n", "utf-8")
    return file


def _caddy(home: Path, port: int, ports: tuple[int, int], certificate: Path) -> Path:
    text = (DEPLOY / "proxy" / "Caddyfile").read_text("utf-8")
    for before, after in (
        ("127.0.0.1:8000", f"{HOST}:{port}"),
        (
            "grace_period 35s",
            f"grace_period 1s\n\tadmin off\n\thttp_port {ports[0]}\n\thttps_port {ports[1]}",
        ),
        ("rewound.example {", f"{NAME} {{\n\ttls {certificate} {certificate}"),
    ):
        assert before in text, f"the Caddyfile has changed: {before}"
        text = text.replace(before, after)
    file = home / "Caddyfile"
    file.write_text(text, "utf-8")
    return file


def try_out(proxied: Proxy, served: Service) -> str:
    """Hold a proxy to what its file promises; return what was tried."""
    status, _ = proxied.ask("GET", "/readyz")
    assert status == 200, status
    assert proxied.ask("GET", "/metrics", served.key)[0] == 404, "metrics are shown to the outside"
    _is_led_to_tls(proxied)
    _is_refused_when_too_large(proxied, served)
    encounter = _plays(proxied, served)
    _streams_at_once(proxied, served, encounter)
    _names_the_client(proxied, served)
    tried = "TLS, redirection, no metrics, size, a fight, a stream event by event, the client's address"
    if proxied.name == "nginx":
        _limits_sockets(proxied, served, encounter)
        tried += ", connections of one address"
    return tried


def _is_led_to_tls(proxied: Proxy) -> None:
    line = http.client.HTTPConnection(NAME, proxied.plain, timeout=60)
    line.request("GET", "/livez")
    answer = line.getresponse()
    line.close()
    assert (answer.status, (answer.getheader("Location") or "")[:8]) == (308, "https://"), answer.status


def _is_refused_when_too_large(proxied: Proxy, served: Service) -> None:
    line = proxied.line()
    line.putrequest("POST", "/v1/bundles")
    for name, text in (_headers(served.key) | {"Content-Length": str(TOO_LARGE)}).items():
        line.putheader(name, text)
    line.endheaders()
    with suppress(OSError):  # it may hang up while the body is being sent
        for _ in range(TOO_LARGE // 1_000_000):
            line.send(b" " * 1_000_000)
    status = line.getresponse().status
    line.close()
    assert status == 413, status


def _plays(proxied: Proxy, served: Service) -> str:
    status, body = proxied.ask("POST", "/v1/encounters", served.key, opening("heartrush@1"), Prefer="wait=20")
    assert status == 201, body
    return str(json.loads(body)["encounter"])


def _roll(proxied: Proxy, served: Service, encounter: str) -> None:
    data = {"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"}
    path = f"/v1/encounters/{encounter}/commands"
    status, body = proxied.ask("POST", path, served.key, data, Prefer="wait=20")
    assert status == 200, body


def _streams_at_once(proxied: Proxy, served: Service, encounter: str) -> None:
    """Each commit comes while the stream is open: a proxy that buffers would keep it back."""
    line = proxied.line()
    path = f"/v1/encounters/{encounter}/commits?after=1"
    line.request("GET", path, headers=_headers(served.key) | {"Accept": "text/event-stream"})
    answer = line.getresponse()
    assert answer.status == 200, answer.read()
    for n in (2, 3):
        _roll(proxied, served, encounter)
        while (text := answer.readline()) != b"event: commit\n":
            assert text, "the stream ended"
        data = json.loads(answer.readline().removeprefix(b"data: "))
        assert data["n"] == n, data["n"]
    line.close()


def _names_the_client(proxied: Proxy, served: Service) -> None:
    path = f"/v1/encounters/{os.urandom(4).hex()}"
    proxied.ask("GET", path, served.key, **{"X-Forwarded-For": FORGED})
    encounter = path.rpartition("/")[2]
    until(lambda: encounter in served.log.read_text("utf-8"), "the request is in the log", 30)
    (found,) = [line for line in served.log.read_text("utf-8").splitlines() if encounter in line]
    assert json.loads(found)["address"] == HOST, "a client names its own address"


def _limits_sockets(proxied: Proxy, served: Service, encounter: str) -> None:
    statuses = []
    with ExitStack() as lines:
        for _ in range(SOCKETS + 5):
            line = proxied.line()
            lines.callback(line.close)
            path = f"/v1/encounters/{encounter}/commits"
            line.request("GET", path, headers=_headers(served.key) | {"Accept": "text/event-stream"})
            statuses.append(line.getresponse().status)
    assert statuses == [200] * SOCKETS + [503] * 5, statuses
    ends = time.monotonic() + 60
    while proxied.ask("GET", "/readyz")[0] != 200:
        assert time.monotonic() < ends, "connections that are closed still count"
        time.sleep(0.1)
