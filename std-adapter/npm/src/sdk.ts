// The hook for `@modelcontextprotocol/sdk`, version 1 of the SDK.

import type { McpServer, RegisteredTool, ToolCallback } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { AnySchema, ZodRawShapeCompat } from "@modelcontextprotocol/sdk/server/zod-compat.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ToolSchema } from "./schema.js";
import { type Hooks, type Sdk, guard as guardServer, registerTool as register } from "./tools.js";

export * from "./failure.js";

/** What a server makes of calls and results that fail the schemas of their tools. */
export interface ToolHooks extends Hooks<CallToolResult> {}

/** What tools take and give: zod's schemas, shapes of them, or JSON Schema by `toolSchema`. */
export type Schema = ZodRawShapeCompat | AnySchema | ToolSchema<any>;

/** What `McpServer.registerTool` takes. */
export interface ToolConfig<Input, Output> extends Pick<RegisteredTool, "title" | "description" | "annotations" | "_meta"> {
  inputSchema?: Input;
  outputSchema?: Output;
}

/** What runs a tool: the SDK's own type, and for `toolSchema<T>` the same over `T`. */
export type Callback<Input extends Schema | undefined> =
  Input extends ToolSchema<infer T>
    ? (args: T, extra: Parameters<ToolCallback>[0]) => CallToolResult | Promise<CallToolResult>
    : ToolCallback<Exclude<Input, ToolSchema<any>>>;

/**
 * `server.registerTool`, with hooks for failures, and with JSON Schema besides zod's.
 *
 * Without a hook, the result is the one of the SDK, with the issues in `_meta` besides. Hooks of the whole server ({@link guard}) hold where
 * there is none here.
 */
export function registerTool<Output extends Schema, Input extends Schema | undefined = undefined>(
  server: McpServer,
  name: string,
  config: ToolConfig<Input, Output>,
  callback: Callback<Input>,
  hooks: ToolHooks = {},
): RegisteredTool {
  return register(SDK, server, name, config, callback, hooks) as RegisteredTool;
}

/**
 * The same for a whole server: all tools that it registers from now on, by `registerTool` or `tool`, answer failures by these hooks. Gives
 * the server back.
 *
 * @throws Error where the server is guarded already.
 */
export function guard<Server extends McpServer>(server: Server, hooks: ToolHooks = {}): Server {
  guardServer(SDK, server, hooks);
  return server;
}

const SDK: Sdk = {
  prefix: "MCP error -32602: ",
  join: "\n",
  line: ({ message, path }) => (path?.length ? `${message} at ${path.reduce(dotted, "")}` : message),
  door(schema, run) {
    // Zod 4, and schemas that take part in it.
    if ("_zod" in schema) {
      const runPayload = async (payload: { value: unknown }) => Object.assign(payload, { value: await run(payload.value) });
      const internals: ZodInternals = Object.create(schema._zod as object, { run: { value: runPayload } });
      // How zod marks copies: descriptions of the original are theirs, too.
      if (!internals.toJSONSchema) internals.parent = schema;
      return Object.create(schema, { _zod: { value: internals } });
    }
    // Zod 3.
    const safeParseAsync = async (value: unknown) => ({ success: true, data: await run(value) });
    return Object.create(schema, { safeParseAsync: { value: safeParseAsync } });
  },
};

interface ZodInternals {
  parent?: object;
  toJSONSchema?: () => unknown;
}

/** `list[0].name` */
function dotted(path: string, step: PropertyKey | { readonly key: PropertyKey }): string {
  if (path === "") return String(step);
  return typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`;
}
