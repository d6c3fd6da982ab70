"""Why there is no embedded server."""


class EmbeddedFailure(Exception):
    """Stand above all of them; the text says what to do."""


class DirectoryInUse(EmbeddedFailure):
    """Say that another supervisor keeps a server in the same directory."""


class NotStarted(EmbeddedFailure):
    """Say that the server could not be started, with its own last words."""
