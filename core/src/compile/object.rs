//! Keywords for objects: a table of names, with everything else of the object around it.

use super::block::{self, Block, block_at, kind};
use super::error::{Result, SchemaErrorKind, stop};
use super::table::entry;
use super::{Compiler, Draft, NONE};
use crate::hash;
use crate::instance::{Instance, Kind, Next};
use crate::program::op::{Op, group, object};
use crate::text::Text;

impl Compiler<'_, '_> {
    /// `properties`: an entry for each, once its schema is compiled.
    pub(super) fn properties(&mut self, at: usize, draft: &Draft) -> Result<usize> {
        self.each_member(at, |compiler, name_at, name, value| {
            let hash = hash::text(name);
            if compiler.entry(draft.mark, hash, name)?.is_some() {
                return stop(SchemaErrorKind::DuplicateName, name_at);
            }
            let (reference, after) = compiler.child(value)?;
            block::push_words(&mut compiler.arena, kind::ENTRY, &[hash, name_at as u32, reference, 0])?;
            Ok(after)
        })
    }

    /// `patternProperties`
    pub(super) fn pattern_properties(&mut self, at: usize) -> Result<usize> {
        self.each_member(at, |compiler, name_at, name, value| {
            let (reference, after) = compiler.child(value)?;
            let mark = compiler.arena.len();
            compiler.arena.extend(&reference.to_le_bytes())?;
            compiler.pattern_program(name, name_at)?;
            block::stash(&mut compiler.arena, kind::PATTERN, mark)?;
            Ok(after)
        })
    }

    /// Reads an object member by member: `read` gets the place of the name, the name and the place of the value, and gives the
    /// place behind that.
    pub(super) fn each_member(
        &mut self,
        at: usize,
        mut read: impl FnMut(&mut Self, usize, Text<'_>, usize) -> Result<usize>,
    ) -> Result<usize> {
        let doc = self.doc;
        if doc.kind(at)? != Kind::Object {
            return stop(SchemaErrorKind::ExpectedObject, at);
        }
        let mut members = doc.members(at);
        let mut after = at;
        loop {
            match doc.next_member(&mut members, after)? {
                Next::End(end) => return Ok(end),
                Next::Item(member) => after = read(self, member.name_at, member.name, member.value)?,
            }
        }
    }

    /// The entry of this name among the records from `mark`, and its number.
    fn entry(&self, mark: usize, hash: u32, name: Text<'_>) -> Result<Option<(u32, Block)>> {
        let mut at = mark;
        let mut index = 0;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::ENTRY {
                if block.word(&self.arena, entry::HASH) == hash && self.entry_text(&block)?.equals_text(name) {
                    return Ok(Some((index, block)));
                }
                index += 1;
            }
        }
        Ok(None)
    }

    /// The entry of this name, made if need be.
    fn entry_or_new(&mut self, mark: usize, name_at: usize) -> Result<(u32, Block)> {
        let (name, _) = self.doc.string(name_at)?;
        let hash = hash::text(name);
        if let Some(found) = self.entry(mark, hash, name)? {
            return Ok(found);
        }
        let block = block::push_words(&mut self.arena, kind::ENTRY, &[hash, name_at as u32, NONE, 0])?;
        Ok((self.count_entries(mark) - 1, block))
    }

    fn count_entries(&self, mark: usize) -> u32 {
        let mut at = mark;
        let mut count = 0;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            count += u32::from(block.kind == kind::ENTRY);
        }
        count
    }

    /// `required`: flags on entries. An array of unique strings; in draft-04 with at least one.
    fn required(&mut self, at: usize, mark: usize) -> Result<()> {
        let mut any = false;
        self.each_name(at, |compiler, name_at| {
            any = true;
            let (_, block) = compiler.entry_or_new(mark, name_at)?;
            if block.word(&compiler.arena, entry::FLAGS) & entry::REQUIRED != 0 {
                return stop(SchemaErrorKind::DuplicateItem, name_at);
            }
            block.set_word(&mut compiler.arena, entry::FLAGS, entry::REQUIRED);
            Ok(())
        })?;
        if !any && self.dialect == super::Dialect::Draft4 {
            return stop(SchemaErrorKind::EmptyArray, at);
        }
        Ok(())
    }

    /// Reads an array of strings.
    fn each_name(&mut self, at: usize, mut read: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<usize> {
        let doc = self.doc;
        if doc.kind(at)? != Kind::Array {
            return stop(SchemaErrorKind::ExpectedArray, at);
        }
        let mut items = doc.items(at);
        let mut after = at;
        loop {
            match doc.next_item(&mut items, after)? {
                Next::End(end) => return Ok(end),
                Next::Item(item) => {
                    if doc.kind(item)? != Kind::String {
                        return stop(SchemaErrorKind::ExpectedString, item);
                    }
                    after = doc.string(item)?.1;
                    read(self, item)?;
                }
            }
        }
    }

    /// Makes the entries of all names that `dependentRequired` and its like speak of.
    fn dependent_entries(&mut self, at: u32, mark: usize) -> Result<()> {
        if at == NONE {
            return Ok(());
        }
        self.each_member(at as usize, |compiler, name_at, _, value| {
            compiler.entry_or_new(mark, name_at)?;
            if compiler.doc.kind(value)? == Kind::Array {
                return compiler.each_name(value, |compiler, name_at| {
                    compiler.entry_or_new(mark, name_at)?;
                    Ok(())
                });
            }
            compiler.skip(value)
        })?;
        Ok(())
    }

    /// Writes the dependencies at the front; subschemas are written before, so this is done in two rounds.
    fn dependent(&mut self, at: u32, mark: usize, names: bool, schemas: bool) -> Result<()> {
        if at == NONE {
            return Ok(());
        }
        self.each_member(at as usize, |compiler, name_at, _, value| {
            let (index, _) = compiler.entry_or_new(mark, name_at)?;
            let is_array = compiler.doc.kind(value)? == Kind::Array;
            if !is_array {
                if !schemas {
                    return stop(SchemaErrorKind::ExpectedArray, value);
                }
                let (reference, after) = compiler.schema(value)?;
                let front = compiler.arena.len();
                compiler.arena.push_varint(u64::from(index))?;
                compiler.arena.push(0)?;
                compiler.arena.push_varint(u64::from(reference))?;
                block::stash(&mut compiler.arena, kind::DEPENDENT, front)?;
                return Ok(after);
            }
            if !names {
                return stop(SchemaErrorKind::ExpectedSchema, value);
            }
            let mut count = 0_u64;
            compiler.each_name(value, |_, _| {
                count += 1;
                Ok(())
            })?;
            let front = compiler.arena.len();
            compiler.arena.push_varint(u64::from(index))?;
            compiler.arena.push_varint(count + 1)?;
            let mut wanted_before = 0_u64;
            let after = compiler.each_name(value, |compiler, name_at| {
                let (wanted, _) = compiler.entry_or_new(mark, name_at)?;
                // Most names are among the first 64 entries: those are checked for repetition.
                if wanted < 64 {
                    if wanted_before >> wanted & 1 != 0 {
                        return stop(SchemaErrorKind::DuplicateItem, name_at);
                    }
                    wanted_before |= 1 << wanted;
                }
                compiler.arena.push_varint(u64::from(wanted))?;
                Ok(())
            })?;
            block::stash(&mut compiler.arena, kind::DEPENDENT, front)?;
            Ok(after)
        })?;
        Ok(())
    }

    /// Turns what is known of objects into one instruction.
    pub(super) fn seal_object(&mut self, draft: &Draft) -> Result<()> {
        if draft.required_at != NONE {
            self.required(draft.required_at as usize, draft.mark)?;
        }
        for at in [draft.dependent_required_at, draft.dependent_schemas_at, draft.dependencies_at] {
            self.dependent_entries(at, draft.mark)?;
        }
        self.dependent(draft.dependent_required_at, draft.mark, true, false)?;
        self.dependent(draft.dependent_schemas_at, draft.mark, false, true)?;
        self.dependent(draft.dependencies_at, draft.mark, true, true)?;

        let (mut count, mut required, mut patterns, mut dependent) = (0_u32, 0_u32, 0_usize, 0_usize);
        let mut at = draft.mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            match block.kind {
                kind::ENTRY => {
                    count += 1;
                    required += block.word(&self.arena, entry::FLAGS) & entry::REQUIRED;
                }
                kind::PATTERN => patterns += 1,
                kind::DEPENDENT => dependent += block.len,
                _ => {}
            }
        }
        let additional = draft.additional;
        let flags = flag(count > 0, object::TABLE)
            | flag(required > 0, object::REQUIRED)
            | flag(additional != NONE, object::ADDITIONAL)
            | flag(draft.names != NONE, object::NAMES)
            | flag(patterns > 0, object::PATTERNS)
            | flag(draft.min_properties != NONE, object::MIN)
            | flag(draft.max_properties != NONE, object::MAX)
            | flag(dependent > 0, object::DEPENDENT);
        if flags == 0 {
            return Ok(());
        }
        if count > 64 {
            self.flags |= crate::program::flag::SCRATCH;
        }
        let mark = self.arena.len();
        self.arena.push(Op::Object as u8)?;
        self.arena.push(flags)?;
        if count > 0 {
            self.table(draft.mark, kind::ENTRY, 0)?;
        }
        if required > 0 {
            self.required_bits(draft.mark)?;
        }
        for reference in [additional, draft.names] {
            if reference != NONE {
                self.arena.push_varint(u64::from(reference))?;
            }
        }
        if patterns > 0 {
            self.patterns(draft.mark)?;
        }
        for bound in [draft.min_properties, draft.max_properties] {
            if bound != NONE {
                self.arena.push_varint(u64::from(bound))?;
            }
        }
        if dependent > 0 {
            self.arena.push_varint(dependent as u64)?;
            self.gather(draft.mark, kind::DEPENDENT)?;
        }
        self.retire(draft.mark, &[kind::ENTRY, kind::PATTERN, kind::DEPENDENT]);
        block::stash(&mut self.arena, kind::RUN + group::OBJECT.trailing_zeros() as u8, mark)?;
        Ok(())
    }

    fn required_bits(&mut self, mark: usize) -> Result<()> {
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
                self.arena.push_varint(word)?;
                word = 0;
            }
        }
        if index % 64 != 0 {
            self.arena.push_varint(word)?;
        }
        Ok(())
    }

    /// Writes the pattern properties: their length, then for each the reference, the length of the pattern and the pattern.
    fn patterns(&mut self, mark: usize) -> Result<()> {
        let front = self.arena.len();
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind::PATTERN {
                let reference = block.word(&self.arena, 0);
                self.arena.push_varint(u64::from(reference))?;
                self.arena.push_varint(block.len.saturating_sub(4) as u64)?;
                self.arena.append(block.at + 4, block.len.saturating_sub(4))?;
            }
        }
        let len = self.arena.len() - front;
        block::stash(&mut self.arena, kind::PIECE, front)?;
        self.arena.push_varint(len as u64)?;
        self.gather(mark, kind::PIECE)?;
        self.retire(mark, &[kind::PIECE]);
        Ok(())
    }

    /// Appends the payloads of all records of a kind.
    fn gather(&mut self, mark: usize, kind: u8) -> Result<()> {
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if block.kind == kind {
                self.arena.append(block.at, block.len)?;
            }
        }
        Ok(())
    }

    /// Marks records as used up.
    pub(super) fn retire(&mut self, mark: usize, kinds: &[u8]) {
        let mut at = mark;
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            if kinds.contains(&block.kind) {
                block.set_kind(&mut self.arena, kind::DEAD);
            }
        }
    }
}

const fn flag(condition: bool, flag: u8) -> u8 {
    if condition { flag } else { 0 }
}
