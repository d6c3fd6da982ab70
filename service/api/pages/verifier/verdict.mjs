// What can be said of a bundle, in the order of judging, with the exit status of each: those of `rewound verify`.

export const STATUS = {
  malformed: 3,
  tampered: 4,
  truncated: 5,
  forked: 6,
  dice_invalid: 7,
  valid_as_opened: 0,
};

export const MEANING = {
  malformed: "bytes are not canonical, spell no request, commit or envelope, or are not what the seat may see",
  tampered: "something was changed after it was written: hash chain, root or signature do not fit",
  truncated: "the end is missing: a head, checkpoint or receipt lies beyond it",
  forked: "two signed heads exist of which neither continues the other",
  dice_invalid: "a die or a disclosed link is not what the published anchor gives",
  valid_as_opened: "nothing is wrong with what was checked; the commands were not decided again",
};

/** What a verifier without the rules can say for good. */
export const HOLDS = "chain, tree, checkpoints, seals and dice hold";

/** Thrown where judging ends: nothing behind it is looked at. */
export class Verdict extends Error {
  /** @param {{n?: number, to?: number, roll?: string}} place each only where it is known */
  constructor(name, place, detail) {
    super(detail);
    this.verdict = name;
    this.place = place;
  }

  get status() {
    return STATUS[this.verdict];
  }

  /** As it is quoted: `tampered(7 to 9)`, `dice_invalid(9, 1/0/pia/attack#0)`. */
  get text() {
    const { n, to, roll } = this.place;
    const numbers = to === undefined ? n : `${n} to ${to}`;
    const parts = [numbers, roll].filter((part) => part !== undefined);
    return parts.length ? `${this.verdict}(${parts.join(", ")})` : this.verdict;
  }

  /** As a report has it. */
  told() {
    const place = { n: null, to: null, roll: null, ...this.place };
    return { name: this.verdict, ...place, detail: this.message, text: this.text, meaning: MEANING[this.verdict] };
  }
}

export function demand(holds, name, place, detail) {
  if (!holds) throw new Verdict(name, place, detail);
}
