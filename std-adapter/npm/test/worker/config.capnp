# The package in workerd, the runtime of Cloudflare Workers: the engine comes compiled, and code generation is forbidden.
using Workerd = import "/workerd/workerd.capnp";

const modules :List(Workerd.Worker.Module) = [
  (name = "test/worker/worker.mjs", esModule = embed "worker.mjs"),
  (name = "dist/workerd.js", esModule = embed "../../dist/workerd.js"),
  (name = "dist/api.js", esModule = embed "../../dist/api.js"),
  (name = "dist/engine.js", esModule = embed "../../dist/engine.js"),
  (name = "dist/properties.js", esModule = embed "../../dist/properties.js"),
  (name = "dist/program.js", esModule = embed "../../dist/program.js"),
  (name = "dist/schema.js", esModule = embed "../../dist/schema.js"),
  (name = "dist/microschema.wasm", wasm = embed "../../dist/microschema.wasm"),
];

const config :Workerd.Config = (
  services = [
    # Runtimes of that date have no FinalizationRegistry.
    (name = "older", worker = (modules = .modules, compatibilityDate = "2024-01-01")),
    (name = "newer", worker = (modules = .modules, compatibilityDate = "2026-01-01")),
  ],
);
