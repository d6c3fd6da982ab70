"""Play, race, read and follow: the clients of a run, each a thread outside the system.

For every fight there are a player at all its seats, a rival who sends beside it, a reader and a stream.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Thread
from typing import Any, Final

from rewound_client import with_lists
from tests.nemesis import fights
from tests.nemesis.http import HOST
from tests.nemesis.sender import Scene, Sender, Wanted

Json = dict[str, Any]

FIGHT_LASTS: Final = 160
"""Commands of its player, after which a fight is closed and another one opened."""
STREAM_S: Final = 14.0
"""A stream that says nothing for so long is cut: heartbeats come every ten seconds."""


@dataclass
class Fight:
    """One encounter that is played."""

    encounter: str
    tokens: dict[str, str]
    closed: Event = field(default_factory=Event)
    last: int = 0
    """The number of its last commit, once that is known."""
    followed: int = 0
    """The last number that its stream told."""
    line: socket.socket | None = None
    """The connection of its stream."""
    follower: Thread | None = None

    @property
    def at(self) -> str:
        """Return its address."""
        return f"/v1/encounters/{self.encounter}"


class Table:
    """One table of a run: fight after fight of one book, and everybody who sits there."""

    def __init__(self, scene: Scene, name: str, book: str) -> None:
        self.scene = scene
        self.name = name
        self.book = book
        self.fight: Fight | None = None
        self.fights: list[Fight] = []
        self._threads: list[Thread] = []
        self._senders: list[Sender] = []
        self._lock = Lock()
        self._left = Event()

    @property
    def is_playing(self) -> bool:
        """Tell whether the player has not come to its end."""
        return not self._left.is_set()

    def start(self) -> None:
        """Let everybody begin."""
        for part in (self._play, self._rival, self._read):
            self._begin(part.__name__, part)

    def _begin(self, name: str, part: Any, *arguments: Any) -> Thread:
        thread = Thread(target=part, args=arguments, name=f"{self.name}{name}", daemon=True)
        with self._lock:
            self._threads.append(thread)
        thread.start()
        return thread

    def join(self, seconds: float) -> list[str]:
        """Wait for the end of everybody; the names of those who did not come to one."""
        while True:
            with self._lock:
                waiting = [thread for thread in self._threads if thread.is_alive()]
            if not waiting or seconds <= 0:
                for sender in self._senders:
                    sender.line.close()
                return [thread.name for thread in waiting]
            waiting[0].join(1.0)
            seconds -= 1.0

    def _sender(self, name: str) -> Sender:
        """Return a new client at this table."""
        made = Sender(self.scene, f"{self.name}/{name}")
        self._senders.append(made)
        return made

    # --- the player ----------------------------------------------------------------------------------

    def _play(self) -> None:
        player = self._sender("player")
        while not self.scene.over.is_set():
            fight = self._opened(player)
            if fight is None:
                continue
            self.fight = fight
            self.fights.append(fight)
            fight.follower = self._begin("_follow", self._follow, fight)
            for _ in range(FIGHT_LASTS):
                if self.scene.over.is_set():
                    break
                self._move(player, fight)
            self._close(player, fight)
        self._left.set()

    def _opened(self, player: Sender) -> Fight | None:
        wanted = Wanted("open", "POST", "/v1/encounters", [{"type": "open"}], fights.opening(self.book))
        reply = player.send(wanted)
        if reply is None:
            return None
        fight = Fight(reply.data["encounter"], {"gm": self.scene.key})
        path = f"{fight.at}/seats/ann/token"
        commands = [{"type": "issue_token", "seat": "ann"}]
        wanted = Wanted(
            "token", "POST", path, commands, {}, fight.encounter, key=self.scene.new_key(player.name)
        )
        while "ann" not in fight.tokens:
            reply = player.send(wanted, "wait=5")
            if reply is not None and "token" in reply.data:
                fight.tokens["ann"] = reply.data["token"]
            elif self.scene.over.is_set() or self.scene.hurry.wait(0.2):
                break
        return fight

    def _move(self, player: Sender, fight: Fight) -> None:
        """Send one command of whoever may act, and sometimes the same request again."""
        command, seat = self._chosen(player, fight)
        if command is None:
            self.scene.over.wait(0.3)
            return
        wanted = self._wanted(fight, [command], command, seat=seat, key=self.scene.new_key(player.name))
        if player.send(wanted) is not None and player.chance.random() < 0.1:
            player.attempt(wanted)
        self.scene.over.wait(player.chance.uniform(0, 0.1))

    def _chosen(self, player: Sender, fight: Fight) -> tuple[Json | None, str]:
        about = player.ask("GET", fight.at)
        if about is None or about.status != 200:
            return None, "gm"
        waiting = sorted(about.data["waiting"], key=lambda prompt: prompt["optional"])
        for seat in dict.fromkeys(prompt["seat"] for prompt in waiting if prompt["seat"] in fight.tokens):
            options = player.ask("GET", f"{fight.at}/options", fight.tokens[seat])
            if options is not None and options.status == 200:
                command = fights.pick(dict(with_lists(options.data)), player.chance)
                if command is not None:
                    return command, seat
        return None, "gm"

    def _wanted(
        self, fight: Fight, commands: list[Json], data: object, *, seat: str = "gm", key: str = ""
    ) -> Wanted:
        path = f"{fight.at}/commands"
        return Wanted(
            "command", "POST", path, commands, data, fight.encounter, seat, fight.tokens[seat], key=key
        )

    def _close(self, player: Sender, fight: Fight) -> None:
        """Close the encounter, whatever it takes, and say at which number."""
        reason = f"the end of {fight.encounter}"
        path = f"{fight.at}?reason={reason.replace(' ', '%20')}"
        wanted = Wanted("close", "DELETE", path, [{"type": "close", "reason": reason}], None, fight.encounter)
        while not self.scene.hurry.is_set():
            reply = player.send(wanted)
            if reply is not None:
                break
            self.scene.hurry.wait(0.2)
        fight.closed.set()
        self.scene.over.wait(1.0)  # what its rival has under way comes to its end meanwhile
        about = player.ask("GET", fight.at)
        if about is not None and about.status == 200:
            fight.last = about.data["appended"]
            if _is_followed(fight):
                _cut(fight)

    # --- beside it -----------------------------------------------------------------------------------

    def _rival(self) -> None:
        """Send what the gm may send at any time: arrays, races for a version, one key over two lines."""
        rival, second = self._sender("rival"), self._sender("second")
        ways = (self._alone, self._array, self._race, self._same_key, self._refused, self._undo_proposed)
        with ThreadPoolExecutor(2) as pool:
            while not self.scene.over.wait(rival.chance.uniform(0.02, 0.25)):
                fight = self.fight
                if fight is not None and not fight.closed.is_set():
                    rival.chance.choice(ways)(fight, rival, second, pool)

    def _alone(self, fight: Fight, rival: Sender, *_: Any) -> None:
        command = fights.secret_roll(rival.chance, self.scene.new_key("words"))
        rival.send(self._wanted(fight, [command], command))

    def _refused(self, fight: Fight, rival: Sender, *_: Any) -> None:
        command = fights.refused_roll(rival.chance)
        rival.send(self._wanted(fight, [command], command))

    def _array(self, fight: Fight, rival: Sender, *_: Any) -> None:
        """Send several together; now and then one of them is refused, and those behind it skipped."""
        count = rival.chance.randint(2, 6)
        commands = [fights.secret_roll(rival.chance, self.scene.new_key("words")) for _ in range(count)]
        if rival.chance.random() < 0.3:
            commands[rival.chance.randrange(count)] = fights.refused_roll(rival.chance)
        wanted = self._wanted(fight, commands, commands)
        if rival.chance.random() < 0.5:
            wanted = replace(wanted, path=wanted.path + "?continue_on_refusal=true")
        rival.send(wanted)

    def _race(self, fight: Fight, rival: Sender, second: Sender, pool: ThreadPoolExecutor) -> None:
        """Let two name one version at once: one of them may have it."""
        about = rival.ask("GET", fight.at)
        if about is None or about.status != 200:
            return
        each = []
        for sender in (rival, second):
            command = fights.secret_roll(sender.chance, self.scene.new_key("words"))
            wanted = replace(self._wanted(fight, [command], command), if_match=about.data["appended"])
            each.append(pool.submit(sender.send, wanted))
        for sent in each:
            sent.result()

    def _same_key(self, fight: Fight, rival: Sender, second: Sender, pool: ThreadPoolExecutor) -> None:
        command = fights.secret_roll(rival.chance, self.scene.new_key("words"))
        wanted = self._wanted(fight, [command], command, key=self.scene.new_key(rival.name))
        for sent in [pool.submit(sender.send, wanted) for sender in (rival, second)]:
            sent.result()

    def _undo_proposed(self, fight: Fight, rival: Sender, *_: Any) -> None:
        """Propose an undo, have its line decided while things die, and drop it or leave it to the next."""
        about = rival.ask("GET", fight.at)
        if about is None or about.status != 200 or about.data["version"] < 2:
            return
        command = fights.undo(rival.chance, about.data["version"], self.scene.new_key("words"))
        reply = rival.send(self._wanted(fight, [command], command))
        events = [] if reply is None else reply.data.get("events") or []
        made = [each["amendment"] for each in events if each["type"] == "amendment_proposed"]
        for name in made:
            rival.ask("GET", f"{fight.at}/amendments/{name}")
            if rival.chance.random() < 0.5:
                drop = {"type": "drop_amendment", "amendment": name}
                rival.send(self._wanted(fight, [drop], drop))

    # --- reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read states that include what is known, and none that is older than the one before."""
        reader = self._sender("reader")
        newest: dict[str, int] = {}
        while not self.scene.over.wait(reader.chance.uniform(0.05, 0.4)):
            fight = self.fight
            if fight is None:
                continue
            known = self.scene.known(fight.encounter)
            asked = max(newest.get(fight.encounter, 0), known if reader.chance.random() < 0.7 else 0)
            query = f"?min_version={asked}" if asked else ""
            reply = reader.ask("GET", f"{fight.at}/state{query}", headers={"Prefer": "wait=5"})
            if reply is not None and reply.status == 200:
                found = {name: reply.data[name] for name in ("version", "view")}
                newest[fight.encounter] = max(newest.get(fight.encounter, 0), reply.data["version"])
                note = self.scene.history.note
                note("read", client=reader.name, encounter=fight.encounter, asked=asked, **found)

    def _follow(self, fight: Fight) -> None:
        """Follow the stream over as many connections as it takes, to the end of a closed encounter."""
        note, client = self.scene.history.note, f"{self.name}/stream"
        connection = 0
        while not self.scene.hurry.is_set() and not _is_followed(fight):
            connection += 1
            with contextlib.suppress(OSError, ValueError):
                for n, hash_ in _stream(self.scene, fight):
                    fight.followed = n
                    where = {"client": client, "encounter": fight.encounter, "connection": connection}
                    note("told", **where, n=n, hash=hash_)
                    if _is_followed(fight):
                        break
            self.scene.hurry.wait(0.15)

    def follow_to(self, fight: Fight, last: int) -> None:
        """Follow a fight that nobody plays any longer to its *last* commit."""
        fight.last = last
        if fight.followed >= last:
            _cut(fight)
        elif fight.follower is None or not fight.follower.is_alive():
            fight.follower = self._begin("_follow", self._follow, fight)


def _is_followed(fight: Fight) -> bool:
    return bool(fight.closed.is_set() and fight.last and fight.followed >= fight.last)


def _cut(fight: Fight) -> None:
    """End the connection of a stream that has told everything: the next thing it says is seconds away."""
    if fight.line is not None:
        with contextlib.suppress(OSError):
            fight.line.shutdown(socket.SHUT_RDWR)


def _stream(scene: Scene, fight: Fight) -> Iterator[tuple[int, str]]:
    """Yield number and hash of each commit that one connection tells, after what was told before."""
    line_id = fight.at.rpartition("/")[2]
    after = f"Last-Event-ID: {line_id}:{fight.followed}\r\n" if fight.followed else ""
    with socket.create_connection((HOST, scene.port), timeout=5) as line, line.makefile("rb") as answer:
        line.settimeout(STREAM_S)
        fight.line = line
        line.sendall(
            f"GET {fight.at}/commits HTTP/1.0\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {scene.key}\r\n{after}\r\n".encode()
        )
        if b" 200 " not in answer.readline():
            return
        event = ""
        for raw in answer:
            name, _, value = raw.decode().rstrip("\r\n").partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "commit" and raw.endswith(b"\n"):
                data = json.loads(value)
                yield data["n"], data["hash"]
