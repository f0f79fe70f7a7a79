//! `decode IMAGE <FRAMES`: what a firmware logged, a line for each frame.

use defmt_decoder::{DecodeError, Table};
use std::error::Error;
use std::io::{Read, stdin};

fn main() -> Result<(), Box<dyn Error>> {
    let image = std::env::args_os().nth(1).ok_or("usage: decode IMAGE <FRAMES")?;
    let table = Table::parse(&std::fs::read(image)?)?.ok_or("the image has no section .defmt")?;
    let mut frames = Vec::new();
    stdin().read_to_end(&mut frames)?;
    let mut decoder = table.new_stream_decoder();
    decoder.received(&frames);
    loop {
        match decoder.decode() {
            Ok(frame) => {
                let level = frame.level().map_or("", |level| level.as_str());
                println!("{level} {}", frame.display_message());
            }
            Err(DecodeError::UnexpectedEof) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
