//! A parsed `serde_json::Value` as an instance.

use microschema::{Halt, Instance, Kind, Member, Next, Number, Text};
use serde_json::{Map, Value};

/// A borrowed value.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a>(pub &'a Value);

/// Where the machine stands: at a value, or at a member's name.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A value.
    Value(&'a Value),
    /// The name of a member.
    Name(&'a str),
}

/// A walk over the items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a>(std::slice::Iter<'a, Value>);

/// A walk over the members of an object.
#[derive(Clone, Debug)]
pub struct Members<'a>(serde_json::map::Iter<'a>);

impl<'a> Instance<'a> for Tree<'a> {
    type Place = Place<'a>;
    type Items = Items<'a>;
    type Members = Members<'a>;

    #[inline]
    fn root(self) -> Result<Place<'a>, Halt> {
        Ok(Place::Value(self.0))
    }

    #[inline]
    fn kind(self, at: Place<'a>) -> Result<Kind, Halt> {
        Ok(match at {
            Place::Name(_) | Place::Value(Value::String(_)) => Kind::String,
            Place::Value(Value::Object(_)) => Kind::Object,
            Place::Value(Value::Array(_)) => Kind::Array,
            Place::Value(Value::Number(_)) => Kind::Number,
            Place::Value(Value::Bool(true)) => Kind::True,
            Place::Value(Value::Bool(false)) => Kind::False,
            Place::Value(Value::Null) => Kind::Null,
        })
    }

    #[inline]
    fn string(self, at: Place<'a>) -> Result<(Text<'a>, Place<'a>), Halt> {
        let text = match at {
            Place::Name(name) => name,
            Place::Value(value) => value.as_str().unwrap_or_default(),
        };
        Ok((Text::plain(text), at))
    }

    #[inline]
    fn number(self, at: Place<'a>) -> Result<(Number<'a>, Place<'a>), Halt> {
        let number = match at {
            Place::Value(Value::Number(number)) => decimal(number),
            _ => Number::from_u64(0),
        };
        Ok((number, at))
    }

    #[inline]
    fn items(self, at: Place<'a>) -> Items<'a> {
        Items(match at {
            Place::Value(Value::Array(items)) => items.iter(),
            _ => [].iter(),
        })
    }

    #[inline]
    fn next_item(self, items: &mut Items<'a>, after: Place<'a>) -> Result<Next<Place<'a>, Place<'a>>, Halt> {
        Ok(items.0.next().map_or(Next::End(after), |item| Next::Item(Place::Value(item))))
    }

    #[inline]
    fn members(self, at: Place<'a>) -> Members<'a> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        Members(match at {
            Place::Value(Value::Object(members)) => members.iter(),
            _ => EMPTY.iter(),
        })
    }

    #[inline]
    fn next_member(
        self,
        members: &mut Members<'a>,
        after: Place<'a>,
    ) -> Result<Next<Member<'a, Place<'a>>, Place<'a>>, Halt> {
        Ok(members.0.next().map_or(Next::End(after), |(name, value)| {
            Next::Item(Member { name: Text::plain(name), name_at: Place::Name(name), value: Place::Value(value) })
        }))
    }

    #[inline]
    fn skip(self, at: Place<'a>, _: u32) -> Result<Place<'a>, Halt> {
        Ok(at)
    }

    #[inline]
    fn finish(self, _: Place<'a>) -> Result<(), Halt> {
        Ok(())
    }

    #[inline]
    fn names_are_unique(self) -> bool {
        true
    }

    #[inline]
    fn id(self, at: Place<'a>) -> usize {
        match at {
            Place::Value(value) => std::ptr::from_ref(value).addr(),
            Place::Name(name) => name.as_ptr().addr(),
        }
    }

    fn holds(self, at: Place<'a>, _: Place<'a>, id: usize) -> bool {
        let mut below = match at {
            Place::Value(value) => vec![value],
            Place::Name(name) => return name.as_ptr().addr() == id,
        };
        while let Some(value) = below.pop() {
            if self.id(Place::Value(value)) == id {
                return true;
            }
            match value {
                Value::Array(items) => below.extend(items),
                Value::Object(members) => {
                    for (name, value) in members {
                        if self.id(Place::Name(name)) == id {
                            return true;
                        }
                        below.push(value);
                    }
                }
                _ => {}
            }
        }
        false
    }

    #[inline]
    fn remember(self, _: Place<'a>, index: u32) -> u32 {
        index
    }

    fn recall(self, container: Place<'a>, short: u32) -> Option<Place<'a>> {
        let index = usize::try_from(short).ok()?;
        match container {
            Place::Value(Value::Array(items)) => items.get(index).map(Place::Value),
            Place::Value(Value::Object(members)) => members.values().nth(index).map(Place::Value),
            _ => None,
        }
    }
}

/// The number as a decimal: integers as they are, others as the shortest text that reads back as the same `f64`.
#[inline]
fn decimal(number: &serde_json::Number) -> Number<'static> {
    if let Some(value) = number.as_u64() {
        return Number::from_u64(value);
    }
    if let Some(value) = number.as_i64() {
        return Number::from_i64(value);
    }
    from_f64(number.as_f64().unwrap_or_default())
}

fn from_f64(value: f64) -> Number<'static> {
    // With at most fifteen digits, a decimal that rounds to `value` is the shortest: no other of that length rounds to it.
    let magnitude = value.abs();
    let mut power = 1.0;
    for places in 0..=6 {
        let scaled = magnitude * power;
        if scaled >= 1e15 {
            break;
        }
        let mantissa = (scaled + 0.5) as u64;
        if mantissa as f64 / power == magnitude {
            return Number::from_parts(value < 0.0, mantissa, -places);
        }
        power *= 10.0;
    }
    shortest(value)
}

#[cold]
fn shortest(value: f64) -> Number<'static> {
    let text = format!("{:e}", value.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = format!("{whole}{fraction}").parse().unwrap_or_default();
    let exponent = exponent.parse::<i32>().unwrap_or_default() - fraction.len() as i32;
    Number::from_parts(value < 0.0, mantissa, exponent)
}

#[cfg(test)]
mod tests {
    use super::{Tree, from_f64};
    use microschema::Number;
    use serde_json::json;

    #[test]
    fn floats_become_their_shortest_decimal() {
        for (value, literal) in [
            (42.5, "42.5"),
            (-0.758, "-0.758"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
            (1.5e17, "1.5e17"),
            (9_007_199_254_740_993.0, "9007199254740992"),
        ] {
            assert!(from_f64(value).equals(Number::from_literal(literal.as_bytes())), "{literal}");
        }
    }

    #[test]
    fn runs_over_a_tree() {
        let mut arena = [0; 1024];
        let schema = br#"{"properties": {"a": {"items": {"maximum": 2.5}}}, "propertyNames": {"maxLength": 1}}"#;
        let program = microschema::compile(schema, &mut arena).unwrap();
        for (value, valid) in
            [(json!({"a": [1, 2.5]}), true), (json!({"a": [1, 2.6]}), false), (json!({"ab": null}), false)]
        {
            assert_eq!(program.validator().run(Tree(&value), None), Ok(valid), "{value}");
        }
    }
}
