// `node tools/meta-schemas.mjs FOLDER`: the meta-schemas of the engine's repository as a module, in FOLDER.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const meta = new URL("../../../core/src/compile/meta/", import.meta.url);
const names = readdirSync(meta, { recursive: true }).filter((name) => name.endsWith(".json")).sort();
const documents = names.map((name) => JSON.parse(readFileSync(new URL(name, meta), "utf8")));
const entries = documents.map((document) => [(document.$id ?? document.id).replace(/#$/, ""), document]);

const [folder] = process.argv.slice(2);
writeFileSync(join(folder, "meta-schemas.js"), `export const metaSchemas = ${JSON.stringify(Object.fromEntries(entries))};\n`);
writeFileSync(
  join(folder, "meta-schemas.d.ts"),
  `import type { JsonSchema } from "./program.js";

/** The meta-schemas of all dialects, as \`documents\` for schemas that refer to them. */
export declare const metaSchemas: { readonly [uri: string]: JsonSchema };
`,
);
