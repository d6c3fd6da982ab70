// Prints the kind of each type of event that records a decision.

import { KINDS } from "../../service/api/pages/verifier/decisions.mjs";

process.stdout.write(JSON.stringify(KINDS));
