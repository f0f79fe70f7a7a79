// The engine: a WebAssembly module, its memory, and how text goes in and out. The module imports nothing.

interface Exports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  output_len(): number;
  document(uriLength: number, length: number): void;
  compile(length: number, dialect: number, assertFormats: number, properties: number): number;
  release(program: number): void;
  programs(): number;
  check(
    program: number,
    length: number,
    issues: number,
    characters: number,
    shown: number,
    depth: number,
    steps: number,
    uniqueNames: number,
  ): number;
}

/** The engine cannot go on with a call: out of memory, or called on a stack that is nearly full. The next call has a new engine. */
export class EngineError extends Error {
  override name = "EngineError";
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let module: WebAssembly.Module | undefined;
let current: Engine | undefined;

/**
 * Gives the package its engine: `microschema.wasm`, compiled. Only for what imports `microschema/init`; `microschema` itself has done so
 * when its import is complete. A second call changes nothing.
 */
export function init(compiled: WebAssembly.Module): void {
  module ??= compiled;
}

/** The engine that runs now. */
export function engine(): Engine {
  if (current) return current;
  if (!module) throw new EngineError("microschema has no engine yet: call init(module) with microschema.wasm, compiled");
  return (current = new Engine(new WebAssembly.Instance(module).exports as Exports));
}

/** An instance of the module. One that failed is left behind, with all programs in it. */
export class Engine {
  readonly #exports: Exports;

  constructor(exports: Exports) {
    this.#exports = exports;
  }

  /**
   * Compiles a schema, with the Unicode properties that its patterns may name and the documents it may refer to. Gives the number of the program,
   * or why the schema was refused.
   */
  compile(
    schema: string,
    properties: readonly [string, string][],
    documents: readonly [string, string][],
    dialect: number,
    assertFormats: boolean,
  ): number | string {
    return this.#call((exports) => {
      for (const [name, text] of [...properties, ...documents]) {
        const nameLength = this.#write(name, 0);
        exports.document(nameLength, this.#write(text, nameLength));
      }
      const program = exports.compile(this.#write(schema, 0), dialect, Number(assertFormats), properties.length);
      return program < 0 ? this.#read() : program;
    });
  }

  /** Runs a program over a JSON text. Gives `undefined` where that is valid, else the result as JSON. */
  check(program: number, text: string | Uint8Array, terms: Terms): string | undefined {
    return this.#call((exports) => {
      const { issues, characters, showValues, depth, steps, uniqueNames } = terms;
      const length = this.#write(text, 0);
      return exports.check(program, length, issues, characters, showValues, depth, steps, Number(uniqueNames))
        ? undefined
        : this.#read();
    });
  }

  /** Frees a program; those of an engine that was left behind are gone with it. */
  release(program: number): void {
    if (current === this) this.#exports.release(program);
  }

  /** How many programs it holds, and the bytes of its memory. */
  usage(): { programs: number; memory: number } {
    return { programs: this.#exports.programs(), memory: this.#exports.memory.buffer.byteLength };
  }

  /** What fails in the middle leaves an engine that is not to be used again. */
  #call<R>(work: (exports: Exports) => R): R {
    try {
      return work(this.#exports);
    } catch (cause) {
      if (current === this) current = undefined;
      throw new EngineError("the engine ran out of memory or stack", { cause });
    }
  }

  /** Writes a text behind the first `at` bytes of input; gives where it ends. */
  #write(text: string | Uint8Array, at: number): number {
    if (typeof text !== "string") {
      this.#room(at, text.length).set(text);
      return at + text.length;
    }
    // As if it were ASCII; what then does not fit can take three bytes a code unit.
    const { read, written } = encoder.encodeInto(text, this.#room(at, text.length));
    at += written;
    if (read === text.length) return at;
    const rest = text.slice(read);
    return at + encoder.encodeInto(rest, this.#room(at, 3 * rest.length)).written;
  }

  /** Room for so many bytes of input behind the first `at`. */
  #room(at: number, length: number): Uint8Array {
    const input = this.#exports.input(at + length) >>> 0;
    if (input === 0) throw new RangeError(`no memory for ${at + length} bytes`);
    return new Uint8Array(this.#exports.memory.buffer, input + at, length);
  }

  #read(): string {
    const { memory, output, output_len } = this.#exports;
    return decoder.decode(new Uint8Array(memory.buffer, output() >>> 0, output_len()));
  }
}

/** What bounds a check. */
export interface Terms {
  issues: number;
  characters: number;
  showValues: number;
  depth: number;
  steps: number;
  uniqueNames: boolean;
}
