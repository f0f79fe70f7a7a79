//! References: what they lead to, compiled once for each target, recursion included.

use super::block::{block_at, kind};
use super::error::SchemaErrorKind;
use super::keyword::Keyword;
use super::read::behind;
use super::resource::{Goal, Location};
use super::targets::{LONE, OPEN, word};
use super::{Compiler, Dialect, Draft, NONE};
use crate::hash;
use crate::instance::{Instance, Kind};
use crate::issue::Segment;
use crate::program::code::Code;
use crate::program::flag;
use crate::program::op::{FIRST_NODE, LAST, Op, Why, group, mask};
use crate::program::walk;
use crate::text::Text;
use crate::uri;

/// Nodes that a schema applies to its own value, directly or not: a list in the free part of the arena.
struct Reached<'r> {
    nodes: &'r mut [[u8; 4]],
    len: usize,
    full: bool,
    work: usize,
}

impl Reached<'_> {
    fn add(&mut self, reference: u32) {
        let Some(node) = reference.checked_sub(FIRST_NODE).map(u32::to_le_bytes) else {
            return;
        };
        self.work += self.len + 16;
        if self.nodes.iter().take(self.len).any(|&known| known == node) {
            return;
        }
        match self.nodes.get_mut(self.len) {
            Some(slot) => *slot = node,
            None => self.full = true,
        }
        self.len += 1;
    }
}

impl<'s> Compiler<'_, 's> {
    /// Compiles the root of the schema and sets the reference to it; gives the place behind it.
    pub(super) fn root_schema(&mut self, at: usize, reference: &mut u32) -> usize {
        let location = Location { document: 0, at };
        let slot = self.targets.add(&mut self.arena, location, self.level);
        let after = self.schema(at, reference);
        self.complete(slot, *reference, after);
        after
    }

    /// The schema at a place that the reference at `from` leads to: compiled now, or before, or (recursion) to be.
    fn target(&mut self, location: Location, from: usize, may_cycle: bool) -> u32 {
        if let Some(slot) = self.find_target(location) {
            let reference = self.arena.word(slot + word::REFERENCE * 4);
            let in_progress = reference & OPEN != 0;
            let comes_back = match in_progress {
                _ if may_cycle => false,
                true => self.arena.word(slot + word::LEVEL * 4) == self.level,
                false => self.comes_back(slot, reference),
            };
            if comes_back {
                // A cycle is shown at the reference that closes it.
                return self.stop(SchemaErrorKind::CyclicReference, from);
            }
            return if in_progress { self.link(slot) } else { reference };
        }
        let slot = self.targets.add(&mut self.arena, location, self.level);
        let context = self.context();
        self.enter(location);
        let resource = self.resource_number();
        let is_root = self.resource == location.at || self.is_resource(location.at);
        let mut reference = 0;
        let after = self.schema(location.at, &mut reference);
        if self.dynamic && !is_root {
            reference = self.scope_node(resource, reference);
        }
        self.restore(context);
        self.complete(slot, reference, after);
        reference
    }

    /// The place behind the schema at `at` where a reference led to it already, so that it is compiled, or being compiled.
    pub(super) fn target_end(&self, at: usize) -> Option<usize> {
        let slot = self.find_target(Location { document: self.document, at })?;
        let in_progress = self.arena.word(slot + word::REFERENCE * 4) & OPEN != 0;
        Some(if in_progress { self.skip(at) } else { self.arena.word(slot + word::LEVEL * 4) as usize })
    }

    /// Whether one of the targets behind the first so many is this schema.
    pub(super) fn is_target_since(&self, first: usize, reference: u32) -> bool {
        self.spend(self.targets.len - first);
        let is_it = |index| self.arena.word(self.targets.slot(index) + word::REFERENCE * 4) == reference;
        (first..self.targets.len).any(is_it)
    }

    /// Whether a compiled schema applies one that is in progress to the same value, so that a reference to it from here closes a cycle.
    ///
    /// What is in progress on other levels does not count: from there to here the way leads into the instance.
    fn comes_back(&mut self, slot: usize, reference: u32) -> bool {
        let (targets, level) = (self.targets, self.level);
        // Only a new link can open a way back where there was none.
        let checked = targets.links << 9 | level.min(0x1FF);
        if self.arena.word(slot + word::CHECKED * 4) == checked
            || targets.open_links(&self.arena, level).next().is_none()
        {
            return false;
        }
        let (list, most) = (self.arena.len(), self.work.get() as usize);
        let (program, room) = self.arena.split();
        let mut reached = Reached { nodes: room.as_chunks_mut().0, len: 0, full: false, work: 0 };
        reached.add(reference);
        let mut next = 0;
        while let Some(&node) = reached.nodes.get(next).filter(|_| next < reached.len && reached.work < most) {
            next += 1;
            let _ = walk::node(Code::new(program), u32::from_le_bytes(node) as usize, |part, value, _| {
                if part.is_in_place() {
                    reached.add(value);
                }
            });
        }
        let (len, full, work) = (reached.len, reached.full, reached.work);
        if full {
            return self.stop(SchemaErrorKind::ArenaFull, 0);
        }
        self.spend(work);
        let arena = &self.arena;
        let mut comes_back = false;
        for link in targets.open_links(arena, level) {
            comes_back |= (0..len).any(|i| arena.word(list + i * 4) == link);
            self.spend(len);
        }
        if !comes_back {
            self.arena.set_word(slot + word::CHECKED * 4, checked);
        }
        comes_back
    }

    /// A node that stands for a schema in progress.
    fn link(&mut self, slot: usize) -> u32 {
        let link = self.arena.word(slot + word::LINK * 4);
        if link != 0 {
            return link + FIRST_NODE;
        }
        let node = self.arena.len();
        self.extend(&[mask::ALL, group::LINK, 0, 0, 0, 0]);
        self.arena.set_word(slot + word::LINK * 4, node as u32);
        self.targets.links += 1;
        node as u32 + FIRST_NODE
    }

    fn complete(&mut self, slot: Option<usize>, reference: u32, after: usize) {
        if let Some(slot) = slot {
            self.targets.open = self.arena.word(slot + word::REFERENCE * 4) & !OPEN;
            self.arena.set_word(slot + word::REFERENCE * 4, reference);
            self.arena.set_word(slot + word::LEVEL * 4, after as u32);
            let link = self.arena.word(slot + word::LINK * 4);
            if link != 0 {
                self.arena.set_word(link as usize + 2, reference);
                // So that it can be told from its types that it is not meant.
                self.arena.set(link as usize, Code::new(self.arena.written()).types(reference));
            }
        }
    }

    /// The target of the same reference in the same resource before.
    fn known(&self, hash: u32, text: Text<'_>) -> Option<usize> {
        let arena = &self.arena;
        self.search_targets(self.targets.head(hash, 1), word::NEXT_TEXT, &mut |slot| {
            arena.word(slot + word::HASH * 4) == hash
                && arena.word(slot + word::RESOURCE * 4) == self.resource_number()
                && self.text(arena.word(slot + word::TEXT * 4) as usize).equals_text(text)
        })
    }

    /// Where the target in a slot is.
    fn location(&self, slot: usize) -> Location {
        let (at, document) = (self.arena.word(slot + word::AT * 4), self.arena.word(slot + word::DOCUMENT * 4));
        Location { document: document as u16, at: at as usize }
    }

    fn remember(&mut self, location: Location, hash: u32, at: usize) {
        if let Some(slot) = self.find_target(location)
            && self.arena.word(slot + word::HASH * 4) == 0
        {
            self.arena.set_word(slot + word::HASH * 4, hash);
            self.arena.set_word(slot + word::TEXT * 4, at as u32);
            self.arena.set_word(slot + word::RESOURCE * 4, self.resource_number());
            self.targets.list(&mut self.arena, slot, self.targets.head(hash, 1), word::NEXT_TEXT);
        }
    }

    /// `$ref`
    #[inline(never)]
    pub(super) fn reference(&mut self, at: usize, draft: &mut Draft) -> usize {
        let text = self.string(at);
        if self.check_only {
            return behind(at, text);
        }
        let hash = hash::text(text) | 1;
        let (location, is_new) = match self.known(hash, text) {
            Some(slot) => (self.location(slot), false),
            None => (self.locate(text, at), true),
        };
        if self.dialect < Dialect::Draft2019_09 {
            // What stood before it is ignored, as what comes behind it.
            self.arena.release(draft.mark);
            let (seen, kept) =
                (draft.seen, [Keyword::Defs, Keyword::Definitions].map(|keyword| (keyword, draft.of(keyword))));
            *draft = Draft { seen, ..Draft::new(&self.arena) };
            for (keyword, at) in kept {
                *draft.slot(keyword) = at;
            }
        }
        let reference = self.target(location, at, false);
        if is_new {
            self.remember(location, hash, at);
        }
        self.apply_in_place(reference, draft);
        behind(at, text)
    }

    /// `$dynamicRef`, and `$recursiveRef` of 2019-09: as `$ref`, unless the target is a dynamic anchor that other resources have, too.
    #[inline(never)]
    pub(super) fn dynamic_reference(&mut self, keyword: Keyword, at: usize, draft: &mut Draft) -> usize {
        let text = self.string(at);
        if self.check_only {
            return behind(at, text);
        }
        let hash = hash::text(text) | 1;
        let known = self.known(hash, text);
        let fixed = match known {
            Some(slot) => self.location(slot),
            None => self.locate(text, at),
        };
        if known.is_some_and(|slot| self.arena.word(slot + word::DOCUMENT * 4) & LONE != 0) {
            let reference = self.target(fixed, at, false);
            self.apply_in_place(reference, draft);
            return behind(at, text);
        }
        let mut buffer = [0; super::resource::MAX_URI];
        let mark = self.arena.back();
        if keyword == Keyword::DynamicRef {
            let resolved = uri::resolve(self.base.bytes(), text, &mut buffer);
            let fragment = uri::split_fragment(resolved.unwrap_or_default()).1;
            if !fragment.is_empty() && uri::pointer(fragment).is_none() && self.has_dynamic_anchor(fixed, fragment) {
                self.search_everywhere(Goal::DynamicAnchor(fragment));
            }
        } else if self.has_recursive_anchor(fixed) {
            self.search_everywhere(Goal::RecursiveAnchor);
        }
        let mut count = 0;
        let mut from = mark;
        while let Some(found) = block_at(&self.arena, from) {
            from = found.next();
            if found.kind == kind::FOUND {
                count += 1;
            }
        }
        // Where one of several is meant only the dynamic scope tells whether it comes back.
        let is_dynamic = count > 1;
        let reference = self.target(fixed, at, is_dynamic);
        self.remember(fixed, hash, at);
        if let Some(slot) = self.known(hash, text).filter(|_| !is_dynamic) {
            let document = slot + word::DOCUMENT * 4;
            self.arena.set_word(document, self.arena.word(document) | LONE);
        }
        if is_dynamic {
            let front = self.compile_candidates(mark, at, reference);
            let len = self.arena.len() - front;
            self.arena.release(mark);
            let block = self.push_block(kind::LAST_RUN, len);
            self.arena.copy(front, block.at, len);
            self.arena.truncate(front);
        } else {
            self.arena.release(mark);
            self.apply_in_place(reference, draft);
        }
        behind(at, text)
    }

    /// Compiles the schemas that were found and writes the instruction that chooses among them; gives where it starts.
    fn compile_candidates(&mut self, mark: usize, at: usize, fixed: u32) -> usize {
        let to = self.arena.back();
        let mut count = 0_u32;
        let mut from = mark;
        while from > to
            && let Some(found) = block_at(&self.arena, from)
        {
            from = found.next();
            let location =
                Location { document: found.word(&self.arena, 0) as u16, at: found.word(&self.arena, 1) as usize };
            let reference = self.target(location, at, true);
            found.set_word(&mut self.arena, 1, reference);
            count += 1;
        }
        let front = self.arena.len();
        self.push(Op::DynamicRef as u8);
        self.push_varint(fixed);
        self.push_varint(count);
        let mut from = mark;
        while from > to
            && let Some(found) = block_at(&self.arena, from)
        {
            from = found.next();
            let (reference, resource) = (found.word(&self.arena, 1), found.word(&self.arena, 2));
            self.push_varint(resource);
            self.push_varint(reference);
        }
        front
    }

    /// A node that enters a resource, for the dynamic scope, and goes on with a schema.
    pub(super) fn scope_node(&mut self, resource: u32, reference: u32) -> u32 {
        self.flags |= flag::SCRATCH;
        let node = self.arena.len();
        self.extend(&[mask::ALL, group::ANY, Op::Scope as u8 | LAST]);
        self.push_varint(resource);
        self.push_varint(reference);
        node as u32 + FIRST_NODE
    }

    /// Wraps a node in what `unevaluatedProperties` and `unevaluatedItems` ask for.
    pub(super) fn unevaluated(&mut self, properties: u32, items: u32, reference: u32) -> u32 {
        if properties == NONE && items == NONE {
            return reference;
        }
        self.flags |= flag::SCRATCH | flag::TRACK;
        let node = self.arena.len();
        self.extend(&[mask::ALL, group::ANY | (Why::Type as u8) << Why::SHIFT, Op::Unevaluated as u8 | LAST]);
        self.push_varint(reference);
        for reference in [properties, items] {
            self.push_varint(reference.wrapping_add(1));
        }
        node as u32 + FIRST_NODE
    }

    /// Where a reference leads.
    #[inline(never)]
    fn locate(&mut self, text: Text<'s>, at: usize) -> Location {
        let mut buffer = [0; super::resource::MAX_URI];
        let own = text.as_plain().filter(|plain| plain.first() == Some(&b'#'));
        if let Some(plain) = own
            && let Some(found) = self.prepared(plain)
        {
            return found;
        }
        let (uri, fragment) = match own {
            Some(plain) => (None, plain.get(1..).unwrap_or_default()),
            None => {
                let Ok(resolved) = uri::resolve(self.base.bytes(), text, &mut buffer) else {
                    return self.stop(SchemaErrorKind::InvalidReference, at);
                };
                let (uri, fragment) = uri::split_fragment(resolved);
                (if uri == self.base.bytes() { None } else { Some(uri) }, fragment)
            }
        };
        let root = match uri {
            None => Location { document: self.document, at: self.resource },
            Some(uri) => match self.find_resource(uri) {
                Some(root) => root,
                None => return self.stop(SchemaErrorKind::UnresolvedReference, at),
            },
        };
        let found = match uri::pointer(fragment) {
            Some(tokens) => self.follow(root, tokens),
            None => self.find_anchor(root, fragment),
        };
        match found {
            Some(location) => location,
            None => self.stop(SchemaErrorKind::UnresolvedReference, at),
        }
    }

    /// Follows a JSON Pointer. Most begin with the same step (`/$defs`), which is looked up once.
    fn follow(&mut self, root: Location, mut tokens: uri::Tokens<'_>) -> Option<Location> {
        let Some(first) = tokens.next() else {
            return Some(root);
        };
        let doc = self.text_of(root.document);
        if let Some((from, name_at, to)) = self.first_step
            && from == root
            && first.equals(doc.string(name_at).map_or(Text::plain(""), |(text, _)| text))
        {
            return self.follow_from(Location { document: root.document, at: to }, tokens);
        }
        let (name_at, at) = self.step(root, first)?;
        if doc.kind(name_at) == Ok(Kind::String) {
            self.first_step = Some((root, name_at, at));
        }
        self.follow_from(Location { document: root.document, at }, tokens)
    }

    fn follow_from(&self, root: Location, tokens: uri::Tokens<'_>) -> Option<Location> {
        let mut at = root.at;
        for token in tokens {
            match self.step(Location { document: root.document, at }, token) {
                Some((_, next)) => at = next,
                None => return None,
            }
        }
        Some(Location { document: root.document, at })
    }

    /// One step of a JSON Pointer: where the name (or the item) and the value stand.
    fn step(&self, from: Location, token: uri::Token<'_>) -> Option<(usize, usize)> {
        let doc = self.text_of(from.document);
        let mut elements = self.elements(doc, from.at)?;
        let mut after = from.at;
        while let Some(element) = self.next_element(&mut elements, &mut after) {
            if leads_to(token, element.segment) {
                return Some((if elements.is_object() { element.at } else { from.at }, element.value));
            }
            after = self.skip_in(doc, element.value);
            self.spend(after - element.at);
        }
        None
    }
}

/// Whether a token of a JSON Pointer is this member or item.
pub(super) fn leads_to(token: uri::Token<'_>, segment: Segment<'_>) -> bool {
    match segment {
        Segment::Name(name) => token.equals(name),
        Segment::Index(index) => token.index() == Some(index as usize),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Program, SchemaErrorKind, compile};
    use std::format;
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    /// Where a cycle is found: the offset of the reference that closes it.
    fn cycle(schema: &str) -> Option<usize> {
        match compile(schema.as_bytes(), &mut [0; 4096]) {
            Ok(program) => {
                assert!(Program::from_bytes(program.as_bytes()).is_ok(), "{schema}");
                None
            }
            Err(error) => {
                assert_eq!(error.kind, SchemaErrorKind::CyclicReference, "{schema}");
                Some(error.at)
            }
        }
    }

    #[test]
    fn cycles_are_shown_at_the_reference_that_closes_them() {
        // In each, `→` stands before the place that is to be named.
        for schema in [
            r##"{"$ref":→"#"}"##,
            r##"{"allOf":[{"minimum":1},{"not":{"$ref":→"#"}}]}"##,
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"type":"null"},{"$ref":→"#/$defs/a"}]}}}"##,
            // Through a schema that was compiled on another level.
            r##"{"properties":{"x":{"$ref":"#/$defs/b"}},"allOf":[{"$ref":→"#/$defs/b"}],"$defs":{"b":{"allOf":[{"$ref":"#"}]}}}"##,
            r##"{"properties":{"x":{"$ref":"#/$defs/b"}},"allOf":[{"$ref":"#/$defs/c"}],
                "$defs":{"b":{"if":{"$ref":"#"}},"c":{"dependentSchemas":{"a":{"$ref":→"#/$defs/b"}}}}}"##,
            r##"{"items":{"$ref":"#/$defs/c"},"anyOf":[{"$ref":→"#/$defs/c"}],
                "$defs":{"c":{"oneOf":[{"$ref":"#/$defs/d"},true]},"d":{"minimum":1,"else":{"$ref":"#"},"if":true}}}"##,
            r##"{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":→"#n"}]}"##,
        ] {
            assert_eq!(cycle(&schema.replace('→', "")), schema.find('→'), "{schema}");
        }
    }

    #[test]
    fn recursion_into_the_instance_is_no_cycle() {
        for schema in [
            r##"{"properties":{"a":{"$ref":"#"}}}"##,
            r##"{"properties":{"x":{"$ref":"#/$defs/b"}},"$defs":{"b":{"allOf":[{"$ref":"#"}]}}}"##,
            r##"{"properties":{"x":{"$ref":"#/$defs/b"}},"allOf":[{"items":{"$ref":"#/$defs/b"}}],"$defs":{"b":{"allOf":[{"$ref":"#"}]}}}"##,
            r##"{"anyOf":[{"$ref":"#/$defs/e"},{"$ref":"#/$defs/e"}],"$defs":{"e":{"items":{"$ref":"#/$defs/e"}}}}"##,
            r##"{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}"##,
        ] {
            assert_eq!(cycle(schema), None, "{schema}");
        }
    }

    /// Random graphs of schemas, against a search for cycles on the graph itself.
    #[test]
    fn cycles_are_found_in_any_graph() {
        const IN_PLACE: [&str; 6] = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"];
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut seen = [0, 0];
        for _ in 0..4000 {
            let count = 2 + random(4);
            let mut edges: Vec<(usize, usize, bool)> = Vec::new();
            let mut bodies = vec![Vec::<String>::new(); count];
            for (from, body) in bodies.iter_mut().enumerate() {
                for _ in 0..random(4) {
                    let (to, in_place) = (random(count), random(3) > 0);
                    let target = if to == 0 { String::from("#") } else { format!("#/$defs/{to}") };
                    let reference = format!(r#"{{"$ref":"{target}"}}"#);
                    let keyword = if in_place { IN_PLACE[random(6)] } else { ["items", "properties"][random(2)] };
                    if body.iter().any(|member| member.starts_with(&format!("\"{keyword}"))) {
                        continue;
                    }
                    edges.push((from, to, in_place));
                    body.push(match keyword {
                        "allOf" | "anyOf" | "oneOf" => format!(r#""{keyword}":[{{"minimum":{from}}},{reference}]"#),
                        "properties" | "dependentSchemas" => format!(r#""{keyword}":{{"a":{reference}}}"#),
                        _ => format!(r#""{keyword}":{reference}"#),
                    });
                }
            }
            let defs: Vec<String> = (1..count).map(|i| format!(r#""{i}":{{{}}}"#, bodies[i].join(","))).collect();
            let mut root = bodies[0].clone();
            root.insert(random(root.len() + 1), format!(r#""$defs":{{{}}}"#, defs.join(",")));
            let schema = format!("{{{}}}", root.join(","));
            // What the root reaches at all, and what each reaches in place.
            let closure = |start: usize, only_in_place: bool| {
                let mut reached = vec![false; count];
                let mut work = vec![start];
                while let Some(node) = work.pop() {
                    for &(_, to, _) in edges.iter().filter(|edge| edge.0 == node && (edge.2 || !only_in_place)) {
                        if !reached[to] {
                            reached[to] = true;
                            work.push(to);
                        }
                    }
                }
                reached
            };
            let compiled = closure(0, false);
            let expected = (0..count).any(|node| (node == 0 || compiled[node]) && closure(node, true)[node]);
            assert_eq!(cycle(&schema).is_some(), expected, "{schema}");
            seen[usize::from(expected)] += 1;
        }
        assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    }
}
