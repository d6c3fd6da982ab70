"""Connect to a service with the Python client, without the environment's proxies and `.netrc`."""

from __future__ import annotations

from typing import Final, NamedTuple

import requests

from rewound_client import Problem, RetryPolicy, Rewound, RewoundError, Unreachable
from rewound_client.transport import Transport
from service.usecases.health import WELL

ONE_TRY: Final = RetryPolicy(total_s=0.0)
NO_TOKEN: Final = ""


def connect(url: str, token: str) -> Rewound:
    """Return a client of the service at *url*; close it after use."""
    return Rewound(url, token, session=_session())


def page_of(url: str, encounter: str, token: str) -> str:
    """Return the address of an encounter's page, with *token* in the part that browsers do not send."""
    return f"{url}/encounters/{encounter}#key={token}"


class NotReady(NamedTuple):
    """Why a service does not accept commands yet."""

    why: str
    waits_for: str
    """What somebody who starts the service waits for."""


def not_ready(url: str) -> NotReady | None:
    """Return why the service at *url* does not accept commands yet, None if it does."""
    with _session() as session:
        try:
            Transport(url, NO_TOKEN, session, ONE_TRY).get("/readyz")
        except Unreachable as fault:
            return NotReady(described(fault, url), "the API")
        except Problem as fault:
            why = _failing_checks(fault.data) or str(fault)
            return NotReady(f"the service is not ready: {why}", why)
        except RewoundError as fault:
            return NotReady(str(fault), str(fault))
    return None


def unanswered(url: str) -> str | None:
    """Return why nobody answers at *url*, after one try; None if anybody does."""
    with _session() as session:
        try:
            Transport(url, NO_TOKEN, session, ONE_TRY).get("/readyz")
        except Unreachable as fault:
            return described(fault, url)
        except RewoundError:
            return None
    return None


def _failing_checks(readiness: dict[str, object]) -> str:
    """Return the checks that failed in an answer of `/readyz`, each with its reason; empty without checks."""
    checks = readiness.get("checks")
    if not isinstance(checks, dict):
        return ""
    return "; ".join(f"{name} ({why})" for name, why in checks.items() if why != WELL)


def described(fault: Exception, url: str) -> str:
    """Return *fault* as text; if nobody answered, the address and what the operating system said."""
    if not isinstance(fault, Unreachable):
        return str(fault)
    first: BaseException = fault
    while (earlier := first.__cause__ or first.__context__) is not None:
        first = earlier
    return f"{url} does not answer: {first}"


def _session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session
