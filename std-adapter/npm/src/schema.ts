// What the SDKs take: tool schemas, and the validator behind their own.

import { type CheckOptions, type CompileOptions, type Issue, type JsonSchema, Program, type Result, compile } from "./program.js";
import type { StandardJsonSchema, StandardResult } from "./standard.js";

/** What `~standard.validate` gives: the result of Standard Schema, with the rest of what is known. */
export type ToolSchemaResult<T> = StandardResult<T> & { readonly result: Result };

/** The schema of a tool's arguments or results, as both SDKs take it. */
export interface ToolSchema<T = Record<string, unknown>> extends StandardJsonSchema<T> {
  readonly "~standard": StandardJsonSchema<T>["~standard"] & {
    readonly vendor: "microschema";
    readonly validate: (value: unknown) => ToolSchemaResult<T>;
  };
  /** The schema, compiled. */
  readonly program: Program;
}

export interface ToolSchemaOptions extends CompileOptions, CheckOptions {}

/**
 * A tool's schema, from JSON Schema. It is advertised as it is, and checked by the engine.
 *
 * The issues are those of {@link Program.check}; where more were found than are told, a last one says how many.
 *
 * @throws SchemaError where a keyword, dialect, reference or pattern cannot be honoured.
 */
export function toolSchema<T = Record<string, unknown>>(
  schema: { readonly [keyword: string]: unknown },
  options: ToolSchemaOptions = {},
): ToolSchema<T> {
  const program = compile(schema, options);
  const check = (value: unknown) => program.check(value, options);
  const advertise = () => ({ ...schema });
  return {
    program,
    "~standard": {
      version: 1,
      vendor: "microschema",
      validate(value) {
        const result = check(value);
        return result.valid ? { value: value as T, result } : { issues: issuesOf(result), result };
      },
      jsonSchema: { input: advertise, output: advertise },
    },
    ...asZod(schema, check),
  };
}

/**
 * Version 1 of the SDK takes zod's schemas. It meets them through the four members that zod lets others implement
 * (https://zod.dev/library-authors): what kind of schema it is, how it is run, and how it is written as JSON Schema.
 */
function asZod(schema: { readonly [keyword: string]: unknown }, check: (value: unknown) => Result): object {
  const run = (payload: { value: unknown; issues: object[] }) => {
    const result = check(payload.value);
    if (!result.valid) {
      payload.issues.push(...issuesOf(result).map((issue) => ({ code: "custom", input: payload.value, ...issue })));
    }
    return payload;
  };
  // It writes `$schema` of draft-07 where there is none; ours without is 2020-12.
  const toJSONSchema = () => ({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema });
  return { _zod: { def: { type: "object" }, traits: new Set(), bag: {}, run, toJSONSchema } };
}

/** What Standard Schema is told of a result that is not valid. */
function issuesOf(result: Exclude<Result, { valid: true }>): (Pick<Issue, "path" | "message"> & Partial<Issue>)[] {
  if (result.reason !== "invalid") return [{ path: [], message: `cannot be checked: ${result.message}` }];
  return result.omitted === 0 ? [...result.issues] : [...result.issues, { path: [], message: `and ${result.omitted} more` }];
}

/** The validator that the SDKs ask for schemas of elicitations, of `fromJsonSchema`, and of a client's tools. */
export interface JsonSchemaValidatorProvider {
  getValidator<T>(schema: { readonly [keyword: string]: any }): (input: unknown) => JsonSchemaValidatorResult<T>;
}

export type JsonSchemaValidatorResult<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

/**
 * The engine as the `jsonSchemaValidator` of a server or a client, of version 1 or 2 of the SDK.
 *
 * `getValidator` throws a {@link SchemaError} where a schema cannot be honoured. The same schema object is compiled once.
 */
export function microschemaValidator(options: ToolSchemaOptions = {}): JsonSchemaValidatorProvider {
  return {
    getValidator<T>(schema: { readonly [keyword: string]: any }) {
      const program = compile(schema as JsonSchema, options);
      return (input: unknown): JsonSchemaValidatorResult<T> => {
        const result = program.check(input, options);
        return result.valid
          ? { valid: true, data: input as T, errorMessage: undefined }
          : { valid: false, data: undefined, errorMessage: issuesOf(result).map(line).join("; ") };
      };
    },
  };
}

function line(issue: Partial<Issue> & { message: string }): string {
  if (issue.keyword === undefined) return issue.message;
  return `at ${issue.pointer || "(root)"}: ${issue.message} (${issue.keyword})`;
}
