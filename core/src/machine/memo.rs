//! What is known of a schema and a place: so that schemas which are applied to the same value again and again (`anyOf` in `anyOf`, by
//! references) cost at most schema times instance.
//!
//! A table in scratch, found by hash, the last result stays. Where it is too small for that bound, the limit on steps holds.

use super::{Machine, Mode};
use crate::error::Halt;
use crate::instance::{Instance, Kind};

/// Words of an entry: the node plus one, the two halves of the place's id, and what is known.
const WORDS: usize = 4;
/// Entries: 1 KiB of scratch, on 32-bit targets a quarter of that.
const ENTRIES: usize = if cfg!(target_pointer_width = "64") { 64 } else { 16 };
/// Scratch that a program needs for it.
pub(crate) const MEMO: usize = ENTRIES * WORDS;

/// Steps that are worth an entry. What takes less would only drive out what takes more.
const WORTH: u32 = 16;

/// Known to be invalid; anything else is the place behind a valid value, in its short form.
const INVALID: u32 = u32::MAX;
/// In place of a node: the value was skipped.
const SKIPPED: u32 = u32::MAX;

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Applies a node to a container, unless it is known what comes of it.
    #[inline(never)]
    pub(super) fn remembered(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        // What it evaluates is asked for, or it depends on more than the two.
        if self.marks.is_some() || self.scope != 0 {
            return self.container_node(node, at);
        }
        let (key, slot, known) = self.recall(node as u32 + 1, at);
        if known[..3] == key {
            self.budget.spend(1)?;
            if known[3] != INVALID {
                // A tree has no use for the place behind.
                return Ok(self.instance.recall(at, known[3]).unwrap_or(at));
            }
            if self.mode == Mode::Quiet {
                self.certain = usize::MAX;
                return Err(Halt::INVALID);
            }
        }
        let (found, steps) = (self.found, self.budget.steps);
        let result = self.container_node(node, at);
        if steps.saturating_sub(self.budget.steps) < WORTH {
            return result;
        }
        let what = match result {
            // A place beyond what a word holds is not remembered.
            Ok(after) if self.found == found => match self.instance.remember(after, 0) {
                INVALID => return result,
                short => short,
            },
            Err(Halt::INVALID) => INVALID,
            _ => return result,
        };
        self.memorize(slot, key, what);
        result
    }

    /// The place behind a value that may have been skipped before: objects are read again and again for what different schemas say of
    /// some of their members.
    #[inline(never)]
    pub(super) fn skip_again(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        if !matches!(self.instance.kind(at)?, Kind::Array | Kind::Object) {
            return self.skip_once(at);
        }
        let (key, slot, known) = self.recall(SKIPPED, at);
        if known[..3] == key
            && let Some(after) = self.instance.recall(at, known[3])
        {
            self.budget.spend(1)?;
            return Ok(after);
        }
        let after = self.skip_once(at)?;
        let short = self.instance.remember(after, 0);
        if self.instance.span(at, after) >= WORTH as usize && short != INVALID {
            self.memorize(slot, key, short);
        }
        Ok(after)
    }

    /// What an entry would be known by, its slot, and what stands there.
    #[inline]
    fn recall(&self, what: u32, at: I::Place) -> ([u32; 3], usize, [u32; WORDS]) {
        let id = self.instance.id(at) as u64;
        let key = [what, id as u32, (id >> 32) as u32];
        let hash = (key[0] ^ key[1].rotate_left(16) ^ key[2]).wrapping_mul(0x9E37_79B9) >> 16;
        let slot = hash as usize % ENTRIES * WORDS;
        (key, slot, self.memo.get(slot..).and_then(<[u32]>::first_chunk::<WORDS>).copied().unwrap_or_default())
    }

    #[inline]
    fn memorize(&mut self, slot: usize, key: [u32; 3], what: u32) {
        if let Some(entry) = self.memo.get_mut(slot..).and_then(<[u32]>::first_chunk_mut::<WORDS>) {
            *entry = [key[0], key[1], key[2], what];
        }
    }
}
