//! Bytes whose place, length and content are unknown to the compiler, so that no branch on them folds away, and
//! which take no flash. Only for images that are weighed and never run.

use core::{hint::black_box, slice};

pub fn bytes() -> &'static [u8] {
    unsafe { slice::from_raw_parts(black_box(0x2000_1000 as *const u8), black_box(512)) }
}

pub fn buffer() -> &'static mut [u8] {
    unsafe { slice::from_raw_parts_mut(black_box(0x2000_2000 as *mut u8), black_box(4096)) }
}
