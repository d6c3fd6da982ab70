"""Usage and quotas of owners: what an owner stores and may store, and an operator's changes to that."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from service.api.fields import IntegerField
from service.api.operations import KEY_HOLDERS, ResponseSchema, operation
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import strict
from service.api.shapes import NUMBER, closed, component, maybe
from service.rules.kernel.meaning import number
from service.stores import api_keys, owner_quotas
from service.stores.owner_quotas import NONE

TAG: Final = "Owners"
_SHARE: Final = component(
    "UsageShare",
    closed(
        "How much is used, and the quota.",
        used={**NUMBER, "description": "How much is used."},
        limit={**maybe(NUMBER), "description": "The quota; null if there is none."},
    ),
)
_WHAT: Final = {"encounters": "The encounters", "commands": "The commands", "bytes": "The stored bytes"}
USAGE: Final = component(
    "Usage",
    closed(
        "What an owner stores in all encounters together, those in the archive too.",
        owner={"type": "string", "description": "The owner's id: that of the owner's first key."},
        **{name: {**_SHARE, "description": f"{what} of this owner."} for name, what in _WHAT.items()},
    ),
)
_COUNTED: Final = ResponseSchema("The usage, at most a minute old.", USAGE)
_OWNER: Final = "/v1/owners/{owner}"
_MOST: Final = 10**15
QUOTAS: Final = strict(
    "OwnerQuotas",
    {
        name: IntegerField(
            number("count", 0, _MOST), metadata={"description": f"{what} that the owner may have."}
        )
        for name, what in _WHAT.items()
    },
)


@operation("GET", "/v1/usage", "getUsage", TAG, roles=KEY_HOLDERS, answers={200: _COUNTED})
def get_usage(request: ApiRequest) -> ApiResponse:
    """Get what your owner stores, and its quotas.

    An append beyond a quota is answered 507 `quota-exceeded`.
    """
    assert request.caller is not None
    assert request.caller.key is not None
    return _usage(request, request.caller.key.owner)


@operation(
    "GET",
    _OWNER + "/usage",
    "getOwnerUsage",
    TAG,
    roles=KEY_HOLDERS,
    scope="operator",
    answers={200: _COUNTED},
)
def get_owner_usage(request: ApiRequest) -> ApiResponse:
    """Get what an owner stores, and its quotas, as the operator.

    `rewound owners` lists all owners. A log line and `GET /metrics` name an owner by the id of its first key.
    """
    return _usage(request, _named(request))


@operation(
    "PATCH",
    _OWNER + "/quotas",
    "changeOwnerQuotas",
    TAG,
    roles=KEY_HOLDERS,
    scope="operator",
    body=QUOTAS,
    answers={200: _COUNTED},
)
def change_owner_quotas(request: ApiRequest) -> ApiResponse:
    """Give an owner quotas of its own, as the operator; 0 means unlimited.

    What is not sent stays as it is. The quotas of all other owners are those of the service's settings. Other
    processes of the API heed the change within ten seconds.
    """
    owner = _named(request)
    now = owner_quotas.find(request.services.log, owner)
    return _given(request, owner, replace(now, **request.data))


@operation(
    "DELETE",
    _OWNER + "/quotas",
    "resetOwnerQuotas",
    TAG,
    roles=KEY_HOLDERS,
    scope="operator",
    answers={200: _COUNTED},
)
def reset_owner_quotas(request: ApiRequest) -> ApiResponse:
    """Give an owner the quotas of the service's settings again, as the operator."""
    return _given(request, _named(request), NONE)


def _given(request: ApiRequest, owner: str, quotas: owner_quotas.OwnQuotas) -> ApiResponse:
    owner_quotas.put(request.services.log, owner, quotas)
    request.services.capacity.own.forget(owner)
    return _usage(request, owner)


def _named(request: ApiRequest) -> str:
    """Return the owner that the path names; raises `not-found` if it never had a key."""
    key = api_keys.known(request.services.log, request.path["owner"])
    if key is None or key.owner != key.id:
        raise not_found("there is no owner with this id: rewound owners lists them")
    return key.owner


def _usage(request: ApiRequest, owner: str) -> ApiResponse:
    capacity = request.services.capacity
    used, limits = asdict(capacity.usage(owner)), asdict(capacity.quotas_of(owner))
    shares: dict[str, Any] = {
        name: {"used": used[name], "limit": limit or None} for name, limit in limits.items()
    }
    return ApiResponse({"owner": owner, **shares})
