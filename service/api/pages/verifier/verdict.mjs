// Name what can be found, in the order of judging, with the exit status of each: those of `rewound verify`.

export const STATUS = {
  malformed: 3, tampered: 4, truncated: 5, forked: 6, dice_invalid: 7, valid_as_opened: 0,
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

/** Ends an audit with its verdict. */
export class Fault extends Error {
  constructor(name, n, detail, { to = null, roll = null } = {}) {
    super(detail);
    this.verdict = { name, n, to, roll, detail };
  }
}

/** Spell a verdict as it is quoted: `tampered(7)`, `dice_invalid(9, 1/0/pia/attack#0)`. */
export const spelledVerdict = ({ name, n, to, roll }) => {
  const place = n === null || n === undefined ? null : to === null || to === undefined ? `${n}` : `${n} to ${to}`;
  const parts = [place, roll].filter((part) => part);
  return parts.length ? `${name}(${parts.join(", ")})` : name;
};
