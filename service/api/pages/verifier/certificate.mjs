// Check the signature of a certificate: Ed25519 over a label and the canonical JSON of all its other members.

import { joined, number, unhex, utf8 } from "./bytes.mjs";
import { spelled } from "./canonical.mjs";
import { isSigned } from "./ed25519.mjs";

const LABEL = joined(utf8("rewound/certificate/1"), number(0, 1));

/** Return null if a certificate is signed (by one of the given keys, if there are any), else why it is not. */
export const certificateFault = async (certificate, keys = []) => {
  const { signature, ...signed } = certificate;
  const [key, value] = [unhex(signature?.public_key), unhex(signature?.value, 128)];
  if (key === null || value === null) return "the certificate is not signed";
  if (keys.length > 0 && !keys.some((given) => given.every((byte, at) => byte === key[at]))) {
    return `it was signed by ${signature.public_key}, which is not believed`;
  }
  const isTrue = await isSigned(joined(LABEL, utf8(spelled(signed))), value, key);
  return isTrue ? null : "the signature is false";
};

/** Return null if a certificate speaks of this report's record, else why it does not. */
export const otherRecord = (certificate, report) => {
  if (certificate.encounter !== report.encounter) return `the certificate is of ${certificate.encounter}`;
  const { size, head } = certificate.log ?? {};
  const isOurs = size === report.log.size && head === report.log.head;
  return isOurs ? null : `the certificate is of ${size} commits that end in ${head}`;
};
