//! Taking a program apart: nodes, their instructions and operands in the order of the bytes, never outside the bounds.
//!
//! The one decoder of all that look at a program without running it: the check of an image, the search for cycles, the listing and the
//! statistics. It knows where things stand, not whether they make sense.

use super::code::{Code, LONG, Table};
use super::op::{ANY_OF, DISTINCT, FIRST_NODE, LAST, ONE_OF, Op, UNEVALUATED, VARIANT, WORD, Why, group};

/// What stands in a node. References first, of them those to schemas that always apply to the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Part {
    // References: the number is the reference.
    /// What a link stands for.
    Link,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    Then,
    Else,
    /// The rest of a schema with `unevaluatedProperties` or `unevaluatedItems`.
    Rest,
    /// The rest of a schema resource.
    Scope,
    /// For the value of a discriminator that stands before.
    Branch,
    /// For what has no discriminator, as it is no object.
    NoObject,
    /// Where a discriminator is missing.
    Missing,
    /// Where a discriminator has another value.
    Otherwise,
    /// What a property asks for.
    Dependent,
    /// Where a dynamic reference leads without a dynamic scope.
    Static,
    /// Where it leads in the resource that stands before.
    Candidate,
    /// For the name that stands before.
    Property,
    /// What the value of a member is tried against.
    Watched,
    Additional,
    PropertyName,
    /// For the pattern that stands before.
    PatternProperty,
    Prefix,
    Items,
    Contains,
    UnevaluatedProperties,
    UnevaluatedItems,

    // Numbers.
    /// The bound of `minLength` or `maxLength`.
    Length,
    Min,
    Max,
    MinContains,
    /// Plus one; 0 for none.
    MaxContains,
    /// A schema resource.
    Resource,
    /// Table index of a name that asks for others.
    Trigger,
    /// Table index of a name asked for.
    Wanted,
    /// Flags of an `Array` or `Object`.
    Flags,
    /// What a `Discriminator` was.
    Discriminates,
    /// Table index of a member that is watched.
    Member,
    Format,

    // Places: the number is an offset.
    /// The node starts.
    Node,
    /// An instruction starts.
    Instruction,
    /// A table starts.
    Table,
    /// A varint with 64 bits of the required names, lowest entry first.
    Required,
    /// Varints with the bits of a condition: names of the table, members that are watched.
    Seen,
    Passed,
    /// Several such varints with names, each of which stands for a branch.
    SomeSeen,
    /// An encoded number.
    Number,

    // Bytes.
    /// An entry of a table: its number and its name.
    Entry,
    /// A compiled pattern.
    Pattern,
    /// The text of a pattern, or the name of a discriminator.
    Text,
}

impl Part {
    /// Whether it is a reference.
    pub(crate) const fn is_schema(self) -> bool {
        (self as u8) <= Self::UnevaluatedItems as u8
    }

    /// Whether it is a reference to a schema that always applies to the same value: going round those never ends. Where dynamic
    /// references lead is only known at run time.
    pub(crate) const fn is_in_place(self) -> bool {
        (self as u8) <= Self::Dependent as u8
    }
}

/// Takes the parts: what it is, its number, its bytes. In place of `dyn FnMut`, whose table of functions has each closure twice.
trait Each<'p> {
    fn part(&mut self, part: Part, value: u32, bytes: &'p [u8]);
}

impl<'p, F: FnMut(Part, u32, &'p [u8])> Each<'p> for F {
    fn part(&mut self, part: Part, value: u32, bytes: &'p [u8]) {
        self(part, value, bytes);
    }
}

/// The offset of the node that a reference leads to; `None` for a type mask.
pub(crate) const fn target(reference: u32) -> Option<usize> {
    match reference.checked_sub(FIRST_NODE) {
        Some(node) => Some(node as usize),
        None => None,
    }
}

/// Hands the parts of all nodes to `each`.
///
/// # Errors
/// The place of the instruction (or the node) that does not hold together.
pub(crate) fn nodes<'p>(code: Code<'p>, mut each: impl FnMut(Part, u32, &'p [u8])) -> Result<(), usize> {
    Reader::new(code, super::HEADER, &mut each).nodes()
}

/// Hands the parts of the node at `at` to `each`, and gives the place behind it.
///
/// # Errors
/// As [`nodes`].
pub(crate) fn node<'p>(code: Code<'p>, at: usize, mut each: impl FnMut(Part, u32, &'p [u8])) -> Result<usize, usize> {
    let mut reader = Reader::new(code, at, &mut each);
    reader.node()?;
    Ok(reader.at)
}

/// Hands the parts of the instruction at `at` to `each`.
#[cfg(feature = "compile")]
pub(crate) fn instruction<'p>(code: Code<'p>, at: usize, mut each: impl FnMut(Part, u32, &'p [u8])) {
    Reader::new(code, at, &mut each).instruction(group::ALL);
}

/// The groups an instruction may stand in, the bits of its variants, and what it is made of. `Array` and `Object` have flags first: a bit for
/// each part.
const fn shape(op: Op) -> (u8, u8, &'static [Part]) {
    match op {
        Op::Minimum | Op::Maximum | Op::ExclusiveMinimum | Op::ExclusiveMaximum => {
            (group::NUMBER, WORD, &[Part::Number])
        }
        Op::MultipleOf => (group::NUMBER, 0, &[Part::Number]),
        Op::PlainInteger => (group::NUMBER, 0, &[]),
        Op::MinLength | Op::MaxLength => (group::STRING, 0, &[Part::Length]),
        Op::Pattern => (group::STRING, 0, &[Part::Pattern, Part::Text]),
        Op::Format => (group::STRING, 0, &[Part::Format]),
        Op::StringEnum => (group::STRING, ANY_OF | ONE_OF, &[Part::Table]),
        Op::StringConst => (group::STRING, 0, &[Part::Table]),
        Op::ValueEnum | Op::ValueConst => (group::ALL, 0, &[Part::Table]),
        Op::Array => (group::ARRAY, 0, &[Part::Min, Part::Max, Part::Prefix, Part::Items, Part::Contains]),
        Op::Object => (
            group::OBJECT,
            UNEVALUATED,
            &[
                Part::Property,
                Part::Required,
                Part::Additional,
                Part::PropertyName,
                Part::PatternProperty,
                Part::Min,
                Part::Max,
                Part::Dependent,
            ],
        ),
        Op::AllOf => (group::ALL, 0, &[Part::AllOf]),
        Op::AnyOf => (group::ALL, 0, &[Part::AnyOf]),
        Op::OneOf => (group::ALL, DISTINCT, &[Part::OneOf]),
        Op::Not => (group::ALL, 0, &[Part::Not]),
        Op::If => (group::ALL, 0, &[Part::If, Part::Then, Part::Else]),
        Op::Watch => (group::OBJECT, 0, &[Part::Watched]),
        Op::IfSeen => (group::OBJECT, 0, &[Part::Seen, Part::Passed, Part::Seen, Part::Then, Part::Seen, Part::Else]),
        Op::NotSeen => (group::OBJECT, 0, &[Part::Seen, Part::Passed]),
        Op::SomeSeen => (group::OBJECT | group::ANY, ONE_OF, &[Part::SomeSeen, Part::Otherwise]),
        Op::Unevaluated => (group::ALL, 0, &[Part::Rest, Part::UnevaluatedProperties, Part::UnevaluatedItems]),
        Op::DynamicRef => (group::ALL, 0, &[Part::Static, Part::Candidate]),
        Op::Scope => (group::ALL, 0, &[Part::Resource, Part::Scope]),
        Op::Discriminator => (
            group::ALL,
            0,
            &[Part::Discriminates, Part::Text, Part::Branch, Part::NoObject, Part::Missing, Part::Otherwise],
        ),
    }
}

/// The same as a table, by operation code: groups, variants, and which of `PARTS`, from and to. Codes that are none stand in no group.
static SHAPES: [[u8; 4]; CODES] = TABLES.0;
static PARTS: [Part; TABLES.2] = {
    let mut parts = [Part::Link; TABLES.2];
    let mut i = 0;
    while i < TABLES.2 {
        parts[i] = TABLES.1[i];
        i += 1;
    }
    parts
};

/// Operation codes, without the bits of variants.
const CODES: usize = 32;

const TABLES: ([[u8; 4]; CODES], [Part; 3 * CODES], usize) = {
    let (mut shapes, mut parts, mut len) = ([[0; 4]; CODES], [Part::Link; 3 * CODES], 0);
    let mut code = 0;
    while code < CODES {
        if let Some(op) = Op::of(code as u8) {
            let (groups, variants, of_op) = shape(op);
            shapes[code] = [groups, variants, len as u8, (len + of_op.len()) as u8];
            let mut i = 0;
            while i < of_op.len() {
                parts[len] = of_op[i];
                (i, len) = (i + 1, len + 1);
            }
        }
        code += 1;
    }
    (shapes, parts, len)
};

/// Reads on and on; what is out of bounds clears `sound` and gives zeros.
struct Reader<'e, 'p> {
    code: Code<'p>,
    at: usize,
    sound: bool,
    /// Entries of the instruction's table.
    entries: u32,
    each: &'e mut dyn Each<'p>,
}

impl<'e, 'p> Reader<'e, 'p> {
    fn new(code: Code<'p>, at: usize, each: &'e mut dyn Each<'p>) -> Self {
        Self { code, at, sound: true, entries: 0, each }
    }

    fn nodes(&mut self) -> Result<(), usize> {
        let end = self.code.bytes().len().saturating_sub(super::PAD);
        while self.at < end {
            self.node()?;
        }
        if self.at == end && self.code.u64(end) == 0 { Ok(()) } else { Err(end) }
    }

    #[inline(never)]
    fn node(&mut self) -> Result<(), usize> {
        let at = self.at;
        self.at = at.saturating_add(1);
        let second = self.byte();
        self.each.part(Part::Node, at as u32, &[]);
        if second == group::LINK {
            self.each.part(Part::Link, self.code.u32(self.at), &[]);
            self.take(4);
        } else {
            self.sound &= second >> Why::SHIFT <= Why::AllOf as u8;
            let mut rest = second & group::ALL;
            while rest != 0 && self.sound {
                let run = rest & rest.wrapping_neg();
                rest &= !run;
                // All runs but the last have their length in front.
                let end = if rest != 0 { Some(self.section()) } else { None };
                loop {
                    let pc = self.at;
                    self.instruction(run);
                    if !self.sound {
                        return Err(pc);
                    }
                    if self.code.byte(pc) & LAST != 0 {
                        break;
                    }
                }
                self.sound &= end.is_none_or(|end| end == self.at);
            }
        }
        if self.sound { Ok(()) } else { Err(at) }
    }

    fn byte(&mut self) -> u8 {
        let byte = self.code.byte(self.at);
        self.take(1);
        byte
    }

    #[inline(never)]
    fn take(&mut self, len: usize) -> &'p [u8] {
        let part = self.code.slice(self.at, len);
        self.at = self.at.saturating_add(len);
        self.sound &= part.len() == len;
        part
    }

    #[inline(never)]
    fn varint(&mut self) -> u32 {
        let from = self.at;
        let value = self.code.varint64(&mut self.at);
        // In the shortest form, as what reads only one byte relies on it.
        let last = self.code.byte(self.at.wrapping_sub(1));
        self.sound &= self.at <= self.code.bytes().len() && value <= u64::from(u32::MAX);
        self.sound &= last != 0 || self.at == from.wrapping_add(1);
        value as u32
    }

    /// A length, and where what is so long ends.
    fn section(&mut self) -> usize {
        let len = self.varint() as usize;
        self.at.saturating_add(len)
    }

    /// Bytes with their length in front.
    #[inline(never)]
    fn counted(&mut self, part: Part) {
        let len = self.varint() as usize;
        let bytes = self.take(len);
        self.each.part(part, 0, bytes);
    }

    #[inline(never)]
    fn number(&mut self, part: Part) -> u32 {
        let value = self.varint();
        self.each.part(part, value, &[]);
        value
    }

    #[inline(never)]
    fn instruction(&mut self, run: u8) {
        let at = self.at;
        self.entries = 0;
        let byte = self.byte();
        let [groups, variants, from, to] = SHAPES[usize::from(byte) % CODES];
        self.sound &= groups & run != 0 && byte & VARIANT & !variants == 0;
        if groups == 0 {
            return;
        }
        self.each.part(Part::Instruction, at as u32, &[]);
        let mut flags = u8::MAX;
        if matches!(Op::of(byte), Some(Op::Array | Op::Object)) {
            flags = self.byte();
            self.each.part(Part::Flags, u32::from(flags), &[]);
        }
        for &part in PARTS.get(usize::from(from)..usize::from(to)).unwrap_or_default() {
            if flags & 1 != 0 && self.sound {
                self.part(part);
            }
            flags >>= 1;
        }
    }

    #[inline(never)]
    fn part(&mut self, part: Part) {
        match part {
            Part::Number => {
                let pc = self.at.wrapping_sub(1);
                self.each.part(part, pc as u32, &[]);
                match self.code.number(pc) {
                    Some((_, end)) => self.at = end,
                    None => self.sound = false,
                }
            }
            Part::Pattern | Part::Text => self.counted(part),
            Part::Table | Part::Property | Part::Branch => self.table(part),
            Part::Required => {
                // 64 entries each; the table comes before.
                self.sound &= self.entries > 0;
                for _ in 0..self.entries.div_ceil(64) {
                    self.each.part(part, self.at as u32, &[]);
                    self.code.varint64(&mut self.at);
                }
                self.sound &= self.at <= self.code.bytes().len();
            }
            Part::Seen | Part::Passed => {
                self.each.part(part, self.at as u32, &[]);
                self.code.varint64(&mut self.at);
                self.sound &= self.at <= self.code.bytes().len();
            }
            Part::SomeSeen => {
                let mut left = self.varint();
                while left > 0 && self.sound {
                    self.part(Part::Seen);
                    left -= 1;
                }
            }
            Part::PatternProperty | Part::Dependent => {
                let end = self.section();
                while self.at < end && self.sound {
                    if part == Part::PatternProperty {
                        let reference = self.varint();
                        self.counted(Part::Pattern);
                        self.each.part(part, reference, &[]);
                    } else {
                        self.dependent();
                    }
                }
                self.sound &= self.at == end;
            }
            Part::UnevaluatedProperties | Part::UnevaluatedItems | Part::NoObject | Part::Missing | Part::Otherwise => {
                if let Some(reference) = self.varint().checked_sub(1) {
                    self.each.part(part, reference, &[]);
                }
            }
            _ => {
                let many = matches!(
                    part,
                    Part::AllOf | Part::AnyOf | Part::OneOf | Part::Prefix | Part::Candidate | Part::Watched
                );
                let mut left = if many { self.varint() } else { 1 };
                while left > 0 && self.sound {
                    match part {
                        Part::Candidate => self.number(Part::Resource),
                        Part::Watched => self.number(Part::Member),
                        _ => 0,
                    };
                    self.number(part);
                    left -= 1;
                }
                if part == Part::Contains {
                    self.number(Part::MinContains);
                    self.number(Part::MaxContains);
                }
            }
        }
    }

    /// A name, and what it asks for: names, or a schema.
    fn dependent(&mut self) {
        self.sound &= self.number(Part::Trigger) < self.entries;
        let mut left = self.varint();
        if left == 0 {
            self.number(Part::Dependent);
        }
        while left > 1 && self.sound {
            self.sound &= self.number(Part::Wanted) < self.entries;
            left -= 1;
        }
    }

    /// A table, with references of this kind where there are any.
    #[inline(never)]
    fn table(&mut self, references: Part) {
        self.each.part(Part::Table, self.at as u32, &[]);
        let table = Table::read(self.code, self.at);
        self.at = table.entries;
        // Each entry takes a byte at least.
        self.sound &= table.end <= self.code.bytes().len() && table.count > 0;
        let mut index = 0;
        while index < table.count && self.sound {
            let head = table.head(self.code, self.at);
            self.sound &= head.index == index;
            self.take(table.offset());
            let mut len = head.len;
            if head.name_at != self.at {
                len = self.varint() as usize;
                self.sound &= len >= LONG;
            }
            let name = self.take(len);
            self.each.part(Part::Entry, index, name);
            if let Some(reference) = head.reference {
                self.sound &= references != Part::Table;
                self.each.part(references, reference, &[]);
            }
            index += 1;
        }
        self.sound &= self.at == table.end;
        self.entries = table.count;
    }
}
