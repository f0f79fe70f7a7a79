//! What the compiler turns into a look-up (`Discriminator`, `SomeSeen`) means what its parts mean, each compiled by itself.

use microschema::{Error, Issues, JsonErrorKind, Program, compile};
use microschema_tests::both;

/// Branches that properties `k` and `n`, or the first member, tell apart from some others, and some that nothing does.
const BRANCHES: &[&str] = &[
    r#"{"type": "object", "properties": {"k": {"enum": ["a", "b"]}, "n": {"type": "integer"}}, "required": ["k"]}"#,
    r#"{"type": "object", "properties": {"k": {"const": "a"}, "n": {"type": "string"}}, "required": ["k", "n"]}"#,
    r#"{"type": "object", "properties": {"k": {"const": "c"}}}"#,
    r#"{"type": "object", "properties": {"k": {"type": "string", "not": {"enum": ["a", "c"]}}}, "required": ["k"]}"#,
    r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
    r#"{"type": "object", "properties": {"k": {"const": "b"}, "n": {}}, "required": ["k"], "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"n": {}}, "required": ["n"], "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"x": {}, "n": {"type": "string"}}, "additionalProperties": false}"#,
    r#"{"type": ["object", "string"], "properties": {"x": {"type": "integer"}, "k\n": {}}, "additionalProperties": false, "maxLength": 1}"#,
    r#"{"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "c"}}, "required": ["k"]}, {"type": "string"}]}"#,
    r#"{"anyOf": [{"type": "object", "properties": {"k": {"enum": ["c", "b"]}}, "required": ["k"]}, {"type": "integer"}]}"#,
    r#"{"properties": {"k": {"type": ["null", "string"], "enum": ["a", null]}}, "required": ["x"]}"#,
    r#"{"type": "object", "required": ["k", "x"]}"#,
    r#"{"type": "string"}"#,
];

/// Objects with some of the members `k`, `n` and `x`, in two orders, and other values.
fn instances() -> Vec<String> {
    let mut found = vec!["1".to_owned(), r#""s""#.to_owned(), r#""long""#.to_owned(), "[]".to_owned(), "{}".to_owned()];
    found.push(r#"{"k\n": 1}"#.to_owned());
    found.push(r#"{"k\u000a": 1, "x": 2}"#.to_owned());
    for k in ["", r#""k": "a""#, r#""k": "b""#, r#""\u006b": "\u0063""#, r#""k": "d""#, r#""k": null"#] {
        for n in ["", r#""n": 1"#, r#""n": "y""#] {
            for x in ["", r#""x": 1"#, r#""\u0078": {"k": "a"}"#] {
                for order in [[k, n, x], [x, n, k]] {
                    let members: Vec<&str> = order.into_iter().filter(|member| !member.is_empty()).collect();
                    found.push(format!("{{{}}}", members.join(", ")));
                }
            }
        }
    }
    found
}

fn compiled(schema: &str) -> Vec<u8> {
    let mut arena = vec![0; 1 << 15];
    compile(schema.as_bytes(), &mut arena).unwrap_or_else(|error| panic!("{schema}: {error}")).as_bytes().to_vec()
}

fn loaded(program: &[u8]) -> Program<'_> {
    Program::from_bytes(program).expect("a program")
}

fn valid(program: &Program<'_>, instance: &str) -> bool {
    let outcome =
        both::validate(program, instance.as_bytes()).unwrap_or_else(|error| panic!("{instance}: {error}\n{program}"));
    outcome.verdict.unwrap_or_else(|error| panic!("{instance}: {error}\n{program}"))
}

/// What each of some schemas says of each instance.
fn verdicts(schemas: &[&str], instances: &[String]) -> Vec<Vec<bool>> {
    let verdicts = |schema: &&str| {
        let bytes = compiled(schema);
        let program = loaded(&bytes);
        instances.iter().map(|instance| valid(&program, instance)).collect()
    };
    schemas.iter().map(verdicts).collect()
}

/// All pairs, and each of them with one more.
fn choices(count: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for first in 0..count {
        for second in 0..count {
            found.push(vec![first, second]);
            found.push(vec![first, second, (first * 5 + second * 3) % count]);
        }
    }
    found
}

#[test]
fn branches_mean_what_each_means() {
    let instances = instances();
    let alone = verdicts(BRANCHES, &instances);
    for choice in choices(BRANCHES.len()) {
        let inline: Vec<&str> = choice.iter().map(|&branch| BRANCHES[branch]).collect();
        let refs: Vec<String> =
            (0..choice.len()).map(|branch| format!(r##"{{"$ref": "#/$defs/{branch}"}}"##)).collect();
        let defs: Vec<String> =
            inline.iter().enumerate().map(|(branch, schema)| format!(r#""{branch}": {schema}"#)).collect();
        for keyword in ["anyOf", "oneOf"] {
            for schema in [
                format!(r#"{{"{keyword}": [{}]}}"#, inline.join(", ")),
                format!(r#"{{"$defs": {{{}}}, "{keyword}": [{}]}}"#, defs.join(", "), refs.join(", ")),
                format!(r#"{{"not": {{"{keyword}": [{}]}}}}"#, inline.join(", ")),
            ] {
                let bytes = compiled(&schema);
                let program = loaded(&bytes);
                for (at, instance) in instances.iter().enumerate() {
                    let held = choice.iter().filter(|&&branch| alone[branch][at]).count();
                    let holds = if keyword == "anyOf" { held > 0 } else { held == 1 };
                    assert_eq!(
                        valid(&program, instance),
                        holds != schema.starts_with(r#"{"not"#),
                        "{schema} {instance}"
                    );
                }
            }
        }
    }
}

/// Branches that refer to others: to the same ones, and to such as admit more than the branch that applies them.
#[test]
fn branches_that_refer_mean_what_each_means() {
    let to = |branch: usize| format!(r##"{{"$ref": "#/$defs/{branch}"}}"##);
    let all_of = |branches: &[usize], around: &str| {
        let branches: Vec<String> = branches.iter().map(|&branch| to(branch)).collect();
        format!(r#"{{{around}"allOf": [{}]}}"#, branches.join(", "))
    };
    let branches = [
        to(0),
        to(5),
        to(6),
        to(7),
        to(9),
        all_of(&[1, 13], ""),
        all_of(&[1, 2], ""),
        all_of(&[9, 10], ""),
        all_of(&[2], r#""type": ["null", "string"], "#),
        format!(r#"{{"type": "object", "oneOf": [{}, {}]}}"#, to(6), to(2)),
    ];
    let defs: Vec<String> =
        BRANCHES.iter().enumerate().map(|(branch, schema)| format!(r#""{branch}": {schema}"#)).collect();
    let whole = |keyword: &str, branches: &[&str]| {
        format!(r#"{{"$defs": {{{}}}, "{keyword}": [{}]}}"#, defs.join(", "), branches.join(", "))
    };
    let instances = instances();
    let alone: Vec<String> = branches.iter().map(|branch| whole("allOf", &[branch])).collect();
    let alone: Vec<&str> = alone.iter().map(String::as_str).collect();
    let alone = verdicts(&alone, &instances);
    let twice = (0..100).map(|pair| vec![pair / 10, pair % 10, pair / 10]);
    for choice in choices(branches.len()).into_iter().chain(twice) {
        let chosen: Vec<&str> = choice.iter().map(|&branch| branches[branch].as_str()).collect();
        for keyword in ["anyOf", "oneOf"] {
            let schema = whole(keyword, &chosen);
            let bytes = compiled(&schema);
            let program = loaded(&bytes);
            for (at, instance) in instances.iter().enumerate() {
                let held = choice.iter().filter(|&&branch| alone[branch][at]).count();
                let holds = if keyword == "anyOf" { held > 0 } else { held == 1 };
                assert_eq!(valid(&program, instance), holds, "{schema} {instance}");
            }
        }
    }
}

/// Where a name comes twice, a verdict that an object is valid holds for either reading.
#[test]
fn no_way_around_with_a_name_that_comes_twice() {
    let members = [r#""k": "a""#, r#""k": "b""#, r#""k": "c""#, r#""k": 1"#, r#""n": 1"#, r#""n": "y""#, r#""x": 1"#];
    let name = |member: &str| member.split(':').next().map(str::to_owned);
    let mut objects = Vec::new();
    for one in members {
        for other in members.into_iter().filter(|other| *other != one && name(other) == name(one)) {
            for more in members.into_iter().filter(|more| name(more) != name(one)) {
                let readings = [format!("{{{one}, {more}}}"), format!("{{{other}, {more}}}")];
                for order in [[one, other, more], [one, more, other], [more, one, other]] {
                    objects.push((format!("{{{}}}", order.join(", ")), readings.clone()));
                }
            }
        }
    }
    let mut schemas: Vec<String> = Vec::new();
    for choice in choices(BRANCHES.len()) {
        let branches: Vec<&str> = choice.iter().map(|&branch| BRANCHES[branch]).collect();
        for keyword in ["anyOf", "oneOf"] {
            schemas.push(format!(r#"{{"{keyword}": [{}]}}"#, branches.join(", ")));
        }
        let [one, other] = [branches[0], branches[1]];
        schemas.push(format!(
            r#"{{"if": {{"properties": {{"k": {{"const": "a"}}}}}}, "then": {one}, "else": {{"if": {{"properties": {{"k": {{"enum": ["b", "c"]}}}}, "required": ["k"]}}, "then": {other}}}}}"#
        ));
    }
    let (mut refused, mut judged) = (0, 0);
    for schema in schemas {
        let bytes = compiled(&schema);
        let program = loaded(&bytes);
        for (object, readings) in &objects {
            match program.is_valid(object.as_bytes()) {
                Ok(true) => {
                    judged += 1;
                    for reading in readings {
                        assert!(valid(&program, reading), "{schema} {object} {reading}");
                    }
                }
                Ok(false) => {}
                Err(Error::Json(error)) if error.kind == JsonErrorKind::DuplicateName => refused += 1,
                Err(error) => panic!("{schema} {object}: {error}"),
            }
        }
    }
    assert!(refused > 0 && judged > 0);
}

#[test]
fn conditions_on_one_property_mean_what_each_means() {
    let conditions = [
        r#"{"properties": {"k": {"const": "a"}}}"#,
        r#"{"properties": {"k": {"enum": ["b", "c"]}}, "required": ["k"]}"#,
        r#"{"type": "object", "properties": {"k": {"enum": ["a", "d"]}}, "required": ["k"]}"#,
        r#"{"properties": {"n": {"const": "y"}}, "required": ["n"]}"#,
    ];
    let thens = [
        r#"{"required": ["n"]}"#,
        r#"{"properties": {"n": {"type": "integer"}, "k": {}}}"#,
        r#"{"properties": {"x": {"type": "integer"}}, "minProperties": 2}"#,
        "false",
    ];
    let instances = instances();
    let held = verdicts(&conditions, &instances);
    let checked = verdicts(&thens, &instances);
    for around in [
        "",
        r#""type": "object", "#,
        r#""type": "object", "properties": {"k": {}, "x": {}}, "#,
        r#""required": ["k"], "type": ["object", "string"], "#,
    ] {
        let base = &verdicts(&[&format!("{{{around}\"title\": \"\"}}")], &instances)[0];
        for choice in choices(conditions.len()) {
            let part = |at: usize| {
                let (condition, then) = (choice[at], (choice[at] + choice[0] + at) % thens.len());
                (condition, then, format!(r#""if": {}, "then": {}"#, conditions[condition], thens[then]))
            };
            let parts: Vec<(usize, usize, String)> = (0..choice.len()).map(part).collect();
            let side_by_side: Vec<String> = parts.iter().map(|(_, _, text)| format!("{{{text}}}")).collect();
            let chain = parts
                .iter()
                .rev()
                .fold(thens[1].to_owned(), |rest, (_, _, text)| format!(r#"{{{text}, "else": {rest}}}"#));
            let all = compiled(&format!(r#"{{{around}"allOf": [{}]}}"#, side_by_side.join(", ")));
            let chained = compiled(&format!("{{{around}{}", &chain[1..]));
            let (all, chained) = (loaded(&all), loaded(&chained));
            let deferred = format!(
                r##"{{{around}"allOf": [{{"$ref": "#/$defs/c/else"}}], "$defs": {{"c": {{"else": {chain}}}}}}}"##
            );
            let deferred = compiled(&deferred);
            let deferred = loaded(&deferred);
            for (at, instance) in instances.iter().enumerate() {
                let expected = parts.iter().all(|&(condition, then, _)| !held[condition][at] || checked[then][at]);
                assert_eq!(valid(&all, instance), base[at] && expected, "{around} {side_by_side:?} {instance}");
                let first = parts.iter().find(|(condition, _, _)| held[*condition][at]);
                let expected = base[at] && first.map_or(checked[1][at], |&(_, then, _)| checked[then][at]);
                assert_eq!(valid(&chained, instance), expected, "{around} {chain} {instance}");
                assert_eq!(valid(&deferred, instance), expected, "{around} {chain} {instance}");
            }
        }
    }
}

/// What a condition looks at counts as evaluated where it holds, and not where it does not.
#[test]
fn conditions_evaluate_what_they_look_at() {
    let condition = r#""if": {"properties": {"k": {"const": "a"}}, "required": ["k"]}, "then": {"properties": {"n": {}}}, "else": {"properties": {"x": {}}}"#;
    for (schema, k_too) in [
        (format!(r#"{{{condition}, "unevaluatedProperties": false}}"#), false),
        (format!(r#"{{"allOf": [{{{condition}}}], "unevaluatedProperties": false}}"#), false),
        (
            format!(r##"{{"$ref": "#/$defs/c", "$defs": {{"c": {{{condition}}}}}, "unevaluatedProperties": false}}"##),
            false,
        ),
        (
            format!(
                r##"{{"type": "object", "properties": {{"y": {{}}}}, "$ref": "#/$defs/c", "$defs": {{"c": {{{condition}}}}}, "unevaluatedProperties": false}}"##
            ),
            false,
        ),
        (format!(r#"{{"type": "object", "required": ["k"], {condition}, "unevaluatedProperties": false}}"#), false),
        (format!(r#"{{"properties": {{"k": {{}}}}, {condition}, "unevaluatedProperties": false}}"#), true),
    ] {
        let bytes = compiled(&schema);
        let program = loaded(&bytes);
        for (instance, expected) in [
            (r#"{"k": "a"}"#, true),
            (r#"{"n": 1, "k": "a"}"#, true),
            (r#"{"k": "a", "x": 1}"#, false),
            (r#"{"k": "b"}"#, k_too),
            (r#"{"x": 1, "k": "b"}"#, k_too),
            (r#"{"k": "b", "n": 1}"#, false),
        ] {
            assert_eq!(valid(&program, instance), expected, "{schema} {instance}");
        }
    }
}

/// `anyOf` and `oneOf` of names that must be there.
#[test]
fn branches_that_require_names_mean_what_each_means() {
    let branches = [
        r#"{"required": ["k"]}"#,
        r#"{"required": ["n", "x"]}"#,
        r#"{"required": ["x"]}"#,
        r#"{"required": ["k", "n"]}"#,
        r#"{"required": ["k", "z"]}"#,
    ];
    let instances = instances();
    let alone = verdicts(&branches, &instances);
    for around in [
        r#""type": "object", "properties": {"k": {}, "n": {"type": "integer"}}"#,
        r#""type": ["object", "string"], "properties": {"k": {}}"#,
        r#""type": "object", "properties": {"k": {}, "n": {}, "x": {}}, "additionalProperties": false, "allOf": [{"anyOf": [{"maxProperties": 2}, {"minProperties": 3}]}]"#,
        r#""type": "object", "required": ["x"], "not": {"required": ["n"]}"#,
        r#""type": "object", "properties": {"k": {}}, "if": {"properties": {"k": {"const": "a"}}, "required": ["k"]}, "then": {"required": ["z"]}"#,
        r#""properties": {"k": {}}"#,
        r#""type": "object", "properties": {"x": {"type": ["integer", "object"], "required": ["k"], "properties": {"k": {"const": "a"}}}}, "if": {"properties": {"k": {"const": "a"}}}, "then": {"properties": {"x": {}}}"#,
    ] {
        let base = &verdicts(&[&format!("{{{around}}}")], &instances)[0];
        for choice in choices(branches.len()) {
            let texts: Vec<&str> = choice.iter().map(|&branch| branches[branch]).collect();
            for keyword in ["anyOf", "oneOf"] {
                let schema = format!(r#"{{{around}, "{keyword}": [{}]}}"#, texts.join(", "));
                let bytes = compiled(&schema);
                let program = loaded(&bytes);
                for (at, instance) in instances.iter().enumerate() {
                    let held = choice.iter().filter(|&&branch| alone[branch][at]).count();
                    let holds = if keyword == "anyOf" { held > 0 } else { held == 1 };
                    assert_eq!(valid(&program, instance), base[at] && holds, "{schema} {instance}");
                }
            }
        }
    }
}

/// Within one resource a dynamic reference is a reference.
#[test]
fn a_dynamic_reference_in_one_resource() {
    let tree = |reference: &str| {
        compiled(&format!(
            r##"{{"$dynamicAnchor": "n", "oneOf": [{{"type": "object", "properties": {{"c": {{"type": "array", "items": {reference}}}}}, "required": ["c"]}}, {{"type": "integer"}}]}}"##
        ))
    };
    let (dynamic, fixed) = (tree(r##"{"$dynamicRef": "#n"}"##), tree(r##"{"$ref": "#"}"##));
    assert_eq!(dynamic, fixed);
    let dynamic = loaded(&dynamic);
    assert!(valid(&dynamic, r#"{"c": [1, {"c": [2]}]}"#));
    assert!(!valid(&dynamic, r#"{"c": [1, {"c": ["x"]}]}"#));
}

/// The branch that alone can be meant says what is wrong.
#[test]
fn the_branch_that_is_meant_reports() {
    let filter = r##"{"anyOf": [
        {"type": "object", "properties": {"property": {"type": "string"}, "value": {"type": "integer"}}, "required": ["property"], "additionalProperties": false},
        {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#"}}}, "required": ["and"], "additionalProperties": false},
        {"type": "object", "properties": {"or": {"type": "array", "items": {"$ref": "#"}}}, "required": ["or"], "additionalProperties": false}
    ]}"##;
    let partly = r#"{"oneOf": [
        {"type": "object", "properties": {"k": {"enum": ["a", "b"]}, "n": {"type": "integer"}}, "required": ["k"]},
        {"type": "object", "properties": {"k": {"const": "c"}, "n": {"type": "string"}}, "required": ["k"]}
    ]}"#;
    let conditions = r#"{"if": {"properties": {"k": {"const": "a"}}}, "then": {"required": ["n"]}, "else": {"if": {"properties": {"k": {"const": "b"}}}, "then": {"properties": {"n": {"type": "integer"}}}}}"#;
    for (schema, instance, expected) in [
        (filter, r#"{"property": 1}"#, "/property type"),
        (filter, r#"{"and": [{"or": [{"property": "p", "value": "x"}]}]}"#, "/and/0/or/0/value type"),
        (filter, r#"{"or": [], "and": []}"#, "/and additionalProperties"),
        (partly, r#"{"k": "b", "n": "x"}"#, "/n type"),
        (partly, r#"{"k": "d"}"#, "/k oneOf"),
        (partly, r#"{"n": 1}"#, "/k required"),
        (conditions, r#"{"k": "a"}"#, "/n required"),
        (conditions, r#"{"k": "b", "n": "x"}"#, "/n type"),
    ] {
        let bytes = compiled(schema);
        let program = loaded(&bytes);
        let mut issues = Issues::<4>::new();
        assert_eq!(program.validate(instance.as_bytes(), &mut issues), Ok(false), "{schema} {instance}");
        let found: Vec<String> = issues
            .iter()
            .map(|issue| {
                let described = issue.describe(&program, instance.as_bytes());
                format!("{} {}", described.pointer(), described.keyword())
            })
            .collect();
        assert_eq!(found, [expected], "{schema} {instance}");
    }
}
