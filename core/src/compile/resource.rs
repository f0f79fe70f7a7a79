//! Schema resources: base URIs, embedded resources, anchors, and the registered documents.

use super::block::{block_at, kind};
use super::dialect::vocabulary;
use super::error::{MAX_LEN, SchemaErrorKind};
use super::keyword::{Keyword, Shape};
use super::meta::META_SCHEMAS;
use super::prepare::old_ids;
use super::{Compiler, Dialect, MAX_DEPTH};
use crate::instance::{Instance, Kind};
use crate::json::Json;
use crate::text::Text;
use crate::uri;

/// Greatest length of a resolved URI in bytes.
pub(super) const MAX_URI: usize = 256;

/// A place in one of the documents: 0 is the schema itself, the rest the registered ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) document: u16,
    pub(super) at: usize,
}

/// A base URI, without a fragment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    bytes: [u8; MAX_URI],
    len: usize,
}

impl Base {
    pub(super) const EMPTY: Self = Self { bytes: [0; MAX_URI], len: 0 };

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The base that `reference` is, seen from this one.
    fn resolve(&self, reference: Text<'_>) -> Option<Self> {
        let mut base = Self::EMPTY;
        let len = uri::split_fragment(uri::resolve(self.bytes(), reference, &mut base.bytes).ok()?).0.len();
        base.len = len;
        Some(base)
    }
}

/// What is being looked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal<'g> {
    Resource(&'g [u8]),
    Anchor(&'g [u8]),
    /// All of them, into the index.
    EveryAnchor,
    DynamicAnchor(&'g [u8]),
    RecursiveAnchor,
}

/// Where the compiler stands; restored after a reference was followed.
pub(super) struct Context<'s> {
    doc: Json<'s>,
    document: u16,
    dialect: Dialect,
    vocabularies: u8,
    assert_formats: bool,
    resource: usize,
    /// Where the base URI was put aside, in the arena's back.
    base: Option<Base>,
}

impl<'s> Compiler<'_, 's> {
    /// The text of a document.
    pub(super) fn text_of(&self, document: u16) -> Json<'s> {
        Json::trusted(match document {
            0 => self.main,
            _ => self.registered(document).1,
        })
    }

    /// URI and text of a document other than the schema itself: what the caller registered, then the meta-schemas.
    fn registered(&self, document: u16) -> (&'s str, &'s [u8]) {
        let index = usize::from(document).wrapping_sub(1);
        let documents = self.options.documents;
        documents
            .get(index)
            .or_else(|| META_SCHEMAS.get(index.wrapping_sub(documents.len())))
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn last_document(&self) -> u16 {
        let meta_schemas = if self.meta_schemas { META_SCHEMAS.len() } else { 0 };
        (self.options.documents.len() + meta_schemas) as u16
    }

    /// The dialect of the schema itself; documents that do not say have the same.
    pub(super) fn enter_main(&mut self, root: usize) {
        self.dialect_at(root);
        self.main_dialect = self.dialect;
        if self.dialect == Dialect::Draft4 {
            for document in 0..=self.last_document() {
                let text = self.text_of(document);
                let ids = old_ids(text.bytes());
                self.ids |= ids > 0;
                self.embedded_ids |=
                    ids > 1 || (ids == 1 && self.member_in(text, text.white_space(0), b"id").is_none());
            }
        }
        self.resource = root;
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn context(&self) -> Context<'s> {
        Context {
            doc: self.doc,
            document: self.document,
            dialect: self.dialect,
            vocabularies: self.vocabularies,
            assert_formats: self.assert_formats,
            resource: self.resource,
            base: self.ids.then_some(self.base),
        }
    }

    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn restore(&mut self, context: Context<'s>) {
        self.doc = context.doc;
        self.document = context.document;
        self.dialect = context.dialect;
        self.vocabularies = context.vocabularies;
        self.assert_formats = context.assert_formats;
        self.resource = context.resource;
        if let Some(base) = context.base {
            self.base = base;
        }
    }

    /// A number for the resource at hand, the same whenever it is entered.
    pub(super) fn resource_number(&self) -> u32 {
        u32::from(self.document) << 24 | self.resource as u32
    }

    /// Goes to the beginning of a document.
    fn open(&mut self, document: u16) -> usize {
        let text = self.text_of(document);
        if document != self.document && document > 0 {
            if text.bytes().len() > MAX_LEN {
                return self.stop(SchemaErrorKind::TooLarge, 0);
            }
            self.check_bytes(text.bytes());
        }
        self.doc = text;
        self.document = document;
        let root = text.white_space(0);
        self.resource = root;
        self.base = Base::EMPTY;
        if document > 0 {
            let Some(base) = Base::EMPTY.resolve(Text::plain(self.registered(document).0)) else {
                return self.stop(SchemaErrorKind::InvalidReference, 0);
            };
            self.base = base;
        }
        self.dialect = self.main_dialect;
        self.vocabularies = vocabulary::ALL;
        self.assert_formats = self.options.assert_formats;
        self.dialect_at(root);
        root
    }

    /// The same while looking for something: a document whose dialect is unknown is passed over.
    fn open_known(&mut self, document: u16) -> Option<usize> {
        let depth = self.depth;
        let root = self.open(document);
        match self.error.get() {
            None => Some(root),
            Some(error) => {
                if error.kind == SchemaErrorKind::UnknownDialect {
                    self.depth = depth;
                    self.error.set(None);
                }
                None
            }
        }
    }

    /// Goes to a place that a reference leads to: its document, and the base URI and dialect that hold there.
    pub(super) fn enter(&mut self, location: Location) {
        if location.document == self.document && !self.embedded_ids {
            return;
        }
        let mut at = self.open(location.document);
        let doc = self.doc;
        while at != location.at {
            if let Some(id) = self.id_of(at) {
                self.begin_resource(at, id);
            }
            let Some(mut elements) = self.elements(doc, at) else {
                return;
            };
            let mut after = at;
            at = loop {
                let Some(element) = self.next_element(&mut elements, &mut after) else {
                    return;
                };
                after = self.skip(element.value);
                self.spend(after - element.value);
                if location.at < after {
                    break element.value;
                }
            };
        }
    }

    /// The member of this name of the object at `at`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn member(&self, at: usize, name: &str) -> Option<usize> {
        self.member_in(self.doc, at, name.as_bytes())
    }

    /// The string member of this name.
    pub(super) fn string_member(&self, at: usize, name: &str) -> Option<Text<'s>> {
        match self.member(at, name) {
            Some(value) if self.kind(value) == Kind::String => Some(self.text(value)),
            _ => None,
        }
    }

    /// The `$id` of the schema at `at`, where that begins a resource.
    pub(super) fn id_of(&self, at: usize) -> Option<Text<'s>> {
        if !self.ids || (!self.embedded_ids && at != self.doc.white_space(0)) {
            return None;
        }
        let name = if self.dialect == Dialect::Draft4 { "id" } else { "$id" };
        let id = self.string_member(at, name)?;
        // Before 2019-09 an `$id` beside `$ref` is ignored, and one that is only a fragment is an anchor.
        if self.dialect < Dialect::Draft2019_09
            && (id.chars().next() == Some(u32::from(b'#')) || self.member(at, "$ref").is_some())
        {
            return None;
        }
        Some(id)
    }

    pub(super) fn is_resource(&self, at: usize) -> bool {
        self.id_of(at).is_some()
    }

    fn begin_resource(&mut self, at: usize, id: Text<'s>) {
        let Some(base) = self.base.resolve(id) else {
            return self.stop(SchemaErrorKind::InvalidReference, at);
        };
        self.base = base;
        self.resource = at;
        self.dialect_at(at);
    }

    /// Compiles an object schema that begins a resource.
    pub(super) fn embedded(&mut self, at: usize, id: Text<'s>, reference: &mut u32) -> usize {
        let context = self.context();
        self.begin_resource(at, id);
        let after = self.resource_object(at, reference);
        self.restore(context);
        after
    }

    /// Compiles an object schema that is the root of its resource.
    pub(super) fn resource_object(&mut self, at: usize, reference: &mut u32) -> usize {
        let after = self.object(at, reference);
        if self.dynamic {
            *reference = self.scope_node(self.resource_number(), *reference);
        }
        after
    }

    /// The registered document that was retrieved from `uri`, or has it as `$id`.
    pub(super) fn find_document(&mut self, uri: &[u8]) -> Option<Location> {
        for document in 1..=self.last_document() {
            let (retrieved, text) = self.registered(document);
            let doc = Json::trusted(text);
            let root = doc.white_space(0);
            let base = Base::EMPTY.resolve(Text::plain(retrieved));
            (self.doc, self.document) = (doc, document);
            let id = self.string_member(root, "$id").or(self.string_member(root, "id"));
            let own = id.and_then(|id| base.as_ref().and_then(|base| base.resolve(id)));
            if base.is_some_and(|base| base.bytes() == uri) || own.is_some_and(|own| own.bytes() == uri) {
                return Some(Location { document, at: root });
            }
        }
        None
    }

    /// The resource of this URI, in any document.
    pub(super) fn find_resource(&mut self, uri: &[u8]) -> Option<Location> {
        let context = self.context();
        let base = self.base;
        let mark = self.arena.back();
        let mut found = None;
        for document in 0..=self.last_document() {
            let Some(root) = self.open_known(document) else {
                continue;
            };
            if self.base.bytes() == uri && document > 0 {
                found = Some(Location { document, at: root });
                break;
            }
            self.search(root, Goal::Resource(uri));
            found = self.first_found(mark);
            if found.is_some() {
                break;
            }
        }
        self.arena.release(mark);
        self.restore(context);
        self.base = base;
        found
    }

    /// The schema with this anchor in the resource that begins at `root`.
    pub(super) fn find_anchor(&mut self, root: Location, fragment: &[u8]) -> Option<Location> {
        let context = self.context();
        let base = self.base;
        let mark = self.arena.back();
        self.enter(root);
        if let Some(id) = self.id_of(root.at) {
            self.begin_resource(root.at, id);
        }
        self.resource = root.at;
        self.search_members(root.at, Goal::Anchor(fragment));
        let found = self.first_found(mark);
        self.arena.release(mark);
        self.restore(context);
        self.base = base;
        found
    }

    /// Makes a record for everything that `goal` describes, in all documents.
    pub(super) fn search_everywhere(&mut self, goal: Goal<'_>) {
        let context = self.context();
        let base = self.base;
        for document in 0..=self.last_document() {
            if let Some(root) = self.open_known(document) {
                self.search(root, goal);
            }
        }
        self.restore(context);
        self.base = base;
    }

    fn first_found(&self, mark: usize) -> Option<Location> {
        let found = block_at(&self.arena, mark)?;
        Some(Location { document: found.word(&self.arena, 0) as u16, at: found.word(&self.arena, 1) as usize })
    }

    fn found(&mut self, at: usize) {
        let resource = self.resource_number();
        self.push_words(kind::FOUND, &[u32::from(self.document), at as u32, resource]);
    }

    /// Looks through the schema at `at` and all schemas in it; gives the place behind it.
    pub(super) fn search(&mut self, at: usize, goal: Goal<'_>) -> usize {
        if self.kind(at) != Kind::Object {
            return self.skip(at);
        }
        if self.depth >= MAX_DEPTH {
            return self.stop(SchemaErrorKind::TooDeep, at);
        }
        self.depth += 1;
        let end = match self.id_of(at) {
            Some(id) => self.search_resource(at, id, goal),
            None => self.search_members(at, goal),
        };
        self.depth -= 1;
        end
    }

    #[inline(never)]
    fn search_resource(&mut self, at: usize, id: Text<'s>, goal: Goal<'_>) -> usize {
        // An anchor belongs to the resource it stands in.
        if matches!(goal, Goal::Anchor(_)) {
            return self.skip(at);
        }
        let context = self.context();
        self.begin_resource(at, id);
        if let Goal::Resource(uri) = goal
            && self.base.bytes() == uri
        {
            self.found(at);
        }
        let end = self.search_members(at, goal);
        self.restore(context);
        end
    }

    fn search_members(&mut self, at: usize, goal: Goal<'_>) -> usize {
        if self.kind(at) != Kind::Object {
            return self.skip(at);
        }
        let mut after = self.begin_object(at);
        while let Some((name, value)) = self.next_member(self.doc, at, &mut after) {
            let name_at = after;
            let keyword = name.as_plain().and_then(|name| Keyword::of(name, self.dialect));
            match (keyword, goal) {
                (Some(Keyword::Anchor | Keyword::DynamicAnchor), Goal::EveryAnchor) => {
                    self.add_anchor(value, at);
                }
                (Some(Keyword::Anchor), Goal::Anchor(name))
                | (Some(Keyword::DynamicAnchor), Goal::Anchor(name) | Goal::DynamicAnchor(name)) => {
                    if self.is_name(value, name, false) {
                        self.found(at);
                    }
                }
                // Before 2019-09 an anchor was an `$id` that is only a fragment.
                (Some(Keyword::Id | Keyword::OldId), Goal::Anchor(name)) if self.dialect < Dialect::Draft2019_09 => {
                    if self.is_name(value, name, true) {
                        self.found(at);
                    }
                }
                (Some(Keyword::RecursiveAnchor), Goal::RecursiveAnchor)
                    if at == self.resource && self.kind(value) == Kind::True =>
                {
                    self.found(at);
                }
                _ => {}
            }
            match (keyword.map_or(Shape::Other, Keyword::shape), self.kind(value)) {
                (Shape::Map, Kind::Object) => {
                    after = value;
                    while let Some((_, schema)) = self.next_member(self.doc, value, &mut after) {
                        after = self.search(schema, goal);
                    }
                }
                (Shape::Map | Shape::Schemas, Kind::Array) => {
                    after = value;
                    while self.next_item(value, &mut after) {
                        after = self.search(after, goal);
                    }
                }
                (Shape::Schema | Shape::Schemas, Kind::Object) => after = self.search(value, goal),
                _ => {
                    after = self.skip(value);
                    self.spend(after.saturating_sub(value));
                }
            }
            self.spend(value - name_at);
        }
        after
    }

    /// Whether the string at `at` (behind its `#`, if `hash`) is what the fragment names.
    fn is_name(&self, at: usize, fragment: &[u8], hash: bool) -> bool {
        if self.kind(at) != Kind::String {
            return false;
        }
        let text = self.text(at);
        let mut chars = text.chars();
        if hash && chars.next() != Some(u32::from(b'#')) {
            return false;
        }
        chars.eq(uri::percent_decode(fragment))
    }

    /// Whether the schema at `location` has this `$dynamicAnchor`.
    pub(super) fn has_dynamic_anchor(&self, location: Location, fragment: &[u8]) -> bool {
        let doc = self.text_of(location.document);
        match self.member_in(doc, location.at, b"$dynamicAnchor") {
            Some(at) if doc.kind(at) == Ok(Kind::String) => {
                doc.string(at).is_ok_and(|(text, _)| text.chars().eq(uri::percent_decode(fragment)))
            }
            _ => false,
        }
    }

    /// Whether the schema at `location` has `$recursiveAnchor: true`.
    pub(super) fn has_recursive_anchor(&self, location: Location) -> bool {
        let doc = self.text_of(location.document);
        match self.member_in(doc, location.at, b"$recursiveAnchor") {
            Some(at) => doc.kind(at) == Ok(Kind::True),
            None => false,
        }
    }
}
