// Servers of both versions of the SDK, spoken to over stdio by clients of both, all without code generation from strings.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { microschemaValidator } from "microschema";
import { LEVEL, READING_OR_PROBLEM } from "./servers/tools.mjs";

const command = (version) => ({
  command: process.execPath,
  args: ["--disallow-code-generation-from-strings", fileURLToPath(new URL(`servers/${version}.mjs`, import.meta.url))],
});

const CALLS = [
  { level: 7 },
  { level: 101 },
  { level: 90 },
  { level: 101, lvel: 1, lamps: [{ name: "a" }, { name: 2 }] },
  { level: "7" },
  { level: null },
  {},
  undefined,
];

const META = "microschema/issues";

for (const version of ["v2", "v1"]) {
  for (const [name, Client, Transport] of [
    ["v2", ClientV2, StdioV2],
    ["v1", ClientV1, StdioV1],
  ]) {
    describe(`server ${version}, client ${name}`, () => {
      let client;
      const call = async (tool, args) => client.callTool({ name: tool, ...(args && { arguments: args }) });

      before(async () => {
        // The default of the clients of version 1 generates code.
        client = new Client({ name: "client", version: "1" }, { jsonSchemaValidator: microschemaValidator() });
        await client.connect(new Transport(command(version)));
      });
      after(() => client.close());

      test("tools are listed as they are without us", async () => {
        const { tools } = await client.listTools();
        const listed = new Map(tools.map(({ name, ...tool }) => [name, tool]));
        for (const name of ["json", "zod", "output", "zod-output", "missing", "plain"]) {
          assert.deepEqual(listed.get(`${name}-guarded`), listed.get(name), name);
        }
        // Version 1 says of every schema what dialect it is.
        const dialect = version === "v1" ? { $schema: "https://json-schema.org/draft/2020-12/schema" } : {};
        assert.deepEqual(listed.get("json").inputSchema, { ...LEVEL, ...dialect });
        assert.deepEqual(listed.get("problem").outputSchema, { ...READING_OR_PROBLEM, ...dialect });
        assert.equal(listed.get("zod").inputSchema.description, "A level.");
      });

      test("without a hook: the same text, and the issues besides", async () => {
        let failures = 0;
        for (const name of ["json", "zod", "output", "zod-output", "missing", "plain"]) {
          for (const args of CALLS) {
            const without = await call(name, args);
            const { _meta, ...guarded } = await call(`${name}-guarded`, args);
            const text = guarded.content[0].text.replaceAll(`${name}-guarded`, name);
            assert.deepEqual({ ...guarded, content: [{ type: "text", text }] }, without, `${name} ${JSON.stringify(args)}`);
            assert.equal(_meta?.[META] !== undefined, without.isError === true);
            failures += Number(without.isError === true);
          }
        }
        assert.ok(failures > 20, `${failures} failures`);
      });

      test("issues have places, whoever finds them", async () => {
        const args = { level: 101, lvel: 1, lamps: [{ name: "a" }, { name: 2 }] };
        const found = async (tool) => (await call(tool, args))._meta[META].map(({ path, pointer }) => [path, pointer]);
        assert.deepEqual(await found("json-guarded"), [[["level"], "/level"], [["lvel"], "/lvel"], [["lamps"], "/lamps"]]);
        assert.deepEqual(await found("zod-guarded"), [[["level"], "/level"], [["lamps", 1, "name"], "/lamps/1/name"]]);
      });

      test("problem details on the wire, which the output schema allows for", async () => {
        assert.deepEqual((await call("problem", { level: 7 })).structuredContent, { celsius: 7 });
        const input = await call("problem", { level: 101 });
        assert.deepEqual(input.structuredContent, {
          status: 422,
          title: "Unprocessable Content",
          detail: "Invalid input: the arguments do not match the tool's input schema.",
          errors: [{ pointer: "#/level", detail: "must be at most 100" }],
        });
        assert.equal(input.isError, true);
        const output = await call("problem", { level: 90 });
        assert.deepEqual([output.structuredContent.status, output.isError], [500, true]);
      });

      test("a hook makes the result, or declines", async () => {
        const shown = ({ content: [{ text }] }) => JSON.parse(text);
        assert.deepEqual((await call("hooked", { level: 7 })).structuredContent, { celsius: 7 });
        const input = shown(await call("hooked", { level: 101 }));
        assert.deepEqual([input.toolName, input.args, input.issues[0].pointer], ["hooked", { level: 101 }, "/level"]);
        const declined = await call("hooked", { lamps: 1 });
        assert.match(declined.content[0].text, /Invalid arguments for tool hooked/);
        assert.equal(declined._meta[META][0].pointer, "/lamps");
        const output = shown(await call("hooked", { level: 90 }));
        assert.deepEqual([output.reason, output.issues[0].pointer, output.structuredContent], ["invalid", "/celsius", { celsius: 90 }]);
      });
    });
  }

  test(`server ${version}: arguments that are no object are the SDK's to refuse`, async () => {
    const session = await raw(version);
    const call = async (name, params) => (await session.request("tools/call", { name, ...params })).error?.code;
    for (const name of ["json", "json-guarded", "hooked"]) {
      const code = version === "v1" ? -32603 : -32602;
      assert.equal(await call(name, { arguments: null }), code, name);
      assert.equal(await call(name, { arguments: [1] }), code, name);
      assert.equal(await call(name, {}), undefined, name);
    }
    session.end();
  });
}

/** A session without a client, for what clients do not send. */
async function raw(version) {
  const { command: file, args } = command(version);
  const server = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let id = 0;
  const request = async (method, params) => {
    send({ id: ++id, method, params });
    for (;;) {
      const message = JSON.parse((await lines.next()).value);
      if (message.id === id) return message;
    }
  };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } });
  send({ method: "notifications/initialized" });
  return { request, end: () => server.stdin.end() };
}
