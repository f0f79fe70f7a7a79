//! What a run costs is counted in steps, and grows with the input as it should: no test here looks at a clock.

use microschema::{Error, Issues, Json, Limit, Limits, Options, Program};

/// A schema and an instance of some size.
type Make = fn(usize) -> (String, String);

/// Sizes at which costs are compared: each twice the one before.
const SIZES: [usize; 3] = [150, 300, 600];

/// What must cost about twice as much at twice the size.
const LINEAR: &[(&str, Make)] = &[
    ("value not looked at", |n| {
        (r#"{"properties":{"a":{}}}"#.into(), format!(r#"{{"b":[{}]}}"#, list(n, |i| format!("1{i}000"))))
    }),
    ("long string", |n| (r#"{"maxLength":10}"#.into(), format!("\"{}\"", "ü".repeat(n * 64)))),
    ("long string, of a type only", |n| (r#"{"type":"string"}"#.into(), format!("\"{}\"", "x".repeat(n * 64)))),
    ("long number", |n| (r#"{"multipleOf":7}"#.into(), "1".repeat(n * 64))),
    ("long number, whether an integer", |n| (r#"{"type":"integer"}"#.into(), format!("{}.0", "1".repeat(n * 64)))),
    ("long name", |n| (r#"{"properties":{"a":{}}}"#.into(), format!("{{\"{}\":1}}", "x".repeat(n * 64)))),
    ("many branches over one long string", |n| {
        (
            format!(r#"{{"allOf":[{}]}}"#, list(n, |i| format!(r#"{{"maxLength":{}}}"#, 1000 + i))),
            format!("\"{}\"", "x".repeat(900)),
        )
    }),
    ("many branches over one long member", |n| {
        let branches = list(n, |i| format!(r#"{{"required":["a"],"minProperties":{}}}"#, i % 2));
        (format!(r#"{{"allOf":[{branches}]}}"#), format!(r#"{{"a":"{}"}}"#, "x".repeat(900)))
    }),
    ("type", |n| (r#"{"items":{"type":"integer"}}"#.into(), format!("[{}]", list(n, |i| i.to_string())))),
    ("enum", |n| {
        (
            r#"{"items":{"enum":["a","b","c","d","e","f","g","h","i","j"]}}"#.into(),
            format!("[{}]", list(n, |_| "\"j\"".into())),
        )
    }),
    ("properties", |n| (wide(n, "k"), format!("{{{}}}", list(n, |i| format!("\"k{}\":1", n - 1 - i))))),
    ("properties with escapes", |n| {
        (wide(n, "k"), format!("{{{}}}", list(n, |i| format!("\"\\u006b{}\":1", n - 1 - i))))
    }),
    ("required", |n| (format!(r#"{{"required":[{}]}}"#, list(n, |i| format!("\"k{i}\""))), "{}".into())),
    ("required, for each item", |n| {
        let required = list(500, |i| format!("\"k{i}\""));
        (format!(r#"{{"items":{{"required":[{required}]}}}}"#), format!("[{}]", list(n, |_| "{}".into())))
    }),
    ("dependentRequired", |n| {
        let names = list(n, |i| format!("\"k{i}\":[\"k{}\"]", (i + 1) % n));
        (format!(r#"{{"dependentRequired":{{{names}}}}}"#), format!("{{{}}}", list(n, |i| format!("\"k{i}\":1"))))
    }),
    ("patternProperties", |n| {
        (
            r#"{"patternProperties":{"^a+$":{},"^(a|b)*c$":{},"(?=x)y":{}}}"#.into(),
            format!("{{{}}}", list(n, |i| format!("\"aaaaaaaa{i}\":1"))),
        )
    }),
    ("propertyNames", |n| {
        (r#"{"propertyNames":{"maxLength":9}}"#.into(), format!("{{{}}}", list(n, |i| format!("\"a{i}\":1"))))
    }),
    ("additionalProperties", |n| {
        (r#"{"additionalProperties":false}"#.into(), format!("{{{}}}", list(n, |i| format!("\"a{i}\":1"))))
    }),
    ("contains", |n| (r#"{"contains":{"required":["a"]}}"#.into(), format!("[{}]", list(n, |_| r#"{"b":1}"#.into())))),
    ("prefixItems", |n| {
        (format!(r#"{{"prefixItems":[{}]}}"#, list(n, |_| "{}".into())), format!("[{}]", list(n, |i| i.to_string())))
    }),
    ("uniqueItems", |n| (r#"{"uniqueItems":true}"#.into(), format!("[{}]", list(n / 4, |i| i.to_string())))),
    ("names where members are counted", |n| {
        (r#"{"maxProperties":9999}"#.into(), format!("{{{}}}", list(n / 4, |i| format!("\"k{i}\":1"))))
    }),
    ("unevaluatedProperties", |n| {
        (
            r#"{"allOf":[{"patternProperties":{"^k":{}}}],"unevaluatedProperties":false}"#.into(),
            format!("{{{}}}", list(n, |i| format!("\"k{i}\":1"))),
        )
    }),
    ("unevaluatedItems", |n| {
        (
            r#"{"anyOf":[{"contains":{"type":"integer"}},{"prefixItems":[true]}],"unevaluatedItems":false}"#.into(),
            format!("[{}]", list(n, |i| i.to_string())),
        )
    }),
    ("anyOf", |n| {
        (
            r#"{"items":{"anyOf":[{"type":"string"},{"minimum":5},{"maximum":5}]}}"#.into(),
            format!("[{}]", list(n, |i| i.to_string())),
        )
    }),
    ("oneOf told apart late", |n| {
        let branch = |tag: &str| format!(r#"{{"properties":{{"t":{{"const":"{tag}"}}}},"required":["t"]}}"#);
        (
            format!(r#"{{"oneOf":[{},{}]}}"#, branch("x"), branch("y")),
            // The names are told apart, too, which takes more than one pass for more than 576 in one object.
            format!(r#"{{{},"t":"x"}}"#, list(n / 2, |i| format!("\"k{i}\":1"))),
        )
    }),
    ("if and then", |n| {
        let branch = |i| format!(r#"{{"if":{{"properties":{{"a":{{"const":{i}}}}}}},"then":{{"required":["b{i}"]}}}}"#);
        (format!(r#"{{"allOf":[{}]}}"#, list(n, branch)), format!(r#"{{"a":{n}}}"#))
    }),
    ("not of not", |n| {
        (r#"{"items":{"not":{"not":{"items":{"type":"null"}}}}}"#.into(), format!("[{}]", list(n, |_| "[null]".into())))
    }),
    ("nested quantifiers", |n| (r#"{"pattern":"^((a+)+)+$"}"#.into(), format!("\"{}!\"", "a".repeat(n)))),
    ("alternatives that overlap", |n| (r#"{"pattern":"^(a|aa)*$"}"#.into(), format!("\"{}!\"", "a".repeat(n)))),
    ("pattern without anchor", |n| (r#"{"pattern":"(a|b)*c"}"#.into(), format!("\"{}\"", "ab".repeat(n)))),
    ("look-ahead", |n| (r#"{"pattern":"(a(?=a*b))*c"}"#.into(), format!("\"{}\"", "a".repeat(n)))),
    ("look-behind", |n| (r#"{"pattern":"((?<=b.*)a)+c"}"#.into(), format!("\"{}\"", "a".repeat(n)))),
    ("format", |n| (r#"{"format":"uri"}"#.into(), format!("\"http://{}\"", "a/".repeat(n)))),
];

/// Schemas that a naive engine takes exponential time for, over values nested `n` deep.
const NESTED: &[(&str, Make)] = &[
    ("references in both branches", |n| {
        let reference = |i| format!(r##"{{"properties":{{"a":{{"$ref":"#/$defs/d{i}"}}}}"##);
        let branches = |i| format!(r#""d{i}":{{"anyOf":[{0}}},{0},"required":["b"]}}]}}"#, reference(i + 1));
        let definitions = list(n, branches);
        (
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{definitions},"d{n}":{{"type":"string"}}}}}}"##),
            format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n)),
        )
    }),
    ("recursion in both branches", |n| {
        let branch = r##"{"type":"array","items":{"$ref":"#"}}"##;
        (
            format!(r#"{{"anyOf":[{branch},{},{{"type":"integer"}}]}}"#, branch.replace("}}", r#"},"minItems":1}"#)),
            format!("{}null{}", "[".repeat(n), "]".repeat(n)),
        )
    }),
    ("recursion in two keywords", |n| {
        (
            r##"{"properties":{"a":{"$ref":"#"}},"allOf":[{"properties":{"a":{"$ref":"#"}}}]}"##.into(),
            format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n)),
        )
    }),
    ("recursion by name and by pattern", |n| {
        (
            r##"{"properties":{"a":{"$ref":"#"}},"patternProperties":{"^a":{"$ref":"#"},"a$":{"$ref":"#"}}}"##.into(),
            format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n)),
        )
    }),
    ("recursion in conditions", |n| {
        (
            r##"{"if":{"properties":{"a":{"$ref":"#"}},"minProperties":1},"then":{"properties":{"a":{"$ref":"#"}}},"else":{"not":{"properties":{"a":{"$ref":"#"}}}}}"##.into(),
            format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n)),
        )
    }),
    ("recursion where all must hold", |n| {
        let branch = |least| format!(r##"{{"type":["array","null"],"items":{{"$ref":"#"}},"minItems":{least}}}"##);
        (
            format!(r#"{{"allOf":[{},{},{}]}}"#, branch(0), branch(1), branch(1)),
            format!("{}null{}", "[".repeat(n), "]".repeat(n)),
        )
    }),
    ("recursion in three of which one holds", |n| {
        let branch = |least| format!(r##"{{"type":"array","items":{{"$ref":"#"}},"minItems":{least}}}"##);
        (
            format!(r#"{{"oneOf":[{},{},{{"type":"integer"}}]}}"#, branch(1), branch(2)),
            format!("{}1{}", "[".repeat(n), "]".repeat(n)),
        )
    }),
];

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

fn wide(count: usize, prefix: &str) -> String {
    format!(r#"{{"properties":{{{}}}}}"#, list(count, |i| format!(r#""{prefix}{i}":{{"type":"integer"}}"#)))
}

/// Validates, collecting issues or not, within so many steps.
fn run(program: &Program<'_>, instance: &str, collect: bool, steps: u32) -> Result<bool, Error> {
    let (mut issues, mut scratch) = (Issues::<4>::new(), vec![0; 1 << 14]);
    let validator = program.validator().limits(Limits::new().with_steps(steps));
    validator.run_with(Json::new(instance.as_bytes())?, if collect { Some(&mut issues) } else { None }, &mut scratch)
}

/// The least number of steps that gives a verdict.
fn cost(program: &Program<'_>, instance: &str, collect: bool) -> u32 {
    let is_enough = |steps| match run(program, instance, collect, steps) {
        Err(Error::Limit(Limit::Steps)) => false,
        Err(error) => panic!("{error}: {instance:.100}"),
        Ok(_) => true,
    };
    let mut high = 1;
    while !is_enough(high) {
        assert!(high < Limits::new().steps, "no verdict: {instance:.100}");
        high *= 2;
    }
    let mut low = high / 2;
    while low < high {
        let middle = low.midpoint(high);
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[test]
fn twice_the_input_costs_about_twice_the_steps() {
    let mut arena = vec![0; 1 << 20];
    for (name, make) in LINEAR {
        for collect in [false, true] {
            let mut costs = Vec::new();
            for size in SIZES {
                let (schema, instance) = make(size);
                let program = Options::new().compile(schema.as_bytes(), &mut arena).expect(name);
                costs.push(cost(&program, &instance, collect));
                // Whatever is read costs, unless the first failure spares it.
                let read = if collect { instance.len() / 100 } else { 0 };
                assert!(costs.last().is_some_and(|&cost| cost as usize >= read), "{name}: {costs:?}");
            }
            for pair in costs.windows(2) {
                assert!(pair[1] <= pair[0] * 2 + pair[0] / 2 + 20, "{name}: {costs:?}");
            }
        }
    }
}

/// With room to remember, a schema applied in several branches costs at most schema times instance.
#[test]
fn nested_branches_cost_no_more_than_schema_times_instance() {
    let mut arena = vec![0; 1 << 16];
    for (name, make) in NESTED {
        for collect in [false, true] {
            let mut costs = Vec::new();
            for depth in [10, 20, 40] {
                let (schema, instance) = make(depth);
                let program = Options::new().compile(schema.as_bytes(), &mut arena).expect(name);
                costs.push(cost(&program, &instance, collect));
            }
            for pair in costs.windows(2) {
                assert!(pair[1] <= pair[0] * 4, "{name}: {costs:?}");
            }
            assert!(costs[2] < 20_000, "{name}: {costs:?}");
        }
    }
}

#[test]
fn no_schema_outruns_the_limit() {
    let mut arena = vec![0; 1 << 16];
    for (name, make) in NESTED {
        let (schema, instance) = make(60);
        let program = Options::new().compile(schema.as_bytes(), &mut arena).expect(name);
        for collect in [false, true] {
            let result = run(&program, &instance, collect, 200_000);
            assert!(result.is_ok() || result == Err(Error::Limit(Limit::Steps)), "{name}: {result:?}");
        }
    }
}
