import { SchemaError, compile, toolSchema, usage } from "../../dist/workerd.js";

const program = compile({ properties: { level: { maximum: 10 } } });

function equal(found, expected) {
  const [left, right] = [found, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left}, expected ${right}`);
}

export default {
  test() {
    let generated;
    try {
      generated = new Function("return 1")();
    } catch (error) {
      generated = error.name;
    }
    equal(generated, "EvalError");
    equal(program.check({ level: 7 }).valid, true);
    equal(program.check({ level: 70 }).issues, [
      { path: ["level"], pointer: "/level", keyword: "maximum", message: "must be at most 10" },
    ]);
    equal(toolSchema({ type: "object", required: ["a"] })["~standard"].validate({}).issues[0].path, ["a"]);
    equal(usage().programs, 2);
    try {
      compile({ type: "strin" });
      equal("compiled", "refused");
    } catch (error) {
      equal(error instanceof SchemaError && error.pointer, "/type");
    }
  },
};
