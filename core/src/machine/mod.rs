//! The machine: runs a program over an instance.
//!
//! One pass wherever the schema allows it: a value is read when its schema is applied, and the place behind it comes back as the
//! start of the next one. Only schemas applied in place (`anyOf`, `if`, …) read a container again.

mod array;
mod branch;
mod budget;
mod described;
mod equal;
mod member;
mod memo;
mod object;
mod parsed;
mod scalar;
#[cfg(all(test, feature = "compile"))]
mod tests;
mod track;
mod unique;

pub(crate) use branch::NO_PROPERTY;
#[cfg(feature = "messages")]
pub(crate) use branch::{NO_BRANCH, SEVERAL};
pub(crate) use budget::Budget;
pub(crate) use memo::MEMO;
#[cfg(feature = "messages")]
pub(crate) use object::bound as object_bound;

#[cfg(feature = "compile")]
pub(crate) use equal::equal as value_equal;
pub(crate) use equal::hash as value_hash;

use crate::error::{Error, Halt};
use crate::instance::Instance;
use crate::issue::{INSTRUCTION, Issue, IssueSink};
use crate::json::{Json, MAX_DEPTH};
use crate::limits::Limits;
use crate::number::Number;
use crate::program::code::{Code, Table};
use crate::program::op::{FIRST_NODE, LAST, ONE_OF, Op, VARIANT, group, mask};
use crate::program::{Program, flag};
use crate::text::Text;
use track::Marks;

/// What to run, over what, how far.
#[derive(Debug)]
pub(crate) struct Run<'p, I> {
    pub(crate) program: Program<'p>,
    pub(crate) instance: I,
    pub(crate) limits: Limits,
    /// Whether an object anywhere that names a member twice is no JSON.
    pub(crate) unique_names: bool,
}

/// Runs a program. Without a sink the run stops at the first failure. The last [`MEMO`] words of the scratch are zeros, or of no use.
pub(crate) fn run<'i, 's, 'k, I: Instance<'i>>(
    run: Run<'_, I>,
    sink: Option<&'s mut (dyn IssueSink + 'k)>,
    scratch: &'s mut [u32],
) -> Result<bool, Error> {
    // The end of the scratch, where there is so much.
    let memo = if run.program.flags() & flag::MEMO == 0 { 0 } else { MEMO };
    let (scratch, memo) = match scratch.len().checked_sub(memo) {
        Some(rest) => scratch.split_at_mut(rest),
        None => (scratch, &mut [][..]),
    };
    let mut machine = Machine {
        code: run.program.code(),
        instance: run.instance,
        budget: Budget { steps: run.limits.steps, depth: u32::from(run.limits.depth).min(MAX_DEPTH) },
        mode: if sink.is_some() { Mode::Collect } else { Mode::Quiet },
        found: 0,
        sink,
        scratch,
        memo,
        again: 0,
        top: 0,
        marks: None,
        optional: false,
        depth: u32::from(run.limits.depth).min(MAX_DEPTH),
        distinct: false,
        certain: usize::MAX,
        scope: 0,
        next: 0,
        watched: 0,
        seen: 0,
        passed: 0,
    };
    match machine.whole(run.program.root(), run.unique_names) {
        Ok(()) => Ok(machine.found == 0),
        Err(halt) => match halt.error() {
            None => Ok(false),
            Some(error) => Err(error),
        },
    }
}

/// Whether what is common has a way of its own: not where code is short.
const QUICK: bool = cfg!(not(any(target_os = "none", feature = "small")));

/// What a failure does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It ends the evaluation.
    Quiet,
    /// It becomes an issue.
    Collect,
    /// It adds to `found`, weighted by how much it tells against a branch.
    Score,
}

struct Machine<'p, 's, 'k, I> {
    code: Code<'p>,
    instance: I,
    budget: Budget,
    mode: Mode,
    /// Failures so far (in `Score` mode, their weight).
    found: u32,
    sink: Option<&'s mut (dyn IssueSink + 'k)>,
    scratch: &'s mut [u32],
    /// What is known of nodes and places: see [`memo`]. Empty for programs that have no use for it.
    memo: &'s mut [u32],
    /// How many schemas around the one at hand are not the only ones applied to their values.
    again: u32,
    /// Scratch words in use.
    top: usize,
    /// Where to note evaluated members or items of the value at hand.
    marks: Option<Marks>,
    /// Whether the value at hand is that of a property that could be left out.
    optional: bool,
    /// The depth that the run began with.
    depth: u32,
    /// Whether the instance was looked through for names that occur twice.
    distinct: bool,
    /// The id of the value that was refused last, where whoever reads refuses it: for its type, or for what it lacks, as far as that does not
    /// depend on a name that could come twice. Else a number that no value has.
    certain: usize,
    /// Innermost entry of the dynamic scope: its scratch index plus one.
    scope: usize,
    /// The place behind the last `Array` or `Object` instruction.
    next: usize,
    /// What the next `Object` watches: where the list stands, 0 for nothing.
    watched: usize,
    /// Of the last `Object`: the names it saw, and what it watched that passed.
    seen: u64,
    passed: u64,
}

/// A value as far as instructions other than `Array` and `Object` look at it, and the place behind it, once it is known.
enum Token<'t, 'i, P> {
    String(Text<'i>, P),
    Number(&'t Number<'i>, P),
    Other(Option<P>),
}

impl<'i, I: Instance<'i>> Machine<'_, '_, '_, I> {
    fn whole(&mut self, root: u32, unique_names: bool) -> Result<(), Halt> {
        let at = self.instance.root()?;
        if unique_names {
            self.distinct_names_everywhere(at)?;
            self.distinct = true;
        }
        let after = self.apply(root, at)?;
        self.instance.finish(after)
    }

    /// Applies a schema to the value at `at` and gives the place behind it.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn apply(&mut self, reference: u32, at: I::Place) -> Result<I::Place, Halt> {
        if self.instance.names_are_unique() {
            // Its values are parsed, and any place will do as the one behind.
            self.check(reference, at)?;
            return Ok(at);
        }
        match reference.checked_sub(FIRST_NODE) {
            None => self.apply_mask(reference as u8, at),
            Some(node) => self.apply_node(node as usize, at),
        }
    }

    /// The place behind the value at `at`, which is not looked at.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn skip(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        if QUICK && self.again > 0 && !self.memo.is_empty() {
            return self.skip_again(at);
        }
        self.skip_once(at)
    }

    #[inline]
    fn skip_once(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        let after = self.instance.skip(at, self.budget.depth)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        Ok(after)
    }

    /// A schema that is nothing but a set of types.
    #[inline(never)]
    fn apply_mask(&mut self, mask: u8, at: I::Place) -> Result<I::Place, Halt> {
        match mask & self.instance.types(at) {
            0 => self.wrong_type(u32::from(mask), at),
            mask::NULL | mask::FALSE | mask::TRUE => self.instance.literal(at),
            mask::STRING => self.any_text(at),
            mask::INTEGER => match self.instance.short_number(at) {
                Some((_, 0, after)) => Ok(after),
                _ => self.integer(mask, at),
            },
            _ => self.any_value(at),
        }
    }

    /// The place behind a string of which nothing is said.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(always))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(never))]
    fn any_text(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        match self.instance.string_len(at) {
            Some((len, after)) => self.budget.spend_bytes(len).map(|()| after),
            None => self.skip(at),
        }
    }

    /// [`skip`](Self::skip), where that is the last call.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(always))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline(never))]
    fn any_value(&mut self, at: I::Place) -> Result<I::Place, Halt> {
        self.skip(at)
    }

    #[inline(never)]
    fn integer(&mut self, mask: u8, at: I::Place) -> Result<I::Place, Halt> {
        let (number, after) = self.instance.number(at)?;
        self.budget.spend_bytes(self.instance.span(at, after))?;
        if !number.is_integer() {
            self.mismatch(u32::from(mask), at)?;
        }
        Ok(after)
    }

    /// Goes on with what a node says of a value of the type at hand. All of that is behind calls in the last place, so that the way there
    /// takes no stack.
    #[inline(never)]
    fn apply_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let head = self.code.word(node);
        let [mask, second, _, _] = head.to_le_bytes();
        if second == group::LINK {
            return self.apply_link(node, at);
        }
        match mask & self.instance.types(at) {
            0 => self.wrong_type(node as u32 + FIRST_NODE, at),
            mask::STRING => self.string_node(node, at, head),
            mask::ARRAY | mask::OBJECT if self.again != 0 && !self.memo.is_empty() => self.remembered(node, at),
            mask::OBJECT => self.object_node(node, at, head),
            mask::ARRAY => self.array_node(node, at, head),
            mask::NULL | mask::FALSE | mask::TRUE => self.literal_node(node, at),
            _ => self.number_node(node, at, head),
        }
    }

    #[inline(never)]
    fn literal_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let after = self.instance.literal(at)?;
        if self.code.byte(node + 1) & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::Other(Some(after)))
    }

    /// Applies a node to a container.
    #[inline]
    fn container_node(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        if cfg!(any(target_os = "none", feature = "small")) {
            let own = if self.instance.types(at) == mask::OBJECT { group::OBJECT } else { group::ARRAY };
            return self.any_container(node, own, at);
        }
        let head = self.code.word(node);
        if self.instance.types(at) == mask::OBJECT {
            self.object_node(node, at, head)
        } else {
            self.array_node(node, at, head)
        }
    }

    // What most schemas say of a container is one instruction.
    #[inline(always)]
    fn object_node(&mut self, node: usize, at: I::Place, head: u32) -> Result<I::Place, Halt> {
        let [_, second, first, _] = head.to_le_bytes();
        if second & group::ALL == group::OBJECT && first & !VARIANT == Op::Object as u8 | LAST {
            return self.object(node + 2, at, 1);
        }
        if QUICK && I::BY_NAME && second & group::ALL == group::ANY && first == Op::Discriminator as u8 | LAST {
            return self.discriminator(node + 2, at);
        }
        self.any_container(node, group::OBJECT, at)
    }

    #[inline(always)]
    fn array_node(&mut self, node: usize, at: I::Place, head: u32) -> Result<I::Place, Halt> {
        let [_, second, first, flags] = head.to_le_bytes();
        if second & group::ALL == group::ARRAY && first & !VARIANT == Op::Array as u8 | LAST {
            let plain = self.is_plain_array(flags);
            return if plain { self.plain_array(node + 2, at) } else { self.array(node + 2, at, 1) };
        }
        self.any_container(node, group::ARRAY, at)
    }

    #[inline(never)]
    fn any_container(&mut self, node: usize, own: u8, at: I::Place) -> Result<I::Place, Halt> {
        let code = self.code;
        let second = code.byte(node + 1);
        if second & own == 0 {
            if second & group::ANY == 0 {
                return self.skip(at);
            }
            let pc = run_start(code, node, second, group::ANY);
            if QUICK && I::BY_NAME && own == group::OBJECT && code.byte(pc) == Op::Discriminator as u8 | LAST {
                return self.discriminator(pc, at);
            }
            return self.run(pc, at, &Token::Other(None));
        }
        let pc = run_start(code, node, second, own);
        // Alone, an instruction counts its level by itself.
        let first = code.byte(pc) & !VARIANT;
        let after = if first == Op::Object as u8 | LAST {
            self.object(pc, at, 1)?
        } else if first == Op::Array as u8 | LAST {
            self.array(pc, at, 1)?
        } else if QUICK && I::BY_NAME && own == group::OBJECT && first == Op::Discriminator as u8 | LAST {
            self.discriminator(pc, at)?
        } else {
            self.again += 1;
            let after = self.run(pc, at, &Token::Other(None))?;
            self.again -= 1;
            after
        };
        if second & group::ANY == 0 {
            return Ok(after);
        }
        self.run_any(node, at, &Token::Other(Some(after)))
    }

    #[inline(never)]
    fn apply_link(&mut self, node: usize, at: I::Place) -> Result<I::Place, Halt> {
        let reference = self.follow_links(node)?;
        self.apply(reference, at)
    }

    /// The schema that a link stands for. Each step costs, so that links in a circle end, too.
    fn follow_links(&mut self, mut node: usize) -> Result<u32, Halt> {
        loop {
            self.budget.spend(1)?;
            let reference = self.code.u32(node + 2);
            match reference.checked_sub(FIRST_NODE) {
                Some(next) if self.code.byte(next as usize + 1) == group::LINK => node = next as usize,
                _ => return Ok(reference),
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong_type(&mut self, reference: u32, at: I::Place) -> Result<I::Place, Halt> {
        self.instance.kind(at)?;
        self.mismatch(reference, at)?;
        self.skip(at)
    }

    /// Runs the instructions that hold for values of any type.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    #[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
    fn run_any(&mut self, node: usize, at: I::Place, token: &Token<'_, 'i, I::Place>) -> Result<I::Place, Halt> {
        self.run(run_start(self.code, node, self.code.byte(node + 1), group::ANY), at, token)
    }

    /// Runs the instructions from `pc` to the last of the run, a level down. Gives the place behind the value.
    fn run(&mut self, mut pc: usize, at: I::Place, token: &Token<'_, 'i, I::Place>) -> Result<I::Place, Halt> {
        self.budget.enter(1)?;
        let mut after = match *token {
            Token::String(_, after) | Token::Number(_, after) => Some(after),
            Token::Other(after) => after,
        };
        loop {
            let byte = self.code.byte(pc);
            let mut next = pc + 1;
            let Some(op) = Op::of(byte) else { break };
            match op {
                // What a run for one type holds of this kind is run there.
                Op::Minimum
                | Op::Maximum
                | Op::ExclusiveMinimum
                | Op::ExclusiveMaximum
                | Op::MultipleOf
                | Op::PlainInteger => {
                    if let Token::Number(number, _) = *token {
                        self.run_number(pc, at, number)?;
                    }
                    break;
                }
                Op::MinLength | Op::MaxLength | Op::Pattern | Op::Format | Op::StringEnum | Op::StringConst => {
                    if let Token::String(text, _) = *token {
                        self.run_string(pc, at, text)?;
                    }
                    break;
                }
                Op::ValueEnum | Op::ValueConst => match self.among(&mut next, at)? {
                    Some(end) => after = after.or(Some(end)),
                    None => self.fail(pc, 0, at)?,
                },
                Op::Array => {
                    let end = self.array(pc, at, 0)?;
                    next = self.next;
                    after = after.or(Some(end));
                }
                Op::Object => {
                    let end = self.object(pc, at, 0)?;
                    next = self.next;
                    after = after.or(Some(end));
                }
                Op::AllOf => {
                    self.again += 1;
                    for _ in 0..self.code.varint(&mut next) {
                        self.budget.spend(1)?;
                        let end = self.apply(self.code.varint(&mut next), at)?;
                        after = after.or(Some(end));
                    }
                    self.again -= 1;
                }
                Op::AnyOf | Op::OneOf => {
                    let branches = next;
                    // Often the type tells which branch is meant.
                    let end = match self.only_branch(&mut next, at)? {
                        0 => {
                            next = branches;
                            self.some_of(op, pc, &mut next, at)?
                        }
                        only => Some(self.apply(only, at)?),
                    };
                    after = after.or(end);
                }
                Op::Not => {
                    let reference = self.code.varint(&mut next);
                    if self.decides(reference, at, false)?.is_some() {
                        self.fail(pc, 0, at)?;
                    }
                }
                Op::If => {
                    let condition = self.code.varint(&mut next);
                    let then = self.code.varint(&mut next);
                    let otherwise = self.code.varint(&mut next);
                    let held = self.decides(condition, at, true)?;
                    after = after.or(held);
                    let branch = if held.is_some() { then } else { otherwise };
                    if branch != u32::from(mask::ALL) {
                        let end = self.apply(branch, at)?;
                        after = after.or(Some(end));
                    }
                }
                Op::Watch => {
                    self.watched = next;
                    for _ in 0..self.code.varint(&mut next).saturating_mul(2) {
                        self.code.varint(&mut next);
                    }
                }
                Op::IfSeen => self.if_seen(&mut next, at)?,
                Op::NotSeen => {
                    if self.was_seen(&mut next)? {
                        self.fail(pc, 0, at)?;
                    }
                }
                Op::SomeSeen => self.some_seen(byte & ONE_OF != 0, &mut next, at)?,
                Op::Discriminator => {
                    let end = self.discriminate(pc, &mut next, at)?;
                    after = after.or(end);
                }
                Op::Unevaluated => {
                    let end = self.unevaluated(pc, &mut next, at)?;
                    after = after.or(Some(end));
                }
                Op::Scope => {
                    let resource = self.code.varint(&mut next);
                    let end = self.scoped(resource, self.code.varint(&mut next), at)?;
                    after = after.or(Some(end));
                }
                Op::DynamicRef => {
                    let end = self.dynamic_ref(&mut next, at)?;
                    after = after.or(Some(end));
                }
            }
            if byte & LAST != 0 {
                break;
            }
            pc = next;
        }
        self.budget.leave(1);
        match after {
            Some(after) => Ok(after),
            None => self.skip(at),
        }
    }

    /// The same without another level.
    #[cold]
    #[inline(never)]
    fn run_here(&mut self, pc: usize, at: I::Place, token: &Token<'_, 'i, I::Place>) -> Result<(), Halt> {
        self.budget.leave(1);
        self.run(pc, at, token)?;
        self.budget.enter(1)
    }

    /// An instruction failed: part and number in `detail`.
    #[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
    fn fail(&mut self, pc: usize, detail: u32, at: I::Place) -> Result<(), Halt> {
        if self.mode == Mode::Quiet {
            self.certain = usize::MAX;
            return Err(Halt::INVALID);
        }
        self.report(pc as u32 | INSTRUCTION, detail, at);
        Ok(())
    }

    /// The type of the value is none that the schema admits.
    fn mismatch(&mut self, reference: u32, at: I::Place) -> Result<(), Halt> {
        if self.mode == Mode::Quiet {
            self.certain = self.instance.id(at);
            return Err(Halt::INVALID);
        }
        self.report(reference, u32::from(self.optional), at);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn report(&mut self, code: u32, detail: u32, at: I::Place) {
        let issue = Issue { code, detail, at: self.instance.id(at) };
        if self.mode == Mode::Score {
            self.found = self.found.saturating_add(branch::weight(self.code, &issue));
            return;
        }
        self.found = self.found.saturating_add(1);
        if let Some(sink) = self.sink.as_deref_mut() {
            sink.push(issue);
        }
    }

    /// Looks the value up in a table of JSON texts; the place behind it when it is there.
    #[inline(never)]
    fn among(&mut self, next: &mut usize, at: I::Place) -> Result<Option<I::Place>, Halt> {
        let code = self.code;
        let table = Table::read(code, *next);
        *next = table.end;
        let (instance, budget) = (self.instance, &mut self.budget);
        if table.indexed() {
            let (hash, after) = equal::hash(instance, at, budget)?;
            for entry in table.hashed(code, hash) {
                budget.spend(1)?;
                if equal::equal(instance, at, Json::trusted(entry.name), 0, budget)?.is_some() {
                    return Ok(Some(after));
                }
            }
            return Ok(None);
        }
        for entry in table.iter(code) {
            if let Some(after) = equal::equal(instance, at, Json::trusted(entry.name), 0, budget)? {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}

/// Where the run of `wanted` starts in a node. Runs stand in the order of their bits; all but the last have their length in front.
#[cfg_attr(any(target_os = "none", feature = "small"), inline(never))]
#[cfg_attr(not(any(target_os = "none", feature = "small")), inline)]
pub(crate) fn run_start(code: Code<'_>, node: usize, second: u8, wanted: u8) -> usize {
    let present = second & group::ALL;
    if present == wanted {
        return node + 2;
    }
    let mut at = node + 2;
    let mut rest = present;
    loop {
        let lowest = rest & rest.wrapping_neg();
        let is_last = rest == lowest;
        let len = if is_last { 0 } else { code.length(&mut at) };
        if lowest == wanted || is_last {
            return at;
        }
        at = at.saturating_add(len);
        rest &= !lowest;
    }
}
