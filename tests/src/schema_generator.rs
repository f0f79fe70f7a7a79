//! Makes small schemas over all keywords, from few names and values, so that keywords meet each other and instances meet them.

use crate::generate::Random;
use microschema::Dialect;
use serde_json::{Map, Value, json};

/// Names of properties.
const NAMES: [&str; 5] = ["a", "b", "ab", "", "type"];
const PATTERNS: [&str; 7] = ["^a", "b$", "^[ab]+$", ".", "^$", "a{2}", "x|y"];
/// Definitions that references lead to.
const DEFINITIONS: usize = 3;

/// Makes schemas of one dialect.
#[derive(Debug)]
pub struct SchemaGenerator<'b> {
    pub dialect: Dialect,
    pub random: Random<'b>,
}

impl SchemaGenerator<'_> {
    /// A schema document.
    pub fn document(&mut self) -> Value {
        let mut schema = self.object_schema(3, 0);
        schema.insert("$schema".to_owned(), self.dialect.uri().into());
        let definitions: Map<String, Value> =
            (0..DEFINITIONS).map(|number| (format!("d{number}"), self.schema(2, number + 1))).collect();
        schema.insert(self.definitions().to_owned(), definitions.into());
        schema.into()
    }

    /// A small value, of the same few names and values.
    pub fn instance(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => Value::Bool(self.random.chance(50)),
            2 | 3 => self.number(),
            4 => self.string().into(),
            5 | 6 => (0..self.random.below(5)).map(|_| self.instance(depth - 1)).collect(),
            _ => {
                let members = (0..self.random.below(5)).map(|_| (self.name(), self.instance(depth - 1)));
                Value::Object(members.collect())
            }
        }
    }

    fn definitions(&self) -> &'static str {
        if self.dialect < Dialect::Draft2019_09 { "definitions" } else { "$defs" }
    }

    fn name(&mut self) -> String {
        (*self.random.pick(&NAMES)).to_owned()
    }

    fn string(&mut self) -> String {
        (*self.random.pick(&["", "a", "b", "ab", "aab", "x", "ü😀", "abababab"])).to_owned()
    }

    fn number(&mut self) -> Value {
        let numbers = [
            json!(0),
            json!(1),
            json!(2),
            json!(3),
            json!(-1),
            json!(0.5),
            json!(1.5),
            json!(-2.25),
            json!(6),
            json!(1.0),
        ];
        // Whether 1.0 is an integer of draft-04 is answered variously.
        let count = numbers.len() - usize::from(self.dialect == Dialect::Draft4);
        self.random.pick(&numbers[..count]).clone()
    }

    fn count(&mut self) -> Value {
        json!(self.random.below(4))
    }

    /// A schema whose references in place lead to definitions from `first` on, so that none comes back to itself.
    fn schema(&mut self, depth: usize, first: usize) -> Value {
        if self.dialect > Dialect::Draft4 && self.random.chance(8) {
            return Value::Bool(self.random.chance(60));
        }
        self.object_schema(depth, first).into()
    }

    /// A schema for part of the instance: any reference is allowed.
    fn part(&mut self, depth: usize) -> Value {
        self.schema(depth.saturating_sub(1), 0)
    }

    fn schemas(&mut self, depth: usize, first: usize) -> Value {
        (0..=self.random.below(3)).map(|_| self.schema(depth.saturating_sub(1), first)).collect()
    }

    fn parts_by_name(&mut self, depth: usize, names: &[&str]) -> Value {
        let mut members = Map::new();
        for _ in 0..=self.random.below(3) {
            let name = (*self.random.pick(names)).to_owned();
            members.insert(name, self.part(depth));
        }
        members.into()
    }

    fn names(&mut self, least: usize) -> Value {
        let mut names: Vec<String> = (0..self.random.below(3) + least).map(|_| self.name()).collect();
        names.sort();
        names.dedup();
        names.into()
    }

    fn object_schema(&mut self, depth: usize, first: usize) -> Map<String, Value> {
        let mut schema = Map::new();
        let keywords = if depth == 0 { self.random.below(2) } else { 1 + self.random.below(4) };
        for _ in 0..keywords {
            self.keyword(&mut schema, depth, first);
        }
        schema
    }

    fn keyword(&mut self, schema: &mut Map<String, Value>, depth: usize, first: usize) {
        let dialect = self.dialect;
        let leaf = if depth == 0 { 16 } else { 40 };
        let (name, value) = match self.random.below(leaf) {
            0 | 1 => ("type", self.types()),
            2 => ("enum", self.values()),
            3 if dialect > Dialect::Draft4 => ("const", self.instance(2)),
            4 => (*self.random.pick(&["minimum", "maximum"]), self.number()),
            5 if dialect > Dialect::Draft4 => {
                (*self.random.pick(&["exclusiveMinimum", "exclusiveMaximum"]), self.number())
            }
            6 => ("multipleOf", self.random.pick(&[json!(0.5), json!(1), json!(2), json!(1.5), json!(3)]).clone()),
            7 => (*self.random.pick(&["minLength", "maxLength"]), self.count()),
            8 => ("pattern", json!(self.random.pick(&PATTERNS))),
            9 => (*self.random.pick(&["minItems", "maxItems"]), self.count()),
            10 => ("uniqueItems", json!(self.random.chance(80))),
            11 => (*self.random.pick(&["minProperties", "maxProperties"]), self.count()),
            12 => ("required", self.names(usize::from(dialect == Dialect::Draft4))),
            13 if first < DEFINITIONS => {
                let target = first + self.random.below(DEFINITIONS - first);
                ("$ref", json!(format!("#/{}/d{target}", self.definitions())))
            }
            14 if dialect > Dialect::Draft7 => {
                let mut dependent = Map::new();
                for _ in 0..=self.random.below(2) {
                    dependent.insert(self.name(), self.names(0));
                }
                ("dependentRequired", dependent.into())
            }
            15 => ("unknown", json!({"type": "string"})),
            16..=18 => ("properties", self.parts_by_name(depth, &NAMES)),
            19 => ("patternProperties", self.parts_by_name(depth, &PATTERNS)),
            20 | 21 => ("additionalProperties", self.part(depth)),
            22 if dialect > Dialect::Draft4 => ("propertyNames", self.part(depth)),
            23 if dialect == Dialect::Draft2020_12 => {
                ("prefixItems", (0..=self.random.below(3)).map(|_| self.part(depth)).collect())
            }
            23 => ("items", (0..=self.random.below(3)).map(|_| self.part(depth)).collect()),
            24 if dialect < Dialect::Draft2020_12 => ("additionalItems", self.part(depth)),
            24 | 25 => ("items", self.part(depth)),
            26 if dialect > Dialect::Draft4 => ("contains", self.part(depth)),
            27 if dialect > Dialect::Draft7 => {
                schema.insert("contains".to_owned(), self.part(depth));
                (*self.random.pick(&["minContains", "maxContains"]), self.count())
            }
            28 => ("allOf", self.schemas(depth, first)),
            29 | 30 => ("anyOf", self.schemas(depth, first)),
            31 | 32 => ("oneOf", self.schemas(depth, first)),
            33 => ("not", self.schema(depth - 1, first)),
            34 if dialect > Dialect::Draft6 => {
                for branch in ["then", "else"] {
                    if self.random.chance(70) {
                        schema.insert(branch.to_owned(), self.schema(depth - 1, first));
                    }
                }
                ("if", self.schema(depth - 1, first))
            }
            35 if dialect > Dialect::Draft7 => ("dependentSchemas", self.dependencies(depth, first)),
            35 => ("dependencies", self.dependencies(depth, first)),
            36 | 37 if dialect > Dialect::Draft7 => ("unevaluatedProperties", self.part(depth)),
            38 if dialect > Dialect::Draft7 => ("unevaluatedItems", self.part(depth)),
            39 => {
                self.tagged(schema, depth);
                return;
            }
            _ => return,
        };
        schema.insert(name.to_owned(), value);
    }

    /// Objects told apart by a constant.
    fn tagged(&mut self, schema: &mut Map<String, Value>, depth: usize) {
        let constant = |value: &str| {
            if self.dialect == Dialect::Draft4 { json!({"enum": [value]}) } else { json!({"const": value}) }
        };
        let tags = [constant("a"), constant("b"), constant("ab")];
        let count = 1 + self.random.below(3);
        let mut branches = Vec::new();
        for tag in tags.into_iter().take(count) {
            let mut properties = json!({"type": tag, "a": self.part(depth)});
            if self.random.chance(30) {
                properties["b"] = self.part(depth);
            }
            let mut branch = json!({"properties": properties});
            if self.random.chance(80) {
                branch["required"] = json!(["type"]);
            }
            if self.random.chance(60) {
                branch["type"] = json!("object");
            }
            if self.random.chance(30) {
                branch["additionalProperties"] = json!(false);
            }
            branches.push(branch);
        }
        if self.random.chance(20) {
            branches.push(json!({"type": "null"}));
        }
        schema.insert((*self.random.pick(&["anyOf", "oneOf"])).to_owned(), branches.into());
    }

    fn types(&mut self) -> Value {
        const TYPES: [&str; 9] =
            ["null", "boolean", "integer", "number", "string", "array", "object", "object", "array"];
        if self.random.chance(70) {
            return json!(self.random.pick(&TYPES));
        }
        let mut types: Vec<&str> = (0..=self.random.below(3)).map(|_| *self.random.pick(&TYPES)).collect();
        types.sort_unstable();
        types.dedup();
        types.into()
    }

    fn values(&mut self) -> Value {
        let mut values: Vec<Value> = Vec::new();
        let most = if self.random.chance(12) { 14 } else { 4 };
        for _ in 0..=self.random.below(most) {
            let value = self.instance(2);
            // Before 2019-09 meta-schemas ask for values that differ; numbers that are equal are told apart by few.
            if !values.iter().any(|other| other.to_string().replace(".0", "") == value.to_string().replace(".0", "")) {
                values.push(value);
            }
        }
        values.into()
    }

    fn dependencies(&mut self, depth: usize, first: usize) -> Value {
        let mut dependencies = Map::new();
        for _ in 0..=self.random.below(2) {
            let value = if self.dialect < Dialect::Draft2019_09 && self.random.chance(50) {
                self.names(1)
            } else {
                self.schema(depth - 1, first)
            };
            dependencies.insert(self.name(), value);
        }
        dependencies.into()
    }
}
