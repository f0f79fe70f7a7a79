// A server of version 2 over stdio.

import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { toolSchema } from "microschema";
import { problemDetailsResult, registerTool } from "microschema/server";
import { registerTools } from "./tools.mjs";

const server = new McpServer({ name: "v2", version: "1" });
registerTools({ server, registerTool, toolSchema, problemDetailsResult });
await server.connect(new StdioServerTransport());
