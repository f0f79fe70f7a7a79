// The Unicode properties of `\p{…}` in patterns: the engine has no tables of its own, as the host's `RegExp` brings them.

/** What stands for a property between the brackets of a class, by its name as patterns write it. */
const sets = new Map<string, string>();

/** The properties that the patterns of these JSON texts may name, as far as the host knows them; what it does not know, the engine refuses. */
export function properties(texts: Iterable<string>): [string, string][] {
  const named = new Map<string, string>();
  for (const text of texts) {
    for (const [, name] of plain(text).matchAll(/\\\\[pP]\{(\w+(?:=\w+)?)\}/g)) {
      const known = sets.get(name!) ?? set(name!);
      if (known === undefined) continue;
      sets.set(name!, known);
      named.set(name!, known);
    }
  }
  return [...named];
}

/** The text without `\u`, which might hide a name; where it is no JSON, there is nothing to find. */
function plain(text: string): string {
  if (!text.includes("\\u")) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return "";
  }
}

const BLOCK = 0x800;

/** The code points that have a property, in order: `\u{41}-\u{5a}…`. It takes some milliseconds. */
function set(name: string): string | undefined {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`\\p{${name}}+`, "gu");
  } catch {
    return undefined;
  }
  const ranges: [number, number][] = [];
  const add = (low: number, end: number) => {
    const last = ranges.at(-1);
    if (last?.[1] === low) last[1] = end;
    else ranges.push([low, end]);
  };
  const codes = Array.from({ length: BLOCK }, (_, index) => index);
  for (let start = 0; start < 0x110000; start += BLOCK) {
    // All surrogates have the same properties; side by side they would be taken for pairs.
    const surrogates = start === 0xd800;
    const text = surrogates ? "\ud800" : String.fromCodePoint(...codes.map((code) => start + code));
    for (const { 0: match, index } of text.matchAll(pattern)) {
      if (surrogates) {
        add(start, start + BLOCK);
      } else {
        const units = start < 0x10000 ? 1 : 2;
        const low = start + index / units;
        add(low, low + match.length / units);
      }
    }
  }
  const escape = (code: number) => `\\u{${code.toString(16)}}`;
  return ranges.map(([low, end]) => (end - low > 1 ? `${escape(low)}-${escape(end - 1)}` : escape(low))).join("");
}
