//! A parsed `serde_json` value as an instance: read in place, nothing allocated, nothing written out again.

mod number;
mod trail;

pub(crate) use trail::Trail;

use microschema::{Halt, Instance, Kind, Member, Next, Number, Text};
use serde_json::{Map, Value, map};
use std::slice;
use std::sync::LazyLock;

/// A borrowed `serde_json` value or object, as the engine reads it.
///
/// ```
/// use microschema::Options;
/// use microschema_mcp::Tree;
/// use serde_json::json;
///
/// let program = Options::new().compile_owned(br#"{"properties": {"level": {"maximum": 10}}}"#)?;
/// let arguments = json!({"level": 70});
/// assert_eq!(program.as_program().validator().run(Tree::of(&arguments), None), Ok(false));
/// # Ok::<(), microschema::SchemaError>(())
/// ```
///
/// A parsed value has lost what its text may have had: names that occurred twice, and digits of numbers beyond an `f64`. Where
/// `serde_json` is built with `arbitrary_precision`, turn on the feature of the same name here: without it, a number of more than
/// 19 digits is [`Limit::Number`](microschema::Limit::Number).
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    root: Place<'a>,
}

/// Where the engine stands in a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Place<'a>(At<'a>);

#[derive(Clone, Copy, Debug)]
enum At<'a> {
    Value(&'a Value),
    /// The name of a member.
    Name(&'a String),
    /// The whole, where it is an object outside of a `Value`.
    Object(&'a Map<String, Value>),
}

/// A walk over the items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a>(slice::Iter<'a, Value>);

/// A walk over the members of an object.
#[derive(Clone, Debug)]
pub struct Members<'a>(map::Iter<'a>);

/// What has no members.
static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl<'a> Tree<'a> {
    /// A value.
    #[must_use]
    pub const fn of(value: &'a Value) -> Self {
        Self { root: Place(At::Value(value)) }
    }

    /// An object.
    #[must_use]
    pub const fn of_object(object: &'a Map<String, Value>) -> Self {
        Self { root: Place(At::Object(object)) }
    }

    /// The ids of the places from the root to the one with this id, both included; empty when there is none.
    fn trail(self, id: usize) -> Vec<usize> {
        let mut trail = vec![self.id(self.root)];
        let mut open = vec![self.root.children()];
        while trail.last() != Some(&id) {
            let Some(children) = open.last_mut() else { break };
            match children.next() {
                Some((Some(name), _)) if self.id(name) == id => trail.push(id),
                Some((_, value)) => {
                    trail.push(self.id(value));
                    open.push(value.children());
                }
                None => {
                    open.pop();
                    trail.pop();
                }
            }
        }
        trail
    }
}

impl<'a> Place<'a> {
    fn object(self) -> Option<&'a Map<String, Value>> {
        match self.0 {
            At::Value(Value::Object(object)) | At::Object(object) => Some(object),
            _ => None,
        }
    }

    fn array(self) -> &'a [Value] {
        match self.0 {
            At::Value(Value::Array(items)) => items,
            _ => &[],
        }
    }

    /// The values below, each with the place of its name if it is a member.
    fn children(self) -> impl Iterator<Item = (Option<Self>, Self)> {
        let items = self.array().iter().map(|item| (None, Self(At::Value(item))));
        let members = self.object().into_iter().flatten();
        items.chain(members.map(|(name, value)| (Some(Self(At::Name(name))), Self(At::Value(value)))))
    }
}

impl<'a> Instance<'a> for Tree<'a> {
    type Place = Place<'a>;
    type Items = Items<'a>;
    type Members = Members<'a>;

    #[inline]
    fn root(self) -> Result<Place<'a>, Halt> {
        Ok(self.root)
    }

    #[inline]
    fn kind(self, at: Place<'a>) -> Result<Kind, Halt> {
        Ok(match at.0 {
            At::Name(_) | At::Value(Value::String(_)) => Kind::String,
            At::Object(_) | At::Value(Value::Object(_)) => Kind::Object,
            At::Value(Value::Array(_)) => Kind::Array,
            At::Value(Value::Number(_)) => Kind::Number,
            At::Value(Value::Bool(true)) => Kind::True,
            At::Value(Value::Bool(false)) => Kind::False,
            At::Value(Value::Null) => Kind::Null,
        })
    }

    #[inline]
    fn types_at_most(self, at: Place<'a>) -> u8 {
        // One constant for each variant, which makes it a look-up instead of a jump.
        match at.0 {
            At::Name(_) => Kind::String as u8,
            At::Object(_) => Kind::Object as u8,
            At::Value(value) => match value {
                Value::Null => Kind::Null as u8,
                Value::Bool(_) => Kind::True as u8 | Kind::False as u8,
                Value::Number(_) => Kind::Number as u8,
                Value::String(_) => Kind::String as u8,
                Value::Array(_) => Kind::Array as u8,
                Value::Object(_) => Kind::Object as u8,
            },
        }
    }

    #[inline]
    fn string(self, at: Place<'a>) -> Result<(Text<'a>, Place<'a>), Halt> {
        let text = match at.0 {
            At::Name(text) | At::Value(Value::String(text)) => text,
            _ => "",
        };
        Ok((Text::plain(text), at))
    }

    #[inline]
    fn number(self, at: Place<'a>) -> Result<(Number<'a>, Place<'a>), Halt> {
        match at.0 {
            At::Value(Value::Number(number)) => Ok((number::decimal(number)?, at)),
            _ => Ok((Number::from_u64(0), at)),
        }
    }

    #[inline]
    fn short_number(self, at: Place<'a>) -> Option<(i64, u32, Place<'a>)> {
        match at.0 {
            At::Value(Value::Number(number)) => number::short(number).map(|(mantissa, places)| (mantissa, places, at)),
            _ => None,
        }
    }

    #[inline]
    fn items(self, at: Place<'a>) -> Items<'a> {
        Items(at.array().iter())
    }

    #[inline]
    fn next_item(self, items: &mut Items<'a>, after: Place<'a>) -> Result<Next<Place<'a>, Place<'a>>, Halt> {
        Ok(items.0.next().map_or(Next::End(after), |item| Next::Item(Place(At::Value(item)))))
    }

    #[inline]
    fn members(self, at: Place<'a>) -> Members<'a> {
        Members(at.object().unwrap_or_else(|| &EMPTY).iter())
    }

    #[inline]
    fn next_member(
        self,
        members: &mut Members<'a>,
        after: Place<'a>,
    ) -> Result<Next<Member<'a, Place<'a>>, Place<'a>>, Halt> {
        Ok(members.0.next().map_or(Next::End(after), |(name, value)| {
            let (name_at, value) = (Place(At::Name(name)), Place(At::Value(value)));
            Next::Item(Member { name: Text::plain(name), name_at, value })
        }))
    }

    #[inline]
    fn names_are_unique(self) -> bool {
        true
    }

    #[inline]
    fn members_left(self, members: &Members<'a>) -> Option<u32> {
        u32::try_from(members.0.len()).ok()
    }

    #[inline]
    fn items_left(self, items: &Items<'a>) -> Option<u32> {
        u32::try_from(items.0.len()).ok()
    }

    #[inline]
    fn skip(self, at: Place<'a>, _: u32) -> Result<Place<'a>, Halt> {
        Ok(at)
    }

    /// Numbers whose digits are kept are read each time.
    #[cfg(feature = "arbitrary_precision")]
    #[inline]
    fn span(self, from: Place<'a>, to: Place<'a>) -> usize {
        match (from.0, to.0) {
            (At::Value(value @ Value::Number(number)), At::Value(after)) if std::ptr::eq(value, after) => {
                number.as_str().len()
            }
            _ => 0,
        }
    }

    #[inline]
    fn finish(self, _: Place<'a>) -> Result<(), Halt> {
        Ok(())
    }

    #[inline]
    fn id(self, at: Place<'a>) -> usize {
        match at.0 {
            At::Value(value) => std::ptr::from_ref(value).addr(),
            // Not the address of the characters: all empty strings share one.
            At::Name(name) => std::ptr::from_ref(name).addr(),
            At::Object(object) => std::ptr::from_ref(object).addr(),
        }
    }

    fn holds(self, at: Place<'a>, _: Place<'a>, id: usize) -> bool {
        Self { root: at }.trail(id).last() == Some(&id)
    }

    #[inline]
    fn remember(self, _: Place<'a>, index: u32) -> u32 {
        index
    }

    fn recall(self, container: Place<'a>, short: u32) -> Option<Place<'a>> {
        let index = usize::try_from(short).ok()?;
        match container.object() {
            Some(object) => object.values().nth(index).map(|value| Place(At::Value(value))),
            None => container.array().get(index).map(|item| Place(At::Value(item))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use microschema::{Instance, Issues, Options};
    use serde_json::{Value, json};

    #[test]
    fn an_object_is_read_like_the_value_of_it() {
        let program = Options::new()
            .compile_owned(
                br#"{"type": "object", "properties": {"a": {"items": {"maximum": 2.5}}}, "maxProperties": 1}"#,
            )
            .expect("compiles");
        let validator = program.as_program().validator();
        for (value, valid) in
            [(json!({"a": [1, 2.5]}), true), (json!({"a": [1, 2.6]}), false), (json!({"a": 1, "": 2}), false)]
        {
            let Value::Object(object) = &value else { panic!("an object") };
            assert_eq!(validator.run(Tree::of(&value), None), Ok(valid), "{value}");
            assert_eq!(validator.run(Tree::of_object(object), None), Ok(valid), "{value}");
        }
    }

    /// As the bytes of them do.
    #[cfg(feature = "arbitrary_precision")]
    #[test]
    fn long_numbers_cost_steps() {
        use microschema::{Error, Limit, Limits};

        for schema in [
            r#"{"type": "integer"}"#,
            r#"{"items": {"type": "integer"}}"#,
            r#"{"type": "number", "minimum": 1}"#,
            r#"{"items": {"maximum": 1e99}}"#,
            r#"{"enum": [1, 2.5, [3.5]]}"#,
            r#"{"contains": {"const": 1}, "minContains": 0}"#,
            r#"{"uniqueItems": true}"#,
            r#"{"multipleOf": 0.5, "items": {"multipleOf": 0.5}}"#,
        ] {
            let program = Options::new().compile_owned(schema.as_bytes()).expect(schema);
            for zeros in [6_400, 64_000] {
                for number in [format!("1{}", "0".repeat(zeros)), format!("-0.{}1", "0".repeat(zeros))] {
                    let text = if schema.contains("tems") || schema.contains("contains") {
                        format!("[{number},1]")
                    } else {
                        number
                    };
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    let limited = |steps| {
                        let validator = program.as_program().validator().limits(Limits::new().with_steps(steps));
                        [validator.is_valid(text.as_bytes()), validator.run(Tree::of(&value), None)]
                    };
                    let too_few = u32::try_from(zeros / 64 - 1).expect("small");
                    assert_eq!(limited(too_few), [Err(Error::Limit(Limit::Steps)); 2], "{schema} {zeros}");
                    let [of_text, of_value] = limited(4 * too_few);
                    assert!(of_text.is_ok() && of_text == of_value, "{schema} {zeros}: {of_text:?} {of_value:?}");
                }
            }
        }
    }

    #[test]
    fn empty_names_and_strings_have_places_of_their_own() {
        let schema = br#"{"additionalProperties": {"minLength": 1}, "propertyNames": {"minLength": 1}}"#;
        let program = Options::new().compile_owned(schema).expect("compiles");
        let value = json!({"": "", "a": "", "b": {"": ""}});
        let mut issues = Issues::<8>::new();
        assert_eq!(program.as_program().validator().run(Tree::of(&value), Some(&mut issues)), Ok(false));
        let tree = Tree::of(&value);
        let pointers: Vec<String> =
            issues.iter().map(|issue| issue.describe_in(&program.as_program(), tree).to_string()).collect();
        assert_eq!(
            pointers,
            [
                "at /: must have at least 1 character (minLength)",
                "at /: the name of this property must have at least 1 character (minLength)",
                "at /a: must have at least 1 character (minLength)",
            ]
        );
    }

    /// Verdict and number of issues, which must be the same for the text and for the tree of it.
    fn verdict(schema: &Value, value: &Value) -> (bool, usize) {
        let schema = serde_json::to_vec(schema).expect("text");
        let text = serde_json::to_vec(value).expect("text");
        let program = Options::new().compile_owned(&schema).expect("compiles");
        let validator = program.as_program().validator();
        let (mut of_text, mut of_tree) = (Issues::<8>::new(), Issues::<8>::new());
        let valid = validator.run(Tree::of(value), Some(&mut of_tree)).expect("a verdict");
        let what = || format!("{} {value}", String::from_utf8_lossy(&schema));
        assert_eq!(validator.validate(&text, &mut of_text), Ok(valid), "{}", what());
        assert_eq!(validator.run(Tree::of(value), None), Ok(valid), "{}", what());
        assert_eq!(of_text.iter().count(), of_tree.iter().count(), "{}", what());
        (valid, of_tree.iter().count())
    }

    /// Names of all lengths at which they are compared in another way, in tables of all sizes at which they are looked up in another way.
    #[test]
    fn names_are_told_apart_as_in_text() {
        let lengths = [3, 0, 1, 2, 4, 7, 8, 9, 15, 16, 17, 23, 24, 25, 33, 126, 127, 128, 300];
        let mut names: Vec<String> = lengths.iter().map(|&len| "n".repeat(len)).collect();
        names.extend((0..300).map(|i| format!("{}{i}", "p".repeat(i % 29))));
        for count in [1, 2, 7, 15, 16, 17, 40, 63, 64, 65, 200, 256, 257, 319] {
            for known in [&names[..count], &names[names.len() - count..]] {
                let properties: Value = known.iter().map(|name| (name.clone(), json!({"type": "integer"}))).collect();
                let closed = json!({"properties": properties, "additionalProperties": false});
                let required = json!({"properties": properties, "required": known, "maxProperties": count});
                let all: Value = known.iter().map(|name| (name.clone(), json!(1))).collect();
                assert_eq!(verdict(&closed, &all), (true, 0));
                assert_eq!(verdict(&required, &all), (true, 0));
                let values = json!({"items": {"enum": known}});
                assert_eq!(verdict(&values, &json!(known)), (true, 0));
                for name in known.iter().step_by(1 + count / 40) {
                    assert_eq!(verdict(&closed, &json!({name: 1})), (true, 0));
                    assert_eq!(verdict(&closed, &json!({name: "1"})), (false, 1));
                    let mut without = all.clone();
                    without.as_object_mut().expect("an object").remove(name);
                    assert_eq!(verdict(&required, &without), (false, 1), "{name}");
                    let ends = [format!("{name}n"), format!("m{}", name.get(1..).unwrap_or_default())];
                    let middle = name.len() / 2;
                    let other = format!("{}m{}", &name[..middle], name.get(middle + 1..).unwrap_or_default());
                    for other in ends.into_iter().chain([other]).filter(|other| !known.contains(other)) {
                        assert_eq!(verdict(&closed, &json!({name: 1, &other: 1})), (false, 1));
                        assert_eq!(verdict(&values, &json!([name, other])), (false, 1));
                    }
                }
            }
        }
    }

    #[test]
    fn items_are_counted_as_in_text() {
        let schemas = [
            json!({"minItems": 2, "maxItems": 3}),
            json!({"items": {"type": "integer"}, "maxItems": 2}),
            json!({"items": {"maximum": 2}, "minItems": 1}),
            json!({"items": {"const": true}}),
            json!({"items": {"type": ["boolean", "null"]}}),
            json!({"prefixItems": [{"type": "integer"}, {"type": "string"}]}),
            json!({"prefixItems": [{"type": "integer"}], "items": {"type": "number"}, "uniqueItems": true}),
            json!({"prefixItems": [{"maximum": 1}, true], "items": false}),
            json!({"items": false}),
        ];
        let values = [
            json!([]),
            json!([1]),
            json!([1, 2]),
            json!([1, "a", 2.5]),
            json!([3, 4, 1.0, 1]),
            json!([true, true]),
            json!([null, false, true]),
        ];
        for schema in &schemas {
            for value in &values {
                verdict(schema, value);
            }
        }
        assert_eq!(verdict(&schemas[0], &values[2]), (true, 0));
        assert_eq!(verdict(&schemas[3], &json!([true, false])), (false, 1));
    }

    #[test]
    fn a_trail_leads_to_values_and_names() {
        let value = json!({"a": [0, {"b": 1}], "c": 2});
        let tree = Tree::of(&value);
        let ids = |pointers: &[&str]| -> Vec<usize> {
            pointers.iter().map(|pointer| std::ptr::from_ref(value.pointer(pointer).expect("there")).addr()).collect()
        };
        let (b, c) = (ids(&["/a/1/b"])[0], ids(&["/c"])[0]);
        assert_eq!(tree.trail(b), ids(&["", "/a", "/a/1", "/a/1/b"]));
        assert_eq!(tree.trail(c), ids(&["", "/c"]));
        assert_eq!(tree.trail(tree.id(tree.root)), ids(&[""]));
        assert!(tree.trail(1).is_empty());
        let name = value["a"][1].as_object().and_then(|object| object.keys().next()).expect("a name");
        let name = std::ptr::from_ref(name).addr();
        assert_eq!(tree.trail(name), [ids(&["", "/a", "/a/1"]), vec![name]].concat());
    }
}
