// Programs, by themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { EngineError, Program, SchemaError, compile, microschemaValidator, toolSchema, usage } from "microschema";
import * as again from "microschema/init";

const LAMP = {
  type: "object",
  properties: { level: { type: "integer", maximum: 10 } },
  required: ["level"],
  additionalProperties: false,
};

test("what is valid, and what is wrong with the rest", () => {
  const program = compile(LAMP);
  assert.deepEqual(program.check({ level: 7 }), { valid: true, issues: [], omitted: 0 });
  assert.deepEqual(program.check({ level: 70, lvel: 1 }), {
    valid: false,
    reason: "invalid",
    issues: [
      { path: ["level"], pointer: "/level", keyword: "maximum", message: "must be at most 10" },
      {
        path: ["lvel"],
        pointer: "/lvel",
        keyword: "additionalProperties",
        message: 'is not an expected property; did you mean "level"?',
      },
    ],
    omitted: 0,
  });
  const [issue] = compile({ items: { properties: { "a/~b": false } } }).check([0, { "a/~b": 1 }]).issues;
  assert.deepEqual([issue.path, issue.pointer], [[1, "a/~b"], "/1/a~1~0b"]);
});

test("the properties of patterns are those of the host", () => {
  const any = String.fromCodePoint(...Array.from({ length: 0x800 }, (_, index) => 0xd000 + index));
  const samples = [...any, "\u{10ffff}", "🙂", "é", "Ω", "٣", "\u{1e900}", "_", "7", " ", "\u{e000}", "\u{fffd}", "\u{2028}"];
  for (const property of ["L", "Lu", "Script=Greek", "scx=Arab", "Emoji", "Any", "ASCII", "Cn", "Assigned", "gc=Decimal_Number", "Cs"]) {
    for (const [pattern, texts] of [
      [`^\\p{${property}}$`, samples],
      [`^\\P{${property}}$`, samples],
      [`^[^\\p{${property}}\\d]$`, samples],
      [`^[\\P{${property}}\\p{Lu}]$`, samples],
    ]) {
      const program = compile({ pattern });
      const expected = new RegExp(pattern, "u");
      for (const text of texts) assert.equal(program.check(text).valid, expected.test(text), `${pattern} ${text}`);
      program.dispose();
    }
  }
  // However the pattern is written, and wherever it stands.
  const texts = ['{"pattern": "^\\\\p{Lu}$"}', '{"pattern": "^\\u005cp{L\\u0075}$"}', '{"patternProperties": {"\\\\P{Lu}": true}, "type": "string", "pattern": "\\\\p{Lu}"}'];
  for (const text of texts) {
    assert.equal(compile(text).checkJson('"Ω"').valid, true, text);
    assert.equal(compile(text).checkJson('"ω"').valid, false, text);
  }
  const documents = { "https://example.org/name": { pattern: "^\\p{Lu}" } };
  assert.equal(compile({ $ref: "https://example.org/name" }, { documents }).check("ω").valid, false);
  for (const pattern of ["\\p{Nonsense}", "\\p{Script=Nonsense}", "\\p{L", "\\p{}", "\\p{Basic_Emoji}"]) {
    assert.throws(() => new RegExp(pattern, "u"), pattern);
    assert.throws(() => compile({ pattern }), SchemaError, pattern);
  }
});

test("a value is checked as JSON writes it", () => {
  const any = compile(true);
  for (const value of [null, false, 0, "", [], {}, new Date(0), Number.NaN]) assert.equal(any.check(value).valid, true);
  assert.equal(compile({ type: "string", format: "date-time" }).check(new Date(0)).valid, true);
  assert.equal(compile({ type: "null" }).check(Number.POSITIVE_INFINITY).valid, true);
  assert.equal(compile({ maxProperties: 0 }).check({ left: undefined, out() {} }).valid, true);
  const circle = [];
  circle.push(circle);
  for (const value of [undefined, Symbol("s"), () => 1, 1n, circle]) {
    const result = any.check(value);
    assert.deepEqual([result.valid, result.reason, result.issues], [false, "json", []], String(result.message));
    assert.ok(result.message.length > 0);
  }
  assert.equal(any.check("\ud800").message, "lone surrogate in a string at byte 1");
});

test("texts of any script and length", () => {
  const program = compile({ type: "string", minLength: 1, maxLength: 3_000_000, not: { const: "x" } });
  for (const text of ["a", "ü", "日本語", "🙂", `${"a".repeat(999)}ü`, "日".repeat(2_000_000), "a".repeat(3_000_000)]) {
    assert.equal(program.check(text).valid, true, text.slice(0, 9));
    assert.equal(program.checkJson(new TextEncoder().encode(JSON.stringify(text))).valid, true);
  }
  assert.equal(program.check("🙂".repeat(3_000_001)).issues[0].keyword, "maxLength");
  const [issue] = compile({ properties: { 日本語: { enum: ["🙂", 'quo"te', "back\\slash", "tab\t"] } } }).check({ 日本語: "?" }).issues;
  assert.deepEqual(issue.path, ["日本語"]);
  for (const part of ["🙂", "quo", "back"]) assert.ok(issue.message.includes(part), issue.message);
});

test("a JSON text keeps its digits, its repeated names, and where it was cut off", () => {
  const exact = compile({ maximum: 9007199254740992 });
  assert.equal(exact.checkJson("9007199254740993").valid, false);
  assert.equal(exact.check(JSON.parse("9007199254740993")).valid, true);
  assert.equal(compile(LAMP).checkJson('{"level":1,"level":99}').reason, "json");
  assert.equal(compile(true).checkJson('{"a":1,"a":2}').valid, true);
  assert.equal(compile(true).checkJson('{"a":1,"a":2}', { uniqueNames: true }).reason, "json");
  assert.deepEqual(compile(LAMP).checkJson('{"level": 7'), {
    valid: false,
    reason: "json",
    message: "input ends inside an object at byte 11",
    at: 11,
    truncated: true,
    issues: [],
    omitted: 0,
  });
  assert.equal(compile(LAMP).checkJson('{"level": 7]').truncated, false);
});

test("limits are results of their own, and the caller's", () => {
  const list = compile({ items: { type: "integer" } });
  const result = list.check(["a", "b", "c"], { issues: 1 });
  assert.deepEqual([result.issues.length, result.omitted], [1, 2]);
  assert.deepEqual(list.check(["a"], { issues: 0 }), { valid: false, reason: "invalid", issues: [], omitted: 1 });
  const [long] = compile({ additionalProperties: false }).check({ ["n".repeat(1000)]: 1 }, { characters: 20 }).issues;
  assert.equal(long.pointer, `/${"n".repeat(19)}…`);
  assert.equal([...long.message].length, 21);
  assert.match(list.check(["secret"]).issues[0].message, /^must be an integer/);
  assert.ok(!list.check(["secret"]).issues[0].message.includes("secret"));
  assert.ok(list.check(["secret"], { showValues: 10 }).issues[0].message.includes("secret"));

  const nested = "[".repeat(200) + "]".repeat(200);
  const noVerdict = { valid: false, reason: "limit", message: "depth limit reached", issues: [], omitted: 0 };
  assert.deepEqual(compile(true).checkJson(nested), noVerdict);
  assert.equal(compile({ items: { $ref: "#" } }).checkJson(nested, { depth: 512 }).valid, true);
  assert.equal(compile(true).checkJson("[".repeat(600) + "]".repeat(600), { depth: Infinity }).reason, "limit");
  assert.equal(list.check(Array(1000).fill(1), { steps: 100 }).message, "step limit reached");
  assert.throws(() => list.check([], { steps: -1 }), /steps must not be negative/);
  assert.throws(() => list.check([], { issues: Number.NaN }), RangeError);
});

test("wide objects and long arrays have as much scratch as on a 64-bit host", () => {
  const names = Array.from({ length: 500 }, (_, index) => `name${index}`);
  const wide = compile({ type: "object", properties: Object.fromEntries(names.map((name) => [name, true])), required: names });
  assert.equal(wide.check(Object.fromEntries(names.map((name) => [name, 1]))).valid, true);
  assert.equal(wide.check(Object.fromEntries(names.slice(1).map((name) => [name, 1]))).issues[0].pointer, "/name0");
  const long = compile({ anyOf: [{ contains: { type: "string" } }], unevaluatedItems: { type: "integer" } });
  assert.equal(long.check(["a", ...Array(15_000).fill(1)]).valid, true);
  assert.equal(long.check(["a", ...Array(15_000).fill(1), null]).issues[0].pointer, "/15001");
  assert.equal(long.check(["a", ...Array(100_000).fill(1)]).message, "scratch memory is full");
});

test("a schema that cannot be honoured is an error that names the place", () => {
  const refused = (schema, options) => {
    try {
      compile(schema, options);
    } catch (error) {
      assert.ok(error instanceof SchemaError, String(error));
      return error;
    }
    assert.fail("compiled");
  };
  const error = refused({ properties: { "a/b": { $ref: "https://example.com/x" } } });
  assert.equal(error.pointer, "/properties/a~1b/$ref");
  assert.equal(
    error.message,
    "schema cannot be honoured: at /properties/a~1b/$ref: reference leads nowhere: not in the schema, nor in the registered documents",
  );
  assert.equal(refused({ type: "strin" }).pointer, "/type");
  assert.equal(refused({ pattern: "(a)\\1" }).pointer, "/pattern");
  assert.equal(refused("{").pointer, "");
  const elsewhere = refused({ $ref: "https://example.com/x" }, { documents: { "https://example.com/x": { minimum: "1" } } });
  assert.deepEqual([elsewhere.document, elsewhere.pointer], ["https://example.com/x", "/minimum"]);
  for (const schema of [undefined, null, 1]) assert.throws(() => compile(schema), TypeError);
  assert.throws(() => compile({}, { dialect: "draft-03" }), /unknown dialect/);
});

test("dialects, formats, documents", () => {
  const tuple = { items: [{ type: "integer" }] };
  assert.throws(() => compile(tuple), SchemaError);
  assert.equal(compile(tuple, { dialect: "draft-07" }).check(["a"]).valid, false);
  assert.equal(compile({ $schema: "http://json-schema.org/draft-07/schema#", ...tuple }).check(["a"]).valid, false);
  assert.equal(compile({ format: "email" }).check("nobody").valid, false);
  assert.equal(compile({ format: "email" }, { assertFormats: false }).check("nobody").valid, true);
  assert.equal(compile({ format: "uint32" }).check(-1).valid, true);
  const documents = { "https://example.com/a": { $ref: "b" }, "https://example.com/b": { type: "integer" } };
  assert.equal(compile({ $ref: "https://example.com/a" }, { documents }).check("x").valid, false);
  assert.equal(compile({ pattern: "^\\p{L}+$" }).check("日本語").valid, true);
});

test("the same schema object is compiled once", () => {
  const schema = structuredClone(LAMP);
  const before = usage().programs;
  assert.equal(compile(schema), compile(schema));
  assert.equal(toolSchema(schema).program, compile(schema));
  const validate = microschemaValidator().getValidator(schema);
  assert.equal(validate({ level: 1 }).valid, true);
  assert.equal(usage().programs, before + 1);
  assert.notEqual(compile(schema), compile(schema, { dialect: "2019-09" }));
  compile(schema).dispose();
  compile(schema, { dialect: "2019-09" }).dispose();
  assert.equal(usage().programs, before);
});

test("a program is freed when it is disposed of, and comes back when it is used", () => {
  const before = usage().programs;
  const program = new Program(JSON.stringify(LAMP), {});
  assert.equal(usage().programs, before + 1);
  program[Symbol.dispose]();
  program.dispose();
  assert.equal(usage().programs, before);
  assert.equal(program.check({ level: 70 }).valid, false);
  assert.equal(usage().programs, before + 1);
  program.dispose();
});

test("a program is freed when its schema is collected", { skip: !globalThis.gc && "needs --expose-gc" }, async () => {
  const before = usage().programs;
  for (let i = 0; i < 1000; i++) {
    assert.equal(toolSchema({ ...LAMP, title: `${i}` })["~standard"].validate({ level: 1 }).issues, undefined);
  }
  const { memory } = usage();
  for (let i = 0; i < 50 && usage().programs > before + 10; i++) {
    globalThis.gc();
    await setTimeout(1);
  }
  assert.ok(usage().programs <= before + 10, `${usage().programs - before} programs left`);
  // What was freed is used again.
  for (let i = 0; i < 1000; i++) compile({ ...LAMP, title: `${i}` });
  assert.ok(usage().memory <= memory, `${usage().memory} bytes after ${memory}`);
});

test("programs of all sizes come and go, none hurts another, and memory stays", () => {
  let state = 1;
  const random = (below) => (state = (state * 48271) % 2147483647) % below;
  const programs = [];
  const replace = (slot) => {
    programs[slot]?.program.dispose();
    const value = `${state}`.padEnd(random(2000), "é");
    programs[slot] = { value, program: new Program(JSON.stringify({ const: value }), {}) };
  };
  const all = () => {
    for (const { value, program } of programs) assert.deepEqual([value, `${value}x`].map((text) => program.check(text).valid), [true, false]);
  };
  for (let slot = 0; slot < 100; slot++) replace(slot);
  for (let step = 0; step < 1000; step++) replace(random(100));
  all();
  const { memory } = usage();
  for (let step = 0; step < 5000; step++) replace(random(100));
  all();
  assert.ok(usage().memory <= memory + 65536, `${usage().memory} bytes after ${memory}`);
  for (const { program } of programs) program.dispose();
});

test("a result has as much room as it takes", () => {
  const names = Array.from({ length: 300 }, (_, index) => `${index}/${"\u0001".repeat(400)}`);
  const program = compile({ additionalProperties: false });
  const { issues, omitted } = program.check(Object.fromEntries(names.map((name) => [name, 1])), { issues: 290, characters: 1000 });
  assert.equal(omitted, 10);
  assert.deepEqual(issues.map(({ path }) => path), names.slice(0, 290).map((name) => [name]));
  assert.equal(issues.at(-1).pointer, `/289~1${"\u0001".repeat(400)}`);
  const long = "n".repeat(100_000);
  assert.throws(() => compile({ properties: { [long]: { type: "strin" } } }), (error) => error.pointer === `/properties/${long}/type`);
});

test("an engine that failed is left behind, and the next call has another", () => {
  const program = compile({ items: { $ref: "#" }, maxItems: 1 });
  const nested = "[".repeat(150) + "]".repeat(150);
  assert.equal(program.checkJson(nested).valid, true);
  // So deep in the stack that the engine has not enough left.
  let failure;
  const descend = () => {
    try {
      program.checkJson(nested);
    } catch (error) {
      failure = error;
    }
    if (!failure) descend();
  };
  descend();
  assert.ok(failure instanceof EngineError, String(failure));
  assert.equal(program.checkJson(nested).valid, true);
  assert.equal(program.check([1, 2]).issues[0].keyword, "maxItems");
});

test("the same module, whichever way it is imported", () => {
  assert.equal(again.compile, compile);
});
