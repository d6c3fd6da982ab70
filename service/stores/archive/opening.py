"""Open the archive that the settings name."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from service.settings import Settings
from service.stores.archive.storage import DirectoryStorage, Storage


def storage_of(settings: Settings) -> Storage:
    """Return the storage of archived files, without connecting to it; raises `SettingsError`."""
    if settings.archive_url is None:
        return DirectoryStorage(settings.data_dir / "archive")
    url = urlsplit(settings.archive_url)
    if url.scheme == "file":
        return DirectoryStorage(Path(unquote(url.path)))
    # S3's client takes a third of a second and 20 MB to import, which a directory has no use for.
    from service.stores.archive.s3 import Account, S3Storage  # noqa: PLC0415 - as said

    account = Account(
        settings.archive_endpoint,
        settings.archive_region,
        settings.archive_access_key,
        settings.archive_secret,
    )
    return S3Storage(url.netloc, url.path.strip("/"), account)
