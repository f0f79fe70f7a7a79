//! Two places in the code that the `icount` plugin knows by name. Their bodies differ, or the linker would fold
//! them into one.

use core::arch::asm;

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn span_begin() {
    unsafe { asm!("nop") }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn span_end() {
    unsafe { asm!("nop", "nop") }
}
