"""Define the most common answers as typed dictionaries; `openapi.yaml` describes all answers.

Members that may be absent are `NotRequired`. A test compares these types with `openapi.yaml`.
"""

from typing import Any, Literal, NotRequired, TypedDict, final

Json = dict[str, Any]
"""An object whose members depend on the rulebook."""
Result = Literal["pending", "accepted", "refused", "sealed", "quarantined"]
Role = Literal["gm", "player", "observer", "auditor"]
Ending = Literal["upheld", "effects", "as_ruled"]


class Prompt(TypedDict):
    """A question that waits for a seat, with the commands that answer it."""

    prompt: str
    seat: str | None
    """None if any seat of a group may answer it."""
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
    """The outcome of a command, as this seat may see it."""

    n: int
    outcome: Result
    refusal: NotRequired[Refusal]
    events: NotRequired[list[Json]]
    rolls: NotRequired[list[Json]]
    text: NotRequired[list[str]]
    """With `?text=en`: a sentence for each event that this seat may read, in order."""
    prompts: NotRequired[list[Prompt]]
    """All prompts that this seat may answer next; those that others wait for come first."""
    version: NotRequired[int]
    hash: NotRequired[str]


class Outcomes(TypedDict):
    """The outcomes of an array of commands, in order."""

    n: int
    outcomes: list[Outcome]


class Encounter(TypedDict):
    """The summary of an encounter: its version, and the prompts that wait."""

    encounter: str
    line: str
    edition: str
    title: str
    opened: str
    version: int
    appended: int
    hash: str
    round: int
    epoch: int
    closed: bool
    closed_at: str | None
    status: str
    winner: str | None
    dispute: Json | None
    waiting: list[Prompt]
    continued: str | None
    imported: Json | None
    origin: Json | None
    expires: str | None


class Seat(TypedDict):
    """A seat: its role and its creatures."""

    seat: str
    role: Role
    creatures: list[str]
    tokens: int
    closed: bool


class SeatWithToken(Seat):
    """A seat and its new token. Only this answer contains the token."""

    token: str
    n: int


@final
class Cells(TypedDict):
    """Cells, in ranges of rows: each is y, the least x and the greatest x."""

    cells: list[list[int]]


@final
class StraightPaths(TypedDict):
    """Straight paths from the cell `start`: in ranges of a step along x and y, and two lengths."""

    start: list[int]
    paths: list[list[int]]


Choice = list[Any] | Cells | StraightPaths
"""The values of a field: `values_of` lists them."""


class CompleteOffer(TypedDict):
    """A legal command, or several that differ in their choices: send `command` as it is, or with others."""

    command: Json
    choices: dict[str, Choice]
    """Other values of fields of `command`, by field; `values_of` lists those of a field."""


class OpenOffer(TypedDict):
    """A legal command in which a person writes some fields."""

    command: Json
    choices: dict[str, Choice]
    asks: list[str]
    """The fields that a person writes."""


Offer = CompleteOffer | OpenOffer
"""A legal command; one with `asks` lacks fields that a person writes."""


class Option(TypedDict):
    """A prompt, and the commands that answer it."""

    prompt: Prompt
    commands: list[Offer]
    types: NotRequired[list[str]]


class Options(TypedDict):
    """Every command that a seat may send now."""

    line: str
    version: int
    seat: str
    options: list[Option]


class State(TypedDict):
    """The encounter as a seat sees it after a commit."""

    line: str
    version: int
    known: int
    hash: str
    view: str
    state: Json


class OpenedEnvelope(TypedDict):
    """The payload of an envelope that this seat may open, with the salt that proves it."""

    index: int
    payload: str
    salt: str


class Commit(TypedDict):
    """A commit: its exact text, its hash, and the envelopes that this seat may open."""

    n: int
    hash: str
    commit: str
    opened: list[OpenedEnvelope]
    text: NotRequired[list[str]]


class RevealedEnvelope(OpenedEnvelope):
    """An envelope of the earlier commit `n` that was opened to this seat."""

    n: int


class CommitView(Commit):
    """A commit in a stream, with the earlier envelopes that it opened."""

    revealed: list[RevealedEnvelope]


class Heartbeat(TypedDict):
    """Every commit up to `version` has been sent; `view` is the hash of your seat's view at that version."""

    version: int
    view: str


class Contest(TypedDict):
    """A contest, and its ruling."""

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
    """A proposal to continue from an earlier commit."""

    amendment: str
    kind: Literal["as_ruled", "undo", "redo"]
    contest: str | None
    commit: int | None
    commit_line: str | None
    decision: str
    reason: str
    version: int
    line: str
    status: Literal["deciding", "ready", "accepted", "dropped", "outdated", "void"]
    difference: Json | None
    n: NotRequired[int]


Audit = TypedDict(
    "Audit",
    {
        "audit": str,
        "encounter": str,
        "status": Literal["pending", "running", "done", "failed"],
        "requested": str,
        "verdict": NotRequired[str],
        "progress": NotRequired[Json | None],
        "certificate": NotRequired[Json],
        "from": NotRequired[int],
        "to": NotRequired[int],
        "fault": NotRequired[str],
    },
)
"""An audit: its status, and when it has ended its verdict and certificate."""
