// The fight in Foundry's combat tracker: who is in it, the round, and whose answer is awaited.

import { boundTokens, creatureOf } from "./scene.mjs";
import { ID, setting } from "./service.mjs";

/** No system's effects at the begin and end of turns: the rules are the service's. */
const QUIET = { turnEvents: false };

/** Make the tracker show the fight, from its first round to its end. */
export async function track({ round, creatures }, { status }) {
  const found = [...game.combats].find((combat) => combat.getFlag(ID, "encounter") === setting("encounter"));
  if (["closed", "over"].includes(status) || round === 0) {
    if (found) await found.delete();
    return;
  }
  const known = new Map(creatures.map((each) => [each.id, each]));
  const fighting = boundTokens().filter(({ creature }) => known.has(creature) && known.get(creature).status !== "gone");
  if (!fighting.length && !found) return;
  const combat = found ?? await CONFIG.Combat.documentClass.create(
    { scene: null, active: true, round: 0, flags: { [ID]: { encounter: setting("encounter") } } });
  const there = new Map([...combat.combatants].map((each) => [each.tokenId, each]));
  const over = [...combat.combatants].filter(({ tokenId }) => !fighting.some(({ token }) => token.id === tokenId));
  const isDefeated = (creature) => known.get(creature).status !== "active";
  const made = fighting.filter(({ token }) => !there.has(token.id)).map(({ scene, token, creature }) => ({
    tokenId: token.id, sceneId: scene.id, actorId: token.actorId, hidden: token.hidden, defeated: isDefeated(creature),
  }));
  const changes = fighting.map(({ token, creature }) => ({ combatant: there.get(token.id), defeated: isDefeated(creature) }))
    .filter(({ combatant, defeated }) => combatant && combatant.defeated !== defeated)
    .map(({ combatant, defeated }) => ({ _id: combatant.id, defeated }));
  if (over.length) await combat.deleteEmbeddedDocuments("Combatant", over.map(({ id }) => id), QUIET);
  if (changes.length) await combat.updateEmbeddedDocuments("Combatant", changes, QUIET);
  if (made.length) await combat.createEmbeddedDocuments("Combatant", made, QUIET);
  const asked = combat.turns.findIndex(({ token }) => token && known.get(creatureOf(token))?.acts);
  const turn = asked === -1 ? null : asked;
  if (combat.round !== round || combat.turn !== turn) await combat.update({ round, turn }, QUIET);
}
