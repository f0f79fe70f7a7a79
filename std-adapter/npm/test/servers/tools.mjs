// The tools of both servers: what is registered, whichever SDK runs it.

import { z } from "zod";

export const LEVEL = {
  type: "object",
  properties: { level: { type: "integer", maximum: 100 } },
  required: ["level"],
  additionalProperties: false,
};

export const READING = { type: "object", properties: { celsius: { maximum: 85 } }, required: ["celsius"] };

/** An output schema for success and problem alike. */
export const READING_OR_PROBLEM = {
  type: "object",
  anyOf: [READING, { properties: { status: { type: "integer" }, title: { type: "string" } }, required: ["status", "title"] }],
};

export const zodLevel = () =>
  z
    .object({ level: z.number().int().max(100).default(50), lamps: z.array(z.object({ name: z.string() })).optional() })
    .describe("A level.");

export const zodReading = () => z.object({ celsius: z.number().max(85) });

export const echo = (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });

export const read = ({ level }) => ({ content: [{ type: "text", text: `${level}` }], structuredContent: { celsius: level } });

/** Registers the tools: each with the SDK alone and again with `register`, so that the two can be compared. */
export function registerTools({ server, registerTool, toolSchema, problemDetailsResult }) {
  const both = (name, config, callback) => {
    server.registerTool(name, config(), callback);
    registerTool(server, `${name}-guarded`, config(), callback);
  };
  both("json", () => ({ description: "Sets the lamp.", inputSchema: toolSchema(LEVEL) }), echo);
  both("zod", () => ({ inputSchema: zodLevel() }), echo);
  both("output", () => ({ inputSchema: toolSchema(LEVEL), outputSchema: toolSchema(READING) }), read);
  both("zod-output", () => ({ inputSchema: zodLevel(), outputSchema: zodReading() }), read);
  both("missing", () => ({ outputSchema: toolSchema(READING) }), () => echo("no structured content"));
  both("plain", () => ({}), () => echo("no schema"));

  registerTool(server, "problem", { inputSchema: toolSchema(LEVEL), outputSchema: toolSchema(READING_OR_PROBLEM) }, read, {
    onToolInputValidationError: problemDetailsResult,
    onToolOutputValidationError: problemDetailsResult,
  });
  registerTool(server, "hooked", { inputSchema: zodLevel(), outputSchema: zodReading() }, read, {
    // Declines what is not about the level.
    async onToolInputValidationError({ toolName, issues, arguments: args }) {
      if (issues.some(({ path }) => path[0] !== "level")) return undefined;
      return { content: [{ type: "text", text: JSON.stringify({ toolName, issues, args }) }], isError: true };
    },
    onToolOutputValidationError({ toolName, reason, issues, structuredContent }) {
      return { content: [{ type: "text", text: JSON.stringify({ toolName, reason, issues, structuredContent }) }], isError: true };
    },
  });
}
