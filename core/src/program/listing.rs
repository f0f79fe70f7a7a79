//! Programs for people: a listing, and the outline that figures are made of. Off a device's way: nothing else uses it.

use super::Program;
use super::op::{Op, mask};
use super::walk::{Operand, Visit, node_of, walk};
use crate::format::Format;
use core::fmt;

/// A part of a program, as [`Program::outline`] gives them. Nodes are named by their offset in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outline {
    /// The node that the whole instance is checked against. `None`: only its type is.
    Root {
        /// The node.
        node: Option<u32>,
    },
    /// A node begins.
    Node {
        /// The node.
        node: u32,
    },
    /// An instruction of the node before.
    Instruction {
        /// Its offset.
        at: u32,
    },
    /// The node before refers to another.
    Reference {
        /// The other.
        to: u32,
    },
}

impl Program<'_> {
    /// Calls `each` for every part of the program, in the order of the image.
    pub fn outline(&self, each: &mut dyn FnMut(Outline)) {
        each(Outline::Root { node: node_of(self.root()) });
        walk(*self, &mut Outliner { each });
    }
}

struct Outliner<'e> {
    each: &'e mut dyn FnMut(Outline),
}

impl Outliner<'_> {
    fn reference(&mut self, reference: u32) {
        if let Some(to) = node_of(reference) {
            (self.each)(Outline::Reference { to });
        }
    }
}

impl Visit<'_> for Outliner<'_> {
    fn node(&mut self, at: usize, _: u8) {
        (self.each)(Outline::Node { node: at as u32 });
    }

    fn link(&mut self, at: usize, reference: u32) {
        (self.each)(Outline::Node { node: at as u32 });
        self.reference(reference);
    }

    fn instruction(&mut self, at: usize, _: Op) {
        (self.each)(Outline::Instruction { at: at as u32 });
    }

    fn operand(&mut self, _: &'static str, operand: Operand<'_>) {
        match operand {
            Operand::Reference(reference) => self.reference(reference),
            Operand::Property { reference: Some(reference), .. } => self.reference(reference),
            _ => {}
        }
    }
}

/// A listing: a line for each node, instruction and operand. For people: its form may change.
impl fmt::Display for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("root ")?;
        write_reference(f, self.root())?;
        let mut listing = Listing { f, result: Ok(()) };
        walk(*self, &mut listing);
        listing.result
    }
}

struct Listing<'f, 'w> {
    f: &'f mut fmt::Formatter<'w>,
    result: fmt::Result,
}

impl Listing<'_, '_> {
    fn line(&mut self, write: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result) {
        if self.result.is_ok() {
            self.result = self.f.write_str("\n").and_then(|()| write(self.f));
        }
    }
}

impl<'p> Visit<'p> for Listing<'_, '_> {
    fn node(&mut self, at: usize, mask: u8) {
        self.line(|f| {
            write!(f, "@{at} ")?;
            write_types(f, mask)
        });
    }

    fn link(&mut self, at: usize, reference: u32) {
        self.line(|f| {
            write!(f, "@{at} as ")?;
            write_reference(f, reference)
        });
    }

    fn instruction(&mut self, at: usize, op: Op) {
        self.line(|f| write!(f, "{at:6}  {op:?}"));
    }

    fn operand(&mut self, label: &'static str, operand: Operand<'p>) {
        self.line(|f| {
            f.write_str("          ")?;
            if !label.is_empty() {
                write!(f, "{label} ")?;
            }
            match operand {
                Operand::Reference(reference) => write_reference(f, reference),
                Operand::Count(count) => write!(f, "{count}"),
                Operand::Number(number) => number.write(f),
                Operand::Text(text) => write_text(f, text),
                Operand::Format(code) => f.write_str(Format::from_code(code).map_or("?", Format::name)),
                Operand::Flag => Ok(()),
                Operand::Property { name, index, required, reference } => {
                    write!(f, "{index} ")?;
                    write_text(f, name)?;
                    if required {
                        f.write_str(" required")?;
                    }
                    match reference {
                        Some(reference) => {
                            f.write_str(" ")?;
                            write_reference(f, reference)
                        }
                        None => Ok(()),
                    }
                }
            }
        });
    }
}

fn write_reference(f: &mut fmt::Formatter<'_>, reference: u32) -> fmt::Result {
    match node_of(reference) {
        Some(node) => write!(f, "@{node}"),
        None => write_types(f, reference as u8),
    }
}

fn write_types(f: &mut fmt::Formatter<'_>, types: u8) -> fmt::Result {
    const NAMES: [(u8, &str); 10] = [
        (mask::NULL, "null"),
        (mask::BOOLEAN, "boolean"),
        (mask::FALSE, "false"),
        (mask::TRUE, "true"),
        (mask::NUMBER, "number"),
        (mask::INTEGER, "integer"),
        (mask::FRACTION, "fraction"),
        (mask::STRING, "string"),
        (mask::ARRAY, "array"),
        (mask::OBJECT, "object"),
    ];
    match types {
        0 => return f.write_str("nothing"),
        mask::ALL => return f.write_str("anything"),
        _ => {}
    }
    let mut left = types;
    let mut separator = "";
    for (bits, name) in NAMES {
        if left & bits == bits {
            f.write_str(separator)?;
            f.write_str(name)?;
            (left, separator) = (left & !bits, "|");
        }
    }
    Ok(())
}

/// A name, a value or a pattern, in quotes; what is not UTF-8 (a value cut in the middle) is replaced.
fn write_text(f: &mut fmt::Formatter<'_>, text: &[u8]) -> fmt::Result {
    f.write_str("`")?;
    for chunk in text.utf8_chunks() {
        write!(f, "{}", chunk.valid().escape_debug())?;
        if !chunk.invalid().is_empty() {
            f.write_str("\u{FFFD}")?;
        }
    }
    f.write_str("`")
}

#[cfg(all(test, feature = "compile", feature = "regex", feature = "formats"))]
mod tests {
    use super::*;
    use std::format;
    use std::string::{String, ToString};
    use std::vec;
    use std::vec::Vec;

    /// Every operation, and every part of those that have parts.
    const SCHEMAS: [&str; 9] = [
        r#"{"type": ["integer", "string"], "minimum": 1, "exclusiveMaximum": 1e400, "multipleOf": 0.5, "minLength": 1, "maxLength": 300}"#,
        r#"{"pattern": "^a\\d+$", "format": "date"}"#,
        r#"{"enum": [1, "a", null, [2], {"b": 3}]}"#,
        r#"{"items": {"const": {"a": 1}}, "prefixItems": [{"minLength": 1}, false], "minItems": 1, "maxItems": 9,
            "contains": {"minimum": 2}, "maxContains": 3, "uniqueItems": true}"#,
        r#"{"properties": {"a": {"minimum": 0}, "b": {}}, "required": ["b", "c"], "additionalProperties": {"maxLength": 9},
            "propertyNames": {"maxLength": 5}, "patternProperties": {"^x": {"type": "null"}, "y$": {"maxItems": 1}},
            "minProperties": 1, "maxProperties": 20, "dependentRequired": {"a": ["c", "d"]},
            "dependentSchemas": {"b": {"minProperties": 2}}}"#,
        r#"{"anyOf": [{"minLength": 3, "maxLength": 4}, {"pattern": "b"}], "not": {"const": "c"},
            "if": {"maxLength": 1}, "then": {"minLength": 1}, "else": {"pattern": "c"}}"#,
        r#"{"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}]}"#,
        r##"{"properties": {"next": {"$ref": "#"}}, "unevaluatedProperties": {"minimum": 5}}"##,
        r##"{"$id": "http://x/a", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "allOf": [{"$ref": "b"}],
            "$defs": {"b": {"$id": "b", "$dynamicAnchor": "n", "type": "array"}}}"##,
    ];

    struct Nothing;

    impl Visit<'_> for Nothing {
        fn node(&mut self, _: usize, _: u8) {}
        fn link(&mut self, _: usize, _: u32) {}
        fn instruction(&mut self, _: usize, _: Op) {}
        fn operand(&mut self, _: &'static str, _: Operand<'_>) {}
    }

    #[test]
    fn walks_end_where_programs_end() {
        let mut wide = String::from("{\"required\": [");
        for index in 0..200 {
            wide += &format!("\"p{}\",", index * 3);
        }
        wide += "\"q\"], \"minProperties\": 3}";
        for schema in SCHEMAS.into_iter().chain([wide.as_str()]) {
            let mut arena = vec![0; 1 << 14];
            let program = crate::compile(schema.as_bytes(), &mut arena).expect(schema);
            assert_eq!(walk(program, &mut Nothing), program.as_bytes().len(), "{schema}\n{program}");
        }
    }

    #[test]
    fn references_lead_to_nodes() {
        for schema in SCHEMAS {
            let mut arena = vec![0; 1 << 14];
            let program = crate::compile(schema.as_bytes(), &mut arena).expect(schema);
            let (mut nodes, mut targets) = (Vec::new(), Vec::new());
            program.outline(&mut |part| match part {
                Outline::Node { node } => nodes.push(node),
                Outline::Reference { to } => targets.push(to),
                Outline::Root { node } => targets.extend(node),
                Outline::Instruction { .. } => {}
            });
            assert!(targets.iter().all(|target| nodes.contains(target)), "{schema}\n{program}");
            assert!(!targets.is_empty(), "{schema}");
        }
    }

    #[test]
    fn lists() {
        let schema = r#"{"type": "object", "properties": {"level": {"type": "integer", "maximum": 10}, "unit": {"enum": ["C", "F"]}}, "required": ["level"]}"#;
        let mut arena = [0; 1024];
        let program = crate::compile(schema.as_bytes(), &mut arena).expect("a program");
        // Without offsets and numbers.
        let listing: String = program.to_string().chars().filter(|c| !c.is_ascii_digit()).collect();
        let lines: Vec<&str> = listing.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "root @",
                "@ integer",
                "Maximum",
                "",
                "@ string",
                "StringEnum",
                "`C`",
                "`F`",
                "@ object",
                "Object",
                "property  `level` required @",
                "property  `unit` @",
            ]
        );
    }
}
