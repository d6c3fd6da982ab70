"""Explain events and rolls: rules with their statements, rulings on ambiguities, derivations of faces.

All of it comes from the record and the rulebook; nothing is decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from service.core.lineage import began
from service.dice.chain import epoch_key, walk
from service.dice.stream import faces_and_words
from service.dice.values import RollName
from service.log import Log
from service.record.canonical import eid_of
from service.record.commit import load_commit
from service.rules.kernel.rulebook import Rule, rules_in
from service.rules.rolls.seeding import seal_of
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table

Data = dict[str, Any]

_OURS: Final = "service"
_FEW: Final = 3
"""How many events the answer of an explanation names."""


def rule_data(edition: str, rule: Rule) -> Data:
    """Return *rule* of *edition* as the API shows it."""
    return {
        "id": rule.id,
        "statement": rule.statement,
        "source": rule.source,
        "settles": list(rule.settles),
        "address": _address(edition, rule.id),
    }


def _address(edition: str, id_: str) -> str:
    return f"/v1/rulesets/{edition}/rules/{id_}"


def rules_of(ruleset: Ruleset[Any]) -> list[Rule]:
    """Return the rules of an edition, by id: its own, and those that every ruleset shares."""
    return sorted(_known(ruleset).values(), key=lambda rule: rule.id)


@cache
def _known(ruleset: Ruleset[Any]) -> Mapping[str, Rule]:
    return rules_in(ruleset.packages)


def rules_named(ruleset: Ruleset[Any], ids: Iterable[str]) -> list[Data]:
    """Return the rules of *ids* as data; an id without a statement is a rule of the service itself."""
    known = _known(ruleset)
    return [
        rule_data(ruleset.edition, known[id_])
        if id_ in known
        else {
            "id": id_,
            "statement": "",
            "source": _OURS,
            "settles": [],
            "address": _address(ruleset.edition, id_),
        }
        for id_ in dict.fromkeys(ids)
    ]


def event_reasons(ruleset: Ruleset[Any], state: Table, event: Mapping[str, Any]) -> Data:
    """Return *event* with the rules it names, and how this encounter settles the ambiguities they touch."""
    because = event["because"]
    options = {id_: [spec for spec in ruleset.options.values() if spec.settles == id_] for id_ in because}
    open_ = [id_ for id_ in because if options[id_] or _is_ambiguity(id_)]
    rules = rules_named(ruleset, (id_ for id_ in because if id_ not in open_))
    rulings: list[Data] = []
    for id_ in open_:
        for spec in options[id_]:
            value = state.options.get(spec.key, spec.values[0])
            rulings.append(
                {"ambiguity": id_, "option": spec.key, "value": value, "text": spec.sentence(value)}
            )
        if not options[id_]:
            text = " ".join(rule["statement"] for rule in rules if id_ in rule["settles"])
            rulings.append({"ambiguity": id_, "option": None, "value": None, "text": text})
    return {"event": event, "rules": rules, "rulings": rulings}


def answer(
    ruleset: Ruleset[Any],
    outcome: Data,
    reasons: Iterable[Data],
    names: Mapping[str, str],
    type_: str | None,
) -> str:
    """Return one sentence that answers why the commit came out so, made of what its reader may see.

    *reasons* are the events with their rules and `text`; *names* are creatures' names by id; *type_* is None
    if the reader may not know it.
    """
    command = "the command" if type_ is None else f"`{type_}`"
    if "refusal" in outcome:
        return f"The rules refuse {command}: {outcome['refusal']['detail']}."
    if outcome["outcome"] == "sealed":
        return f"What {command} came to is sealed from you."
    if outcome["outcome"] == "quarantined":
        return f"Deciding {command} failed, so it was set aside and changed nothing."
    said = [each for each in reasons if each["text"]]
    if not said:
        return f"The command {command} changed nothing that you may see."
    public = [each for each in said if not each["text"].startswith("(")] or said  # not the asides to one seat
    own = ruleset.answer([each["event"] for each in public], names)
    return _as_sentence(own or _of_events(ruleset, public))


def _of_events(ruleset: Ruleset[Any], said: Sequence[Data]) -> str:
    """Return what the most telling of the events *said* say, and the rule of the first of them."""
    ranks = {type_: at for at, type_ in enumerate(ruleset.telling)}
    telling = [each for each in said if each["event"]["type"] in ranks]
    ranked = sorted(telling, key=lambda each: ranks[each["event"]["type"]])[:_FEW]
    named = [each for each in telling if each in ranked] or said[:_FEW]
    what = "; ".join(each["text"] for each in named)
    more = f"; and {len(said) - _FEW} more" if not ranked and len(said) > _FEW else ""
    rules = [rule for each in ranked or named for rule in each["rules"] if rule["statement"]]
    why = f", by the rule {rules[0]['id']}: {rules[0]['statement'].rstrip('.')}" if rules else ""
    return f"{what}{more}{why}"


def _as_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _is_ambiguity(id_: str) -> bool:
    """Return whether *id_* numbers an ambiguity (A-.., C-..), not a rule."""
    return id_[:2] in ("A-", "C-") and id_[2:].isdigit()


# --- dice --------------------------------------------------------------------------------------------


def roll_text(roll: Mapping[str, Any]) -> str:
    """Return a roll in one line: `heart d8: 5 + might d6: 3 (dropped 1) + 2 weapon bonus = 10`."""
    kept = [f"{die['role']} d{die['sides']}: {die['face']}" for die in roll["dice"] if not die.get("dropped")]
    gone = [f"{die['role']} d{die['sides']}: {die['face']}" for die in roll["dice"] if die.get("dropped")]
    terms = [f"{term['amount']:+d} {term['what']}" for term in roll["terms"]]
    text = " + ".join(kept) + "".join(f" {term}" for term in terms) + f" = {roll['total']}"
    return text + (f" (dropped: {', '.join(gone)})" if gone else "")


def derivations(log: Log, at: str, state: Table, rolls: Iterable[Mapping[str, Any]]) -> list[Data]:
    """Return the derivation of each roll's faces, with the keys of epochs that have closed.

    *at* is the encounter's address in this service; its record may use another id.
    """
    marks = log.marks(at)
    links: dict[tuple[int, int], bytes | None] = {}
    made = []
    for roll in rolls:
        name = roll["name"]
        place = (name["lane"], name["epoch"])
        if roll["source"] == "seeded" and place not in links:
            links[place] = _link(log, at, state, marks, *place)
        made.append(_derivation(state, roll, links.get(place)))
    return made


def _derivation(state: Table, roll: Mapping[str, Any], link: bytes | None) -> Data:
    name = roll["name"]
    spelled = str(RollName.from_data(name))
    if roll["source"] == "declared":
        return {"algorithm": "declared", "disclosed": True, "name": spelled}
    data: Data = {"algorithm": state.dice.algorithm, "disclosed": link is not None, "name": spelled}
    if link is None:
        return data
    chain = state.dice.chain or state.encounter
    eid = eid_of(chain)
    revealed_seal = state.sealing.seal
    sealed = bytes.fromhex(revealed_seal) if revealed_seal else seal_of(chain, state.dice, {})
    key = epoch_key(link, sealed, eid, name["lane"], name["epoch"])
    faces, _ = faces_and_words(key, name["stream"], name["place"], [die["sides"] for die in roll["dice"]])
    return data | {"link": link.hex(), "key": key.hex(), "faces": list(faces)}


def _link(log: Log, at: str, state: Table, marks: Mapping[str, bytes], lane: int, epoch: int) -> bytes | None:
    """Return the link of *epoch* if the epoch's close or the encounter's close disclosed it, else None."""
    mark = marks.get(f"epoch/{epoch}")
    if mark is not None:
        link = _disclosed_link(log, at, int(mark), "epoch_closed", lane, epoch)
        if link is not None:
            return link
    earlier = _from_old_line(log, at, state, lane, epoch)
    if earlier is not None or not state.closed or state.continued is not None:
        return earlier
    head = log.head(at)
    before = head.folded if head else 0
    while before > 0:
        for entry in reversed(log.commits(at, max(0, before - 50), 50)):
            for event in load_commit(entry.raw).events:
                if event.get("type") in ("encounter_closed", "lane_disclosed") and event["lane"] == lane:
                    n = next(each.n for each in state.dice.lanes if each.lane == lane)
                    return walk(
                        eid_of(state.dice.chain or state.encounter),
                        lane,
                        n,
                        bytes.fromhex(event["seed"]),
                        epoch,
                    )
        before -= 50
    return None


def _from_old_line(log: Log, at: str, state: Table, lane: int, epoch: int) -> bytes | None:
    """Return the link of an epoch that the line's beginning has from the previous line, else None."""
    if state.origin is None:
        return None
    for event in load_commit(log.commits(at, began(log, at) - 1, 1)[0].raw).events:
        if event.get("type") == "link_inherited" and event["lane"] == lane and event["epoch"] >= epoch:
            eid = eid_of(state.dice.chain or state.encounter)
            return walk(eid, lane, event["epoch"], bytes.fromhex(event["link"]), epoch)
    return None


def _disclosed_link(log: Log, encounter: str, n: int, type_: str, lane: int, epoch: int) -> bytes | None:
    for entry in log.commits(encounter, n - 1, 1):
        for event in load_commit(entry.raw).events:
            if (event.get("type"), event.get("lane"), event.get("epoch")) == (type_, lane, epoch):
                return bytes.fromhex(event["link"])
    return None
