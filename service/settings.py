"""The settings, read once at the start; no other module reads the environment.

All settings are validated together, so that the operator sees all faults at once. The defaults run the
service on one machine.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from pathlib import Path
from typing import Final, Self

from environs import Env, EnvValidationError, ValidationError, validate

from service.key_files import (
    Keyring,
    SettingsError,
    read_or_create_key,
    read_or_create_keyring,
)

_ADDRESS = r"(rediss?|unix)://\S+"
_ORIGIN = r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[A-Za-z0-9._~-]+)*"
_PAGE_ORIGIN = r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?"
_KEY = r"[0-9a-f]{64}"
_ARCHIVE = r"file:///\S*|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._~-]+)*/?"
_ARCHIVES = "file:///directory or s3://bucket/prefix"
_LEVELS = ("debug", "info", "warning", "error")
_LARGE = 10**9
IN_FILES = ("STREAMS_URL", "QUEUE_URL", "SECRET_KEY", "ARCHIVE_SECRET_KEY")
"""Variables with a secret in them, whose value may be in a file: `REWOUND_STREAMS_URL_FILE` names it."""

__all__ = ["Settings", "SettingsError"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How this process runs; a field's variable is its name in upper case after `REWOUND_`."""

    streams_url: str | None = None
    """The server of the streams; None: the embedded one, in `store_dir`."""
    queue_url: str | None = None
    """RQ's server; None exactly when *streams_url* is."""
    data_dir: Path = Path(".rewound")
    host: str = "127.0.0.1"
    port: int = 8000
    replicas: int = 0
    """Replicas that must have a change before it is answered; 0: durable mode, not replicated."""
    groups: int = 16
    """Groups of buckets that workers lease; at most as many workers fold at once."""
    workers: int = 1
    """Worker processes that `serve` starts; 0 if they run elsewhere."""
    api_workers: int = 2
    api_sockets: int = 8192
    """Connections that one API process keeps open."""
    api_address_sockets: int = 2048
    """Those of them that may come from one address; 0 means unlimited, and behind proxies it is always so."""
    head_s: int = 10
    """Seconds within which the whole head of a request must arrive."""
    body_s: int = 60
    """Seconds within which the whole body of a request must arrive."""
    rate_limit: int = 60_000
    """Requests a minute with one key or seat token; 0 means unlimited."""
    owner_rate_limit: int = 240_000
    """Requests a minute with all keys of one owner; 0 means unlimited."""
    process_mb: int = 4_096
    """Megabytes that one API process, worker or process of its jobs may write to; 0 means unlimited."""
    store_mb: int = 0
    """Megabytes of memory that the embedded server may use; 0 means half of the machine's."""
    owner_encounters: int = 10_000
    """Encounters that one owner may store; 0 means unlimited."""
    owner_commands: int = 2_000_000
    """Commands that one owner may store in all encounters together; 0 means unlimited."""
    owner_mb: int = 4_096
    """Megabytes that one owner's encounters may have together; 0 means unlimited."""
    guess_limit: int = 60
    refusal_limit: int = 300
    """Invalid tokens a minute from one address; 0 means unlimited."""
    anonymous_limit: int = 600
    """Requests without a token a minute from one address, except livez and readyz; 0 means unlimited."""
    limits_url: str | None = None
    """The server of the counters that all API processes share.

    None: RQ's server counts invalid tokens for all of them, and each process counts everything else for
    itself.
    """
    proxies: int = 0
    """The number of proxies in front of the API that are trusted about the client's address."""
    api_streams: int = 512
    """Streams that one API process keeps open."""
    api_owner_streams: int = 256
    """Those of them that may be one owner's."""
    webhook_networks: tuple[str, ...] = ()
    """Non-public networks that webhooks may lead to, as `127.0.0.1/32`."""
    retention_days: int = 0
    """Days after which closed encounters are archived and removed; 0: never."""
    archive_days: int = 0
    """Days without a command after which an encounter leaves the store for the archive; 0: never."""
    archive_url: str | None = None
    """Where archived encounters are, and bundles of removed ones: a directory (`file:///…`) or a bucket
    (`s3://bucket/prefix`); None: `archive` in *data_dir*."""
    archive_endpoint: str = "https://s3.amazonaws.com"
    """Where the storage of a bucket is reached."""
    archive_region: str = "us-east-1"
    archive_access_key: str = ""
    """Who writes to a bucket; the secret that goes with it is given, or in a file."""
    archive_secret: str = field(default="", repr=False)
    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may use the API in a browser; none: CORS is off."""
    accepted_keys: tuple[bytes, ...] = ()
    """Public keys whose signatures count for imported bundles."""
    fork_days: int = 30
    """Days after which a fork expires."""
    log_level: str = "info"
    origin: str = "rewound.local"
    """The origin of checkpoints: the first line of each."""
    key_file: Path = Path(".rewound/secret.key")
    """The file of the key that encrypts seeds at rest, unless *given_keys* are set."""
    given_keys: Keyring | None = field(default=None, repr=False)
    signing_key_file: Path = Path(".rewound/signing.key")
    """The file of the key that signs checkpoints and certificates: only for workers."""
    given_signing_memory_file: Path | None = None
    """The signing memory's file, if it is not in *data_dir*: only for workers, and to restore a backup."""

    witness_policy_file: Path | None = None
    """The file that names the witnesses of the public log (C2SP tlog-policy): only for workers."""

    @classmethod
    def from_environment(cls) -> Self:
        """Return the settings from the environment; raise `SettingsError` with every fault."""
        for name in [name for name, text in os.environ.items() if name.startswith("REWOUND_") and not text]:
            del os.environ[name]  # an empty variable counts as not set
        env = Env(eager=False)
        faults: list[str] = []
        with env.prefixed("REWOUND_"):
            data_dir = Path(env.str("DATA_DIR", str(cls().data_dir)))
            given = {name: _given(env, name, faults) for name in IN_FILES}
            key = given["SECRET_KEY"]
            key_file = env.str("KEY_FILE", "")
            settings = cls(
                streams_url=given["STREAMS_URL"] or None,
                queue_url=given["QUEUE_URL"] or None,
                data_dir=data_dir,
                host=env.str("HOST", cls().host, validate=_matches(r"\S+", "a name or an address")),
                port=env.int("PORT", cls().port, validate=validate.Range(1, 65_535)),
                replicas=env.int("REPLICAS", cls().replicas, validate=validate.Range(0, 5)),
                groups=env.int("GROUPS", cls().groups, validate=validate.Range(1, 1024)),
                workers=env.int("WORKERS", cls().workers, validate=validate.Range(0, 256)),
                api_workers=env.int("API_WORKERS", cls().api_workers, validate=validate.Range(1, 256)),
                api_sockets=env.int("API_SOCKETS", cls().api_sockets, validate=validate.Range(1, 1_000_000)),
                api_address_sockets=env.int(
                    "API_ADDRESS_SOCKETS", cls().api_address_sockets, validate=validate.Range(0, 1_000_000)
                ),
                head_s=env.int("HEAD_S", cls().head_s, validate=validate.Range(1, 3600)),
                body_s=env.int("BODY_S", cls().body_s, validate=validate.Range(1, 3600)),
                rate_limit=env.int("RATE_LIMIT", cls().rate_limit, validate=validate.Range(0, _LARGE)),
                owner_rate_limit=env.int(
                    "OWNER_RATE_LIMIT", cls().owner_rate_limit, validate=validate.Range(0, _LARGE)
                ),
                process_mb=env.int("PROCESS_MB", cls().process_mb, validate=validate.Range(0, _LARGE)),
                store_mb=env.int("STORE_MB", cls().store_mb, validate=validate.Range(0, _LARGE)),
                owner_encounters=env.int(
                    "OWNER_ENCOUNTERS", cls().owner_encounters, validate=validate.Range(0, _LARGE)
                ),
                owner_commands=env.int(
                    "OWNER_COMMANDS", cls().owner_commands, validate=validate.Range(0, _LARGE)
                ),
                owner_mb=env.int("OWNER_MB", cls().owner_mb, validate=validate.Range(0, _LARGE)),
                guess_limit=env.int("GUESS_LIMIT", cls().guess_limit, validate=validate.Range(0, _LARGE)),
                refusal_limit=env.int(
                    "REFUSAL_LIMIT", cls().refusal_limit, validate=validate.Range(0, _LARGE)
                ),
                anonymous_limit=env.int(
                    "ANONYMOUS_LIMIT", cls().anonymous_limit, validate=validate.Range(0, _LARGE)
                ),
                limits_url=env.str("LIMITS_URL", "", validate=_address()) or None,
                proxies=env.int("PROXIES", cls().proxies, validate=validate.Range(0, 9)),
                api_streams=env.int("API_STREAMS", cls().api_streams, validate=validate.Range(0, 4096)),
                api_owner_streams=env.int(
                    "API_OWNER_STREAMS", cls().api_owner_streams, validate=validate.Range(0, 4096)
                ),
                webhook_networks=tuple(env.list("WEBHOOK_NETWORKS", [], validate=_networks) or ()),
                retention_days=env.int(
                    "RETENTION_DAYS", cls().retention_days, validate=validate.Range(0, 36_500)
                ),
                archive_days=env.int("ARCHIVE_DAYS", cls().archive_days, validate=validate.Range(0, 36_500)),
                archive_url=env.str("ARCHIVE_URL", "", validate=_matches(_ARCHIVE, _ARCHIVES)) or None,
                archive_endpoint=env.str(
                    "ARCHIVE_ENDPOINT",
                    "",
                    validate=_matches(_PAGE_ORIGIN, "https://host or http://host:port"),
                )
                or cls().archive_endpoint,
                archive_region=env.str(
                    "ARCHIVE_REGION", "", validate=_matches(r"[a-z0-9-]+", "a region's name")
                )
                or cls().archive_region,
                archive_access_key=env.str("ARCHIVE_ACCESS_KEY", ""),
                archive_secret=given["ARCHIVE_SECRET_KEY"],
                cors_origins=tuple(env.list("CORS_ORIGINS", [], validate=_origins) or ()),
                accepted_keys=tuple(map(bytes.fromhex, env.list("ACCEPTED_KEYS", [], validate=_keys) or ())),
                fork_days=env.int("FORK_DAYS", cls().fork_days, validate=validate.Range(1, 3650)),
                log_level=env.str("LOG_LEVEL", cls().log_level, validate=validate.OneOf(_LEVELS)),
                origin=env.str(
                    "ORIGIN", cls().origin, validate=_matches(_ORIGIN, "a host name, then a path if any")
                ),
                key_file=Path(key_file) if key_file else data_dir / "secret.key",
                signing_key_file=Path(env.str("SIGNING_KEY_FILE", "") or data_dir / "signing.key"),
                witness_policy_file=_path(env.str("WITNESS_POLICY_FILE", "")),
                given_signing_memory_file=_path(env.str("SIGNING_MEMORY_FILE", "")),
            )
        try:
            env.seal()
        except EnvValidationError as error:
            texts_by_name = error.error_messages
            assert isinstance(texts_by_name, dict), "it names the variables when several were read"
            faults += [f"{name}: {' '.join(texts)}" for name, texts in texts_by_name.items()]
        if (settings.streams_url is None) != (settings.queue_url is None):
            faults.append(
                "REWOUND_STREAMS_URL, REWOUND_QUEUE_URL: set both, or neither for the embedded server"
            )
        if settings.replicas and settings.streams_url is None:
            faults.append("REWOUND_REPLICAS: the embedded server has no replica: set the servers' addresses")
        if not settings.workers and settings.streams_url is None:
            faults.append(
                "REWOUND_WORKERS: 0 leaves the work to workers elsewhere: set the servers' addresses"
            )
        if key and key_file:
            faults.append("REWOUND_SECRET_KEY, REWOUND_KEY_FILE: set one of them")
        faults += settings._archive_faults()
        if "REWOUND_WITNESS_FILE" in os.environ:
            faults.append("REWOUND_WITNESS_FILE: it is called REWOUND_SIGNING_MEMORY_FILE now")
        if faults:
            raise SettingsError(faults)
        return replace(settings, given_keys=Keyring.read(key)) if key else settings

    def _archive_faults(self) -> list[str]:
        """Return what a bucket needs and does not have."""
        if self.archive_url is None or not self.archive_url.startswith("s3:"):
            return []
        faults = []
        if not self.archive_access_key:
            faults.append("REWOUND_ARCHIVE_ACCESS_KEY: a bucket needs one")
        if not self.archive_secret:
            faults.append(
                "REWOUND_ARCHIVE_SECRET_KEY, REWOUND_ARCHIVE_SECRET_KEY_FILE: a bucket needs one of them"
            )
        return faults

    @property
    def is_embedded(self) -> bool:
        """Whether the service runs its own server."""
        return self.streams_url is None

    @property
    def store_dir(self) -> Path:
        """The embedded server's directory."""
        return self.data_dir / "valkey"

    def secret_keys(self) -> Keyring:
        """Return the keys that encrypt seeds at rest; create the key file on the first start."""
        return self.given_keys or read_or_create_keyring(self.key_file)

    def signing_key(self) -> bytes:
        """Return the 32 bytes that sign; create the key file on the first start."""
        return read_or_create_key(self.signing_key_file)

    @property
    def signing_memory_file(self) -> Path:
        """The file in which this machine records what was signed, apart from the store."""
        return self.given_signing_memory_file or self.data_dir / "signing-memory.db"

    def with_servers(self, streams_url: str, queue_url: str) -> Self:
        """Return the settings with the addresses of running servers."""
        return replace(self, streams_url=streams_url, queue_url=queue_url)

    def environment(self) -> dict[str, str]:
        """Return the environment for a child process; the key stays in its file or is passed on."""
        spelled = {
            "STREAMS_URL": self.streams_url or "",
            "QUEUE_URL": self.queue_url or "",
            "DATA_DIR": str(self.data_dir),
            "HOST": self.host,
            "PORT": str(self.port),
            "REPLICAS": str(self.replicas),
            "GROUPS": str(self.groups),
            "WORKERS": str(self.workers),
            "API_WORKERS": str(self.api_workers),
            "API_SOCKETS": str(self.api_sockets),
            "API_ADDRESS_SOCKETS": str(self.api_address_sockets),
            "HEAD_S": str(self.head_s),
            "BODY_S": str(self.body_s),
            "RATE_LIMIT": str(self.rate_limit),
            "OWNER_RATE_LIMIT": str(self.owner_rate_limit),
            "PROCESS_MB": str(self.process_mb),
            "STORE_MB": str(self.store_mb),
            "OWNER_ENCOUNTERS": str(self.owner_encounters),
            "OWNER_COMMANDS": str(self.owner_commands),
            "OWNER_MB": str(self.owner_mb),
            "GUESS_LIMIT": str(self.guess_limit),
            "REFUSAL_LIMIT": str(self.refusal_limit),
            "ANONYMOUS_LIMIT": str(self.anonymous_limit),
            "LIMITS_URL": self.limits_url or "",
            "PROXIES": str(self.proxies),
            "API_STREAMS": str(self.api_streams),
            "API_OWNER_STREAMS": str(self.api_owner_streams),
            "WEBHOOK_NETWORKS": ",".join(self.webhook_networks),
            "RETENTION_DAYS": str(self.retention_days),
            "ARCHIVE_DAYS": str(self.archive_days),
            "ARCHIVE_URL": self.archive_url or "",
            "ARCHIVE_ENDPOINT": self.archive_endpoint,
            "ARCHIVE_REGION": self.archive_region,
            "ARCHIVE_ACCESS_KEY": self.archive_access_key,
            "ARCHIVE_SECRET_KEY": self.archive_secret,
            "CORS_ORIGINS": ",".join(self.cors_origins),
            "ACCEPTED_KEYS": ",".join(key.hex() for key in self.accepted_keys),
            "FORK_DAYS": str(self.fork_days),
            "LOG_LEVEL": self.log_level,
            "ORIGIN": self.origin,
            "KEY_FILE": "" if self.given_keys else str(self.key_file),
            "SECRET_KEY": self.given_keys.text(",") if self.given_keys else "",
            "SIGNING_KEY_FILE": str(self.signing_key_file),
            "WITNESS_POLICY_FILE": str(self.witness_policy_file or ""),
            "SIGNING_MEMORY_FILE": str(self.given_signing_memory_file or ""),
        }
        spelled |= {f"{name}_FILE": "" for name in IN_FILES}  # the values are passed on
        return os.environ | {f"REWOUND_{name}": value for name, value in spelled.items()}


def _given(env: Env, name: str, faults: list[str]) -> str:
    """Return the value of a variable, or what is in the file that the variable with `_FILE` names."""
    check = _CHECKS.get(name, _address())
    value: str = env.str(name, "", validate=check)
    file: str = env.str(f"{name}_FILE", "")
    if not file:
        return value
    if value:
        faults.append(f"REWOUND_{name}, REWOUND_{name}_FILE: set one of them")
        return value
    try:
        value = Path(file).read_text("utf-8").strip()
        check(value)
    except (OSError, UnicodeDecodeError) as fault:
        faults.append(f"REWOUND_{name}_FILE: {fault}")
    except ValidationError as fault:
        faults.append(f"REWOUND_{name}_FILE: what is in it {fault}")
    else:
        return value
    return ""


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _matches(pattern: str, what: str) -> validate.Regexp:
    """Return a validator that accepts a whole match or an empty value, which counts as unset."""
    return validate.Regexp(rf"({pattern})?\Z", error=f"must be {what}")


def _anything(_: str) -> None:
    """Accept a secret of a bucket, which is any text."""


def _secret_keys(text: str) -> None:
    """Raise `ValidationError` unless *text* is empty or what `Keyring.read` takes."""
    try:
        Keyring.read(text or "0" * 64)
    except ValueError as fault:
        raise ValidationError(f"must be 64 hexadecimal digits (32 random bytes): {fault}") from fault


_CHECKS: Final[Mapping[str, Callable[[str], object]]] = {
    "SECRET_KEY": _secret_keys,
    "ARCHIVE_SECRET_KEY": _anything,
}


def _keys(texts: list[str]) -> None:
    """Raise `ValidationError` unless each text is a public key: 64 hexadecimal digits."""
    for text in texts:
        if not re.fullmatch(_KEY, text):
            raise ValidationError("must be public keys, 64 hexadecimal digits each")


def _networks(texts: list[str]) -> None:
    """Raise `ValidationError` unless each text is a network without host bits."""
    for text in texts:
        try:
            ip_network(text)
        except ValueError as fault:
            raise ValidationError(f"must be networks, as 127.0.0.1/32,fd00::/8: {fault}") from fault


def _origins(texts: list[str]) -> None:
    """Raise `ValidationError` unless each text is an origin as browsers write it; `*` is not one."""
    for text in texts:
        if not re.fullmatch(_PAGE_ORIGIN, text):
            raise ValidationError("must be origins, as https://table.example,http://localhost:3000")


def _address() -> validate.Regexp:
    return _matches(_ADDRESS, "an address: redis://host:port/db, rediss://... or unix:///path?db=0")
