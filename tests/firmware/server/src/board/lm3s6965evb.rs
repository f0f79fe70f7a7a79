//! Stellaris LM3S6965 with a Cortex-M3 and 64 KiB of RAM: a UART like ARM's PL011 (data sheet, chapter 12).

pub use cortex_m_rt::entry;

// For its critical section.
use cortex_m as _;

const CLOCK_GATES: *mut u32 = 0x400F_E104 as *mut u32;
const UART0: usize = 0x4000_C000;
const DATA: *mut u32 = UART0 as *mut u32;
const FLAGS: *mut u32 = (UART0 + 0x18) as *mut u32;
const LINE_CONTROL: *mut u32 = (UART0 + 0x2C) as *mut u32;
const CONTROL: *mut u32 = (UART0 + 0x30) as *mut u32;

const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;

/// Clocked; eight bits; transmitter, receiver and the whole on.
///
/// To turn on the FIFOs would empty them, and the client may have spoken already. The emulated line has no speed, so the divisor stays.
pub fn start() {
    unsafe {
        CLOCK_GATES.write_volatile(CLOCK_GATES.read_volatile() | 1);
        LINE_CONTROL.write_volatile(0b110 << 4);
        CONTROL.write_volatile(0b11 << 8 | 1);
    }
}

pub fn receive() -> Option<u8> {
    unsafe { (FLAGS.read_volatile() & RECEIVE_EMPTY == 0).then(|| DATA.read_volatile() as u8) }
}

pub fn can_send() -> bool {
    unsafe { FLAGS.read_volatile() & TRANSMIT_FULL == 0 }
}

pub fn send(byte: u8) {
    unsafe { DATA.write_volatile(byte.into()) }
}
