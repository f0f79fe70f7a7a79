//! Conditions that look at nothing but names which the schema around them declares.
//!
//! A schema that does not hold under `if` or `not` is read up to its first failure only, so that a name could come again behind it. The machine
//! then looks for names that occur twice, in the whole instance; unless the object's own pass tells the same names apart anyway.

use super::Compiler;
use crate::machine::run_start;
use crate::program::code::{Code, Table};
use crate::program::op::{FIRST_NODE, LAST, Op, group, object};
use crate::program::walk::{self, Part};

/// Conditions of one schema that are looked at.
const MOST: usize = 8;

impl Compiler<'_, '_> {
    /// Marks the conditions of the node that was just written.
    pub(super) fn mark_declared(&mut self, node: usize) {
        let code = Code::new(self.arena.written());
        let second = code.byte(node + 1);
        if second & group::ALL != group::OBJECT | group::ANY {
            return;
        }
        let Some(declared) = table_of(code, node, true) else {
            return;
        };
        let mut conditions = [(0, 0); MOST];
        let (mut len, mut pc) = (0, 0);
        let _ = walk::node(code, node, &mut |part, value, _| match part {
            Part::Instruction => pc = value as usize,
            Part::If | Part::Not => {
                if let Some(slot) = conditions.get_mut(len) {
                    *slot = (pc, value);
                    len += 1;
                }
            }
            _ => {}
        });
        for &(pc, condition) in conditions.iter().take(len) {
            let code = Code::new(self.arena.written());
            let byte = code.byte(pc);
            let marked = match Op::of(byte) {
                Some(Op::If) => Op::IfDeclared,
                Some(Op::Not) => Op::NotDeclared,
                _ => continue,
            };
            if looks_at(code, condition, &declared) {
                self.arena.set(pc, marked as u8 | byte & LAST);
            }
        }
    }
}

/// Whether a schema looks at objects only, and there at scalars of names in `declared` only.
fn looks_at(code: Code<'_>, condition: u32, declared: &Table) -> bool {
    let Some(node) = condition.checked_sub(FIRST_NODE).map(|node| node as usize) else {
        return true;
    };
    let second = code.byte(node + 1);
    if second == group::LINK || second & group::ALL != group::OBJECT {
        return false;
    }
    table_of(code, node, false).is_some_and(|table| {
        table
            .iter(code)
            .all(|entry| is_scalar(code, entry.reference) && declared.iter(code).any(|known| known.name == entry.name))
    })
}

/// The table that an object's run begins with; unless `more`, nothing else may be said of the object.
fn table_of(code: Code<'_>, node: usize, more: bool) -> Option<Table> {
    let run = run_start(code, node, code.byte(node + 1), group::OBJECT);
    let (op, flags) = (code.byte(run), code.byte(run + 1));
    let is_plain = op & LAST != 0 && flags & !(object::TABLE | object::REQUIRED) == 0;
    let is_table = Op::of(op) == Some(Op::Object) && flags & object::TABLE != 0;
    (is_table && (more || is_plain)).then(|| Table::read(code, run + 2))
}

/// Whether a schema says nothing of what is in a container.
fn is_scalar(code: Code<'_>, reference: Option<u32>) -> bool {
    match reference.and_then(|reference| reference.checked_sub(FIRST_NODE)) {
        None => true,
        Some(node) => {
            let second = code.byte(node as usize + 1);
            second != group::LINK && second & (group::ARRAY | group::OBJECT | group::ANY) == 0
        }
    }
}
