//! The walk through a schema and an instance.

use super::keyword::{Role, role};
use super::programs::Programs;
use super::resource::{Documents, Place, Resources, Rules};
use super::tree::{Id, Member, Trees, Value, compact, token};
use super::{OutputError, Unit};
use microschema::{Dialect, Error, JsonError, Limit, Options};
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// Schemas within schemas, references counted, that are applied on the way to one. A recursive schema takes two for each level of the
/// instance; this is enough for as many as the engine lets it have, and is 1.3 MiB of stack without optimisation.
const MAX_DEPTH: u32 = 400;
/// Schemas applied in all.
const MAX_STEPS: u32 = 1_000_000;

type Result<T> = std::result::Result<T, OutputError>;

/// A value of the instance, and the JSON Pointer to it.
#[derive(Clone, Copy, Debug)]
struct At<'w> {
    node: Id,
    pointer: &'w str,
}

/// What a schema says of a value.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) valid: bool,
    pub(super) errors: Vec<Unit>,
    pub(super) annotations: Vec<Unit>,
    /// The members or items that were evaluated, by their position.
    evaluated: Vec<bool>,
}

/// A schema object that is being applied.
struct Frame<'w> {
    place: &'w Place,
    /// The keyword location of the schema.
    path: &'w str,
    rules: Rules,
    at: At<'w>,
    verdict: Verdict,
}

pub(super) struct Run<'r, 's> {
    documents: &'r Documents<'s>,
    resources: &'r mut Resources,
    programs: &'r mut Programs,
    instance: &'r Trees<'r>,
    text: &'r [u8],
    /// The resources that were entered, outermost first.
    scope: Vec<usize>,
    depth: u32,
    steps: u32,
}

impl<'r, 's> Run<'r, 's> {
    pub(super) const fn new(
        documents: &'r Documents<'s>,
        resources: &'r mut Resources,
        programs: &'r mut Programs,
        instance: &'r Trees<'r>,
        text: &'r [u8],
    ) -> Self {
        Self { documents, resources, programs, instance, text, scope: Vec::new(), depth: 0, steps: 0 }
    }

    /// Applies the whole schema to the whole instance.
    pub(super) fn whole(&mut self, schema: &Place, root: Id) -> Result<Verdict> {
        self.schema(schema, "", At { node: root, pointer: "" })
    }

    fn schema(&mut self, place: &Place, path: &str, at: At<'_>) -> Result<Verdict> {
        self.steps += 1;
        if self.depth >= MAX_DEPTH {
            return Err(Error::Limit(Limit::Depth).into());
        }
        if self.steps > MAX_STEPS {
            return Err(Error::Limit(Limit::Steps).into());
        }
        let elements = self.instance.members(at.node).len() + self.instance.items(at.node).len();
        let verdict =
            Verdict { valid: true, errors: Vec::new(), annotations: Vec::new(), evaluated: vec![false; elements] };
        let rules = self.resources.of(place).rules;
        let mut frame = Frame { place, path, rules, at, verdict };
        match &self.documents.trees.node_of(place.node).value {
            Value::Boolean(true) => {}
            Value::Boolean(false) => self.fail(&mut frame, "", "no value is allowed here".to_owned(), Vec::new()),
            Value::Object(members) => {
                self.depth += 1;
                let entered = self.scope.last() != Some(&place.resource);
                if entered {
                    self.scope.push(place.resource);
                }
                self.keywords(&mut frame, members)?;
                if entered {
                    self.scope.pop();
                }
                self.depth -= 1;
            }
            _ => return Err(OutputError::Disagreement),
        }
        let mut verdict = frame.verdict;
        if !verdict.valid {
            verdict.annotations.clear();
        }
        Ok(verdict)
    }

    fn keywords(&mut self, frame: &mut Frame<'_>, members: &[Member]) -> Result<()> {
        let trees = &self.documents.trees;
        if frame.rules.dialect < Dialect::Draft2019_09
            && let Some(reference) = trees.member(frame.place.node, "$ref")
        {
            // What stands beside it is ignored.
            return self.reference(frame, "$ref", reference);
        }
        let mut last = Vec::new();
        for member in members {
            let (name, value) = (trees.string(member.name), member.value);
            match role(name, frame.rules) {
                Role::Assertion => self.assert(frame, name, value)?,
                Role::Applicator => self.apply(frame, name, value)?,
                Role::Unevaluated => last.push((name, value)),
                Role::Reference => self.reference(frame, name, value)?,
                Role::Format => {
                    self.annotate(frame, name, trees.text(value));
                    if frame.rules.formats {
                        self.assert(frame, name, value)?;
                    }
                }
                Role::Content => self.content(frame, name, value)?,
                Role::Annotation => self.annotate(frame, name, trees.text(value)),
                Role::Silent => {}
            }
        }
        for (name, value) in last {
            self.unevaluated(frame, name, value)?;
        }
        Ok(())
    }

    /// Asks the engine.
    fn assert(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        // Keywords that modify this one.
        let beside = match (name, frame.rules.dialect) {
            ("minimum", Dialect::Draft4) => Some("exclusiveMinimum"),
            ("maximum", Dialect::Draft4) => Some("exclusiveMaximum"),
            ("contentMediaType", _) => Some("contentEncoding"),
            _ => None,
        };
        let trees = &self.documents.trees;
        let schema = || {
            let modifier = beside.and_then(|name| trees.member(frame.place.node, name).map(|value| (name, value)));
            let modifier =
                modifier.map_or(String::new(), |(name, value)| format!(r#","{name}":{}"#, trees.text(value)));
            format!(r#"{{"{name}":{}{modifier}}}"#, trees.text(value))
        };
        if let Some(error) = self.ask(frame.rules, value, &schema, self.instance.text(frame.at.node))? {
            self.fail(frame, &token(name), error, Vec::new());
        }
        Ok(())
    }

    fn ask(&mut self, rules: Rules, value: Id, schema: &dyn Fn() -> String, text: &str) -> Result<Option<String>> {
        let options = Options::new().dialect(rules.dialect).assert_formats(rules.formats);
        self.programs.ask(self.documents.trees.text(value), options, schema, text).map_err(|error| match error {
            // A name that occurs twice, in the eyes of a keyword that the whole can do without.
            OutputError::Instance(Error::Json(JsonError { kind, at })) => {
                let before = text.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
                Error::Json(JsonError { kind, at: before + at }).into()
            }
            error => error,
        })
    }

    fn content(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let trees = &self.documents.trees;
        if !matches!(self.instance.node_of(frame.at.node).value, Value::String(_))
            || (name == "contentSchema" && trees.member(frame.place.node, "contentMediaType").is_none())
        {
            return Ok(());
        }
        self.annotate(frame, name, trees.text(value));
        if frame.rules.formats && frame.rules.dialect == Dialect::Draft7 {
            self.assert(frame, name, value)?;
        }
        Ok(())
    }

    fn reference(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let (documents, reference) = (self.documents, self.documents.trees.string(value));
        let target = match name {
            "$dynamicRef" => self.resources.resolve_dynamic(documents, frame.place, reference, &self.scope),
            "$recursiveRef" => self.resources.resolve_recursive(documents, frame.place, reference, &self.scope),
            _ => self.resources.resolve(documents, frame.place, reference),
        };
        let target = target.ok_or(OutputError::Disagreement)?;
        let location = token(name);
        let verdict = self.schema(&target, &format!("{}{location}", frame.path), frame.at)?;
        self.all(frame, &location, vec![verdict], "does not match the schema referred to");
        Ok(())
    }

    fn apply(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        match name {
            "allOf" | "anyOf" | "oneOf" => self.branches(frame, name, value),
            "not" => {
                let verdict = self.in_place(frame, "/not", value)?;
                if verdict.valid {
                    self.fail(frame, "/not", "must not match the schema".to_owned(), Vec::new());
                }
                Ok(())
            }
            "if" => self.condition(frame, value),
            "dependentSchemas" | "dependencies" => self.dependent(frame, name, value),
            "properties" | "patternProperties" | "additionalProperties" | "propertyNames" => {
                self.properties(frame, name, value)
            }
            "contains" => self.contains(frame, value),
            _ => self.items(frame, name, value),
        }
    }

    fn branches(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let location = token(name);
        let mut verdicts = Vec::new();
        for (index, branch) in self.documents.trees.items(value).iter().enumerate() {
            verdicts.push(self.in_place(frame, &format!("{location}/{index}"), *branch)?);
        }
        if name == "allOf" {
            self.all(frame, &location, verdicts, "does not match all of the schemas");
            return Ok(());
        }
        let matching = verdicts.iter().filter(|verdict| verdict.valid).count();
        if matching == 1 || (matching > 1 && name == "anyOf") {
            verdicts.into_iter().filter(|verdict| verdict.valid).for_each(|verdict| frame.absorb(verdict));
        } else if matching > 1 {
            let error = format!("matches {matching} of the schemas, where only one may match");
            self.fail(frame, &location, error, Vec::new());
        } else {
            let errors = verdicts.into_iter().flat_map(|verdict| verdict.errors).collect();
            self.fail(frame, &location, "does not match any of the schemas".to_owned(), errors);
        }
        Ok(())
    }

    fn condition(&mut self, frame: &mut Frame<'_>, value: Id) -> Result<()> {
        let condition = self.in_place(frame, "/if", value)?;
        let (name, error) = match condition.valid {
            true => ("then", "must match, as the value matches the schema of `if`"),
            false => ("else", "must match, as the value does not match the schema of `if`"),
        };
        if condition.valid {
            frame.absorb(condition);
        }
        if let Some(value) = self.documents.trees.member(frame.place.node, name) {
            let location = token(name);
            let verdict = self.in_place(frame, &location, value)?;
            self.all(frame, &location, vec![verdict], error);
        }
        Ok(())
    }

    fn dependent(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let trees = &self.documents.trees;
        for dependency in trees.members(value) {
            let property = trees.string(dependency.name);
            if self.instance.member(frame.at.node, property).is_none() {
                continue;
            }
            let location = format!("{}{}", token(name), token(property));
            if matches!(trees.node_of(dependency.value).value, Value::Array(_)) {
                let (name, names) = (trees.text(dependency.name), trees.text(dependency.value));
                let schema = || format!(r#"{{"dependencies":{{{name}:{names}}}}}"#);
                if let Some(error) =
                    self.ask(frame.rules, dependency.value, &schema, self.instance.text(frame.at.node))?
                {
                    self.fail(frame, &location, error, Vec::new());
                }
            } else {
                let verdict = self.in_place(frame, &location, dependency.value)?;
                self.all(frame, &location, vec![verdict], "must match, as the property is there");
            }
        }
        Ok(())
    }

    fn properties(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let (trees, instance) = (&self.documents.trees, self.instance);
        let Value::Object(members) = &instance.node_of(frame.at.node).value else { return Ok(()) };
        let location = token(name);
        let mut names = BTreeSet::new();
        let mut verdicts = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let property = instance.string(member.name);
            let mut matching = Vec::new();
            match name {
                "properties" => matching.extend(
                    trees.member(value, property).map(|schema| (format!("{location}{}", token(property)), schema)),
                ),
                "patternProperties" => {
                    for pattern in trees.members(value) {
                        if self.matches(frame.rules, pattern.name, member.name)? {
                            let location = format!("{location}{}", token(trees.string(pattern.name)));
                            matching.push((location, pattern.value));
                        }
                    }
                }
                "additionalProperties" if self.is_declared(frame, member.name)? => {}
                _ => matching.push((location.clone(), value)),
            }
            if name == "propertyNames" {
                // A name has no location of its own.
                let at = At { node: member.name, ..frame.at };
                verdicts.push(self.part(frame, &location, value, at)?);
            } else if !matching.is_empty() {
                frame.verdict.evaluated[index] = true;
                names.insert(index);
                let pointer = format!("{}{}", frame.at.pointer, token(property));
                for (location, schema) in matching {
                    verdicts.push(self.part(frame, &location, schema, At { node: member.value, pointer: &pointer })?);
                }
            }
        }
        if name != "propertyNames" {
            let names: Vec<&str> = names.iter().map(|index| instance.text(members[*index].name)).collect();
            self.annotate(frame, name, &format!("[{}]", names.join(",")));
        }
        self.all(frame, &location, verdicts, "not all properties match");
        Ok(())
    }

    /// Whether a pattern matches a name.
    fn matches(&mut self, rules: Rules, pattern: Id, name: Id) -> Result<bool> {
        let trees = &self.documents.trees;
        let schema = || format!(r#"{{"pattern":{}}}"#, trees.text(pattern));
        Ok(self.ask(rules, pattern, &schema, self.instance.text(name))?.is_none())
    }

    /// Whether `properties` or `patternProperties` have a schema for this member.
    fn is_declared(&mut self, frame: &Frame<'_>, name: Id) -> Result<bool> {
        let trees = &self.documents.trees;
        if let Some(properties) = trees.member(frame.place.node, "properties")
            && trees.member(properties, self.instance.string(name)).is_some()
        {
            return Ok(true);
        }
        if let Some(patterns) = trees.member(frame.place.node, "patternProperties") {
            for pattern in trees.members(patterns) {
                if self.matches(frame.rules, pattern.name, name)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// `items`, `prefixItems`, `additionalItems`
    fn items(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let (trees, instance) = (&self.documents.trees, self.instance);
        let Value::Array(items) = &instance.node_of(frame.at.node).value else { return Ok(()) };
        let location = token(name);
        // The schemas by position, or how many positions are spoken for.
        let (tuple, first) = match (name, &trees.node_of(value).value) {
            (_, Value::Array(schemas)) => (Some(schemas), 0),
            ("items", _) if frame.rules.dialect < Dialect::Draft2020_12 => (None, 0),
            ("items", _) => (None, trees.member(frame.place.node, "prefixItems").map_or(0, |by| trees.items(by).len())),
            _ => match trees.member(frame.place.node, "items").map(|by| &trees.node_of(by).value) {
                Some(Value::Array(schemas)) => (None, schemas.len()),
                // Without a tuple there is nothing additional.
                _ => return Ok(()),
            },
        };
        let mut verdicts = Vec::new();
        for (index, item) in items.iter().enumerate().skip(first) {
            let (location, schema) = match tuple {
                Some(schemas) => match schemas.get(index) {
                    Some(schema) => (format!("{location}/{index}"), *schema),
                    None => break,
                },
                None => (location.clone(), value),
            };
            frame.verdict.evaluated[index] = true;
            let pointer = format!("{}/{index}", frame.at.pointer);
            verdicts.push(self.part(frame, &location, schema, At { node: *item, pointer: &pointer })?);
        }
        match verdicts.len().checked_sub(1) {
            Some(last) if tuple.is_some() && last + 1 < items.len() => self.annotate(frame, name, &last.to_string()),
            Some(_) => self.annotate(frame, name, "true"),
            None => {}
        }
        self.all(frame, &location, verdicts, "not all items match");
        Ok(())
    }

    fn contains(&mut self, frame: &mut Frame<'_>, value: Id) -> Result<()> {
        let (trees, instance) = (&self.documents.trees, self.instance);
        let Value::Array(items) = &instance.node_of(frame.at.node).value else { return Ok(()) };
        let (mut matching, mut errors) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{}/{index}", frame.at.pointer);
            let verdict = self.part(frame, "/contains", value, At { node: *item, pointer: &pointer })?;
            if verdict.valid {
                // Before 2020-12 it does not count as evaluated.
                frame.verdict.evaluated[index] |= frame.rules.dialect >= Dialect::Draft2020_12;
                frame.absorb(verdict);
                matching.push(index.to_string());
            } else {
                errors.extend(verdict.errors);
            }
        }
        if frame.rules.dialect >= Dialect::Draft2020_12 {
            let all = !items.is_empty() && matching.len() == items.len();
            let annotation = if all { "true".to_owned() } else { format!("[{}]", matching.join(",")) };
            self.annotate(frame, "contains", &annotation);
        }
        let count = matching.len().to_string();
        let bound = |name| {
            let is_known = frame.rules.validation && frame.rules.dialect >= Dialect::Draft2019_09;
            trees.member(frame.place.node, name).filter(|_| is_known)
        };
        let (least, most) = (bound("minContains"), bound("maxContains"));
        let too_few = match least {
            Some(least) => {
                let schema = || format!(r#"{{"minimum":{}}}"#, trees.text(least));
                self.ask(frame.rules, least, &schema, &count)?.is_some()
            }
            None => matching.is_empty(),
        };
        if too_few {
            let location = if least.is_some() { "/minContains" } else { "/contains" };
            let least = least.map_or("1", |least| trees.text(least));
            let error = format!("must contain at least {least} items that match, but has {count}");
            self.fail(frame, location, error, errors);
        }
        if let Some(most) = most {
            let schema = || format!(r#"{{"maximum":{}}}"#, trees.text(most));
            if self.ask(frame.rules, most, &schema, &count)?.is_some() {
                let error = format!("must contain at most {} items that match, but has {count}", trees.text(most));
                self.fail(frame, "/maxContains", error, Vec::new());
            }
        }
        Ok(())
    }

    /// `unevaluatedProperties`, `unevaluatedItems`
    fn unevaluated(&mut self, frame: &mut Frame<'_>, name: &str, value: Id) -> Result<()> {
        let instance = self.instance;
        let elements: Vec<(String, String, Id)> = match (&instance.node_of(frame.at.node).value, name) {
            (Value::Object(members), "unevaluatedProperties") => {
                let element = |member: &Member| {
                    (instance.text(member.name).to_owned(), token(instance.string(member.name)), member.value)
                };
                members.iter().map(element).collect()
            }
            (Value::Array(items), "unevaluatedItems") => {
                items.iter().enumerate().map(|(index, item)| (String::new(), format!("/{index}"), *item)).collect()
            }
            _ => return Ok(()),
        };
        let location = token(name);
        let (mut names, mut verdicts) = (Vec::new(), Vec::new());
        for (index, (name, step, node)) in elements.iter().enumerate() {
            if !std::mem::replace(&mut frame.verdict.evaluated[index], true) {
                names.push(name.as_str());
                let pointer = format!("{}{step}", frame.at.pointer);
                verdicts.push(self.part(frame, &location, value, At { node: *node, pointer: &pointer })?);
            }
        }
        if name == "unevaluatedProperties" {
            self.annotate(frame, name, &format!("[{}]", names.join(",")));
        } else if !verdicts.is_empty() {
            self.annotate(frame, name, "true");
        }
        self.all(frame, &location, verdicts, "something is left over that does not match");
        Ok(())
    }

    /// Applies a subschema to the same value.
    fn in_place(&mut self, frame: &Frame<'_>, location: &str, schema: Id) -> Result<Verdict> {
        let place = self.resources.place(self.documents, frame.place, location, schema);
        self.schema(&place, &format!("{}{location}", frame.path), frame.at)
    }

    /// Applies a subschema to a part of the value.
    fn part(&mut self, frame: &Frame<'_>, location: &str, schema: Id, at: At<'_>) -> Result<Verdict> {
        let place = self.resources.place(self.documents, frame.place, location, schema);
        let mut verdict = self.schema(&place, &format!("{}{location}", frame.path), at)?;
        verdict.evaluated.clear();
        Ok(verdict)
    }

    /// Takes in verdicts that must all be good.
    fn all(&self, frame: &mut Frame<'_>, location: &str, verdicts: Vec<Verdict>, error: &str) {
        let mut errors = Vec::new();
        let mut valid = true;
        for mut verdict in verdicts {
            valid &= verdict.valid;
            errors.append(&mut verdict.errors);
            frame.absorb(verdict);
        }
        if !valid {
            self.fail(frame, location, error.to_owned(), errors);
        }
    }

    /// Notes an error, and then what it comes from.
    fn fail(&self, frame: &mut Frame<'_>, location: &str, error: String, because: Vec<Unit>) {
        frame.verdict.valid = false;
        let unit = Unit { error: Some(error), valid: false, ..self.unit(frame, location) };
        frame.verdict.errors.push(unit);
        frame.verdict.errors.extend(because);
    }

    fn annotate(&self, frame: &mut Frame<'_>, keyword: &str, annotation: &str) {
        let annotation = RawValue::from_string(compact(annotation)).ok();
        let unit = Unit { annotation, ..self.unit(frame, &token(keyword)) };
        frame.verdict.annotations.push(unit);
    }

    fn unit(&self, frame: &Frame<'_>, location: &str) -> Unit {
        Unit {
            valid: true,
            keyword_location: format!("{}{location}", frame.path),
            absolute_keyword_location: self.resources.absolute(frame.place, location),
            instance_location: frame.at.pointer.to_owned(),
            error: None,
            annotation: None,
        }
    }
}

impl Frame<'_> {
    /// Takes over the annotations of another schema, and what it evaluated of the same value.
    fn absorb(&mut self, verdict: Verdict) {
        self.verdict.annotations.extend(verdict.annotations);
        self.verdict.evaluated.iter_mut().zip(verdict.evaluated).for_each(|(mine, other)| *mine |= other);
    }
}
