"""The table of all problem types: code, status, title and what to do about it.

The pages under /problems, the OpenAPI document and the responses are made from this table. A code never
changes its meaning, so clients may branch on it. Problem documents follow RFC 9457.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

MEDIA_TYPE: Final = "application/problem+json"
_IN_PATHS: Final = "/:@!$&'()*+,;=-._~"
"""Characters that a path contains unescaped (RFC 3986)."""


@dataclass(frozen=True)
class ProblemType:
    """One problem type, as its page shows it."""

    code: str
    status: int
    title: str
    text: str

    @property
    def uri(self) -> str:
        """The path of its page, which is also the problem's `type`."""
        return f"/problems/{self.code}"


_TYPES: Final = (
    ProblemType(
        "bad-request",
        400,
        "The request is malformed",
        "A header field or the request line is malformed. `detail` names it. Correct it and send the request "
        "again.",
    ),
    ProblemType(
        "not-strict-json",
        400,
        "The body is not strict JSON",
        "The body must be UTF-8 JSON that every parser reads alike: unique names in each object, integers of "
        "at most 53 bits written as digits (not `12.7`, `1e3`, `NaN` or a number in quotes), no lone "
        "surrogates, text in Unicode NFC, at most 32 levels deep. `errors` points at the fault.",
    ),
    ProblemType(
        "unauthenticated",
        401,
        "No valid credentials",
        "Send `Authorization: Bearer <token>` with an API key (`rw_…`) or a seat token (`rs_…`). A seat "
        "token stops working when a newer one is issued for its seat and when its seat is closed. An API key "
        "stops working when it expires or is ended.",
    ),
    ProblemType(
        "forbidden",
        403,
        "Your role may not do this",
        "The token is valid, but its role or its scopes do not allow this operation; `detail` says who may. "
        "Only the GM opens and changes seats and closes the encounter; observers only read. Use the token of "
        "another seat, or ask the GM.",
    ),
    ProblemType(
        "not-found",
        404,
        "Not found",
        "The resource does not exist, or you may not see it; both get the same answer. Check the address and "
        "whether the token is that of this encounter or of its owner.",
    ),
    ProblemType(
        "method-not-allowed",
        405,
        "The method is not allowed here",
        "The resource exists, but does not support this method. `Allow` lists the methods that it supports. "
        "If a browser asked with `OPTIONS`, its page is of another origin: the operator may list the origin "
        "in `REWOUND_CORS_ORIGINS`.",
    ),
    ProblemType(
        "request-timeout",
        408,
        "The request took too long to arrive",
        "The head and the body of a request must each arrive within a time limit. The operator sets the "
        "limits; the defaults are 10 and 60 seconds. Nothing was changed. Send the request again.",
    ),
    ProblemType(
        "command-refused",
        409,
        "The rules refuse the command",
        "The command is well-formed, but the rules do not allow it now. `code` is a stable reason, `rule` is "
        "the id of the rule (see `/v1/rulesets/{edition}/rules/{rule}`), `detail` explains it in words. `n` "
        "is the command's number on the record; it is absent if the refusal is not recorded. No dice were "
        "thrown and the state is unchanged. `GET …/options` lists the legal commands.",
    ),
    ProblemType(
        "command-quarantined",
        409,
        "The command is quarantined",
        "Deciding this command crashed a worker three times. It is recorded as quarantined and changed "
        "nothing. The encounter goes on. Please report it, with the encounter and `n`.",
    ),
    ProblemType(
        "fork-expired",
        410,
        "The fork has expired",
        "At the time in `expires` a fork is deleted, together with every line of play that continued it. The "
        "encounter that it was forked from is untouched and can be forked again. Tokens of the fork's seats "
        "are no longer valid.",
    ),
    ProblemType(
        "encounter-removed",
        410,
        "The encounter was removed",
        "The encounter was closed, its bundle was downloaded or archived, and its record has been deleted. "
        "`removed` gives the number of its commits, the `hash` of the last one and the SHA-256 of the "
        "`bundle`. Its checkpoints and the certificates of its audits can still be read; use them with "
        "`rewound verify` to check a bundle or a receipt.",
    ),
    ProblemType(
        "encounter-missing",
        404,
        "The encounter is missing from the store",
        "This service signed commits of the encounter, but the store no longer has it: the store was rolled "
        "back, replaced or restored from an older backup. `dispute` gives what was signed. The encounter was "
        "not removed, and its id is never reused. The operator can restore a backup that has the encounter "
        "and start a worker, which compares it with what was signed. If you have its bundle, compare it with "
        "`dispute.lost` by `rewound verify`, or import it with `POST /v1/bundles` to read and audit it.",
    ),
    ProblemType(
        "not-carriable",
        409,
        "The creature cannot be carried now",
        "A character is carried to another encounter as it stands while no combat runs and nothing is "
        "unresolved: before a fight, between two, or after it. End combat first, or name with `at` a commit "
        "at which none ran. Rulesets that carry no characters answer this too.",
    ),
    ProblemType(
        "not-removable",
        409,
        "The encounter cannot be removed",
        "Only a closed encounter can be removed. If it continues in another line of play, that line must be "
        "removed first. `detail` gives the reason.",
    ),
    ProblemType(
        "bundle-digest-mismatch",
        409,
        "The digest of the bundle does not match",
        "To remove an encounter you must have its complete bundle. Download `GET …/bundle` as the GM, keep "
        "the file, and send its SHA-256. If a checkpoint was signed since, the bundle has changed; download "
        "it again.",
    ),
    ProblemType(
        "version-mismatch",
        412,
        "The encounter has moved on",
        "`If-Match` named a version that is not the newest. The newest is `version`. Read the state again "
        "before you send another command.",
    ),
    ProblemType(
        "body-too-large",
        413,
        "The body is too large",
        "A body has at most 64 KiB; one that opens or simulates an encounter has at most 1 MiB, a bundle at "
        "most 32 MiB. Send fewer commands in one array, or a smaller map; `rewound verify` audits a larger "
        "bundle.",
    ),
    ProblemType(
        "target-too-long",
        414,
        "The target of the request is too long",
        "A request line has at most 8,190 bytes. Name fewer or shorter parameters in the address.",
    ),
    ProblemType(
        "unsupported-media-type",
        415,
        "The media type is not supported",
        "Send `Content-Type: application/json`, or `application/jsonl` for a bundle, without a content "
        "encoding.",
    ),
    ProblemType(
        "invalid",
        422,
        "The request does not fit its schema",
        "Each entry of `errors` has a `pointer` into the body (or `?name` for a query parameter) and says "
        "what was expected there. Unknown fields are refused. So is text that contains control characters, "
        "bidirectional controls or code points that Unicode 14.0 does not assign. Nothing was appended.",
    ),
    ProblemType(
        "idempotency-key-reused",
        422,
        "The idempotency key was used for another request",
        "This `Idempotency-Key` was already used with another method, path, query or body. A repeat must "
        "be exactly the same request; a new request needs a new key.",
    ),
    ProblemType(
        "too-many-forks",
        409,
        "Too many forks",
        "An owner has at most 200 forks. A seat other than the gm's has at most 10 of one encounter. Delete "
        "one (`DELETE …/forks/{fork}`), or wait until one expires.",
    ),
    ProblemType(
        "too-many-webhooks",
        409,
        "Too many webhooks",
        "An owner has at most 20 webhooks. End one of them (`DELETE /v1/webhooks/{webhook}`).",
    ),
    ProblemType(
        "too-many-api-keys",
        409,
        "Too many API keys",
        "An owner has at most 100 valid API keys. End one of them (`DELETE /v1/api-keys/{key}`). Keys that "
        "ended or expired do not count; the newest 100 of them stay listed.",
    ),
    ProblemType(
        "webhook-disabled",
        409,
        "The webhook is disabled",
        "Its receiver answered 410 Gone, so nothing more is sent to it. Reactivate it (`PATCH`), or end it.",
    ),
    ProblemType(
        "too-many-requests",
        429,
        "Too many requests",
        "Your key, seat or owner, or your address, has used up its requests for this minute, or your address "
        "has sent too many invalid tokens. `Retry-After` gives the seconds to wait. `RateLimit` on every "
        "answer gives what is left. Nothing was changed.",
    ),
    ProblemType(
        "too-many-imports",
        429,
        "Too many imports are waiting",
        "At most 8 bundles of one owner may wait for a worker, so that no owner fills the store with "
        "unverified files. Send this bundle again when one of them is `done` or `failed` "
        "(`GET /v1/bundles`).",
    ),
    ProblemType(
        "too-many-refusals",
        429,
        "Too many commands of the seat were refused",
        "A player's seat may be refused 300 commands a minute (the operator sets the limit), because refused "
        "commands are on the record and take room of the encounter's owner. `limit` gives the figure. "
        "Nothing was changed. Ask for `GET …/options`, and send the request again after `Retry-After`.",
    ),
    ProblemType(
        "too-many-undecided",
        429,
        "Too many commands are undecided",
        "At most 2,000 commands of one encounter may wait for their decision, and at most 10,000 of all "
        "encounters of one owner. Seats other than the GM's may append only while less than 1,000 of their "
        "encounter wait. `used` and `limit` give the figures. Nothing was changed, and the key is not used. "
        "Send the request again after `Retry-After`, with the same key.",
    ),
    ProblemType(
        "too-many-audits",
        429,
        "Too many audits are waiting",
        "At most 8 audits of one owner's encounters may wait for a worker, so that no owner delays "
        "others. An auditor's seat asks for one while fewer than 4 wait. Try again when one of them is "
        "`done` or `failed`.",
    ),
    ProblemType(
        "too-many-simulations",
        429,
        "Too many simulations are waiting",
        "At most 8 simulations of one owner may wait for a worker, so that no owner delays others. Try "
        "again when one of them is `done` or `failed`.",
    ),
    ProblemType(
        "too-many-streams",
        429,
        "Too many streams are open",
        "The number of open streams is limited per process and per owner. Of an owner's, the tokens of "
        "a player's seat have at most an eighth, those of another seat half, and those of all seats together "
        "three quarters. Close one, try again after `Retry-After`, or read the pages of commits.",
    ),
    ProblemType(
        "fields-too-large",
        431,
        "The header fields of the request are too large",
        "A request has at most 100 header fields of at most 8,190 bytes each, and 32 KiB of them in all. "
        "Send fewer fields, such as cookies, which the service does not read.",
    ),
    ProblemType(
        "coding-not-supported",
        501,
        "The transfer coding is not supported",
        "Send a body with `Content-Length`, or with `Transfer-Encoding: chunked` and no other coding.",
    ),
    ProblemType(
        "too-many-connections",
        503,
        "Too many connections",
        "The number of connections is limited per process and per address, and every open one is answering "
        "a request. Try again after `Retry-After`.",
    ),
    ProblemType(
        "out-of-memory",
        503,
        "Out of memory",
        "The request needed more memory than one process may use. Try again after `Retry-After`, or ask "
        "for less at once. If the request may have changed something, look up its outcome by its key.",
    ),
    ProblemType(
        "internal-error",
        500,
        "Internal error",
        "The error was logged under `request_id`. If the request may have changed something, look up its "
        "outcome by its idempotency key.",
    ),
    ProblemType(
        "encounter-imported",
        409,
        "An imported encounter takes no commands",
        "The encounter was imported from a bundle. It can be read, replayed and audited here, but is played "
        "only where it came from. To try something, fork it (`POST …/forks`).",
    ),
    ProblemType(
        "file-not-converted",
        422,
        "The file cannot be converted",
        "`faults` has a line for each fault, with its place in the file: a row and column, a line, or a JSON "
        "pointer. Correct the file, or choose otherwise by the parameters that a fault names.",
    ),
    ProblemType(
        "bundle-refused",
        422,
        "The bundle was refused",
        "`code` is the verdict of its audit, `detail` names the place. A bundle is imported only if it is "
        "sound and withholds nothing; nothing of a refused bundle is stored. `rewound verify` explains more.",
    ),
    ProblemType(
        "too-much-work",
        422,
        "The request takes too much work",
        "To answer it by the rules takes more steps of work than one request may take, so it was stopped and "
        "changed nothing. Ask for less: the options of one creature (`?creature=`), of one prompt or of some "
        "types; fewer commands in an array; a part of a round.",
    ),
    ProblemType(
        "too-slow",
        503,
        "The request takes too long",
        "A read computes for half a minute at most; on a busy machine that may be too little, so it was "
        "stopped and changed nothing. Try again after `Retry-After`, or ask for less, as at `too-much-work`.",
    ),
    ProblemType(
        "not-yet-folded",
        503,
        "The version is not available yet",
        "The encounter's opening is not decided yet, or the commit that `min_version` names was not folded "
        "within the time that `Prefer: wait=N` allows. Try again.",
    ),
    ProblemType(
        "edition-unavailable",
        503,
        "The edition of the encounter is unavailable",
        "This process does not have the edition that the encounter is played by; the service may be in the "
        "middle of an upgrade. Nothing was changed. Try again after `Retry-After`.",
    ),
    ProblemType(
        "record-damaged",
        500,
        "The stored record cannot be read",
        "The stored record of the encounter is inconsistent, or was written with another service secret. "
        "Nothing was changed. The operator has to restore a backup or the service's secret; "
        "`POST …/audits` locates the damage.",
    ),
    ProblemType(
        "store-unavailable",
        503,
        "The store cannot be reached",
        "Nothing was changed. Try again after `Retry-After`.",
    ),
    ProblemType(
        "archive-unavailable",
        503,
        "The archived encounter is unavailable",
        "The encounter is archived. The archive does not answer, or no worker has restored it yet, or its "
        "file is missing or damaged and the operator must restore it; `detail` says which. "
        "Nothing was changed. Try again after `Retry-After`.",
    ),
    ProblemType(
        "store-loading",
        503,
        "The store is starting",
        "The store reads its log from disk before it serves requests. Nothing was changed. Try again after "
        "`Retry-After`; `GET /readyz` gives the progress.",
    ),
    ProblemType(
        "outcome-unknown",
        504,
        "The outcome is unknown",
        "The request was sent to the store, but no answer came. Ask `GET …/commands?key=…` with the same "
        "idempotency key, or repeat the request with that key: it happens at most once.",
    ),
    ProblemType(
        "store-full",
        507,
        "The store is full",
        "Nothing was changed. Close and remove encounters that you no longer need, or ask the operator, who "
        "has to free memory; then the service accepts commands again without a restart.",
    ),
    ProblemType(
        "quota-exceeded",
        507,
        "Your quota is used up",
        "`quota` names the quota: `encounters`, `commands` or `bytes`; `used` and `limit` give the figures, "
        "which are counted once a minute. Nothing was changed. Close and remove encounters that you no "
        "longer need: `close` is never refused for a quota.",
    ),
)

PROBLEMS: Final[Mapping[str, ProblemType]] = MappingProxyType({each.code: each for each in _TYPES})


class Problem(Exception):
    """The request is answered with a problem: its type, its detail, and the members that the type adds."""

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
        """Return the problem document for the request *request_id* to the path *instance* (RFC 9457)."""
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
    """Return the problem `invalid`; each of *errors* is a pointer and what was expected there."""
    return Problem("invalid", detail or _summary(errors), members={"errors": listed(errors)})


def listed(errors: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return *errors* as the `errors` member of a problem document."""
    return [{"pointer": pointer, "detail": detail} for pointer, detail in errors]


_NAMED: Final = 3
"""How many faults `detail` names; `errors` lists all of them."""


def _summary(errors: Sequence[tuple[str, str]]) -> str:
    if not errors:
        return "the request does not fit its schema"
    named = "; ".join(f"{pointer}: {detail}" if pointer else detail for pointer, detail in errors[:_NAMED])
    return f"{named}; and {len(errors) - _NAMED} more" if len(errors) > _NAMED else named


def removed(data: Mapping[str, Any]) -> Problem:
    """Return the problem `encounter-removed`; *data* is the member `removed`."""
    detail = f"the encounter was removed at {data['at']}, after {data['size']} commits"
    return Problem("encounter-removed", detail, members={"removed": dict(data)})


def missing(data: Mapping[str, Any]) -> Problem:
    """Return the problem `encounter-missing`; *data* is the member `dispute`."""
    return Problem("encounter-missing", data["text"], members={"dispute": dict(data)})


def not_found(detail: str = "there is nothing at this address that you may see") -> Problem:
    """Return the problem `not-found`, which is the same for a missing resource and for another owner's.

    Pass a *detail* only for an address at which no resource can exist.
    """
    return Problem("not-found", detail)
