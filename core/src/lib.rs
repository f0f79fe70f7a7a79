//! JSON Schema validation without an allocator or a DOM.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod arena;
#[allow(dead_code)] // until the compiler uses it
mod format;
mod text;

pub use text::Text;
