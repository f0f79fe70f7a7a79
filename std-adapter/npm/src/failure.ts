// What is wrong with a call, as a value that servers can turn into any result they like; and the results they mostly want. The texts and shapes
// are those of the Rust adapter, `microschema-mcp`: `Failure` and `Reply` there.

import type { StandardIssue } from "./standard.js";

/** Why a call, or its result, was not let through. */
export type ValidationFailure = InputValidationFailure | OutputValidationFailure;

/** Why a call was not let through. */
export interface InputValidationFailure extends Failure {
  readonly side: "input";
  /** The arguments as they came. They are the caller's own: repeat them with care. */
  readonly arguments: unknown;
}

/** Why a result was not let through. */
export interface OutputValidationFailure extends Failure {
  readonly side: "output";
  /** The structured content that the tool returned. */
  readonly structuredContent: unknown;
}

interface Failure {
  /** The tool. */
  readonly toolName: string;
  /** `invalid`: it does not match the schema. `json`, `limit`: it could not be checked. `absent`: there is no structured content. */
  readonly reason: "invalid" | "json" | "limit" | "absent";
  /** What is wrong, in the order it was found. */
  readonly issues: readonly ValidationIssue[];
  /** How many more there are. */
  readonly omitted: number;
  /** The text that the SDK itself would answer with. */
  readonly sdkText: string;
  /** What could not be checked, where `reason` is `json` or `limit`. */
  readonly message?: string;
}

/** One thing that is wrong. The keyword is there when microschema found it. */
export interface ValidationIssue {
  readonly path: readonly (string | number)[];
  readonly pointer: string;
  readonly keyword?: string;
  readonly message: string;
}

/** A tool execution error (`CallToolResult` with `isError: true`). */
export type ToolErrorResult = {
  content: { type: "text"; text: string }[];
  isError: true;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};

/** The key of the issues in a result's `_meta`. */
export const META_ISSUES = "microschema/issues";
/** The key, in a result's `_meta`, of how many issues were left out; it is there when some were. */
export const META_OMITTED = "microschema/omitted";

/** The text for a model to act on: a line on the whole, and one for each issue. */
export function failureText(failure: ValidationFailure): string {
  const lines = failure.issues.map(({ path, pointer, message, keyword }) => {
    const place = path.length === 0 ? "(root)" : pointer;
    return `- at ${place}: ${message}${keyword === undefined ? "" : ` (${keyword})`}`;
  });
  if (failure.omitted > 0) lines.push(`- and ${failure.omitted} more`);
  return [summary(failure), ...lines].join("\n");
}

/** A result of text, and the issues in `_meta`. */
export function textResult(failure: ValidationFailure): ToolErrorResult {
  return withText(failure, failureText(failure));
}

/**
 * The same, with `{"issues": […], "omitted": 0}` as structured content.
 *
 * For tools without an output schema, or with one that allows for it: clients made with version 1 of the SDK check structured content
 * against the output schema even where the result is an error, and throw.
 */
export function issueListResult(failure: ValidationFailure): ToolErrorResult {
  const { issues, omitted } = failure;
  return { ...textResult(failure), structuredContent: { issues: [...issues], omitted } };
}

/** The same, with problem details (RFC 9457) as structured content. See {@link issueListResult} on clients of version 1. */
export function problemDetailsResult(failure: ValidationFailure): ToolErrorResult {
  return { ...textResult(failure), structuredContent: { ...problemDetails(failure) } };
}

/** Problem details (RFC 9457). The type is `about:blank`, which is left out (section 4.2.1); so the title is that of the status. */
export interface ProblemDetails {
  status: number;
  title: string;
  detail: string;
  /** Each with the place as a URI fragment. */
  errors: { pointer: string; detail: string }[];
  omitted?: number;
}

/** The failure as problem details (RFC 9457). */
export function problemDetails(failure: ValidationFailure): ProblemDetails {
  const [status, title] = statusOf(failure);
  const errors = failure.issues.map(({ pointer, message }) => ({ pointer: fragment(pointer), detail: message }));
  const { omitted } = failure;
  return { status, title, detail: summary(failure), errors, ...(omitted > 0 && { omitted }) };
}

/** The result of a failure without a hook: the SDK's own text, and the issues in `_meta`. */
export function sdkResult(failure: ValidationFailure): ToolErrorResult {
  return withText(failure, failure.sdkText);
}

/** An issue of any Standard Schema, with a pointer. */
export function toIssue({ path: steps = [], message }: StandardIssue): ValidationIssue {
  const path = steps.map((step) => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "number" ? key : String(key);
  });
  const pointer = path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { path, pointer, message };
}

function withText(failure: ValidationFailure, text: string): ToolErrorResult {
  const meta: Record<string, unknown> = { [META_ISSUES]: [...failure.issues] };
  if (failure.omitted > 0) meta[META_OMITTED] = failure.omitted;
  return { content: [{ type: "text", text }], isError: true, _meta: meta };
}

function summary({ side, reason, message }: ValidationFailure): string {
  const isInput = side === "input";
  switch (reason) {
    case "invalid":
      return isInput
        ? "Invalid input: the arguments do not match the tool's input schema."
        : "Tool returned structured content that does not match its output schema.";
    case "json":
      return isInput
        ? `Invalid input: the arguments cannot be read: ${message}.`
        : `Tool returned structured content that cannot be read: ${message}.`;
    case "limit":
      return isInput
        ? `Invalid input: the arguments could not be checked: ${message}.`
        : `Tool returned structured content that could not be checked: ${message}.`;
    case "absent":
      return "Tool returned no structured content, which its output schema asks for.";
  }
}

function statusOf({ side, reason }: ValidationFailure): [number, string] {
  if (side === "output") return [500, "Internal Server Error"];
  if (reason === "json") return [400, "Bad Request"];
  if (reason === "limit") return [413, "Content Too Large"];
  return [422, "Unprocessable Content"];
}

/** A JSON Pointer as a URI fragment (RFC 6901 section 6): what a fragment may not have (RFC 3986 section 3.5) is percent-encoded. */
function fragment(pointer: string): string {
  // `encodeURI` leaves `#`, which a fragment may not have. It takes no halves of surrogate pairs.
  return `#${encodeURI(pointer.replaceAll(/\p{Surrogate}/gu, "\ufffd")).replaceAll("#", "%23")}`;
}
