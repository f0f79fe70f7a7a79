// The official JSON Schema test suite: the required tests of all dialects.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "microschema";
import { metaSchemas } from "microschema/meta-schemas";
import { dataFolder, jsonFiles, readJson } from "./support/data.mjs";

const { folder, missing } = dataFolder();

const DIALECTS = [
  ["draft4", "draft-04"],
  ["draft6", "draft-06"],
  ["draft7", "draft-07"],
  ["draft2019-09", "2019-09"],
  ["draft2020-12", "2020-12"],
];

function documents() {
  const remotes = join(folder, "JSON-Schema-Test-Suite", "remotes");
  const files = jsonFiles(remotes).map((name) => [`http://localhost:1234/${name}`, readJson(remotes, name)]);
  return { ...metaSchemas, ...Object.fromEntries(files) };
}

/** What a group of tests fails, and how many it passes. */
function run({ schema, tests }, options) {
  let passed = 0;
  const failed = [];
  try {
    const program = compile(schema, options);
    for (const { description, data, valid } of tests) {
      const result = program.check(data);
      if (result.valid === valid && (valid || result.reason === "invalid")) passed++;
      else failed.push(`${description}: ${JSON.stringify(result)}`);
    }
    program.dispose();
  } catch (error) {
    failed.push(String(error));
  }
  return { passed, failed };
}

for (const [directory, dialect] of DIALECTS) {
  test(directory, { skip: missing }, (t) => {
    const options = { dialect, documents: documents(), assertFormats: false };
    const tests = join(folder, "JSON-Schema-Test-Suite", "tests", directory);
    let total = 0;
    const failures = [];
    for (const file of jsonFiles(tests).filter((name) => !name.startsWith("optional/"))) {
      for (const group of readJson(tests, file)) {
        const { passed, failed } = run(group, options);
        total += passed;
        failures.push(...failed.map((failure) => `${file}: ${group.description}: ${failure}`));
      }
    }
    t.diagnostic(`${directory}: ${total} passed, ${failures.length} failed`);
    assert.deepEqual(failures, []);
    assert.ok(total > 500, `${total} tests`);
  });
}
