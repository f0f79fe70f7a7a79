// The example of the README: the same there, and what the README says of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** The code blocks of the README in this language. */
function blocks(language) {
  return [...read("../README.md").matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text);
}

test("the README's example answers as it says", async () => {
  const [example] = blocks("js");
  assert.equal(example, read("../examples/problem-details.mjs"));
  const client = new Client({ name: "client", version: "1" });
  const path = fileURLToPath(new URL("../examples/problem-details.mjs", import.meta.url));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [path] }));
  const valid = await client.callTool({ name: "set_lamp", arguments: { level: 70 } });
  assert.deepEqual(valid.content, [{ type: "text", text: "at 70 %" }]);
  const invalid = await client.callTool({ name: "set_lamp", arguments: { level: 101, lvel: 1 } });
  assert.deepEqual(invalid, JSON.parse(blocks("json")[0]));
  await client.close();
});
