//! Programs are sound as data: every reference of every program leads to the beginning of a node, in real schemas and in the suite's.

use microschema::{Options, Outline, Program};
use microschema_tests::{suite, tools};
use std::collections::BTreeSet;

/// The references of the program that lead to no node.
fn strays(program: &Program<'_>) -> Vec<u32> {
    let (mut nodes, mut targets) = (BTreeSet::new(), BTreeSet::new());
    program.outline(&mut |part| match part {
        Outline::Root { node } => targets.extend(node),
        Outline::Node { node } => {
            nodes.insert(node);
        }
        Outline::Reference { to } => {
            targets.insert(to);
        }
        _ => {}
    });
    targets.difference(&nodes).copied().collect()
}

#[test]
fn references_of_tool_schemas_lead_to_nodes() {
    let Some(data) = microschema_tests::data() else { return };
    let mut arena = vec![0; 1 << 20];
    let mut seen = 0;
    for schema in tools::schemas(&data) {
        if let Ok(program) = microschema::compile(schema.schema.get().as_bytes(), &mut arena) {
            assert!(strays(&program).is_empty(), "{}\n{program}", schema.name());
            seen += 1;
        }
    }
    assert!(seen > 5_000, "{seen} schemas");
}

#[test]
fn references_of_suite_schemas_lead_to_nodes() {
    let Some(data) = microschema_tests::data() else { return };
    let suite_folder = data.join("JSON-Schema-Test-Suite");
    let remotes = suite::remotes(&suite_folder);
    let documents: Vec<(&str, &[u8])> = remotes.iter().map(|(uri, text)| (uri.as_str(), text.as_bytes())).collect();
    let mut arena = vec![0; 1 << 20];
    let mut seen = 0;
    for (folder, dialect) in suite::DIALECTS {
        let options = Options::new().dialect(dialect).documents(&documents);
        for (name, path) in suite::files(&suite_folder.join("tests").join(folder)) {
            for group in suite::groups(&path) {
                if let Ok(program) = options.compile(group.schema.get().as_bytes(), &mut arena) {
                    assert!(strays(&program).is_empty(), "{folder}/{name}: {}\n{program}", group.description);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 1_000, "{seen} schemas");
}
