//! Makes instances for a schema: mostly valid ones, and ones with a few slips. Deterministic, and no more than a helper of tests:
//! whether an instance is valid is for validators to say.

use serde_json::{Map, Number, Value, json};

/// Where the choices of a generator come from: a random number (SplitMix64), the same on every machine; before that, bytes, so that a
/// fuzzer that changes one of them changes one choice.
#[derive(Clone, Debug)]
pub struct Random<'b> {
    state: u64,
    bytes: &'b [u8],
}

impl Random<'static> {
    /// Numbers that follow from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, bytes: &[] }
    }
}

impl<'b> Random<'b> {
    /// A byte for each choice, and when they are used up, always the same numbers.
    #[must_use]
    pub const fn from_bytes(bytes: &'b [u8]) -> Self {
        Self { state: 0, bytes }
    }

    /// The next number.
    pub fn bits(&mut self) -> u64 {
        if let Some((first, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return u64::from(*first);
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound` (0 when that is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % (bound.max(1) as u64)) as usize
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Makes instances for one schema document.
#[derive(Debug)]
pub struct Generator<'s> {
    root: &'s Value,
    pub random: Random<'s>,
    /// Percent of the values that are slips.
    slips: usize,
    /// Values that may still be made.
    room: usize,
}

/// Strings with something to them: formats, lengths, characters that are escaped or long.
const STRINGS: [&str; 30] = [
    "",
    "a",
    "ab",
    "abc",
    "x1",
    "A-B_c",
    "42",
    "0",
    "3.5",
    "true",
    "null",
    "{\"a\":1}",
    "hello world",
    "line\nbreak\t\"quoted\\\"",
    "Zürich",
    "😀😀",
    "e\u{301}",
    "\u{0}\u{1f}",
    "2024-02-29",
    "2024-02-29T12:30:00Z",
    "12:30:00Z",
    "00000000-0000-4000-8000-000000000000",
    "user@mail.example",
    "https://example.com/a?b=c#d",
    "192.0.2.1",
    "2001:db8::1",
    "/a/b~0c",
    "#ff8800",
    "1.2.3",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl<'s> Generator<'s> {
    /// A generator for the schema `root`.
    #[must_use]
    pub const fn new(root: &'s Value, seed: u64) -> Self {
        Self::with(root, Random::new(seed))
    }

    /// The same with choices from elsewhere.
    #[must_use]
    pub const fn with(root: &'s Value, random: Random<'s>) -> Self {
        Self { root, random, slips: 0, room: 0 }
    }

    /// The next instance. `slips`: how many of 100 values are to be wrong.
    pub fn instance(&mut self, slips: usize) -> Value {
        self.slips = slips;
        self.room = 300;
        self.value(self.root, 0)
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        self.room = self.room.saturating_sub(1);
        if depth > 24 || self.room == 0 {
            return self.random.pick(&[Value::Null, json!({}), json!([]), json!("")]).clone();
        }
        if self.random.chance(self.slips) {
            return self.slip(schema, depth);
        }
        let Some(schema) = self.flat(schema, 0) else { return self.any(depth) };
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(Value::Array(values)) = schema.get("enum")
            && !values.is_empty()
        {
            return self.random.pick(values).clone();
        }
        match self.type_of(&schema).as_str() {
            "null" => Value::Null,
            "boolean" => Value::Bool(self.random.chance(50)),
            "integer" => self.number(&schema, true),
            "number" => self.number(&schema, false),
            "string" => self.string(&schema),
            "array" => self.array(&schema, depth),
            _ => self.object(&schema, depth),
        }
    }

    /// A value that is probably wrong here, the way callers get things wrong.
    fn slip(&mut self, schema: &Value, depth: usize) -> Value {
        let slips = std::mem::take(&mut self.slips);
        let value = match self.random.below(6) {
            0 => Value::Null,
            // A number or a structure in quotes.
            1 => Value::String(self.value(schema, depth).to_string()),
            2 => json!([self.value(schema, depth)]),
            3 => match self.value(schema, depth) {
                Value::Number(number) => json!(number.as_f64().unwrap_or_default() + 0.5),
                Value::String(text) => Value::String(text + "!"),
                Value::Bool(value) => json!(u8::from(value)),
                Value::Array(mut items) => {
                    items.extend(items.first().cloned());
                    Value::Array(items)
                }
                Value::Object(mut members) => {
                    if let Some(name) = members.keys().next().cloned() {
                        let value = members.remove(&name).unwrap_or_default();
                        members.insert(name + "s", value);
                    }
                    Value::Object(members)
                }
                Value::Null => json!("null"),
            },
            _ => self.any(depth),
        };
        self.slips = slips;
        value
    }

    fn any(&mut self, depth: usize) -> Value {
        let kinds = if depth > 4 { 5 } else { 7 };
        let kind = TYPES[self.random.below(kinds)];
        self.value(&json!({"type": kind}), depth + 1)
    }

    /// The schema with references followed and one branch chosen wherever there is a choice. `None` for no constraint.
    fn flat(&mut self, schema: &Value, depth: usize) -> Option<Map<String, Value>> {
        let mut flat = schema.as_object()?.clone();
        if depth > 8 {
            return Some(flat);
        }
        if let Some(Value::String(reference)) = flat.remove("$ref") {
            let root = self.root;
            if let Some(target) = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
                let target = self.flat(target, depth + 1).unwrap_or_default();
                merge(&mut flat, target);
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = flat.remove(keyword)
                && !branches.is_empty()
            {
                let branch = self.random.pick(&branches).clone();
                let branch = self.flat(&branch, depth + 1).unwrap_or_default();
                merge(&mut flat, branch);
            }
        }
        if let Some(Value::Array(branches)) = flat.remove("allOf") {
            for branch in &branches {
                let branch = self.flat(branch, depth + 1).unwrap_or_default();
                merge(&mut flat, branch);
            }
        }
        let holds = self.random.chance(50);
        let branches = [flat.remove("if").filter(|_| holds), flat.remove(if holds { "then" } else { "else" })];
        for branch in branches.iter().flatten() {
            let branch = self.flat(branch, depth + 1).unwrap_or_default();
            merge(&mut flat, branch);
        }
        Some(flat)
    }

    fn type_of(&mut self, schema: &Map<String, Value>) -> String {
        match schema.get("type") {
            Some(Value::String(name)) => return name.clone(),
            Some(Value::Array(names)) if !names.is_empty() => {
                return self.random.pick(names).as_str().unwrap_or("null").to_owned();
            }
            _ => {}
        }
        let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(*name));
        let name = if has(&["properties", "required", "additionalProperties", "patternProperties", "propertyNames"]) {
            "object"
        } else if has(&["items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems"]) {
            "array"
        } else if has(&["pattern", "format", "minLength", "maxLength"]) {
            "string"
        } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
            "number"
        } else {
            TYPES[self.random.below(TYPES.len())]
        };
        name.to_owned()
    }

    fn number(&mut self, schema: &Map<String, Value>, integer: bool) -> Value {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let mut candidates = vec![0.0, 1.0, -1.0, 7.0, 100.0];
        let low = bound("minimum").or(bound("exclusiveMinimum").map(|low| low + if integer { 1.0 } else { 0.25 }));
        let high = bound("maximum").or(bound("exclusiveMaximum").map(|high| high - if integer { 1.0 } else { 0.25 }));
        match (low, high) {
            (Some(low), Some(high)) => candidates = vec![low, high, ((low + high) / 2.0).trunc().max(low).min(high)],
            (Some(low), None) => candidates = vec![low, low + 1.0, low + 1000.0],
            (None, Some(high)) => candidates = vec![high, high - 1.0, high - 1000.0],
            (None, None) => {}
        }
        if self.slips > 0 && self.random.chance(20) {
            candidates = [low, high].into_iter().flatten().flat_map(|edge| [edge - 1.0, edge + 1.0, edge]).collect();
            candidates.push(1e14);
        }
        if let Some(divisor) = bound("multipleOf") {
            for candidate in &mut candidates {
                *candidate = (*candidate / divisor).ceil() * divisor;
            }
        }
        let number = *self.random.pick(&candidates);
        if !integer
            && self.random.chance(30)
            && bound("multipleOf").is_none()
            && low.is_none_or(|low| number - 0.125 > low)
        {
            return json!(number - 0.125);
        }
        if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
    }

    fn string(&mut self, schema: &Map<String, Value>) -> Value {
        let length = |name: &str| schema.get(name).and_then(Value::as_u64).map(|length| length as usize);
        let (least, most) = (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(usize::MAX));
        let fitting = match schema.get("format").and_then(Value::as_str) {
            Some("date") => Some("2024-02-29"),
            Some("date-time") => Some("2024-02-29T12:30:00Z"),
            Some("uuid") => Some("00000000-0000-4000-8000-000000000000"),
            Some("email") => Some("user@mail.example"),
            Some("uri" | "uri-reference" | "url") => Some("https://example.com/a?b=c#d"),
            _ => None,
        };
        let mut text = match fitting {
            Some(fitting) if self.random.chance(80) => fitting.to_owned(),
            _ => match schema.get("pattern").and_then(Value::as_str) {
                Some(pattern) if self.random.chance(80) => self.like(pattern),
                _ => (*self.random.pick(&STRINGS)).to_owned(),
            },
        };
        if self.random.chance(self.slips) {
            return Value::String(text);
        }
        while text.chars().count() < least.min(5000) {
            text.push(*self.random.pick(&['a', 'Z', '5', '_', 'ü']));
        }
        if text.chars().count() > most {
            text = text.chars().take(most).collect();
        }
        Value::String(text)
    }

    /// A string somewhat like those that the pattern matches: its literal characters, and some of each class.
    fn like(&mut self, pattern: &str) -> String {
        let mut text = String::new();
        let mut rest = pattern.chars().peekable();
        let mut last = 'a';
        while let Some(character) = rest.next() {
            last = match character {
                '^' | '$' | '(' | ')' | '?' | '*' => continue,
                '|' => break,
                '+' => last,
                '.' => 'x',
                '\\' => match rest.next() {
                    Some('d') => '7',
                    Some('w') => 'w',
                    Some('s') => ' ',
                    Some('b' | 'B') | None => continue,
                    Some(other) => other,
                },
                '[' => {
                    let class: String = rest.by_ref().take_while(|&character| character != ']').collect();
                    let range: Vec<char> = class.chars().filter(|character| !"-\\^".contains(*character)).collect();
                    if range.is_empty() { 'a' } else { *self.random.pick(&range) }
                }
                '{' => {
                    let counts: String = rest.by_ref().take_while(|&character| character != '}').collect();
                    let count = counts.split(',').next().and_then(|count| count.parse().ok()).unwrap_or(1_usize);
                    text.extend(std::iter::repeat_n(last, count.saturating_sub(1).min(200)));
                    continue;
                }
                other => other,
            };
            text.push(last);
        }
        text
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let count = |name: &str| schema.get(name).and_then(Value::as_u64).map(|count| count as usize);
        let least = count("minItems").unwrap_or(0).min(60);
        let most = count("maxItems").unwrap_or(least + 3).min(least + 3);
        let length = match self.random.below(4) {
            0 => least,
            1 => most,
            2 if self.slips > 0 => count("maxItems").map_or(most, |most| most.min(60) + 1),
            _ => least + self.random.below(most.saturating_sub(least) + 1),
        };
        let (prefix, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(prefix)), rest) => (prefix.as_slice(), rest),
            (_, Some(Value::Array(prefix))) => (prefix.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let mut items: Vec<Value> = Vec::new();
        for index in 0..length {
            let item = match prefix.get(index).or(rest).or(schema.get("contains")) {
                Some(schema) => self.value(schema, depth + 1),
                None => self.any(depth),
            };
            let repeated = schema.get("uniqueItems") == Some(&Value::Bool(true)) && items.contains(&item);
            if !repeated || self.random.chance(self.slips) {
                items.push(item);
            }
        }
        Value::Array(items)
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut members = Map::new();
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let optional = if depth > 6 { 0 } else { 40 };
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        for (name, property) in properties {
            let wanted = if required.contains(&name.as_str()) { 100 - self.slips.min(5) } else { optional };
            if self.random.chance(wanted) {
                members.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        for name in required {
            if !properties.contains_key(name) && !self.random.chance(self.slips.min(5)) {
                let value = self.any(depth);
                members.insert(name.to_owned(), value);
            }
        }
        let dependent = schema.get("dependentRequired").and_then(Value::as_object);
        for (name, names) in dependent.into_iter().flatten() {
            for wanted in names.as_array().into_iter().flatten().filter_map(Value::as_str) {
                if members.contains_key(name) && !members.contains_key(wanted) && !self.random.chance(20) {
                    let value = properties.get(wanted).cloned().unwrap_or(Value::Bool(true));
                    members.insert(wanted.to_owned(), self.value(&value, depth + 1));
                }
            }
        }
        for (pattern, property) in schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            if self.random.chance(60) {
                let name = self.like(pattern);
                members.insert(name, self.value(property, depth + 1));
            }
        }
        let open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        let extra = if open { 25 } else { self.slips.min(10) };
        while self.random.chance(extra) {
            let name = if self.random.chance(20) { "__proto__" } else { *self.random.pick(&STRINGS) };
            let value = match schema.get("additionalProperties") {
                Some(additional @ Value::Object(_)) => self.value(additional, depth + 1),
                _ => self.any(depth + 3),
            };
            members.entry(name).or_insert(value);
        }
        Value::Object(members)
    }
}

/// Adds what `other` says to `schema`, roughly: what both say, the first says.
fn merge(schema: &mut Map<String, Value>, other: Map<String, Value>) {
    for (keyword, value) in other {
        match (schema.get_mut(&keyword), value) {
            (Some(Value::Object(mine)), Value::Object(value)) if keyword == "properties" => mine.extend(value),
            (Some(Value::Array(mine)), Value::Array(value)) if keyword == "required" => mine.extend(value),
            (Some(mine), value) if keyword == "type" => {
                // A list of types beside a single one: that one.
                if mine.is_array() && value.is_string() {
                    *mine = value;
                }
            }
            (Some(_), _) => {}
            (None, value) => {
                schema.insert(keyword, value);
            }
        }
    }
}

/// Writes a value as JSON text in one of the many ways it can be spelled: members in any order, escapes, white space, exponents.
#[must_use]
pub fn spell(value: &Value, random: &mut Random<'_>) -> String {
    let mut text = String::new();
    spell_value(value, random, &mut text, true);
    text
}

/// The same with numbers as `serde_json` writes them: draft-04 takes `1.0` for no integer.
#[must_use]
pub fn spell_all_but_numbers(value: &Value, random: &mut Random<'_>) -> String {
    let mut text = String::new();
    spell_value(value, random, &mut text, false);
    text
}

fn spell_value(value: &Value, random: &mut Random<'_>, text: &mut String, numbers: bool) {
    space(random, text);
    match value {
        Value::Null | Value::Bool(_) => text.push_str(&value.to_string()),
        Value::Number(number) if numbers => spell_number(number, random, text),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(string) => spell_string(string, random, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                spell_value(item, random, text, numbers);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            if random.chance(50) {
                for index in 1..members.len() {
                    members.swap(index, random.below(index + 1));
                }
            }
            text.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                space(random, text);
                spell_string(name, random, text);
                space(random, text);
                text.push(':');
                spell_value(value, random, text, numbers);
            }
            text.push('}');
        }
    }
    space(random, text);
}

fn space(random: &mut Random<'_>, text: &mut String) {
    if random.chance(5) {
        text.push_str(random.pick::<&str>(&[" ", "\n", "\t", "\r\n  "]));
    }
}

fn spell_number(number: &Number, random: &mut Random<'_>, text: &mut String) {
    text.push_str(&number.to_string());
    if number.is_f64() {
        return;
    }
    // An integer remains one however it is spelled.
    text.push_str(match random.below(12) {
        0 => ".0",
        1 => "e0",
        2 if number.as_u64() != Some(0) => "0E-1",
        3 => ".000e+00",
        _ => "",
    });
}

fn spell_string(string: &str, random: &mut Random<'_>, text: &mut String) {
    let mut units = [0; 2];
    let escape_all = random.chance(5);
    text.push('"');
    for character in string.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            '/' if random.chance(10) => text.push_str("\\/"),
            '\n' if random.chance(50) => text.push_str("\\n"),
            _ if escape_all || character < ' ' || random.chance(1) => {
                for unit in character.encode_utf16(&mut units) {
                    let hex = format!("{unit:04x}");
                    text.push_str("\\u");
                    text.push_str(&if random.chance(50) { hex.to_uppercase() } else { hex });
                }
            }
            _ => text.push(character),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::{Generator, Random, spell};
    use serde_json::{Value, json};

    #[test]
    fn spelling_keeps_the_value() {
        let schema = json!({});
        let mut generator = Generator::new(&schema, 1);
        for seed in 0..300 {
            let value = generator.instance(0);
            let text = spell(&value, &mut Random::new(seed));
            let read: Value = serde_json::from_str(&text).expect(&text);
            assert_eq!(floats(&read), floats(&value), "{text}");
        }
    }

    /// The same with all numbers as floats.
    fn floats(value: &Value) -> Value {
        match value {
            Value::Number(number) => json!(number.as_f64()),
            Value::Array(items) => items.iter().map(floats).collect(),
            Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), floats(value))).collect(),
            other => other.clone(),
        }
    }
}
