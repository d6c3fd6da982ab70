// Checks that a bundle has exactly the envelopes and requests that its seat may read.

import { commitOf, isEnvelope, publicEvents } from "./record.mjs";
import { demand } from "./verdict.mjs";

/**
 * @param others the other lines of play of the file: what the seat could open in one of them stands there for all
 * @throws Verdict `malformed`
 */
export function holdToSeat({ header: { edition, seat }, moments }, others = []) {
  const isFirst = moments.length === 0 || moments[0].commit.edition === edition;
  demand(isFirst, "malformed", { n: 1 }, `the header names ${edition}, and commit 1 is of ${moments[0]?.commit.edition}`);
  const readers = [{ upto: Infinity, came: occasionsOf(moments) }, ...others.map((other) => ({ upto: common(moments, other.moments), came: occasionsOf(other.moments) }))];
  for (const moment of moments) {
    const here = readers.filter(({ upto }) => moment.n <= upto);
    const isOpenTo = ({ came }) => ({ opens, audience }) => isMet(opens, came) || audience.includes(`seat:${seat}`);
    const envelopes = moment.commit.events.filter(isEnvelope);
    holdEnvelopes(moment, (envelope) => here.some((reader) => isOpenTo(reader)(envelope)), seat);
    const areOpenToAll = here.some(({ came }) => envelopes.every(({ opens }) => isMet(opens, came)));
    holdRequest(moment, seat, areOpenToAll, here.some((reader) => envelopes.every(isOpenTo(reader))));
  }
}

/** How many moments two lines of play have in common. */
function common(one, other) {
  let n = 0;
  while (n < one.length && n < other.length && (one[n] === other[n] || one[n].commitText === other[n].commitText)) n += 1;
  return n;
}

/** All occasions of the public events of all commits. */
function occasionsOf(moments) {
  const revealing = moments.filter(({ commitText }) => commitText.includes('"occasion":')).map(commitOf).filter((commit) => commit !== null);
  const occasions = revealing.flatMap((commit) => publicEvents({ commit })).map(({ occasion }) => occasion);
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

function holdRequest({ n, requestText, request }, seat, areOpenToAll, areOpen) {
  const may = areOpenToAll || (seat === "gm" && areOpen);
  demand(requestText !== null || !may, "malformed", { n }, `the request is open to ${seat}, and it is withheld`);
  demand(requestText === null || may || request?.actor.seat === seat, "malformed", { n }, `the request is not open to ${seat}`);
}
