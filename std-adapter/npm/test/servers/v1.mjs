// A server of version 1 over stdio.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { toolSchema } from "microschema";
import { problemDetailsResult, registerTool } from "microschema/sdk";
import { registerTools } from "./tools.mjs";

const server = new McpServer({ name: "v1", version: "1" });
registerTools({ server, registerTool, toolSchema, problemDetailsResult });
await server.connect(new StdioServerTransport());
