"""The functions in the server: how they get there and how they are called.

The library's name ends in a number that counts changes of behaviour, and libraries of several numbers live
side by side. So a process never calls a function it was not written for, and during a rolling upgrade neither
release takes the other's away. Within one number the code is the same, so replacing it changes nothing:
that is what lets any number of processes start at once.
"""

from importlib import resources

from redis import exceptions

from service.log.errors import StoreUnavailable
from service.log.wire import Argument, Command, Wire

LIBRARY = "rewound_7"
"""Name and number; `functions/rewound.lua` says the same in its first line and its last ones."""


def code() -> str:
    """Read the library's source."""
    return resources.files("service.log").joinpath("functions/rewound.lua").read_text("utf-8")


def install(wire: Wire) -> None:
    """Make the server know this library; a server that knows it already is not written to.

    Raises `StoreUnavailable`, and redis-py's own error if the server is older than functions (Redis 7).
    """
    source = code()
    if _installed(wire) == source:
        return
    try:
        wire.change("FUNCTION", "LOAD", "REPLACE", source)
    except exceptions.NoPermissionError as error:
        raise StoreUnavailable(
            f"{wire.url} lacks the log's functions, and this user may not load them: start a worker first"
        ) from error


def _installed(wire: Wire) -> str | None:
    """Read the source of the library as the server has it; None if it has none."""
    try:
        listed = wire.read("FUNCTION", "LIST", "LIBRARYNAME", LIBRARY, "WITHCODE")
    except exceptions.NoPermissionError:  # an operator may load the library and keep FUNCTION from us
        return code()
    if not listed:
        return None
    fields = dict(zip(listed[0][::2], listed[0][1::2], strict=True))
    source: bytes = fields[b"library_code"]
    return source.decode()


def call(name: str, keys: tuple[str, ...], *arguments: Argument) -> Command:
    """Spell the call of one function."""
    return ("FCALL", f"{LIBRARY}_{name}", len(keys), *keys, *arguments)
