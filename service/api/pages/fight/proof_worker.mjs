// Verify a bundle in a thread of its own, so that the page goes on.

import { facts, warnings } from "/docs/verifier/telling.mjs";
import { SOUND } from "/docs/verifier/verdict.mjs";
import { verify } from "/docs/verifier/verify.mjs";

addEventListener("message", ({ data: { bundle, keys } }) => {
  const report = verify(bundle, { keys });
  const isSound = report.checked.length > 0;
  const { verdict, log, counts } = report;
  postMessage({
    isSound, isSigned: isSound && verdict.name === SOUND.signed, text: verdict.text, meaning: verdict.meaning, detail: verdict.detail,
    head: log?.head ?? null, size: counts?.commits ?? 0, signed: log?.checkpoints.size ?? 0, key: log?.checkpoints.key ?? null,
    warnings: isSound ? warnings(report) : [], facts: facts(report), notChecked: report.not_checked.replaceAll("`", ""),
  });
});
