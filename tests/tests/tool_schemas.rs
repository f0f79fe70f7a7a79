//! The schemas of real tools compile, into programs smaller than their text.

use microschema::{Program, SchemaErrorKind, compile};
use microschema_tests::tools;
use std::collections::BTreeMap;

/// The schemas that are invalid as they were published, each with the reason. Draft 2020-12 where nothing else is said.
const INVALID: [(&str, SchemaErrorKind); 7] = [
    // A whole schema stands in the place of `properties`: its `"type": "object"` declares a property whose schema is a string.
    ("@6/mcp-server-rubygems/get_gem_owners inputSchema", SchemaErrorKind::ExpectedSchema),
    ("@6/mcp-server-rubygems/get_gem_reverse_dependencies inputSchema", SchemaErrorKind::ExpectedSchema),
    ("@6/mcp-server-rubygems/get_gem_versions inputSchema", SchemaErrorKind::ExpectedSchema),
    ("@6/mcp-server-rubygems/get_owner_gems inputSchema", SchemaErrorKind::ExpectedSchema),
    ("@6/mcp-server-rubygems/get_rubygem_info inputSchema", SchemaErrorKind::ExpectedSchema),
    ("@6/mcp-server-rubygems/search_rubygems inputSchema", SchemaErrorKind::ExpectedSchema),
    // `"exclusiveMinimum": true` is draft-04.
    ("PDF Reader MCP Server / pdf-reader-mcp/read_pdf inputSchema", SchemaErrorKind::ExpectedNumber),
];

#[test]
fn all_but_the_invalid_compile_and_are_small() {
    let Some(data) = microschema_tests::data() else { return };
    let schemas = tools::schemas(&data);
    let mut arena = vec![0; 1 << 20];
    let (mut refused, mut ratios) = (BTreeMap::new(), Vec::new());
    for schema in &schemas {
        let text = schema.schema.get();
        match compile(text.as_bytes(), &mut arena) {
            Ok(program) => {
                let loaded = Program::from_bytes(program.as_bytes()).map(|_| ());
                assert_eq!(loaded, Ok(()), "{}", schema.name());
                ratios.push(program.as_bytes().len() as f64 / tools::minify(text).len() as f64);
            }
            Err(error) => {
                refused.insert(schema.name(), error.kind);
            }
        }
    }
    let invalid: BTreeMap<_, _> = INVALID.map(|(name, kind)| (name.to_owned(), kind)).into();
    assert_eq!(refused, invalid, "the schemas refused, and those that are to be refused");

    ratios.sort_by(f64::total_cmp);
    let percentile = |percent: usize| ratios[(ratios.len() - 1) * percent / 100];
    println!(
        "{} schemas, {} programs; program bytes per byte of minified schema: median {:.3}, 90 % {:.3}, 99 % {:.3}, at most {:.3}",
        schemas.len(),
        ratios.len(),
        percentile(50),
        percentile(90),
        percentile(99),
        percentile(100)
    );
    assert!(percentile(50) <= 0.6, "the median program is at most 0.6 of its schema");
    assert!(percentile(99) <= 1.0, "one program in a hundred is greater than its schema");
}
