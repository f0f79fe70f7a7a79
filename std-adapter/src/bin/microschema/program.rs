//! Schemas into programs, in a buffer that grows until it fits.

use microschema::{Options, Program, SchemaError, SchemaErrorKind};

/// Where compiling starts, and where it gives up.
const FIRST_ARENA: usize = 4 << 10;
const LAST_ARENA: usize = 64 << 20;

/// Compiles `schema` into `arena`, which grows as needed.
pub fn compile<'a>(options: Options<'_>, schema: &[u8], arena: &'a mut Vec<u8>) -> Result<Program<'a>, SchemaError> {
    if arena.len() < FIRST_ARENA {
        arena.resize(FIRST_ARENA, 0);
    }
    while arena.len() < LAST_ARENA {
        match options.compile(schema, arena) {
            Err(error) if error.kind == SchemaErrorKind::ArenaFull => arena.resize(arena.len() * 2, 0),
            Err(error) => return Err(error),
            Ok(_) => break,
        }
    }
    // Once more, as the program borrows the arena from here on.
    options.compile(schema, arena)
}
