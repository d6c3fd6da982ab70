"""The environment is read whole: every fault is named at once, and the defaults run one machine."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.key_files import Keyring, read_or_create_key
from service.settings import Settings, SettingsError

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("REWOUND_"):
            monkeypatch.delenv(name)


def test_nothing_set_is_one_machine_with_its_own_server() -> None:
    settings = Settings.from_environment()

    assert settings == Settings()
    assert settings.is_embedded
    assert settings.store_dir == Path(".rewound/valkey")


def test_a_secret_may_be_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = {
        "STREAMS_URL": "redis://api:word@streams:6379/0",
        "QUEUE_URL": "redis://rewound:word@queue:6379/0",
        "SECRET_KEY": "ab" * 32,
    }
    for name, value in given.items():
        (tmp_path / name).write_text(f"{value}\n", "utf-8")
        monkeypatch.setenv(f"REWOUND_{name}_FILE", str(tmp_path / name))
    settings = Settings.from_environment()
    assert (settings.streams_url, settings.queue_url) == (given["STREAMS_URL"], given["QUEUE_URL"])
    assert settings.secret_keys() == Keyring.of(bytes.fromhex("ab" * 32))

    for name, value in settings.environment().items():  # a child gets the values
        monkeypatch.setenv(name, value)
    assert Settings.from_environment() == settings


def test_a_file_is_held_to_what_its_variable_is_held_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "url").write_text("localhost:6379", "utf-8")
    monkeypatch.setenv("REWOUND_STREAMS_URL_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("REWOUND_QUEUE_URL_FILE", str(tmp_path / "missing"))
    monkeypatch.setenv("REWOUND_SECRET_KEY_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("REWOUND_SECRET_KEY", "ab" * 32)
    with pytest.raises(SettingsError) as faults:
        Settings.from_environment()
    complaints = "\n".join(faults.value.faults)
    assert "REWOUND_STREAMS_URL_FILE: what is in it must be an address" in complaints
    assert "REWOUND_QUEUE_URL_FILE: " in complaints
    assert "REWOUND_SECRET_KEY, REWOUND_SECRET_KEY_FILE: set one of them" in complaints


def test_every_fault_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = {
        "STREAMS_URL": "localhost:6379",
        "PORT": "70000",
        "GROUPS": "0",
        "WORKERS": "many",
        "API_WORKERS": "-1",
        "API_SOCKETS": "1.5",
        "RATE_LIMIT": "-1",
        "PROXIES": "ten",
        "LIMITS_URL": "memory",
        "API_STREAMS": "-1",
        "WEBHOOK_NETWORKS": "127.0.0.1/8",
        "RETENTION_DAYS": "-1",
        "CORS_ORIGINS": "https://table.example,*",
        "ARCHIVE_URL": "s3:bucket",
        "ARCHIVE_ENDPOINT": "storage.example",
        "ARCHIVE_REGION": "the north",
        "LOG_LEVEL": "loud",
        "ORIGIN": "two words",
        "SECRET_KEY": "short",
    }
    for name, value in faulty.items():
        monkeypatch.setenv(f"REWOUND_{name}", value)

    with pytest.raises(SettingsError) as refused:
        Settings.from_environment()

    text = str(refused.value)
    assert [name for name in faulty if f"REWOUND_{name}" not in text] == []
    assert "short" not in text


def test_a_fault_is_named_by_its_variable_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWOUND_PORT", "http")

    with pytest.raises(SettingsError) as refused:
        Settings.from_environment()

    (fault,) = refused.value.faults
    assert fault.startswith("REWOUND_PORT: ")


@pytest.mark.parametrize("alone", ["REWOUND_STREAMS_URL", "REWOUND_QUEUE_URL"])
def test_the_servers_are_both_others_or_both_ours(monkeypatch: pytest.MonkeyPatch, alone: str) -> None:
    monkeypatch.setenv(alone, "redis://store:6379/0")

    with pytest.raises(SettingsError, match="set both, or neither"):
        Settings.from_environment()


@pytest.mark.parametrize(
    ("url", "path"),
    [("file:///srv/cold", "/srv/cold"), ("s3://bucket", ""), ("s3://bucket-1/a/b.c", "/a/b.c")],
)
def test_an_archive_is_a_directory_or_a_bucket(monkeypatch: pytest.MonkeyPatch, url: str, path: str) -> None:
    monkeypatch.setenv("REWOUND_ARCHIVE_URL", url)
    monkeypatch.setenv("REWOUND_ARCHIVE_ACCESS_KEY", "us")
    monkeypatch.setenv("REWOUND_ARCHIVE_SECRET_KEY", "known to us")

    settings = Settings.from_environment()

    assert urlsplit(settings.archive_url).path == path
    assert settings.archive_secret == "known to us"
    assert "known to us" not in repr(settings)


@pytest.mark.parametrize(
    "url", ["/srv/cold", "file://srv", "s3:///a", "s3://UPPER", "https://bucket", "s3://b?c=d"]
)
def test_an_archive_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("REWOUND_ARCHIVE_URL", url)

    with pytest.raises(SettingsError, match="REWOUND_ARCHIVE_URL: must be"):
        Settings.from_environment()


def test_a_bucket_needs_both_its_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REWOUND_ARCHIVE_URL", "s3://bucket")
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment()
    assert [fault.partition(":")[0] for fault in refused.value.faults] == [
        "REWOUND_ARCHIVE_ACCESS_KEY",
        "REWOUND_ARCHIVE_SECRET_KEY, REWOUND_ARCHIVE_SECRET_KEY_FILE",
    ]
    secret = tmp_path / "secret"
    secret.write_text("known to us\n")
    monkeypatch.setenv("REWOUND_ARCHIVE_ACCESS_KEY", "us")
    monkeypatch.setenv("REWOUND_ARCHIVE_SECRET_KEY_FILE", str(secret))

    assert Settings.from_environment().archive_secret == "known to us"
    secret.unlink()
    with pytest.raises(SettingsError, match=r"REWOUND_ARCHIVE_SECRET_KEY_FILE: .*No such file"):
        Settings.from_environment()
    monkeypatch.setenv("REWOUND_ARCHIVE_SECRET_KEY", "known to us")
    with pytest.raises(SettingsError, match="set one of them"):
        Settings.from_environment()


def test_the_key_is_given_or_kept_but_not_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWOUND_SECRET_KEY", "ab" * 32)
    monkeypatch.setenv("REWOUND_KEY_FILE", "/somewhere")

    with pytest.raises(SettingsError, match="set one of them"):
        Settings.from_environment()


def test_a_trailing_line_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWOUND_STREAMS_URL", "redis://store:6379/0\n")
    monkeypatch.setenv("REWOUND_QUEUE_URL", "redis://queue:6379/0")

    with pytest.raises(SettingsError, match="REWOUND_STREAMS_URL"):
        Settings.from_environment()


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(
            streams_url="unix:///tmp/a%20b/valkey.sock?db=0",
            queue_url="rediss://u:p@queue:6380/1",
            data_dir=Path("/var/lib/rewound"),
            key_file=Path("/var/lib/rewound/secret.key"),
            signing_key_file=Path("/var/lib/rewound/signing.key"),
            host="0.0.0.0",  # noqa: S104  spelled, not bound
            port=1,
            groups=4,
            workers=3,
            api_workers=5,
            api_sockets=6,
            api_address_sockets=5,
            head_s=4,
            body_s=3,
            rate_limit=10,
            owner_rate_limit=20,
            guess_limit=0,
            refusal_limit=0,
            limits_url="redis://queue:6380/2",
            proxies=1,
            api_streams=7,
            webhook_networks=("127.0.0.1/32", "fd00::/8"),
            api_owner_streams=8,
            log_level="debug",
            origin="fights.example:8443/rewound",
        ),
        Settings(given_keys=Keyring.of(bytes(range(32)))),
    ],
)
def test_a_started_process_reads_the_same_settings(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)

    assert Settings.from_environment() == settings


def test_the_key_is_not_shown() -> None:
    assert bytes(range(32)).hex() not in repr(Settings(given_keys=Keyring.of(bytes(range(32)))))
    assert "given_keys" not in repr(Settings(given_keys=Keyring.of(bytes(range(32)))))


def test_several_keys_go_to_a_started_process_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Keyring((bytes(32), bytes(range(32))), bytes([7] * 32), (bytes([8] * 32),))
    settings = Settings(given_keys=ring)
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert Settings.from_environment().given_keys == ring


@pytest.mark.parametrize(
    "text",
    [
        "ab" * 31,
        f"{'ab' * 32},{'cd' * 32}",  # two keys, and nothing says which one tokens follow from
        f"{'ab' * 32},{'ab' * 32},tokens:{'cd' * 32}",
        f"tokens:{'cd' * 32}",
        f"{'ab' * 32},tokens:{'cd' * 32},tokens:{'ce' * 32}",
        f"{'ab' * 32},archive:{'cd' * 32}",
        f"{'ab' * 32},other:{'cd' * 32}",
    ],
)
def test_what_is_no_ring_of_keys_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("REWOUND_SECRET_KEY", text)
    with pytest.raises(SettingsError, match="REWOUND_SECRET_KEY: must be 64 hexadecimal digits"):
        Settings.from_environment()


def test_the_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "secret.key"
    settings = Settings(key_file=path)

    first = settings.secret_keys()

    assert [len(key) for key in first.keys] == [32]
    assert settings.secret_keys() == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret.key"]


def test_processes_that_start_at_once_get_one_key(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from service.key_files import read_or_create_key;"
        "sys.stdin.read(1); print(read_or_create_key(Path(sys.argv[1])).hex())"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", program, tmp_path / "secret.key"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for _ in range(4)
    ]
    keys = {starter.communicate("!", timeout=60)[0] for starter in starters}

    assert keys == {read_or_create_key(tmp_path / "secret.key").hex() + "\n"}


@pytest.mark.parametrize("content", ["", "00" * 31, "zz" * 32, "é"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secret.key"
    path.write_text(content)
    path.chmod(0o600)

    with pytest.raises(SettingsError, match=r"secret\.key"):
        read_or_create_key(path)


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    read_or_create_key(path)
    path.chmod(0o640)

    with pytest.raises(SettingsError, match="chmod 600"):
        read_or_create_key(path)


def test_the_signing_memory_is_in_the_data_directory_unless_it_is_kept_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REWOUND_DATA_DIR", "/data")
    assert Settings.from_environment().signing_memory_file == Path("/data/signing-memory.db")
    monkeypatch.setenv("REWOUND_SIGNING_MEMORY_FILE", "/mnt/other/signing-memory.db")
    settings = Settings.from_environment()
    assert settings.signing_memory_file == Path("/mnt/other/signing-memory.db")
    assert settings.environment()["REWOUND_SIGNING_MEMORY_FILE"] == "/mnt/other/signing-memory.db"


@pytest.mark.parametrize("name", sorted(Settings().environment().keys() - os.environ.keys()))
def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    plain = Settings.from_environment()
    monkeypatch.setenv(name, "")

    assert Settings.from_environment() == plain
