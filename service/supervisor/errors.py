"""The errors of the embedded server."""


class EmbeddedFailure(Exception):
    """The embedded server cannot be used; the text says what to do."""


class DirectoryInUse(EmbeddedFailure):
    """Another supervisor uses the same directory."""


class NotStarted(EmbeddedFailure):
    """The server could not be started; the text may contain the end of its log."""
