// `node ajv.mjs FOLDER SCHEMA INSTANCES`: ajv, installed in FOLDER, on the lines of INSTANCES. Prints JSON: nanoseconds of CPU time an
// instance for a parsed value, for a text (JSON.parse included), and how many are valid.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, schemaFile, instancesFile] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const texts = readFileSync(instancesFile).toString().split("\n").filter((line) => line.trim()).map((line) => Buffer.from(line));

function create(dialect) {
  const options = { strict: false, validateFormats: false, logger: false };
  if (/2019-09/.test(dialect)) return new (require("ajv/dist/2019").default)(options);
  if (!dialect || /2020-12/.test(dialect)) return new (require("ajv/dist/2020").default)(options);
  const ajv = new (require("ajv").default)(options);
  if (/draft-06/.test(dialect)) ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  return ajv;
}

const validate = create(schema.$schema ?? "").compile(schema);
const values = texts.map((text) => JSON.parse(text));
const valid = values.filter((value) => validate(value)).length;

// The median of nine slices of about 20 ms each, after as much to warm up.
function time(items, work) {
  const pass = () => items.forEach(work);
  const slice = (passes) => {
    const before = process.cpuUsage();
    for (let i = 0; i < passes; i++) pass();
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / passes / items.length;
  };
  let passes = 1;
  for (const start = performance.now(); performance.now() - start < 200; passes++) pass();
  passes = Math.max(1, Math.round(passes / 10));
  return Array.from({ length: 9 }, () => slice(passes)).sort((a, b) => a - b)[4];
}

console.log(JSON.stringify({
  value: time(values, (value) => validate(value)),
  bytes: time(texts, (text) => validate(JSON.parse(text))),
  valid,
  instances: texts.length,
}));
