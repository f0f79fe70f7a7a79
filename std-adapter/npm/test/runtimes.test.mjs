// Runtimes that bring the engine compiled, and those that forbid code generation.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const cwd = fileURLToPath(new URL("..", import.meta.url));

async function run(script, ...flags) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "--eval", script], { cwd });
  return JSON.parse(stdout);
}

test("without an engine nothing compiles; with one that was compiled elsewhere all does", async () => {
  const script = `
    import { readFileSync } from "node:fs";
    import { compile, init, toolSchema } from "microschema/init";
    const found = [];
    try { toolSchema({}) } catch (error) { found.push(error.name, error.message) }
    init(new WebAssembly.Module(readFileSync("dist/microschema.wasm")));
    init(undefined);
    found.push(compile({ type: "integer" }).check("1").issues[0].message);
    console.log(JSON.stringify(found));`;
  assert.deepEqual(await run(script), [
    "EngineError",
    "microschema has no engine yet: call init(module) with microschema.wasm, compiled",
    "must be an integer: send the number without quotes",
  ]);
});

test("ajv needs code generation, microschema does not", async () => {
  const script = `
    import { Ajv2020 } from "ajv/dist/2020.js";
    import { compile } from "microschema";
    const schema = { type: "integer" };
    let ajv = "compiled";
    try { new Ajv2020().compile(schema) } catch (error) { ajv = error.name }
    console.log(JSON.stringify([ajv, compile(schema).check(1).valid]));`;
  assert.deepEqual(await run(script, "--disallow-code-generation-from-strings"), ["EvalError", true]);
  assert.deepEqual(await run(script), ["compiled", true]);
});

test("in workerd, the runtime of Cloudflare Workers", async () => {
  const { stderr } = await promisify(execFile)("node_modules/.bin/workerd", ["test", "test/worker/config.capnp"], { cwd });
  for (const service of ["older", "newer"]) assert.match(stderr, new RegExp(`\\[ PASS \\] ${service}`));
});
