/// <reference lib="esnext.disposable" preserve="true" />
// A compiled schema: made once for each schema object, freed with its owner.

import { type Engine, type Terms, engine } from "./engine.js";
import { properties } from "./properties.js";

/** A JSON Schema, as an object or a boolean. */
export type JsonSchema = { readonly [keyword: string]: unknown } | boolean;

/** The dialects, oldest first: those of schemas without `$schema`. */
const DIALECTS = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;

/** A dialect of JSON Schema. */
export type Dialect = (typeof DIALECTS)[number];

/** How to compile. */
export interface CompileOptions {
  /** The dialect of schemas without `$schema`: `2020-12`, as in MCP. */
  dialect?: Dialect | undefined;
  /** Whether `format` is checked (the default, as MCP servers do) or only an annotation (as the specification has it). */
  assertFormats?: boolean | undefined;
  /** Documents that the schema may refer to, by the URI they were retrieved from. Nothing is ever fetched. */
  documents?: { readonly [uri: string]: JsonSchema } | undefined;
}

/** What bounds a check, and what is told of it. */
export interface CheckOptions {
  /** Issues told at most: 5. The others are counted. */
  issues?: number | undefined;
  /** Characters told of a path and of a message at most: 300. What is cut ends in `…`. */
  characters?: number | undefined;
  /** Characters of the value that failed to show in a message: 0, since values are the caller's own. */
  showValues?: number | undefined;
  /** Levels of nesting: 192, and never more than 512. */
  depth?: number | undefined;
  /** Units of work: 50 million, about a second. */
  steps?: number | undefined;
  /** Whether a JSON text that names a member twice anywhere is refused; by default where the schema declares or counts the name. */
  uniqueNames?: boolean | undefined;
}

/** One thing that is wrong: an issue of Standard Schema, with the keyword and a JSON Pointer. */
export interface Issue {
  /** The way from the root. It ends with the name of a property that is missing or not expected. */
  readonly path: readonly (string | number)[];
  /** The same as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** The keyword that failed. */
  readonly keyword: string;
  /** What was expected. */
  readonly message: string;
}

/** What came of a check. */
export type Result =
  | { readonly valid: true; readonly issues: readonly []; readonly omitted: 0 }
  /** It does not match the schema. `omitted` is how many issues are not told. */
  | { readonly valid: false; readonly reason: "invalid"; readonly issues: readonly Issue[]; readonly omitted: number }
  /** No JSON. `truncated` says that the text was cut off, `at` where, in bytes. */
  | (NoVerdict & { readonly reason: "json"; readonly at?: number; readonly truncated?: boolean })
  /** A limit was reached. That is no verdict. */
  | (NoVerdict & { readonly reason: "limit" });

interface NoVerdict {
  readonly valid: false;
  readonly message: string;
  readonly issues: readonly [];
  readonly omitted: 0;
}

const VALID: Result = Object.freeze({ valid: true, issues: Object.freeze([] as const), omitted: 0 });

/** Why a schema was refused. */
export class SchemaError extends Error {
  override name = "SchemaError";
  /** The reason, without the place. */
  readonly reason: string;
  /** The JSON Pointer of the place in the schema. */
  readonly pointer: string;
  /** The URI of the document that the place is in, if it is not the schema itself. */
  readonly document: string | undefined;

  constructor({ message, pointer, document }: { message: string; pointer: string; document?: string }) {
    super(`schema cannot be honoured: at ${document ?? ""}${pointer || "(root)"}: ${message}`);
    this.reason = message;
    this.pointer = pointer;
    this.document = document;
  }
}

interface Slot {
  readonly engine: Engine;
  readonly number: number;
}

/** Frees what programs held that nobody holds any more. Some edge runtimes have no such registry; there an engine lives as long as its isolate. */
const registry =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<Slot>((slot) => slot.engine.release(slot.number));

/** A compiled schema. */
export class Program {
  readonly #schema: string;
  readonly #documents: [string, string][];
  readonly #dialect: number;
  readonly #assertFormats: boolean;
  #slot: Slot | undefined;

  /** @internal Use {@link compile}. */
  constructor(schema: string, options: CompileOptions) {
    const { dialect = "2020-12", assertFormats = true, documents = {} } = options;
    this.#schema = schema;
    this.#documents = Object.entries(documents).map(([uri, document]) => [uri, JSON.stringify(document)]);
    this.#dialect = DIALECTS.indexOf(dialect);
    if (this.#dialect < 0) throw new TypeError(`unknown dialect ${dialect}: one of ${DIALECTS.join(", ")}`);
    this.#assertFormats = assertFormats;
    this.#load();
  }

  /** Checks a value, as `JSON.stringify` writes it. Never throws on account of the value. */
  check(value: unknown, options?: CheckOptions): Result {
    let text: string | undefined;
    try {
      text = JSON.stringify(value);
    } catch (error) {
      return noJson(String(error));
    }
    return text === undefined ? noJson(`${typeof value} is no JSON value`) : this.checkJson(text, options);
  }

  /** Checks a JSON text: a string, or UTF-8. Numbers are compared with all their digits, and names that come twice are seen. */
  checkJson(text: string | Uint8Array, options?: CheckOptions): Result {
    const { engine, number } = this.#load();
    const result = engine.check(number, text, options ? terms(options) : DEFAULT_TERMS);
    return result === undefined ? VALID : (JSON.parse(result) as Result);
  }

  /** Frees the program now; otherwise that happens when it is collected. What is checked afterwards compiles the schema again. */
  dispose(): void {
    if (!this.#slot) return;
    registry?.unregister(this);
    this.#slot.engine.release(this.#slot.number);
    this.#slot = undefined;
  }

  /** The program in the engine that runs now; compiled again after `dispose`, or when an engine had to be left behind. */
  #load(): Slot {
    const running = engine();
    if (this.#slot?.engine === running) return this.#slot;
    const named = properties([this.#schema, ...this.#documents.map(([, text]) => text)]);
    const number = running.compile(this.#schema, named, this.#documents, this.#dialect, this.#assertFormats);
    if (typeof number === "string") throw new SchemaError(JSON.parse(number));
    registry?.unregister(this);
    this.#slot = { engine: running, number };
    registry?.register(this, this.#slot, this);
    return this.#slot;
  }
}

export interface Program extends Disposable {}
// `Symbol.dispose` is newer than some runtimes; `using` of older ones is compiled to the registered symbol.
const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
Object.defineProperty(Program.prototype, dispose, { value: Program.prototype.dispose });

const compiled = new WeakMap<object, Map<string, Program>>();

/**
 * Compiles a schema, given as an object, a boolean, or JSON text.
 *
 * The same object is compiled once: while it lives, it gives the same program (for the same options, without documents). So a schema is
 * not to be changed after it was compiled.
 *
 * @throws SchemaError where a keyword, dialect, reference or pattern cannot be honoured; it names the reason and the place.
 */
export function compile(schema: JsonSchema | string, options: CompileOptions = {}): Program {
  if (typeof schema === "string") return new Program(schema, options);
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null)) {
    throw new TypeError("a schema is an object, a boolean, or JSON text");
  }
  if (typeof schema === "boolean" || options.documents) return new Program(JSON.stringify(schema), options);
  let programs = compiled.get(schema);
  if (!programs) compiled.set(schema, (programs = new Map()));
  const key = `${options.dialect} ${options.assertFormats}`;
  let program = programs.get(key);
  if (!program) programs.set(key, (program = new Program(JSON.stringify(schema), options)));
  return program;
}

/** How many programs the engine holds now, and the bytes of its memory, which never shrinks. */
export function usage(): { programs: number; memory: number } {
  return engine().usage();
}

function noJson(message: string): Result {
  return { valid: false, reason: "json", message, issues: [], omitted: 0 };
}

const DEFAULT_TERMS: Terms = {
  issues: 5,
  characters: 300,
  showValues: 0,
  depth: 192,
  steps: 50_000_000,
  uniqueNames: false,
};

function terms(options: CheckOptions): Terms {
  const count = (name: Exclude<keyof Terms, "uniqueNames">) => {
    const value = options[name] ?? DEFAULT_TERMS[name];
    if (!(value >= 0)) throw new RangeError(`${name} must not be negative: ${value}`);
    return Math.min(value, 0x7fff_ffff);
  };
  return {
    issues: count("issues"),
    characters: count("characters"),
    showValues: count("showValues"),
    depth: count("depth"),
    steps: count("steps"),
    uniqueNames: options.uniqueNames ?? DEFAULT_TERMS.uniqueNames,
  };
}
