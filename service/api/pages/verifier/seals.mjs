// Checks that a bundle has exactly the envelopes and requests that its seat may read.

import { isEnvelope, publicEvents } from "./record.mjs";
import { demand } from "./verdict.mjs";

/** @throws Verdict `malformed` */
export function holdToSeat({ header: { edition, seat }, moments }) {
  const isFirst = moments.length === 0 || moments[0].commit.edition === edition;
  demand(isFirst, "malformed", { n: 1 }, `the header names ${edition}, and commit 1 is of ${moments[0]?.commit.edition}`);
  const came = occasionsOf(moments);
  const isOpenToAll = ({ opens }) => isMet(opens, came);
  const isOpen = (envelope) => isOpenToAll(envelope) || envelope.audience.includes(`seat:${seat}`);
  for (const moment of moments) {
    const envelopes = moment.commit.events.filter(isEnvelope);
    holdEnvelopes(moment, isOpen, seat);
    holdRequest(moment, seat, envelopes.every(isOpenToAll), envelopes.every(isOpen));
  }
}

/** All occasions of the public events of all commits. */
function occasionsOf(moments) {
  const occasions = moments.flatMap(publicEvents).map(({ occasion }) => occasion);
  return new Set(occasions.filter((occasion) => typeof occasion === "string"));
}

function isMet(opens, came) {
  return came.has(opens) || came.has("*") || came.has(`${opens.split("/")[0]}/*`);
}

function holdEnvelopes({ n, commit, opened }, isOpen, seat) {
  const here = new Set(opened.map(({ index }) => index));
  commit.events.forEach((event, index) => {
    if (!isEnvelope(event)) return;
    demand(here.has(index) || !isOpen(event), "malformed", { n }, `envelope ${index} is open to ${seat}, and its payload is missing`);
    demand(!here.has(index) || isOpen(event), "malformed", { n }, `envelope ${index} is not open to ${seat}`);
  });
}

function holdRequest({ n, requestText, request, commit }, seat, areOpenToAll, areOpen) {
  const may = areOpenToAll || (seat === "gm" && commit.outcome !== "sealed" && areOpen);
  demand(requestText !== null || !may, "malformed", { n }, `the request is open to ${seat}, and it is withheld`);
  demand(requestText === null || may || request?.actor.seat === seat, "malformed", { n }, `the request is not open to ${seat}`);
}
