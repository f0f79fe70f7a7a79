// The hook: what becomes of a call whose arguments, or whose result, fail the tool's schema. For both versions of the SDK, by their public
// members alone.
//
// The SDK checks a call against `tool.inputSchema`, and answers a failure itself. So the schema of a guarded tool is replaced by a door: the
// same schema to read and to list, but what fails it comes in as a `Refused`, and the guarded callback, which gets it, answers. Structured
// content is checked by the guarded callback, too, and its door lets everything pass. Doors are for guarded tools alone: another callback would
// take a `Refused` for arguments.

import {
  type InputValidationFailure,
  type OutputValidationFailure,
  type ToolErrorResult,
  type ValidationFailure,
  sdkResult,
  toIssue,
} from "./failure.js";
import type { ToolSchemaResult } from "./schema.js";
import type { StandardIssue, StandardSchema } from "./standard.js";

/** What a server makes of failures. A hook that gives nothing leaves the result as it is without it. */
export interface Hooks<R> {
  /** Makes the result of a call whose arguments fail the tool's input schema. */
  onToolInputValidationError?: ((failure: InputValidationFailure) => Hooked<R>) | undefined;
  /** Makes the result of a call whose structured content fails the tool's output schema, or is not there. */
  onToolOutputValidationError?: ((failure: OutputValidationFailure) => Hooked<R>) | undefined;
}

type Hooked<R> = R | ToolErrorResult | undefined | void | Promise<R | ToolErrorResult | undefined | void>;

/** What the versions of the SDK differ in. */
export interface Sdk {
  /** The text of an issue, and what joins them. */
  readonly line: (issue: StandardIssue) => string;
  readonly join: string;
  /** What stands before every text. */
  readonly prefix: string;
  /** Replaces how the SDK runs a schema. */
  readonly door: (schema: object, run: (value: unknown) => Promise<unknown>) => object;
}

/** A registered tool, as both versions have it. */
interface Tool {
  inputSchema?: object | undefined;
  outputSchema?: object | undefined;
  update(updates: Updates): void;
}

interface Updates {
  name?: string | null;
  callback?: Callback;
  [property: string]: unknown;
}

type Callback = (...call: any[]) => unknown;

/** A server, as both versions have it. `tool` is the older method of version 1. */
export interface ToolServer {
  registerTool(name: string, config: any, callback: any): any;
  tool?(name: string, ...rest: any[]): any;
}

/** Arguments that failed, on their way to the guarded callback. */
class Refused {
  constructor(
    readonly outcome: Outcome,
    readonly value: unknown,
  ) {}
}

/** What a schema has against a value. */
type Outcome = Pick<ValidationFailure, "reason" | "issues" | "omitted" | "message"> & { text: string };

/** The doors, with the schemas that they stand for, and whether they check. */
const doors = new WeakMap<object, { schema: StandardSchema; checks: boolean }>();
/** The servers that are guarded as a whole, with their own methods. */
const guarded = new WeakMap<object, { hooks: Hooks<any>; original: ToolServer["registerTool"] }>();

/** Registers a tool whose failures are answered by the hooks. */
export function registerTool(
  sdk: Sdk,
  server: ToolServer,
  name: string,
  config: object,
  callback: Callback,
  hooks: Hooks<any>,
): object {
  const whole = guarded.get(server);
  const register = whole?.original ?? server.registerTool.bind(server);
  return guardTool(sdk, name, callback, { ...whole?.hooks, ...hooks }, (guarded) => register(name, config, guarded));
}

/** Has all tools that are registered from now on answer by the hooks. */
export function guard(sdk: Sdk, server: ToolServer, hooks: Hooks<any>): void {
  if (guarded.has(server)) throw new Error("the server is guarded already");
  const original = server.registerTool.bind(server);
  guarded.set(server, { hooks, original });
  server.registerTool = (name, config, callback) =>
    guardTool(sdk, name, callback, hooks, (guarded) => original(name, config, guarded));
  const older = server.tool?.bind(server);
  if (older) {
    server.tool = (name, ...rest) =>
      guardTool(sdk, name, rest.pop(), hooks, (guarded) => older(name, ...rest, guarded));
  }
}

function guardTool(sdk: Sdk, name: string, callback: Callback, hooks: Hooks<any>, register: (guarded: Callback) => Tool): Tool {
  let tool: Tool;
  const guardCallback =
    (callback: Callback): Callback =>
    async (...call) => {
      const [refused] = call;
      if (refused instanceof Refused) return answerInput(sdk, name, refused, hooks);
      return checkResult(sdk, name, tool, await callback(...call), hooks);
    };
  const replaceSchemas = () => {
    tool.inputSchema = doorTo(sdk, tool.inputSchema, true);
    tool.outputSchema = doorTo(sdk, tool.outputSchema, false);
  };

  tool = register(guardCallback(callback));
  replaceSchemas();
  const update = tool.update.bind(tool);
  tool.update = (updates) => {
    if (typeof updates.name === "string") name = updates.name;
    update(updates.callback ? { ...updates, callback: guardCallback(updates.callback) } : updates);
    replaceSchemas();
  };
  return tool;
}

async function answerInput(sdk: Sdk, toolName: string, { outcome, value }: Refused, hooks: Hooks<any>): Promise<unknown> {
  const { text, ...rest } = outcome;
  const sdkText = `${sdk.prefix}Input validation error: Invalid arguments for tool ${toolName}: ${text}`;
  const failure: InputValidationFailure = { toolName, side: "input", ...rest, arguments: value, sdkText };
  return (await hooks.onToolInputValidationError?.(failure)) ?? sdkResult(failure);
}

/** The result of a callback, or what is answered instead. Errors, and results that are none yet (requests for input, tasks), pass. */
async function checkResult(sdk: Sdk, toolName: string, tool: Tool, result: any, hooks: Hooks<any>): Promise<unknown> {
  const schema = tool.outputSchema && doors.get(tool.outputSchema)?.schema;
  const { structuredContent, content, isError } = result ?? {};
  const isAbsent = structuredContent === undefined;
  if (!schema || isError || (isAbsent && !Array.isArray(content))) return result;
  const outcome = isAbsent ? ABSENT : (await against(sdk, schema, structuredContent)).outcome;
  if (!outcome) return result;
  const { text, ...rest } = outcome;
  const what = isAbsent
    ? `Tool ${toolName} has an output schema but no structured content was provided`
    : `Invalid structured content for tool ${toolName}: ${text}`;
  const sdkText = `${sdk.prefix}Output validation error: ${what}`;
  const failure: OutputValidationFailure = { toolName, side: "output", ...rest, structuredContent, sdkText };
  return (await hooks.onToolOutputValidationError?.(failure)) ?? sdkResult(failure);
}

const ABSENT: Outcome = { reason: "absent", issues: [], omitted: 0, text: "" };

/** A schema as the SDK gets to see it. `checks`: whether what fails it becomes a `Refused`; else everything passes. */
function doorTo(sdk: Sdk, schema: object | undefined, checks: boolean): object | undefined {
  if (!schema) return undefined;
  const known = doors.get(schema);
  if (known?.checks === checks) return schema;
  const inner = known?.schema ?? (schema as StandardSchema);
  const run = async (value: unknown) => {
    if (!checks) return value;
    const { outcome, output } = await against(sdk, inner, value);
    return outcome ? new Refused(outcome, value) : output;
  };
  const door = sdk.door(inner, run);
  doors.set(door, { schema: inner, checks });
  return door;
}

/** What a schema has against a value, or what it makes of it. */
async function against(sdk: Sdk, schema: StandardSchema, value: unknown): Promise<{ outcome?: Outcome; output?: unknown }> {
  const standard = await schema["~standard"].validate(value);
  if (!standard.issues?.length) return { output: (standard as { value: unknown }).value };
  const text = standard.issues.map(sdk.line).join(sdk.join);
  const { result } = standard as Partial<ToolSchemaResult<unknown>>;
  if (!result || result.valid) {
    return { outcome: { reason: "invalid", issues: standard.issues.map(toIssue), omitted: 0, text } };
  }
  const { reason, issues, omitted } = result;
  return { outcome: { reason, issues, omitted, text, ...("message" in result && { message: result.message }) } };
}
