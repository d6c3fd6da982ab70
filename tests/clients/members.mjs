// Print the names that the JavaScript client exports, each with the methods of its class.

import * as client from "../../clients/javascript/rewound.mjs";

const methods = (each) => Object.getOwnPropertyNames(each.prototype ?? {}).filter((name) => name !== "constructor");
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(client).map(([name, each]) => [name, methods(each)]))));
