//! Data the optimiser knows nothing about, and where to put what comes out.
#![no_std]

pub mod opaque;
#[cfg(feature = "messages")]
pub mod sink;

#[cfg(not(feature = "panic-never"))]
use panic_halt as _;
#[cfg(feature = "panic-never")]
use panic_never as _;
