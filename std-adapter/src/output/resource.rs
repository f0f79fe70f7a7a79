//! Schema resources: documents, base URIs, dialects, anchors, and where references lead.

use super::Reading;
use super::keyword::{Shape, shape};
use super::tree::{Id, Trees, Value, fragment, token};
use microschema::{Dialect, META_SCHEMAS};
use std::collections::HashMap;
use std::sync::Arc;

/// Meta-schemas of meta-schemas that are followed.
const MAX_DIALECTS: u32 = 16;

/// What the keywords of a resource mean: its dialect, less the vocabularies that its meta-schema leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    pub(super) applicator: bool,
    pub(super) unevaluated: bool,
    pub(super) validation: bool,
    /// Whether formats are assertions.
    pub(super) formats: bool,
}

impl Rules {
    pub(super) const ALL: Self =
        Self { dialect: Dialect::Draft2020_12, applicator: true, unevaluated: true, validation: true, formats: true };
}

/// A schema, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) node: Id,
    pub(super) resource: usize,
    /// The JSON Pointer to it, from the root of its resource.
    pub(super) pointer: String,
}

#[derive(Debug)]
pub(super) struct Resource {
    root: Id,
    /// Empty where there is none.
    pub(super) base: Arc<str>,
    pub(super) rules: Rules,
    anchors: HashMap<String, (Id, String)>,
    dynamic_anchors: HashMap<String, (Id, String)>,
    recursive_anchor: bool,
}

/// The schema, then the documents that were registered, then the meta-schemas.
#[derive(Debug, Default)]
pub(super) struct Documents<'s> {
    pub(super) trees: Trees<'s>,
    list: Vec<Document>,
}

#[derive(Debug)]
struct Document {
    root: Id,
    /// Where it was retrieved from.
    uri: String,
    /// What it calls itself.
    own: Option<String>,
}

impl<'s> Documents<'s> {
    /// Reads them all. A document that is no JSON is left out: the engine refuses schemas that refer to it.
    pub(super) fn new(schema: &'s [u8], reading: &Reading<'s>) -> Self {
        let mut documents = Self::default();
        documents.read(String::new(), schema);
        if documents.trees.all_members().any(|(name, value)| leads_away(name, value)) {
            for (uri, text) in reading.documents.iter().chain(META_SCHEMAS) {
                documents.read(resolve("", uri), text);
            }
        }
        documents
    }

    fn read(&mut self, uri: String, text: &'s [u8]) {
        if let Some(root) = self.trees.read(text) {
            let id = self.trees.string_member(root, "$id").or(self.trees.string_member(root, "id"));
            let own = id.map(|id| split(&resolve(&uri, id)).0.to_owned());
            self.list.push(Document { root, uri, own });
        }
    }

    fn is_true(&self, node: Id, name: &str) -> bool {
        self.trees.member(node, name).is_some_and(|value| self.trees.text(value) == "true")
    }

    /// The rules under a schema's own `$schema`; `None` where that is unknown.
    fn rules(&self, node: Id, outer: Rules, depth: u32) -> Option<Rules> {
        let Some(wanted) = self.trees.string_member(node, "$schema") else { return Some(outer) };
        let wanted = resolve("", wanted);
        if let Some(dialect) = Dialect::from_uri(&wanted) {
            return Some(Rules { dialect, formats: outer.formats, ..Rules::ALL });
        }
        if depth == 0 {
            return None;
        }
        let wanted = split(&wanted).0;
        let is_wanted = |document: &&Document| document.uri == wanted || document.own.as_deref() == Some(wanted);
        let root = self.list.iter().skip(1).find(is_wanted)?.root;
        // A meta-schema that describes itself says nothing of what its keywords mean.
        self.trees.string_member(root, "$schema").filter(|own| *own != wanted)?;
        let mut rules = self.rules(root, outer, depth - 1)?;
        if let Some(vocabularies) = self.trees.member(root, "$vocabulary") {
            self.vocabularies(vocabularies, &mut rules);
        }
        Some(rules)
    }

    fn vocabularies(&self, node: Id, rules: &mut Rules) {
        (rules.applicator, rules.unevaluated, rules.validation) = (false, false, false);
        for member in self.trees.members(node) {
            let uri = resolve("", self.trees.string(member.name));
            let known =
                ["https://json-schema.org/draft/2020-12/vocab/", "https://json-schema.org/draft/2019-09/vocab/"];
            match known.iter().find_map(|prefix| uri.strip_prefix(prefix)) {
                Some("applicator") => {
                    rules.applicator = true;
                    // Its own vocabulary only from 2020-12 on.
                    rules.unevaluated |= rules.dialect == Dialect::Draft2019_09;
                }
                Some("unevaluated") => rules.unevaluated = true,
                Some("validation") => rules.validation = true,
                Some("format-assertion") => rules.formats = true,
                Some("format") => rules.formats |= self.trees.text(member.value) == "true",
                _ => {}
            }
        }
    }

    /// The `$id` of a schema, where that begins a resource.
    fn id_of(&self, node: Id, dialect: Dialect) -> Option<&str> {
        let id = self.trees.string_member(node, if dialect == Dialect::Draft4 { "id" } else { "$id" })?;
        // Before 2019-09 an `$id` beside `$ref` is ignored, and one that is only a fragment is an anchor.
        let old = dialect < Dialect::Draft2019_09;
        (!(old && (id.starts_with('#') || self.trees.member(node, "$ref").is_some()))).then_some(id)
    }
}

/// The resources of all documents.
#[derive(Debug, Default)]
pub(super) struct Resources {
    list: Vec<Resource>,
    by_root: HashMap<Id, usize>,
    by_uri: HashMap<String, usize>,
}

impl Resources {
    /// Looks through all documents; gives the schema itself, too.
    pub(super) fn new(documents: &Documents<'_>, reading: &Reading<'_>) -> (Self, Option<Place>) {
        let mut resources = Self::default();
        let rules = Rules { dialect: reading.dialect, formats: reading.assert_formats, ..Rules::ALL };
        let main = documents.list.first().and_then(|main| documents.rules(main.root, rules, MAX_DIALECTS));
        let others = Rules { dialect: main.unwrap_or(rules).dialect, ..rules };
        let mut schema = None;
        for (index, Document { root, uri, .. }) in documents.list.iter().enumerate() {
            // A document whose dialect is unknown is passed over.
            let outer = if index == 0 { rules } else { others };
            let Some(rules) = documents.rules(*root, outer, MAX_DIALECTS) else { continue };
            let base = match documents.id_of(*root, rules.dialect) {
                Some(id) => split(&resolve(uri, id)).0.to_owned(),
                None => uri.clone(),
            };
            let place = resources.begin(documents, *root, base, rules, true);
            if index == 0 {
                schema = Some(place);
            } else {
                resources.by_uri.entry(uri.clone()).or_insert(place.resource);
            }
        }
        (resources, schema)
    }

    pub(super) fn of(&self, place: &Place) -> &Resource {
        &self.list[place.resource]
    }

    /// The URI of what is `pointer` away from a schema, where its resource has an absolute one.
    pub(super) fn absolute(&self, place: &Place, pointer: &str) -> Option<String> {
        let base = &self.of(place).base;
        let scheme = base.split_once(':').map(|(scheme, _)| scheme)?;
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        is_scheme.then(|| format!("{base}#{}{}", fragment(&place.pointer), fragment(pointer)))
    }

    /// The schema at `node`, which is `pointer` away from `outer`: in the same resource, or the root of its own.
    pub(super) fn place(&mut self, documents: &Documents<'_>, outer: &Place, pointer: &str, node: Id) -> Place {
        self.step(documents, outer, pointer, node, false)
    }

    /// Where a reference leads.
    pub(super) fn resolve(&mut self, documents: &Documents<'_>, from: &Place, reference: &str) -> Option<Place> {
        let base = Arc::clone(&self.of(from).base);
        let resolved = resolve(&base, reference);
        let (uri, fragment) = match reference.strip_prefix('#') {
            Some(fragment) => (&*base, fragment),
            None => split(&resolved),
        };
        let resource = if uri == &*base { from.resource } else { *self.by_uri.get(uri)? };
        let root = self.root(resource);
        let fragment = percent_decode(fragment)?;
        if fragment.is_empty() {
            return Some(root);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            return self.list[resource].anchors.get(&fragment).map(|found| at(found, resource));
        };
        let mut place = root;
        for step in pointer.split('/') {
            let name = step.replace("~1", "/").replace("~0", "~");
            let node = match &documents.trees.node_of(place.node).value {
                Value::Array(items) => *items.get(name.parse::<usize>().ok()?)?,
                _ => documents.trees.member(place.node, &name)?,
            };
            place = self.step(documents, &place, &token(&name), node, false);
        }
        Some(place)
    }

    /// Where `$dynamicRef` leads, seen from the resources that were entered, first to last.
    pub(super) fn resolve_dynamic(
        &mut self,
        documents: &Documents<'_>,
        from: &Place,
        reference: &str,
        scope: &[usize],
    ) -> Option<Place> {
        let fixed = self.resolve(documents, from, reference)?;
        let name = percent_decode(split(reference).1)?;
        if documents.trees.string_member(fixed.node, "$dynamicAnchor") != Some(&name) {
            return Some(fixed);
        }
        let outermost = scope
            .iter()
            .find_map(|resource| self.list[*resource].dynamic_anchors.get(&name).map(|found| at(found, *resource)));
        outermost.or(Some(fixed))
    }

    /// Where `$recursiveRef` leads.
    pub(super) fn resolve_recursive(
        &mut self,
        documents: &Documents<'_>,
        from: &Place,
        reference: &str,
        scope: &[usize],
    ) -> Option<Place> {
        let fixed = self.resolve(documents, from, reference)?;
        if !documents.is_true(fixed.node, "$recursiveAnchor") {
            return Some(fixed);
        }
        let outermost = scope.iter().copied().find(|resource| self.list[*resource].recursive_anchor);
        Some(outermost.map_or(fixed, |resource| self.root(resource)))
    }

    fn root(&self, resource: usize) -> Place {
        Place { node: self.list[resource].root, resource, pointer: String::new() }
    }

    fn step(&mut self, documents: &Documents<'_>, outer: &Place, pointer: &str, node: Id, findable: bool) -> Place {
        let Resource { rules, ref base, .. } = self.list[outer.resource];
        match documents.id_of(node, rules.dialect) {
            None => Place { node, resource: outer.resource, pointer: format!("{}{pointer}", outer.pointer) },
            Some(id) => match self.by_root.get(&node) {
                Some(&resource) => self.root(resource),
                None => {
                    let base = split(&resolve(base, id)).0.to_owned();
                    let rules = documents.rules(node, rules, MAX_DIALECTS).unwrap_or(rules);
                    self.begin(documents, node, base, rules, findable)
                }
            },
        }
    }

    /// Adds a resource, its anchors and the resources in it. `findable`: by their URIs.
    fn begin(&mut self, documents: &Documents<'_>, root: Id, base: String, rules: Rules, findable: bool) -> Place {
        let resource = self.list.len();
        if findable {
            self.by_uri.entry(base.clone()).or_insert(resource);
        }
        self.by_root.insert(root, resource);
        self.list.push(Resource {
            root,
            base: base.into(),
            rules,
            anchors: HashMap::new(),
            dynamic_anchors: HashMap::new(),
            recursive_anchor: rules.dialect == Dialect::Draft2019_09 && documents.is_true(root, "$recursiveAnchor"),
        });
        let place = self.root(resource);
        self.look_through(documents, &place, findable);
        place
    }

    /// Notes the anchors of a schema and of those in it.
    fn look_through(&mut self, documents: &Documents<'_>, place: &Place, findable: bool) {
        let trees = &documents.trees;
        let dialect = self.of(place).rules.dialect;
        for member in trees.members(place.node) {
            let (name, value) = (trees.string(member.name), member.value);
            let anchor = match name {
                "$anchor" => Some(trees.string(value)).filter(|_| dialect >= Dialect::Draft2019_09),
                "$dynamicAnchor" => Some(trees.string(value)).filter(|_| dialect >= Dialect::Draft2020_12),
                "id" if dialect == Dialect::Draft4 => trees.string(value).strip_prefix('#'),
                "$id" if dialect > Dialect::Draft4 && dialect < Dialect::Draft2019_09 => {
                    trees.string(value).strip_prefix('#')
                }
                _ => None,
            };
            let resource = &mut self.list[place.resource];
            if let Some(anchor) = anchor {
                let found = (place.node, place.pointer.clone());
                if name == "$dynamicAnchor" {
                    resource.dynamic_anchors.entry(anchor.to_owned()).or_insert_with(|| found.clone());
                }
                resource.anchors.entry(anchor.to_owned()).or_insert(found);
            }
            let pointer = token(name);
            match shape(name, dialect) {
                Shape::None => {}
                Shape::Map => {
                    for inner in trees.members(value) {
                        let pointer = format!("{pointer}{}", token(trees.string(inner.name)));
                        self.look_into(documents, place, &pointer, inner.value, findable);
                    }
                }
                Shape::Schemas => {
                    for (index, item) in trees.items(value).iter().enumerate() {
                        self.look_into(documents, place, &format!("{pointer}/{index}"), *item, findable);
                    }
                    self.look_into(documents, place, &pointer, value, findable);
                }
            }
        }
    }

    fn look_into(&mut self, documents: &Documents<'_>, outer: &Place, pointer: &str, node: Id, findable: bool) {
        let place = self.step(documents, outer, pointer, node, findable);
        if place.resource == outer.resource {
            self.look_through(documents, &place, findable);
        }
    }
}

/// Whether a member can refer to another document.
fn leads_away(name: &str, value: &str) -> bool {
    match name {
        "$ref" | "$dynamicRef" | "$recursiveRef" => !value.starts_with('#'),
        "$schema" => Dialect::from_uri(&resolve("", value)).is_none(),
        _ => false,
    }
}

fn at((node, pointer): &(Id, String), resource: usize) -> Place {
    Place { node: *node, resource, pointer: pointer.clone() }
}

fn resolve(base: &str, reference: &str) -> String {
    let mut buffer = vec![0; base.len() + 3 * reference.len() + 1];
    microschema::resolve_reference(base, reference, &mut buffer).unwrap_or_default().to_owned()
}

/// A URI without its fragment, and the fragment.
fn split(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

fn percent_decode(text: &str) -> Option<String> {
    let (mut bytes, mut decoded) = (text.as_bytes(), Vec::new());
    while let [first, rest @ ..] = bytes {
        let pair = rest.get(..2).filter(|pair| *first == b'%' && pair.iter().all(u8::is_ascii_hexdigit));
        let octet = pair.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        decoded.push(octet.unwrap_or(*first));
        bytes = if octet.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8(decoded).ok()
}
