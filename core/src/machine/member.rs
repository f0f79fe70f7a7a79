//! Members by their names, looked up in the table that the compiler laid down.

use super::object::Seen;
use super::{Machine, QUICK};
use crate::error::{Halt, JsonErrorKind};
use crate::instance::{Instance, Member, Search};
use crate::program::code::{Entry, NO_REFERENCE, PLAIN_OFFSET, Table};
use crate::text::Text;

/// A member as the table knows it.
pub(super) struct Declared<P> {
    /// The number of its entry, or [`UNNAMED`].
    pub(super) index: u32,
    /// Its schema, or [`NO_REFERENCE`].
    pub(super) reference: u32,
    /// The place behind its entry.
    pub(super) after: usize,
    pub(super) value: P,
}

/// The table does not name the member.
pub(super) const UNNAMED: u32 = u32::MAX;

/// The member of the entry at `at` of a plain table, from what that begins with.
#[inline(always)]
fn plain<P>(at: usize, head: u64, value: P) -> Declared<P> {
    let (len, index, reference) = Table::plain_head(head);
    Declared { index, reference, after: at.wrapping_add(PLAIN_OFFSET + len), value }
}

fn declared<P>(entry: Option<Entry<'_>>, value: P) -> Declared<P> {
    match entry {
        Some(Entry { index, reference, after, .. }) => {
            Declared { index, reference: reference.unwrap_or(NO_REFERENCE), after, value }
        }
        None => Declared { index: UNNAMED, reference: NO_REFERENCE, after: 0, value },
    }
}

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    /// Notes a member that the table names, of which the first 64 have these bits if they are required. None may come twice.
    #[inline(always)]
    pub(super) fn note_named(
        &mut self,
        seen: &mut Seen,
        index: u32,
        required: u64,
        name_at: I::Place,
    ) -> Result<(), Halt> {
        if !seen.insert(index, self.scratch) {
            return Err(Halt::json(JsonErrorKind::DuplicateName, self.instance.id(name_at)));
        }
        self.optional = index < 64 && required >> index & 1 == 0;
        Ok(())
    }

    /// The member whose name stands at `name_at`, if it is that of the entry at `expected` of a plain table.
    #[inline(always)]
    pub(super) fn expected_member(&self, expected: usize, name_at: I::Place) -> Option<Declared<I::Place>> {
        let entry = self.code.bytes().get(expected..)?;
        let value = self.instance.value_named(name_at, entry)?;
        Some(plain(expected, u64::from_le_bytes(*entry.first_chunk()?), value))
    }

    /// The member whose name stands at `name_at`. Objects mostly name their members in the order of the schema.
    #[inline(always)]
    pub(super) fn member_named(
        &mut self,
        table: &Table,
        expected: usize,
        name_at: I::Place,
    ) -> Result<Declared<I::Place>, Halt> {
        if table.is_plain()
            && expected < table.end
            && let Some(member) = self.expected_member(expected, name_at)
        {
            return Ok(member);
        }
        if QUICK && table.indexed() {
            return self.indexed_member(table, name_at);
        }
        self.other_member(table, expected, name_at)
    }

    /// The same for a member that is not the one expected. In a table without an index the entries behind that one are looked at first.
    #[inline(never)]
    pub(super) fn other_member(
        &mut self,
        table: &Table,
        expected: usize,
        name_at: I::Place,
    ) -> Result<Declared<I::Place>, Halt> {
        if QUICK && table.indexed() {
            return self.indexed_member(table, name_at);
        }
        if QUICK && !table.has_references {
            return self.required_member(table, name_at);
        }
        let found = self.search(table, expected, name_at);
        if let Search::Found(entry, name_end) = found
            && let Some(value) = self.instance.value_behind(name_end)
        {
            return Ok(plain(entry, self.code.u64(entry), value));
        }
        if QUICK && matches!(found, Search::Missing) {
            return self.unnamed_member(table, name_at);
        }
        self.any_member(table, matches!(found, Search::Missing), name_at)
    }

    /// The same in a short table of names without schemas, which are only required.
    #[inline(never)]
    fn required_member(&mut self, table: &Table, name_at: I::Place) -> Result<Declared<I::Place>, Halt> {
        let entries = self.code.bytes().get(table.entries..).unwrap_or_default();
        let found = self.instance.string_among(name_at, entries, table.count as u8);
        if let Search::Found(index, name_end) = found
            && let Some(value) = self.instance.value_behind(name_end)
        {
            return Ok(Declared { index: index as u32, reference: NO_REFERENCE, after: table.entries, value });
        }
        if QUICK && matches!(found, Search::Missing) {
            return self.unnamed_member(table, name_at);
        }
        self.any_member(table, matches!(found, Search::Missing), name_at)
    }

    /// The same in a table with an index.
    #[inline(never)]
    fn indexed_member(&mut self, table: &Table, name_at: I::Place) -> Result<Declared<I::Place>, Halt> {
        if table.is_plain()
            && let Some((index, wide, entries)) = table.parts(self.code)
            && let Some((entry, behind)) =
                self.instance.entry_indexed(name_at, index, wide, entries, &mut self.budget.steps)
            && let Some(value) = self.instance.value_behind(behind)
        {
            return Ok(match entry {
                Some(entry) => plain(table.entries + entry, self.code.u64(table.entries + entry), value),
                None => declared(None, value),
            });
        }
        self.any_member(table, false, name_at)
    }

    /// The same for a name that the table has only if it is written with escapes.
    #[inline(never)]
    fn unnamed_member(&mut self, table: &Table, name_at: I::Place) -> Result<Declared<I::Place>, Halt> {
        if let Some(behind) = self.instance.plain_end(name_at)
            && let Some(value) = self.instance.value_behind(behind)
        {
            self.budget.spend_bytes(self.instance.span(name_at, behind))?;
            return Ok(declared(None, value));
        }
        self.any_member(table, true, name_at)
    }

    /// The same for any name; `missing` where the table has it only if it is written with escapes.
    #[inline(never)]
    fn any_member(&mut self, table: &Table, missing: bool, name_at: I::Place) -> Result<Declared<I::Place>, Halt> {
        let Member { name, value, .. } = self.instance.member_at(name_at)?;
        if missing && name.as_plain().is_some() {
            self.budget.spend_bytes(name.end())?;
            return Ok(declared(None, value));
        }
        self.look_up(table, name, value)
    }

    /// Which entry of a table without an index the string at `at` names, as far as that is quick to see: of those from the place `from` on, or
    /// before.
    #[inline(always)]
    pub(super) fn search(&self, table: &Table, from: usize, at: I::Place) -> Search<I::Place> {
        let is_short = table.is_plain() && !table.indexed();
        let Some(entries) = self.code.bytes().get(table.entries..).filter(|_| is_short) else {
            return Search::Open;
        };
        let (from, end) = (from.wrapping_sub(table.entries), table.end.wrapping_sub(table.entries));
        match self.instance.entry_among(at, entries, from..end) {
            Search::Found(entry, behind) => Search::Found(table.entries.wrapping_add(entry), behind),
            search => search,
        }
    }

    pub(super) fn look_up(
        &mut self,
        table: &Table,
        name: Text<'_>,
        value: I::Place,
    ) -> Result<Declared<I::Place>, Halt> {
        self.budget.spend_bytes(name.end())?;
        Ok(declared(table.find(self.code, name, &mut self.budget.steps), value))
    }
}
