//! defmt's frames through semihosting, byte by byte (`SYS_WRITEC`): what QEMU sends to the character device that it is given for it.
//!
//! Not with `defmt-semihosting`, which writes to the standard output of QEMU, where the UART is.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};
use critical_section::RestoreState;
use semihosting::sys::arm_compat::sys_writec;

#[defmt::global_logger]
struct Logger;

static STATE: State = State {
    is_taken: AtomicBool::new(false),
    restore: UnsafeCell::new(RestoreState::invalid()),
    encoder: UnsafeCell::new(defmt::Encoder::new()),
};

struct State {
    is_taken: AtomicBool,
    /// How the critical section is left.
    restore: UnsafeCell<RestoreState>,
    encoder: UnsafeCell<defmt::Encoder>,
}

// Only whoever is in the critical section has the cells.
unsafe impl Sync for State {}

unsafe impl defmt::Logger for Logger {
    fn acquire() {
        let restore = unsafe { critical_section::acquire() };
        if STATE.is_taken.swap(true, Ordering::Relaxed) {
            // From within a frame, which would be broken.
            semihosting::process::abort();
        }
        unsafe {
            *STATE.restore.get() = restore;
            (*STATE.encoder.get()).start_frame(send);
        }
    }

    unsafe fn flush() {}

    unsafe fn release() {
        unsafe {
            (*STATE.encoder.get()).end_frame(send);
            STATE.is_taken.store(false, Ordering::Relaxed);
            critical_section::release(*STATE.restore.get());
        }
    }

    unsafe fn write(bytes: &[u8]) {
        unsafe { (*STATE.encoder.get()).write(bytes, send) };
    }
}

fn send(bytes: &[u8]) {
    for &byte in bytes {
        sys_writec(byte);
    }
}
