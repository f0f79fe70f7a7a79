//! Figures of a program: instructions, and how deep its nodes nest.

use microschema::{Outline, Program};
use std::collections::BTreeMap;

/// What a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub nodes: usize,
    pub instructions: usize,
    /// Nodes on the longest way from the root; `None` when it goes round.
    pub depth: Option<usize>,
}

pub fn of(program: &Program<'_>) -> Figures {
    let mut edges: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let (mut root, mut node, mut instructions) = (None, 0, 0);
    program.outline(&mut |part| match part {
        Outline::Root { node } => root = node,
        Outline::Node { node: next } => {
            node = next;
            edges.entry(node).or_default();
        }
        Outline::Instruction { .. } => instructions += 1,
        Outline::Reference { to } => edges.entry(node).or_default().push(to),
        _ => {}
    });
    Figures { nodes: edges.len(), instructions, depth: root.map_or(Some(0), |root| longest(&edges, root)) }
}

/// The number of nodes on the longest way from `root`, without recursion, as schemas nest deeply.
fn longest(edges: &BTreeMap<u32, Vec<u32>>, root: u32) -> Option<usize> {
    // What is known of a node: nothing yet, that the way leads through it, or its own longest way.
    let mut known: BTreeMap<u32, Option<usize>> = BTreeMap::new();
    let mut way = vec![(root, 0)];
    known.insert(root, None);
    while let Some((node, next)) = way.last_mut() {
        let targets = edges.get(node).map_or(&[][..], Vec::as_slice);
        if let Some(target) = targets.get(*next) {
            *next += 1;
            match known.get(target) {
                Some(None) => return None,
                Some(Some(_)) => {}
                None => {
                    known.insert(*target, None);
                    way.push((*target, 0));
                }
            }
        } else {
            let deepest = targets.iter().filter_map(|target| known.get(target).copied().flatten()).max();
            known.insert(*node, Some(deepest.unwrap_or(0) + 1));
            way.pop();
        }
    }
    known.get(&root).copied().flatten()
}
