//! Equality of JSON values, as `const`, `enum` and `uniqueItems` have it, and a hash that agrees with it.
//!
//! Numbers are equal by value, strings by code points, objects whatever the order of their members (JSON Schema core, section 4.2.2).

use super::Budget;
use crate::error::Halt;
use crate::hash;
use crate::instance::{Instance, Kind, Next};

/// The places behind both values when they are equal.
pub(crate) fn equal<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    a_at: A::Place,
    b: B,
    b_at: B::Place,
    budget: &mut Budget,
) -> Result<Option<(A::Place, B::Place)>, Halt> {
    budget.spend(1)?;
    let kind = a.kind(a_at)?;
    if kind != b.kind(b_at)? {
        return Ok(None);
    }
    match kind {
        Kind::String => {
            let (a_text, a_after) = a.string(a_at)?;
            let (b_text, b_after) = b.string(b_at)?;
            budget.spend_bytes(a_text.end().saturating_add(b_text.end()))?;
            Ok(a_text.equals_text(b_text).then_some((a_after, b_after)))
        }
        Kind::Number => {
            let (a_number, a_after) = a.number(a_at)?;
            let (b_number, b_after) = b.number(b_at)?;
            budget.spend_bytes(a.span(a_at, a_after).saturating_add(b.span(b_at, b_after)))?;
            Ok(a_number.equals(b_number).then_some((a_after, b_after)))
        }
        Kind::Array | Kind::Object => {
            let depth = budget.depth;
            budget.enter(1)?;
            let result = if kind == Kind::Array {
                equal_arrays(a, a_at, b, b_at, budget)
            } else {
                equal_objects(a, a_at, b, b_at, budget)
            };
            budget.depth = depth;
            result
        }
        _ => Ok(Some((a.skip(a_at, 0)?, b.skip(b_at, 0)?))),
    }
}

fn equal_arrays<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    a_at: A::Place,
    b: B,
    b_at: B::Place,
    budget: &mut Budget,
) -> Result<Option<(A::Place, B::Place)>, Halt> {
    let (mut a_items, mut b_items) = (a.items(a_at), b.items(b_at));
    let (mut a_after, mut b_after) = (a_at, b_at);
    loop {
        match (a.next_item(&mut a_items, a_after)?, b.next_item(&mut b_items, b_after)?) {
            (Next::Item(a_item), Next::Item(b_item)) => match equal(a, a_item, b, b_item, budget)? {
                Some(after) => (a_after, b_after) = after,
                None => return Ok(None),
            },
            (Next::End(a_end), Next::End(b_end)) => return Ok(Some((a_end, b_end))),
            _ => return Ok(None),
        }
    }
}

fn equal_objects<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    a_at: A::Place,
    b: B,
    b_at: B::Place,
    budget: &mut Budget,
) -> Result<Option<(A::Place, B::Place)>, Halt> {
    // Each member of one must have its equal in the other, and as many; names that occur twice make no difference then.
    let (mut a_count, mut b_count) = (0_u32, 0_u32);
    let mut a_members = a.members(a_at);
    let mut a_after = a_at;
    let a_end = loop {
        match a.next_member(&mut a_members, a_after)? {
            Next::End(end) => break end,
            Next::Item(member) => {
                a_count = a_count.saturating_add(1);
                let Some(other) = find(b, b_at, member.name, budget)? else {
                    return Ok(None);
                };
                match equal(a, member.value, b, other, budget)? {
                    Some((after, _)) => a_after = after,
                    None => return Ok(None),
                }
            }
        }
    };
    let mut b_members = b.members(b_at);
    let mut b_after = b_at;
    loop {
        match b.next_member(&mut b_members, b_after)? {
            Next::End(b_end) => return Ok((a_count == b_count).then_some((a_end, b_end))),
            Next::Item(member) => {
                b_count = b_count.saturating_add(1);
                if b_count > a_count || find(a, a_at, member.name, budget)?.is_none() {
                    return Ok(None);
                }
                b_after = skip(b, member.value, budget)?;
            }
        }
    }
}

/// The place behind a value that is not looked at.
fn skip<'a, A: Instance<'a>>(a: A, at: A::Place, budget: &mut Budget) -> Result<A::Place, Halt> {
    let after = a.skip(at, budget.depth)?;
    budget.spend_bytes(a.span(at, after))?;
    Ok(after)
}

/// The value of the first member of this name.
fn find<'a, A: Instance<'a>>(
    a: A,
    at: A::Place,
    name: crate::text::Text<'_>,
    budget: &mut Budget,
) -> Result<Option<A::Place>, Halt> {
    let mut members = a.members(at);
    let mut after = at;
    loop {
        match a.next_member(&mut members, after)? {
            Next::End(_) => return Ok(None),
            Next::Item(member) => {
                budget.spend(1)?;
                if member.name.equals_text(name) {
                    return Ok(Some(member.value));
                }
                after = skip(a, member.value, budget)?;
            }
        }
    }
}

/// A hash that is the same for equal values, and the place behind the value.
pub(crate) fn hash<'a, A: Instance<'a>>(a: A, at: A::Place, budget: &mut Budget) -> Result<(u32, A::Place), Halt> {
    budget.spend(1)?;
    match a.kind(at)? {
        Kind::String => {
            let (text, after) = a.string(at)?;
            budget.spend_bytes(text.end())?;
            Ok((hash::text(text), after))
        }
        Kind::Number => {
            let (number, after) = a.number(at)?;
            Ok((number.hash(), after))
        }
        kind @ (Kind::Array | Kind::Object) => {
            let depth = budget.depth;
            budget.enter(1)?;
            let result = if kind == Kind::Array { hash_array(a, at, budget) } else { hash_object(a, at, budget) };
            budget.depth = depth;
            result
        }
        kind => Ok((hash::bytes(&[kind as u8]), a.skip(at, 0)?)),
    }
}

fn hash_array<'a, A: Instance<'a>>(a: A, at: A::Place, budget: &mut Budget) -> Result<(u32, A::Place), Halt> {
    let mut state = 1;
    let mut items = a.items(at);
    let mut after = at;
    loop {
        match a.next_item(&mut items, after)? {
            Next::End(end) => return Ok((state, end)),
            Next::Item(item) => {
                let (item_hash, behind) = hash(a, item, budget)?;
                state = pair(state, item_hash);
                after = behind;
            }
        }
    }
}

fn hash_object<'a, A: Instance<'a>>(a: A, at: A::Place, budget: &mut Budget) -> Result<(u32, A::Place), Halt> {
    let mut state = 2_u32;
    let mut members = a.members(at);
    let mut after = at;
    loop {
        match a.next_member(&mut members, after)? {
            Next::End(end) => return Ok((state, end)),
            Next::Item(member) => {
                let (value, behind) = hash(a, member.value, budget)?;
                state = state.wrapping_add(pair(hash::text(member.name), value));
                after = behind;
            }
        }
    }
}

fn pair(a: u32, b: u32) -> u32 {
    let [a0, a1, a2, a3] = a.to_le_bytes();
    let [b0, b1, b2, b3] = b.to_le_bytes();
    hash::bytes(&[a0, a1, a2, a3, b0, b1, b2, b3])
}
