//! Makes schemas of objects that meet in place: branches that a property, the first member or nothing tells apart, conditions, references
//! and what closes objects. Few names and values, so that most of it is about the same members.

use crate::generate::Random;
use microschema::Dialect;
use serde_json::{Map, Value, json};

const NAMES: [&str; 5] = ["k", "n", "x", "", "k\n"];
const STRINGS: [&str; 6] = ["a", "b", "c", "d", "", "e\n"];
/// Definitions; each applies only those behind it to the same value.
const DEFINITIONS: usize = 4;

/// Makes schemas of one dialect, and objects for them.
#[derive(Debug)]
pub struct ObjectGenerator<'b> {
    pub dialect: Dialect,
    pub random: Random<'b>,
    /// Whether schemas may have `unevaluatedProperties`.
    pub evaluated: bool,
}

impl ObjectGenerator<'_> {
    /// A schema document.
    pub fn document(&mut self) -> Value {
        let mut schema = self.object_schema(3, 0);
        if self.random.chance(60) {
            let keyword = *self.random.pick(&["anyOf", "oneOf", "oneOf", "allOf"]);
            schema.insert(keyword.to_owned(), self.branches(2, 0));
        }
        if self.random.chance(40) && self.dialect >= Dialect::Draft7 {
            self.choice(&mut schema, 3, 0);
        }
        if self.evaluated && self.random.chance(40) {
            schema.insert("unevaluatedProperties".to_owned(), false.into());
        }
        schema.insert("$schema".to_owned(), self.dialect.uri().into());
        let definitions: Map<String, Value> =
            (0..DEFINITIONS).map(|number| (format!("d{number}"), self.schema(2, number + 1))).collect();
        schema.insert("definitions".to_owned(), definitions.into());
        schema.into()
    }

    /// An object, most of it of the first three names.
    pub fn object(&mut self, depth: usize) -> Value {
        let mut found = Map::new();
        for name in &NAMES[..3] {
            if self.random.chance(60) {
                found.insert((*name).to_owned(), self.value(depth));
            }
        }
        if self.random.chance(15) {
            found.insert(self.name(), self.value(depth));
        }
        found.into()
    }

    /// An object, a name in it, and another value of that.
    pub fn two_readings(&mut self) -> Option<(Value, String, Value)> {
        let object = self.object(1);
        let names: Vec<&String> = object.as_object()?.keys().collect();
        let name = names.get(self.random.below(names.len())).copied()?.clone();
        let other = self.value(1);
        (object[&name] != other).then_some((object, name, other))
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.random.below(12) {
            0..=6 => self.string(),
            7 => Value::Null,
            8 | 9 => json!(1),
            10 if depth > 0 => self.object(depth - 1),
            _ => json!({}),
        }
    }

    fn name(&mut self) -> String {
        let most = if self.random.chance(80) { 3 } else { NAMES.len() };
        self.random.pick(&NAMES[..most]).to_string()
    }

    fn string(&mut self) -> Value {
        let most = if self.random.chance(85) { 4 } else { STRINGS.len() };
        json!(self.random.pick(&STRINGS[..most]))
    }

    fn strings(&mut self) -> Value {
        let mut found: Vec<Value> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let string = self.string();
            if !found.contains(&string) {
                found.push(string);
            }
        }
        found.into()
    }

    fn names(&mut self) -> Value {
        let mut found: Vec<String> = (0..=self.random.below(2)).map(|_| self.name()).collect();
        found.sort_unstable();
        found.dedup();
        json!(found)
    }

    fn value_schema(&mut self, depth: usize) -> Value {
        match self.random.below(16) {
            0..=3 if self.dialect > Dialect::Draft4 => json!({"const": self.string()}),
            0..=6 => json!({"enum": self.strings()}),
            7 => json!({"type": "string", "not": {"enum": self.strings()}}),
            8 => json!({"not": {"enum": self.strings()}}),
            9 => json!({"enum": [self.string(), null, 1]}),
            10 => json!({"type": ["string", "null"], "enum": [self.string(), null]}),
            11 => json!({"type": "integer"}),
            12 => json!({"type": self.random.pick(&["string", "object", "null"])}),
            13 => json!({"anyOf": [{"enum": [self.string()]}, {"enum": [self.string()]}]}),
            14 if depth > 0 => self.schema(depth - 1, 0),
            _ => json!({}),
        }
    }

    fn properties(&mut self, depth: usize) -> Value {
        let mut found = Map::new();
        for _ in 0..=self.random.below(3) {
            let name = if self.random.chance(45) { "k".to_owned() } else { self.name() };
            found.insert(name, self.value_schema(depth));
        }
        found.into()
    }

    fn reference(&mut self, first: usize) -> Option<Value> {
        let to = first + self.random.below(DEFINITIONS - first);
        (to < DEFINITIONS).then(|| json!({"$ref": format!("#/definitions/d{to}")}))
    }

    fn branches(&mut self, depth: usize, first: usize) -> Value {
        let count = if self.random.chance(3) { 20 } else { 1 + self.random.below(4) };
        let mut found: Vec<Value> = Vec::new();
        for _ in 0..count {
            let branch = match self.random.below(20) {
                0 | 1 if !found.is_empty() => self.random.pick(&found).clone(),
                2..=6 if first < DEFINITIONS => self.reference(first).unwrap_or_default(),
                _ => self.schema(depth, first),
            };
            found.push(branch);
        }
        found.into()
    }

    /// What names must be there: branches of an `anyOf` or `oneOf`.
    fn required(&mut self) -> Value {
        (0..=self.random.below(3)).map(|_| json!({"required": self.names()})).collect()
    }

    fn condition(&mut self, depth: usize, first: usize) -> Value {
        match self.random.below(8) {
            0 => return json!({"required": self.names()}),
            1 => return self.schema(depth, first),
            _ => {}
        }
        let mut found = Map::new();
        if self.random.chance(30) {
            found.insert("type".to_owned(), "object".into());
        }
        let name = if self.random.chance(70) { "k".to_owned() } else { self.name() };
        let value = if self.random.chance(80) { json!({"enum": self.strings()}) } else { self.value_schema(0) };
        let mut properties = json!({&name: value});
        if self.random.chance(15) {
            properties[self.name()] = self.value_schema(0);
        }
        found.insert("properties".to_owned(), properties);
        if self.random.chance(50) {
            let name = if self.random.chance(80) { name } else { self.name() };
            found.insert("required".to_owned(), json!([name]));
        }
        found.into()
    }

    fn consequence(&mut self, depth: usize, first: usize) -> Value {
        match self.random.below(8) {
            0 | 1 => json!({"required": self.names()}),
            2 => json!({"properties": self.properties(0)}),
            3 => Value::Bool(self.random.chance(30)),
            4 if first < DEFINITIONS => self.reference(first).unwrap_or_default(),
            _ => self.schema(depth, first),
        }
    }

    /// `if`, mostly `then`, and often `else`, which is mostly such a choice itself.
    fn choice(&mut self, schema: &mut Map<String, Value>, depth: usize, first: usize) {
        schema.insert("if".to_owned(), self.condition(depth, first));
        if self.random.chance(85) {
            schema.insert("then".to_owned(), self.consequence(depth, first));
        }
        if self.random.chance(50) {
            let otherwise =
                if self.random.chance(60) { self.lone_choice(depth, first) } else { self.consequence(depth, first) };
            schema.insert("else".to_owned(), otherwise);
        }
    }

    fn lone_choice(&mut self, depth: usize, first: usize) -> Value {
        let mut schema = Map::new();
        self.choice(&mut schema, depth.saturating_sub(1), first);
        schema.into()
    }

    fn schema(&mut self, depth: usize, first: usize) -> Value {
        if self.random.chance(5) {
            return json!({"type": self.random.pick(&["string", "null", "array", "integer"])});
        }
        self.object_schema(depth, first).into()
    }

    fn object_schema(&mut self, depth: usize, first: usize) -> Map<String, Value> {
        let mut schema = Map::new();
        match self.random.below(12) {
            0..=5 => _ = schema.insert("type".to_owned(), "object".into()),
            6 => _ = schema.insert("type".to_owned(), json!(["object", "string"])),
            _ => {}
        }
        if self.random.chance(70) {
            schema.insert("properties".to_owned(), self.properties(depth));
        }
        if self.random.chance(50) {
            schema.insert("required".to_owned(), self.names());
        }
        if self.random.chance(30) {
            let additional = if self.random.chance(70) { false.into() } else { self.value_schema(0) };
            schema.insert("additionalProperties".to_owned(), additional);
        }
        for _ in 0..2 {
            if self.random.chance(40) {
                self.keyword(&mut schema, depth, first);
            }
        }
        schema
    }

    fn keyword(&mut self, schema: &mut Map<String, Value>, depth: usize, first: usize) {
        let is_new = self.dialect >= Dialect::Draft2019_09;
        let has_if = self.dialect >= Dialect::Draft7;
        let (keyword, value) = match self.random.below(21) {
            0 => ("minProperties", json!(self.random.below(3))),
            1 => ("maxProperties", json!(self.random.below(4))),
            2 => ("patternProperties", json!({*self.random.pick(&["^k$", "^[kn]", "x", "."]): self.value_schema(0)})),
            3 if has_if => ("propertyNames", json!({"maxLength": 1})),
            4 if has_if => ("propertyNames", json!({"enum": ["k", "n", "x"]})),
            5 if is_new => ("dependentRequired", json!({self.name(): self.names()})),
            6 => ("anyOf", self.required()),
            7 => ("oneOf", self.required()),
            8 if first < DEFINITIONS => match self.reference(first) {
                Some(reference) => ("$ref", reference["$ref"].clone()),
                None => return,
            },
            9 | 10 if self.evaluated => {
                ("unevaluatedProperties", if self.random.chance(70) { false.into() } else { self.value_schema(0) })
            }
            _ if depth == 0 => return,
            11 if is_new => ("dependentSchemas", json!({self.name(): self.schema(depth - 1, first)})),
            12 => {
                ("not", if self.random.chance(50) { self.condition(0, first) } else { self.schema(depth - 1, first) })
            }
            13 | 14 => ("anyOf", self.branches(depth - 1, first)),
            15 | 16 => ("oneOf", self.branches(depth - 1, first)),
            17 => ("allOf", self.branches(depth - 1, first)),
            18 if has_if => ("allOf", (0..=self.random.below(3)).map(|_| self.lone_choice(depth, first)).collect()),
            19 | 20 if has_if => return self.choice(schema, depth - 1, first),
            _ => return,
        };
        schema.insert(keyword.to_owned(), value);
    }
}
