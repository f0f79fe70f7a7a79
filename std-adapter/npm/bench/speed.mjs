// `node bench/speed.mjs [--json]`: time per call against ajv and cfworker, on the tools of ../../benches/data, in one run.
//
// The peers are set up as version 2 of the SDK has them: ajv with all errors and formats, cfworker stopping at the first. Objects in: what a
// server gets from the SDK; microschema has to write them as JSON first. Strings in: the bytes of a call; the peers have to parse them first.
// Each figure is the median of rounds in which all take turns; the machine's speed is that of the round for all of them.

import { readFileSync, readdirSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { compile } from "microschema";

const ROUNDS = 15;
const SLICE_MS = 8;

const data = new URL("../../../benches/data/", import.meta.url);

function lines(file) {
  return readFileSync(new URL(file, data), "utf8").split("\n").filter((line) => line.trim());
}

function newAjv() {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  return ajv;
}

/** Nanoseconds a call of each contestant's `run` over all instances. */
function contest(contestants, instances) {
  const times = contestants.map(() => []);
  const pass = (run) => {
    for (const instance of instances) run(instance);
  };
  // Warm up, and see how many passes make a slice.
  const passes = contestants.map((run) => {
    let count = 0;
    for (const start = performance.now(); performance.now() - start < 150; count++) pass(run);
    return Math.max(1, Math.round((count * SLICE_MS) / 150));
  });
  for (let round = 0; round < ROUNDS; round++) {
    contestants.forEach((run, index) => {
      const start = performance.now();
      for (let i = 0; i < passes[index]; i++) pass(run);
      times[index].push(((performance.now() - start) * 1e6) / passes[index] / instances.length);
    });
  }
  return times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]);
}

const rows = [];
for (const set of readdirSync(data).filter((name) => name.startsWith("mcp-")).sort()) {
  const text = readFileSync(new URL(`${set}/schema.json`, data), "utf8");
  const program = compile(JSON.parse(text));
  const ajv = newAjv().compile(JSON.parse(text));
  const cfworker = new Validator(JSON.parse(text), "2020-12", true);
  for (const [kind, file, expected] of [["valid", "instances.jsonl", true], ["invalid", "invalid.jsonl", false]]) {
    const texts = lines(`${set}/${file}`);
    const values = texts.map((line) => JSON.parse(line));
    for (const value of values) {
      const verdicts = [program.check(value).valid, ajv(value), cfworker.validate(value).valid];
      if (verdicts.some((verdict) => verdict !== expected)) throw new Error(`${set} ${kind}: ${verdicts}`);
    }
    const bytes = Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length);
    const objects = contest([(value) => program.check(value), ajv, (value) => cfworker.validate(value)], values);
    const strings = contest(
      [(text) => program.checkJson(text), (text) => ajv(JSON.parse(text)), (text) => cfworker.validate(JSON.parse(text))],
      texts,
    );
    rows.push({ set: set.slice(4), kind, bytes, objects, strings });
  }
  const compiled = contest(
    [(text) => compile(text).dispose(), (text) => newAjv().compile(JSON.parse(text)), (text) => new Validator(JSON.parse(text), "2020-12", true)],
    [text],
  );
  rows.push({ set: set.slice(4), kind: "compile", bytes: Buffer.byteLength(text), objects: [], strings: compiled });
}

if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ unit: "nanoseconds a call", order: ["microschema", "ajv", "cfworker"], rows }));
} else {
  const cell = (value) => (value === undefined ? "" : value.toFixed(0)).padStart(11);
  console.log(`nanoseconds a call (node ${process.version}); x: how many times the time of microschema`);
  console.log(`${"".padEnd(31)}${"bytes".padStart(6)}   object in: microschema        ajv   cfworker   string in: microschema        ajv   cfworker`);
  for (const { set, kind, bytes, objects, strings } of rows) {
    console.log(`${set.padEnd(22)} ${kind.padEnd(8)}${String(bytes).padStart(6)}            ${cell(objects[0])}${cell(objects[1])}${cell(objects[2])}            ${cell(strings[0])}${cell(strings[1])}${cell(strings[2])}`);
  }
  const mean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
  for (const kind of ["valid", "invalid", "compile"]) {
    const of = rows.filter((row) => row.kind === kind);
    for (const form of ["objects", "strings"]) {
      if (of[0][form].length === 0) continue;
      const [ajv, cfworker] = [1, 2].map((peer) => mean(of.map((row) => row[form][peer] / row[form][0])));
      const what = kind === "compile" ? "compile, text in" : `${kind}, ${form.slice(0, -1)} in`;
      console.log(`${what.padEnd(22)} ajv x ${ajv.toFixed(2)}   cfworker x ${cfworker.toFixed(2)}   (geometric means)`);
    }
  }
}
