//! JSON Schema validation without an allocator or a DOM.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod arena;
mod number;
mod text;
#[cfg(feature = "compile")]
mod uri;

pub use number::Number;
pub use text::Text;
