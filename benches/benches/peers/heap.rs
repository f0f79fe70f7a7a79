//! Counts allocations and live heap bytes while asked to. Timings run with counting off: one load and a branch that is never taken.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static GIVEN_BACK: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

impl Counting {
    #[cold]
    fn count(allocations: u64, taken: usize, given_back: usize) {
        ALLOCATIONS.fetch_add(allocations, Relaxed);
        TAKEN.fetch_add(taken as u64, Relaxed);
        GIVEN_BACK.fetch_add(given_back as u64, Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged.
#[expect(unsafe_code, reason = "the only way to see allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTING.load(Relaxed) {
            Self::count(1, layout.size(), 0);
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if COUNTING.load(Relaxed) {
            Self::count(1, layout.size(), 0);
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if COUNTING.load(Relaxed) {
            Self::count(0, 0, layout.size());
        }
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNTING.load(Relaxed) {
            Self::count(1, size, layout.size());
        }
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What a piece of code asked of the allocator.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// Calls that allocate or move a block.
    pub allocations: u64,
    /// Bytes taken and not given back.
    pub held: i64,
}

/// Runs `code` and counts. Its result is returned too, so that what it holds is counted as held.
pub fn count<T>(code: impl FnOnce() -> T) -> (T, Heap) {
    let read = || (ALLOCATIONS.load(Relaxed), TAKEN.load(Relaxed), GIVEN_BACK.load(Relaxed));
    let before = read();
    COUNTING.store(true, Relaxed);
    let result = code();
    COUNTING.store(false, Relaxed);
    let after = read();
    let held = (after.1 - before.1).cast_signed() - (after.2 - before.2).cast_signed();
    (result, Heap { allocations: after.0 - before.0, held })
}
