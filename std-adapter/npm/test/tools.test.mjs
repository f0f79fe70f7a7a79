// The hook in its details, in one process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { InMemoryTransport, McpServer, fromJsonSchema, inputRequired } from "@modelcontextprotocol/server";
import { Client } from "@modelcontextprotocol/client";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryTransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { microschemaValidator, toolSchema } from "microschema";
import * as v2 from "microschema/server";
import * as v1 from "microschema/sdk";

const LEVEL = { type: "object", properties: { level: { type: "integer", maximum: 100 } }, required: ["level"] };
const COUNT = { type: "object", properties: { count: { minimum: 0 } }, required: ["count"] };

const text = (text) => ({ content: [{ type: "text", text }] });
const failed = (message) => ({ ...text(message), isError: true });
const echo = (args) => text(JSON.stringify(args));

async function connect(server, options) {
  const isV1 = server instanceof McpServerV1;
  const [serverEnd, clientEnd] = (isV1 ? InMemoryTransportV1 : InMemoryTransport).createLinkedPair();
  const client = new (isV1 ? ClientV1 : Client)(
    { name: "client", version: "1" },
    { jsonSchemaValidator: microschemaValidator(), ...options },
  );
  await Promise.all([server.connect(serverEnd), client.connect(clientEnd)]);
  const call = async (name, args) => client.callTool({ name, arguments: args });
  const say = async (name, args) => (await call(name, args)).content[0].text;
  return { client, call, say };
}

const VERSIONS = [
  ["v2", v2, (options) => new McpServer({ name: "server", version: "1" }, options)],
  ["v1", v1, (options) => new McpServerV1({ name: "server", version: "1" }, options)],
];

for (const [version, { guard, registerTool }, newServer] of VERSIONS) {
  test(`${version}: a guarded server answers for all of its tools, and a tool for itself`, async () => {
    const server = newServer();
    const hook = (who) => ({ onToolInputValidationError: ({ toolName }) => text(`${who}: ${toolName}`) });
    assert.equal(guard(server, hook("server")), server);
    assert.throws(() => guard(server), /guarded already/);
    server.registerTool("one", { inputSchema: toolSchema(LEVEL) }, echo);
    registerTool(server, "two", { inputSchema: toolSchema(LEVEL) }, echo, hook("tool"));
    registerTool(server, "three", { inputSchema: toolSchema(LEVEL) }, echo);
    const { say } = await connect(server);
    assert.equal(await say("one", {}), "server: one");
    assert.equal(await say("two", {}), "tool: two");
    assert.equal(await say("three", {}), "server: three");
    assert.equal(await say("one", { level: 1 }), '{"level":1}');
  });

  test(`${version}: what is changed about a tool later stays guarded`, async () => {
    const server = newServer();
    const hooks = {
      onToolInputValidationError: ({ toolName, issues }) => failed(`${toolName} ${issues[0].pointer}`),
      onToolOutputValidationError: ({ toolName, issues }) => failed(`${toolName} returned ${issues[0].pointer}`),
    };
    const tool = registerTool(server, "one", { inputSchema: toolSchema(LEVEL) }, echo, hooks);
    const { client, say } = await connect(server);
    tool.update({ callback: (args) => ({ ...echo(args), structuredContent: { count: -1 } }) });
    assert.equal(await say("one", { level: 101 }), "one /level");
    assert.equal(await say("one", { level: 1 }), '{"level":1}');
    // Version 1 takes a shape there.
    const shape = { name: z.string() };
    tool.update({ name: "two", paramsSchema: version === "v1" ? shape : z.object(shape) });
    assert.equal(await say("two", { level: 1 }), "two /name");
    const output = { count: z.number().min(0) };
    tool.update({ outputSchema: version === "v1" ? output : z.object(output) });
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["two"]);
    assert.deepEqual(tools[0].outputSchema.properties.count.minimum, 0);
    assert.equal(await say("two", { name: "n" }), "two returned /count");
    tool.disable();
    assert.deepEqual((await client.listTools()).tools, []);
    tool.enable();
    assert.equal(await say("two", {}), "two /name");
    const other = registerTool(server, "other", {}, () => text("other"));
    assert.equal(await say("other"), "other");
    other.remove();
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ["two"]);
  });

  test(`${version}: output that is missing, an error, or wrong`, async () => {
    const server = newServer();
    const results = {
      right: { ...text("right"), structuredContent: { count: 1 } },
      wrong: { ...text("wrong"), structuredContent: { count: -1 } },
      missing: text("missing"),
      error: { ...text("error"), isError: true, structuredContent: { count: -1 } },
    };
    const seen = [];
    const onToolOutputValidationError = (failure) => {
      seen.push([failure.toolName, failure.reason]);
      return v2.problemDetailsResult(failure);
    };
    for (const [name, result] of Object.entries(results)) {
      registerTool(server, name, { outputSchema: toolSchema({ type: "object" }) }, () => result, { onToolOutputValidationError });
      registerTool(server, `${name}-checked`, { outputSchema: toolSchema(COUNT) }, async () => result, { onToolOutputValidationError });
    }
    // Only results are looked at here: a client of version 1 checks for itself, errors too.
    const { call } = await connect(server);
    const structured = async (name) => (await call(name)).structuredContent;
    assert.deepEqual(await structured("right-checked"), { count: 1 });
    assert.equal((await structured("wrong-checked")).status, 500);
    assert.equal((await structured("missing-checked")).detail, "Tool returned no structured content, which its output schema asks for.");
    assert.deepEqual(await structured("error-checked"), { count: -1 });
    assert.deepEqual(await structured("wrong"), { count: -1 });
    assert.deepEqual(seen, [["wrong-checked", "invalid"], ["missing-checked", "absent"]]);
  });

  test(`${version}: the schema of a guarded tool can be that of another`, async () => {
    const server = newServer();
    const schema = toolSchema(COUNT);
    const hooks = { onToolInputValidationError: () => failed("input"), onToolOutputValidationError: () => failed("output") };
    const result = ({ count }) => ({ ...text("ran"), structuredContent: { count: count - 1 } });
    const first = registerTool(server, "first", { inputSchema: schema, outputSchema: schema }, result, hooks);
    const config = { inputSchema: first.outputSchema, outputSchema: first.inputSchema };
    registerTool(server, "second", config, result, hooks);
    const { say } = await connect(server);
    for (const name of ["first", "second"]) {
      assert.deepEqual([await say(name, {}), await say(name, { count: 0 }), await say(name, { count: 1 })], ["input", "output", "ran"]);
    }
  });

  test(`${version}: hooks may wait, decline, and fail`, async () => {
    const server = newServer();
    const register = (name, onToolInputValidationError) =>
      registerTool(server, name, { inputSchema: toolSchema(LEVEL) }, echo, { onToolInputValidationError });
    register("waits", async ({ sdkText }) => text(sdkText.toUpperCase()));
    register("declines", () => undefined);
    register("fails", () => {
      throw new Error("the hook failed");
    });
    const { call, say } = await connect(server);
    assert.match(await say("waits", {}), /INPUT VALIDATION ERROR: INVALID ARGUMENTS FOR TOOL WAITS: /);
    assert.match(await say("declines", {}), /Input validation error: Invalid arguments for tool declines: /);
    assert.deepEqual(await call("fails", {}), failed("the hook failed"));
  });

  test(`${version}: issues beyond the bound are counted, in every text`, async () => {
    const server = newServer();
    const schema = toolSchema({ type: "object", required: ["a", "b", "c"] }, { issues: 1 });
    server.registerTool("alone", { inputSchema: schema }, echo);
    registerTool(server, "guarded", { inputSchema: schema }, echo);
    const { call, say } = await connect(server);
    assert.match(await say("alone", {}), /and 2 more$/);
    const { content, _meta } = await call("guarded", {});
    assert.match(content[0].text, /and 2 more$/);
    assert.equal(_meta["microschema/issues"].length, 1);
    assert.equal(_meta["microschema/omitted"], 2);
  });

  test(`${version}: the engine as the validator of elicitations`, async () => {
    const server = newServer({ jsonSchemaValidator: microschemaValidator() });
    const { client } = await connect(server, { capabilities: { elicitation: {} } });
    let content = { age: 200 };
    const handler = () => ({ action: "accept", content });
    if (version === "v1") {
      const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
      client.setRequestHandler(ElicitRequestSchema, handler);
    } else {
      client.setRequestHandler("elicitation/create", handler);
    }
    const requestedSchema = { type: "object", properties: { age: { type: "integer", maximum: 120 } }, required: ["age"] };
    const ask = () => server.server.elicitInput({ message: "How old?", requestedSchema });
    await assert.rejects(ask(), /at \/age: must be at most 120 \(maximum\)/);
    content = { age: 12 };
    assert.deepEqual((await ask()).content, { age: 12 });
  });
}

test("v2: fromJsonSchema runs on the engine", async () => {
  const server = new McpServer({ name: "server", version: "1" });
  server.registerTool("one", { inputSchema: fromJsonSchema(LEVEL, microschemaValidator()) }, echo);
  assert.throws(() => fromJsonSchema({ type: "strin" }, microschemaValidator()), /at \/type: unknown type/);
  const { say } = await connect(server);
  assert.equal(
    await say("one", { level: 101 }),
    "Input validation error: Invalid arguments for tool one: at /level: must be at most 100 (maximum)",
  );
  assert.equal(await say("one", { level: 1 }), '{"level":1}');
});

test("v2: any Standard Schema can be guarded", async () => {
  const standard = {
    version: 1,
    vendor: "by-hand",
    jsonSchema: { input: () => LEVEL, output: () => LEVEL },
    validate: async ({ level }) =>
      level === 1 ? { value: { level, checked: true } } : { issues: [{ message: "no", path: [{ key: "a/b" }, 0, Symbol("s")] }, { message: "root" }] },
  };
  // ArkType's schemas are functions.
  const schema = Object.assign(() => {}, { "~standard": standard });
  const server = new McpServer({ name: "server", version: "1" });
  v2.registerTool(server, "one", { inputSchema: schema }, echo, { onToolInputValidationError: v2.textResult });
  const { say } = await connect(server);
  assert.equal(await say("one", { level: 1 }), '{"level":1,"checked":true}');
  assert.equal(
    await say("one", { level: 2 }),
    "Invalid input: the arguments do not match the tool's input schema.\n- at /a~1b/0/Symbol(s): no\n- at (root): root",
  );
});

test("v2: a request for input passes, whatever the output schema says", async () => {
  let guarded;
  const server = {
    registerTool(_name, config, callback) {
      guarded = callback;
      return { ...config, update() {} };
    },
  };
  const result = inputRequired({ requestState: "state" });
  v2.registerTool(server, "one", { outputSchema: toolSchema(COUNT) }, () => result);
  assert.equal(await guarded({}), result);
});

test("v1: shapes, zod 3, and the older method", async () => {
  const server = v1.guard(new McpServerV1({ name: "server", version: "1" }), {
    onToolInputValidationError: ({ toolName, issues: [{ pointer, message }] }) => text(`${toolName} ${pointer}: ${message}`),
  });
  const shape = { level: z.number().max(100), lamps: z.array(z.string()).default(["all"]) };
  server.registerTool("shape", { inputSchema: shape }, echo);
  server.registerTool("zod3", { inputSchema: { level: z3.number().max(100) } }, echo);
  server.tool("older", "Described.", shape, echo);
  server.tool("annotated", shape, { title: "Annotated" }, echo);
  server.tool("bare", () => text("bare"));
  const { client, say } = await connect(server);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).length), [2, 1, 2, 2, 0]);
  assert.equal(tools[2].description, "Described.");
  assert.equal(await say("shape", { level: 1 }), '{"level":1,"lamps":["all"]}');
  assert.equal(await say("shape", { level: 1, lamps: ["a", 2] }), "shape /lamps/1: Invalid input: expected string, received number");
  assert.equal(await say("zod3", { level: 101 }), "zod3 /level: Number must be less than or equal to 100");
  assert.match(await say("older", {}), /^older \/level: /);
  assert.match(await say("annotated", {}), /^annotated \/level: /);
  assert.equal(await say("bare", {}), "bare");
});
