// What creatures are called: each by a name of its own, and by the letters on its token.

/** @typedef {import("../client/contract.mjs").CreatureToken} Token */

/** @type {WeakMap<Token, string>} the name that the service gives, of a token that is called otherwise here */
const given = new WeakMap();
/** @type {WeakMap<Token, Token>} a token as it is called here, of the one that the service gives: what is the same stays the same */
const called = new WeakMap();

/** Return a name without its article. @param {string} name */
export const bare = (name) => name.replace(/^(the|a|an|his|her|their) /i, "");

/** Return the letters on a token. @param {string} name */
const initials = (name) => {
  const parts = bare(name).split(/[\s-]+/).filter((each) => /^[\p{L}\p{N}]/u.test(each));
  const [first, second] = parts.filter((each, index) => !index || !/^(of|the|von|van|de|with|a|an)$/i.test(each));
  const number = parts.length > 1 ? parts.at(-1)?.match(/^\d+$/)?.[0] : null;
  return (number ? first[0] + number : second ? first[0] + second[0] : (first ?? name).slice(0, 2)).toUpperCase();
};

/**
 * Return what each creature is called, by id: those of one name by numbers in their order, as sentences of the service call them.
 * @param {Iterable<{id: string, name: string}>} creatures @returns {Map<string, string>}
 */
export const namesOf = (creatures) => {
  const all = [...creatures], taken = new Set(all.map(({ name }) => name)), numbers = new Map();
  const seen = new Set(), shared = new Set();
  for (const { name } of all) (seen.has(name) ? shared : seen).add(name);
  return new Map(all.map(({ id, name }) => {
    let own = name;
    while (shared.has(name) && taken.has(own)) {
      numbers.set(name, (numbers.get(name) ?? 0) + 1);
      own = `${name} ${numbers.get(name)}`;
    }
    taken.add(own);
    return [id, own];
  }));
};

/** Return the letters on each token, by id, from what it is called: no two have the same. @param {Iterable<{id: string, name: string}>} creatures */
export const lettersOf = (creatures) => {
  /** @type {Map<string, string[]>} */
  const alike = new Map();
  for (const [id, name] of namesOf(creatures)) alike.set(initials(name), [...(alike.get(initials(name)) ?? []), id]);
  const taken = new Set([...alike].filter(([, ids]) => ids.length === 1).map(([text]) => text));
  const letters = new Map();
  for (const [text, ids] of alike) {
    let number = 1;
    for (const id of ids) {
      while (ids.length > 1 && taken.has(`${text[0]}${number}`)) number += 1;
      letters.set(id, ids.length > 1 ? `${text[0]}${number}` : text);
      taken.add(letters.get(id));
    }
  }
  return letters;
};

/** Return creatures by id, each with a name of its own. @param {Iterable<Token>} creatures @returns {Map<string, Token>} */
export const tokensOf = (creatures) => {
  const all = [...creatures], names = namesOf(all.map((each) => ({ id: each.id, name: given.get(each) ?? each.name })));
  return new Map(all.map((each) => [each.id, withName(each, names.get(each.id) ?? each.name)]));
};

/** Return a token that is called *name*. @param {Token} token @param {string} name @returns {Token} */
const withName = (token, name) => {
  if (token.name === name) return token;
  const known = called.get(token);
  if (known?.name === name) return known;
  const made = { ...token, name };
  given.set(made, given.get(token) ?? token.name);
  called.set(token, made);
  return made;
};
