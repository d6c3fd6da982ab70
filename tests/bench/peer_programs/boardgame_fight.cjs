// Play a fight of attacks as a game of boardgame.io, on its local client; print moves a second of CPU.
const { Client } = require("boardgame.io/client");

const count = Number(process.argv[2]);
const names = ["pia", "orc", "ash", "bat"];
const game = {
  seed: "7",
  setup: () => ({ hp: Object.fromEntries(names.map((name) => [name, 100000])) }),
  moves: {
    attack: ({ G, random }, target) => {
      G.hp[target] -= random.Die(6) + random.Die(6);
    },
  },
};
const client = Client({ game, numPlayers: 2, debug: false });
client.start();
const began = process.cpuUsage();
for (let n = 0; n < count; n += 1) client.moves.attack(names[n % 4]);
const { user, system } = process.cpuUsage(began);
process.stdout.write(JSON.stringify(count / ((user + system) / 1e6)));
process.exit(0);
