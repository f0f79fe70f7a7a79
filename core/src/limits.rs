//! Bounds on a run. Each is its own result, never a verdict.

use crate::json::MAX_DEPTH;

/// Bounds on the work of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Limits {
    /// Levels of nesting: every array or object counts one, and every schema that is applied to the same value once more (`anyOf`,
    /// `$ref` beside other keywords, …) another one. At most 512. It bounds the stack.
    pub depth: u16,
    /// Units of work: one for each schema applied to a value, each member, each step of a pattern, and for 64 bytes of long values
    /// and names, each time they are read.
    pub steps: u32,
}

impl Limits {
    /// For servers: 192 levels (about 160 KiB of stack at the worst, in a debug build 1.4 MiB), 50 million steps (a second at the worst).
    #[must_use]
    pub const fn new() -> Self {
        Self { depth: 192, steps: 50_000_000 }
    }

    /// For microcontrollers: 32 levels, 200,000 steps.
    #[must_use]
    pub const fn device() -> Self {
        Self { depth: 32, steps: 200_000 }
    }

    /// Sets the greatest depth, at most 512.
    #[must_use]
    pub const fn with_depth(mut self, depth: u16) -> Self {
        self.depth = if depth as u32 > MAX_DEPTH { MAX_DEPTH as u16 } else { depth };
        self
    }

    /// Sets the greatest number of steps.
    #[must_use]
    pub const fn with_steps(mut self, steps: u32) -> Self {
        self.steps = steps;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

/// Words of scratch on the stack.
const SCRATCH: usize = if cfg!(target_pointer_width = "64") { 1024 } else { 256 };

/// Scratch memory on the stack, for programs that need it and callers that bring none.
#[derive(Debug)]
pub(crate) struct Scratch([u32; SCRATCH]);

impl Default for Scratch {
    fn default() -> Self {
        Self([0; SCRATCH])
    }
}

impl Scratch {
    pub(crate) fn words(&mut self) -> &mut [u32] {
        &mut self.0
    }
}
