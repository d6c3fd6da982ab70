"""Connect to a service with the Python client, without the environment's proxies and `.netrc`."""

from __future__ import annotations

from typing import Final

import requests

from rewound_client import RetryPolicy, Rewound, RewoundError, Unreachable
from rewound_client.transport import Transport

ONE_TRY: Final = RetryPolicy(total_s=0.0)
NO_TOKEN: Final = ""


def connect(url: str, token: str) -> Rewound:
    """Return a client of the service at *url*; close it after use."""
    return Rewound(url, token, session=_session())


def not_ready(url: str) -> str | None:
    """Return why the service at *url* does not accept commands yet, None if it does."""
    with _session() as session:
        try:
            Transport(url, NO_TOKEN, session, ONE_TRY).get("/readyz")
        except RewoundError as fault:
            return described(fault, url)
    return None


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
