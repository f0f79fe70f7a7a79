//! Links for the machine, and puts the tools into flash.

use microschema::build::{Error, Programs};

fn main() -> Result<(), Error> {
    machine::link();
    // The symbols of defmt's texts, for the decoder.
    println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
    Programs::new()
        .tools("TOOLS", &["tools/schedule.json", "tools/write_register.json", "tools/read_temperature.json"])
        .schema("ANYTHING", "tools/anything.json")
        .write("programs.rs")
}
