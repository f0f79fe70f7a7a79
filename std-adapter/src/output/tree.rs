//! JSON texts as trees whose values know how they are written: numbers of any length stay what they are.

use microschema::{Halt, Instance, Json, Kind, Next, Text};
use std::fmt::Write;

/// As deep as the reader goes.
const DEPTH: u32 = 512;

/// The number of a node.
pub(super) type Id = usize;

/// Any number of texts.
#[derive(Debug, Default)]
pub(super) struct Trees<'a> {
    nodes: Vec<Node<'a>>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// How the value is written.
    pub(super) text: &'a str,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Boolean(bool),
    String(String),
    Array(Vec<Id>),
    Object(Vec<Member>),
    /// `null` or a number.
    Other,
}

/// A member of an object: the names are nodes too, as `propertyNames` has schemas for them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: Id,
    pub(super) value: Id,
}

impl<'a> Trees<'a> {
    /// Reads a text; `None` where it is not JSON.
    pub(super) fn read(&mut self, text: &'a [u8]) -> Option<Id> {
        let json = Json::new(text).ok()?;
        let at = json.root().ok()?;
        // Refuses what is too deep before there is any recursion.
        json.finish(json.skip(at, DEPTH).ok()?).ok()?;
        let (root, _) = self.node(json, at).ok()?;
        Some(root)
    }

    pub(super) fn node_of(&self, id: Id) -> &Node<'a> {
        &self.nodes[id]
    }

    pub(super) fn text(&self, id: Id) -> &'a str {
        self.nodes[id].text
    }

    /// The string, or nothing where it is none.
    pub(super) fn string(&self, id: Id) -> &str {
        match &self.nodes[id].value {
            Value::String(string) => string,
            _ => "",
        }
    }

    /// The members of an object.
    pub(super) fn members(&self, id: Id) -> &[Member] {
        match &self.nodes[id].value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of an array.
    pub(super) fn items(&self, id: Id) -> &[Id] {
        match &self.nodes[id].value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The member of this name.
    pub(super) fn member(&self, id: Id, name: &str) -> Option<Id> {
        self.members(id).iter().find(|member| self.string(member.name) == name).map(|member| member.value)
    }

    /// The string member of this name.
    pub(super) fn string_member(&self, id: Id, name: &str) -> Option<&str> {
        match &self.nodes[self.member(id, name)?].value {
            Value::String(string) => Some(string),
            _ => None,
        }
    }

    /// Name and string value of every member of every object; of other values nothing.
    pub(super) fn all_members(&self) -> impl Iterator<Item = (&str, &str)> {
        let objects = (0..self.nodes.len()).flat_map(|id| self.members(id));
        objects.map(|member| (self.string(member.name), self.string(member.value)))
    }

    fn node(&mut self, json: Json<'a>, at: usize) -> Result<(Id, usize), Halt> {
        let (value, after) = match json.kind(at)? {
            Kind::True => (Value::Boolean(true), json.skip(at, 0)?),
            Kind::False => (Value::Boolean(false), json.skip(at, 0)?),
            Kind::String => {
                let (text, after) = json.string(at)?;
                (Value::String(decode(text)), after)
            }
            Kind::Array => {
                let (mut walk, mut items, mut after) = (json.items(at), Vec::new(), at);
                loop {
                    match json.next_item(&mut walk, after)? {
                        Next::Item(item) => {
                            let (id, end) = self.node(json, item)?;
                            items.push(id);
                            after = end;
                        }
                        Next::End(end) => break (Value::Array(items), end),
                    }
                }
            }
            Kind::Object => {
                let (mut walk, mut members, mut after) = (json.members(at), Vec::new(), at);
                loop {
                    match json.next_member(&mut walk, after)? {
                        Next::Item(member) => {
                            let (name, _) = self.node(json, member.name_at)?;
                            let (value, end) = self.node(json, member.value)?;
                            members.push(Member { name, value });
                            after = end;
                        }
                        Next::End(end) => break (Value::Object(members), end),
                    }
                }
            }
            Kind::Null | Kind::Number => (Value::Other, json.skip(at, 0)?),
        };
        let text = std::str::from_utf8(&json.bytes()[at..after]).unwrap_or_default();
        self.nodes.push(Node { text, value });
        Ok((self.nodes.len() - 1, after))
    }
}

fn decode(text: Text<'_>) -> String {
    text.chars().map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A step of a JSON Pointer, escaped (RFC 6901 section 3).
pub(super) fn token(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A JSON Pointer as a URI fragment (RFC 6901 section 6).
pub(super) fn fragment(pointer: &str) -> String {
    let mut fragment = String::new();
    for byte in pointer.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => fragment.push(char::from(byte)),
            _ if b"-._~!$&'()*+,;=:@/?".contains(&byte) => fragment.push(char::from(byte)),
            _ => {
                let _ = write!(fragment, "%{byte:02X}");
            }
        }
    }
    fragment
}

/// JSON text without the white space between its tokens.
pub(super) fn compact(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let is_space = !quoted && matches!(c, ' ' | '\t' | '\n' | '\r');
        quoted ^= *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        !is_space
    };
    text.chars().filter(keep).collect()
}
