// The hook for `@modelcontextprotocol/server`, version 2 of the SDK.

import type {
  CallToolResult,
  McpServer,
  RegisteredTool,
  StandardSchemaWithJSON,
  ToolCallback,
} from "@modelcontextprotocol/server";
import type { StandardIssue, StandardSchema } from "./standard.js";
import { type Hooks, type Sdk, guard as guardServer, registerTool as register } from "./tools.js";

export * from "./failure.js";

/** What a server makes of calls and results that fail the schemas of their tools. */
export interface ToolHooks extends Hooks<CallToolResult> {}

/** What `McpServer.registerTool` takes. */
export interface ToolConfig<Input, Output>
  extends Pick<RegisteredTool, "title" | "description" | "annotations" | "icons" | "scopeChallenge" | "_meta"> {
  inputSchema?: Input;
  outputSchema?: Output;
}

/**
 * `server.registerTool`, with hooks for failures. Takes any schema that it takes: `toolSchema`, zod, ArkType, Valibot.
 *
 * Without a hook, the result is the one of the SDK, with the issues in `_meta` besides. Hooks of the whole server ({@link guard}) hold where
 * there is none here.
 */
export function registerTool<Output extends StandardSchemaWithJSON, Input extends StandardSchemaWithJSON | undefined = undefined>(
  server: McpServer,
  name: string,
  config: ToolConfig<Input, Output>,
  callback: ToolCallback<Input>,
  hooks: ToolHooks = {},
): RegisteredTool {
  return register(SDK, server, name, config, callback, hooks) as RegisteredTool;
}

/**
 * The same for a whole server: all tools that it registers from now on answer failures by these hooks. Gives the server back.
 *
 * @throws Error where the server is guarded already.
 */
export function guard<Server extends McpServer>(server: Server, hooks: ToolHooks = {}): Server {
  guardServer(SDK, server, hooks);
  return server;
}

const SDK: Sdk = {
  prefix: "",
  join: ", ",
  line: ({ message, path }) => (path?.length ? `${path.map(keyOf).join(".")}: ${message}` : message),
  door(schema, run) {
    const standard = { ...(schema as StandardSchema)["~standard"], validate: async (value: unknown) => ({ value: await run(value) }) };
    return Object.create(schema, { "~standard": { value: standard, enumerable: true } });
  },
};

function keyOf(step: NonNullable<StandardIssue["path"]>[number]): string {
  return String(typeof step === "object" ? step.key : step);
}
