//! The machines the firmware runs on: their memory, for its build scripts.
use std::{env, fs, path::Path};

/// A machine of QEMU, and the linker script part that `cortex-m-rt` (or `riscv-rt`) reads for it.
struct Machine {
    /// As QEMU calls it.
    name: &'static str,
    target: &'static str,
    memory: &'static str,
}

const MACHINES: [Machine; 3] = [
    // Cortex-M4F with 4 MiB of each; held to what a common part has.
    Machine {
        name: "mps2-an386",
        target: "thumbv7em-none-eabihf",
        memory: "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 512K\nRAM : ORIGIN = 0x20000000, LENGTH = 128K }\n",
    },
    // Cortex-M3, all it has.
    Machine {
        name: "lm3s6965evb",
        target: "thumbv7m-none-eabi",
        memory: "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 256K\nRAM : ORIGIN = 0x20000000, LENGTH = 64K }\n",
    },
    // Everything is RAM, and an image starts where the reset vector jumps to.
    Machine {
        name: "virt",
        target: "riscv32imac-unknown-none-elf",
        memory: "MEMORY { RAM : ORIGIN = 0x80000000, LENGTH = 1M }\n\
                 REGION_ALIAS(\"REGION_TEXT\", RAM); REGION_ALIAS(\"REGION_RODATA\", RAM);\n\
                 REGION_ALIAS(\"REGION_DATA\", RAM); REGION_ALIAS(\"REGION_BSS\", RAM);\n\
                 REGION_ALIAS(\"REGION_HEAP\", RAM); REGION_ALIAS(\"REGION_STACK\", RAM);\n",
    },
];

/// Writes `memory.x` for the target being built, has the binaries linked with it, and sets `cfg(board = "…")`.
///
/// # Panics
/// Outside a build script, or for a target no machine stands for.
pub fn link() {
    let target = env::var("TARGET").expect("run from a build script");
    let out = env::var("OUT_DIR").expect("run from a build script");
    let machine =
        MACHINES.iter().find(|m| m.target == target).unwrap_or_else(|| panic!("no machine for {target} in `machine`"));
    fs::write(Path::new(&out).join("memory.x"), machine.memory).expect("OUT_DIR is writable");
    println!("cargo:rustc-check-cfg=cfg(board, values({}))", MACHINES.map(|m| format!("{:?}", m.name)).join(", "));
    println!("cargo:rustc-cfg=board={:?}", machine.name);
    println!("cargo:rustc-link-search={out}");
    if target.starts_with("riscv") {
        println!("cargo:rustc-link-arg-bins=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rerun-if-changed=build.rs");
}
