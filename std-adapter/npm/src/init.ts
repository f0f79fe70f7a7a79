// Everything but an engine: for edge runtimes and bundlers that bring `microschema.wasm` themselves.

export * from "./api.js";
export { init } from "./engine.js";
