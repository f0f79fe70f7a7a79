//! The keywords, and the dialects that have them.

use super::Dialect;
use super::dialect::vocabulary;
use crate::text::same;

macro_rules! keywords {
    ($($name:literal $keyword:ident $first:ident ..= $last:ident $shape:ident $vocabulary:ident),* $(,)?) => {
        /// A keyword of some dialect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Keyword { $($keyword),* }

        impl Keyword {
            const ALL: [Self; ROWS.len()] = [$(Self::$keyword),*];
        }

        /// Their names, one after the other.
        const NAMES: &str = concat!($($name),*);

        /// What is known of each, in the order of the enumeration.
        static ROWS: [Row; [$($name),*].len()] = {
            let mut start = 0;
            [$(Row::new(&mut start, $name, Dialect::$first, Dialect::$last, Shape::$shape, vocabulary::$vocabulary)),*]
        };
    };
}

keywords! {
    // Those that a draft has a slot for: the first `SLOTS`.
    "required" Required Draft4..=Draft2020_12 Other VALIDATION,
    "additionalProperties" AdditionalProperties Draft4..=Draft2020_12 Schema APPLICATOR,
    "items" Items Draft4..=Draft2020_12 Schemas APPLICATOR,
    "minimum" Minimum Draft4..=Draft2020_12 Other VALIDATION,
    "maximum" Maximum Draft4..=Draft2020_12 Other VALIDATION,
    "$defs" Defs Draft2019_09..=Draft2020_12 Map OTHER,
    "definitions" Definitions Draft4..=Draft2020_12 Map OTHER,
    "minItems" MinItems Draft4..=Draft2020_12 Other VALIDATION,
    "maxItems" MaxItems Draft4..=Draft2020_12 Other VALIDATION,
    "exclusiveMinimum" ExclusiveMinimum Draft4..=Draft2020_12 Other VALIDATION,
    "exclusiveMaximum" ExclusiveMaximum Draft4..=Draft2020_12 Other VALIDATION,
    "if" If Draft7..=Draft2020_12 Schema APPLICATOR,
    "then" Then Draft7..=Draft2020_12 Schema APPLICATOR,
    "else" Else Draft7..=Draft2020_12 Schema APPLICATOR,
    "propertyNames" PropertyNames Draft6..=Draft2020_12 Schema APPLICATOR,
    "minProperties" MinProperties Draft4..=Draft2020_12 Other VALIDATION,
    "maxProperties" MaxProperties Draft4..=Draft2020_12 Other VALIDATION,
    "dependentRequired" DependentRequired Draft2019_09..=Draft2020_12 Other VALIDATION,
    "dependentSchemas" DependentSchemas Draft2019_09..=Draft2020_12 Map APPLICATOR,
    "dependencies" Dependencies Draft4..=Draft2020_12 Map OTHER,
    "additionalItems" AdditionalItems Draft4..=Draft2019_09 Schema APPLICATOR,
    "contains" Contains Draft6..=Draft2020_12 Schema APPLICATOR,
    "minContains" MinContains Draft2019_09..=Draft2020_12 Other VALIDATION,
    "maxContains" MaxContains Draft2019_09..=Draft2020_12 Other VALIDATION,
    "unevaluatedItems" UnevaluatedItems Draft2019_09..=Draft2020_12 Schema UNEVALUATED,
    "unevaluatedProperties" UnevaluatedProperties Draft2019_09..=Draft2020_12 Schema UNEVALUATED,
    // The others.
    "type" Type Draft4..=Draft2020_12 Other VALIDATION,
    "description" Description Draft4..=Draft2020_12 Other OTHER,
    "properties" Properties Draft4..=Draft2020_12 Map APPLICATOR,
    "default" Default Draft4..=Draft2020_12 Other OTHER,
    "enum" Enum Draft4..=Draft2020_12 Other VALIDATION,
    "anyOf" AnyOf Draft4..=Draft2020_12 Schemas APPLICATOR,
    "title" Title Draft4..=Draft2020_12 Other OTHER,
    "format" Format Draft4..=Draft2020_12 Other OTHER,
    "$schema" Schema Draft4..=Draft2020_12 Other OTHER,
    "$ref" Ref Draft4..=Draft2020_12 Other OTHER,
    "contentEncoding" ContentEncoding Draft7..=Draft2020_12 Other OTHER,
    "contentMediaType" ContentMediaType Draft7..=Draft2020_12 Other OTHER,
    "pattern" Pattern Draft4..=Draft2020_12 Other VALIDATION,
    "const" Const Draft6..=Draft2020_12 Other VALIDATION,
    "minLength" MinLength Draft4..=Draft2020_12 Other VALIDATION,
    "maxLength" MaxLength Draft4..=Draft2020_12 Other VALIDATION,
    "oneOf" OneOf Draft4..=Draft2020_12 Schemas APPLICATOR,
    "allOf" AllOf Draft4..=Draft2020_12 Schemas APPLICATOR,
    "not" Not Draft4..=Draft2020_12 Schema APPLICATOR,
    "patternProperties" PatternProperties Draft4..=Draft2020_12 Map APPLICATOR,
    "prefixItems" PrefixItems Draft2020_12..=Draft2020_12 Schemas APPLICATOR,
    "uniqueItems" UniqueItems Draft4..=Draft2020_12 Other VALIDATION,
    "multipleOf" MultipleOf Draft4..=Draft2020_12 Other VALIDATION,
    "$id" Id Draft6..=Draft2020_12 Other OTHER,
    "id" OldId Draft4..=Draft4 Other OTHER,
    "$anchor" Anchor Draft2019_09..=Draft2020_12 Other OTHER,
    "$dynamicRef" DynamicRef Draft2020_12..=Draft2020_12 Other OTHER,
    "$dynamicAnchor" DynamicAnchor Draft2020_12..=Draft2020_12 Other OTHER,
    "$recursiveRef" RecursiveRef Draft2019_09..=Draft2020_12 Other OTHER,
    "$recursiveAnchor" RecursiveAnchor Draft2019_09..=Draft2020_12 Other OTHER,
    "$vocabulary" Vocabulary Draft2019_09..=Draft2020_12 Other OTHER,
    "$comment" Comment Draft7..=Draft2020_12 Other OTHER,
    "readOnly" ReadOnly Draft7..=Draft2020_12 Other OTHER,
    "writeOnly" WriteOnly Draft7..=Draft2020_12 Other OTHER,
    "deprecated" Deprecated Draft2019_09..=Draft2020_12 Other OTHER,
    "examples" Examples Draft6..=Draft2020_12 Other OTHER,
    "contentSchema" ContentSchema Draft2019_09..=Draft2020_12 Other OTHER,
}

/// So many keywords, the first, have a slot in a draft.
pub(super) const SLOTS: usize = 26;

/// Where the schemas are in a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It is one.
    Schema,
    /// It is an array of schemas, or one.
    Schemas,
    /// An object whose values are schemas.
    Map,
    /// There are none.
    Other,
}

/// Four bytes for each keyword.
struct Row {
    /// Where the name begins, and its length in the low five bits.
    name: u16,
    /// The dialects that have it, a bit each.
    dialects: u8,
    /// The bit of its vocabulary, and its shape in bits that no vocabulary has.
    what: u8,
}

impl Row {
    const LEN_BITS: u32 = 5;
    const SHAPE: u32 = 5;

    const fn new(start: &mut u16, name: &str, first: Dialect, last: Dialect, shape: Shape, vocabulary: u8) -> Self {
        let row = Self {
            name: *start << Self::LEN_BITS | name.len() as u16,
            dialects: (2 << last as u8) - (1 << first as u8),
            what: vocabulary | (shape as u8) << Self::SHAPE,
        };
        *start += name.len() as u16;
        row
    }

    const fn name(&self) -> &'static [u8] {
        let (start, len) = ((self.name >> Self::LEN_BITS) as usize, (self.name & ((1 << Self::LEN_BITS) - 1)) as usize);
        match NAMES.as_bytes().split_at_checked(start) {
            Some((_, behind)) => match behind.split_at_checked(len) {
                Some((name, _)) => name,
                None => b"",
            },
            None => b"",
        }
    }

    const fn shape(&self) -> Shape {
        match self.what >> Self::SHAPE & 3 {
            0 => Shape::Schema,
            1 => Shape::Schemas,
            2 => Shape::Map,
            _ => Shape::Other,
        }
    }
}

/// The keywords that apply schemas, a bit each.
pub(super) const APPLICATORS: u64 = {
    let (mut bits, mut number) = (1 << Keyword::Ref as u8, 0);
    while number < ROWS.len() {
        if !matches!(ROWS[number].shape(), Shape::Other)
            && !matches!(Keyword::ALL[number], Keyword::Defs | Keyword::Definitions)
        {
            bits |= 1 << number;
        }
        number += 1;
    }
    bits
};

/// Each keyword where its name hashes to.
static BY_HASH: [Option<Keyword>; 128] = {
    let mut slots = [None; 128];
    let mut number = 0;
    while number < ROWS.len() {
        let slot = slot(ROWS[number].name());
        assert!(slots[slot].is_none(), "two keywords with one hash: take another multiplier");
        slots[slot] = Some(Keyword::ALL[number]);
        number += 1;
    }
    slots
};

/// The hash of a name: its length, its second byte and its fifth from the end tell all keywords apart.
const fn slot(name: &[u8]) -> usize {
    let second = if let [_, second, ..] = name { *second } else { 0 };
    let ([.., fifth, _, _, _, _] | [fifth, ..]) = name else {
        return 0;
    };
    let key = (name.len() as u32) << 16 | (second as u32) << 8 | *fifth as u32;
    (key.wrapping_mul(0x749B_22D9) >> 25) as usize
}

impl Keyword {
    /// The keyword of this name, where the dialect has it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    pub(super) fn of(name: &[u8], dialect: Dialect) -> Option<Self> {
        let keyword = BY_HASH[slot(name)]?;
        let row = keyword.row();
        (row.dialects >> dialect as u8 & 1 != 0 && same(name, row.name())).then_some(keyword)
    }

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Whether a dynamic reference means anything: the meta-schema of 2020-12 still knows the one of 2019-09.
    pub(super) fn is_followed(self, dialect: Dialect) -> bool {
        self != Self::RecursiveRef || dialect == Dialect::Draft2019_09
    }

    pub(super) const fn shape(self) -> Shape {
        self.row().shape()
    }

    /// Whether the dialect's vocabularies have it.
    pub(super) const fn is_in(self, vocabularies: u8) -> bool {
        vocabularies & self.row().what & vocabulary::EACH != 0
    }
}

/// The name as plain bytes, as far as it can be a keyword's.
pub(super) fn decode_name<'b>(name: crate::Text<'_>, buffer: &'b mut [u8; 24]) -> &'b [u8] {
    let mut len = 0;
    for code in name.chars() {
        match (u8::try_from(code), buffer.get_mut(len)) {
            (Ok(byte @ 0..0x80), Some(slot)) => *slot = byte,
            _ => return b"",
        }
        len += 1;
    }
    buffer.get(..len).unwrap_or_default()
}
