// Disclosed links: each must lead to the anchor that commit 1 published, and yields all links before it.

import { fromHex, same } from "./bytes.mjs";
import { earlier } from "./dice.mjs";
import { eventsOf } from "./record.mjs";
import { hash, having, whole } from "./shapes.mjs";
import { demand } from "./verdict.mjs";

const link = having({ lane: whole, epoch: whole, link: hash });
const seed = having({ lane: whole, seed: hash });
const SHAPES = { epoch_closed: link, link_inherited: link, lane_disclosed: seed, encounter_closed: seed };

/**
 * @returns by lane `{n, links}`: the length of its chain, and its links from the anchor (0) to the latest known one
 * @throws Verdict `malformed`, `dice_invalid`
 */
export function linksOf(bundle, policy) {
  const lanes = new Map(policy.lanes.map(({ lane, n, anchor }) => [lane, { n, links: [fromHex(anchor)] }]));
  for (const link of inOrder(disclosedLinks(bundle, lanes))) hold(lanes.get(link.lane), link, policy.encounter);
  return lanes;
}

/** Every disclosed link, once: `{lane, epoch, link, place}`; `lanes` has the number `n` of epochs of each lane. */
export function disclosedLinks({ moments, disclosures }, lanes) {
  const found = new Map();
  const take = ({ lane, epoch, link: digits, seed: last }, place) => {
    const entry = { lane, epoch: epoch ?? lanes.get(lane)?.n ?? 0, link: digits ?? last, place };
    const known = found.get(`${lane}/${entry.epoch}`);
    demand(known === undefined || known.link === entry.link, "dice_invalid", place, `lane ${lane} has two links for epoch ${entry.epoch}`);
    if (known === undefined) found.set(`${lane}/${entry.epoch}`, entry);
  };
  for (const moment of moments) {
    for (const event of eventsOf(moment)) {
      if (!Object.hasOwn(SHAPES, event.type)) continue;
      const place = { n: moment.n };
      demand(SHAPES[event.type](event), "malformed", place, `${event.type} discloses no link`);
      take(isSeed(event) ? { lane: event.lane, seed: event.seed } : event, place);
    }
  }
  for (const line of disclosures) take(line, {});
  return [...found.values()];
}

const isSeed = ({ type }) => SHAPES[type] === seed;

function inOrder(links) {
  return links.sort((one, other) => one.lane - other.lane || one.epoch - other.epoch);
}

/** Checks that a link leads to the last known one, and stores all links between them. */
function hold(lane, { epoch, link: digits, lane: number, place }, encounter) {
  const isOne = lane !== undefined && epoch >= lane.links.length && epoch <= lane.n;
  const detail = `the link of lane ${number} for epoch ${epoch} does not lead to the anchor`;
  demand(isOne, "dice_invalid", place, detail);
  const known = lane.links.length - 1;
  const between = [fromHex(digits)];
  for (let at = epoch; at > known; at -= 1) between.unshift(earlier(encounter, number, at, between[0]));
  demand(same(between[0], lane.links[known]), "dice_invalid", place, detail);
  lane.links.push(...between.slice(1));
}
