"""Texts of members of requests and answers that their own schemas do not describe.

A name means the same wherever it stands, so its text is here once. `Component.member` is the text of one
component, also for objects inside it; `Component` is that of a request body.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.api.shapes import Schema

MEMBER_TEXTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AuditRequest": "Which rounds to audit; all of them by default.",
        "NewApiKey": "A new API key.",
        "NewRemoval": "Which bundle you have, before the encounter is removed.",
        "NewShareLink": "How long the link stays valid.",
        "NewWebhook": "A new webhook.",
        "OwnerQuotas": "The quotas of one owner; 0: no limit.",
        "Rotation": "How long the old secret stays valid.",
        "SimulationRequest": "A fight to simulate, and how often.",
        "WebhookChange": "What changes of a webhook.",
        "accepted": "Whether the rules accept the command.",
        "algorithm": "The name of the algorithm.",
        "ambiguity": "The id of the ambiguity that is ruled on.",
        "amendment": "The id of the amendment.",
        "amount": "What is added to the total.",
        "at": "The number of the commit.",
        "Removal.at": "When it was removed.",
        "attempts": "How often the delivery was tried.",
        "audit": "The id of the audit.",
        "audits": "The audits, the newest first.",
        "bounds": "The least and the greatest value of a number.",
        "bundle": "The SHA-256 of the downloaded bundle.",
        "Import.bundle": "The id of the import.",
        "by": "The seat that did it.",
        "carried": "The character, as an entry of an opening takes it.",
        "cells": "The ranges: each is y, the least x and the greatest x.",
        "certificate": "What the audit found, in the form that `rewound verify` prints.",
        "chain": "The rules that took part, in order.",
        "checkpoints": "The checkpoints, the newest first.",
        "checks": "The state of each part of the service, by name.",
        "changes": "What each commit changed.",
        "chi_square": "Pearson's chi-square of the faces.",
        "choices": "The values to choose from, by field.",
        "claim": "What the seat says is wrong.",
        "closed": "Whether it is closed.",
        "code": "A stable reason for machines.",
        "CompleteOffer.command": "The command, with the first value of each choice.",
        "commands": "The commands.",
        "Ruleset.commands": "The types of commands.",
        "CommandTypes.commands": "The types of commands, each with its schema.",
        "SimulatedFight.commands": "How many commands were sent.",
        "Simulation.commands": "How many commands were sent at most.",
        "SimulationRequest.commands": "The most commands of one fight.",
        "commit": "The number of the commit.",
        "commits": "The commits.",
        "Round.commits": "The numbers of its commits.",
        "contest": "The id of the contest.",
        "contests": "The contests.",
        "created": "When it was made.",
        "creature": "The id of the creature.",
        "creatures": "The creatures.",
        "Seat.creatures": "The ids of the creatures that the seat controls.",
        "SeatWithToken.creatures": "The ids of the creatures that the seat controls.",
        "decision": "What was decided, in words.",
        "deliveries": "The deliveries, the newest first.",
        "delivery": "The id of the delivery.",
        "depth": "How deep the rule is nested in those that asked for it.",
        "detail": "What is wrong here, for people.",
        "dice": "The dice, in the order thrown.",
        "RollStatistics.dice": "One entry for each type of die and source.",
        "difference": "What the amendment changes.",
        "digest": "The digest of the ruleset's source.",
        "disclosed": "Whether the link is disclosed.",
        "dispute": "The contradiction between what was signed and what is stored.",
        "done": "How much is done.",
        "dropped": "Whether the die does not count; absent if it counts.",
        "edition": "The edition of the rules.",
        "encounter": "The id of the encounter.",
        "encounters": "The encounters, the newest first.",
        "ended": "How the fight ended.",
        "Continuation.ended": "The last commit of this line.",
        "epoch": "The number of the dice epoch.",
        "errors": "The faults.",
        "event": "The event.",
        "events": "The events.",
        "Ruleset.events": "The types of events.",
        "expires": "When it expires.",
        "expires_in_s": "The seconds until it expires.",
        "face": "The face that the die shows.",
        "faces": "The faces that follow from the link.",
        "fault": "What went wrong; null if nothing did.",
        "fight": "The number of the fight.",
        "fights": "The fights.",
        "forks": "The forks.",
        "format": "What deliveries look like.",
        "frames": "The steps, one for each commit.",
        "first_round": "The first round.",
        "from": "Where it is taken from.",
        "hash": "The SHA-256 that the next commit names.",
        "hp": "The hit points that are left, by creature.",
        "id": "The id.",
        "imported": "The origin of an imported encounter; null for others.",
        "Import.imported": "The id of the new encounter; null until it is there.",
        "imports": "The imports, the newest first.",
        "index": "The place of the envelope among the events of its commit.",
        "instance": "The address of the request.",
        "key": "The key.",
        "keys": "The keys.",
        "kind": "How it came about.",
        "known": "The commit up to which revealed values are shown.",
        "last_round": "The last round.",
        "lane": "The lane: 0 for open dice, 1 for sealed dice.",
        "line": "The id of the line of play.",
        "lines": "The lines of play.",
        "link": "The link of the chain, in hexadecimal digits; null until it is disclosed.",
        "mode": "What a commit waits for before it is answered.",
        "n": "The number of the commit.",
        "name": "The name.",
        "next_cursor": "The cursor of the next page; null on the last one.",
        "of": "How much there is to do.",
        "op": "The operation.",
        "opened": "The envelopes that your seat may open.",
        "Encounter.opened": "When it was opened.",
        "Encounters.opened": "When it was opened.",
        "ListedFork.opened": "When it was opened.",
        "opening": "The opening of the encounter.",
        "option": "The key of the option of the house that rules on it; null for none.",
        "options": "The options.",
        "Ruleset.options": "The options of the house.",
        "origin": "The commit that this encounter continues from; null for none.",
        "outcome": "The outcome: decided, refused, sealed or pending.",
        "outcomes": "The outcomes, in order.",
        "overlap_s": "The seconds for which the old secret stays valid.",
        "p_value": "The probability that fair dice deviate as much; null for too few dice.",
        "parent": "The id of the encounter that it continues from.",
        "path": "Where, as a JSON pointer.",
        "paths": "The ranges: each is a step along x and y, the least and the greatest length.",
        "payload": "The exact text of what is in the envelope.",
        "place": "The number of earlier rolls of this stream in the epoch.",
        "pointer": "Where the fault is, as a JSON pointer.",
        "problems": "The problem types.",
        "progress": "How far the worker is; null before it begins.",
        "prompt": "The prompt.",
        "Offer.prompt": "The id of the prompt that the command answers.",
        "public_key": "The public key, in hexadecimal digits.",
        "reason": "The reason, in words.",
        "refusal": "Why the command was refused.",
        "Import.refusal": "Why the import was refused; null if it was not.",
        "removed": "How and when the encounter was removed.",
        "request_id": "The id of the request, which the service's log names.",
        "requested": "When it was asked for.",
        "role": "The role.",
        "Roll.role": "What the die is for, such as `heart` or `weapon`.",
        "Throw.role": "What the die is for, such as `heart` or `weapon`.",
        "roll": "The roll.",
        "rolls": "The rolls.",
        "root": "The root of the Merkle tree of the commits.",
        "round": "The number of the round, from 1; 0 before the first.",
        "rounds": "The rounds.",
        "SimulatedFight.rounds": "How many rounds were played.",
        "Simulation.rounds": "The most rounds of one fight.",
        "SimulationRequest.rounds": "The most rounds of one fight.",
        "rule": "The id of the rule; null for none.",
        "rules": "The rules.",
        "rulesets": "The rulesets.",
        "rulings": "The rulings on ambiguities that took part.",
        "salt": "The salt of the envelope's commitment.",
        "schema": "The JSON Schema of the command.",
        "scopes": "What the key may do.",
        "seat": "The id of the seat.",
        "seats": "The seats.",
        "secret": "The secret that signs deliveries; it is shown once.",
        "seed": "The seed of the random choices.",
        "settles": "The id of the ambiguity that it settles; null for none.",
        "side": "The id of the side.",
        "sides": "The number of sides.",
        "simulation": "The id of the simulation.",
        "since": "Since when the key signs.",
        "size": "The number of commits.",
        "source": "Whether the faces follow from the seed, or people declared them.",
        "start": "The cell before the first, as x and y.",
        "state": "The state.",
        "statement": "The rule, in one sentence.",
        "status": "The status.",
        "stream": "The name of the stream of rolls.",
        "terms": "The flat modifiers of the total.",
        "text": "The text, for people.",
        "ApiKeyWithText.text": "The key itself; it is shown once.",
        "ticket": "The ticket, which stands in an address in place of a token.",
        "times": "How many fights.",
        "title": "The title.",
        "token": "The token of the seat; it is shown once.",
        "total": "The sum of the faces that count and of the modifiers.",
        "type": "The type.",
        "Problem.type": "The address of the page that explains the problem.",
        "upto": "The number of the last commit that is counted.",
        "url": "The address to which deliveries are sent.",
        "value": "The value.",
        "values": "The values that it can have.",
        "verdict": "The verdict; null until it is known.",
        "version": "The number of the newest commit that is included.",
        "view": "SHA-256 of the canonical JSON of your seat's view.",
        "way": "The way of a movement, as its seat foresees it.",
        "webhook": "The id of the webhook.",
        "webhooks": "The webhooks.",
        "what": "What it is for.",
        "why": "What kind of contradiction it is.",
        "winner": "The side that stands; null if none does.",
        "winners": "How many fights each side won, by side.",
        "worker": "The name of the worker.",
    }
)


def describe(name: str, schema: Schema) -> Schema:
    """Return the component *name* with a description of itself and of each member, if it had none."""
    made: Schema = _described(name, schema)
    return (
        made
        if "description" in made or name not in MEMBER_TEXTS
        else {"description": MEMBER_TEXTS[name], **made}
    )


def _described(name: str, schema: Any) -> Any:
    if isinstance(schema, list):
        return [_described(name, each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key in _DATA else _described(name, value) for key, value in schema.items()}
    members = found.get("properties")
    if isinstance(members, dict):
        found["properties"] = {member: _with_text(name, member, each) for member, each in members.items()}
    return found


_DATA: Final = ("const", "default", "discriminator", "enum", "examples", "required", "x-event-data")
"""Keywords whose values are not schemas."""


def _with_text(name: str, member: str, schema: Schema) -> Schema:
    """Return the *schema* of *member* with a text, if one describes it."""
    text = MEMBER_TEXTS.get(f"{name}.{member}") or MEMBER_TEXTS.get(member)
    return schema if text is None or "description" in schema else {**schema, "description": text}
