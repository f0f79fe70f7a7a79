// Browsers: the engine from beside this module, ready when the import is. A content security policy has to allow `wasm-unsafe-eval`, which
// lets WebAssembly run, and nothing else.

import { init } from "./engine.js";

const response = await fetch(new URL("./microschema.wasm", import.meta.url));
if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
// Servers that know no `application/wasm` cannot be streamed from.
const streams = response.headers.get("content-type")?.startsWith("application/wasm");
init(await (streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer())));

export * from "./api.js";
