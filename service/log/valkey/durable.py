"""Check the server settings without which acknowledged writes could be lost.

Every start checks them, for the embedded server and for others. A server that falls short is refused; its
settings are not changed, because they are its operator's.
"""

from contextlib import suppress
from dataclasses import dataclass

from service.log.errors import CommandRefused, NotDurable, NotPermitted, StoreUnavailable
from service.log.valkey.routing import Router
from service.log.valkey.wire import Wire


@dataclass(frozen=True, slots=True)
class DurabilityDemand:
    """One setting, the value it must have, and what happens otherwise."""

    setting: str
    value: str
    otherwise: str


DEMANDS = (
    DurabilityDemand("appendonly", "yes", "the log is gone with the process"),
    DurabilityDemand("appendfsync", "always", "the last second of acknowledged commands is lost on a crash"),
    DurabilityDemand("no-appendfsync-on-rewrite", "no", "nothing is synced while the file is rewritten"),
    DurabilityDemand(
        "maxmemory-policy", "noeviction", "whole encounters are thrown away when memory is short"
    ),
)
OLDEST = 7
"""The first major version with functions."""


def check_durable(router: Router) -> None:
    """Return if every node retains what it acknowledges; raise `NotDurable` with all faults otherwise.

    A replica that is down is not checked.
    """
    wanted = router.wanted_replicas
    faults = {
        wire.url: _role_faults(wire) or _faults(wire) or _replica_faults(wire, wanted)
        for wire in router.primaries()
    }
    for wire in router.replicas():
        with suppress(StoreUnavailable):
            faults[wire.url] = _faults(wire)
    if wanted and not router.is_cluster():
        for wire in router.wires_to(_followers(router.primaries()[0])):
            faults[wire.url] = _follower_faults(wire)
    several = len(faults) > 1
    found = [f"{url}: {fault}" if several else fault for url, each in faults.items() for fault in each]
    if found:
        raise NotDurable(tuple(found))


def _faults(wire: Wire) -> list[str]:
    # a server that is too old cannot report several settings at once
    return _version_faults(wire) or _setting_faults(wire)


def _role_faults(wire: Wire) -> list[str]:
    """Return the fault of a server that follows another, which may be writable all the same."""
    fields = parse_info(wire.read("INFO", "replication"))
    if fields.get("role") == "master":
        return []
    primary = f"{fields.get('master_host', '?')}:{fields.get('master_port', '?')}"
    otherwise = "the next full copy of that one replaces what is written here"
    return [f"it is a replica of {primary}, and {otherwise}: name that one"]


def _followers(primary: Wire) -> list[str]:
    """Return the addresses of the replicas that follow *primary* now."""
    fields = parse_info(primary.read("INFO", "replication"))
    found = [value for name, value in fields.items() if name.startswith("slave") and "state=online" in value]
    parts = [dict(each.split("=", 1) for each in value.split(",") if "=" in each) for value in found]
    return [f"{each['ip']}:{each['port']}" for each in parts]


def _follower_faults(wire: Wire) -> list[str]:
    """Return the faults of a replica that may be the one that confirms a change."""
    try:
        return _faults(wire)
    except StoreUnavailable as failure:
        return [f"it may confirm a change, and cannot be asked whether it is on its disk: {failure}"]


def _replica_faults(wire: Wire, wanted: int) -> list[str]:
    if not wanted:
        return []
    fields = parse_info(wire.read("INFO", "replication"))
    online = sum("state=online" in value for name, value in fields.items() if name.startswith("slave"))
    if online >= wanted:
        return []
    return [
        f"{online} replicas follow it, and REWOUND_REPLICAS asks for {wanted}: start them, or ask for fewer"
    ]


def parse_info(raw: bytes) -> dict[str, str]:
    """Return the fields of a reply to `INFO`, by name."""
    pairs = (line.partition(":") for line in raw.decode().splitlines() if ":" in line)
    return {name: value for name, _, value in pairs}


def _version_faults(wire: Wire) -> list[str]:
    version = parse_info(wire.read("INFO", "server"))["redis_version"]
    if int(version.partition(".")[0]) < OLDEST:
        return [f"it is version {version} and has no functions: use Valkey 8 or Redis 7, or newer"]
    return []


def _setting_faults(wire: Wire) -> list[str]:
    try:
        flat = wire.read("CONFIG", "GET", *(demand.setting for demand in DEMANDS))
    except NotPermitted:
        return ["its settings may not be read: grant the service's user +config|get"]
    except CommandRefused:
        return ["its settings cannot be read: it does not know CONFIG, which must not be renamed or disabled"]
    settings = dict(zip(flat[::2], flat[1::2], strict=True))
    faults = []
    for demand in DEMANDS:
        found = settings.get(demand.setting.encode(), b"").decode()
        if found != demand.value:
            mend = f"CONFIG SET {demand.setting} {demand.value}, and the same line in its configuration file"
            faults.append(f"{demand.setting} is {found or 'unknown'}, so {demand.otherwise}: {mend}")
    return faults
