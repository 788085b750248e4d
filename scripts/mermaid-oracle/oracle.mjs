// Prints what Mermaid reads in sequence diagrams, one line of JSON for each. See README.md.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const modules = process.env.MERMAID_MODULES ?? "node_modules";
const require = createRequire(join(modules, "..", "package.json"));
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("<body></body>");
Object.assign(globalThis, { window, document: window.document, Option: window.Option });
const entry = join(modules, "mermaid", "dist", "mermaid.core.mjs");
const { default: mermaid } = await import(pathToFileURL(entry).href);
console.debug = console.info = console.warn = console.error = () => {};
mermaid.initialize({ startOnLoad: false, logLevel: "fatal" });

async function read(file, text) {
  try {
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    if (diagram.type !== "sequence") return { file, ok: false, error: `type ${diagram.type}` };
    const { db } = diagram;
    const names = Object.fromEntries(Object.entries(db.LINETYPE).map(([name, id]) => [id, name]));
    const actors = [...db.getActors()].map(([id, actor]) => ({
      id,
      label: String(actor.description),
      type: String(actor.type),
    }));
    const messages = db.getMessages().map((message) => ({
      t: names[message.type],
      from: message.from,
      to: message.to,
      text: message.message,
    }));
    const boxes = db.getBoxes().map((box) => ({ name: box.name, actors: box.actorKeys }));
    return { file, ok: true, type: diagram.type, title: db.getDiagramTitle(), actors, messages, boxes };
  } catch (error) {
    return { file, ok: false, error: String(error.message ?? error).split("\n")[0] };
  }
}

const files = process.argv.slice(2);
const inputs = files.length
  ? files.map((file) => ({ file: basename(file), text: readFileSync(file, "utf8") }))
  : readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
for (const { file, text } of inputs) {
  process.stdout.write(JSON.stringify(await read(file, text)) + "\n");
}
