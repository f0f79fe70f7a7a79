//! Keywords for any value (`type`, `enum`, `const`), for numbers and for strings.

use super::block::{self, Block, kind};
use super::error::{Result, SchemaErrorKind, stop};
use super::keyword::Keyword;
use super::table::{entry, stored};
use super::{Compiler, Dialect, Draft, NONE, kind_of};
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
    pub(super) fn types(&mut self, at: usize, draft: &mut Draft) -> Result<usize> {
        if kind_of(self.doc, at) == Some(Kind::String) {
            let (name, after) = self.doc.string(at)?;
            let Some(mask) = type_mask(name) else {
                return stop(SchemaErrorKind::UnknownType, at);
            };
            self.narrow_types(mask, draft)?;
            return Ok(after);
        }
        let mut types = 0;
        let mut names = 0_u8;
        let after = self.each_item(at, false, &mut |compiler, item| {
            let (name, after) = compiler.string(item)?;
            let Some(mask) = type_mask(name) else {
                return stop(SchemaErrorKind::UnknownType, item);
            };
            // `integer` beside `number` is no repetition.
            let mark = if mask == mask::NUMBER { mask::FRACTION } else { mask };
            if names & mark != 0 {
                return stop(SchemaErrorKind::DuplicateItem, item);
            }
            names |= mark;
            types |= mask;
            Ok(after)
        })?;
        self.narrow_types(types, draft)?;
        Ok(after)
    }

    fn narrow_types(&mut self, types: u8, draft: &mut Draft) -> Result<()> {
        draft.narrow(types, Why::Type);
        if self.dialect == Dialect::Draft4 && types & mask::NUMBER == mask::INTEGER {
            self.instruction(Op::PlainInteger, group::NUMBER, &[])?;
        }
        Ok(())
    }

    /// `const`
    pub(super) fn constant(&mut self, at: usize, draft: &mut Draft) -> Result<usize> {
        let (admitted, after) = self.value_entry(at)?;
        if !self.check_only {
            self.value_tables(draft, admitted, Why::Const)?;
        }
        Ok(after)
    }

    /// `enum`: by type, so that a value is compared with those of its own type only. What occurs twice is kept once, and in draft-04
    /// an error, as an empty array is.
    #[inline(never)]
    pub(super) fn enumeration(&mut self, at: usize, draft: &mut Draft) -> Result<usize> {
        let strict = self.dialect == Dialect::Draft4;
        let from = self.arena.back();
        let mut admitted = 0;
        let mut count = 0_usize;
        let after = self.each_item(at, !strict, &mut |compiler, item| {
            let (mask, after) = compiler.value_entry(item)?;
            if strict && mask & (mask::NULL | mask::BOOLEAN) & admitted != 0 {
                return stop(SchemaErrorKind::DuplicateItem, item);
            }
            admitted |= mask;
            count += 1;
            Ok(after)
        })?;
        self.drop_repeats(from, count, strict)?;
        if !self.check_only {
            self.value_tables(draft, admitted, Why::Enum)?;
        }
        Ok(after)
    }

    /// Takes out the `VALUE` records from `from` on that equal one before.
    fn drop_repeats(&mut self, from: usize, count: usize, strict: bool) -> Result<()> {
        let same = |compiler: &Self, one: Block, other: Block| {
            let place = |block: Block| block.word(&compiler.arena, entry::AT) as usize;
            let doc = compiler.doc;
            Ok(value_equal(doc, place(one), doc, place(other), &mut Budget::for_compiler())?.is_some())
        };
        self.each_repeat(from, count, same, &mut |compiler, block| {
            if strict {
                return stop(SchemaErrorKind::DuplicateItem, block.word(&compiler.arena, entry::AT) as usize);
            }
            block.set_kind(&mut compiler.arena, kind::DEAD);
            Ok(())
        })
    }

    /// Makes a `VALUE` record unless the mask alone can tell the value; gives its mask and the place behind it.
    fn value_entry(&mut self, at: usize) -> Result<(u8, usize)> {
        let doc = self.doc;
        let (mask, group) = match doc.kind(at)? {
            Kind::Null => return Ok((mask::NULL, self.skip(at)?)),
            Kind::False => return Ok((mask::FALSE, self.skip(at)?)),
            Kind::True => return Ok((mask::TRUE, self.skip(at)?)),
            Kind::Number if doc.number(at)?.0.is_integer() => (mask::INTEGER, group::NUMBER),
            Kind::Number => (mask::FRACTION, group::NUMBER),
            Kind::String => (mask::STRING, group::STRING),
            Kind::Array => (mask::ARRAY, group::ARRAY),
            Kind::Object => (mask::OBJECT, group::OBJECT),
        };
        let (hash, len, after) = if group == group::STRING {
            let (text, after) = doc.string(at)?;
            (hash::text(text), stored(text), after)
        } else {
            // Reads the whole value, so that what the machine compares with is known to be JSON.
            let (hash, after) = value_hash(doc, at, &mut Budget::for_compiler())?;
            (hash, (after - at) as u32, after)
        };
        block::push_words(&mut self.arena, kind::VALUE, &[hash, at as u32, NONE, u32::from(group), len])?;
        Ok((mask, after))
    }

    /// Turns the `VALUE` records into a table for each group.
    fn value_tables(&mut self, draft: &mut Draft, admitted: u8, why: Why) -> Result<()> {
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
            self.arena.push(op as u8)?;
            let count = self.table(draft.mark, kind::VALUE, u32::from(group))?;
            if count == 0 {
                self.arena.truncate(mark);
            } else {
                block::stash(&mut self.arena, kind::RUN + group.trailing_zeros() as u8, mark)?;
            }
        }
        self.retire(draft.mark, &[kind::VALUE]);
        Ok(())
    }

    fn number(&self, at: usize) -> Result<(Number<'s>, usize)> {
        if kind_of(self.doc, at) != Some(Kind::Number) {
            return Err(self.unexpected(SchemaErrorKind::ExpectedNumber, at));
        }
        Ok(self.doc.number(at)?)
    }

    /// `minimum` and its like. In draft-04 the exclusive ones are booleans that change the others.
    pub(super) fn bound(&mut self, keyword: Keyword, at: usize, draft: &mut Draft) -> Result<usize> {
        let op = match keyword {
            Keyword::Minimum => Op::Minimum,
            Keyword::Maximum => Op::Maximum,
            Keyword::ExclusiveMinimum => Op::ExclusiveMinimum,
            _ => Op::ExclusiveMaximum,
        };
        if self.dialect == Dialect::Draft4 {
            match op {
                Op::Minimum => draft.minimum_at = at as u32,
                Op::Maximum => draft.maximum_at = at as u32,
                Op::ExclusiveMinimum => {
                    draft.exclusive_minimum_at = at as u32;
                    return self.boolean(at, &mut false);
                }
                _ => {
                    draft.exclusive_maximum_at = at as u32;
                    return self.boolean(at, &mut false);
                }
            }
            return Ok(self.number(at)?.1);
        }
        let (number, after) = self.number(at)?;
        self.bound_instruction(op, number)?;
        Ok(after)
    }

    fn bound_instruction(&mut self, op: Op, number: Number<'_>) -> Result<()> {
        let Some(integer) = number.to_i32() else {
            return self.number_instruction(op, number);
        };
        let mark = self.arena.len();
        self.arena.push(op as u8 | WORD)?;
        self.arena.extend(&integer.to_le_bytes())?;
        block::stash(&mut self.arena, kind::RUN + group::NUMBER.trailing_zeros() as u8, mark)?;
        Ok(())
    }

    fn number_instruction(&mut self, op: Op, number: Number<'_>) -> Result<()> {
        let mark = self.arena.len();
        self.arena.push(op as u8)?;
        number.encode(&mut self.arena)?;
        block::stash(&mut self.arena, kind::RUN + group::NUMBER.trailing_zeros() as u8, mark)?;
        Ok(())
    }

    /// The bounds of draft-04, once it is known whether they are exclusive.
    pub(super) fn seal_numbers(&mut self, draft: &Draft) -> Result<()> {
        if self.dialect > Dialect::Draft4 {
            return Ok(());
        }
        for (at, exclusive, inclusive_op, exclusive_op) in [
            (draft.minimum_at, draft.exclusive_minimum_at, Op::Minimum, Op::ExclusiveMinimum),
            (draft.maximum_at, draft.exclusive_maximum_at, Op::Maximum, Op::ExclusiveMaximum),
        ] {
            if at == NONE && exclusive != NONE {
                return stop(SchemaErrorKind::MissingKeyword, exclusive as usize);
            }
            if at != NONE {
                let (number, _) = self.number(at as usize)?;
                let op = if exclusive != NONE && kind_of(self.doc, exclusive as usize) == Some(Kind::True) {
                    exclusive_op
                } else {
                    inclusive_op
                };
                self.bound_instruction(op, number)?;
            }
        }
        Ok(())
    }

    pub(super) fn multiple_of(&mut self, at: usize) -> Result<usize> {
        let (number, after) = self.number(at)?;
        if number.is_negative() || number.equals(Number::from_u64(0)) {
            return stop(SchemaErrorKind::ExpectedPositive, at);
        }
        if !number.divisor_supported() {
            return stop(SchemaErrorKind::NumberTooLong, at);
        }
        self.number_instruction(Op::MultipleOf, number)?;
        Ok(after)
    }

    /// A keyword whose value is a count: an integer that is not negative, however it is spelled (`2.0`).
    pub(super) fn count(&self, at: usize, slot: &mut u32) -> Result<usize> {
        if kind_of(self.doc, at) != Some(Kind::Number) {
            return Err(self.unexpected(SchemaErrorKind::ExpectedCount, at));
        }
        let number = self.doc.number(at)?;
        // In draft-04 `2.0` is no integer.
        let is_count = self.dialect > Dialect::Draft4 || number.0.is_plain_integer();
        match number.0.to_u64().filter(|_| is_count) {
            // No instance is that long, so that larger counts mean the same.
            Some(count) => *slot = u32::try_from(count).unwrap_or(NONE).min(NONE - 2),
            None => return stop(SchemaErrorKind::ExpectedCount, at),
        }
        Ok(number.1)
    }

    pub(super) fn length(&mut self, op: Op, at: usize) -> Result<usize> {
        let mut count = 0;
        let after = self.count(at, &mut count)?;
        self.instruction(op, group::STRING, &[count])?;
        Ok(after)
    }

    pub(super) fn boolean(&self, at: usize, slot: &mut bool) -> Result<usize> {
        match kind_of(self.doc, at) {
            Some(Kind::True) => *slot = true,
            Some(Kind::False) => *slot = false,
            _ => return Err(self.unexpected(SchemaErrorKind::ExpectedBoolean, at)),
        }
        self.skip(at)
    }

    pub(super) fn string(&self, at: usize) -> Result<(Text<'s>, usize)> {
        if kind_of(self.doc, at) != Some(Kind::String) {
            return Err(self.unexpected(SchemaErrorKind::ExpectedString, at));
        }
        Ok(self.doc.string(at)?)
    }

    #[inline(never)]
    pub(super) fn pattern(&mut self, at: usize) -> Result<usize> {
        let (text, after) = self.string(at)?;
        if self.check_only {
            return Ok(after);
        }
        let mark = self.arena.len();
        self.pattern_program(text, at)?;
        let len = self.arena.len() - mark;
        block::stash(&mut self.arena, kind::PIECE, mark)?;
        let stashed = self.arena.back();
        self.arena.push(Op::Pattern as u8)?;
        self.arena.push_varint(len as u64)?;
        self.arena.append(stashed, len)?;
        self.arena.push_varint(super::table::utf8_len(text) as u64)?;
        self.utf8(text)?;
        self.arena.release(stashed + len + 4);
        block::stash(&mut self.arena, kind::RUN + group::STRING.trailing_zeros() as u8, mark)?;
        Ok(after)
    }

    /// Appends a compiled pattern.
    #[cfg(feature = "regex")]
    pub(super) fn pattern_program(&mut self, text: Text<'_>, at: usize) -> Result<()> {
        use crate::regex::{PatternErrorKind, compile};
        compile(text, &mut self.arena).or_else(|error| {
            let kind = match error.kind {
                PatternErrorKind::BackReference => SchemaErrorKind::BackReference,
                PatternErrorKind::UnicodeProperty => SchemaErrorKind::UnicodeProperty,
                PatternErrorKind::TooLarge(_) => SchemaErrorKind::PatternTooLarge,
                PatternErrorKind::Full => SchemaErrorKind::ArenaFull,
                _ => SchemaErrorKind::InvalidPattern,
            };
            stop(kind, at + 1 + error.at as usize)
        })
    }

    #[cfg(not(feature = "regex"))]
    pub(super) fn pattern_program(&mut self, _: Text<'_>, at: usize) -> Result<()> {
        stop(SchemaErrorKind::RegexNotBuilt, at)
    }

    /// `format`: an instruction where it is asserted and the dialect knows it; other names are annotations.
    #[inline(never)]
    pub(super) fn format(&mut self, at: usize) -> Result<usize> {
        let (text, after) = self.string(at)?;
        let mut buffer = [0; 24];
        let name = text.as_plain().unwrap_or_else(|| super::keyword::decode_name(text, &mut buffer));
        if self.assert_formats
            && !self.check_only
            && let Some(format) = Format::from_name(name)
            && format.since() as u8 <= self.dialect as u8
        {
            if !format.supported() {
                return stop(SchemaErrorKind::FormatNotBuilt, at);
            }
            self.instruction(Op::Format, group::STRING, &[format.code().into()])?;
        }
        Ok(after)
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
    pub(super) fn content(&mut self, keyword: Keyword, at: usize, content: &mut Content) -> Result<usize> {
        let (text, after) = self.string(at)?;
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
        Ok(after)
    }

    pub(super) fn seal_content(&mut self, content: &Content) -> Result<()> {
        if !content.base64 && !content.json {
            return Ok(());
        }
        let encoding = content.base64.then_some(Format::Base64);
        let media_type = match content.base64 {
            true => Format::JsonInBase64,
            false => Format::Json,
        };
        for format in [encoding, (content.json && !content.unknown).then_some(media_type)].into_iter().flatten() {
            if !format.supported() {
                return stop(SchemaErrorKind::FormatNotBuilt, content.at);
            }
            self.instruction(Op::Format, group::STRING, &[format.code().into()])?;
        }
        Ok(())
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
