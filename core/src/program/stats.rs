//! What a program amounts to, in figures.

use super::Program;
use super::walk::{self, Part};

/// The size of a program in several ways, from [`Program::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Stats {
    /// Bytes of the image.
    pub bytes: usize,
    /// Schemas that are more than a set of types; those compiled for nothing but a reference that was dropped are among them.
    pub nodes: u32,
    /// Instructions of all nodes.
    pub instructions: u32,
    /// Schemas within schemas, along the longest way from the root: 0 for a set of types, 1 for an object of scalars, and so on.
    /// A schema that is reached in place (`anyOf`) counts as one within, too. `None` when the schema is recursive, or the image longer
    /// than 64 KiB.
    pub depth: Option<u32>,
}

/// Nodes are told apart by half their offset.
const MARKS: usize = 4096;

impl Program<'_> {
    /// Counts what the program is made of. Takes 4 KiB of stack, and a pass over the program for each level of its depth.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (mut nodes, mut instructions) = (0, 0);
        let _ = walk::nodes(self.code(), |part, _, _| match part {
            Part::Node => nodes += 1,
            Part::Instruction => instructions += 1,
            _ => {}
        });
        Stats { bytes: self.as_bytes().len(), nodes, instructions, depth: self.depth() }
    }

    fn depth(&self) -> Option<u32> {
        let mut reached = Reached([0; MARKS]);
        let mut depth = 0;
        if !reached.mark(self.root())? {
            return Some(0);
        }
        // Each round goes from the nodes of one level to those of the next. They lie before what refers to them, so marks of this level
        // and of the next do not meet.
        loop {
            let (mut more, mut here, mut known) = (false, false, Some(()));
            let _ = walk::nodes(self.code(), |part, value, _| {
                if part == Part::Node {
                    here = reached.take(value as usize);
                } else if here && part.is_schema() {
                    match reached.mark(value) {
                        Some(is_node) if part != Part::Link => more |= is_node,
                        _ => known = None,
                    }
                }
            });
            known?;
            depth += 1;
            if !more {
                return Some(depth);
            }
        }
    }
}

struct Reached([u8; MARKS]);

impl Reached {
    /// Whether the reference leads to a node; `None` for one that is too far away.
    fn mark(&mut self, reference: u32) -> Option<bool> {
        let Some(node) = walk::target(reference) else {
            return Some(false);
        };
        *self.0.get_mut(node / 16)? |= 1 << (node / 2 % 8);
        Some(true)
    }

    /// Whether a node is marked. It no longer is.
    fn take(&mut self, node: usize) -> bool {
        let bit = 1 << (node / 2 % 8);
        self.0.get_mut(node / 16).is_some_and(|byte| {
            let marked = *byte & bit != 0;
            *byte &= !bit;
            marked
        })
    }
}
