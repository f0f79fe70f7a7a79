//! The compiler on the device: what it makes of the schemas is what came with the image.

use crate::programs::TOOLS;
use microschema::Program;
use microschema::mcp::Raw;
use static_cell::ConstStaticCell;

/// Enough for the longest schema.
const ARENA: usize = 4096;

/// Compiles the schemas of all tools, and compares.
pub fn compare() {
    static ARENA_BUFFER: ConstStaticCell<[u8; ARENA]> = ConstStaticCell::new([0; ARENA]);
    let arena = ARENA_BUFFER.take();
    for tool in TOOLS.as_slice() {
        let definition = tool.definition();
        let mut same = is_same(definition.input_schema(), &tool.input(), arena);
        if let (Some(schema), Some(program)) = (definition.output_schema(), tool.output()) {
            same &= is_same(schema, &program, arena);
        }
        if same {
            defmt::info!("{}: compiled here to the same program", definition.name());
        } else {
            defmt::error!("{}: compiled here to another program", definition.name());
        }
    }
}

fn is_same(schema: Raw<'_>, program: &Program<'_>, arena: &mut [u8]) -> bool {
    match microschema::compile(schema.as_bytes(), arena) {
        Ok(compiled) => compiled.as_bytes() == program.as_bytes(),
        Err(error) => {
            defmt::error!("{}", error);
            false
        }
    }
}
