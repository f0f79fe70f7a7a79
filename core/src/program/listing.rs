//! A program made readable: one line an instruction. For people; nothing else needs it, so nothing links it unasked.

use super::Program;
use super::code::{Code, Table};
use super::op::{Op, Why, array, discriminator, group, mask};
use super::walk::{self, Part};
use crate::format::Format;
use crate::issue::write_number;
use crate::text::Text;
use core::fmt::{self, Write};

/// `Display` gives a listing:
///
/// ```
/// # use core::fmt::Write;
/// let mut arena = [0; 1024];
/// let schema = br#"{"type": "object", "properties": {"level": {"type": "integer", "maximum": 10}}, "required": ["level"]}"#;
/// let program = microschema::compile(schema, &mut arena)?;
/// # let mut text = heapless::String::<256>::new();
/// # write!(text, "{program}").unwrap();
/// assert_eq!(text, r#"@10 integer
///   12 Maximum 10
/// @17 object
///   19 Object {"level": @10} required "level"
/// root @17
/// "#);
/// # Ok::<(), microschema::SchemaError>(())
/// ```
///
/// `@10` is the node at byte 10 of the image, `12` the instruction at byte 12; the words are those of `core/ARCHITECTURE.md`. A set of
/// types stands for a schema that is nothing else: `any`, `never`, `string|null`.
impl fmt::Display for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines =
            Lines { code: self.code(), pc: 0, out: f, table: Table::EMPTY, entries: 0, bits: 0, in_table: false };
        let mut result = Ok(());
        let mut first = true;
        let end = walk::nodes(self.code(), |part, value, bytes| {
            if result.is_ok() {
                let starts_line = matches!(part, Part::Node | Part::Instruction);
                if starts_line {
                    result = lines.close();
                    if !first {
                        result = result.and_then(|()| lines.out.write_char('\n'));
                    }
                    first = false;
                }
                result = result.and_then(|()| lines.part(part, value, bytes));
            }
        });
        result?;
        lines.close()?;
        if !first {
            lines.out.write_char('\n')?;
        }
        if let Err(at) = end {
            f.write_str("malformed at ")?;
            write_number(f, at as u32)?;
            f.write_char('\n')?;
        }
        f.write_str("root ")?;
        reference(f, self.root())?;
        f.write_char('\n')
    }
}

struct Lines<'p, 'f> {
    code: Code<'p>,
    /// The instruction at hand.
    pc: usize,
    out: &'f mut dyn Write,
    table: Table,
    /// Entries of the table that were written.
    entries: u32,
    /// Entries that bits were seen for.
    bits: u32,
    in_table: bool,
}

impl Lines<'_, '_> {
    /// Writes the bracket that a table lacks.
    fn close(&mut self) -> fmt::Result {
        if core::mem::take(&mut self.in_table) { self.out.write_char('}') } else { Ok(()) }
    }

    fn part(&mut self, part: Part, value: u32, bytes: &[u8]) -> fmt::Result {
        let code = self.code;
        let at = value as usize;
        match part {
            Part::Entry => {
                self.out.write_str(if self.entries == 0 { "" } else { ", " })?;
                self.entries += 1;
                return match (Op::of(code.byte(self.pc)), core::str::from_utf8(bytes)) {
                    (Some(Op::ValueEnum | Op::ValueConst), Ok(json)) => self.out.write_str(json),
                    _ => quoted(self.out, bytes),
                };
            }
            Part::Property | Part::Branch => {
                self.out.write_str(": ")?;
                return reference(self.out, value);
            }
            _ => self.close()?,
        }
        match part {
            Part::Node => {
                self.out.write_char('@')?;
                write_number(self.out, value)?;
                let second = code.byte(at + 1);
                if second == group::LINK {
                    return Ok(());
                }
                self.out.write_char(' ')?;
                types(self.out, code.byte(at))?;
                self.out.write_str(match Why::of(second) {
                    Why::Type => "",
                    Why::Enum => " (enum)",
                    Why::Const => " (const)",
                    Why::AnyOf => " (anyOf)",
                    Why::OneOf => " (oneOf)",
                    Why::AllOf => " (allOf)",
                })
            }
            Part::Instruction => {
                self.pc = at;
                self.out.write_str("  ")?;
                write_number(self.out, value)?;
                self.out.write_char(' ')?;
                self.out.write_str(Op::of(code.byte(at)).map_or("?", Op::name))
            }
            Part::Table => {
                (self.table, self.entries, self.bits, self.in_table) = (Table::read(code, at), 0, 0, true);
                self.out.write_str(" {")
            }
            Part::Required => {
                let bits = code.varint64(&mut { at });
                if self.bits == 0 {
                    self.out.write_str(" required")?;
                }
                for bit in (0..64).filter(|bit| bits >> bit & 1 != 0) {
                    self.out.write_char(' ')?;
                    self.name(self.bits.saturating_add(bit))?;
                }
                self.bits = self.bits.saturating_add(64);
                Ok(())
            }
            Part::Seen | Part::Passed => {
                self.out.write_str(if part == Part::Seen { " seen" } else { " passed" })?;
                let bits = code.varint64(&mut { at });
                (0..64).filter(|bit| bits >> bit & 1 != 0).try_for_each(|bit| {
                    self.out.write_char(' ')?;
                    write_number(self.out, bit)
                })
            }
            Part::Number => {
                self.out.write_char(' ')?;
                code.number(at).map_or(Ok(()), |(number, _)| number.write(self.out))
            }
            Part::Format => {
                self.out.write_char(' ')?;
                self.out.write_str(Format::from_code(value as u8).map_or("?", Format::name))
            }
            Part::Pattern => {
                self.out.write_str(" pattern of ")?;
                write_number(self.out, bytes.len() as u32)?;
                self.out.write_str(" bytes")
            }
            Part::Text => {
                self.out.write_char(' ')?;
                quoted(self.out, bytes)
            }
            Part::Flags if Op::of(code.byte(self.pc)) == Some(Op::Array) && value as u8 & array::UNIQUE != 0 => {
                self.out.write_str(" unique")
            }
            Part::Flags => Ok(()),
            Part::Discriminates => self.out.write_str(match value as u8 {
                discriminator::ANY_OF => " anyOf",
                discriminator::ONE_OF => " oneOf",
                discriminator::IF => " if",
                _ => " first",
            }),
            Part::Trigger | Part::Wanted => {
                self.out.write_str(if part == Part::Trigger { " dependent " } else { " on " })?;
                self.name(value)
            }
            Part::MaxContains => match value.checked_sub(1) {
                Some(most) => {
                    self.out.write_str(" to ")?;
                    write_number(self.out, most)
                }
                None => self.out.write_str(" or more"),
            },
            _ => {
                self.out.write_str(label(part))?;
                if part.is_schema() { reference(self.out, value) } else { write_number(self.out, value) }
            }
        }
    }

    /// The name of an entry of the table.
    fn name(&mut self, index: u32) -> fmt::Result {
        match self.table.iter(self.code).nth(index as usize) {
            Some(entry) => quoted(self.out, entry.name),
            None => write_number(self.out, index),
        }
    }
}

/// What stands before a reference or a number.
const fn label(part: Part) -> &'static str {
    match part {
        Part::Link => " = ",
        Part::Then => " then ",
        Part::Else => " else ",
        Part::NoObject => " no object ",
        Part::Missing => " missing ",
        Part::Otherwise => " else ",
        Part::Dependent => " on ",
        Part::Candidate => ": ",
        Part::Additional => " additional ",
        Part::PropertyName => " names ",
        Part::PatternProperty => ": ",
        Part::Prefix => " prefix ",
        Part::Items => " items ",
        Part::Contains => " contains ",
        Part::UnevaluatedProperties => " properties ",
        Part::UnevaluatedItems => " items ",
        Part::Min => " min ",
        Part::Max => " max ",
        Part::MinContains => " times ",
        Part::Resource => " resource ",
        _ => " ",
    }
}

fn reference(out: &mut dyn Write, reference: u32) -> fmt::Result {
    match walk::target(reference) {
        Some(node) => {
            out.write_char('@')?;
            write_number(out, node as u32)
        }
        None => types(out, reference as u8),
    }
}

fn types(out: &mut dyn Write, types: u8) -> fmt::Result {
    const NAMES: [(u8, u8, &str); 10] = [
        (mask::NULL, mask::NULL, "null"),
        (mask::BOOLEAN, mask::BOOLEAN, "boolean"),
        (mask::BOOLEAN, mask::FALSE, "false"),
        (mask::BOOLEAN, mask::TRUE, "true"),
        (mask::NUMBER, mask::NUMBER, "number"),
        (mask::NUMBER, mask::INTEGER, "integer"),
        (mask::NUMBER, mask::FRACTION, "fraction"),
        (mask::STRING, mask::STRING, "string"),
        (mask::ARRAY, mask::ARRAY, "array"),
        (mask::OBJECT, mask::OBJECT, "object"),
    ];
    match types {
        0 => return out.write_str("never"),
        mask::ALL => return out.write_str("any"),
        _ => {}
    }
    let mut separator = "";
    for (_, _, name) in NAMES.iter().filter(|(of, wanted, _)| types & of == *wanted) {
        out.write_str(separator)?;
        out.write_str(name)?;
        separator = "|";
    }
    Ok(())
}

fn quoted(out: &mut dyn Write, text: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for code in Text::json(text, false).chars() {
        match char::from_u32(code) {
            Some(quote @ ('"' | '\\')) => {
                out.write_char('\\')?;
                out.write_char(quote)?;
            }
            // A listing has its own lines.
            Some('\n') => out.write_str("\\n")?,
            Some(control) if control.is_control() => out.write_char(' ')?,
            other => out.write_char(other.unwrap_or(char::REPLACEMENT_CHARACTER))?,
        }
    }
    out.write_char('"')
}
