//! Links for the machine, and for the measurements compiles their schemas into program images.
fn main() {
    machine::link();
    #[cfg(feature = "measure")]
    {
        images::write("actuate", "benches/data/mcp-sensor-actuate/schema.json");
        images::write("nested", "tests/firmware/probe/data/nested.schema.json");
    }
}
