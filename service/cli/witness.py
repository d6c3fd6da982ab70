"""Witness: cosign the checkpoints of public logs, as a service of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # it ships none

from service.audit.notes import BadNote, check_name
from service.audit.witness_policy import BadPolicy, read_policy
from service.cli.terminal import Failure, say
from service.key_files import SettingsError, read_or_create_key
from service.witness.cosigner import Witness
from service.witness.store import WitnessStore
from service.witness.web import application

_THREADS: Final = 8
_TIMEOUT_S: Final = 30


@click.command("witness")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--name", required=True, help="The witness's name: an address of yours without `https://`.")
@click.option(
    "--logs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A policy file; its `log` lines name the logs to watch. By default `logs` in DIRECTORY.",
)
@click.option("--listen", default="127.0.0.1:8010", show_default=True, help="Where it listens, HOST:PORT.")
@click.option("--key-only", is_flag=True, help="Print the verifier key, and end.")
def command(directory: Path, name: str, logs: Path | None, listen: str, *, key_only: bool) -> None:
    """Run a witness, which keeps its key and what it has cosigned in DIRECTORY.

    It cosigns a checkpoint only if that extends the last one that it cosigned of the same log, so nobody who
    demands its cosignature can be shown another history.
    """
    try:
        check_name(name)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = read_or_create_key(directory / "witness.key")
        file = logs or directory / "logs"
        policy = read_policy(_with_quorum(file.read_bytes() if file.exists() else b""))
    except (BadNote, BadPolicy, SettingsError, OSError) as fault:
        raise Failure(str(fault)) from fault
    witness = Witness(name, secret, policy, WitnessStore(directory / "cosigned.db"))
    say(witness.verifier_key)
    if key_only:
        return
    if not policy.logs:
        raise Failure(f"{file} names no log: add a line `log <verifier key>` for each")
    _Server(witness, listen).run()


def _with_quorum(raw: bytes) -> bytes:
    """Return *raw* as a policy: a witness's list of logs needs no quorum line."""
    has_one = any(line.split()[:1] == [b"quorum"] for line in raw.split(b"\n"))
    return raw if has_one else raw + b"quorum none\n"


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn is untyped
    """One process with some threads, which closes idle and slow connections."""

    def __init__(self, witness: Witness, listen: str) -> None:
        self._witness = witness
        self._listen = listen
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults."""
        options = {"bind": self._listen, "workers": 1, "threads": _THREADS, "timeout": _TIMEOUT_S}
        options["control_socket_disable"] = True
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application
        """Return the application."""
        return application(self._witness)
