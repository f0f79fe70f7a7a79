//! The words of a program: type masks, groups of instructions, operation codes.
//!
//! `core/ARCHITECTURE.md` describes the image byte by byte.

use crate::instance::Kind;

/// Which JSON types a schema admits; integers apart from other numbers.
pub(crate) mod mask {
    pub(crate) const NULL: u8 = 1;
    pub(crate) const FALSE: u8 = 1 << 1;
    pub(crate) const TRUE: u8 = 1 << 2;
    pub(crate) const INTEGER: u8 = 1 << 3;
    pub(crate) const FRACTION: u8 = 1 << 4;
    pub(crate) const STRING: u8 = 1 << 5;
    pub(crate) const ARRAY: u8 = 1 << 6;
    pub(crate) const OBJECT: u8 = 1 << 7;
    pub(crate) const BOOLEAN: u8 = FALSE | TRUE;
    pub(crate) const NUMBER: u8 = INTEGER | FRACTION;
    pub(crate) const ALL: u8 = 0xFF;
}

/// The mask bits that admit a value of this kind (for a number, either of the two).
#[inline(always)]
pub(crate) const fn mask_of(kind: Kind) -> u8 {
    kind as u8
}

/// Which runs of instructions a node has. The low five bits of its second byte.
pub(crate) mod group {
    pub(crate) const NUMBER: u8 = 1;
    pub(crate) const STRING: u8 = 1 << 1;
    pub(crate) const ARRAY: u8 = 1 << 2;
    pub(crate) const OBJECT: u8 = 1 << 3;
    pub(crate) const ANY: u8 = 1 << 4;
    /// All five.
    pub(crate) const ALL: u8 = 0x1F;
    /// A second byte of this value makes the node a link: a reference of four bytes follows.
    pub(crate) const LINK: u8 = 0xFF;
}

/// The keyword that narrowed a node's type mask: the high three bits of its second byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Type = 0,
    Enum = 1,
    Const = 2,
    AnyOf = 3,
    OneOf = 4,
    AllOf = 5,
}

impl Why {
    pub(crate) const SHIFT: u32 = 5;

    pub(crate) const fn of(second: u8) -> Self {
        match second >> Self::SHIFT {
            1 => Self::Enum,
            2 => Self::Const,
            3 => Self::AnyOf,
            4 => Self::OneOf,
            5 => Self::AllOf,
            _ => Self::Type,
        }
    }
}

/// References below this are type masks; the rest are node offsets with this added.
pub(crate) const FIRST_NODE: u32 = 256;

/// Set in the last operation code of a run.
pub(crate) const LAST: u8 = 0x80;

/// Set in the code of a bound that is an integer of 32 bits, which follows in four bytes.
pub(crate) const WORD: u8 = 0x40;
/// Set in the code of an `Object` whose `additionalProperties` is the schema's `unevaluatedProperties`.
pub(crate) const UNEVALUATED: u8 = 0x40;
/// Set in the code of a `OneOf` whose branches are objects that are closed and hold scalars: the branch that matches tells names apart.
pub(crate) const DISTINCT: u8 = 0x40;
/// Set in the code of a `StringEnum` that was an `anyOf` or a `oneOf`; the second, of a `SomeSeen` that was a `oneOf`.
pub(crate) const ANY_OF: u8 = 0x40;
pub(crate) const ONE_OF: u8 = 0x20;
/// The bits that make a variant of an operation.
pub(crate) const VARIANT: u8 = 0x60;

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $code:literal),* $(,)?) => {
        /// What an instruction does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Op { $($(#[$doc])* $name = $code),* }

        impl Op {
            /// The operation of an instruction's first byte.
            #[inline]
            pub(crate) const fn of(byte: u8) -> Option<Self> {
                match byte & !(LAST | VARIANT) {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// As listings show it.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

operations! {
    /// number, or with [`WORD`] an integer
    Minimum = 1,
    /// number, or with [`WORD`] an integer
    Maximum = 2,
    /// number, or with [`WORD`] an integer
    ExclusiveMinimum = 3,
    /// number, or with [`WORD`] an integer
    ExclusiveMaximum = 4,
    /// number
    MultipleOf = 5,
    /// varint
    MinLength = 6,
    /// varint
    MaxLength = 7,
    /// varint length, pattern program, varint length, the pattern itself for messages
    Pattern = 8,
    /// byte
    Format = 9,
    /// table of strings
    StringEnum = 10,
    /// table of JSON texts
    ValueEnum = 11,
    /// flags and parts, see [`array`]
    Array = 12,
    /// flags and parts, see [`object`]
    Object = 13,
    /// varint count, references
    AllOf = 14,
    /// varint count, references
    AnyOf = 15,
    /// varint count, references
    OneOf = 16,
    /// reference
    Not = 17,
    /// three references: if, then, else
    If = 18,
    /// reference: everything else of the schema; two references plus one (0: none): unevaluated members, unevaluated items
    Unevaluated = 19,
    /// reference of the static target; varint count; each: varint number of a schema resource, reference
    DynamicRef = 21,
    /// varint number of a schema resource, reference: the rest of the schema, within that resource
    Scope = 22,
    /// byte (see [`discriminator`]), varint length, property name, table of strings with references; three references plus one (0: none): for
    /// what is no object, for objects without the property, and for any other value of it
    Discriminator = 23,
    /// table of strings
    StringConst = 24,
    /// table of JSON texts
    ValueConst = 25,
    /// nothing: `integer` of draft-04, a number written without a fraction and without an exponent
    PlainInteger = 26,
    /// varint count; each: varint table index, reference: whether the value of this member has this schema is to be kept in a bit
    Watch = 27,
    /// condition on what the last `Object` saw (varint with the bits of names, varint with those of `Watch`); twice, for then and else:
    /// varint with the bits of the names that are enough (0: more is to be checked), reference
    IfSeen = 28,
    /// condition likewise
    NotSeen = 29,
    /// varint count; each: varint with the bits of names that the last `Object` must have seen; reference of the `AnyOf` (with [`ONE_OF`], the
    /// `OneOf`) of the schemas that ask for these names, for when not enough of them hold
    SomeSeen = 30,
}

/// What a [`Op::Discriminator`] was.
pub(crate) mod discriminator {
    pub(crate) const ANY_OF: u8 = 0;
    pub(crate) const ONE_OF: u8 = 1;
    /// Conditions on the value of one property.
    pub(crate) const IF: u8 = 2;
    /// Beside `ANY_OF` or `ONE_OF`: the table has names that the first member may have, not values of a property.
    pub(crate) const FIRST: u8 = 4;
}

/// Flags of [`Op::Array`]. The parts follow in this order.
pub(crate) mod array {
    /// varint
    pub(crate) const MIN: u8 = 1;
    /// varint
    pub(crate) const MAX: u8 = 1 << 1;
    /// varint count, references
    pub(crate) const PREFIX: u8 = 1 << 2;
    /// reference
    pub(crate) const ITEMS: u8 = 1 << 3;
    /// reference, varint minimum, varint maximum plus one (0: none)
    pub(crate) const CONTAINS: u8 = 1 << 4;
    /// nothing
    pub(crate) const UNIQUE: u8 = 1 << 5;
    /// nothing: the keywords are those of drafts before 2020-12 (`items`, `additionalItems`)
    pub(crate) const OLD_NAMES: u8 = 1 << 6;
    /// nothing: `contains` evaluates the items it matches (2020-12)
    pub(crate) const CONTAINS_EVALUATES: u8 = 1 << 7;
}

/// Flags of [`Op::Object`]. The parts follow in this order.
pub(crate) mod object {
    /// table of names with references
    pub(crate) const TABLE: u8 = 1;
    /// one varint of 64 bits for each 64 entries of the table: set for each required name
    pub(crate) const REQUIRED: u8 = 1 << 1;
    /// reference
    pub(crate) const ADDITIONAL: u8 = 1 << 2;
    /// reference
    pub(crate) const NAMES: u8 = 1 << 3;
    /// varint length of what follows; for each: reference, varint length, pattern program
    pub(crate) const PATTERNS: u8 = 1 << 4;
    /// varint
    pub(crate) const MIN: u8 = 1 << 5;
    /// varint
    pub(crate) const MAX: u8 = 1 << 6;
    /// varint length of what follows; for each: varint table index, varint count plus one and table indices, or 0 and a reference
    pub(crate) const DEPENDENT: u8 = 1 << 7;
}

/// What failed within an instruction that checks several keywords. Low byte of an issue's detail.
pub(crate) mod part {
    pub(crate) const MIN: u32 = 0;
    pub(crate) const MAX: u32 = 1;
    pub(crate) const UNIQUE: u32 = 2;
    pub(crate) const CONTAINS: u32 = 3;
    pub(crate) const MAX_CONTAINS: u32 = 4;
    pub(crate) const ADDITIONAL: u32 = 5;
    pub(crate) const REQUIRED: u32 = 6;
    pub(crate) const DEPENDENT: u32 = 7;
    pub(crate) const ITEMS: u32 = 8;
    /// Bits of the part; the rest of the detail is a number that goes with it.
    pub(crate) const BITS: u32 = 4;
}
