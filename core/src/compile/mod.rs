//! The compiler: schema text in, program out, in the caller's arena. One pass over the text, no allocation.
//!
//! Subschemas are written before the schema that holds them, so that references point backwards; only recursion needs a link that is
//! filled in later. What is known of a schema while its members are read stands in records at the back of the arena ([`block`]);
//! `seal` turns them into instructions and `emit` into a node.

mod admits;
mod array;
mod block;
mod branch;
mod check;
mod condition;
mod dialect;
mod elements;
mod error;
mod fold;
mod index;
mod keyword;
#[cfg(feature = "meta-schemas")]
mod meta;
#[cfg(not(feature = "meta-schemas"))]
mod meta {
    //! Left out of this build.
    pub(super) const META_SCHEMAS: &[(&str, &[u8])] = &[];
}
mod object;
mod options;
mod plain;
mod prepare;
mod read;
mod reference;
mod resource;
mod seen;
mod select;
mod table;
mod targets;
mod value;
mod write;

pub use error::{SchemaError, SchemaErrorKind, SchemaPointer};
#[cfg(feature = "meta-schemas")]
pub use meta::META_SCHEMAS;
pub use options::{Dialect, Options, compile};

use crate::arena::Arena;
use crate::hash;
use crate::instance::{Instance, Kind};
use crate::json::Json;
use crate::program::op::{self, FIRST_NODE, LAST, Op, Why, group, mask};
use crate::program::{HEADER, MAGIC, PAD, VERSION, flag};
use block::{block_at, kind};
use core::cell::Cell;
use fold::{Node, Records};
use keyword::Keyword;

/// No reference, no offset.
const NONE: u32 = u32::MAX;
/// Whether what a schema says in several parts is made one. It decides on calls only: what is not called is not linked.
const FOLDS: bool = cfg!(feature = "fold");
/// Schemas within schemas.
const MAX_DEPTH: u16 = 256;
/// So many instructions that apply schemas to the same value are worth remembering what came of it.
const MANY_AGAIN: u32 = 8;

struct Compiler<'a, 's> {
    options: Options<'s>,
    arena: Arena<'a>,
    /// The first error.
    error: Cell<Option<SchemaError>>,
    /// The document being read, and its number: 0 the schema itself, else one more than its index among the registered.
    doc: Json<'s>,
    document: u16,
    dialect: Dialect,
    /// The program's flags so far.
    flags: u8,
    /// Levels of schema around the one being read.
    depth: u16,
    /// Levels of instance around it: a reference to a schema in progress on the same level is a cycle.
    level: u32,
    targets: targets::Targets,
    /// Whether a schema is read for its errors alone.
    check_only: bool,
    /// Work left that is not linear in the schema by itself.
    work: Cell<u32>,
    /// Where many references lead, found beforehand: by pointer, and by anchor.
    prefixes: [prepare::Prefix; prepare::PREFIXES],
    anchors: index::Index,
    anchors_known: bool,
    /// The first step of the last JSON Pointer: from where, the name, to where.
    first_step: Option<(resource::Location, usize, usize)>,
    /// The text of the schema itself, and its dialect.
    main: &'s [u8],
    main_dialect: Dialect,
    /// The resource being read: where it begins, its base URI, its vocabularies.
    resource: usize,
    base: resource::Base,
    vocabularies: u8,
    assert_formats: bool,
    /// Whether any document has an `$id`, and whether any has one that is not at its root.
    ids: bool,
    embedded_ids: bool,
    /// Schemas that may yet be looked into for what tells branches apart.
    looks: Cell<u32>,
    /// The last `else`, where it was written just then and no reference leads to it.
    own_else: u32,
    /// Instructions that may apply schemas to a value which others are applied to as well.
    again: u32,
    /// Whether any document has a dynamic reference.
    dynamic: bool,
    /// Whether any document has a `$schema`.
    dialects: bool,
    /// Whether the meta-schemas may be referred to.
    meta_schemas: bool,
}

/// What is known of a schema while its keywords are read, beside its records.
struct Draft {
    mask: u8,
    why: Why,
    /// Where its records begin.
    mark: usize,
    /// Keywords seen, a bit each.
    seen: u64,
    /// What is kept of the values of some keywords: a reference, a count, or where the value stands. [`NONE`] where there is none.
    slots: [u32; keyword::SLOTS],
    unique: bool,
    content: value::Content,
}

impl Draft {
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn new(arena: &Arena<'_>) -> Self {
        Self {
            mask: mask::ALL,
            why: Why::Type,
            mark: arena.back(),
            seen: 0,
            slots: [NONE; keyword::SLOTS],
            unique: false,
            content: value::Content::default(),
        }
    }

    /// Narrows the types; `why` is kept for the message when that changes anything.
    fn narrow(&mut self, mask: u8, why: Why) {
        if self.mask & !mask != 0 {
            self.mask &= mask;
            self.why = why;
        }
    }

    /// What is kept of a keyword.
    fn of(&self, keyword: Keyword) -> u32 {
        self.slots[keyword as usize % keyword::SLOTS]
    }

    fn slot(&mut self, keyword: Keyword) -> &mut u32 {
        &mut self.slots[keyword as usize % keyword::SLOTS]
    }

    fn has(&self, keyword: Keyword) -> bool {
        self.seen >> (keyword as u8) & 1 != 0
    }
}

impl<'a, 's> Compiler<'a, 's> {
    fn new(options: Options<'s>, schema: &'s [u8], arena: &'a mut [u8]) -> Self {
        Self {
            options,
            arena: Arena::new(arena),
            error: Cell::new(None),
            doc: Json::trusted(schema),
            document: 0,
            dialect: options.dialect,
            flags: 0,
            depth: 0,
            level: 0,
            targets: targets::Targets::default(),
            check_only: false,
            work: Cell::new(prepare::most_work(schema)),
            prefixes: Default::default(),
            anchors: index::Index::default(),
            anchors_known: false,
            first_step: None,
            main: schema,
            main_dialect: options.dialect,
            resource: 0,
            base: resource::Base::EMPTY,
            vocabularies: dialect::vocabulary::ALL,
            assert_formats: options.assert_formats,
            ids: false,
            embedded_ids: false,
            again: 0,
            looks: Cell::new(select::most_looks(schema)),
            own_else: NONE,
            dynamic: false,
            dialects: false,
            meta_schemas: false,
        }
    }

    /// Compiles the whole and writes the header.
    fn whole(&mut self) {
        if self.main.len() > error::MAX_LEN {
            return self.stop(SchemaErrorKind::TooLarge, 0);
        }
        self.check_bytes(self.main);
        for _ in 0..HEADER {
            self.push(0);
        }
        self.prepare_targets();
        let root = self.doc.white_space(0);
        self.enter_main(root);
        let mut reference = 0;
        let after = self.root_schema(root, &mut reference);
        self.read(self.doc.finish(after), ());
        // Few that do not come back cannot make much work.
        if self.again > 0 && (self.targets.links > 0 || self.again >= MANY_AGAIN) {
            self.flags |= flag::MEMO;
        }
        self.extend_zeros(PAD);
        let len = self.arena.len();
        if len > 0xFF_FFFF - FIRST_NODE as usize {
            return self.stop(SchemaErrorKind::TooLarge, 0);
        }
        self.arena.set_word(HEADER - 4, u32::from(self.flags) | reference << 8);
        let checksum = hash::bytes(self.arena.range(HEADER - 4, len));
        self.arena.set(0, MAGIC);
        self.arena.set(1, VERSION);
        self.arena.set_word(2, checksum);
    }

    /// Keeps the error, where it is the first. What is read and written after one means nothing: loops end, schemas are not entered.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(always))]
    fn stop<T: Default>(&self, kind: SchemaErrorKind, at: usize) -> T {
        self.note(kind, at);
        T::default()
    }

    #[cold]
    #[inline(never)]
    fn note(&self, kind: SchemaErrorKind, at: usize) {
        if !self.stopped() {
            self.error.set(Some(SchemaError { kind, at, document: self.document.checked_sub(1) }));
        }
    }

    /// Whether there was an error.
    fn stopped(&self) -> bool {
        self.error.get().is_some()
    }

    /// Compiles the schema at `at` and sets the reference to it; gives the place behind it in the text.
    fn schema(&mut self, at: usize, reference: &mut u32) -> usize {
        match self.kind(at) {
            Kind::True | Kind::False if self.dialect > Dialect::Draft4 => self.subschema_or_boolean(at, reference),
            Kind::Object if self.check_only => {
                *reference = u32::from(mask::ALL);
                self.check_object(at)
            }
            Kind::Object => match self.id_of(at) {
                Some(id) => self.embedded(at, id, reference),
                None if at == self.resource => self.resource_object(at, reference),
                None => self.object(at, reference),
            },
            _ => self.stop(SchemaErrorKind::ExpectedSchema, at),
        }
    }

    /// Compiles an object schema.
    fn object(&mut self, at: usize, reference: &mut u32) -> usize {
        let mut draft = Draft::new(&self.arena);
        let after = self.keywords(at, &mut draft);
        *reference = self.emit(&mut draft);
        after
    }

    /// Compiles a schema that applies to a part of the instance.
    fn child(&mut self, at: usize, reference: &mut u32) -> usize {
        self.level += 1;
        let result = self.schema(at, reference);
        self.level -= 1;
        result
    }

    /// Reads the keywords of the schema object at `at` into `draft` and its records.
    fn keywords(&mut self, at: usize, draft: &mut Draft) -> usize {
        if self.depth >= MAX_DEPTH {
            return self.stop(SchemaErrorKind::TooDeep, at);
        }
        self.depth += 1;
        let mut after = at;
        while let Some((name, value)) = self.next_member(self.doc, at, &mut after) {
            let name_at = after;
            let mut buffer = [0; 24];
            let name = match name.as_plain() {
                Some(name) => name,
                None => keyword::decode_name(name, &mut buffer),
            };
            after = match Keyword::of(name, self.dialect) {
                // A draft before 2019-09 ignores what stands beside `$ref`.
                Some(keyword)
                    if keyword.is_in(self.vocabularies)
                        && !(self.dialect < Dialect::Draft2019_09 && draft.has(Keyword::Ref)) =>
                {
                    if draft.has(keyword) {
                        return self.stop(SchemaErrorKind::DuplicateName, name_at);
                    }
                    draft.seen |= 1 << (keyword as u8);
                    self.keyword(keyword, value, draft)
                }
                _ => self.skip(value),
            };
        }
        for at in [draft.of(Keyword::Defs), draft.of(Keyword::Definitions)] {
            if at != NONE {
                self.definitions(at as usize);
            }
        }
        self.depth -= 1;
        after
    }

    /// Reads one keyword's value; the place behind it. Apart, as are the longer of those that it calls: inlined, they would make every
    /// schema pay for what few have.
    #[inline(never)]
    fn keyword(&mut self, keyword: Keyword, at: usize, draft: &mut Draft) -> usize {
        match keyword {
            Keyword::Type => self.types(at, draft),
            Keyword::Enum => self.enumeration(at, draft),
            Keyword::Const => self.constant(at, draft),
            Keyword::Minimum | Keyword::Maximum | Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum => {
                self.bound(keyword, at, draft)
            }
            Keyword::MultipleOf => self.multiple_of(at),
            Keyword::MinLength => self.length(Op::MinLength, at),
            Keyword::MaxLength => self.length(Op::MaxLength, at),
            Keyword::Pattern => self.pattern(at),
            Keyword::Format => self.format(at),
            Keyword::ContentEncoding | Keyword::ContentMediaType => self.content(keyword, at, &mut draft.content),

            Keyword::Properties => self.properties(at),
            Keyword::PatternProperties => self.pattern_properties(at),
            Keyword::Required => self.defer(at, Kind::Array, SchemaErrorKind::ExpectedArray, draft.slot(keyword)),
            Keyword::DependentRequired | Keyword::DependentSchemas | Keyword::Dependencies => {
                self.defer(at, Kind::Object, SchemaErrorKind::ExpectedObject, draft.slot(keyword))
            }
            Keyword::AdditionalProperties | Keyword::AdditionalItems => {
                self.subschema_or_boolean(at, draft.slot(keyword))
            }
            Keyword::PropertyNames | Keyword::Contains | Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems => {
                self.child(at, draft.slot(keyword))
            }
            Keyword::MinProperties
            | Keyword::MaxProperties
            | Keyword::MinItems
            | Keyword::MaxItems
            | Keyword::MinContains
            | Keyword::MaxContains => self.count(at, draft.slot(keyword)),

            Keyword::Items => self.items(at, draft),
            Keyword::PrefixItems => self.prefix_items(at),
            Keyword::UniqueItems => self.boolean(at, &mut draft.unique),

            Keyword::AllOf => self.all_of(at, draft),
            Keyword::AnyOf => self.some_of(at, Op::AnyOf, draft),
            Keyword::OneOf => self.some_of(at, Op::OneOf, draft),
            Keyword::Not => self.not(at),
            Keyword::Else if FOLDS => self.otherwise(at, draft),
            Keyword::If | Keyword::Then | Keyword::Else => self.schema(at, draft.slot(keyword)),

            // Those before all else are read when it is known which of them the rest refers to.
            Keyword::Defs | Keyword::Definitions if draft.seen & keyword::APPLICATORS != 0 => self.definitions(at),
            Keyword::Defs | Keyword::Definitions => {
                *draft.slot(keyword) = at as u32;
                self.definitions_end(at)
            }
            Keyword::Ref => self.reference(at, draft),
            Keyword::DynamicRef | Keyword::RecursiveRef if keyword.is_followed(self.dialect) => {
                self.dynamic_reference(keyword, at, draft)
            }
            _ => self.annotation(keyword, at),
        }
    }

    /// Skips a value that must be of one kind.
    fn expect(&self, at: usize, kind: Kind, error: SchemaErrorKind) -> usize {
        if self.kind(at) != kind {
            return self.stop(error, at);
        }
        self.skip(at)
    }

    /// Leaves a value for when the whole schema is known.
    fn defer(&self, at: usize, kind: Kind, error: SchemaErrorKind, slot: &mut u32) -> usize {
        *slot = at as u32;
        self.expect(at, kind, error)
    }

    /// A boolean is allowed here in draft-04, too.
    fn subschema_or_boolean(&mut self, at: usize, slot: &mut u32) -> usize {
        match self.kind(at) {
            Kind::True => *slot = u32::from(mask::ALL),
            Kind::False => *slot = 0,
            _ => return self.child(at, slot),
        }
        self.skip(at)
    }

    fn not(&mut self, at: usize) -> usize {
        let mut reference = 0;
        let after = self.schema(at, &mut reference);
        self.instruction(Op::Not, group::ANY, &[reference]);
        after
    }

    /// Makes a record of one instruction with these operands.
    fn instruction(&mut self, op: Op, group: u8, operands: &[u32]) {
        let mark = self.arena.len();
        self.push(op as u8);
        for &operand in operands {
            self.push_varint(operand);
        }
        self.stash(kind::RUN + group.trailing_zeros() as u8, mark);
    }

    /// Turns all records of the draft into instructions, and drops those for types that its mask excludes.
    fn seal(&mut self, draft: &mut Draft) {
        self.seal_numbers(draft);
        self.seal_content(&draft.content);
        self.seal_array(draft);
        self.seal_object(draft);
        if draft.of(Keyword::If) != NONE {
            let branch = |reference| if reference == NONE { u32::from(mask::ALL) } else { reference };
            let operands = [draft.of(Keyword::If), branch(draft.of(Keyword::Then)), branch(draft.of(Keyword::Else))];
            self.instruction(Op::If, group::ANY, &operands);
        }
        let mut at = if draft.mask == mask::ALL { 0 } else { draft.mark };
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            let unreachable = match block.kind {
                0 => draft.mask & mask::NUMBER == 0,
                1 => draft.mask & mask::STRING == 0,
                2 => draft.mask & mask::ARRAY == 0,
                3 => draft.mask & mask::OBJECT == 0,
                _ => false,
            };
            if unreachable {
                block.set_kind(&mut self.arena, kind::DEAD);
            }
        }
    }

    /// Writes the node of a draft and gives the reference to it. Its records are gone then.
    fn emit(&mut self, draft: &mut Draft) -> u32 {
        self.seal(draft);
        let mut node = Node {
            mask: draft.mask,
            why: draft.why,
            from: draft.mark,
            to: self.arena.back(),
            unevaluated: draft.of(Keyword::UnevaluatedProperties),
        };
        let reference = self.emit_node(&mut node);
        self.arena.release(draft.mark);
        self.unevaluated(node.unevaluated, draft.of(Keyword::UnevaluatedItems), reference)
    }

    /// Writes a node.
    fn emit_node(&mut self, node: &mut Node) -> u32 {
        if node.from == node.to && (node.why == Why::Type || node.mask == mask::ALL) {
            return u32::from(node.mask);
        }
        let back = self.arena.back();
        if FOLDS {
            self.fold(node);
            self.choose(node, back);
        }
        let mut sizes = [0_usize; 5];
        let mut last = [0_usize; 5];
        let mut lone = None;
        let mut count = 0;
        let mut records = Records::new(node, back);
        while let Some(block) = records.next(self) {
            if let (Some(size), Some(last)) =
                (sizes.get_mut(usize::from(block.kind)), last.get_mut(usize::from(block.kind)))
            {
                *size += block.len;
                *last = block.at;
                count += 1;
                lone = self.lone_reference(&block);
            }
        }
        if count == 0 && (node.why == Why::Type || node.mask == mask::ALL) {
            return u32::from(node.mask);
        }
        if count == 1
            && node.mask == mask::ALL
            && let Some(reference) = lone
        {
            return reference;
        }
        let start = self.arena.len();
        let mut groups = 0_u8;
        for (bit, size) in sizes.iter().enumerate() {
            groups |= u8::from(*size > 0) << bit;
        }
        self.push(node.mask);
        self.push(groups | (node.why as u8) << Why::SHIFT);
        for (bit, (&size, &last)) in sizes.iter().zip(&last).enumerate() {
            if size == 0 {
                continue;
            }
            if groups >> bit > 1 {
                self.push_varint(size as u32);
            }
            let mut records = Records::new(node, back);
            while let Some(block) = records.next(self) {
                if usize::from(block.kind) == bit {
                    let op = self.arena.len();
                    // Several instructions for a container each go through it.
                    let is_one_of_many = bit >= group::ARRAY.trailing_zeros() as usize && block.at != last;
                    self.again += u32::from(is_one_of_many || self.applies_again(&block));
                    self.append(block.at, block.len);
                    if block.at == last {
                        self.arena.set(op, self.arena.get(op) | LAST);
                    }
                }
            }
        }
        self.arena.release(back);
        start as u32 + FIRST_NODE
    }

    /// Whether an instruction may apply schemas to a value that others are applied to as well.
    fn applies_again(&self, block: &block::Block) -> bool {
        let flags = self.arena.get(block.at + 1);
        match Op::of(self.arena.get(block.at)) {
            Some(Op::Discriminator) => flags == op::discriminator::IF,
            Some(Op::AllOf | Op::AnyOf | Op::OneOf | Op::Not | Op::If | Op::IfSeen | Op::Unevaluated) => true,
            Some(Op::Object) => flags & (op::object::PATTERNS | op::object::DEPENDENT) != 0,
            Some(Op::Array) => flags & op::array::CONTAINS != 0,
            _ => false,
        }
    }

    /// The reference of an instruction that does nothing but apply one schema.
    fn lone_reference(&self, block: &block::Block) -> Option<u32> {
        let code = crate::program::code::Code::new(self.arena.range(block.at, block.at + block.len));
        if block.kind != kind::LAST_RUN || Op::of(code.byte(0)) != Some(Op::AllOf) || code.byte(1) != 1 {
            return None;
        }
        Some(code.varint(&mut 2))
    }
}
