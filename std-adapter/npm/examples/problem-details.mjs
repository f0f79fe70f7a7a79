import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { toolSchema } from "microschema";
import { guard, problemDetailsResult } from "microschema/server";

const server = guard(new McpServer({ name: "lamps", version: "1.0.0" }), { onToolInputValidationError: problemDetailsResult });
const inputSchema = toolSchema({
  type: "object",
  properties: { level: { type: "integer", maximum: 100 } },
  required: ["level"],
  additionalProperties: false,
});
server.registerTool("set_lamp", { inputSchema }, ({ level }) => ({ content: [{ type: "text", text: `at ${level} %` }] }));
await server.connect(new StdioServerTransport());
