//! Keywords for any value (`type`, `enum`, `const`), for numbers and for strings.

use super::block::{Block, kind};
use super::error::SchemaErrorKind;
use super::keyword::Keyword;
use super::read::behind;
use super::table::{entry, stored};
use super::{Compiler, Dialect, Draft, NONE};
use crate::format::Format;
use crate::hash;
use crate::instance::{Instance, Kind};
use crate::machine::{Budget, value_equal, value_hash};
use crate::number::Number;
use crate::program::op::{Op, WORD, Why, group, mask};
use crate::text::Text;

/// The mask bits of a type's name.
fn type_mask(name: Text<'_>) -> Option<u8> {
    const TYPES: [(&[u8], u8); 7] = [
        (b"string", mask::STRING),
        (b"integer", mask::INTEGER),
        (b"object", mask::OBJECT),
        (b"array", mask::ARRAY),
        (b"boolean", mask::BOOLEAN),
        (b"number", mask::NUMBER),
        (b"null", mask::NULL),
    ];
    TYPES.iter().find(|(known, _)| name.equals(known)).map(|&(_, mask)| mask)
}

impl<'a, 's> Compiler<'a, 's> {
    /// `type`: a name, or an array of different names.
    pub(super) fn types(&mut self, at: usize, draft: &mut Draft) -> usize {
        if self.kind(at) == Kind::String {
            let name = self.text(at);
            let Some(mask) = type_mask(name) else {
                return self.stop(SchemaErrorKind::UnknownType, at);
            };
            self.narrow_types(mask, draft);
            return behind(at, name);
        }
        let mut types = 0;
        let mut names = 0_u8;
        let mut after = self.begin_array(at, false);
        while self.next_item(at, &mut after) {
            let name = self.string(after);
            let Some(mask) = type_mask(name) else {
                return self.stop(SchemaErrorKind::UnknownType, after);
            };
            // `integer` beside `number` is no repetition.
            let mark = if mask == mask::NUMBER { mask::FRACTION } else { mask };
            if names & mark != 0 {
                return self.stop(SchemaErrorKind::DuplicateItem, after);
            }
            names |= mark;
            types |= mask;
            after = behind(after, name);
        }
        self.narrow_types(types, draft);
        after
    }

    fn narrow_types(&mut self, types: u8, draft: &mut Draft) {
        draft.narrow(types, Why::Type);
        if self.dialect == Dialect::Draft4 && types & mask::NUMBER == mask::INTEGER {
            self.instruction(Op::PlainInteger, group::NUMBER, &[]);
        }
    }

    /// `const`
    pub(super) fn constant(&mut self, at: usize, draft: &mut Draft) -> usize {
        let (admitted, after) = self.value_entry(at);
        if !self.check_only {
            self.value_tables(draft, admitted, Why::Const);
        }
        after
    }

    /// `enum`: by type, so that a value is compared with those of its own type only. What occurs twice is kept once, and in draft-04
    /// an error, as an empty array is.
    #[inline(never)]
    pub(super) fn enumeration(&mut self, at: usize, draft: &mut Draft) -> usize {
        let strict = self.dialect == Dialect::Draft4;
        let from = self.arena.back();
        let mut admitted = 0;
        let mut count = 0_usize;
        let mut after = self.begin_array(at, !strict);
        while self.next_item(at, &mut after) {
            let (mask, behind) = self.value_entry(after);
            if strict && mask & (mask::NULL | mask::BOOLEAN) & admitted != 0 {
                return self.stop(SchemaErrorKind::DuplicateItem, after);
            }
            admitted |= mask;
            count += 1;
            after = behind;
        }
        if let Some(repeated) = self.drop_repeats(from, count).filter(|_| strict) {
            self.note(SchemaErrorKind::DuplicateItem, repeated);
        }
        if !self.check_only {
            self.value_tables(draft, admitted, Why::Enum);
        }
        after
    }

    /// Takes out the `VALUE` records from `from` on that equal one before; gives the place of the first of these.
    fn drop_repeats(&mut self, from: usize, count: usize) -> Option<usize> {
        let same = |compiler: &Self, one: Block, other: Block| {
            let place = |block: Block| block.word(&compiler.arena, entry::AT) as usize;
            let doc = compiler.doc;
            let equal = value_equal(doc, place(one), doc, place(other), &mut Budget::for_compiler());
            compiler.read(equal, None).is_some()
        };
        self.drop_same(from, count, same)
    }

    /// Makes a `VALUE` record unless the mask alone can tell the value; gives its mask and the place behind it.
    fn value_entry(&mut self, at: usize) -> (u8, usize) {
        let (mask, group) = match self.kind(at) {
            Kind::Null => return (mask::NULL, self.skip(at)),
            Kind::False => return (mask::FALSE, self.skip(at)),
            Kind::True => return (mask::TRUE, self.skip(at)),
            Kind::Number if self.read_number(at).0.is_integer() => (mask::INTEGER, group::NUMBER),
            Kind::Number => (mask::FRACTION, group::NUMBER),
            Kind::String => (mask::STRING, group::STRING),
            Kind::Array => (mask::ARRAY, group::ARRAY),
            Kind::Object => (mask::OBJECT, group::OBJECT),
        };
        let (hash, len, after) = if group == group::STRING {
            let text = self.text(at);
            (hash::text(text), stored(text), behind(at, text))
        } else {
            // Reads the whole value, so that what the machine compares with is known to be JSON.
            let (hash, after) = self.read(value_hash(self.doc, at, &mut Budget::for_compiler()), (0, at));
            (hash, (after - at) as u32, after)
        };
        self.push_words(kind::VALUE, &[hash, at as u32, NONE, u32::from(group), len]);
        (mask, after)
    }

    /// Turns the `VALUE` records into a table for each group.
    fn value_tables(&mut self, draft: &mut Draft, admitted: u8, why: Why) {
        // The reason must show even when `type` narrowed as far: the values are what helps.
        draft.mask &= admitted;
        draft.why = why;
        const GROUPS: [(u8, u8); 4] = [
            (group::NUMBER, mask::NUMBER),
            (group::STRING, mask::STRING),
            (group::ARRAY, mask::ARRAY),
            (group::OBJECT, mask::OBJECT),
        ];
        for (group, _) in GROUPS.into_iter().filter(|(_, types)| admitted & types != 0) {
            let op = match (group == group::STRING, why) {
                (true, Why::Const) => Op::StringConst,
                (true, _) => Op::StringEnum,
                (false, Why::Const) => Op::ValueConst,
                (false, _) => Op::ValueEnum,
            };
            let mark = self.arena.len();
            self.push(op as u8);
            let count = self.table(draft.mark, kind::VALUE, u32::from(group));
            if count == 0 {
                self.arena.truncate(mark);
            } else {
                self.stash(kind::RUN + group.trailing_zeros() as u8, mark);
            }
        }
        self.retire(draft.mark, &[kind::VALUE]);
    }

    fn number(&self, at: usize) -> (Number<'s>, usize) {
        if self.kind(at) != Kind::Number {
            self.note(SchemaErrorKind::ExpectedNumber, at);
        }
        self.read_number(at)
    }

    fn read_number(&self, at: usize) -> (Number<'s>, usize) {
        self.read(self.doc.number(at), (Number::from_u64(0), at))
    }

    /// `minimum` and its like. In draft-04 the exclusive ones are booleans that change the others.
    pub(super) fn bound(&mut self, keyword: Keyword, at: usize, draft: &mut Draft) -> usize {
        let op = match keyword {
            Keyword::Minimum => Op::Minimum,
            Keyword::Maximum => Op::Maximum,
            Keyword::ExclusiveMinimum => Op::ExclusiveMinimum,
            _ => Op::ExclusiveMaximum,
        };
        if self.dialect == Dialect::Draft4 {
            *draft.slot(keyword) = at as u32;
            if matches!(op, Op::ExclusiveMinimum | Op::ExclusiveMaximum) {
                return self.boolean(at, &mut false);
            }
            return self.number(at).1;
        }
        let (number, after) = self.number(at);
        self.bound_instruction(op, number);
        after
    }

    fn bound_instruction(&mut self, op: Op, number: Number<'_>) {
        let Some(integer) = number.to_i32() else {
            return self.number_instruction(op, number);
        };
        let mark = self.arena.len();
        self.push(op as u8 | WORD);
        self.extend(&integer.to_le_bytes());
        self.stash(kind::RUN + group::NUMBER.trailing_zeros() as u8, mark);
    }

    fn number_instruction(&mut self, op: Op, number: Number<'_>) {
        let mark = self.arena.len();
        self.push(op as u8);
        let result = number.encode(&mut self.arena);
        self.fits(result);
        self.stash(kind::RUN + group::NUMBER.trailing_zeros() as u8, mark);
    }

    /// The bounds of draft-04, once it is known whether they are exclusive.
    pub(super) fn seal_numbers(&mut self, draft: &Draft) {
        if self.dialect > Dialect::Draft4 {
            return;
        }
        for (at, exclusive, inclusive_op, exclusive_op) in [
            (draft.of(Keyword::Minimum), draft.of(Keyword::ExclusiveMinimum), Op::Minimum, Op::ExclusiveMinimum),
            (draft.of(Keyword::Maximum), draft.of(Keyword::ExclusiveMaximum), Op::Maximum, Op::ExclusiveMaximum),
        ] {
            if at == NONE && exclusive != NONE {
                return self.stop(SchemaErrorKind::MissingKeyword, exclusive as usize);
            }
            if at != NONE {
                let (number, _) = self.number(at as usize);
                let op = if exclusive != NONE && self.kind(exclusive as usize) == Kind::True {
                    exclusive_op
                } else {
                    inclusive_op
                };
                self.bound_instruction(op, number);
            }
        }
    }

    pub(super) fn multiple_of(&mut self, at: usize) -> usize {
        let (number, after) = self.number(at);
        if number.is_negative() || number.equals(Number::from_u64(0)) {
            return self.stop(SchemaErrorKind::ExpectedPositive, at);
        }
        if !number.divisor_supported() {
            return self.stop(SchemaErrorKind::NumberTooLong, at);
        }
        self.number_instruction(Op::MultipleOf, number);
        after
    }

    /// A keyword whose value is a count: an integer that is not negative, however it is spelled (`2.0`).
    pub(super) fn count(&self, at: usize, slot: &mut u32) -> usize {
        if self.kind(at) != Kind::Number {
            return self.stop(SchemaErrorKind::ExpectedCount, at);
        }
        let number = self.read_number(at);
        // In draft-04 `2.0` is no integer.
        let is_count = self.dialect > Dialect::Draft4 || number.0.is_plain_integer();
        match number.0.to_u64().filter(|_| is_count) {
            // No instance is that long, so that larger counts mean the same.
            Some(count) => *slot = u32::try_from(count).unwrap_or(NONE).min(NONE - 2),
            None => return self.stop(SchemaErrorKind::ExpectedCount, at),
        }
        number.1
    }

    pub(super) fn length(&mut self, op: Op, at: usize) -> usize {
        let mut count = 0;
        let after = self.count(at, &mut count);
        self.instruction(op, group::STRING, &[count]);
        after
    }

    pub(super) fn boolean(&self, at: usize, slot: &mut bool) -> usize {
        match self.kind(at) {
            Kind::True => *slot = true,
            Kind::False => *slot = false,
            _ => return self.stop(SchemaErrorKind::ExpectedBoolean, at),
        }
        self.skip(at)
    }

    pub(super) fn string(&self, at: usize) -> Text<'s> {
        if self.kind(at) != Kind::String {
            self.note(SchemaErrorKind::ExpectedString, at);
        }
        self.text(at)
    }

    #[inline(never)]
    pub(super) fn pattern(&mut self, at: usize) -> usize {
        let text = self.string(at);
        if self.check_only {
            return behind(at, text);
        }
        let mark = self.arena.len();
        self.pattern_program(text, at);
        let len = self.arena.len() - mark;
        self.stash(kind::PIECE, mark);
        let stashed = self.arena.back();
        self.push(Op::Pattern as u8);
        self.push_varint(len as u32);
        self.append(stashed, len);
        self.push_varint(super::table::utf8_len(text) as u32);
        self.utf8(text);
        self.arena.release(stashed + len + 4);
        self.stash(kind::RUN + group::STRING.trailing_zeros() as u8, mark);
        behind(at, text)
    }

    /// Appends a compiled pattern.
    #[cfg(feature = "regex")]
    pub(super) fn pattern_program(&mut self, text: Text<'_>, at: usize) {
        use crate::regex::{PatternErrorKind, compile};
        if let Err(error) = compile(text, self.options.properties, &mut self.arena) {
            let kind = match error.kind {
                PatternErrorKind::BackReference => SchemaErrorKind::BackReference,
                PatternErrorKind::UnicodeProperty => SchemaErrorKind::UnicodeProperty,
                PatternErrorKind::TooLarge(_) => SchemaErrorKind::PatternTooLarge,
                PatternErrorKind::Full => SchemaErrorKind::ArenaFull,
                _ => SchemaErrorKind::InvalidPattern,
            };
            self.note(kind, at + 1 + error.at as usize);
        }
    }

    #[cfg(not(feature = "regex"))]
    pub(super) fn pattern_program(&mut self, _: Text<'_>, at: usize) {
        self.note(SchemaErrorKind::RegexNotBuilt, at);
    }

    /// `format`: an instruction where it is asserted and the dialect knows it; other names are annotations.
    #[inline(never)]
    pub(super) fn format(&mut self, at: usize) -> usize {
        let text = self.string(at);
        let mut buffer = [0; 24];
        let name = text.as_plain().unwrap_or_else(|| super::keyword::decode_name(text, &mut buffer));
        if self.assert_formats
            && !self.check_only
            && let Some(format) = Format::from_name(name)
            && format.since() as u8 <= self.dialect as u8
        {
            if !format.supported() {
                return self.stop(SchemaErrorKind::FormatNotBuilt, at);
            }
            self.instruction(Op::Format, group::STRING, &[format.code().into()]);
        }
        behind(at, text)
    }
}

/// What draft-07 asserts of the content of a string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Content {
    base64: bool,
    /// Encoded in a way that is unknown here, so that the media type is an annotation.
    unknown: bool,
    json: bool,
    /// The place of the last of the two keywords.
    at: usize,
}

impl Compiler<'_, '_> {
    /// `contentEncoding`, `contentMediaType`: assertions in draft-07, where formats are; annotations since.
    #[inline(never)]
    pub(super) fn content(&mut self, keyword: Keyword, at: usize, content: &mut Content) -> usize {
        let text = self.string(at);
        if self.assert_formats && self.dialect == Dialect::Draft7 {
            let mut buffer = [0; 24];
            let name = text.as_plain().unwrap_or_else(|| super::keyword::decode_name(text, &mut buffer));
            const KNOWN: [&[u8]; 5] = [b"application/json", b"base64", b"7bit", b"8bit", b"binary"];
            // Names of encodings and media types are the same in any case (RFC 2045 sections 5.1 and 6.1).
            let known = KNOWN.iter().position(|known| name.eq_ignore_ascii_case(known));
            content.at = at;
            if keyword == Keyword::ContentMediaType {
                content.json = known == Some(0);
            } else {
                content.base64 = known == Some(1);
                content.unknown = known.is_none_or(|known| known == 0);
            }
        }
        behind(at, text)
    }

    pub(super) fn seal_content(&mut self, content: &Content) {
        if !content.base64 && !content.json {
            return;
        }
        let encoding = content.base64.then_some(Format::Base64);
        let media_type = match content.base64 {
            true => Format::JsonInBase64,
            false => Format::Json,
        };
        for format in [encoding, (content.json && !content.unknown).then_some(media_type)].into_iter().flatten() {
            if !format.supported() {
                return self.stop(SchemaErrorKind::FormatNotBuilt, content.at);
            }
            self.instruction(Op::Format, group::STRING, &[format.code().into()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{SchemaErrorKind, compile};
    use std::format;

    #[cfg(feature = "formats")]
    #[test]
    fn content_is_asserted_in_draft_07_with_formats() {
        use crate::{Dialect, Issues, Options};
        let schema = br#"{"contentMediaType": "Application/JSON", "contentEncoding": "base64"}"#;
        let keywords = |dialect, assert, instance: &[u8]| {
            let mut arena = [0; 256];
            let options = Options::new().dialect(dialect).assert_formats(assert);
            let program = options.compile(schema, &mut arena).expect("a schema");
            let mut issues = Issues::<4>::new();
            program.validate(instance, &mut issues).expect("a verdict");
            issues.iter().map(|issue| issue.describe(&program, instance).keyword()).collect::<std::vec::Vec<_>>()
        };
        assert_eq!(keywords(Dialect::Draft7, true, br#""e30=""#), [""; 0]);
        assert_eq!(keywords(Dialect::Draft7, true, br#""ezp9""#), ["contentMediaType"]);
        assert_eq!(keywords(Dialect::Draft7, true, br#""{}""#), ["contentEncoding"]);
        assert_eq!(keywords(Dialect::Draft7, false, br#""{}""#), [""; 0]);
        assert_eq!(keywords(Dialect::Draft2019_09, true, br#""{}""#), [""; 0]);
        // In an encoding that is unknown, nothing can be said of the media type.
        let unknown = br#"{"contentMediaType": "application/json", "contentEncoding": "quoted-printable"}"#;
        let mut arena = [0; 256];
        let program = Options::new().dialect(Dialect::Draft7).compile(unknown, &mut arena).expect("a schema");
        assert_eq!(program.is_valid(br#""{:}""#), Ok(true));
    }

    #[test]
    fn type_arrays_repeat_no_name() {
        const NAMES: [&str; 7] = ["string", "integer", "object", "array", "boolean", "number", "null"];
        for one in NAMES {
            for other in NAMES {
                let schema = format!(r#"{{"type":["{one}","{other}"]}}"#);
                let kind = compile(schema.as_bytes(), &mut [0; 256]).map(|_| ()).map_err(|error| error.kind);
                let expected = if one == other { Err(SchemaErrorKind::DuplicateItem) } else { Ok(()) };
                assert_eq!(kind, expected, "{schema}");
            }
        }
    }
}
