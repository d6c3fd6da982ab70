"""Define the client's exceptions: no answer, or an answer that is a problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RewoundError(Exception):
    """The base class of all exceptions of this client."""


class Unreachable(RewoundError):
    """The service did not answer any try."""


class NotDone(RewoundError):
    """A command or a job was accepted but not completed within the given time."""


class Problem(RewoundError):
    """The service answered with a problem document, and an HTTP status of 400 or above."""

    def __init__(self, status: int, data: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        super().__init__(f"{status} {data.get('title', '')}: {data.get('detail', '')}")
        self.status = status
        self.data = dict(data)
        """All members of the document."""
        self.retry_after_s = retry_after_s

    @property
    def type(self) -> str:
        """The page about the problem, `/problems/{code}`. It is stable: clients may branch on it."""
        return str(self.data.get("type", "about:blank"))

    @property
    def title(self) -> str:
        """The kind of problem, as a sentence."""
        return str(self.data.get("title", ""))

    @property
    def detail(self) -> str:
        """The description of this occurrence."""
        return str(self.data.get("detail", ""))

    @property
    def request_id(self) -> str | None:
        """The id to give when you ask the host about the problem."""
        found = self.data.get("request_id")
        return None if found is None else str(found)

    @property
    def errors(self) -> list[dict[str, str]]:
        """Each fault in the request's body: its JSON `pointer`, and in `detail` what was expected there."""
        return list(self.data.get("errors", ()))


class Refused(Problem):
    """The rules refuse the command."""

    @property
    def code(self) -> str:
        """The stable code of the reason."""
        return str(self.data["code"])

    @property
    def rule(self) -> str | None:
        """The id of the rule that refused the command, None if it was not a rule."""
        found = self.data.get("rule")
        return None if found is None else str(found)

    @property
    def n(self) -> int | None:
        """The command's number in the record; None if the refusal was not recorded."""
        found = self.data.get("n")
        return None if found is None else int(found)


class VersionMismatch(Problem):
    """The encounter no longer has the version that the request named."""

    @property
    def version(self) -> int:
        """The current version."""
        return int(self.data["version"])


_KINDS: Mapping[str, type[Problem]] = {
    "/problems/command-refused": Refused,
    "/problems/version-mismatch": VersionMismatch,
}


def problem(status: int, data: Mapping[str, Any], retry_after_s: float | None = None) -> Problem:
    """Return the exception for a problem document, by its type."""
    return _KINDS.get(str(data.get("type")), Problem)(status, data, retry_after_s)
