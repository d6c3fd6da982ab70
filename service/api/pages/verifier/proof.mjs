// Verifies the dice: every seeded roll whose link is known must have the faces that are derived from its name.

import { holdChoices } from "./choices.mjs";
import { DeclaredDice } from "./declared.mjs";
import { epochKey, faces } from "./dice.mjs";
import { linksOf } from "./links.mjs";
import { readPolicy } from "./policy.mjs";
import { rollName, rollsOf } from "./record.mjs";
import { sealOf } from "./sealing.mjs";
import { demand } from "./verdict.mjs";

/**
 * @returns `{mode, disclosed, counts}`: the last disclosed epoch of each lane, and how many rolls were verified or not
 * @throws Verdict `malformed`, `tampered`, `dice_invalid`
 */
export function prove(bundle) {
  const policy = readPolicy(bundle);
  const dice = policy === null ? null : new Dice(policy, sealOf(bundle.moments, policy), linksOf(bundle, policy));
  if (policy !== null) holdChoices(bundle, policy.encounter);
  const counts = { rolls_checked: 0, faces_checked: 0, rolls_unverified: 0, rolls_declared: 0, faces_declared: 0 };
  const declared = new DeclaredDice();
  for (const moment of bundle.moments) {
    declared.take(moment);
    for (const roll of rollsOf(moment)) {
      declared.hold(moment.n, roll);
      count(counts, roll, moment.n, dice);
    }
  }
  return { mode: policy?.mode ?? null, said: policy?.said ?? null, abandoned_before: policy?.before ?? null, disclosed: dice?.disclosed() ?? {}, counts };
}

function count(counts, roll, n, dice) {
  if (roll.source === "declared") {
    counts.rolls_declared += 1;
    counts.faces_declared += roll.dice.length;
  } else if (isProved(roll, n, dice)) {
    counts.rolls_checked += 1;
    counts.faces_checked += roll.dice.length;
  } else {
    counts.rolls_unverified += 1;
  }
}

/** Whether the link of a seeded roll is known; if so, checks that its faces are derived from its name. */
function isProved(roll, n, dice) {
  const { name, dice: thrown } = roll;
  const place = { n, roll: rollName(roll) };
  demand(dice?.reach(name, n), "dice_invalid", place, "the published and sealed dice do not include this roll");
  if (!dice.isDisclosed(name)) return false;
  const shown = faces(dice.key(name), name.stream, name.place, thrown.map(({ sides }) => sides));
  const recorded = thrown.map(({ face }) => face);
  demand(String(shown) === String(recorded), "dice_invalid", place, `the record has [${recorded.join(", ")}], and the disclosed link gives [${shown.join(", ")}]`);
  return true;
}

/** The dice that commit 1 anchors, as far as links are disclosed. */
class Dice {
  #keys = new Map();

  constructor(policy, sealed, lanes) {
    this.policy = policy;
    this.sealed = sealed;
    this.lanes = lanes;
  }

  /** The last disclosed epoch by lane; 0 if there is none yet. */
  disclosed() {
    return Object.fromEntries([...this.lanes].map(([lane, { links }]) => [lane, links.length - 1]));
  }

  /** Whether dice of this lane and epoch exist and were sealed before commit n threw them. */
  reach({ lane, epoch }, n) {
    return this.lanes.has(lane) && epoch <= this.lanes.get(lane).n && this.sealed !== null && this.sealed.n <= n;
  }

  isDisclosed({ lane, epoch }) {
    return epoch < this.lanes.get(lane).links.length;
  }

  key({ lane, epoch }) {
    const id = `${lane}/${epoch}`;
    if (!this.#keys.has(id)) {
      const { links } = this.lanes.get(lane);
      this.#keys.set(id, epochKey(this.policy.encounter, this.sealed.salt, lane, epoch, links[epoch]));
    }
    return this.#keys.get(id);
  }
}
