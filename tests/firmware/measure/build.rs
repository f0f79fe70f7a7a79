//! Links for the machine, and compiles the schemas.

use microschema::build::{Error, Programs};

fn main() -> Result<(), Error> {
    machine::link();
    Programs::new()
        .schema("ACTUATE", "../../../benches/data/mcp-sensor-actuate/schema.json")
        .schema("NESTED", "data/nested.schema.json")
        .write("programs.rs")
}
