"""Play one encounter: manage seats, send commands, list legal commands, read and follow it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from rewound_client import shapes
from rewound_client.choices import with_lists
from rewound_client.disputed import Disputed
from rewound_client.errors import Problem
from rewound_client.place import NOT_FOUND
from rewound_client.proved import Proved
from rewound_client.receipts import Keep, ReceiptChecker
from rewound_client.signing import OtherKey, SeatKey, Signer
from rewound_client.stream import StreamEvent, follow
from rewound_client.transport import WAIT_S, Json, Query

Role = Literal["gm", "player", "observer", "auditor"]


class Table(Disputed, Proved):
    """One encounter as one seat sees it. Every method raises `Problem` and `Unreachable`."""

    # --- seats -------------------------------------------------------------------------------------

    def sit(self, seat: str) -> Table:
        """Return the encounter as *seat* sees it, with a new token, which revokes the previous one."""
        return self.with_token(self.issue_token(seat)["token"])

    def with_token(self, token: str) -> Table:
        """Return the encounter as the holder of *token* sees it."""
        return Table(self._transport.speaking_for(token), self.encounter, receipts=self._receipts)

    def issue_token(self, seat: str, *, key: str | None = None) -> shapes.SeatWithToken:
        """Issue a token for *seat*, and set its public *key* if one is given; only this answer has it."""
        data = {} if key is None else {"key": key}
        command = {"type": "issue_token", "seat": seat, **data}
        return cast("shapes.SeatWithToken", self._done("POST", f"/seats/{seat}/token", data, command=command))

    def share_seat(self, seat: str, *, expires_in_s: int | None = None) -> shapes.ShareLink:
        """Return a share link of *seat*: a `token` that expires, and the `page` that opens with it."""
        data = {} if expires_in_s is None else {"expires_in_s": expires_in_s}
        return cast("shapes.ShareLink", self._done("POST", f"/seats/{seat}/links", data))

    def open_seat(
        self, seat: str, role: Role, creatures: Sequence[str] = (), *, key: str | None = None
    ) -> shapes.SeatWithToken:
        """Open a seat, with a public *key* if one is given, and issue a token for it."""
        data = {"seat": seat, "role": role, "creatures": list(creatures)}
        data |= {} if key is None else {"key": key}
        command = {"type": "open_seat", **data}
        return cast("shapes.SeatWithToken", self._done("POST", "/seats", data, command=command))

    def change_seat(self, seat: str, creatures: Sequence[str]) -> shapes.Seat:
        """Set the creatures of *seat* to *creatures*."""
        data = {"creatures": list(creatures)}
        command = {"type": "change_seat", "seat": seat, **data}
        return cast("shapes.Seat", self._done("PATCH", f"/seats/{seat}", data, command=command))

    def close_seat(self, seat: str) -> None:
        """Close *seat* and revoke its token."""
        self._done("DELETE", f"/seats/{seat}", command={"type": "close_seat", "seat": seat})

    def seats(self) -> list[shapes.Seat]:
        """Return all seats, including closed ones."""
        return cast("list[shapes.Seat]", self._get("/seats")["seats"])

    def seat(self, seat: str) -> shapes.Seat:
        """Return one seat."""
        return cast("shapes.Seat", self._get(f"/seats/{seat}"))

    def signing(self, seat: str, key: SeatKey) -> Table:
        """Return the encounter as *seat*, the caller's own, which signs every command with *key* from now on.

        If the seat has no key, *key* is set, once and on the record. Raises `OtherKey` if it has another one:
        the gm replaces a lost key (`replace_seat_key`).
        """
        set_key = self.seat(seat)["key"]
        if set_key is None:
            self.send({"type": "set_seat_key", "seat": seat, "key": key.public})
        elif set_key != key.public:
            raise OtherKey(f"{seat} has another key: {set_key}")
        return Table(self._transport, self.encounter, Signer(seat, key), self._receipts)

    def replace_seat_key(self, seat: str, key: str | None) -> shapes.Outcome:
        """Replace the public key of *seat*, as the gm, or with None remove it. Everybody sees that."""
        if key is None:
            return self.send({"type": "remove_seat_key", "seat": seat})
        return self.send({"type": "set_seat_key", "seat": seat, "key": key})

    def keeping(self, keep: Keep, *, key: str | None = None) -> Table:
        """Return the same encounter, which passes the receipt of each answered command to *keep*.

        Each signature is verified, and made by *key*, the service's, if one is given; otherwise
        `FalseReceipt` is raised. `ReceiptFolder` keeps receipts as files.
        """
        return Table(self._transport, self.encounter, self._signer, ReceiptChecker(keep, key))

    # --- play --------------------------------------------------------------------------------------

    def options(
        self,
        creature: str | None = None,
        *,
        prompt: str | None = None,
        types: str | None = None,
        at: int | None = None,
        view: str | None = None,
        text: str | None = None,
    ) -> shapes.Options:
        """Return every command that this seat may send now; `values_of` lists the values of a choice.

        Or those of *creature*, those that answer *prompt*, those of *types* (`"move,strike"`).
        With *at* those that were legal after that commit, with *view* `"short"` of each prompt only the
        `types` of its commands, and with *text* `"en"` what each offer does, in a sentence.
        """
        where: Query = {"creature": creature, "prompt": prompt, "types": types, "at": at}
        query: Query = {**where, "view": view, "text": text}
        return with_lists(cast("shapes.Options", self._get("/options", query)))

    def send(
        self,
        command: Mapping[str, Any],
        *,
        key: str | None = None,
        version: int | None = None,
        wait_s: float = WAIT_S,
    ) -> shapes.Outcome:
        """Send a command and return its outcome; `pending` if it is not decided after *wait_s* seconds.

        *key* is the idempotency key; without it the client makes one. *version* is the version that the
        encounter must have. Raises `Refused` and `VersionMismatch`.
        """
        data = dict(command)
        done = self._act("POST", "/commands", data, commands=(data,), key=key, version=version, wait_s=wait_s)
        return cast("shapes.Outcome", done)

    def send_all(
        self,
        commands: Sequence[Mapping[str, Any]],
        *,
        continue_on_refusal: bool = False,
        key: str | None = None,
        version: int | None = None,
        wait_s: float = WAIT_S,
    ) -> shapes.Outcomes:
        """Send up to fifty commands, which are decided in order, and return their outcomes.

        A refusal is an outcome here and raises nothing. It stops the rest, which are refused as `skipped`,
        unless *continue_on_refusal*.
        """
        data, query = (
            [dict(command) for command in commands],
            {"continue_on_refusal": "true" if continue_on_refusal else None},
        )
        done = self._act(
            "POST", "/commands", data, query, commands=data, key=key, version=version, wait_s=wait_s
        )
        return cast("shapes.Outcomes", done)

    def outcome(self, n: int, *, wait_s: float = 0) -> shapes.Outcome:
        """Return the outcome of command *n*; `pending` if it is not decided after *wait_s* seconds."""
        return cast("shapes.Outcome", self._decided(f"/commands/{n}", None, wait_s).data)

    def outcome_of(self, key: str, *, wait_s: float = 0) -> shapes.Outcome | shapes.Outcomes | None:
        """Return the outcome of the request with your idempotency *key*, None if it never arrived."""
        try:
            found = self._decided("/commands", {"key": key}, wait_s).data
        except Problem as fault:
            if fault.status != NOT_FOUND:
                raise
            return None
        return cast("shapes.Outcome | shapes.Outcomes", found)

    def preview(self, command: Mapping[str, Any]) -> shapes.Preview:
        """Return whether *command* would be accepted now, as far as this seat can know."""
        return cast("shapes.Preview", self._done("POST", "/previews", dict(command)))

    def close(self, reason: str = "") -> shapes.Outcome:
        """Close the encounter: its dice are disclosed, and it accepts no more commands."""
        query, command = {"reason": reason or None}, {"type": "close", "reason": reason}
        return cast("shapes.Outcome", self._act("DELETE", "", None, query, commands=(command,)))

    # --- read --------------------------------------------------------------------------------------

    def get(self) -> shapes.Encounter:
        """Return the encounter's version, the hash of its head, and the prompts that wait."""
        found = self._get("")
        self._see(found)
        return cast("shapes.Encounter", found)

    def state(
        self,
        *,
        at: int | None = None,
        known: int | None = None,
        round_: int | None = None,
        min_version: int | None = None,
        wait_s: float = WAIT_S,
    ) -> shapes.State:
        """Return the state as this seat sees it: now, after commit *at*, or at the end of a round.

        With *min_version* the service waits until that commit is folded, at most *wait_s* seconds.
        """
        query: Query = {"at": at, "known": known, "round": round_, "min_version": min_version}
        return cast("shapes.State", self._transport.get(f"{self.path}/state", query, wait_s=wait_s))

    def creatures(self, *, at: int | None = None) -> list[shapes.CreatureToken]:
        """Return every creature in the short form that all rulesets share: now, or after commit *at*."""
        return cast("list[shapes.CreatureToken]", self._get("/creatures", {"at": at})["creatures"])

    def creature_changes(self, *, after: int = 0) -> Iterator[shapes.CreatureChangesChange]:
        """Yield what each commit after *after* changed of the creatures, page by page."""
        yield from self._pages("/creatures/changes", "changes", {"after": after or None})

    def creature_statistics(self, *, at: int | None = None) -> shapes.CreatureStatistics:
        """Return the damage that each creature dealt and took, and how often it acted, by rounds."""
        return cast("shapes.CreatureStatistics", self._get("/creatures/statistics", {"at": at}))

    def map(self, *, at: int | None = None) -> shapes.BattleMap:
        """Return the cells that are not plain ground, and walls and doors: now, or after commit *at*."""
        return cast("shapes.BattleMap", self._get("/map", {"at": at}))

    def carried(self, creature: str, *, at: int | None = None) -> Json:
        """Return *creature* as an opening takes it: the member `carried` of its entry."""
        return cast("Json", self._get(f"/creatures/{creature}/carried", {"at": at})["carried"])

    def commits(
        self, *, after: int = 0, round_: int | None = None, text: str | None = None
    ) -> Iterator[shapes.Commit]:
        """Yield the commits so far, page by page; with *text* `"en"` each says in `text` what happened."""
        query: Query = {"after": after or None, "round": round_, "text": text}
        yield from self._pages("/commits", "commits", query)

    def follow(
        self, *, after: int = 0, line: str | None = None, text: str | None = None
    ) -> Iterator[shapes.CommitView]:
        """Yield every commit after *after*, once and in order, then each new one; the iterator is endless.

        *after* is a number in *line*, or in the line of play that is played. If another line continues the
        encounter, the new commits of that line follow. The `encounter` in a commit's text names its line.
        With *text* `"en"` each commit says in `text` what happened.
        """
        for each in self.listen(after=after, line=line, text=text):
            if each.event == "commit":
                yield cast("shapes.CommitView", each.data)

    def listen(
        self, *, after: int = 0, line: str | None = None, text: str | None = None
    ) -> Iterator[StreamEvent]:
        """Yield commits as `follow` does, and between them heartbeats and resets.

        `continued` names the line of play in which the encounter continues. Read the state again, because
        that line began from an earlier commit. All later events are of that line.
        """
        for each in follow(self._transport, self.encounter, after, line, text):
            if each.event == "commit" and self._signer is not None:
                of_line = json.loads(each.data["commit"])["encounter"]
                self._signer.see(of_line, each.data["n"], each.data["hash"])
            yield each

    def lines(self) -> list[shapes.LinesLine]:
        """Return the lines of play of the encounter, the first one first; `status` says which is played."""
        return cast("list[shapes.LinesLine]", self._get("/lines")["lines"])

    def in_line(self, line: str) -> Table:
        """Return the encounter in another line of play, to read one that ended or is proposed."""
        return Table(self._transport.in_line(line), self.encounter)

    def rounds(self) -> list[shapes.RoundsRound]:
        """Return every round so far, with its first and last commit."""
        return list(self._pages("/rounds", "rounds", {}))

    def round(self, round_: int) -> shapes.Round:
        """Return one round with all its commits."""
        return cast("shapes.Round", self._whole(f"/rounds/{round_}", {}, "commits"))

    def replay(self, round_: int, *, events: bool = False, text: str | None = None) -> shapes.Replay:
        """Return a round's replay: the state before it, and of each commit the JSON Patch (RFC 6902).

        With *events* each frame has the events and dice too, with *text* `"en"` sentences.
        """
        query: Query = {"events": "true" if events else None, "text": text}
        return cast("shapes.Replay", self._whole(f"/rounds/{round_}/replay", query, "frames"))

    def rolls(self, *, round_: int | None = None, creature: str | None = None) -> Iterator[shapes.Roll]:
        """Yield the rolls so far, page by page."""
        yield from self._pages("/rolls", "rolls", {"round": round_, "creature": creature})

    def ticket(self) -> str:
        """Return a ticket for a browser's `EventSource`. It opens one stream, within thirty seconds."""
        return str(self._done("POST", "/tickets", {})["ticket"])

    def explanation(self, n: int) -> shapes.Explanation:
        """Return the explanation of commit *n*: its events, rules, rulings and dice."""
        return cast("shapes.Explanation", self._get(f"/commits/{n}/explanation"))
