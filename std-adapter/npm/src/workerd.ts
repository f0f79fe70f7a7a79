// Cloudflare Workers: their bundler compiles the engine, and the import is a `WebAssembly.Module`.

import module from "./microschema.wasm";
import { init } from "./engine.js";

init(module);

export * from "./api.js";
