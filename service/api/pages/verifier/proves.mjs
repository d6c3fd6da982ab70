// Says what a sound report proves, for people: what was checked, what follows from it, and what does not.

const some = (count, one, many) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/**
 * What was checked of a sound record, what that proves, and what it leaves open: sentences.
 * @param {any} report a sound one, as `verify` returns it
 * @returns {{checked: string[], proves: string, open: string[]}}
 */
export function proves({ log, counts }) {
  const { size, key_was_given: hasKey } = log.checkpoints;
  const later = counts.commits - (size ?? 0);
  const checked = [
    `All ${some(counts.commits, "commit follows", "commits follow")} from one another: none was changed, taken out or put in.`,
    ...(counts.faces_checked ? [`${some(counts.faces_checked, "die follows", "dice follow")} from a secret that was fixed before the first throw.`] : []),
    ...(counts.envelopes_opened ? [`${some(counts.envelopes_opened, "secret choice is", "secret choices are")} open now, and say what was sealed at the time.`] : []),
    ...(hasKey ? [`${size ?? 0} of ${some(counts.commits, "commit is", "commits are")} signed by a key that you accept.`] : []),
  ];
  const open = [
    ...(hasKey && later ? [`The last ${some(later, "commit is", "commits are")} not signed yet, and could still be changed.`] : []),
    ...(counts.rolls_unverified ? [`${some(counts.rolls_unverified, "roll", "rolls")} can be checked only when the fight has ended.`] : []),
    ...(counts.rolls_declared ? [`${some(counts.rolls_declared, "roll was", "rolls were")} thrown by people at the table: nobody can check those.`] : []),
    "Whether the rules were applied rightly was not checked here: an audit decides every command again.",
  ];
  return {
    checked, open,
    proves: hasKey
      ? "So nobody, the host included, has changed this fight or its dice since it was signed."
      : "So this record fits together. Who wrote it is open: without a key that you trust, anybody could have written all of it.",
  };
}
