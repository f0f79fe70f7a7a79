// What the types promise: this file is compiled, not run. Without `skipLibCheck` hiding ours: every name that is exported is used here.

import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { Client } from "@modelcontextprotocol/client";
import { type CallToolResult, McpServer, type StandardSchemaWithJSON, fromJsonSchema } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Issue, type Program, type Result, type ToolSchema, compile, microschemaValidator, toolSchema } from "microschema";
import { init } from "microschema/init";
import { metaSchemas } from "microschema/meta-schemas";
import * as v2 from "microschema/server";
import * as v1 from "microschema/sdk";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Equal<A, B> extends true ? [] : [never]): void {}

interface Lamp {
  level: number;
}

const LAMP = { type: "object", properties: { level: { type: "integer" } }, required: ["level"] } as const;
const done: CallToolResult = { content: [] };

// The engine.
const program: Program = compile(LAMP, { dialect: "draft-07", documents: metaSchemas });
const result: Result = program.check({}, { issues: 3 });
if (result.valid) same<typeof result.omitted, 0>();
else if (result.reason === "invalid") same<typeof result.issues, readonly Issue[]>();
else same<typeof result.message, string>();
// @ts-expect-error: no such dialect
compile(LAMP, { dialect: "draft-03" });
{
  using scoped = compile(LAMP);
  scoped.checkJson(new Uint8Array());
}
init(new WebAssembly.Module(new Uint8Array()));

// Version 2.
const lamp: ToolSchema<Lamp> = toolSchema<Lamp>(LAMP);
const standard: StandardSchemaWithJSON<Lamp> = lamp;
const server = v2.guard(new McpServer({ name: "s", version: "1" }), {
  onToolInputValidationError: v2.problemDetailsResult,
  onToolOutputValidationError: async ({ structuredContent }) => (structuredContent ? undefined : done),
});
server.registerTool("set", { inputSchema: standard }, ({ level }) => ({ content: [{ type: "text", text: level.toFixed() }] }));
v2.registerTool(server, "set", { title: "Set", inputSchema: lamp }, (args, ctx) => {
  same<typeof args, Lamp>();
  same<typeof ctx.mcpReq.id, string | number>();
  return done;
});
v2.registerTool(server, "zod", { inputSchema: z.object({ level: z.number().default(1) }), outputSchema: lamp }, async (args) => {
  same<typeof args, { level: number }>();
  return done;
}).disable();
v2.registerTool(server, "bare", { annotations: { readOnlyHint: true } }, (ctx) => (ctx.sessionId ? done : done), {
  onToolInputValidationError({ toolName, issues, arguments: args, reason, omitted }) {
    same<typeof args, unknown>();
    same<typeof reason, "invalid" | "json" | "limit" | "absent">();
    return { content: [{ type: "text", text: `${toolName} ${issues[0]?.pointer} ${omitted}` }], isError: true };
  },
});
// @ts-expect-error: no result
v2.registerTool(server, "wrong", { inputSchema: lamp }, () => 1);
// @ts-expect-error: the level is a number
v2.registerTool(server, "wrong", { inputSchema: lamp }, ({ level }) => ({ content: [{ type: "text", text: level }] }));
new McpServer({ name: "s", version: "1" }, { jsonSchemaValidator: microschemaValidator() });
new Client({ name: "c", version: "1" }, { jsonSchemaValidator: microschemaValidator() });
fromJsonSchema({ type: "object" }, microschemaValidator());

// Version 1.
const older = v1.guard(new McpServerV1({ name: "s", version: "1" }, { jsonSchemaValidator: microschemaValidator() }));
new ClientV1({ name: "c", version: "1" }, { jsonSchemaValidator: microschemaValidator() });
v1.registerTool(older, "json", { inputSchema: lamp, outputSchema: lamp }, (args, extra) => {
  same<typeof args, Lamp>();
  same<typeof extra.sessionId, string | undefined>();
  return { content: [] };
});
v1.registerTool(older, "shape", { inputSchema: { level: z.number() } }, async (args) => {
  same<typeof args, { level: number }>();
  return { content: [] };
}, { onToolInputValidationError: v1.issueListResult });
v1.registerTool(older, "zod", { inputSchema: z.object({ level: z.number() }) }, ({ level }) => ({
  content: [{ type: "text", text: level.toFixed() }],
}));
v1.registerTool(older, "bare", {}, (extra) => (extra.requestId ? { content: [] } : { content: [] }));
// @ts-expect-error: no result
v1.registerTool(older, "wrong", { inputSchema: lamp }, () => 1);
