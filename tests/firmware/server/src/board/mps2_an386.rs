//! ARM MPS2 with a Cortex-M4F: the UART of the CMSDK (ARM DDI 0479, "APB UART").

pub use cortex_m_rt::entry;

// For its critical section.
use cortex_m as _;

const UART0: usize = 0x4000_4000;
const DATA: *mut u32 = UART0 as *mut u32;
const STATE: *mut u32 = (UART0 + 0x04) as *mut u32;
const CONTROL: *mut u32 = (UART0 + 0x08) as *mut u32;
const DIVISOR: *mut u32 = (UART0 + 0x10) as *mut u32;

const TRANSMIT_FULL: u32 = 1;
const RECEIVE_FULL: u32 = 2;

/// 115,200 baud from 25 MHz; transmitter and receiver on.
pub fn start() {
    unsafe {
        DIVISOR.write_volatile(217);
        CONTROL.write_volatile(0b11);
    }
}

pub fn receive() -> Option<u8> {
    unsafe { (STATE.read_volatile() & RECEIVE_FULL != 0).then(|| DATA.read_volatile() as u8) }
}

pub fn can_send() -> bool {
    unsafe { STATE.read_volatile() & TRANSMIT_FULL == 0 }
}

pub fn send(byte: u8) {
    unsafe { DATA.write_volatile(byte.into()) }
}
