// Play random battles in the simulator of Pokémon Showdown by its default choices; print choices a second of CPU.
const { Battle, Teams } = require("pokemon-showdown");

const count = Number(process.argv[2]);
const formatid = "gen9randombattle";

function battle(number) {
  const made = new Battle({ formatid, seed: [number, 2, 3, 4] });
  for (const side of ["p1", "p2"]) made.setPlayer(side, { name: side, team: Teams.generate(formatid, { seed: [number, 5, 6, 7] }) });
  return made;
}

battle(0); // loads every table
let choices = 0;
const began = process.cpuUsage();
for (let number = 1; choices < count; number += 1) {
  const playing = battle(number);
  while (!playing.ended && playing.turn < 200) {
    playing.makeChoices("default", "default");
    choices += 2;
  }
}
const { user, system } = process.cpuUsage(began);
process.stdout.write(JSON.stringify(choices / ((user + system) / 1e6)));
process.exit(0);
