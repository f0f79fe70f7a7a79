//! The board's UART, polled, as `embedded-io` has it.

use crate::board;
use core::convert::Infallible;
use embedded_io::{ErrorType, Read, Write};

pub struct Uart(());

impl Uart {
    /// There is one, so call this once.
    pub fn new() -> Self {
        board::start();
        Self(())
    }
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl Read for Uart {
    /// Waits for a byte, and takes what more is there.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let mut length = 0;
        while let Some(next) = buffer.get_mut(length) {
            match board::receive() {
                Some(byte) => {
                    *next = byte;
                    length += 1;
                }
                None if length > 0 => break,
                None => {}
            }
        }
        Ok(length)
    }
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for &byte in bytes {
            while !board::can_send() {}
            board::send(byte);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
