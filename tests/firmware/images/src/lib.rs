//! Schemas compiled on the host into the bytes a device loads, for build scripts.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

const ARENA: usize = 64 << 10;

/// Compiles `schema`, a path from the repository's root, into `NAME.program` in the build script's `OUT_DIR`.
///
/// # Panics
/// Outside a build script, and for a schema that does not compile: then there is no firmware.
pub fn write(name: &str, schema: &str) {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).expect("run from a build script");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(schema);
    println!("cargo:rerun-if-changed={}", schema.display());
    let text = fs::read(&schema).unwrap_or_else(|error| panic!("{}: {error}", schema.display()));
    let mut arena = vec![0; ARENA];
    match microschema::compile(&text, &mut arena) {
        Ok(program) => fs::write(out.join(format!("{name}.program")), program.as_bytes()).expect("OUT_DIR is writable"),
        Err(error) => panic!("{}: {error:?}", schema.display()),
    }
}
