//! Equality of JSON values, as `const`, `enum` and `uniqueItems` have it, and a hash that agrees with it.
//!
//! Numbers are equal by value, strings by code points, objects whatever the order of their members (JSON Schema core, section 4.2.2).

use super::unique::Walk;
use super::{Budget, QUICK};
use crate::error::Halt;
use crate::hash;
use crate::instance::{Instance, Kind, Next};
use crate::text::Text;

/// The place behind the first value when the two are equal.
pub(crate) fn equal<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    mut a_at: A::Place,
    b: B,
    mut b_at: B::Place,
    budget: &mut Budget,
) -> Result<Option<A::Place>, Halt> {
    let depth = budget.depth;
    let result = same(a, &mut a_at, b, &mut b_at, budget);
    budget.depth = depth;
    match result {
        Ok(()) => Ok(Some(a_at)),
        Err(Halt::INVALID) => Ok(None),
        Err(halt) => Err(halt),
    }
}

/// Moves both places behind their values when these are equal; else stops with [`Halt::INVALID`].
fn same<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    a_at: &mut A::Place,
    b: B,
    b_at: &mut B::Place,
    budget: &mut Budget,
) -> Result<(), Halt> {
    budget.spend(1)?;
    let kind = a.kind(*a_at)?;
    if kind != b.kind(*b_at)? {
        return Err(Halt::INVALID);
    }
    let is_same = match kind {
        Kind::String => {
            let (a_text, a_after) = a.string(*a_at)?;
            let (b_text, b_after) = b.string(*b_at)?;
            budget.spend_bytes(a_text.end().saturating_add(b_text.end()))?;
            (*a_at, *b_at) = (a_after, b_after);
            a_text.equals_text(b_text)
        }
        Kind::Number => {
            let (a_number, a_after) = a.number(*a_at)?;
            let (b_number, b_after) = b.number(*b_at)?;
            budget.spend_bytes(a.span(*a_at, a_after).saturating_add(b.span(*b_at, b_after)))?;
            (*a_at, *b_at) = (a_after, b_after);
            a_number.equals(b_number)
        }
        Kind::Array | Kind::Object => {
            budget.enter(1)?;
            same_elements(a, a_at, b, b_at, kind == Kind::Object, budget)?;
            budget.leave(1);
            true
        }
        _ => {
            (*a_at, *b_at) = (a.skip(*a_at, 0)?, b.skip(*b_at, 0)?);
            true
        }
    };
    if is_same { Ok(()) } else { Err(Halt::INVALID) }
}

/// Items are the same in their order, members in any: each of one must have its equal in the other, and as many; names that occur twice make
/// no difference then.
fn same_elements<'a, 'b, A: Instance<'a>, B: Instance<'b>>(
    a: A,
    a_at: &mut A::Place,
    b: B,
    b_at: &mut B::Place,
    members: bool,
    budget: &mut Budget,
) -> Result<(), Halt> {
    let (mut a_walk, mut b_walk) = (Walk::start(a, *a_at, members), Walk::start(b, *b_at, members));
    loop {
        match (a_walk.next(a, budget)?, b_walk.next(b, budget)?) {
            (Some((a_name, _, a_value)), Some((b_name, _, b_value))) => {
                (a_walk.after, b_walk.after) = (a_value, b_value);
                if let (Some(a_name), Some(b_name)) = (a_name, b_name) {
                    same(a, &mut a_walk.after, b, &mut find(b, *b_at, a_name, budget)?, budget)?;
                    find(a, *a_at, b_name, budget)?;
                    b_walk.after = skip(b, b_value, budget)?;
                } else {
                    same(a, &mut a_walk.after, b, &mut b_walk.after, budget)?;
                }
            }
            (None, None) => {
                (*a_at, *b_at) = (a_walk.end, b_walk.end);
                return Ok(());
            }
            _ => return Err(Halt::INVALID),
        }
    }
}

/// The place behind a value that is not looked at.
fn skip<'a, A: Instance<'a>>(a: A, at: A::Place, budget: &mut Budget) -> Result<A::Place, Halt> {
    let after = a.skip(at, budget.depth)?;
    budget.spend_bytes(a.span(at, after))?;
    Ok(after)
}

/// The value of the first member of this name; [`Halt::INVALID`] where there is none.
fn find<'a, A: Instance<'a>>(a: A, at: A::Place, name: Text<'_>, budget: &mut Budget) -> Result<A::Place, Halt> {
    let mut walk = Walk::start(a, at, true);
    while let Some((member, _, value)) = walk.next(a, budget)? {
        budget.spend(1)?;
        if member.is_some_and(|member| member.equals_text(name)) {
            return Ok(value);
        }
        walk.after = skip(a, value, budget)?;
    }
    Err(Halt::INVALID)
}

/// A hash that is the same for equal values, and the place behind the value.
pub(crate) fn hash<'a, A: Instance<'a>>(a: A, mut at: A::Place, budget: &mut Budget) -> Result<(u32, A::Place), Halt> {
    let depth = budget.depth;
    let result = hash_at(a, &mut at, budget);
    budget.depth = depth;
    Ok((result?, at))
}

/// Moves the place behind the value.
fn hash_at<'a, A: Instance<'a>>(a: A, at: &mut A::Place, budget: &mut Budget) -> Result<u32, Halt> {
    budget.spend(1)?;
    match a.kind(*at)? {
        Kind::String => {
            if let Some((hash, after)) = a.string_hash(*at) {
                budget.spend_bytes(a.span(*at, after))?;
                *at = after;
                return Ok(hash);
            }
            let (text, after) = a.string(*at)?;
            budget.spend_bytes(text.end())?;
            *at = after;
            Ok(hash::text(text))
        }
        Kind::Object if QUICK && A::BY_NAME => hash_members(a, at, budget),
        Kind::Number => {
            let (number, after) = a.number(*at)?;
            budget.spend_bytes(a.span(*at, after))?;
            *at = after;
            Ok(number.hash())
        }
        kind @ (Kind::Array | Kind::Object) => {
            budget.enter(1)?;
            let members = kind == Kind::Object;
            // Items hash in their order, members in any.
            let (mut state, mut walk) = (if members { 2 } else { 1_u32 }, Walk::start(a, *at, members));
            while let Some((name, _, value)) = walk.next(a, budget)? {
                walk.after = value;
                let value = hash_at(a, &mut walk.after, budget)?;
                state = match name {
                    Some(name) => state.wrapping_add(pair(hash::text(name), value)),
                    None => pair(state, value),
                };
            }
            *at = walk.end;
            budget.leave(1);
            Ok(state)
        }
        kind => {
            *at = a.skip(*at, 0)?;
            Ok(hash::bytes(&[kind as u8]))
        }
    }
}

/// The same for an object, where its members are found by their names.
fn hash_members<'a, A: Instance<'a>>(a: A, at: &mut A::Place, budget: &mut Budget) -> Result<u32, Halt> {
    budget.enter(1)?;
    let mut walk = Walk::start(a, *at, true);
    let mut state = 2_u32;
    let mut next = a.first_name(*at)?;
    let end = loop {
        let name_at = match next {
            Next::Item(name_at) => name_at,
            Next::End(end) => break end,
        };
        let quick = a.string_hash(name_at).and_then(|(hash, behind)| Some((hash, a.value_behind(behind)?)));
        let (name, mut value) = match quick {
            Some(quick) => quick,
            None => {
                walk.after = *at;
                let Some((Some(name), _, value)) = walk.next(a, budget)? else { break walk.end };
                (hash::text(name), value)
            }
        };
        budget.spend_bytes(a.span(*at, value))?;
        let value_hash = hash_at(a, &mut value, budget)?;
        state = state.wrapping_add(pair(name, value_hash));
        *at = value;
        next = a.next_name(value)?;
    };
    budget.spend_bytes(a.span(*at, end))?;
    *at = end;
    budget.leave(1);
    Ok(state)
}

fn pair(a: u32, b: u32) -> u32 {
    let [a0, a1, a2, a3] = a.to_le_bytes();
    let [b0, b1, b2, b3] = b.to_le_bytes();
    hash::bytes(&[a0, a1, a2, a3, b0, b1, b2, b3])
}
