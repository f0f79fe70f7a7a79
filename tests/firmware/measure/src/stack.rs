//! How deep an operation goes into the stack: paint what lies below, run, look where the paint is gone.

use core::{arch::asm, hint::black_box};

const PAINT: u32 = 0xCCCC_CCCC;
const PAINTED: usize = 32 << 10;
/// Left unpainted: the frame of the painting itself.
const MARGIN: usize = 64;

/// The bytes of stack that `work` used below its caller, and what it gave.
///
/// At most `PAINTED` bytes; the machine must have that much below the stack pointer.
#[inline(never)]
pub fn stack_of<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let top = stack_pointer();
    let bottom = top - PAINTED;
    for address in (bottom..top - MARGIN).step_by(4) {
        unsafe { (address as *mut u32).write_volatile(PAINT) }
    }
    let value = black_box(call(work));
    let untouched = (bottom..top - MARGIN)
        .step_by(4)
        .take_while(|&address| unsafe { (address as *const u32).read_volatile() } == PAINT)
        .count();
    (PAINTED - 4 * untouched, value)
}

#[inline(never)]
fn call<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) }
    pointer & !3
}
