export { EngineError } from "./engine.js";
export {
  type CheckOptions,
  type CompileOptions,
  type Dialect,
  type Issue,
  type JsonSchema,
  Program,
  type Result,
  SchemaError,
  compile,
  usage,
} from "./program.js";
export {
  type JsonSchemaValidatorProvider,
  type JsonSchemaValidatorResult,
  type ToolSchema,
  type ToolSchemaOptions,
  type ToolSchemaResult,
  microschemaValidator,
  toolSchema,
} from "./schema.js";
