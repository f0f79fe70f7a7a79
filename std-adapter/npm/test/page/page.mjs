// What the page finds out, sent to the test's server.

const found = {};
try {
  found.codeGeneration = typeof new Function("return 1")();
} catch (error) {
  found.codeGeneration = error.name;
}
try {
  const { compile, toolSchema, usage } = await import("microschema");
  const program = compile({ properties: { level: { maximum: 10 }, name: { pattern: "^\\p{L}+$" } }, required: ["level"] });
  found.valid = program.check({ level: 7, name: "日本語" });
  found.invalid = program.check({ level: 70 });
  found.truncated = program.checkJson('{"level": 7').message;
  found.standard = toolSchema({ type: "object", required: ["a"] })["~standard"].validate({}).issues;
  found.programs = usage().programs;
  const { guard } = await import("microschema/server");
  found.guard = typeof guard;
} catch (error) {
  found.error = String(error);
}
await fetch("/found", { method: "POST", body: JSON.stringify(found) });
