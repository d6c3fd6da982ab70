"""Cached states of encounters in a Valkey or Redis server: the newest one, and snapshots by commit."""

from service.log import keys
from service.log.valkey.library import call
from service.log.valkey.routing import Router
from service.log.values import SNAPSHOT_BYTES, SNAPSHOT_SHARE, CachedState, Entry, SnapshotName


class ValkeyStates:
    """Cached states; only the record can confirm them."""

    _wire: Router

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Replace the newest state."""
        fields = ("n", state.n, "hash", state.hash, "ruleset", state.ruleset_digest, "blob", state.blob)
        self._wire.change("HSET", keys.state(encounter), *fields)

    def state(self, encounter: str) -> CachedState | None:
        """Return the newest state."""
        n, hash_, ruleset, blob = self._wire.read(
            "HMGET", keys.state(encounter), "n", "hash", "ruleset", "blob"
        )
        if n is None:
            return None
        return CachedState(int(n), hash_.decode(), ruleset.decode(), blob)

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Store *snapshot* beside those of other commits; see `EventLog.put_snapshot`."""
        name = snapshot.name
        return self._put_derived(encounter, name.n, f"{name.n}/{name.rules}", f"{name.n}/", snapshot.packed)

    def _put_derived(self, encounter: str, n: int, field: str, replaces: str, blob: bytes) -> bool:
        names = (keys.state(encounter), keys.head(encounter))
        bounds = (SNAPSHOT_BYTES, SNAPSHOT_SHARE)
        return bool(self._wire.change(*call("put_derived", names, n, field, replaces, blob, *bounds)))

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Return the names of the snapshots, by rising n."""
        named = [name.decode().split("/") for name in self._wire.read("HKEYS", keys.state(encounter))]
        return sorted(SnapshotName(int(name[0]), name[1]) for name in named if name[0].isdigit())

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Return one snapshot."""
        kept = self._wire.read("HGET", keys.state(encounter), f"{name.n}/{name.rules}")
        if kept is None:
            return None
        return CachedState.unpacked(name.n, kept)

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Store the occasions of the interval that ends with commit *n*; see `EventLog.put_occasions`."""
        field = f"{keys.OCCASIONS}/{n:08}"
        return self._put_derived(encounter, n, field, field, blob)

    def occasions(self, encounter: str) -> list[Entry]:
        """Return the occasions of every interval, by rising n."""
        prefix = f"{keys.OCCASIONS}/".encode()
        named = self._wire.read("HKEYS", keys.state(encounter))
        wanted = sorted(name for name in named if name.startswith(prefix))
        if not wanted:
            return []
        blobs = self._wire.read("HMGET", keys.state(encounter), *wanted)
        return [
            Entry(int(name.removeprefix(prefix)), blob)
            for name, blob in zip(wanted, blobs, strict=True)
            if blob is not None
        ]
