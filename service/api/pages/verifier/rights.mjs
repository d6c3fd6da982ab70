// Hold a bundle to its reader: what that seat may see is here, and nothing else, else it is `malformed`.

import { isEnvelope, requestOf } from "./record.mjs";
import { Fault } from "./verdict.mjs";
import { lostIn } from "./witnesses.mjs";

const EVERYTHING = "*";
const GM = "gm";
const CLOSING = ["epoch_closed", "encounter_closed"];

/** Check every envelope and every request of the evidence against what its seat may see; throws a `Fault`. */
export const checkRights = (evidence, commits) => {
  if (commits.length > 0 && evidence.edition !== commits[0].edition) {
    throw new Fault("malformed", 1, `it is told to be of ${evidence.edition}, commit 1 is of ${commits[0].edition}`);
  }
  const seat = evidence.seat;
  const come = occasionsOf(commits);
  const here = new Set(evidence.opened.map(({ n, index }) => `${n}/${index}`));
  for (const commit of commits) {
    commit.events.forEach((event, index) => {
      if (!isEnvelope(event)) return;
      const may = mayOpen(event, seat, come);
      const isHere = here.has(`${commit.n}/${index}`);
      if (may && !isHere) throw new Fault("malformed", commit.n, `envelope ${index} is open to ${seat} and missing`);
      if (isHere && !may) throw new Fault("malformed", commit.n, `envelope ${index} is not open to ${seat}`);
    });
    const request = evidence.requests[commit.n - 1];
    const may = mayRead(commit, seat, come, requestOf(request)?.actor.seat);
    if (request === null && may) throw new Fault("malformed", commit.n, `the request is open to ${seat} and withheld`);
    if (request !== null && !may) throw new Fault("malformed", commit.n, `the request is not open to ${seat}`);
  }
  checkSigned(evidence, commits);
};

/** Demand a checkpoint for every close below the last one that is signed: closes are signed in order. */
const checkSigned = ({ sizes }, commits) => {
  const lost = lostIn(commits);
  const isLost = (n) => lost.some(([first, to]) => first <= n && n <= to);
  const last = Math.max(0, ...sizes.filter((size) => !isLost(size)));
  for (const { n, events } of commits.slice(0, last)) {
    const isAsked = events.some(({ type }) => CLOSING.includes(type)) && !isLost(n);
    if (isAsked && !sizes.includes(n)) throw new Fault("malformed", n, "it closes an epoch, and its checkpoint is missing");
  }
};

/** Return the occasions that public events of any commit tell. */
const occasionsOf = (commits) =>
  new Set(commits.flatMap(({ events }) => events.map(({ occasion }) => occasion)).filter((each) => typeof each === "string"));

const isOpen = ({ opens }, come) =>
  come.has(opens) || come.has(EVERYTHING) || come.has(`${opens.split("/")[0]}/${EVERYTHING}`);

const mayOpen = (envelope, seat, come) => envelope.audience.includes(`seat:${seat}`) || isOpen(envelope, come);

const mayRead = (commit, seat, come, actor) => {
  if (actor === seat) return true;
  const sealed = commit.events.filter(isEnvelope);
  if (seat === GM && commit.outcome !== "sealed") return sealed.every((event) => mayOpen(event, seat, come));
  return sealed.every((event) => isOpen(event, come));
};
