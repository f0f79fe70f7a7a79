// The example servers, and the clients of both versions of the TypeScript SDK, as they come: with their own check of structured content.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { groups } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
const info = { name: "client", version: "1" };

const clients = [
  ["version 1", "2025-11-25", { stdio: StdioV1, http: HttpV1 }, () => new ClientV1(info)],
  ["version 2", "2025-11-25", { stdio: StdioV2, http: HttpV2 }, () => new ClientV2(info)],
  ["version 2", "2026-07-28", { stdio: StdioV2, http: HttpV2 }, () => new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })],
];

for (const { transport, servers, calls } of groups) {
  for (const [server, versions] of Object.entries(servers)) {
    for (const [name, version, transports, make] of clients.filter(([, version]) => versions.includes(version))) {
      describe(`${server}, client of ${name}, MCP ${version}`, () => {
        const place = transport === "stdio" ? { command: join(process.env.EXAMPLES, server) } : new URL(process.env.ADDRESS);
        let client;
        before(async () => {
          client = make();
          await client.connect(new transports[transport](place));
          // From here on the clients check structured content.
          const { tools } = await client.listTools();
          assert.ok(tools.find(({ name }) => name === "read_sensor").outputSchema);
        });
        after(() => client.close());

        for (const { name, tool, arguments: args, result: expected } of calls) {
          test(name, async () => {
            const result = await client.callTool({ name: tool, ...(args && { arguments: args }) });
            assert.deepEqual(seen(result, expected), expected);
          });
        }
      });
    }
  }
}

/** What the cases tell of a result. The text is left out where it is for the server's SDK to choose. */
function seen({ isError = false, content, structuredContent, _meta }, expected) {
  assert.equal(content.length, 1);
  const issues = _meta?.["microschema/issues"];
  return {
    isError,
    ...("text" in expected && { text: content[0].text }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(issues !== undefined && { issues }),
  };
}
