"""The storage of an archive: one contract, for a directory and for a bucket of S3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Thread

import pytest

from service.settings import Settings
from service.stores.archive.opening import storage_of
from service.stores.archive.s3 import Account, S3Storage
from service.stores.archive.storage import ArchiveUnavailable, DirectoryStorage, FileMissing, Storage
from tests.stores.archive.s3_stub import ACCESS, BUCKET, REGION, SECRET, S3Stub, s3_stub


@dataclass
class Served:
    """A storage, and what breaks it."""

    storage: Storage
    break_it: Callable[[], object]


def bucket(stub: S3Stub, prefix: str = "house/one", secret: str = SECRET) -> S3Storage:
    return S3Storage(BUCKET, prefix, Account(stub.endpoint, REGION, ACCESS, secret))


@pytest.fixture
def stub() -> Iterator[S3Stub]:
    with s3_stub() as found:
        yield found


@pytest.fixture(params=["directory", "s3"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    if request.param == "directory":
        path = tmp_path / "archive"

        def break_it() -> None:
            if path.exists():
                path.rename(tmp_path / "gone")
            path.write_text("no directory")

        yield Served(DirectoryStorage(path), break_it)
        return
    with s3_stub() as stub:
        yield Served(bucket(stub), partial(setattr, stub, "fault", "status"))


@pytest.fixture
def storage(served: Served) -> Storage:
    return served.storage


def test_a_file_comes_back_as_it_was(storage: Storage) -> None:
    raw = bytes(range(256)) * 40_000  # more than S3's client sends as one part by itself

    storage.put("a.1.rwa", raw)

    assert storage.get("a.1.rwa") == raw
    storage.put("a.1.rwa", b"")
    assert storage.get("a.1.rwa") == b""


def test_names_are_found_by_their_beginning(storage: Storage) -> None:
    assert storage.names("a.") == []
    for name in ("a.2.rwa", "b.1.rwa", "a.1.rwa", "a.3.rwa", "a.4.rwa", "a.10.jsonl", "ab.1.rwa"):
        storage.put(name, name.encode())

    assert storage.names("a.") == ["a.1.rwa", "a.10.jsonl", "a.2.rwa", "a.3.rwa", "a.4.rwa"]
    storage.drop("a.1.rwa")
    storage.drop("a.1.rwa")
    assert storage.names("a.") == ["a.10.jsonl", "a.2.rwa", "a.3.rwa", "a.4.rwa"]
    assert len(storage.names("")) == 6


def test_a_file_that_is_not_there_is_missing(storage: Storage) -> None:
    with pytest.raises(FileMissing):
        storage.get("nothing.rwa")
    storage.put("a", b"")
    with pytest.raises(FileMissing):
        storage.get("nothing.rwa")


def test_many_threads_write_and_read_at_once(storage: Storage) -> None:
    names = [f"a.{n}" for n in range(24)]
    found: dict[str, bytes] = {}

    def work(name: str) -> None:
        storage.put(name, name.encode() * 999)
        found[name] = storage.get(name)

    threads = [Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == {name: name.encode() * 999 for name in names}
    assert storage.names("a.") == sorted(names)


def calls(storage: Storage) -> list[Callable[[], object]]:
    return [
        partial(storage.put, "a", b"x"),
        partial(storage.get, "a"),
        partial(storage.drop, "a"),
        partial(storage.names, "a"),
    ]


def test_a_storage_that_is_away_is_an_outage_and_no_missing_file(served: Served) -> None:
    served.storage.put("a", b"there")
    served.break_it()

    for call in calls(served.storage):
        with pytest.raises(ArchiveUnavailable) as fault:
            call()
        assert not isinstance(fault.value, FileMissing)


# --- a directory ----------------------------------------------------------------------------------------


def test_files_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    storage = DirectoryStorage(tmp_path / "archive")
    storage.put("a.1.rwa", b"raw")

    assert storage.path.stat().st_mode & 0o077 == 0
    assert (storage.path / "a.1.rwa").stat().st_mode & 0o077 == 0
    assert [file.name for file in storage.path.iterdir()] == ["a.1.rwa"]


# --- S3 ---------------------------------------------------------------------------------------------------


def test_a_file_is_one_object_below_the_prefix(stub: S3Stub) -> None:
    raw = bytes(range(256)) * 40_000
    bucket(stub).put("a.1.rwa", raw)
    bucket(stub, prefix="").put("b", b"x")
    bucket(stub, prefix="house").put("c", b"y")

    assert {name: sha256(each).digest() for name, each in stub.files.items()} == {
        "house/one/a.1.rwa": sha256(raw).digest(),
        "b": sha256(b"x").digest(),
        "house/c": sha256(b"y").digest(),
    }
    assert bucket(stub).names("") == ["a.1.rwa"]
    assert bucket(stub, prefix="house").names("") == ["c"]
    assert next(asked for asked in stub.asked if asked.startswith("PUT")) == "PUT house/one/a.1.rwa"


@pytest.mark.parametrize("fault", ["status", "hang_up", "cut"])
def test_an_answer_that_breaks_off_is_an_outage(stub: S3Stub, fault: str) -> None:
    storage = bucket(stub)
    storage.put("a", b"whole" * 1_000)
    stub.fault = fault

    with pytest.raises(ArchiveUnavailable) as found:
        storage.get("a")

    assert not isinstance(found.value, FileMissing)
    stub.fault = ""
    assert storage.get("a") == b"whole" * 1_000


def test_a_server_that_is_gone_is_an_outage() -> None:
    with s3_stub() as stub:
        storage = bucket(stub)
        storage.put("a", b"x")
    for call in calls(storage):
        with pytest.raises(ArchiveUnavailable):
            call()


def test_another_secret_or_bucket_is_refused_and_the_secret_is_not_in_the_text(stub: S3Stub) -> None:
    account = Account(stub.endpoint, REGION, ACCESS, SECRET)
    for storage, code in (
        (bucket(stub, secret="another"), "SignatureDoesNotMatch"),
        (S3Storage("other-bucket", "", account), "NoSuchBucket"),
        (S3Storage(BUCKET, "", Account(stub.endpoint, REGION, "nobody", SECRET)), "AccessDenied"),
    ):
        for call in calls(storage):
            with pytest.raises(ArchiveUnavailable, match=code) as fault:
                call()
            assert SECRET not in str(fault.value)
    assert SECRET not in repr(account)
    assert stub.files == {}


# --- settings ---------------------------------------------------------------------------------------------


def test_the_settings_name_a_directory_or_a_bucket(tmp_path: Path, stub: S3Stub) -> None:
    default = storage_of(Settings(data_dir=tmp_path))
    named = storage_of(Settings(archive_url=f"file://{tmp_path}/a%20b"))
    assert isinstance(default, DirectoryStorage)
    assert isinstance(named, DirectoryStorage)
    assert (default.path, named.path) == (tmp_path / "archive", tmp_path / "a b")

    settings = Settings(
        archive_url=f"s3://{BUCKET}/house/one/",
        archive_endpoint=stub.endpoint,
        archive_region=REGION,
        archive_access_key=ACCESS,
        archive_secret=SECRET,
    )
    storage_of(settings).put("a", b"x")

    assert stub.files == {"house/one/a": b"x"}
    assert bucket(stub).get("a") == b"x"
