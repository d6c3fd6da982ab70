"""The cached states of encounters in a Valkey or Redis server: the newest one, and snapshots by commit."""

from service.log import keys
from service.log.library import call
from service.log.routing import Router
from service.log.values import SNAPSHOT_BYTES, SNAPSHOT_SHARE, CachedState, Entry, SnapshotName


class ValkeyStates:
    """States as they were written down: worth only what the record confirms."""

    _wire: Router

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Replace the cached fold."""
        fields = ("n", state.n, "hash", state.hash, "ruleset", state.ruleset_digest, "blob", state.blob)
        self._wire.change("HSET", keys.state(encounter), *fields)

    def state(self, encounter: str) -> CachedState | None:
        """Read the cached fold."""
        n, hash_, ruleset, blob = self._wire.read(
            "HMGET", keys.state(encounter), "n", "hash", "ruleset", "blob"
        )
        if n is None:
            return None
        return CachedState(int(n), hash_.decode(), ruleset.decode(), blob)

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Keep *snapshot* beside those of other commits; see `Streams.put_snapshot`."""
        name = snapshot.name
        return self._put_derived(encounter, name.n, f"{name.n}/{name.rules}", f"{name.n}/", snapshot.packed)

    def _put_derived(self, encounter: str, n: int, field: str, replaces: str, blob: bytes) -> bool:
        names = (keys.state(encounter), keys.head(encounter))
        bounds = (SNAPSHOT_BYTES, SNAPSHOT_SHARE)
        return bool(self._wire.change(*call("put_derived", names, n, field, replaces, blob, *bounds)))

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Read which snapshots there are, by rising n."""
        named = [name.decode().split("/") for name in self._wire.read("HKEYS", keys.state(encounter))]
        return sorted(SnapshotName(int(name[0]), name[1]) for name in named if name[0].isdigit())

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Read one snapshot."""
        kept = self._wire.read("HGET", keys.state(encounter), f"{name.n}/{name.rules}")
        if kept is None:
            return None
        return CachedState.unpacked(name.n, kept)

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Keep the occasions of the interval that ends with commit *n*; see `Streams.put_occasions`."""
        field = f"{keys.OCCASIONS}/{n:08}"
        return self._put_derived(encounter, n, field, field, blob)

    def occasions(self, encounter: str) -> list[Entry]:
        """Read the occasions of every interval, by rising n."""
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
