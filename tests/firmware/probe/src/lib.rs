//! What the probes share: data the optimiser knows nothing about, and the instruments.
#![no_std]

#[cfg(feature = "measure")]
pub mod lines;
pub mod opaque;
#[cfg(feature = "messages")]
pub mod sink;
#[cfg(feature = "measure")]
pub mod span;
#[cfg(feature = "measure")]
pub mod stack;

#[cfg(not(feature = "panic-never"))]
use panic_halt as _;
#[cfg(feature = "panic-never")]
use panic_never as _;
