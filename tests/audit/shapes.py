"""Change one value of a bundle into one of another shape, and make every hash fit, so that nothing hides it.

`tests.audit.cases` tries many of them in both verifiers; a sample runs with the tests. Whatever stands where,
an audit ends with a verdict, and where no rule is needed both say the same.
"""

from __future__ import annotations

import json
import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.evidence import Evidence
from service.audit.verify import verify
from service.dice.chain import seat_commitment
from service.record.canonical import dumps, eid_of
from service.record.digest import ruleset_digest
from tests.audit.evidence_of import forged, resealed
from tests.audit.games import RULES, signed, tiny_game
from tests.audit.golden import HOME
from tests.support.javascript_verifier import as_bundle
from tests.support.tiny_game import TINY
from tests.support.tiny_table import Sitting, player

ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2**53 - 1, 1 - 2**53, 65_537, "", "a", "é", " ", "__proto__", "gm", "*"),
    *(
        "A" * 64,
        "a" * 64,
        " a" * 32,
        "0" * 63,
        "9" * 17,
        "server",
        "mixed",
        "00000000-0000-0000-0000-000000000001",
    ),
    *(
        [],
        [1],
        [[]],
        ["a", "a"],
        [{}],
        {},
        {"a": 1},
        {"type": 1},
        {"ada": 1},
        {"__proto__": []},
        {"size": True},
    ),
)
PROTOTYPE: Final = (
    *("constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__proto__"),
    *("propertyIsEnumerable", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
"""The names that every object of JavaScript has from its prototype."""
NAMES: Final = (*PROTOTYPE, "zzz", "0", "")
PLACES: Final = 40
"""How many places of one value are drawn from; the first ones of a long list stand for the others."""


@cache
def mixed_game() -> Evidence:
    """Return a closed game whose seats have seeded the dice, with a roll of the gm's own."""
    sitting = Sitting()
    sitting.open(digest=ruleset_digest(TINY), seeding={"mode": "mixed", "seats": ["ada", "bo", "gm"]})
    seeds = {"ada": b"a" * 32, "bo": b"b" * 32}
    for seat, seed in seeds.items():
        made = seat_commitment(eid_of(sitting.encounter), seat, seed).hex()
        sitting.do("commit_seed", player(seat), commitment=made)
    sitting.do("waive_seed", seat="gm", reason="enough of them")
    for seat, seed in seeds.items():
        sitting.do("reveal_seed", player(seat), seed=seed.hex())
    sitting.do("roll")
    sitting.do("choose", player("ada"), number=3)
    sitting.do("roll_behind_screen", dice=[6, 6], what="luck")
    sitting.do("end_round")
    sitting.do("advance_epoch", reason="a word too many")
    sitting.do("close", reason="enough")
    return signed(sitting.encounter, sitting)


@cache
def golden_games() -> tuple[Evidence, ...]:
    """Return the golden bundles that are small enough to be judged by the hundred."""
    files = sorted(HOME.glob("*.jsonl"), key=lambda path: path.stat().st_size)
    return tuple(bundle.read(path.read_bytes()) for path in files[:3])


def game_of(rng: random.Random) -> Evidence:
    """Return one of the games, without checkpoints: whatever is changed, they would contradict."""
    if rng.random() < 0.5:
        return replace(mixed_game(), notes=(), keys=())
    if rng.random() < 0.1:
        return replace(rng.choice(golden_games()), notes=(), keys=())
    return replace(tiny_game(rng.randrange(6)), notes=(), keys=())


# --- one value of another shape ------------------------------------------------------------------------


def spoil(data: Any, rng: random.Random) -> None:
    """Change one value anywhere in *data* into another one, take it out, rename it, or add one."""
    places = list(_places(data))
    holder, key = rng.choice(places if len(places) <= PLACES else rng.sample(places, PLACES))
    value, how = holder[key], rng.random()
    if how < 0.1:
        del holder[key]
    elif how < 0.15 and isinstance(holder, dict):
        holder[rng.choice(NAMES)] = rng.choice(ODD)
    elif how < 0.18 and isinstance(holder, dict):
        holder[rng.choice(NAMES)] = holder.pop(key)
    elif how < 0.2:
        holder[key] = rng.choice(NAMES)
    elif how < 0.25 and isinstance(value, str):
        holder[key] = rng.choice((value.upper(), f"{value} ", f" {value}", value[:-1], value * 2))
    elif how < 0.35 and type(value) is int:
        holder[key] = value + rng.choice((-1, 1, 2**40))
    else:
        holder[key] = rng.choice(ODD)


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place of a value inside *data*: what holds it, and under which name or number."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(data, dict):
        pairs = list(data.items())
    elif isinstance(data, list):
        pairs = list(enumerate(data))
    for key, value in pairs:
        yield data, key
        yield from _places(value)


def reshaped(seed: int) -> bytes:
    """Return the bundle that *seed* makes: one value of it has another shape."""
    rng = random.Random(f"shape {seed}")
    return rng.choice((_commit, _commit, _commit, _request, _payload, _line))(rng)


def _commit(rng: random.Random) -> bytes:
    evidence = game_of(rng)
    early = rng.random() < 0.4  # what the dice follow from stands there
    n = rng.randrange(1, 8 if early else len(evidence.commits) + 1)
    return _spelled(forged(evidence, n, lambda commit: spoil(_inside(commit, rng), rng)))


def _inside(commit: dict[str, Any], rng: random.Random) -> Any:
    """Return the commit, or what it tells: most members of most commits are checked at the first look."""
    found = [part for part in (*commit["events"], *commit["rolls"]) if len(part) > 1]
    return rng.choice(found) if found and rng.random() < 0.7 else commit


def _request(rng: random.Random) -> bytes:
    """Change a request, and have its commit name the new one."""
    evidence = game_of(rng)
    readable = [(n, raw) for n, raw in enumerate(evidence.requests, 1) if raw is not None]
    n, raw = rng.choice(readable) if rng.random() < 0.5 else readable[0]
    data = json.loads(raw)
    spoil(data["data"] if rng.random() < 0.7 and data["data"] else data, rng)
    changed = dumps(data)
    requests = [*evidence.requests[: n - 1], changed, *evidence.requests[n:]]

    def name(commit: dict[str, Any]) -> None:
        commit["request"] = sha256(changed).hexdigest()

    return _spelled(replace(forged(evidence, n, name), requests=requests))


def _payload(rng: random.Random) -> bytes:
    evidence = game_of(rng)
    place = rng.choice(sorted(evidence.opened)) if evidence.opened else None
    if place is None:
        return _line(rng)
    return _spelled(resealed(evidence, place, lambda payload: spoil(payload, rng)))


def _line(rng: random.Random) -> bytes:
    """Change a line itself; here there are checkpoints and keys, and a link beside the commits."""
    lines = [json.loads(line) for line in bundle.write(rng.choice((mixed_game(), tiny_game(1))), "gm")]
    links = [{"kind": "disclosure", "lane": 0, "epoch": 1, "link": "a" * 64}] if rng.random() < 0.3 else []
    first = next((at for at, line in enumerate(lines) if line["kind"] == "key"), len(lines) - 1)
    lines[first:first] = links
    kind = rng.choice(sorted({line["kind"] for line in lines}))
    spoil(rng.choice([line for line in lines if line["kind"] == kind]), rng)
    return b"".join(dumps(line) + b"\n" for line in lines)


def _spelled(evidence: Evidence) -> bytes:
    raw = as_bundle(evidence)
    assert raw is not None, "what is spelled canonically is text"
    return raw


# --- what is said of them ------------------------------------------------------------------------------


def crashes(seeds: Sequence[int], made: Callable[[int], bytes] = reshaped) -> list[str]:
    """Return every bundle on which an audit breaks instead of judging."""
    found: list[str] = []
    for seed in seeds:
        raw = made(seed)
        try:
            for registry in (RULES, {}):
                json.dumps(certificate(verify(bundle.read(raw), registry)))
        except bundle.BadBundle:
            continue
        except Exception:  # noqa: BLE001 - that is what is looked for
            found.append(f"seed {seed}: {traceback.format_exc(limit=-3)}")
    return found
