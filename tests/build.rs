//! Programs made by a build script, as a firmware has them: `tests/programs.rs` looks at what came of it.

use microschema::build::{Error, Programs};

fn main() -> Result<(), Error> {
    Programs::new()
        .schema("CHECK", "../std-adapter/examples/check/schema.json")
        .tools(
            "TOOLS",
            &[
                "firmware/server/tools/schedule.json",
                "firmware/server/tools/write_register.json",
                "firmware/server/tools/read_temperature.json",
            ],
        )
        .write("programs.rs")
}
