//! Taking a program apart: nodes, their instructions and operands in the order of the bytes, never outside the bounds.
//!
//! The one decoder of all that look at a program without running it: the check of an image, the search for cycles, the listing and the
//! statistics. It knows where things stand, not whether they make sense.

use super::code::{Code, Table};
use super::op::{FIRST_NODE, LAST, Op, Why, array, group, object};
use crate::number::Number;

/// How an instruction applies a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Role {
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
    /// A value of a discriminator.
    Branch,
    Dependent,
    /// Where a dynamic reference leads without a dynamic scope.
    Static,
    /// Where it leads in the resource whose number stands before.
    Candidate,
    Property,
    Additional,
    PropertyName,
    PatternProperty,
    Prefix,
    Items,
    Contains,
    UnevaluatedProperties,
    UnevaluatedItems,
}

impl Role {
    /// Whether the schema always applies to the same value: going round such references never ends. Where dynamic references lead is
    /// only known at run time.
    pub(crate) const fn in_place(self) -> bool {
        (self as u8) <= Role::Dependent as u8
    }
}

/// What a number in an instruction means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The bound of `minLength` or `maxLength`.
    Length,
    Min,
    Max,
    MinContains,
    /// Plus one; 0 for none.
    MaxContains,
    /// Number of a schema resource.
    Resource,
    /// Flags of an `Array` or `Object`; 1 for a `Discriminator` of `oneOf`.
    Flags,
    /// Table index of a name that asks for others.
    Trigger,
    /// Table index of a name asked for.
    Wanted,
}

/// A part of a node, in the order of the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'p> {
    /// The node starts.
    Node,
    /// An instruction starts.
    Instruction {
        at: usize,
        op: Op,
    },
    /// A reference to a schema; 0 to 255 are type masks.
    Schema(Role, u32),
    /// A table starts.
    Table(Table),
    /// An entry of it: its number and its name. A reference follows as `Schema`.
    Entry(u32, &'p [u8]),
    /// 64 bits of the required names, lowest entry first.
    Required(u64),
    Field(Field, u32),
    Number(Number<'p>),
    Format(u8),
    /// A compiled pattern.
    Pattern(&'p [u8]),
    /// The text of a pattern, or the name of a discriminator.
    Text(&'p [u8]),
}

/// Hands the parts of the node at `at` to `each`, and gives the place behind it.
///
/// # Errors
/// The place of the instruction (or the node) that does not hold together.
pub(crate) fn node<'p>(code: Code<'p>, at: usize, each: &mut dyn FnMut(Item<'p>)) -> Result<usize, usize> {
    let mut reader = Reader { code, at: at.saturating_add(1), sound: true };
    let second = reader.byte();
    each(Item::Node);
    if second == group::LINK {
        let to = code.u32(reader.at);
        reader.take(4);
        each(Item::Schema(Role::Link, to));
    } else {
        reader.sound &= second >> Why::SHIFT <= Why::AllOf as u8;
        let mut rest = second & group::ALL;
        while rest != 0 && reader.sound {
            let run = rest & rest.wrapping_neg();
            rest &= !run;
            // All runs but the last have their length in front.
            let end = if rest != 0 { Some(reader.section()) } else { None };
            loop {
                let pc = reader.at;
                let byte = code.byte(pc);
                reader.instruction(run, each);
                if !reader.sound {
                    return Err(pc);
                }
                if byte & LAST != 0 {
                    break;
                }
            }
            reader.sound &= end.is_none_or(|end| end == reader.at);
        }
    }
    if reader.sound { Ok(reader.at) } else { Err(at) }
}

/// Reads on and on; what is out of bounds clears `sound` and gives zeros.
struct Reader<'p> {
    code: Code<'p>,
    at: usize,
    sound: bool,
}

impl<'p> Reader<'p> {
    fn byte(&mut self) -> u8 {
        let byte = self.code.byte(self.at);
        self.take(1);
        byte
    }

    fn take(&mut self, len: usize) -> &'p [u8] {
        let part = self.code.slice(self.at, len);
        self.at = self.at.saturating_add(len);
        self.sound &= part.len() == len;
        part
    }

    fn varint64(&mut self) -> u64 {
        let value = self.code.varint64(&mut self.at);
        self.sound &= self.at <= self.code.bytes().len();
        value
    }

    fn varint(&mut self) -> u32 {
        let value = self.varint64();
        self.sound &= value <= u64::from(u32::MAX);
        value as u32
    }

    /// A length, and where what is so long ends.
    fn section(&mut self) -> usize {
        let len = self.varint() as usize;
        self.at.saturating_add(len)
    }

    fn schema(&mut self, role: Role, each: &mut dyn FnMut(Item<'p>)) {
        each(Item::Schema(role, self.varint()));
    }

    /// References, their number in front.
    fn schemas(&mut self, role: Role, each: &mut dyn FnMut(Item<'p>)) {
        let mut left = self.varint();
        while left > 0 && self.sound {
            self.schema(role, each);
            left -= 1;
        }
    }

    fn field(&mut self, field: Field, each: &mut dyn FnMut(Item<'p>)) -> u32 {
        let value = self.varint();
        each(Item::Field(field, value));
        value
    }

    fn instruction(&mut self, run: u8, each: &mut dyn FnMut(Item<'p>)) {
        let at = self.at;
        let Some(op) = Op::of(self.byte()) else {
            self.sound = false;
            return;
        };
        each(Item::Instruction { at, op });
        let mut belongs = run;
        match op {
            Op::Minimum | Op::Maximum | Op::ExclusiveMinimum | Op::ExclusiveMaximum | Op::MultipleOf => {
                belongs = group::NUMBER;
                match Number::decode(self.code.bytes(), self.at) {
                    Some((number, behind)) => {
                        self.at = behind;
                        each(Item::Number(number));
                    }
                    None => self.sound = false,
                }
            }
            Op::PlainInteger => belongs = group::NUMBER,
            Op::MinLength | Op::MaxLength => {
                belongs = group::STRING;
                self.field(Field::Length, each);
            }
            Op::Pattern => {
                belongs = group::STRING;
                let len = self.varint() as usize;
                each(Item::Pattern(self.take(len)));
                let len = self.varint() as usize;
                each(Item::Text(self.take(len)));
            }
            Op::Format => {
                belongs = group::STRING;
                each(Item::Format(self.byte()));
            }
            Op::StringEnum | Op::StringConst => {
                belongs = group::STRING;
                self.table(None, each);
            }
            Op::ValueEnum | Op::ValueConst => {
                self.table(None, each);
            }
            Op::Array => {
                belongs = group::ARRAY;
                self.array(each);
            }
            Op::Object => {
                belongs = group::OBJECT;
                self.object(each);
            }
            Op::AllOf => self.schemas(Role::AllOf, each),
            Op::AnyOf => self.schemas(Role::AnyOf, each),
            Op::OneOf => self.schemas(Role::OneOf, each),
            Op::Not => self.schema(Role::Not, each),
            Op::If => {
                for role in [Role::If, Role::Then, Role::Else] {
                    self.schema(role, each);
                }
            }
            Op::Unevaluated => {
                self.schema(Role::Rest, each);
                for role in [Role::UnevaluatedProperties, Role::UnevaluatedItems] {
                    if let Some(reference) = self.varint().checked_sub(1) {
                        each(Item::Schema(role, reference));
                    }
                }
            }
            Op::DynamicRef => {
                self.schema(Role::Static, each);
                let mut left = self.varint();
                while left > 0 && self.sound {
                    self.field(Field::Resource, each);
                    self.schema(Role::Candidate, each);
                    left -= 1;
                }
            }
            Op::Scope => {
                self.field(Field::Resource, each);
                self.schema(Role::Scope, each);
            }
            Op::Discriminator => {
                let which = self.byte();
                each(Item::Field(Field::Flags, u32::from(which)));
                let len = self.varint() as usize;
                each(Item::Text(self.take(len)));
                self.table(Some(Role::Branch), each);
            }
        }
        self.sound &= belongs == run;
    }

    /// Gives the number of entries.
    fn table(&mut self, role: Option<Role>, each: &mut dyn FnMut(Item<'p>)) -> u32 {
        let table = Table::read(self.code, self.at);
        self.varint();
        self.varint();
        self.sound &= table.end <= self.code.bytes().len();
        each(Item::Table(table));
        self.at = table.entries;
        let mut index = 0;
        while index < table.count && self.sound {
            if table.indexed() {
                self.sound &= self.varint() == index;
            }
            let head = self.varint();
            let name = self.take((head >> 1) as usize);
            each(Item::Entry(index, name));
            if head & 1 != 0 {
                match role {
                    Some(role) => self.schema(role, each),
                    None => self.sound = false,
                }
            }
            index += 1;
        }
        self.sound &= self.at == table.end && index > 0;
        index
    }

    fn array(&mut self, each: &mut dyn FnMut(Item<'p>)) {
        let flags = self.byte();
        each(Item::Field(Field::Flags, u32::from(flags)));
        for (flag, field) in [(array::MIN, Field::Min), (array::MAX, Field::Max)] {
            if flags & flag != 0 {
                self.field(field, each);
            }
        }
        if flags & array::PREFIX != 0 {
            self.schemas(Role::Prefix, each);
        }
        if flags & array::ITEMS != 0 {
            self.schema(Role::Items, each);
        }
        if flags & array::CONTAINS != 0 {
            self.schema(Role::Contains, each);
            self.field(Field::MinContains, each);
            self.field(Field::MaxContains, each);
        }
    }

    fn object(&mut self, each: &mut dyn FnMut(Item<'p>)) {
        let flags = self.byte();
        each(Item::Field(Field::Flags, u32::from(flags)));
        let count = if flags & object::TABLE != 0 { self.table(Some(Role::Property), each) } else { 0 };
        if flags & object::REQUIRED != 0 {
            self.sound &= count > 0;
            for _ in 0..count.div_ceil(64) {
                each(Item::Required(self.varint64()));
            }
        }
        for (flag, role) in [(object::ADDITIONAL, Role::Additional), (object::NAMES, Role::PropertyName)] {
            if flags & flag != 0 {
                self.schema(role, each);
            }
        }
        if flags & object::PATTERNS != 0 {
            let end = self.section();
            while self.at < end && self.sound {
                let reference = self.varint();
                let len = self.varint() as usize;
                each(Item::Pattern(self.take(len)));
                each(Item::Schema(Role::PatternProperty, reference));
            }
            self.sound &= self.at == end;
        }
        for (flag, field) in [(object::MIN, Field::Min), (object::MAX, Field::Max)] {
            if flags & flag != 0 {
                self.field(field, each);
            }
        }
        if flags & object::DEPENDENT != 0 {
            let end = self.section();
            while self.at < end && self.sound {
                self.sound &= self.field(Field::Trigger, each) < count;
                match self.varint() {
                    0 => self.schema(Role::Dependent, each),
                    names => {
                        let mut left = names - 1;
                        while left > 0 && self.sound {
                            self.sound &= self.field(Field::Wanted, each) < count;
                            left -= 1;
                        }
                    }
                }
            }
            self.sound &= self.at == end;
        }
    }
}

/// Calls `each` with the offset of every node of the program.
///
/// # Errors
/// As [`node`]; a node that has no end, too.
pub(crate) fn nodes<'p>(code: Code<'p>, each: &mut dyn FnMut(usize, Item<'p>)) -> Result<(), usize> {
    let mut at = super::HEADER;
    while at < code.bytes().len() {
        at = node(code, at, &mut |item| each(at, item))?;
    }
    Ok(())
}

/// The offset of the node that a reference leads to; `None` for a type mask.
pub(crate) const fn target(reference: u32) -> Option<usize> {
    match reference.checked_sub(FIRST_NODE) {
        Some(node) => Some(node as usize),
        None => None,
    }
}
