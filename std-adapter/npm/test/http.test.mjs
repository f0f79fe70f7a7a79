// Version 2 over HTTP, with a new server for each request, in both eras of the protocol.

import assert from "node:assert/strict";
import { test } from "node:test";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { microschemaValidator, toolSchema, usage } from "microschema";
import { guard, problemDetailsResult } from "microschema/server";

const LEVEL = { type: "object", properties: { level: { type: "integer", maximum: 100 } }, required: ["level"] };
const LIST = { type: "array", items: { type: "integer", maximum: 10 } };

function newServer() {
  const hooks = { onToolInputValidationError: problemDetailsResult, onToolOutputValidationError: problemDetailsResult };
  const server = guard(new McpServer({ name: "server", version: "1" }), hooks);
  server.registerTool("set", { inputSchema: toolSchema(LEVEL) }, ({ level }) => ({ content: [{ type: "text", text: `${level}` }] }));
  server.registerTool("list", { inputSchema: toolSchema(LEVEL), outputSchema: toolSchema(LIST) }, ({ level }) => ({
    content: [],
    structuredContent: [1, level],
  }));
  return server;
}

for (const mode of ["legacy", "auto"]) {
  test(`${mode}`, async () => {
    const handler = createMcpHandler(newServer);
    const fetch = (url, init) => handler.fetch(new Request(url, init));
    const options = { jsonSchemaValidator: microschemaValidator(), versionNegotiation: { mode } };
    const client = new Client({ name: "client", version: "1" }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    const isModern = client.getNegotiatedProtocolVersion() === "2026-07-28";
    assert.equal(isModern, mode === "auto");

    const call = (name, args) => client.callTool({ name, arguments: args });
    const { tools } = await client.listTools();
    assert.deepEqual(tools[0].inputSchema, LEVEL);
    // The client has compiled the output schemas when it has called once.
    await call("set", { level: 1 });
    const { programs } = usage();
    for (let i = 0; i < 10; i++) assert.deepEqual((await call("set", { level: 70 })).content[0].text, "70");
    assert.equal(usage().programs, programs, "compiled again for a request");
    assert.equal((await call("set", { level: 101 })).structuredContent.errors[0].pointer, "#/level");
    // Peers of before 2026 get a list within an object.
    const list = (await call("list", { level: 7 })).structuredContent;
    assert.deepEqual(list, isModern ? [1, 7] : { result: [1, 7] });
    const output = await call("list", { level: 11 });
    assert.equal(output.isError, true);
    assert.match(output.content[0].text, /^Tool returned structured content that does not match its output schema\.\n- at \/1: must be at most 10/);
    await client.close();
  });
}
