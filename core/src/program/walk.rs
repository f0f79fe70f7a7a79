//! A walk over a whole program in the order of its bytes: nodes, their instructions, what the instructions hold.

use super::code::{Code, Table};
use super::op::{FIRST_NODE, LAST, Op, array, group, object};
use super::{HEADER, Program};
use crate::machine::run_start;
use crate::number::Number;

/// What an instruction holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'p> {
    /// A schema: a set of types, or a node.
    Reference(u32),
    /// A bound, a count, an index.
    Count(u32),
    /// A number.
    Number(Number<'p>),
    /// A text: a name, a pattern, a value.
    Text(&'p [u8]),
    /// The code of a format.
    Format(u8),
    /// Nothing more.
    Flag,
    /// A declared name: its number in the table, whether it is required, its schema.
    Property { name: &'p [u8], index: u32, required: bool, reference: Option<u32> },
}

/// Is told what is there.
pub(crate) trait Visit<'p> {
    /// A node begins. Its instructions follow.
    fn node(&mut self, at: usize, mask: u8);
    /// A node that stands for another.
    fn link(&mut self, at: usize, reference: u32);
    /// An instruction of the node begins. What it holds follows.
    fn instruction(&mut self, at: usize, op: Op);
    /// Something that the instruction holds.
    fn operand(&mut self, label: &'static str, operand: Operand<'p>);
}

/// Walks over a program and gives the offset where that ends: the length of the image, if its structure is sound.
pub(crate) fn walk<'p>(program: Program<'p>, visit: &mut dyn Visit<'p>) -> usize {
    let code = program.code();
    let len = code.bytes().len();
    let mut at = HEADER;
    while at < len {
        let second = code.byte(at + 1);
        if second == group::LINK {
            visit.link(at, code.u32(at + 2));
            at += 6;
            continue;
        }
        visit.node(at, code.byte(at));
        let mut end = at + 2;
        for bit in [group::NUMBER, group::STRING, group::ARRAY, group::OBJECT, group::ANY] {
            if second & bit != 0 {
                end = run(code, run_start(code, at, second, bit), visit);
            }
        }
        if end <= at {
            return usize::MAX;
        }
        at = end;
    }
    at
}

/// The offset of a reference's node.
pub(crate) fn node_of(reference: u32) -> Option<u32> {
    reference.checked_sub(FIRST_NODE)
}

/// The instructions of one run; gives the offset behind them.
fn run<'p>(code: Code<'p>, mut at: usize, visit: &mut dyn Visit<'p>) -> usize {
    while at < code.bytes().len() {
        let byte = code.byte(at);
        let Some(op) = Op::of(byte) else { return usize::MAX };
        visit.instruction(at, op);
        let mut next = at + 1;
        operands(code, op, &mut next, visit);
        if next <= at {
            return usize::MAX;
        }
        at = next;
        if byte & LAST != 0 {
            break;
        }
    }
    at
}

fn operands<'p>(code: Code<'p>, op: Op, at: &mut usize, visit: &mut dyn Visit<'p>) {
    match op {
        Op::Minimum | Op::Maximum | Op::ExclusiveMinimum | Op::ExclusiveMaximum | Op::MultipleOf => {
            match Number::decode(code.bytes(), *at) {
                Some((number, after)) => {
                    visit.operand("", Operand::Number(number));
                    *at = after;
                }
                None => *at = usize::MAX,
            }
        }
        Op::MinLength | Op::MaxLength => visit.operand("", Operand::Count(code.varint(at))),
        Op::Pattern => {
            text(code, at);
            visit.operand("", Operand::Text(text(code, at)));
        }
        Op::Format => {
            visit.operand("", Operand::Format(code.byte(*at)));
            *at += 1;
        }
        Op::StringEnum | Op::ValueEnum | Op::StringConst | Op::ValueConst => {
            let table = Table::read(code, *at);
            for entry in table.iter(code) {
                visit.operand("", Operand::Text(entry.name));
            }
            *at = table.end;
        }
        Op::Array => array_parts(code, at, visit),
        Op::Object => object_parts(code, at, visit),
        Op::AllOf | Op::AnyOf | Op::OneOf => {
            let count = code.varint(at);
            references(code, count, at, "branch", visit);
        }
        Op::Not => reference(code, at, "", visit),
        Op::If => {
            for label in ["if", "then", "else"] {
                reference(code, at, label, visit);
            }
        }
        Op::Unevaluated => {
            reference(code, at, "schema", visit);
            for label in ["properties", "items"] {
                if let Some(rest) = code.varint(at).checked_sub(1) {
                    visit.operand(label, Operand::Reference(rest));
                }
            }
        }
        Op::DynamicRef => {
            reference(code, at, "static", visit);
            for _ in 0..code.varint(at) {
                if *at >= code.bytes().len() {
                    break;
                }
                visit.operand("resource", Operand::Count(code.varint(at)));
                reference(code, at, "dynamic", visit);
            }
        }
        Op::Scope => {
            visit.operand("resource", Operand::Count(code.varint(at)));
            reference(code, at, "schema", visit);
        }
        Op::Discriminator => {
            *at += 1;
            visit.operand("by", Operand::Text(text(code, at)));
            let table = Table::read(code, *at);
            for entry in table.iter(code) {
                let (name, index) = (entry.name, entry.index);
                visit.operand("value", Operand::Property { name, index, required: false, reference: entry.reference });
            }
            *at = table.end;
        }
        Op::PlainInteger => {}
    }
}

fn array_parts<'p>(code: Code<'p>, at: &mut usize, visit: &mut dyn Visit<'p>) {
    let flags = code.byte(*at);
    *at += 1;
    for (flag, label) in [(array::MIN, "minItems"), (array::MAX, "maxItems")] {
        if flags & flag != 0 {
            visit.operand(label, Operand::Count(code.varint(at)));
        }
    }
    if flags & array::PREFIX != 0 {
        let count = code.varint(at);
        references(code, count, at, "prefixItems", visit);
    }
    if flags & array::ITEMS != 0 {
        reference(code, at, "items", visit);
    }
    if flags & array::CONTAINS != 0 {
        reference(code, at, "contains", visit);
        visit.operand("minContains", Operand::Count(code.varint(at)));
        if let Some(most) = code.varint(at).checked_sub(1) {
            visit.operand("maxContains", Operand::Count(most));
        }
    }
    if flags & array::UNIQUE != 0 {
        visit.operand("uniqueItems", Operand::Flag);
    }
}

fn object_parts<'p>(code: Code<'p>, at: &mut usize, visit: &mut dyn Visit<'p>) {
    let flags = code.byte(*at);
    *at += 1;
    let table = if flags & object::TABLE != 0 { Table::read(code, *at) } else { Table::EMPTY };
    if flags & object::TABLE != 0 {
        *at = table.end;
    }
    let mut bits = *at;
    let mut required = 0;
    for (count, entry) in table.iter(code).enumerate() {
        if count % 64 == 0 && flags & object::REQUIRED != 0 {
            required = code.varint64(&mut bits);
        }
        let (name, index) = (entry.name, entry.index);
        let required = required >> (count % 64) & 1 != 0;
        visit.operand("property", Operand::Property { name, index, required, reference: entry.reference });
    }
    *at = bits;
    for (flag, label) in [(object::ADDITIONAL, "additionalProperties"), (object::NAMES, "propertyNames")] {
        if flags & flag != 0 {
            reference(code, at, label, visit);
        }
    }
    if flags & object::PATTERNS != 0 {
        let end = code.length(at).saturating_add(*at);
        while *at < end.min(code.bytes().len()) {
            reference(code, at, "patternProperties", visit);
            text(code, at);
        }
    }
    for (flag, label) in [(object::MIN, "minProperties"), (object::MAX, "maxProperties")] {
        if flags & flag != 0 {
            visit.operand(label, Operand::Count(code.varint(at)));
        }
    }
    if flags & object::DEPENDENT != 0 {
        let end = code.length(at).saturating_add(*at);
        while *at < end.min(code.bytes().len()) {
            visit.operand("dependent on", Operand::Count(code.varint(at)));
            match code.varint(at).checked_sub(1) {
                None => reference(code, at, "schema", visit),
                Some(count) => {
                    for _ in 0..count {
                        if *at >= end {
                            break;
                        }
                        visit.operand("required", Operand::Count(code.varint(at)));
                    }
                }
            }
        }
    }
}

fn reference<'p>(code: Code<'p>, at: &mut usize, label: &'static str, visit: &mut dyn Visit<'p>) {
    visit.operand(label, Operand::Reference(code.varint(at)));
}

fn references<'p>(code: Code<'p>, count: u32, at: &mut usize, label: &'static str, visit: &mut dyn Visit<'p>) {
    for _ in 0..count {
        if *at >= code.bytes().len() {
            return;
        }
        reference(code, at, label, visit);
    }
}

/// A length, and as many bytes.
fn text<'p>(code: Code<'p>, at: &mut usize) -> &'p [u8] {
    let len = code.length(at);
    let text = code.slice(*at, len);
    *at = at.saturating_add(len);
    text
}
