//! The engine behind a handful of functions that JavaScript calls.
//!
//! JavaScript never sees an address that it hands back: it writes text to [`input`], names programs by number, and reads text from
//! [`output`]. So nothing it can do makes this read or write where it should not. `unsafe` is here in one place, `with`, and else in `memory`.
#![cfg_attr(target_family = "wasm", no_std)]
#![deny(missing_docs, unreachable_pub, unsafe_op_in_unsafe_fn)]

mod engine;
mod memory;
mod words;

pub use engine::{Check, Engine};

use core::cell::UnsafeCell;

/// Ends the call; JavaScript sees a `WebAssembly.RuntimeError`, and starts another engine.
#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

#[cfg(target_feature = "atomics")]
compile_error!("the engine is one for all calls: it must not be shared between threads");

struct Single(UnsafeCell<Engine>);

// SAFETY: without atomics, a module has one thread.
unsafe impl Sync for Single {}

static ENGINE: Single = Single(UnsafeCell::new(Engine::new()));

/// Runs `work` on the only engine.
fn with<R>(work: impl FnOnce(&mut Engine) -> R) -> R {
    // SAFETY: this is the only place that takes the reference. There is one thread, and no call is within another: the module imports
    // nothing, so that `work` cannot come back through JavaScript, and `work` itself calls methods of `Engine` only.
    work(unsafe { &mut *ENGINE.0.get() })
}

/// Makes room for `len` bytes, keeping those written before, and gives their address; 0 when there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> usize {
    with(|engine| engine.input(len).map_or(0, |input| input.as_mut_ptr() as usize))
}

/// Where the text is that the last call left.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> usize {
    with(|engine| engine.output().as_ptr() as usize)
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with(|engine| engine.output().len())
}

/// Registers a document for the next [`compile`], or a Unicode property: `uri_len` bytes of URI or name, and its text, up to `len`.
#[unsafe(no_mangle)]
pub extern "C" fn document(uri_len: usize, len: usize) {
    with(|engine| engine.document(uri_len, len));
}

/// Compiles the first `len` bytes of input. `properties`: so many of what was registered, from the first on, are Unicode properties. Gives the
/// number of the program, or -1, and the error as output.
#[unsafe(no_mangle)]
pub extern "C" fn compile(len: usize, dialect: u32, assert_formats: u32, properties: u32) -> i32 {
    with(|engine| {
        let program = engine.compile(len, dialect, assert_formats != 0, properties);
        program.map_or(-1, |program| program as i32)
    })
}

/// Frees a program. Its number may come again.
#[unsafe(no_mangle)]
pub extern "C" fn release(program: u32) {
    with(|engine| engine.release(program));
}

/// How many programs there are.
#[unsafe(no_mangle)]
pub extern "C" fn programs() -> u32 {
    with(|engine| engine.programs())
}

/// Runs a program over the first `len` bytes of input. Gives 1 if they are valid, else 0 and the reason as output.
#[unsafe(no_mangle)]
pub extern "C" fn check(
    program: u32,
    len: usize,
    issues: u32,
    characters: u32,
    shown: u32,
    depth: u32,
    steps: u32,
    unique_names: u32,
) -> u32 {
    let terms = Check { issues, characters, shown, depth, steps, unique_names: unique_names != 0 };
    with(|engine| engine.check(program, len, terms).into())
}
