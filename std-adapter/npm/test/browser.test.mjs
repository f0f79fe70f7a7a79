// A page in Chromium, under a content security policy that forbids code generation from strings.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM;
const skip = !executablePath && process.env.CI !== "true" && "no Chromium: set CHROMIUM to its path";

const root = fileURLToPath(new URL("..", import.meta.url));
// `wasm-unsafe-eval` allows WebAssembly; `unsafe-eval` is not there. The hash is that of the import map.
const policy = (hash) => `default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** The package's folder over HTTP, and what the page sends back. */
async function serve(wasmType) {
  const html = await readFile(join(root, "test/page/index.html"), "utf8");
  const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(html);
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(map))).toString("base64");
  const server = createServer();
  const found = new Promise((resolve) => {
    server.on("request", async (request, response) => {
      if (request.method === "POST") {
        resolve(await json(request));
        return response.end();
      }
      const file = join(root, normalize(request.url));
      const type = extname(file) === ".wasm" ? wasmType : TYPES[extname(file)];
      try {
        const body = await readFile(file);
        response.writeHead(200, { "content-type": type, "content-security-policy": policy(hash) }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, found, address: `http://127.0.0.1:${server.address().port}` };
}

test("in a browser that generates no code", { skip, timeout: 120_000 }, async () => {
  assert.ok(executablePath, "no Chromium: set CHROMIUM to its path");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    // Streamed, and from a server that does not know the type.
    for (const type of ["application/wasm", "application/octet-stream"]) {
      const { server, found, address } = await serve(type);
      const page = await browser.newPage();
      const failed = once(page, "pageerror").then(([error]) => Promise.reject(error));
      await page.goto(`${address}/test/page/index.html`);
      assert.deepEqual(await Promise.race([found, failed]), {
        codeGeneration: "EvalError",
        valid: { valid: true, issues: [], omitted: 0 },
        invalid: {
          valid: false,
          reason: "invalid",
          issues: [{ path: ["level"], pointer: "/level", keyword: "maximum", message: "must be at most 10" }],
          omitted: 0,
        },
        truncated: "input ends inside an object at byte 11",
        standard: [{ path: ["a"], pointer: "/a", keyword: "required", message: "is required" }],
        programs: 2,
        guard: "function",
      });
      await page.close();
      server.close();
    }
  } finally {
    await browser.close();
  }
});
