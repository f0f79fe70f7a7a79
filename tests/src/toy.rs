//! A second reader: a tree of owned values, as a server holds arguments that somebody else has parsed.
//!
//! It shows what an [`Instance`] that is not text takes: a place is a reference, its id an address, and the place behind a value means
//! nothing. Numbers keep their literal, and objects every occurrence of a name, so that nothing of the text is lost on the way.

use microschema::{Halt, Instance, Kind, Member, Next, Number, Text};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A parsed JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Null,
    Bool(bool),
    /// The literal.
    Number(String),
    String(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// A tree as an [`Instance`].
#[derive(Clone, Copy, Debug)]
pub struct Toy<'a>(pub &'a Tree);

/// Where a value, or the name of a member, stands.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    Value(&'a Tree),
    Name(&'a String),
}

impl<'a> Instance<'a> for Toy<'a> {
    type Place = Place<'a>;
    type Items = std::slice::Iter<'a, Tree>;
    type Members = std::slice::Iter<'a, (String, Tree)>;

    fn root(self) -> Result<Place<'a>, Halt> {
        Ok(Place::Value(self.0))
    }

    fn kind(self, at: Place<'a>) -> Result<Kind, Halt> {
        Ok(match at {
            Place::Name(_) | Place::Value(Tree::String(_)) => Kind::String,
            Place::Value(Tree::Null) => Kind::Null,
            Place::Value(Tree::Bool(false)) => Kind::False,
            Place::Value(Tree::Bool(true)) => Kind::True,
            Place::Value(Tree::Number(_)) => Kind::Number,
            Place::Value(Tree::Array(_)) => Kind::Array,
            Place::Value(Tree::Object(_)) => Kind::Object,
        })
    }

    fn string(self, at: Place<'a>) -> Result<(Text<'a>, Place<'a>), Halt> {
        match at {
            Place::Name(text) | Place::Value(Tree::String(text)) => Ok((Text::plain(text), at)),
            Place::Value(other) => panic!("{other:?} is read as a string"),
        }
    }

    fn number(self, at: Place<'a>) -> Result<(Number<'a>, Place<'a>), Halt> {
        match at {
            Place::Value(Tree::Number(literal)) => Ok((Number::from_literal(literal.as_bytes()), at)),
            other => panic!("{other:?} is read as a number"),
        }
    }

    fn items(self, at: Place<'a>) -> Self::Items {
        match at {
            Place::Value(Tree::Array(items)) => items.iter(),
            other => panic!("{other:?} is read as an array"),
        }
    }

    fn next_item(self, items: &mut Self::Items, after: Place<'a>) -> Result<Next<Place<'a>, Place<'a>>, Halt> {
        Ok(items.next().map_or(Next::End(after), |item| Next::Item(Place::Value(item))))
    }

    fn members(self, at: Place<'a>) -> Self::Members {
        match at {
            Place::Value(Tree::Object(members)) => members.iter(),
            other => panic!("{other:?} is read as an object"),
        }
    }

    fn next_member(
        self,
        members: &mut Self::Members,
        after: Place<'a>,
    ) -> Result<Next<Member<'a, Place<'a>>, Place<'a>>, Halt> {
        Ok(members.next().map_or(Next::End(after), |(name, value)| {
            Next::Item(Member { name: Text::plain(name), name_at: Place::Name(name), value: Place::Value(value) })
        }))
    }

    fn skip(self, at: Place<'a>, _: u32) -> Result<Place<'a>, Halt> {
        Ok(at)
    }

    fn finish(self, _: Place<'a>) -> Result<(), Halt> {
        Ok(())
    }

    fn id(self, at: Place<'a>) -> usize {
        match at {
            Place::Value(value) => std::ptr::from_ref(value).addr(),
            // Not the address of the characters: all empty strings share one.
            Place::Name(name) => std::ptr::from_ref(name).addr(),
        }
    }

    fn holds(self, at: Place<'a>, _: Place<'a>, id: usize) -> bool {
        if self.id(at) == id {
            return true;
        }
        match at {
            Place::Value(Tree::Array(items)) => items.iter().any(|item| self.holds(Place::Value(item), at, id)),
            Place::Value(Tree::Object(members)) => members
                .iter()
                .any(|(name, value)| self.id(Place::Name(name)) == id || self.holds(Place::Value(value), at, id)),
            _ => false,
        }
    }

    fn remember(self, _: Place<'a>, index: u32) -> u32 {
        index
    }

    fn recall(self, container: Place<'a>, short: u32) -> Option<Place<'a>> {
        let index = short as usize;
        match container {
            Place::Value(Tree::Array(items)) => items.get(index).map(Place::Value),
            Place::Value(Tree::Object(members)) => members.get(index).map(|(_, value)| Place::Value(value)),
            _ => None,
        }
    }
}

impl Tree {
    /// Parses JSON text, by `serde_json`'s tokens.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        Self::of(serde_json::from_str(text)?)
    }

    fn of(raw: &RawValue) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        Ok(match text.as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'"') => Self::String(serde_json::from_str(text)?),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Self::Array(items.into_iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            Some(b'{') => {
                let members = serde_json::Deserializer::from_str(text).deserialize_map(Members)?;
                let members = members.into_iter().map(|(name, value)| Ok((name, Self::of(value)?)));
                Self::Object(members.collect::<Result<_, serde_json::Error>>()?)
            }
            _ => Self::Number(text.to_owned()),
        })
    }
}

/// Collects all members of an object, those of the same name too.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn keeps_what_the_text_says() {
        let tree = Tree::parse(r#" {"a": [1.0e400, "\u0041"], "a": {}, "": null} "#).expect("JSON");
        let array = Tree::Array(vec![Tree::Number("1.0e400".to_owned()), Tree::String("A".to_owned())]);
        let members = [("a", array), ("a", Tree::Object(vec![])), ("", Tree::Null)];
        assert_eq!(tree, Tree::Object(members.map(|(name, value)| (name.to_owned(), value)).into()));
        assert!(Tree::parse("[1,]").is_err());
        assert!(Tree::parse(r#""\ud800""#).is_err());
    }
}
