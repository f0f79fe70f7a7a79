//! Images that were altered are refused, or run within all limits.

use super::op::Op;
use super::{HEADER, Program, ProgramError};
use crate::{Error, Issues, Limits, Options, hash};
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

/// Schemas that together need every instruction, and every part of those that have parts.
const SCHEMAS: &[&str] = &[
    "true",
    "{}",
    r#"{"type":"string"}"#,
    r#"{"type":["integer","null"]}"#,
    r#"{"minimum":-1.5,"maximum":1e300}"#,
    r#"{"exclusiveMinimum":0,"exclusiveMaximum":123456789012345678901234567890}"#,
    r#"{"multipleOf":0.01}"#,
    r#"{"multipleOf":123456789012345678901234567890.5}"#,
    r#"{"minLength":2,"maxLength":300}"#,
    r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer","minimum":1,"exclusiveMinimum":true}"#,
    r#"{"enum":["a","b","c"]}"#,
    r#"{"enum":["a","b","c","d","e","f","g","h","i","j","k"]}"#,
    r#"{"enum":["a",1,null,true,[1,{"a":2}],{"b":[]}]}"#,
    r#"{"enum":[1,2,3.5,4,5,6,7,8,9,10,11]}"#,
    r#"{"const":{"a":1,"b":[2,3]}}"#,
    r#"{"const":"a"}"#,
    r#"{"enum":[]}"#,
    r#"{"not":{"type":"null"}}"#,
    r#"{"allOf":[{"type":"string"},{"enum":[1]}]}"#,
    r#"{"items":{"type":"number"},"minItems":1,"maxItems":3,"uniqueItems":true}"#,
    r#"{"prefixItems":[{"type":"number"},{"type":"string","minLength":1}],"items":false}"#,
    r#"{"contains":{"const":1},"minContains":2,"maxContains":3}"#,
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"number"}],"additionalItems":{"maximum":2}}"#,
    r#"{"properties":{"a":{"type":"string"},"b":{"minimum":2}},"required":["a","c"],"additionalProperties":false}"#,
    r#"{"properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{},"i":{"type":"null"},"j":false},"required":["j"]}"#,
    r#"{"minProperties":1,"maxProperties":2,"propertyNames":{"maxLength":2}}"#,
    r#"{"dependentRequired":{"a":["b","c"]},"dependentSchemas":{"b":{"required":["d"]}}}"#,
    r#"{"additionalProperties":{"type":"integer"}}"#,
    r#"{"anyOf":[{"type":"string"},{"type":"integer","minimum":3}]}"#,
    r#"{"anyOf":[{"minimum":3},{"maxLength":3},{"required":["a"]}]}"#,
    r#"{"oneOf":[{"multipleOf":2},{"multipleOf":3},{"type":"null"}]}"#,
    r#"{"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k"],"type":"object"},
        {"properties":{"k":{"enum":["b","c"]}},"required":["k"],"type":"object"}]}"#,
    r#"{"if":{"type":"object"},"then":{"required":["a"]},"else":{"minimum":1}}"#,
    r#"{"if":{"properties":{"k":{"anyOf":[{"const":"a"},{"enum":["a","b"]}]}},"required":["k"]},"then":{"required":["x"]}}"#,
    r##"{"properties":{"a":{"$ref":"#"},"b":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}"##,
    r##"{"$defs":{"e":{"anyOf":[{"type":"null"},{"properties":{"a":{"$ref":"#/$defs/e"}},"required":["a"]}]}},"$ref":"#/$defs/e"}"##,
    r##"{"$defs":{"n":{"type":"object"}},"allOf":[{"$ref":"#/$defs/n"},{"minProperties":1}],"properties":{"a":{"$ref":"#/$defs/n"}}}"##,
    r#"{"allOf":[{"properties":{"a":{"type":"integer"}}}],"unevaluatedProperties":false,"properties":{"b":true}}"#,
    r#"{"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":{"type":"number"}}"#,
    r##"{"$id":"http://x/r","$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"},"b":{"$ref":"s"}},
        "$defs":{"s":{"$id":"s","$dynamicAnchor":"n","properties":{"c":{"$dynamicRef":"#n"}},"required":["c"]}}}"##,
    #[cfg(feature = "regex")]
    r#"{"pattern":"^[a-z][a-z0-9_]{0,31}$"}"#,
    #[cfg(feature = "regex")]
    r#"{"pattern":"^(?=.*[0-9])(?!ab|c$).{6,}$"}"#,
    r#"{"pattern":"a(?=b+c)|(?<!d)x*é\\b"}"#,
    #[cfg(feature = "regex")]
    r#"{"patternProperties":{"^a":{"type":"string"},"(ab|c){2,5}$":false},"additionalProperties":{"type":"null"}}"#,
    #[cfg(feature = "formats")]
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","contentEncoding":"base64","contentMediaType":"application/json"}"#,
    #[cfg(feature = "formats")]
    r#"{"format":"date-time"}"#,
    #[cfg(feature = "formats")]
    r#"{"properties":{"a":{"format":"ipv4"},"b":{"type":"string","format":"uri"}}}"#,
];

const INSTANCES: &[&str] = &[
    "null",
    "true",
    "7",
    "-1.25e2",
    "123456789012345678901234567890",
    r#""a""#,
    r#""abcd\u00e9""#,
    r#"[1,"a",1,{"a":1}]"#,
    r#"{"a":1,"b":"x","c":{"a":{"a":null}},"d":[],"é":0}"#,
    r#"{"k":"b","x":"y"}"#,
    r#"{"a":{"b":[{"c":{}}]},"b":[1,[2]],"j":1}"#,
];

fn program(schema: &str, arena: &mut [u8]) -> Vec<u8> {
    match Options::new().compile(schema.as_bytes(), arena) {
        Ok(program) => program.as_bytes().to_vec(),
        Err(error) => panic!("{schema}: {error}"),
    }
}

/// Makes the checksum right.
fn sign(image: &mut [u8]) {
    let checksum = hash::bytes(&image[HEADER - 4..]);
    image[2..6].copy_from_slice(&checksum.to_le_bytes());
}

/// Runs everything that reads a program. Panics are what it looks for.
fn exercise(program: Program<'_>) -> Vec<Result<bool, Error>> {
    let _ = (format!("{program}"), program.stats());
    let limits = Limits::device().with_steps(20_000);
    INSTANCES
        .iter()
        .map(|instance| {
            let instance = instance.as_bytes();
            let validator = program.validator().limits(limits);
            let mut issues = Issues::<3>::new();
            let verdict = validator.validate(instance, &mut issues);
            let _ = validator.is_valid(instance);
            for issue in issues.iter() {
                let _ = format!("{}", issue.describe(&program, instance).show_value(5));
            }
            verdict
        })
        .collect()
}

#[test]
fn what_the_compiler_writes_passes() {
    let mut arena = vec![0; 1 << 14];
    for schema in SCHEMAS {
        let image = program(schema, &mut arena);
        let loaded = Program::from_bytes(&image).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!(exercise(loaded), exercise(Program::trusted(&image)), "{schema}");
    }
}

#[test]
fn altered_images_are_refused_or_run_within_limits() {
    let mut arena = vec![0; 1 << 14];
    let (mut refused, mut ran) = (0, 0);
    for schema in SCHEMAS {
        let image = program(schema, &mut arena);
        for at in 0..image.len() {
            let byte = image[at];
            let flips = (0..8).map(|bit| byte ^ 1 << bit);
            for value in flips.chain([0, 0xFF, byte.wrapping_add(1), byte.wrapping_sub(1)]) {
                let mut altered = image.clone();
                altered[at] = value;
                if altered == image {
                    continue;
                }
                if !(2..6).contains(&at) {
                    assert!(Program::from_bytes(&altered).is_err(), "{schema}: byte {at}");
                    sign(&mut altered);
                }
                match Program::from_bytes(&altered) {
                    Ok(program) => {
                        ran += 1;
                        exercise(program);
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    std::println!("{refused} refused, {ran} ran");
    assert!(refused > ran, "{refused} refused, {ran} ran");
}

#[test]
fn shortened_and_lengthened_images_are_refused() {
    let mut arena = vec![0; 1 << 14];
    for schema in SCHEMAS {
        let image = program(schema, &mut arena);
        for len in 0..image.len() {
            let mut short = image[..len].to_vec();
            assert!(Program::from_bytes(&short).is_err(), "{schema}: {len}");
            if len >= HEADER + super::PAD {
                sign(&mut short);
                assert!(matches!(Program::from_bytes(&short), Err(ProgramError::Malformed { .. })), "{schema}: {len}");
            }
        }
        for more in [&[0][..], &[0xFF, 0x10], &[0xFF, 0xFF, 0]] {
            let mut long = image.clone();
            long.extend(more);
            sign(&mut long);
            assert!(Program::from_bytes(&long).is_err(), "{schema}: {more:?}");
        }
    }
}

#[test]
fn every_kind_of_damage_has_its_name() {
    let image = program(r#"{"type":"string","minLength":3}"#, &mut vec![0; 1 << 12]);
    let refusal = |change: &dyn Fn(&mut Vec<u8>), signed: bool| {
        let mut image = image.clone();
        change(&mut image);
        if signed {
            sign(&mut image);
        }
        Program::from_bytes(&image).map(|_| ())
    };
    assert_eq!(refusal(&|_| {}, false), Ok(()));
    assert_eq!(refusal(&Vec::clear, false), Err(ProgramError::NotAProgram));
    assert_eq!(refusal(&|image| image[0] = b'{', false), Err(ProgramError::NotAProgram));
    assert_eq!(refusal(&|image| image[1] = 99, false), Err(ProgramError::Version { found: 99 }));
    assert_eq!(refusal(&|image| image[HEADER] ^= 1, false), Err(ProgramError::Checksum));
    // The root leads into the middle of a node.
    assert_eq!(refusal(&|image| image[7] += 1, true), Err(ProgramError::Malformed { at: HEADER - 3 }));
    // No such operation.
    assert_eq!(refusal(&|image| image[HEADER + 2] = 0x80 | 99, true), Err(ProgramError::Malformed { at: HEADER + 2 }));
    // An operation that is not for strings.
    assert_eq!(refusal(&|image| image[HEADER + 2] = 0x80 | 26, true), Err(ProgramError::Malformed { at: HEADER + 2 }));
}

/// The features of a build decide what it can run, wherever the program was made.
#[test]
fn what_the_build_leaves_out_is_refused() {
    let format = |format: crate::format::Format| {
        let image = image(0, HEADER, &[&[0x20, 2, 0x80 | 9, format.code()]]);
        Program::from_bytes(&image).map(|_| ())
    };
    for (name, built) in [("idn-hostname", cfg!(feature = "idn")), ("date", cfg!(feature = "formats"))] {
        let expected = if built { Ok(()) } else { Err(ProgramError::Unsupported { at: HEADER + 2 }) };
        assert_eq!(format(crate::format::Format::from_name(name.as_bytes()).unwrap()), expected, "{name}");
    }
}

/// A program from its nodes; the root is the last one that `root` gives the offset of.
fn image(flags: u8, root: usize, nodes: &[&[u8]]) -> Vec<u8> {
    let mut image = vec![super::MAGIC, super::VERSION, 0, 0, 0, 0];
    image.extend((u32::from(flags) | ((root as u32) + 256) << 8).to_le_bytes());
    nodes.iter().for_each(|node| image.extend(*node));
    image.extend([0; super::PAD]);
    sign(&mut image);
    image
}

/// No schema is nothing but the type of numbers that are no integers, and the machine knows none.
#[test]
fn fractions_alone_are_no_reference() {
    let verified = |image: &[u8]| Program::from_bytes(image).map(|_| ());
    for mask in 0..=255 {
        let is_refused = mask & 0x18 == 0x10;
        let mut root = image(0, HEADER, &[]);
        root[HEADER - 3..HEADER].copy_from_slice(&[mask, 0, 0]);
        sign(&mut root);
        let expected = if is_refused { Err(ProgramError::Malformed { at: HEADER - 3 }) } else { Ok(()) };
        assert_eq!(verified(&root), expected, "root {mask:#04x}");
        let expected = if is_refused { Err(ProgramError::Malformed { at: HEADER }) } else { Ok(()) };
        assert_eq!(verified(&image(0, HEADER, &[&[mask, 0xFF, mask, 0, 0, 0]])), expected, "link {mask:#04x}");
        let expected = if is_refused { Err(ProgramError::Malformed { at: HEADER + 2 }) } else { Ok(()) };
        let mut array = vec![0x40, 0x04, 0x80 | 12, 8, mask];
        if mask >= 0x80 {
            array.push(1);
        }
        assert_eq!(verified(&image(0, HEADER, &[&array])), expected, "items {mask:#04x}");
    }
    // A node can say so, and is understood.
    let node = image(0, HEADER, &[&[0x10, 0]]);
    let program = Program::from_bytes(&node).unwrap();
    for (number, expected) in [("1", false), ("1.0", false), ("0.5", true), ("1e-999", true), ("1e999", false)] {
        assert_eq!(program.is_valid(number.as_bytes()), Ok(expected), "{number}");
    }
}

/// `allOf` of one reference.
fn all_of(target: usize) -> Vec<u8> {
    let reference = target + 256;
    vec![0xFF, 0x10, 0x80 | 14, 1, 0x80 | (reference & 0x7F) as u8, (reference >> 7) as u8]
}

fn link(target: usize) -> Vec<u8> {
    let mut node = vec![0xFF, 0xFF];
    node.extend((target as u32 + 256).to_le_bytes());
    node
}

#[test]
fn cycles_in_place_are_refused() {
    let malformed = |image: &[u8]| matches!(Program::from_bytes(image), Err(ProgramError::Malformed { .. }));
    // 10: link, 16: allOf of the link.
    assert!(malformed(&image(0, 16, &[&link(16), &all_of(10)])));
    assert!(malformed(&image(0, 10, &[&link(10)])));
    assert!(malformed(&image(0, 10, &[&link(16), &link(10)])));
    // Links that end.
    assert_eq!(Program::from_bytes(&image(0, 10, &[&link(16), &link(22), &[0x20, 0]])).map(|_| ()), Ok(()));
    let array = [0x40, 0x04, 0x80 | 12, 8, 0x8A, 2];
    assert_eq!(Program::from_bytes(&image(0, 22, &[&link(16), &array, &all_of(16)])).map(|_| ()), Ok(()));
    // References may not lead forwards, but through links.
    assert!(malformed(&image(0, 10, &[&all_of(16), &[0x20, 0]])));
}

/// However many entries a table claims to have: that takes no time.
#[test]
fn an_index_is_no_longer_than_the_program() {
    for count in [17_u32, 1 << 16, 1 << 24, u32::MAX >> 1] {
        let mut node = vec![0x20, 0x02, 0x80 | Op::StringEnum as u8];
        let mut rest = count << 1;
        while rest >= 0x80 {
            node.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        node.extend([rest as u8, 3, 2, 0, b'a']);
        let loaded = Program::from_bytes(&image(0, HEADER, &[&node])).map(|_| ());
        assert!(matches!(loaded, Err(ProgramError::Malformed { .. })), "{count}: {loaded:?}");
    }
}

#[test]
fn required_names_are_those_of_the_table_beside_them() {
    // An enum with a table for strings; for objects, either what there is to count or what must be there of no table.
    let node = |flag: u8| [0xFF, 0x0A, 6, 0x8A, 2, 3, 2, 0, b'a', 0x8D, flag, 1];
    assert_eq!(Program::from_bytes(&image(0, 10, &[&node(0x20)])).map(|_| ()), Ok(()));
    assert_eq!(Program::from_bytes(&image(0, 10, &[&node(2)])).map(|_| ()), Err(ProgramError::Malformed { at: 19 }));
}

#[test]
fn references_are_checked_beyond_the_first_window() {
    let mut arena = vec![0; 1 << 20];
    let properties: Vec<String> =
        (0..600).map(|i| format!(r#""property{i}":{{"minLength":{i},"maxLength":{}}}"#, i + 5)).collect();
    let schema = format!(r#"{{"properties":{{{}}}}}"#, properties.join(","));
    let image = program(&schema, &mut arena);
    assert!(image.len() > 5 * 2048);
    assert!(Program::from_bytes(&image).is_ok());
    // Every reference is wrong when the nodes move by a byte: the first one does, with a byte more in its varint.
    let root = u32::from_le_bytes(image[6..10].try_into().unwrap()) >> 8;
    let table = root as usize - 256;
    let mut found = 0;
    for at in table + 8..image.len() {
        let mut altered = image.clone();
        altered[at] ^= 1;
        sign(&mut altered);
        found += usize::from(Program::from_bytes(&altered).is_ok());
        if at > table + 400 {
            break;
        }
    }
    assert_eq!(found, 0, "each byte of the index and the table counts");
}

/// Listing and depth of a program.
fn listed(schema: &str) -> (String, Option<u32>) {
    let mut arena = vec![0; 1 << 14];
    let image = program(schema, &mut arena);
    let program = Program::trusted(&image);
    let stats = program.stats();
    assert_eq!(stats.bytes, image.len());
    let listing = format!("{program}");
    let lines = |begin: &dyn Fn(&str) -> bool| listing.lines().filter(|line| begin(line)).count() as u32;
    assert_eq!(stats.nodes, lines(&|line| line.starts_with('@')), "{listing}");
    assert_eq!(stats.instructions, lines(&|line| line.starts_with("  ")), "{listing}");
    (listing, stats.depth)
}

#[test]
fn listings_show_every_part() {
    for (schema, listing, depth) in [
        (r#"{"type":["integer","null"]}"#, "root null|integer\n", Some(0)),
        ("false", "root never\n", Some(0)),
        (
            r#"{"enum":["a\"",1,null,true,[1]]}"#,
            "@10 null|true|integer|string|array (enum)\n  13 ValueEnum {1}\n  20 StringEnum {\"a\\\"\"}\n  \
             27 ValueEnum {[1]}\nroot @10\n",
            Some(1),
        ),
        (
            r#"{"properties":{"a":{"minimum":-1.5}},"required":["a","b"],"additionalProperties":false,
                "propertyNames":{"maxLength":3},"minProperties":1,"dependentRequired":{"a":["b"]},
                "dependentSchemas":{"b":{"type":"object","maxProperties":3}}}"#,
            "@10 any\n  12 Minimum -1.5\n@15 any\n  17 MaxLength 3\n@19 object\n  21 Object max 3\n@24 any\n  \
             26 Object {\"a\": @10, \"b\"} required \"a\" \"b\" additional never names @15 min 1 \
             dependent \"a\" on \"b\" dependent \"b\" on @19\nroot @24\n",
            Some(2),
        ),
        (
            r##"{"prefixItems":[{"$ref":"#"}],"contains":{"type":"null"},"maxContains":2,"uniqueItems":true}"##,
            "@10 = @16\n@16 any\n  18 Array unique prefix @10 contains null times 1 to 2\nroot @16\n",
            None,
        ),
        (
            r#"{"if":{"not":{"type":"null"}},"then":{"type":"string"},"unevaluatedItems":false}"#,
            "@10 any\n  12 Not null\n@14 any\n  16 If @10 then string else any\n@22 any\n  \
             24 Unevaluated @14 items never\nroot @22\n",
            Some(3),
        ),
    ] {
        assert_eq!(listed(schema), (String::from(listing), depth), "{schema}");
    }
}

#[test]
fn depth_is_that_of_the_longest_way() {
    let mut defs = String::from(r#""0":{"minimum":1}"#);
    for level in 1..40 {
        // Each level is reached twice, so that there are far more ways than nodes.
        let below = format!(r##"{{"$ref":"#/$defs/{}"}}"##, level - 1);
        defs += &format!(r#","{level}":{{"items":{below},"additionalProperties":{below}}}"#);
        let schema = format!(r##"{{"$ref":"#/$defs/{level}","$defs":{{{defs}}}}}"##);
        assert_eq!(listed(&schema).1, Some(level + 1), "{schema}");
    }
}

/// The example of `ARCHITECTURE.md` is what the compiler makes.
#[test]
fn the_documented_image_is_true() {
    let text = include_str!("../../ARCHITECTURE.md");
    let (_, example) = text.split_once("```json\n").expect("an example");
    let (schema, rest) = example.split_once("\n```").expect("its end");
    let mut blocks = rest.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let image = program(schema, &mut vec![0; 1 << 12]);
    let mut bytes = String::new();
    for line in image.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes += &(line.join(" ") + "\n");
    }
    assert_eq!(blocks.next(), Some(bytes.as_str()));
    assert_eq!(blocks.next(), Some(format!("{}", Program::trusted(&image)).as_str()));
}
