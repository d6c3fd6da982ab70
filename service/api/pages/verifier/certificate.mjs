// Whether a certificate is signed by a key that counts, and speaks of the record that was judged.

import { fromHex, isHex, joined, utf8 } from "./bytes.mjs";
import { spelled } from "./canonical.mjs";
import { verifies } from "./ed25519.mjs";

const LABEL = joined(utf8("rewound/certificate/1"), Uint8Array.of(0));

/**
 * @param certificate what a file has, as JSON
 * @param report that of a sound bundle: its keys may have signed, its log is what the certificate must tell
 * @returns what does not fit; null if all does
 */
export function certificateFault(certificate, report) {
  const { signature, ...rest } = certificate ?? {};
  if (!isHex(signature?.public_key, 64) || !isHex(signature.value, 128)) return "the certificate is not signed";
  const message = joined(LABEL, utf8(spelled(rest)));
  if (!verifies(fromHex(signature.public_key), message, fromHex(signature.value))) return "the signature is false";
  if (!report.keys.includes(signature.public_key)) return `it was signed by ${signature.public_key}, which is not believed`;
  return otherRecord(rest, report);
}

function otherRecord({ format, encounter, log }, report) {
  if (format !== "rewound/certificate/1") return `its format is ${format}`;
  if (encounter !== report.encounter) return `the certificate is of ${encounter}`;
  const isOurs = ["size", "head", "root"].every((name) => log?.[name] === report.log[name]);
  return isOurs ? null : `the certificate is of ${log?.size} commits that end in ${log?.head}`;
}
