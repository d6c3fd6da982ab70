"""Build the call that submits a request, and parse its reply."""

from service.log import keys
from service.log.protocol import SubmitOptions
from service.log.valkey.library import call
from service.log.valkey.replies import place_in
from service.log.valkey.wire import Command, Reply
from service.log.values import Submitted


def submit_call(encounter: str, request: bytes, options: SubmitOptions) -> Command:
    """Return the call that submits *request*."""
    bucket = keys.bucket_of(encounter)
    expected, secret = options.get("expected"), options.get("secret", b"")
    return call(
        "submit",
        (
            keys.commands(encounter),
            keys.head(encounter),
            keys.idempotency(encounter),
            keys.dirty(bucket),
            keys.notified(bucket),
        ),
        keys.key_field(options["scope"], options["key"]),
        options["fingerprint"],
        request,
        "" if expected is None else expected,
        int(options.get("create", False)),
        encounter,
        options["at_ms"],
        options["notify_ms"],
        keys.appends(bucket),
        keys.secret(encounter) if secret else "",
        secret,
        options.get("process", ""),
        options.get("trace", ""),
        options.get("most_undecided", ""),
        *options.get("more", ()),
    )


def submitted(encounter: str, answer: Reply, options: SubmitOptions) -> Submitted:
    """Return the result in the reply to a submission with *options*, or raise its refusal."""
    n, replayed = place_in(encounter, answer, options.get("most_undecided"))
    undecided, must_notify = answer[2:]
    return Submitted(n, replayed, must_notify == 1, undecided)
