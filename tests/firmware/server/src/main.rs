//! An MCP server over a UART: lines in, answers out, and a log of what was refused through semihosting.
//!
//! `board` is the machine, `server` the protocol, `tools` what the device can do.
#![no_std]
#![no_main]

#[cfg(feature = "serde-alone")]
mod alone;
#[cfg_attr(board = "mps2-an386", path = "board/mps2_an386.rs")]
#[cfg_attr(board = "lm3s6965evb", path = "board/lm3s6965evb.rs")]
#[cfg_attr(board = "virt", path = "board/virt.rs")]
mod board;
#[cfg(feature = "compiler")]
mod compiler;
mod log;
mod server;
mod tools;
mod uart;

use board::entry;
use core::convert::Infallible;
use embedded_io::{Read, Write};
use microschema::mcp::{Fed, Full, Lines, Refusal};
use server::Server;
use static_cell::ConstStaticCell;
use uart::Uart;

/// Room for a message, and for an answer.
const LINE: usize = 2048;
const ANSWER: usize = 2048;

/// The programs of the tools, made by `build.rs`.
#[cfg_attr(not(feature = "serde-alone"), allow(dead_code))]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

#[entry]
fn main() -> ! {
    static LINE_BUFFER: ConstStaticCell<[u8; LINE]> = ConstStaticCell::new([0; LINE]);
    static ANSWER_BUFFER: ConstStaticCell<[u8; ANSWER]> = ConstStaticCell::new([0; ANSWER]);

    #[cfg(feature = "compiler")]
    compiler::compare();
    let mut uart = Uart::new();
    let mut lines = Lines::new(LINE_BUFFER.take());
    let out = ANSWER_BUFFER.take();
    #[cfg(feature = "serde-alone")]
    let tools = alone::tools();
    #[cfg(not(feature = "serde-alone"))]
    let tools = programs::TOOLS;
    let mut server = Server::new(tools);
    loop {
        let mut received = [0; 64];
        let Ok(length) = uart.read(&mut received);
        let mut input = received.get(..length).unwrap_or_default();
        loop {
            let (written, rest) = match lines.feed(input) {
                Fed::Consumed => break,
                Fed::Line { line, rest } => (server.answer(line, out), rest),
                Fed::TooLong { rest } => (server.refuse(&Refusal::TOO_LONG, out), rest),
            };
            input = rest;
            let Ok(()) = send(&mut uart, out, written);
        }
    }
}

fn send(uart: &mut Uart, out: &[u8], written: Result<usize, Full>) -> Result<(), Infallible> {
    match written.map(|length| out.get(..length).unwrap_or_default()) {
        Ok([]) => Ok(()),
        Ok(answer) => {
            uart.write_all(answer)?;
            uart.write_all(b"\n")
        }
        Err(Full) => {
            defmt::error!("an answer did not fit its buffer");
            Ok(())
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    defmt::error!("panic");
    semihosting::process::abort()
}
