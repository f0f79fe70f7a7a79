//! Looking over the texts before they are compiled: how many references there can be, and indexes of where many of them lead.

use super::Compiler;
use super::error::SchemaErrorKind;
use super::index::Index;
use super::reference::leads_to;
use super::resource::{Goal, Location};
use super::targets::Targets;
use crate::hash;
use crate::instance::Kind;
use crate::json::Json;
use crate::uri;

/// What many pointers begin with: where the text from `#` to the last slash stands, and the object that it leads to: its place, the place
/// behind it, its members.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefix {
    from: u32,
    to: u32,
    at: u32,
    end: u32,
    index: Index,
}

/// Whether where many references lead is found beforehand. It is what makes that linear in the schema; those of a device are small, and the
/// limit on work holds.
const INDEXES: bool = !cfg!(target_os = "none");
/// How many are kept.
pub(super) const PREFIXES: usize = if INDEXES { 16 } else { 0 };
/// As many anchors as are looked for one by one.
const FEW_ANCHORS: usize = 16;
/// Steps of a pointer that are gone along.
const MOST_STEPS: u32 = 32;

/// What is left of the way to the objects of the prefixes.
type Ways<'s> = [Option<uri::Tokens<'s>>; PREFIXES];

/// Work that may be done beyond what is linear in the schema, in bytes looked over again: 32 million, and each byte of the text 128
/// times.
pub(super) fn most_work(text: &[u8]) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_mul(128).saturating_add(1 << 25)
}

impl<'s> Compiler<'_, 's> {
    /// Looks over the texts: how many references there can be, and whether they need more than pointers.
    pub(super) fn prepare_targets(&mut self) {
        let mut seen = Seen::default();
        let mut document = 0;
        while document <= self.last_document() {
            let text = self.text_of(document);
            seen.ids = 0;
            seen.look_over(text.bytes(), document == 0);
            document += 1;
            self.dynamic |= seen.dynamic;
            self.dialects |= seen.dialects;
            self.meta_schemas |= seen.absolute;
            self.ids |= seen.ids > 0;
            self.embedded_ids |=
                seen.ids > 1 || (seen.ids == 1 && self.member_in(text, text.white_space(0), b"$id").is_none());
        }
        // Within one resource a dynamic reference leads where a `$ref` leads.
        self.dynamic &= self.last_document() > 0 || self.embedded_ids;
        if seen.references > 0 {
            let capacity = seen.references + 1;
            self.targets = Targets::new(self.reserve(Targets::size(capacity)), capacity);
        }
        if INDEXES && seen.anchors > FEW_ANCHORS {
            let at = self.reserve(Index::size(seen.anchors, 2));
            self.anchors = Index::new(at, seen.anchors, 2);
        }
        // Building an index takes about as long as looking through the object twice.
        if INDEXES && seen.references > 4 {
            self.index_prefixes(seen.prefixes.get(..seen.prefix_count).unwrap_or_default());
        }
    }

    /// Counts work that is not linear in the schema by itself.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn spend(&self, work: usize) {
        let left = self.work.get().checked_sub(u32::try_from(work).unwrap_or(u32::MAX));
        self.work.set(left.unwrap_or(0));
        if left.is_none() {
            self.note(SchemaErrorKind::TooCostly, 0);
        }
    }

    /// The target of a pointer that begins as many do, or of an anchor, where those were indexed.
    pub(super) fn prepared(&mut self, plain: &[u8]) -> Option<Location> {
        if !INDEXES || self.document != 0 || self.embedded_ids {
            return None;
        }
        let doc = Json::trusted(self.main);
        let fragment = plain.get(1..).unwrap_or_default();
        for prefix in &self.prefixes {
            let (from, to) = (prefix.from as usize, prefix.to as usize);
            let Some(name) = plain.strip_prefix(doc.span(from, to)).filter(|_| prefix.index.exists()) else {
                continue;
            };
            let mut tokens = uri::pointer(fragment.get((to - from).saturating_sub(2)..).unwrap_or_default());
            let Some(token) =
                tokens.as_mut().and_then(Iterator::next).filter(|_| !name.iter().any(|byte| matches!(byte, b'/')))
            else {
                continue;
            };
            let (slot, key) =
                self.find_indexed(prefix.index, hash::code_points(&mut { token }), |name| token.equals(name));
            if key != 0 && tokens.and_then(|mut tokens| tokens.next()).is_none() {
                return Some(Location { document: 0, at: self.arena.word(slot + 4) as usize });
            }
        }
        if !self.anchors.exists() || uri::pointer(fragment).is_some() {
            return None;
        }
        if !core::mem::replace(&mut self.anchors_known, true) {
            self.search(self.resource, Goal::EveryAnchor);
        }
        let name = uri::percent_decode(fragment);
        let (slot, key) =
            self.find_indexed(self.anchors, hash::code_points(&mut { name }), |anchor| anchor.chars().eq(name));
        (key != 0).then(|| Location { document: 0, at: self.arena.word(slot + 4) as usize })
    }

    /// Makes the members of the objects that many pointers lead through findable: those before the last name of the first pointers.
    fn index_prefixes(&mut self, spans: &[(usize, usize)]) {
        let doc = Json::trusted(self.main);
        let (mut ways, mut all) = ([None; PREFIXES], 0);
        for (number, &(from, to)) in spans.iter().enumerate() {
            if let (Some(way), Some(prefix)) = (ways.get_mut(number), self.prefixes.get_mut(number)) {
                *way = uri::pointer(doc.span(from + 1, to.saturating_sub(1)));
                *prefix = Prefix { from: from as u32, to: to as u32, ..Prefix::default() };
                all |= u32::from(way.is_some()) << number;
            }
        }
        self.index_ways(doc.white_space(0), &mut ways, all, 0, false);
    }

    /// Goes along the pointers of a set from the value at `at`, reading it once, and indexes the objects that they lead to; gives the
    /// place behind it, where that `is_needed`.
    fn index_ways(&mut self, at: usize, ways: &mut Ways<'_>, set: u32, depth: u32, is_needed: bool) -> usize {
        let doc = Json::trusted(self.main);
        let Some(mut elements) = self.elements(doc, at) else {
            return self.skip_in(doc, at);
        };
        let of = |set: u32| (0..PREFIXES).filter(move |number| set >> number & 1 != 0);
        let mut left = set;
        for (number, way) in ways.iter().enumerate() {
            let goes_on = way.as_ref().is_some_and(|way| way.clone().next().is_some());
            left &= !(u32::from(!goes_on) << number);
        }
        let ends = if elements.is_object() { set & !left } else { 0 };
        // A list of the members at the front, as their number is not known before.
        let front = self.arena.len();
        let mut after = at;
        while left | ends != 0 || is_needed {
            let Some(element) = self.next_element(&mut elements, &mut after) else {
                self.index_members(front, of(ends), at, after);
                break;
            };
            if ends != 0 {
                self.extend(&(element.at as u32).to_le_bytes());
                self.extend(&(element.value as u32).to_le_bytes());
            }
            let mut through = 0;
            for number in of(left) {
                if let Some(way) = ways.get_mut(number).and_then(Option::as_mut)
                    && let Some(token) = way.clone().next()
                    && leads_to(token, element.segment)
                {
                    way.next();
                    through |= 1 << number;
                }
            }
            left &= !through;
            after = if through != 0 && depth < MOST_STEPS {
                self.index_ways(element.value, ways, through, depth + 1, left | ends != 0 || is_needed)
            } else {
                self.skip_in(doc, element.value)
            };
        }
        after
    }

    /// Makes an index of the members of the object at `at`, which are listed from `front` on, for some prefixes.
    fn index_members(&mut self, front: usize, prefixes: impl Iterator<Item = usize>, at: usize, end: usize) {
        let count = (self.arena.len() - front) / 8;
        let mut index = Index::default();
        for number in prefixes {
            if !index.exists() {
                let room = self.reserve(Index::size(count, 2));
                index = Index::new(room, count, 2);
                for listed in (0..count).map(|number| front + number * 8) {
                    let name = self.main_text(self.arena.word(listed));
                    let (slot, key) = self.find_indexed(index, hash::text(name), |other| other.equals_text(name));
                    if key == 0 {
                        self.arena.copy(listed, slot, 8);
                    }
                }
            }
            if let Some(prefix) = self.prefixes.get_mut(number) {
                *prefix = Prefix { at: at as u32, end: end as u32, index, ..*prefix };
            }
        }
        self.arena.truncate(front);
    }

    /// The place behind the definitions at `at`, which mostly are known from the index.
    pub(super) fn definitions_end(&self, at: usize) -> usize {
        let is_it = |prefix: &&Prefix| self.document == 0 && prefix.index.exists() && prefix.at as usize == at;
        match self.prefixes.iter().find(is_it) {
            Some(prefix) => prefix.end as usize,
            None => self.expect(at, Kind::Object, SchemaErrorKind::ExpectedObject),
        }
    }

    pub(super) fn add_anchor(&mut self, at: usize, schema: usize) {
        if self.kind(at) != Kind::String {
            return;
        }
        let name = self.text(at);
        let (slot, key) = self.find_indexed(self.anchors, hash::text(name), |other| other.equals_text(name));
        if key == 0 {
            self.arena.set_word(slot, at as u32);
            self.arena.set_word(slot + 4, schema as u32);
        }
    }
}

/// What the texts have, as far as dollar signs tell.
#[derive(Default)]
struct Seen {
    references: usize,
    anchors: usize,
    ids: u32,
    dynamic: bool,
    absolute: bool,
    dialects: bool,
    /// Where the first different beginnings of pointers stand, from `#` to the last slash.
    prefixes: [(usize, usize); PREFIXES],
    prefix_count: usize,
}

impl Seen {
    fn look_over(&mut self, bytes: &[u8], is_main: bool) {
        let mut at = 0;
        while let Some(found) = next_sign(bytes, at) {
            at = found + 1;
            let rest = bytes.get(at..).unwrap_or_default();
            // An escape hides a name that it begins, or is within.
            let hidden = if bytes.get(found) == Some(&b'$') {
                let name = rest.get(..14).unwrap_or(rest);
                let name = name.split(|&byte| byte == b'"').next().unwrap_or_default();
                bytes.get(found.wrapping_sub(1)) == Some(&b'"') && name.windows(2).any(|pair| pair == b"\\u")
            } else if rest.starts_with(b"u0024") {
                true
            } else {
                continue;
            };
            if hidden {
                self.references += 1;
                self.anchors += 1;
                self.ids += 2;
                (self.dynamic, self.absolute, self.dialects) = (true, true, true);
                continue;
            }
            match rest.first() {
                Some(b'r') if rest.starts_with(b"ref\"") => {
                    self.references += 1;
                    let value = at + 4 + skip_to_value(rest.get(4..).unwrap_or_default());
                    let behind = bytes.get(value..).unwrap_or_default();
                    self.absolute |= behind.starts_with(b"\"http");
                    if INDEXES && is_main && behind.starts_with(b"\"#/") {
                        self.note_prefix(bytes, value + 1);
                    }
                }
                Some(b'i') if rest.starts_with(b"id\"") => {
                    // A property of that name is none.
                    let behind = rest.get(3..).unwrap_or_default();
                    let value = behind.get(skip_to_value(behind)..).unwrap_or_default();
                    self.ids += u32::from(value.first() == Some(&b'"'));
                    // Relative references could lead there, too.
                    self.absolute |= [&b"\"http://json-schema.org"[..], b"\"https://json-schema.org"]
                        .iter()
                        .any(|start| value.starts_with(start));
                }
                Some(b's') => self.dialects |= rest.starts_with(b"schema\""),
                Some(b'a') => self.anchors += usize::from(rest.starts_with(b"anchor\"")),
                Some(b'd' | b'r') => {
                    self.anchors += usize::from(rest.starts_with(b"dynamicAnchor\""));
                    let is_dynamic = rest.starts_with(b"dynamicRef\"") || rest.starts_with(b"recursiveRef\"");
                    self.references += usize::from(is_dynamic);
                    self.dynamic |= is_dynamic;
                }
                _ => {}
            }
        }
    }

    fn note_prefix(&mut self, bytes: &[u8], from: usize) {
        let text = bytes.get(from..).unwrap_or_default();
        let text =
            text.get(..text.iter().position(|&byte| matches!(byte, b'"' | b'\\')).unwrap_or(0)).unwrap_or_default();
        let Some(slash) = text.iter().rposition(|&byte| byte == b'/') else {
            return;
        };
        let prefix = text.get(..=slash);
        if self.prefixes.iter().take(self.prefix_count).any(|&(from, to)| bytes.get(from..to) == prefix) {
            return;
        }
        if let Some(slot) = self.prefixes.get_mut(self.prefix_count) {
            *slot = (from, from + slash + 1);
            self.prefix_count += 1;
        }
    }
}

/// Where the next dollar sign or backslash stands: blocks without any are passed over by comparing all of their bytes at once, where the
/// machine can; then a machine word at a time.
fn next_sign(bytes: &[u8], mut at: usize) -> Option<usize> {
    const BLOCK: usize = 32;
    const LANES: usize = size_of::<usize>();
    const ONES: usize = usize::MAX / 0xFF;
    let is_sign = |&byte: &u8| (byte == b'$') | (byte == b'\\');
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>)
        && block.iter().fold(0, |any, byte| any | u8::from(is_sign(byte))) == 0
    {
        at += BLOCK;
    }
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LANES>) {
        let word = usize::from_le_bytes(*chunk);
        let (dollar, backslash) = (word ^ (ONES * b'$' as usize), word ^ (ONES * b'\\' as usize));
        let found =
            ((dollar.wrapping_sub(ONES) & !dollar) | (backslash.wrapping_sub(ONES) & !backslash)) & (ONES * 0x80);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += LANES;
    }
    bytes.get(at..)?.iter().position(is_sign).map(|found| at + found)
}

/// How often the text has an `id` that is a string, as far as bytes tell.
pub(super) fn old_ids(text: &[u8]) -> u32 {
    const NAME: &[u8] = b"\"id\"";
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME || window == b"\\u00") {
        let escaped = rest.get(at) == Some(&b'\\');
        rest = rest.get(at + NAME.len()..).unwrap_or_default();
        let is_string = rest.get(skip_to_value(rest)) == Some(&b'"');
        // An escape may hide a letter of the name.
        count += u32::from(is_string && !escaped) + u32::from(escaped && rest.starts_with(b"6")) * 2;
    }
    count
}

/// How far it is from the end of a name to its value.
fn skip_to_value(rest: &[u8]) -> usize {
    rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b':')).unwrap_or(0)
}
