//! What the machine takes of the stack, measured on this very build: a reader that notes how far down the stack it is called.

use microschema::{Halt, Instance, Json, Kind, Limits, Member, Next, Number, Text};
use std::cell::Cell;
use std::hint::black_box;

/// Bytes of stack for each level of nesting, and for everything else.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    pub base: usize,
    pub level: usize,
}

/// Schemas that recurse in different ways, an opening and a closing bracket of what they take, and the levels of each.
const RECURSIVE: [(&str, &str, &str, usize); 4] = [
    (r##"{"properties": {"a": {"$ref": "#"}}}"##, r#"{"a":"#, "}", 1),
    (r##"{"items": {"$ref": "#"}}"##, "[", "]", 1),
    (r##"{"anyOf": [{"items": {"$ref": "#"}, "minItems": 1}, {"maxItems": 0}]}"##, "[", "]", 2),
    (r##"{"properties": {"a": {"$ref": "#"}}, "unevaluatedProperties": false}"##, r#"{"a":"#, "}", 2),
];

/// Runs each of them at two depths and compares.
pub fn measure() -> Stack {
    let (shallow, deep) = (4, 44);
    let mut stack = Stack { base: 0, level: 0 };
    for (schema, open, close, levels) in RECURSIVE {
        let (Some(low), Some(high)) = (used(schema, open, close, shallow), used(schema, open, close, deep)) else {
            continue;
        };
        let level = (high.saturating_sub(low) / (deep - shallow)).div_ceil(levels);
        stack.level = stack.level.max(level);
        stack.base = stack.base.max(low.saturating_sub(shallow * levels * level));
    }
    stack
}

/// Bytes of stack between the caller of the machine and the reader at its deepest.
fn used(schema: &str, open: &str, close: &str, depth: usize) -> Option<usize> {
    let mut arena = [0; 1024];
    let program = microschema::compile(schema.as_bytes(), &mut arena).ok()?;
    let text = format!("{}[]{}", open.repeat(depth), close.repeat(depth));
    let lowest = Cell::new(usize::MAX);
    let probe = Probe { json: Json::new(text.as_bytes()).ok()?, lowest: &lowest };
    let limits = Limits::new().with_depth(512);
    let verdict = program.validator().limits(limits).run(probe, None).is_ok();
    (verdict && lowest.get() != usize::MAX).then(|| here().saturating_sub(lowest.get()))
}

/// The address of a local variable.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    black_box(&raw const local) as usize
}

/// A reader of JSON text that takes notes.
#[derive(Clone, Copy)]
struct Probe<'a> {
    json: Json<'a>,
    lowest: &'a Cell<usize>,
}

impl<'a> Instance<'a> for Probe<'a> {
    type Place = usize;
    type Items = <Json<'a> as Instance<'a>>::Items;
    type Members = <Json<'a> as Instance<'a>>::Members;

    fn root(self) -> Result<usize, Halt> {
        self.json.root()
    }

    fn kind(self, at: usize) -> Result<Kind, Halt> {
        self.lowest.set(self.lowest.get().min(here()));
        self.json.kind(at)
    }

    fn string(self, at: usize) -> Result<(Text<'a>, usize), Halt> {
        self.json.string(at)
    }

    fn number(self, at: usize) -> Result<(Number<'a>, usize), Halt> {
        self.json.number(at)
    }

    fn items(self, at: usize) -> Self::Items {
        self.json.items(at)
    }

    fn next_item(self, items: &mut Self::Items, after: usize) -> Result<Next<usize, usize>, Halt> {
        self.json.next_item(items, after)
    }

    fn members(self, at: usize) -> Self::Members {
        self.json.members(at)
    }

    fn next_member(self, members: &mut Self::Members, after: usize) -> Result<Next<Member<'a, usize>, usize>, Halt> {
        self.json.next_member(members, after)
    }

    fn skip(self, at: usize, depth: u32) -> Result<usize, Halt> {
        self.json.skip(at, depth)
    }

    fn finish(self, after: usize) -> Result<(), Halt> {
        self.json.finish(after)
    }

    fn id(self, at: usize) -> usize {
        at
    }

    fn holds(self, at: usize, after: usize, id: usize) -> bool {
        self.json.holds(at, after, id)
    }

    fn remember(self, element: usize, index: u32) -> u32 {
        self.json.remember(element, index)
    }

    fn recall(self, container: usize, short: u32) -> Option<usize> {
        self.json.recall(container, short)
    }
}
