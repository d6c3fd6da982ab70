"""Name the answers that a client reads most, as typed dictionaries; the contract describes every one.

What stands only now and then is `NotRequired`. A test holds these to `openapi.yaml`.
"""

from typing import Any, Literal, NotRequired, TypedDict

Json = dict[str, Any]
"""An object whose members depend on the rulebook."""
Result = Literal["pending", "accepted", "refused", "sealed", "quarantined"]
Role = Literal["gm", "player", "observer", "auditor"]
Ending = Literal["upheld", "effects", "as_ruled"]


class Prompt(TypedDict):
    """An answer that a seat owes, or may give."""

    prompt: str
    seat: str | None
    """None where only the group is known that owes it."""
    accepts: list[str]
    creature: str | None
    optional: bool
    wants: list[str]


class Refusal(TypedDict):
    """Why a command was refused."""

    code: str
    detail: str
    rule: str | None


class Outcome(TypedDict):
    """What became of a command, as this seat may see it."""

    n: int
    outcome: Result
    refusal: NotRequired[Refusal]
    events: NotRequired[list[Json]]
    rolls: NotRequired[list[Json]]
    prompts: NotRequired[list[Prompt]]
    """All that this seat may answer next, what keeps others waiting first."""
    version: NotRequired[int]
    hash: NotRequired[str]


class Outcomes(TypedDict):
    """What became of each command of an array, in order."""

    n: int
    outcomes: list[Outcome]


class Encounter(TypedDict):
    """An encounter in short: how far it is, and whose move."""

    encounter: str
    edition: str
    title: str
    opened: str
    version: int
    appended: int
    hash: str
    round: int
    epoch: int
    closed: bool
    status: str
    dispute: Json | None
    waiting: list[Prompt]
    continued: str | None
    as_played: str | None
    imported: Json | None
    origin: Json | None
    expires: str | None


class Seat(TypedDict):
    """Who may act, and for which creatures."""

    seat: str
    role: Role
    creatures: list[str]
    tokens: int
    closed: bool


class SeatWithToken(Seat):
    """A seat and its token, which is shown here alone."""

    token: str
    n: int


class Offer(TypedDict):
    """A command that is legal now: `given` as it is, with any value listed of each of `choices`."""

    type: str
    creature: str | None
    prompt: str | None
    given: Json
    choices: dict[str, list[Any]]


class Option(TypedDict):
    """A prompt, and the commands that answer it."""

    prompt: Prompt
    commands: list[Offer]


class Options(TypedDict):
    """Everything that a seat may do now."""

    version: int
    seat: str
    options: list[Option]
    schemas: dict[str, Json]


class State(TypedDict):
    """The encounter as a seat sees it after a commit."""

    version: int
    known: int
    hash: str
    view: str
    state: Json


class OpenedEnvelope(TypedDict):
    """What was sealed and this seat may open, with what proves it."""

    index: int
    payload: str
    salt: str


class Commit(TypedDict):
    """A commit: its exact text, its hash, and the envelopes that this seat may open."""

    n: int
    hash: str
    commit: str
    opened: list[OpenedEnvelope]


class RevealedEnvelope(OpenedEnvelope):
    """What lay sealed in the earlier commit `n` and was opened to this seat."""

    n: int


class ToldCommit(Commit):
    """A commit as a stream tells it: with what it opened of earlier ones."""

    revealed: list[RevealedEnvelope]


class Heartbeat(TypedDict):
    """You have every commit up to `version`; `view` is the hash of your seat's view there."""

    version: int
    view: str


class Contest(TypedDict):
    """A contested moment, and how the contest ended."""

    contest: str
    seat: str
    encounter: str
    commit: int
    event: int | None
    roll: str | None
    claim: str
    status: Literal["open", "upheld", "effects", "as_ruled"]
    decision: str
    reason: str
    explanation: str
    n: NotRequired[int]
    amendment: NotRequired[str]


class Amendment(TypedDict):
    """How the gm would continue from an earlier moment."""

    amendment: str
    kind: Literal["as_ruled", "undo", "redo"]
    contest: str | None
    commit: int | None
    line: str | None
    decision: str
    reason: str
    version: int
    encounter: str
    status: Literal["deciding", "ready", "accepted", "dropped", "void"]
    difference: Json | None
    n: NotRequired[int]


Audit = TypedDict(
    "Audit",
    {
        "audit": str,
        "encounter": str,
        "status": Literal["pending", "running", "done", "failed"],
        "asked": str,
        "verdict": NotRequired[str],
        "progress": NotRequired[Json],
        "certificate": NotRequired[Json],
        "from": NotRequired[int],
        "to": NotRequired[int],
        "fault": NotRequired[str],
    },
)
"""An audit: everything is decided again and compared."""
