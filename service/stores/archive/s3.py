"""Write and read files in a bucket of S3, or of any storage that speaks it.

The bucket must exist. Names are keys below a prefix. An outage is tried again once, and found out in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final
from urllib.parse import urlsplit

from minio import Minio
from minio.error import S3Error
from urllib3 import PoolManager, Retry, Timeout

from service.stores.archive.storage import ArchiveUnavailable, FileMissing

_TIMES: Final = Timeout(connect=2.0, read=10.0)
_TRIES: Final = Retry(total=1, backoff_factor=0.1, status_forcelist=(500, 502, 503, 504))
_CONNECTIONS: Final = 16
_PART_BYTES: Final = 5 * 2**20
"""The least part of an upload in parts; a file is sent as one part."""


@dataclass(frozen=True)
class Account:
    """Where a storage is reached, and by whom."""

    endpoint: str
    """`https://host` or `http://host:port`."""
    region: str
    access_key: str
    secret_key: str = field(repr=False)


class S3Storage:
    """Files in one bucket."""

    def __init__(self, bucket: str, prefix: str, account: Account) -> None:
        """Use the keys of *bucket* that begin with *prefix* and a slash, all keys if it is empty."""
        address = urlsplit(account.endpoint)
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._where = f"s3://{bucket}/{self._prefix}"
        self._client = Minio(
            endpoint=address.netloc,
            access_key=account.access_key,
            secret_key=account.secret_key,
            region=account.region,
            secure=address.scheme == "https",
            http_client=PoolManager(timeout=_TIMES, retries=_TRIES, maxsize=_CONNECTIONS),
        )

    def put(self, name: str, raw: bytes) -> None:
        """Write *raw* as the file *name*; S3 answers once it is durable."""
        with self._outages(name):
            self._client.put_object(
                bucket_name=self._bucket,
                object_name=self._prefix + name,
                data=BytesIO(raw),
                length=len(raw),
                part_size=max(_PART_BYTES, len(raw)),
            )

    def get(self, name: str) -> bytes:
        """Return the bytes of the file *name*."""
        with self._outages(name):
            answer = self._client.get_object(bucket_name=self._bucket, object_name=self._prefix + name)
            try:
                return bytes(answer.read())
            finally:
                answer.close()
                answer.release_conn()

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*, sorted."""
        with self._outages(prefix):
            found = self._client.list_objects(
                bucket_name=self._bucket, prefix=self._prefix + prefix, recursive=True
            )
            names = [str(each.object_name).removeprefix(self._prefix) for each in found]
            return sorted(name for name in names if "/" not in name)

    def drop(self, name: str) -> None:
        """Delete a file; S3 answers alike where there is none."""
        with self._outages(name):
            self._client.remove_object(bucket_name=self._bucket, object_name=self._prefix + name)

    @contextmanager
    def _outages(self, name: str) -> Iterator[None]:
        """Raise whatever an outage looks like as `ArchiveUnavailable`."""
        try:
            yield
        except S3Error as fault:
            if fault.code == "NoSuchKey":
                raise FileMissing(f"the archive {self._where} has no {name}") from fault
            raise ArchiveUnavailable(f"the archive {self._where}: {fault.code}") from fault
        except Exception as fault:  # of MinIO, of urllib3, of the system, and what nobody has foreseen
            raise ArchiveUnavailable(f"the archive {self._where}: {type(fault).__name__}") from fault
