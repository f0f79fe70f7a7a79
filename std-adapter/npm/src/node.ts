// Node, Bun and Deno: the engine from the file beside this one, ready when the import is.

import { readFileSync } from "node:fs";
import { init } from "./engine.js";

init(new WebAssembly.Module(readFileSync(new URL("./microschema.wasm", import.meta.url))));

export * from "./api.js";
