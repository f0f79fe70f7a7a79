//! Finding things by hash while a schema compiles: open addressing in a part of the arena that the caller sets aside.

use super::Compiler;
use super::block::{Block, block_at, kind};
use super::error::SchemaErrorKind;
use super::table::entry;
use crate::instance::Instance;
use crate::json::Json;
use crate::text::Text;

/// Slots of words: a key (never 0, which is an empty slot), and what else the caller keeps with it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Index {
    at: u32,
    capacity: u32,
    width: u32,
}

impl Index {
    /// Slots looked at before names count as made to collide. Honest ones stay below a hundred, however many they are.
    const MAX_PROBES: u32 = 512;

    /// How many bytes an index takes with so many entries, of so many words each.
    pub(super) const fn size(entries: usize, width: usize) -> usize {
        Self::slots(entries).saturating_mul(width).saturating_mul(4)
    }

    /// Half as many again, so that searches stay short.
    const fn slots(entries: usize) -> usize {
        entries.saturating_add(entries / 2).saturating_add(1)
    }

    /// An index in bytes of the arena that are zero.
    pub(super) const fn new(at: usize, entries: usize, width: usize) -> Self {
        Self { at: at as u32, capacity: Self::slots(entries) as u32, width: width as u32 }
    }

    /// A search for what has this hash.
    pub(super) const fn probe(self, hash: u32) -> Probe {
        let slot = ((hash as u64 * self.capacity as u64) >> 32) as u32;
        let left = if self.capacity < Self::MAX_PROBES { self.capacity } else { Self::MAX_PROBES };
        Probe { index: self, slot, left }
    }

    /// Whether there is one.
    pub(super) const fn exists(&self) -> bool {
        self.capacity > 0
    }
}

/// A search in an index.
pub(super) struct Probe {
    index: Index,
    slot: u32,
    left: u32,
}

impl Compiler<'_, '_> {
    /// The next slot where something may be, and its key: 0 in an empty slot, where it would have to be.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn next_slot(&self, probe: &mut Probe) -> (usize, u32) {
        let Some(left) = probe.left.checked_sub(1) else {
            return self.stop(SchemaErrorKind::TooCostly, 0);
        };
        let at = probe.index.at as usize + (probe.slot * probe.index.width) as usize * 4;
        (probe.left, probe.slot) = (left, probe.slot + 1);
        if probe.slot >= probe.index.capacity {
            probe.slot = 0;
        }
        (at, self.arena.word(at))
    }

    /// The slot of the name that `is` the one in an index whose keys are the places of names in the schema itself, or else the empty slot for it;
    /// and its key.
    pub(super) fn find_indexed(&self, index: Index, hash: u32, is: impl Fn(Text<'_>) -> bool) -> (usize, u32) {
        let mut probe = index.probe(hash);
        loop {
            let (slot, key) = self.next_slot(&mut probe);
            if key == 0 || is(self.main_text(key)) {
                return (slot, key);
            }
        }
    }

    /// The string at a place of the schema itself that was read before.
    pub(super) fn main_text(&self, at: u32) -> Text<'_> {
        Json::trusted(self.main).string(at as usize).map_or(Text::plain(""), |(text, _)| text)
    }

    /// Takes out each record from `from` to the end that is the same as one before it; gives the place that the first of these tells. There are
    /// `count`, which begin with their hash.
    pub(super) fn drop_same(
        &mut self,
        from: usize,
        count: usize,
        same: fn(&Self, Block, Block) -> bool,
    ) -> Option<usize> {
        let front = self.arena.len();
        self.extend_zeros(Index::size(count, 1));
        let index = Index::new(front, count, 1);
        let (mut at, mut first) = (from, None);
        while let Some(block) = block_at(&self.arena, at) {
            at = block.next();
            let hash = block.word(&self.arena, entry::HASH);
            let mut probe = index.probe(hash);
            loop {
                let (slot, key) = self.next_slot(&mut probe);
                let Some(other) = block_at(&self.arena, key as usize + 4).filter(|_| key != 0) else {
                    self.arena.set_word(slot, (block.at + block.len) as u32);
                    break;
                };
                if other.word(&self.arena, entry::HASH) == hash && same(self, block, other) {
                    block.set_kind(&mut self.arena, kind::DEAD);
                    if first.is_none() {
                        first = Some(block.word(&self.arena, entry::AT) as usize);
                    }
                    break;
                }
            }
        }
        self.arena.truncate(front);
        first
    }
}

#[cfg(test)]
mod tests {
    use crate::{SchemaErrorKind, compile, hash};
    use std::string::String;
    use std::vec::Vec;
    use std::{format, vec};

    /// Names of sixteen letters with one hash: the second half undoes the first.
    fn colliding(count: usize) -> Vec<String> {
        let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let names = (0_u64..).filter_map(|i| {
            let first: [u8; 8] = core::array::from_fn(|digit| b'a' + (i >> (digit * 4) & 15) as u8);
            let second = mix(0, u64::from_le_bytes(first)).rotate_left(23) ^ 0x4155_4155_4155_4155;
            let name: Vec<u8> = first.into_iter().chain(second.to_le_bytes()).collect();
            let is_plain = name.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'));
            is_plain.then(|| String::from_utf8(name).expect("ASCII"))
        });
        names.take(count).collect()
    }

    #[test]
    fn names_made_to_collide_are_refused_when_they_are_many() {
        let names = colliding(600);
        assert!(names.iter().all(|name| hash::bytes(name.as_bytes()) == hash::bytes(names[0].as_bytes())));
        let result = |count: usize| {
            let list: Vec<String> = names.iter().take(count).map(|name| format!("\"{name}\"")).collect();
            let schema = format!(r#"{{"required":[{}]}}"#, list.join(","));
            compile(schema.as_bytes(), &mut vec![0; 1 << 16]).map(|_| ()).map_err(|error| error.kind)
        };
        assert_eq!(result(300), Ok(()));
        assert_eq!(result(600), Err(SchemaErrorKind::TooCostly));
    }

    /// Pointers and anchors lead to the same places whether they are looked up in an index or one by one.
    #[test]
    fn many_references_lead_where_few_do() {
        let name = |i: usize| ["a/b", "m~n", "c%d", "e\u{f6}", "plain"][i % 5];
        let name = |i: usize| format!("{}{i}", name(i));
        let spell =
            |i: usize| name(i).replace('~', "~0").replace('/', "~1").replace('%', "%25").replace('\u{f6}', "%C3%B6");
        for count in [3, 100] {
            let defs: Vec<String> =
                (0..count).map(|i| format!(r#""{}":{{"$anchor":"a{i}","const":{i}}}"#, name(i))).collect();
            let properties: Vec<String> = (0..count)
                .map(|i| {
                    let reference = if i % 2 == 0 { format!("#/$defs/{}", spell(i)) } else { format!("#a{i}") };
                    format!(r##""p{i}":{{"$ref":"{reference}"}},"q{i}":{{"$ref":"#/$defs/{}"}}"##, spell(i))
                })
                .collect();
            let schema = format!(r#"{{"properties":{{{}}},"$defs":{{{}}}}}"#, properties.join(","), defs.join(","));
            let mut arena = vec![0; 1 << 16];
            let program = compile(schema.as_bytes(), &mut arena).expect("a schema");
            for i in 0..count {
                for (letter, value, valid) in [('p', i, true), ('q', i, true), ('p', i + 1, false), ('q', i + 1, false)]
                {
                    let instance = format!(r#"{{"{letter}{i}":{value}}}"#);
                    assert_eq!(program.is_valid(instance.as_bytes()), Ok(valid), "{count}: {instance}");
                }
            }
            for wrong in ["#/$defs/none", "#none", "#/$defs/plain4/none", "#/$defs/"] {
                let schema = schema.replace(r##""#a1""##, &format!("\"{wrong}\""));
                let error = compile(schema.as_bytes(), &mut arena).expect_err("leads nowhere");
                assert_eq!(
                    (error.kind, error.at),
                    (SchemaErrorKind::UnresolvedReference, schema.find(&format!("\"{wrong}\"")).unwrap())
                );
            }
        }
    }
}
