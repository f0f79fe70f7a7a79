// The cases from public bug reports (tests/data/bug-cases.json), text and bytes in: schema and instance reach the engine as they are written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SchemaError, compile } from "microschema";
import { readJson } from "./support/data.mjs";

const cases = readJson(new URL("../../../tests/data/bug-cases.json", import.meta.url).pathname);

// Where the specifications leave the choice; as in tests/tests/bug_cases.rs.
const CHOICES = { B318: "alias", B423: "lenient", B425: "annex-b" };

function verdict({ schema_text, dialect, format_assert }, instance, options) {
  let program;
  try {
    program = compile(schema_text, { dialect, assertFormats: format_assert });
  } catch (error) {
    if (error instanceof SchemaError) return { word: "schema-error" };
    throw error;
  }
  const result = program.checkJson(instance, options);
  program.dispose();
  const word = result.valid || result.reason === "invalid" ? result.valid : result.reason === "json" ? "invalid-json" : result.message;
  return { word, result };
}

function bytes({ instance, instance_hex }) {
  return instance_hex ? Buffer.from(instance_hex, "hex") : Buffer.from(instance);
}

test("verdicts", (t) => {
  const failed = [];
  let texts = 0;
  for (const case_ of cases) {
    const choice = CHOICES[case_.id];
    const expected = choice ? case_.alt_verdicts[choice] : case_.valid;
    const { word } = verdict(case_, bytes(case_));
    if (word !== expected) failed.push(`${case_.id}: ${case_.why}: got ${word}`);
    // A string cannot hold what is not UTF-8, nor does the encoder keep halves of surrogate pairs.
    if (!case_.instance_hex && case_.instance.isWellFormed()) {
      texts++;
      if (verdict(case_, case_.instance).word !== word) failed.push(`${case_.id}: another verdict as a string`);
    }
  }
  t.diagnostic(`${cases.length} cases, ${texts} of them as strings, too`);
  assert.deepEqual(failed, []);
});

test("reports", () => {
  for (const case_ of cases.filter((case_) => case_.report)) {
    const { report, id, valid } = case_;
    const { word, result } = verdict(case_, bytes(case_), { issues: 8, ...(report.max_ms && { steps: report.max_ms * 50_000 }) });
    assert.equal(word, valid, id);
    const last = (issue) => issue.path.at(-1);
    const text = JSON.stringify(result.issues);
    if (report.path !== undefined) assert.ok(result.issues.some((issue) => issue.pointer === report.path), `${id}: ${text}`);
    if (report.keyword) assert.ok(result.issues.some((issue) => issue.keyword === report.keyword), `${id}: ${text}`);
    if (report.missing) {
      assert.ok(result.issues.some((issue) => issue.keyword === "required" && last(issue) === report.missing), `${id}: ${text}`);
    }
    if (report.prefer) assert.equal(`missing ${last(result.issues[0])}`, report.prefer, `${id}: ${text}`);
    if (report.no_value_leak) assert.ok(!text.includes(report.no_value_leak), `${id}: ${text}`);
    if (report.max_bytes) assert.ok(text.length <= report.max_bytes, `${id}: ${text.length} bytes`);
  }
});
