"""Install and call the log's functions in the server.

The library's name ends in a number that counts changes of behaviour, and libraries with different numbers
coexist. So a process never calls a function that it was not written for, and during a rolling upgrade neither
release removes the other's functions. Within one number the code does not change, so replacing it changes
nothing and any number of processes may start at once.
"""

from importlib import resources

from service.log.errors import NotPermitted, StoreUnavailable
from service.log.valkey.wire import Argument, Command, Wire

LIBRARY = "rewound_12"
"""Name and number; `functions/rewound.lua` says the same in its first line and its last ones."""


def code() -> str:
    """Return the library's source."""
    return resources.files("service.log.valkey").joinpath("functions/rewound.lua").read_text("utf-8")


def install(wire: Wire) -> None:
    """Load the library into the server, unless the server has it already.

    Raises `StoreUnavailable`.
    """
    source = code()
    if _installed(wire) == source:
        return
    try:
        wire.change("FUNCTION", "LOAD", "REPLACE", source)
    except NotPermitted as error:
        raise StoreUnavailable(
            f"{wire.url} lacks the log's functions, and this user may not load them: start a worker first"
        ) from error


def _installed(wire: Wire) -> str | None:
    """Return the source of the library that the server has; None if it has none."""
    try:
        listed = wire.read("FUNCTION", "LIST", "LIBRARYNAME", LIBRARY, "WITHCODE")
    except NotPermitted:  # an operator may load the library and deny us FUNCTION
        return code()
    if not listed:
        return None
    fields = dict(zip(listed[0][::2], listed[0][1::2], strict=True))
    source: bytes = fields[b"library_code"]
    return source.decode()


def call(name: str, keys: tuple[str, ...], *arguments: Argument) -> Command:
    """Return the command that calls one function."""
    return ("FCALL", f"{LIBRARY}_{name}", len(keys), *keys, *arguments)
