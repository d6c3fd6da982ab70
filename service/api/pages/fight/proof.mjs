// The proof: download what the record rests on, and verify it here. The mark is green for what was verified and signed alone.

import { at, button, faultText, html, show } from "../shared/dom.mjs";

/** @typedef {{isSound: boolean, isSigned: boolean, hasKey: boolean, signed: number, size: number, head: string | null, where: string, meaning: string, detail: string,
 *  key: string | null, warnings: string[], facts: [string, string][], says: {checked: string[], proves: string, open: string[]} | null}} Verified `where` says which commits a fault is about;
 *  `says` what a sound record proves */
/** @typedef {{n: number, roll?: string, line?: string}} Checked a commit, and one of its rolls by its name; without it the commit's place */
/**
 * @typedef {object} Proving how a record is verified where the page is
 * @property {string} intro what a click does
 * @property {import("../shared/dom.mjs").Child | import("../shared/dom.mjs").Child[]} aboutKeys where the keys come from
 * @property {string} [key] whose keys they are, if nobody gives them here
 * @property {(bundle: string, keys: string[]) => Promise<Verified>} verify
 * @property {() => Promise<string[]>} keys the public keys whose signatures count; throws an Error for one that is none
 * @property {() => Promise<unknown>} [prepare] has the newest commit signed
 * @property {(what: Checked, bundle: string, keys: string[]) => Promise<import("../verifier/steps.mjs").Steps>} steps recomputes one die, or one place
 * @property {HTMLElement} [more] a place for more that is asked
 * @property {Verified} [found] what has been verified already
 */

/** Save *text* as a file. @param {string} text @param {string} type @param {string} name */
export const save = (text, type, name) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};

/** Return a name for files about a fight: its title in plain letters, and the beginning of its id. @param {string} id */
export const nameOf = (id) => [at("title").textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-"), id.slice(0, 8)].join("-").replace(/^-+/, "");

/** Return what the mark says of commit *n*. @param {Verified | null} found @param {number} n @returns {[string, string]} a class and a text */
export const markOf = (found, n) => {
  if (found === null) return ["", "Not verified yet"];
  if (!found.isSound) return ["is-fault", `Not sound${found.where}`];
  if (n > found.size) return ["", `Verified up to #${found.size}`];
  return found.isSigned && n <= found.signed ? ["is-proved", "✓ Proved"] : ["is-unsigned", found.hasKey ? "Consistent, not signed yet" : "Consistent, no key given"];
};

/**
 * Return the record with its signatures as it is now, and the keys that count.
 * @param {import("../client/rewound.mjs").Encounter} encounter @param {{line?: string}} asked @param {Proving} proving
 * @returns {Promise<[string, string[]]>}
 */
export const evidence = async ({ client, path }, asked, proving) => {
  if (!asked.line) await proving.prepare?.().catch(() => {}); // without it, fewer commits are signed
  return Promise.all([/** @type {Promise<string>} */ (client.get(`${path}/bundle`, { line: asked.line })), proving.keys()]);
};

/** The panel of the proof, in an element of the page. */
export class Proof {
  /**
   * @param {HTMLElement} place @param {import("../client/rewound.mjs").Encounter} encounter
   * @param {{line?: string}} asked @param {Proving} proving @param {boolean} mayAudit @param {(found: Verified) => void} done
   */
  constructor(place, encounter, asked, proving, mayAudit, done) {
    this.encounter = encounter;
    this.asked = asked;
    this.proving = proving;
    this.done = done;
    this.result = html("div", { "aria-live": "polite" });
    this.certificate = html("div", { "aria-live": "polite" });
    this.audit = mayAudit && !asked.line && button("Have it audited", () => this.#audit());
    this.ask = button("Verify it here", () => this.verify(), { class: "main verify" });
    show(place, html("p", {}, proving.intro), proving.more,
      html("div", { class: "row" }, this.ask, button("Download the proof", () => this.#download()), this.audit), this.result, this.certificate,
      html("details", {}, html("summary", {}, "What it means, and what it does not"),
        html("ul", { class: "small" },
          html("li", {}, "Proved: commits were not changed since they were signed; dice follow from the seed that was published in commit 1; seals open to what was sealed."),
          html("li", {}, "Not proved here: that the rules lead to these results. ", html("code", {}, "rewound verify"), " and an audit decide every command again; an audit ends with a certificate that the service signs."),
          html("li", {}, proving.aboutKeys))));
    if (proving.found) this.#tell(proving.found);
  }

  /** @returns {Promise<string>} */
  async #bundle() {
    const { client, path } = this.encounter;
    return client.get(`${path}/bundle`, { line: this.asked.line });
  }

  /** Verify the record as it is now, and show what was found. */
  async verify() {
    this.ask.disabled = true;
    show(this.result, html("p", { class: "soft" }, "Verifying …"));
    try {
      const [bundle, keys] = await evidence(this.encounter, this.asked, this.proving);
      this.#tell(await this.proving.verify(bundle, keys));
    } catch (fault) {
      show(this.result, html("p", { class: "fault" }, faultText(fault)));
    } finally {
      this.ask.disabled = false;
    }
  }

  /** Show what was found, and report it. @param {Verified} found */
  #tell(found) {
    this.done(found);
    show(this.result,
      found.says ? this.#sound(found.says) : [html("p", { class: "verdict fault" }, html("b", {}, `Something is wrong with this record${found.where}`), `: ${found.meaning}.`), html("p", { class: "fault" }, found.detail)],
      found.warnings.map((each) => html("p", {}, each)),
      html("details", { class: "details" }, html("summary", {}, "The numbers and hashes"),
        html("dl", { class: "proof" }, found.facts.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, this.proving.key ? value.replace("a key you gave", this.proving.key) : value)]))));
  }

  /** Draw what a sound record proves. @param {NonNullable<Verified["says"]>} says */
  #sound({ checked, proves, open }) {
    const listed = (/** @type {string[]} */ all) => html("ul", {}, all.map((text) => html("li", {}, text)));
    const named = (/** @type {string} */ text) => (this.proving.key ? text.replace("a key that you accept", this.proving.key) : text);
    return [html("p", { class: "verdict" }, html("b", {}, "Nothing is wrong with this record"), ". Your browser has checked:"), listed(checked.map(named)),
      html("p", { class: "verdict" }, html("b", {}, proves)), html("p", {}, "What it does not prove:"), listed(open)];
  }

  /** Have the service decide every command again, and show what it certifies. */
  async #audit() {
    this.audit.disabled = true;
    show(this.certificate, html("p", { class: "soft" }, "The service decides every command again …"));
    try {
      const { verdict, certificate, fault } = await this.encounter.audit();
      if (!certificate) throw new Error(fault ?? "the audit has failed");
      show(this.certificate, html("p", { class: "verdict" }, "The audit says ", html("b", {}, verdict), `: ${/** @type {any} */ (certificate).verdict.meaning}`),
        button("Download the certificate", () => save(JSON.stringify(certificate, null, 2), "application/json", `${nameOf(this.encounter.id)}.certificate.json`)));
    } catch (failed) {
      show(this.certificate, html("p", { class: "fault" }, faultText(failed)));
    } finally {
      this.audit.disabled = false;
    }
  }

  async #download() {
    save(await this.#bundle(), "application/jsonl", `${nameOf(this.encounter.id)}.jsonl`);
  }
}
