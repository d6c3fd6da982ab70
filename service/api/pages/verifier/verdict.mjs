// The verdicts on a bundle, in the order of the checks, with the exit status of each in `rewound verify`.

export const STATUS = {
  not_a_bundle: 16,
  malformed: 3,
  tampered: 4,
  truncated: 5,
  forked: 6,
  empty: 14,
  unsigned_from: 11,
  forged_command: 22,
  false_refusal: 28,
  dice_moved: 25,
  false_quarantine: 24,
  dice_invalid: 7,
  seam_broken: 19,
  not_accepted: 26,
  valid_in_part: 27,
  receipt_mismatch: 23,
  certificate_mismatch: 17,
  bad_log_proof: 30,
  log_contradicted: 31,
  unlogged: 32,
  unwitnessed: 33,
  misdated: 34,
  outdated: 35,
  valid_unsigned_without_rules: 13,
  valid_without_rules: 12,
};

const HELD = "nothing was changed, and every die shown was fixed before the fight; no rule was applied";

export const MEANING = {
  not_a_bundle: "the file is not a bundle of the format rewound/bundle/1",
  malformed: "some bytes are not canonical JSON, or are not a request, commit or envelope",
  tampered: "a hash, root or signature does not fit, so the record was changed after it was written",
  truncated: "a head, checkpoint or receipt names a later commit, so the end of the record is missing",
  forked: "two signed heads, or a head that a seat signed and this record, contradict each other",
  empty: "the record has no commits, so there is nothing to judge",
  unsigned_from: "no accepted key has signed this commit or a later one; anybody may have written them",
  forged_command: "a command in a seat's name is not signed by its key, is here twice, or was not sent",
  false_refusal: "the host refused this command as not signed, and its seat has signed it",
  dice_moved: "the dice were moved after a seat signed this command, and it throws the later ones",
  false_quarantine: "the host set this command aside, and the cause that it gives does not hold",
  dice_invalid: "a die or a disclosed link does not follow from the published anchor",
  seam_broken: "a line of play does not continue the earlier one as that one was ruled and accepted",
  not_accepted: "the last line of play was only proposed: nobody has accepted it, so it proves nothing",
  valid_in_part:
    "nothing in this file is wrong, but it is a part: what was taken back, or what a fork continues, is not in it, so nobody can check where the play comes from",
  receipt_mismatch: "a receipt is not signed by an accepted key, or is of another encounter",
  certificate_mismatch: "the certificate is not signed by an accepted key, or is not of this record",
  bad_log_proof: "a signature, a proof or the form of what was shown of the public log does not hold",
  log_contradicted: "the public log has another history of this encounter",
  unlogged: "the host has not put this commit into the public log, so others may know nothing of it",
  unwitnessed: "too few witnesses of the policy have cosigned the log with this commit",
  misdated: "the time of this commit is not that at which the witnesses saw it",
  outdated: "this command was decided after more than the policy allows of what its seat had not seen",
  valid_unsigned_without_rules: `${HELD}; no key was given, so anybody may have written it`,
  valid_without_rules: HELD,
};

/** The sound verdicts, by whether a key was given. */
export const SOUND = { signed: "valid_without_rules", unsigned: "valid_unsigned_without_rules" };

/** The exit status of a verdict, depending on whether the caller asked to verify without a key or without rules. */
export function statusOf(name, { unsigned = false, withoutRules = false } = {}) {
  const named = unsigned && name === SOUND.unsigned ? SOUND.signed : name;
  return withoutRules && named === SOUND.signed ? 0 : STATUS[named];
}

/** Thrown at the first fault; nothing after it is checked. */
export class Verdict extends Error {
  /** @param {{n?: number, to?: number, roll?: string}} place each member only if it is known */
  constructor(name, place, detail) {
    super(detail);
    this.verdict = name;
    this.place = place;
  }

  get isSound() {
    return Object.values(SOUND).includes(this.verdict);
  }

  /** Its text, for example `tampered(7 to 9)` or `dice_invalid(9, 1/0/pia/attack#0)`. */
  get text() {
    const { n, to, roll } = this.place;
    const numbers = to === undefined ? n : `${n} to ${to}`;
    const parts = [numbers, roll].filter((part) => part !== undefined);
    return parts.length ? `${this.verdict}(${parts.join(", ")})` : this.verdict;
  }

  /** The verdict as a member of a report. */
  reported() {
    const place = { n: null, to: null, roll: null, ...this.place };
    return { name: this.verdict, ...place, detail: this.message, text: this.text, meaning: MEANING[this.verdict] };
  }
}

export function demand(holds, name, place, detail) {
  if (!holds) throw new Verdict(name, place, detail);
}
