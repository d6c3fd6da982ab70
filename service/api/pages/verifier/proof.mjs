// Prove the dice of a record: every link leads to its anchor, every seeded roll with a link shows its faces.

import { hex, same, unhex, uuidBytes } from "./bytes.mjs";
import { ALGORITHM, epochKey, facesWith, isId, lanesOf, sealOf, seatCommitment, walked } from "./dice.mjs";
import { hasExactly, isEnvelope, isObject, requestOf } from "./record.mjs";
import { Fault } from "./verdict.mjs";

const SERVER = "server";
const MIXED = "mixed";

/** Return what was checked of the dice: rolls proved, open and declared, the last epoch by lane; throws a `Fault`. */
export const prove = (evidence, { commits, payloads }) => {
  const setup = setupOf(evidence, commits);
  const counts = { rolls_checked: 0, rolls_unverified: 0, rolls_declared: 0, faces_checked: 0, faces_declared: 0 };
  const links = setup === null ? [] : linksOf(evidence, commits, payloads, setup);
  const dice = setup === null ? null : new Disclosed(setup, sealedWith(setup, commits), links);
  for (const commit of commits) {
    for (const roll of rollsOf(commit, payloads)) checkRoll(dice, commit.n, roll, counts);
  }
  return { counts, epochs: dice === null ? {} : dice.epochs(), setup: setup?.told ?? null };
};

/** Return how the dice of the encounter are derived, null where nothing was opened; throws a `Fault`. */
const setupOf = (evidence, commits) => {
  if (commits[0]?.outcome !== "accepted") return null;
  const [raw] = evidence.requests;
  const request = raw === null ? null : requestOf(raw);
  if (raw !== null && request === null) throw new Fault("malformed", 1, "how the dice are derived: no request");
  const told = request === null ? commits[0].events.find((event) => "dice" in event)?.dice : request.data.dice;
  if (told === undefined || told === null) return null;
  const lanes = isSetup(told) ? lanesOf(told.lanes) : null;
  const encounter = lanes === null ? null : uuidBytes(told.chain ?? evidence.encounter);
  if (encounter === null) throw new Fault("malformed", 1, "how the dice are derived is not told");
  return { told, lanes, encounter, mode: told.mode, seats: told.seats ?? [] };
};

const isText = (value) => typeof value === "string";

const isSetup = (told) =>
  hasExactly(told, ["algorithm", "mode", "lanes"], ["chain", "seats", "abandoned_before"])
  && told.algorithm === ALGORITHM && [SERVER, MIXED].includes(told.mode)
  && Array.isArray(told.lanes) && told.lanes.every((lane) => hasExactly(lane, ["lane", "n", "anchor"]))
  && isText(told.chain ?? "") && Number.isInteger(told.abandoned_before ?? 0) && told.abandoned_before !== null
  && told.seats !== null && Array.isArray(told.seats ?? []) && (told.seats ?? []).every(isText);

// --- seeds of seats ----------------------------------------------------------------------------------------

/** Return the salt of all keys, the seeds of seats held to their commitments; throws a `Fault`. */
const sealedWith = (setup, commits) => {
  if (setup.mode === SERVER) return sealOf(setup.encounter, setup.lanes);
  const committed = new Map();
  for (const { n, events } of commits) {
    for (const event of events) {
      const told = sealingOf(event);
      if (told === null) throw new Fault("malformed", n, "how the dice are sealed is not told");
      for (const [seat, digits] of told.committed) committed.set(seat, digits);
      if (told.seeds !== null) return heldSeal(setup, committed, told, n);
    }
  }
  return sealOf(setup.encounter, setup.lanes); // before it there are no seeded rolls
};

/** Return the seal that seeds make, each held to what its seat committed to; throws a `Fault`. */
const heldSeal = (setup, committed, told, n) => {
  const seeds = {};
  for (const [seat, digits] of told.seeds) {
    const seed = unhex(digits);
    const isHeld = setup.seats.includes(seat) && hex(seatCommitment(setup.encounter, seat, seed)) === committed.get(seat);
    if (!isHeld) throw new Fault("dice_invalid", n, `the seed of ${seat} is not the one that it committed to`);
    seeds[seat] = seed;
  }
  const seal = sealOf(setup.encounter, setup.lanes, seeds);
  if (hex(seal) !== told.seal) throw new Fault("dice_invalid", n, "the dice are sealed with something else");
  return seal;
};

/** Return what an event tells of the sealing: commitments, seeds and seal if it seals; null where it is malformed. */
const sealingOf = (event) => {
  if (event.type === "seed_committed") return isId(event.seat) ? sealing({ [event.seat]: event.commitment }, null, null) : null;
  if (event.type === "dice_sealed") return sealing({}, event.seats, event.seal);
  if (event.type !== "line_begun") return sealing({}, null, null);
  const told = event.state?.sealing;
  if (!isObject(told)) return null;
  return sealing(told.committed, told.seal === "" ? null : told.revealed, told.seal);
};

const sealing = (committed, seeds, seal) => {
  const isSealed = seeds !== null;
  if (!isDigits(committed) || (isSealed && !(isDigits(seeds) && unhex(seal) !== null))) return null;
  return { committed: inOrder(committed), seeds: isSealed ? inOrder(seeds) : null, seal };
};

const isDigits = (told) => isObject(told) && Object.entries(told).every(([seat, digits]) => isId(seat) && unhex(digits) !== null);

const inOrder = (told) => Object.keys(told).sort().map((seat) => [seat, told[seat]]);

// --- links -------------------------------------------------------------------------------------------------

/** Return every link of the record as `{lane, epoch, link, n}`; throws a `Fault` where two contradict. */
const linksOf = (evidence, commits, payloads, setup) => {
  const found = new Map();
  for (const commit of commits) {
    for (const event of eventsOf(commit, payloads)) {
      const told = linkIn(event, setup);
      if (told === null) continue;
      const isLink = Number.isInteger(told.lane) && Number.isInteger(told.epoch) && told.link !== null;
      if (!isLink) throw new Fault("malformed", commit.n, `${event.type} discloses nothing`);
      const place = `${told.lane}/${told.epoch}`;
      const known = found.get(place);
      if (known !== undefined && !same(known.link, told.link)) {
        throw new Fault("dice_invalid", commit.n, `lane ${told.lane} has two links for epoch ${told.epoch}`);
      }
      if (known === undefined) found.set(place, { ...told, n: commit.n });
    }
  }
  for (const link of evidence.links) {
    const place = `${link.lane}/${link.epoch}`;
    if (!found.has(place)) found.set(place, link);
  }
  return [...found.values()].sort((one, other) => one.lane - other.lane || one.epoch - other.epoch);
};

const linkIn = (event, setup) => {
  if (event.type === "epoch_closed" || event.type === "link_kept") {
    return { lane: event.lane, epoch: event.epoch, link: unhex(event.link) };
  }
  if (event.type === "lane_disclosed" || event.type === "encounter_closed") {
    const epoch = setup.lanes.find(({ lane }) => lane === event.lane)?.n;
    return { lane: event.lane, epoch, link: unhex(event.seed) };
  }
  return null;
};

/** The dice that disclosed links prove. Every link is held to the one before it, the first to the anchor. */
class Disclosed {
  constructor(setup, seal, links) {
    this.setup = setup;
    this.seal = seal;
    this.lanes = new Map(setup.lanes.map(({ lane, n, anchor }) => [lane, { n, known: [{ epoch: 0, link: anchor }] }]));
    this.last = new Map(); // the key of the epoch in which each lane rolled last
    for (const { lane, epoch, link, n } of links) {
      const own = this.lanes.get(lane);
      const before = own?.known[own.known.length - 1];
      const leads = own !== undefined && epoch > before.epoch && epoch <= own.n
        && same(walked(setup.encounter, lane, epoch, link, before.epoch), before.link);
      if (!leads) throw new Fault("dice_invalid", n, `the link of lane ${lane} for epoch ${epoch} does not lead to the anchor`);
      own.known.push({ epoch, link });
    }
  }

  /** Return the last disclosed epoch of each lane; 0 where there is none yet. */
  epochs() {
    return Object.fromEntries([...this.lanes].map(([lane, { known }]) => [lane, known[known.length - 1].epoch]));
  }

  /** Return the faces of a roll, null where no link gives them yet; undefined beyond the last epoch of its lane. */
  faces({ lane, epoch, stream, place }, sides) {
    const own = this.lanes.get(lane);
    if (own !== undefined && epoch > own.n) return undefined;
    const found = own?.known.find((each) => each.epoch >= epoch);
    if (found === undefined) return null;
    let last = this.last.get(lane);
    if (last?.epoch !== epoch) {
      const link = walked(this.setup.encounter, lane, found.epoch, found.link, epoch);
      last = { epoch, faces: facesWith(epochKey(this.setup.encounter, this.seal, lane, epoch, link)) };
      this.last.set(lane, last);
    }
    return last.faces(stream, place, sides);
  }
}

// --- rolls -------------------------------------------------------------------------------------------------

function* payloadsIn(commit, payloads) {
  for (let index = 0; index < commit.events.length; index += 1) {
    const payload = payloads.get(`${commit.n}/${index}`);
    if (payload !== undefined) yield payload;
  }
}

function* rollsOf(commit, payloads) {
  yield* commit.rolls;
  for (const { rolls } of payloadsIn(commit, payloads)) yield* rolls;
}

function* eventsOf(commit, payloads) {
  for (const [index, event] of commit.events.entries()) {
    if (isEnvelope(event)) yield* payloads.get(`${commit.n}/${index}`)?.events ?? [];
    else yield event;
  }
}

const checkRoll = (dice, n, roll, counts) => {
  const told = roll.dice.map(({ face }) => face);
  if (roll.source === "declared") {
    counts.rolls_declared += 1;
    counts.faces_declared += told.length;
    return;
  }
  const { name } = roll;
  const spelled = `${name.epoch}/${name.lane}/${name.stream}#${name.place}`;
  const faces = dice === null ? null : dice.faces(name, roll.dice.map(({ sides }) => sides));
  if (faces === undefined) throw new Fault("dice_invalid", n, "there are no dice in this epoch", { roll: spelled });
  if (faces === null) {
    counts.rolls_unverified += 1;
  } else if (faces.every((face, at) => face === told[at])) {
    counts.rolls_checked += 1;
    counts.faces_checked += told.length;
  } else {
    throw new Fault("dice_invalid", n, `the record tells ${told}, the disclosed link gives ${faces}`, { roll: spelled });
  }
};
