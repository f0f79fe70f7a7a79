// Failures and their shapes, over the wire, from cases that the Rust adapter answers alike (std-adapter/tests/failures.rs).

import assert from "node:assert/strict";
import { test } from "node:test";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { Client } from "@modelcontextprotocol/client";
import { toolSchema } from "microschema";
import { issueListResult, problemDetailsResult, registerTool, textResult } from "microschema/server";
import { readJson } from "./support/data.mjs";

const cases = readJson(new URL("../../tests/golden/failures.json", import.meta.url).pathname);

const SHAPES = { textResult, issueListResult, problemDetailsResult };

test("failures have one text and one shape", async () => {
  const server = new McpServer({ name: "server", version: "1" });
  const content = [{ type: "text", text: "ran" }];
  cases.forEach(({ side, schema, terms, value }, index) => {
    for (const [shape, hook] of Object.entries(SHAPES)) {
      const config = { [`${side}Schema`]: toolSchema(schema, terms) };
      const callback = () => ({ content, ...(side === "output" && { structuredContent: value }) });
      const hooks = { onToolInputValidationError: hook, onToolOutputValidationError: hook };
      registerTool(server, `${shape}-${index}`, config, callback, hooks);
    }
  });
  const [serverEnd, clientEnd] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "client", version: "1" });
  await Promise.all([server.connect(serverEnd), client.connect(clientEnd)]);

  assert.ok(cases.length > 0);
  for (const [index, { why, side, value, text, meta, problem }] of cases.entries()) {
    const call = (shape) => client.callTool({ name: `${shape}-${index}`, arguments: side === "input" ? value : {} });
    const plain = { content: [{ type: "text", text }], isError: true, _meta: meta };
    assert.deepEqual(await call("textResult"), plain, why);
    const issues = { issues: meta["microschema/issues"], omitted: meta["microschema/omitted"] ?? 0 };
    assert.deepEqual(await call("issueListResult"), { ...plain, structuredContent: issues }, why);
    assert.deepEqual(await call("problemDetailsResult"), { ...plain, structuredContent: problem }, why);
  }
  await client.close();
});
