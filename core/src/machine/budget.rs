//! What a run may spend: steps, and levels of nesting.

use crate::error::{Halt, Limit};
#[cfg(feature = "compile")]
use crate::json::MAX_DEPTH;

/// Bytes read that cost a step.
const BYTES: usize = 64;

/// What is left to spend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(super) steps: u32,
    pub(super) depth: u32,
}

impl Budget {
    /// No more than nesting is bounded while a schema compiles.
    #[cfg(feature = "compile")]
    pub(crate) const fn for_compiler() -> Self {
        Self { steps: u32::MAX, depth: MAX_DEPTH }
    }

    /// The same for values nested less deep.
    pub(crate) const fn of_depth(depth: u32) -> Self {
        Self { steps: u32::MAX, depth }
    }

    #[inline(always)]
    pub(super) fn spend(&mut self, steps: u32) -> Result<(), Halt> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(Halt::limit(Limit::Steps)),
        }
    }

    /// For so many bytes read: most values are short, and cost nothing.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(always))]
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Result<(), Halt> {
        if bytes < BYTES { Ok(()) } else { self.spend(u32::try_from(bytes / BYTES).unwrap_or(u32::MAX)) }
    }

    /// For an element, and so many bytes read on the way to it: names, and white space, which is read again as often as the container is.
    #[inline(always)]
    pub(super) fn spend_element(&mut self, bytes: usize) -> Result<(), Halt> {
        // No text is so long that this would not fit.
        self.spend((bytes / BYTES) as u32 + 1)
    }

    /// So many levels down.
    #[inline(always)]
    pub(super) fn enter(&mut self, levels: u32) -> Result<(), Halt> {
        match self.depth.checked_sub(levels) {
            Some(left) => {
                self.depth = left;
                Ok(())
            }
            None => Err(Halt::limit(Limit::Depth)),
        }
    }

    /// As many up again. Who goes on after an error restores the depth by itself.
    #[inline(always)]
    pub(super) fn leave(&mut self, levels: u32) {
        self.depth = self.depth.saturating_add(levels);
    }
}
