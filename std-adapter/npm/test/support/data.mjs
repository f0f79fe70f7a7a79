// Where the test data is; as tests/src/lib.rs has it.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

/** The folder of the test data, or why there is none. Under `CI=true` it has to be there. */
export function dataFolder() {
  const named = process.env.MICROSCHEMA_DATA;
  const folder = named ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));
  if (existsSync(folder)) return { folder };
  if (named || process.env.CI === "true") throw new Error(`no test data in ${folder}`);
  return { missing: `no test data in ${folder} (set MICROSCHEMA_DATA)` };
}

export function readJson(...path) {
  return JSON.parse(readFileSync(join(...path), "utf8"));
}

/** The JSON files below a folder, by their path from there. */
export function jsonFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  return names.filter((name) => name.endsWith(".json")).sort();
}
