// Answer questions by the site's search: read `{pages, questions}` as JSON, print the addresses found, by question.

import { found, ordered } from "../../service/api/pages/docs-search.js";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { pages, questions } = JSON.parse(Buffer.concat(chunks).toString());
const entries = pages.map((entry) => ({ ...entry, words: `${entry.name} ${entry.beside} ${entry.text}`.toLowerCase() }));
const answers = questions.map((asked) => ordered(found(entries, asked)).flatMap(({ mine }) => mine).slice(0, 4).map(({ to }) => to));
process.stdout.write(JSON.stringify(answers));
