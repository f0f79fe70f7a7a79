//! Keywords for objects: a table of names, with everything else of the object around it.

use super::block::{Block, block_at, kind};
use super::error::SchemaErrorKind;
use super::index::Index;
use super::keyword::Keyword;
use super::read::behind;
use super::table::{entry, stored};
use super::{Compiler, Draft, NONE};
use crate::hash;
use crate::instance::Kind;
use crate::program::op::{Op, group, object};
use crate::text::Text;

impl Compiler<'_, '_> {
    /// `properties`: an entry for each, once its schema is compiled.
    pub(super) fn properties(&mut self, at: usize) -> usize {
        let mut after = self.begin_object(at);
        while let Some((name, value)) = self.next_member(self.doc, at, &mut after) {
            let (name_at, mut reference) = (after, 0);
            after = self.child(value, &mut reference);
            self.push_entry(hash::text(name), name_at, name, reference);
        }
        after
    }

    fn push_entry(&mut self, hash: u32, name_at: usize, name: Text<'_>, reference: u32) -> Block {
        let words = [hash, name_at as u32, reference, 0, stored(name), 0];
        self.push_words(kind::ENTRY, &words)
    }

    /// `patternProperties`
    pub(super) fn pattern_properties(&mut self, at: usize) -> usize {
        let mut after = self.begin_object(at);
        while let Some((name, value)) = self.next_member(self.doc, at, &mut after) {
            let (name_at, mut reference) = (after, 0);
            after = self.child(value, &mut reference);
            if !self.check_only {
                let mark = self.arena.len();
                self.extend(&reference.to_le_bytes());
                self.pattern_program(name, name_at);
                self.stash(kind::PATTERN, mark);
            }
        }
        after
    }

    /// Looks over the entries of a draft: numbers them and makes them findable. No name may occur twice.
    fn names(&mut self, mark: usize) -> Names {
        let mut names = Names { mark, front: self.arena.len(), count: 0, room: 0, index: Index::default() };
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY {
                self.number_entry(&mut names, block);
            }
        }
        self.index_names(&mut names, 0);
        names
    }

    /// Gives an entry the next number.
    fn number_entry(&mut self, names: &mut Names, block: Block) {
        block.set_word(&mut self.arena, entry::FLAGS, names.count << entry::NUMBER);
        names.count += 1;
    }

    /// Builds the index of all entries, with room for `more`.
    fn index_names(&mut self, names: &mut Names, more: usize) {
        let room = names.count as usize + more;
        self.arena.truncate(names.front);
        self.extend_zeros(Index::size(room, 1));
        names.index = Index::new(names.front, room, 1);
        names.room = room as u32;
        let mut at = names.mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY {
                let name = self.entry_text(&block);
                let (slot, key) = self.find_name(names, block.word(&self.arena, entry::HASH), name);
                if key != 0 {
                    return self.stop(SchemaErrorKind::DuplicateName, block.word(&self.arena, entry::AT) as usize);
                }
                self.arena.set_word(slot, (block.at + block.len) as u32);
            }
        }
    }

    /// The slot of a name in the index, and the entry's position.
    fn find_name(&self, names: &Names, hash: u32, name: Text<'_>) -> (usize, u32) {
        let mut probe = names.index.probe(hash);
        loop {
            let (slot, key) = self.next_slot(&mut probe);
            match block_at(&self.arena, key as usize + 4).filter(|_| key != 0) {
                Some(block)
                    if block.word(&self.arena, entry::HASH) != hash || !self.entry_text(&block).equals_text(name) => {}
                _ => return (slot, key),
            }
        }
    }

    /// The entry of this name, made if need be.
    fn entry_or_new(&mut self, names: &mut Names, name_at: usize) -> Block {
        let name = self.text(name_at);
        let hash = hash::text(name);
        let (mut slot, key) = self.find_name(names, hash, name);
        if let Some(found) = block_at(&self.arena, key as usize + 4).filter(|_| key != 0) {
            return found;
        }
        if names.count >= names.room {
            self.index_names(names, names.count as usize + 1);
            slot = self.find_name(names, hash, name).0;
        }
        let block = self.push_entry(hash, name_at, name, NONE);
        self.number_entry(names, block);
        self.arena.set_word(slot, (block.at + block.len) as u32);
        block
    }

    /// `required`: flags on entries. An array of unique strings; in draft-04 with at least one.
    fn required(&mut self, at: usize, names: &mut Names) {
        let mut after = self.name_array(at);
        while let Some(name_at) = self.next_name(at, &mut after) {
            let block = self.entry_or_new(names, name_at);
            let flags = block.word(&self.arena, entry::FLAGS);
            if flags & entry::REQUIRED != 0 {
                self.note(SchemaErrorKind::DuplicateItem, name_at);
            }
            block.set_word(&mut self.arena, entry::FLAGS, flags | entry::REQUIRED);
        }
    }

    /// The array of strings at `at`; in draft-04 with at least one.
    fn name_array(&self, at: usize) -> usize {
        self.begin_array(at, self.dialect > super::Dialect::Draft4)
    }

    /// The place of its next string; `after` is the place behind it.
    fn next_name(&self, start: usize, after: &mut usize) -> Option<usize> {
        let is_item = self.next_item(start, after);
        let at = *after;
        is_item.then(|| {
            *after = behind(at, self.string(at));
            at
        })
    }

    /// Compiles the schemas of `dependentSchemas` and its like: a record for each. Nodes are written before what refers to them.
    fn dependent_nodes(&mut self, at: u32, names: bool) {
        if at == NONE {
            return;
        }
        let mut after = self.begin_object(at as usize);
        while let Some((_, value)) = self.next_member(self.doc, at as usize, &mut after) {
            if names && self.kind(value) == Kind::Array {
                after = self.skip(value);
                continue;
            }
            let mut reference = 0;
            after = self.schema(value, &mut reference);
            self.push_words(kind::REFERENCE, &[reference]);
        }
    }

    /// Makes the entries of all names that `dependentRequired` and its like speak of.
    fn dependent_entries(&mut self, at: u32, names: &mut Names) {
        if at == NONE {
            return;
        }
        let mut after = self.begin_object(at as usize);
        while let Some((_, value)) = self.next_member(self.doc, at as usize, &mut after) {
            self.entry_or_new(names, after);
            if self.kind(value) == Kind::Array {
                after = self.name_array(value);
                while let Some(name_at) = self.next_name(value, &mut after) {
                    self.entry_or_new(names, name_at);
                }
            } else {
                after = self.skip(value);
            }
        }
    }

    /// Writes the dependencies. `nodes` is where the records of their schemas begin; `lists` counts the lists of names;
    /// `only`: there are no schemas.
    fn dependent(&mut self, at: u32, names: &mut Names, nodes: &mut usize, lists: &mut u32, only: bool) {
        if at == NONE {
            return;
        }
        let mut after = self.begin_object(at as usize);
        while let Some((_, value)) = self.next_member(self.doc, at as usize, &mut after) {
            let front = self.arena.len();
            let index = self.entry_or_new(names, after).word(&self.arena, entry::FLAGS) >> entry::NUMBER;
            self.push_varint(index);
            if only || self.kind(value) == Kind::Array {
                after = self.dependent_names(value, names, lists);
            } else {
                let mut reference = NONE;
                while let Some(block) = block_at(&self.arena, *nodes)
                    && reference == NONE
                {
                    *nodes = block.next();
                    if block.kind == kind::REFERENCE {
                        reference = block.word(&self.arena, 0);
                    }
                }
                self.push(0);
                self.push_varint(reference);
                after = self.skip(value);
            }
            self.stash(kind::DEPENDENT, front);
        }
    }

    /// Writes a list of names: one more than their number, then the number of each.
    fn dependent_names(&mut self, at: usize, names: &mut Names, lists: &mut u32) -> usize {
        *lists += 1;
        let (mut after, mut count) = (self.name_array(at), 0_u32);
        while self.next_name(at, &mut after).is_some() {
            count += 1;
        }
        self.push_varint(count + 1);
        after = self.name_array(at);
        while let Some(name_at) = self.next_name(at, &mut after) {
            let block = self.entry_or_new(names, name_at);
            if block.word(&self.arena, entry::LIST) == *lists {
                self.note(SchemaErrorKind::DuplicateItem, name_at);
            }
            block.set_word(&mut self.arena, entry::LIST, *lists);
            let wanted = block.word(&self.arena, entry::FLAGS) >> entry::NUMBER;
            self.push_varint(wanted);
        }
        after
    }

    /// What the names of all keywords come to: entries, flags on them, and what depends on what.
    pub(super) fn seal_names(&mut self, draft: &Draft) {
        if draft.seen & KEYWORDS == 0 {
            return;
        }
        let mut nodes = self.arena.back();
        self.dependent_nodes(draft.of(Keyword::DependentSchemas), false);
        self.dependent_nodes(draft.of(Keyword::Dependencies), true);
        let mut names = self.names(draft.mark);
        if draft.of(Keyword::Required) != NONE {
            self.required(draft.of(Keyword::Required) as usize, &mut names);
        }
        let dependent = [
            draft.of(Keyword::DependentRequired),
            draft.of(Keyword::DependentSchemas),
            draft.of(Keyword::Dependencies),
        ];
        for at in dependent {
            self.dependent_entries(at, &mut names);
        }
        let mut lists = 0;
        for (at, only) in dependent.into_iter().zip([true, false, false]) {
            self.dependent(at, &mut names, &mut nodes, &mut lists, only);
        }
        self.arena.truncate(names.front);
    }

    /// Turns what is known of objects into one instruction.
    pub(super) fn seal_object(&mut self, draft: &Draft) {
        if draft.seen & KEYWORDS == 0 {
            return;
        }
        self.seal_names(draft);

        let (mut count, mut required, mut patterns, mut dependent) = (0_u32, 0_u32, 0_usize, 0_usize);
        let mut at = draft.mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            match block.kind {
                kind::ENTRY => {
                    count += 1;
                    required |= block.word(&self.arena, entry::FLAGS) & entry::REQUIRED;
                }
                kind::PATTERN => patterns += 1,
                kind::DEPENDENT => dependent += block.len,
                _ => {}
            }
        }
        let additional = draft.of(Keyword::AdditionalProperties);
        let flags = flag(count > 0, object::TABLE)
            | flag(required > 0, object::REQUIRED)
            | flag(additional != NONE, object::ADDITIONAL)
            | flag(draft.of(Keyword::PropertyNames) != NONE, object::NAMES)
            | flag(patterns > 0, object::PATTERNS)
            | flag(draft.of(Keyword::MinProperties) != NONE, object::MIN)
            | flag(draft.of(Keyword::MaxProperties) != NONE, object::MAX)
            | flag(dependent > 0, object::DEPENDENT);
        if flags == 0 {
            return;
        }
        self.flags |= crate::program::flag::of_names(count);
        let mark = self.arena.len();
        self.push(Op::Object as u8);
        self.push(flags);
        if count > 0 {
            self.table(draft.mark, kind::ENTRY, 0);
        }
        if required > 0 {
            self.required_bits(draft.mark);
        }
        for reference in [additional, draft.of(Keyword::PropertyNames)] {
            if reference != NONE {
                self.push_varint(reference);
            }
        }
        if patterns > 0 {
            self.patterns(draft.mark);
        }
        for bound in [draft.of(Keyword::MinProperties), draft.of(Keyword::MaxProperties)] {
            if bound != NONE {
                self.push_varint(bound);
            }
        }
        if dependent > 0 {
            self.push_varint(dependent as u32);
            self.gather(draft.mark, kind::DEPENDENT);
        }
        if self.retire(draft.mark, &[kind::ENTRY, kind::PATTERN, kind::DEPENDENT, kind::REFERENCE]) {
            self.arena.release(draft.mark);
        }
        self.stash(kind::RUN + group::OBJECT.trailing_zeros() as u8, mark);
    }

    pub(super) fn required_bits(&mut self, mark: usize) {
        let mut word = 0_u64;
        let mut index = 0;
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind != kind::ENTRY {
                continue;
            }
            word |= u64::from(block.word(&self.arena, entry::FLAGS) & entry::REQUIRED) << (index % 64);
            index += 1;
            if index % 64 == 0 {
                self.push_bits(word);
                word = 0;
            }
        }
        if index % 64 != 0 {
            self.push_bits(word);
        }
    }

    /// Writes the pattern properties: their length, then for each the reference, the length of the pattern and the pattern.
    fn patterns(&mut self, mark: usize) {
        let front = self.arena.len();
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::PATTERN {
                let reference = block.word(&self.arena, 0);
                self.push_varint(reference);
                self.push_varint(block.len.saturating_sub(4) as u32);
                self.append(block.at + 4, block.len.saturating_sub(4));
            }
        }
        let len = self.arena.len() - front;
        self.stash(kind::PIECE, front);
        self.push_varint(len as u32);
        self.gather(mark, kind::PIECE);
        self.retire(mark, &[kind::PIECE]);
    }

    /// Appends the payloads of all records of a kind.
    fn gather(&mut self, mark: usize, kind: u8) {
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind {
                self.append(block.at, block.len);
            }
        }
    }

    /// Marks records as used up. Whether all are.
    pub(super) fn retire(&mut self, mark: usize, kinds: &[u8]) -> bool {
        let (mut at, mut all) = (mark, true);
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if kinds.contains(&block.kind) {
                block.set_kind(&mut self.arena, kind::DEAD);
            } else {
                all &= block.kind == kind::DEAD;
            }
        }
        all
    }
}

/// The keywords that come together in the instruction.
const KEYWORDS: u64 = bit(Keyword::Properties)
    | bit(Keyword::PatternProperties)
    | bit(Keyword::AdditionalProperties)
    | bit(Keyword::PropertyNames)
    | bit(Keyword::Required)
    | bit(Keyword::MinProperties)
    | bit(Keyword::MaxProperties)
    | bit(Keyword::DependentRequired)
    | bit(Keyword::DependentSchemas)
    | bit(Keyword::Dependencies);

pub(super) const fn bit(keyword: Keyword) -> u64 {
    1 << keyword as u8
}

/// The entries of a draft, while more are made.
struct Names {
    mark: usize,
    /// Where the front of the arena stood before the index.
    front: usize,
    count: u32,
    /// How many entries the index has room for.
    room: u32,
    index: Index,
}

const fn flag(condition: bool, flag: u8) -> u8 {
    if condition { flag } else { 0 }
}
