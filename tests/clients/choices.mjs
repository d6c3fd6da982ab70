// Print the values of the choices given as JSON.

import { valuesOf } from "../../clients/javascript/choices.mjs";

console.log(JSON.stringify(JSON.parse(process.argv[2]).map(valuesOf)));
