"""List every problem the API answers with, once: code, status, title and what to do about it.

The pages under /problems, the OpenAPI document and the answers are made from this table. A code never changes
its meaning; clients may branch on it. Shapes follow RFC 9457.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

MEDIA_TYPE: Final = "application/problem+json"
_IN_PATHS: Final = "/:@!$&'()*+,;=-._~"
"""What stands in a path as it is (RFC 3986)."""


@dataclass(frozen=True)
class ProblemType:
    """One kind of problem, as its page tells it."""

    code: str
    status: int
    title: str
    text: str

    @property
    def uri(self) -> str:
        """Where its page is served; also the problem's `type`."""
        return f"/problems/{self.code}"


_TYPES: Final = (
    ProblemType(
        "bad-request",
        400,
        "The request cannot be understood",
        "A header or the request line is malformed. `detail` names it. Send the request again, mended.",
    ),
    ProblemType(
        "not-strict-json",
        400,
        "The body is not strict JSON",
        "The body must be UTF-8 JSON that every reader understands alike: no name twice in one object, "
        "whole numbers of at most 53 bits written as digits (neither `12.7` nor `1e3` nor `NaN` nor a "
        "number in quotes), no lone surrogates, text in Unicode NFC, nested at most 32 deep. `errors` "
        "points at the place.",
    ),
    ProblemType(
        "unauthenticated",
        401,
        "No valid credentials",
        "Send `Authorization: Bearer <token>` with an API key (`rw_…`) or a seat token (`rs_…`). A token "
        "stops working when it expires, when a newer one is issued for its seat and when its seat is "
        "closed.",
    ),
    ProblemType(
        "forbidden",
        403,
        "Your role may not do this",
        "The token is valid, but its role or its scopes do not reach this operation. The gm opens and "
        "changes seats and closes the encounter; observers only read.",
    ),
    ProblemType(
        "not-found",
        404,
        "There is nothing here for you",
        "The address names nothing, or something that is not yours: both get this same answer.",
    ),
    ProblemType(
        "method-not-allowed",
        405,
        "The method is not allowed here",
        "The resource exists, but not with this method; `Allow` lists those it has.",
    ),
    ProblemType(
        "request-timeout",
        408,
        "The request took too long to arrive",
        "Head and body of a request must each arrive within a time that the operator sets, by default 10 and "
        "60 seconds, however small the pieces are. Nothing was changed.",
    ),
    ProblemType(
        "command-refused",
        409,
        "The rules refuse the command",
        "The command was understood and the rules do not allow it now. `code` is stable and says why, "
        "`rule` names the rule that spoke (see `/v1/rulesets/{edition}/rules/{rule}`), `detail` tells it "
        "in words. `n` is the command's number on the record; it is absent where the refusal left no "
        "trace. No dice were thrown and the state is unchanged. `GET …/options` lists what is legal.",
    ),
    ProblemType(
        "command-quarantined",
        409,
        "The command was set aside",
        "Deciding this command crashed its worker three times, so it stands on the record as quarantined "
        "and changed nothing. The encounter goes on. Please report it, with the encounter and `n`.",
    ),
    ProblemType(
        "fork-expired",
        410,
        "The fork is gone",
        "A fork is kept until it `expires`, with every line that went on from it; then it is deleted. What "
        "it was forked from is untouched: fork that again. Tokens of the fork's seats are no longer valid.",
    ),
    ProblemType(
        "encounter-removed",
        410,
        "The encounter was removed",
        "It was closed, its bundle was had, and its record is deleted. `removed` says what it had been: the "
        "number of its commits, the last one's `hash`, and the SHA-256 of that `bundle`. Its checkpoints and "
        "the certificates of its audits are still told, so a bundle or a receipt can be held to them with "
        "`rewound verify`.",
    ),
    ProblemType(
        "encounter-missing",
        404,
        "The encounter is missing from the store",
        "Commits of it were signed here, and the store has nothing of it any more: it was rolled back, "
        "swapped or restored from an older backup. `dispute` says how much was signed. It was not removed, "
        "and no other takes its place. The operator can restore a backup that has it and start a worker, "
        "which holds it to what was signed. Whoever kept its bundle can hold that to `dispute.lost` with "
        "`rewound verify`, and have it taken in with `POST /v1/bundles`, to be read and audited.",
    ),
    ProblemType(
        "not-removable",
        409,
        "The encounter stays",
        "Only a closed encounter is removed, and one that goes on in another line of play only after that "
        "line. `detail` says what stands in the way.",
    ),
    ProblemType(
        "bundle-digest-mismatch",
        409,
        "You do not have the bundle",
        "A record is removed only for somebody who has all of it. `GET …/bundle` as the gm, keep it, and "
        "send the SHA-256 of what you kept. A checkpoint that was signed meanwhile makes another bundle.",
    ),
    ProblemType(
        "version-mismatch",
        412,
        "The encounter has moved on",
        "`If-Match` named a version that is not the newest; `version` is. Read the state again, then "
        "decide again.",
    ),
    ProblemType(
        "body-too-large",
        413,
        "The body is too large",
        "Bodies hold at most 64 KiB, the opening of an encounter at most 1 MiB.",
    ),
    ProblemType(
        "target-too-long",
        414,
        "The target of the request is too long",
        "A request line holds at most 8,190 bytes.",
    ),
    ProblemType(
        "unsupported-media-type",
        415,
        "The body must be JSON",
        "Send `Content-Type: application/json`, without a content encoding.",
    ),
    ProblemType(
        "invalid",
        422,
        "The request does not fit its schema",
        "Each entry of `errors` has a `pointer` into the body (or `?name` for a query parameter) and says"
        " what was expected there. Unknown fields are refused, and so is text with control characters, "
        "controls of its direction, or code points that Unicode 14.0 does not assign. Nothing was appended.",
    ),
    ProblemType(
        "idempotency-key-reused",
        422,
        "The idempotency key stands for another request",
        "This `Idempotency-Key` was already used with another method, path, query or body. A repeat must "
        "be exactly the same request; a new request needs a new key.",
    ),
    ProblemType(
        "too-many-forks",
        409,
        "Too many forks",
        "An owner has 200 forks at most, and a seat that is not the gm's has 10 of one encounter. Delete one "
        "(`DELETE …/forks/{fork}`), or wait until one expires.",
    ),
    ProblemType(
        "too-many-webhooks",
        409,
        "Too many webhooks",
        "An owner has twenty webhooks at most. End one of them.",
    ),
    ProblemType(
        "webhook-disabled",
        409,
        "The webhook is disabled",
        "Its receiver answered 410 Gone, so nothing more is sent there. Make it active again "
        "(`PATCH`), or end it.",
    ),
    ProblemType(
        "too-many-requests",
        429,
        "Too many requests",
        "Your key, seat or owner has used up what it may ask in a minute, or too many invalid tokens came "
        "from your address. `Retry-After` says when to come back; `RateLimit` says on every answer what is "
        "left. Nothing was changed.",
    ),
    ProblemType(
        "too-many-imports",
        429,
        "Too many bundles wait",
        "Eight bundles of one owner wait for a worker at most, so that no owner fills the store with files "
        "that nobody has looked at. Send this one again when one of them is `done` or `failed` "
        "(`GET /v1/bundles`).",
    ),
    ProblemType(
        "too-many-audits",
        429,
        "Too many audits wait",
        "Eight audits of one owner's encounters wait for a worker at most, so that no owner keeps those of "
        "others waiting. Ask again when one of them is `done` or `failed`.",
    ),
    ProblemType(
        "too-many-simulations",
        429,
        "Too many simulations wait",
        "Eight simulations of one owner wait for a worker at most, so that no owner keeps those of others "
        "waiting. Ask again when one of them is `done` or `failed`.",
    ),
    ProblemType(
        "too-many-streams",
        429,
        "Too many streams are open",
        "A process keeps so many streams, and so many of one owner. Close one, come back after "
        "`Retry-After`, or read the pages of commits.",
    ),
    ProblemType(
        "fields-too-large",
        431,
        "The fields of the request are too large",
        "A request has at most 100 fields of at most 8,190 bytes each, and at most 32 KiB of them in all.",
    ),
    ProblemType(
        "coding-not-supported",
        501,
        "The transfer coding is not understood",
        "Send a body with `Content-Length`, or with `Transfer-Encoding: chunked` alone.",
    ),
    ProblemType(
        "too-many-connections",
        503,
        "There are too many connections",
        "A process keeps so many connections, and so many of one address, and every one of them is being "
        "answered. Come back after `Retry-After`.",
    ),
    ProblemType(
        "internal-error",
        500,
        "Something broke on our side",
        "The fault was logged under `request_id`. If the request changed something, ask by its "
        "idempotency key.",
    ),
    ProblemType(
        "encounter-imported",
        409,
        "The encounter takes no commands here",
        "It came in a bundle: it can be read, replayed and audited, and is played where it came from.",
    ),
    ProblemType(
        "bundle-refused",
        422,
        "The bundle is not taken in",
        "`code` is the verdict of its audit, `detail` says where. Only a bundle that is sound and "
        "from which nothing is withheld, is taken in; nothing of another is kept. "
        "`rewound verify` tells more.",
    ),
    ProblemType(
        "not-yet-folded",
        503,
        "The version you wait for is not there yet",
        "`min_version` names a commit that is not folded within the time that `Prefer: wait=N` allows. "
        "Ask again.",
    ),
    ProblemType(
        "edition-unavailable",
        503,
        "The rules of the encounter are not here",
        "The encounter is played by an edition that this process does not have: the service may be in the "
        "middle of an upgrade. Nothing was changed. Try again after the time that `Retry-After` gives.",
    ),
    ProblemType(
        "record-damaged",
        500,
        "The stored record cannot be read",
        "What the store keeps of the encounter contradicts itself, or belongs to a service with another "
        "secret. Nothing was changed. The operator has to restore a backup or the service's secret; "
        "`POST …/audits` names the place.",
    ),
    ProblemType(
        "store-unavailable",
        503,
        "The store cannot be reached",
        "Nothing was changed. Try again after the time that `Retry-After` gives.",
    ),
    ProblemType(
        "archive-unavailable",
        503,
        "The archive cannot be reached",
        "The encounter is archived. The archive does not answer, or no worker has brought the encounter back "
        "yet. Nothing was changed. Try again after the time that `Retry-After` gives.",
    ),
    ProblemType(
        "store-loading",
        503,
        "The store is starting",
        "The store reads its log from disk before it serves. Nothing was changed. Try again after the time "
        "that `Retry-After` gives; `GET /readyz` says how far it is.",
    ),
    ProblemType(
        "outcome-unknown",
        504,
        "It is unknown whether it happened",
        "The request was sent to the store and no answer came. Ask `GET …/commands?key=…` with the same "
        "idempotency key, or repeat the request with it: it will happen once.",
    ),
    ProblemType(
        "store-full",
        507,
        "The store has no room",
        "Nothing was changed. The operator has to make room; then everything goes on by itself.",
    ),
    ProblemType(
        "quota-exceeded",
        507,
        "Your quota is used up",
        "`quota` names what is used up: `encounters`, `commands` or `bytes`; `used` and `limit` give the "
        "figures, which are counted once a minute. Nothing was changed. Close and remove encounters that you "
        "no longer need: `close` is never refused for a quota.",
    ),
)

PROBLEMS: Final[Mapping[str, ProblemType]] = MappingProxyType({each.code: each for each in _TYPES})


class Problem(Exception):
    """An answer that is a problem: its code, what happened in words, and the members its type adds."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.kind = PROBLEMS[code]
        self.detail = detail
        self.members = dict(members or {})
        self.headers = dict(headers or {})

    def body(self, instance: str, request_id: str) -> dict[str, Any]:
        """Return the problem document for the request *request_id* to the path *instance*."""
        return {
            "type": self.kind.uri,
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
            "instance": quote(instance, safe=_IN_PATHS),
            "request_id": request_id,
            **self.members,
        }


def invalid(*errors: tuple[str, str], detail: str = "") -> Problem:
    """Return the problem of a request that does not fit: (pointer, what was expected) for each fault."""
    return Problem("invalid", detail or _summary(errors), members={"errors": listed(errors)})


def listed(errors: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return *errors* as they stand in a problem document."""
    return [{"pointer": pointer, "detail": detail} for pointer, detail in errors]


_NAMED: Final = 3
"""How many faults the detail of a problem names; its `errors` list all."""


def _summary(errors: Sequence[tuple[str, str]]) -> str:
    if not errors:
        return "the request does not fit"
    named = "; ".join(f"{pointer or '/'}: {detail}" for pointer, detail in errors[:_NAMED])
    return f"{named}; and {len(errors) - _NAMED} more" if len(errors) > _NAMED else named


def removed(told: Mapping[str, Any]) -> Problem:
    """Return the problem of an encounter that was removed; *told* is what is left of it."""
    detail = f"it was removed at {told['at']}, after {told['size']} commits"
    return Problem("encounter-removed", detail, members={"removed": dict(told)})


def missing(told: Mapping[str, Any]) -> Problem:
    """Return the problem of an encounter that was signed and is not in the store; *told* is its dispute."""
    return Problem("encounter-missing", told["text"], members={"dispute": dict(told)})


def not_found(detail: str = "there is nothing at this address for you") -> Problem:
    """Return the one 404: the same for what does not exist and for what is somebody else's.

    Only an address that no encounter can have is answered with a *detail* of its own.
    """
    return Problem("not-found", detail)
