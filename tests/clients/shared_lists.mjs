// Print the offers of an answer of options, each with its own lists.

import { withLists } from "../../clients/javascript/choices.mjs";

console.log(JSON.stringify(withLists(JSON.parse(process.argv[2])).options[0].commands));
