//! The keywords: which dialects have them, what is done with them, and where the schemas in their values are.

use super::resource::Rules;
use microschema::Dialect;

/// What an evaluation does with a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Asks the engine.
    Assertion,
    /// Applies schemas.
    Applicator,
    /// Applies schemas to what others have left over.
    Unevaluated,
    /// Applies the schema that it refers to.
    Reference,
    /// Gives its value as an annotation, and is an assertion where formats are.
    Format,
    /// Gives its value as an annotation of strings, and is an assertion of draft-07 where formats are.
    Content,
    /// Gives its value as an annotation. What no dialect knows does, too.
    Annotation,
    /// Is looked at by others, or says what the schema is called.
    Silent,
}

/// Where the schemas in a keyword's value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It is one, or an array of them.
    Schemas,
    /// An object whose values are schemas.
    Map,
    None,
}

/// What the keyword does under these rules.
pub(super) fn role(name: &str, rules: Rules) -> Role {
    use Dialect::{Draft4, Draft6, Draft7, Draft2019_09 as Draft2019, Draft2020_12 as Draft2020};
    let (role, enabled, first, last) = match name {
        "type" | "enum" | "required" | "minimum" | "maximum" | "multipleOf" | "minLength" | "maxLength" | "pattern"
        | "minItems" | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties" => {
            (Role::Assertion, rules.validation, Draft4, Draft2020)
        }
        // In draft-04 it goes with the bound it modifies.
        "exclusiveMinimum" | "exclusiveMaximum" if rules.dialect == Draft4 => {
            (Role::Silent, rules.validation, Draft4, Draft4)
        }
        "const" | "exclusiveMinimum" | "exclusiveMaximum" => (Role::Assertion, rules.validation, Draft6, Draft2020),
        "dependentRequired" => (Role::Assertion, rules.validation, Draft2019, Draft2020),
        "minContains" | "maxContains" => (Role::Silent, rules.validation, Draft2019, Draft2020),

        "allOf" | "anyOf" | "oneOf" | "not" | "properties" | "patternProperties" | "additionalProperties" | "items" => {
            (Role::Applicator, rules.applicator, Draft4, Draft2020)
        }
        "propertyNames" | "contains" => (Role::Applicator, rules.applicator, Draft6, Draft2020),
        "if" => (Role::Applicator, rules.applicator, Draft7, Draft2020),
        "then" | "else" => (Role::Silent, rules.applicator, Draft7, Draft2020),
        "dependentSchemas" => (Role::Applicator, rules.applicator, Draft2019, Draft2020),
        "dependencies" => (Role::Applicator, true, Draft4, Draft2020),
        "additionalItems" => (Role::Applicator, rules.applicator, Draft4, Draft2019),
        "prefixItems" => (Role::Applicator, rules.applicator, Draft2020, Draft2020),
        "unevaluatedItems" | "unevaluatedProperties" => (Role::Unevaluated, rules.unevaluated, Draft2019, Draft2020),

        "$ref" => (Role::Reference, true, Draft4, Draft2020),
        "$recursiveRef" => (Role::Reference, true, Draft2019, Draft2019),
        "$dynamicRef" => (Role::Reference, true, Draft2020, Draft2020),

        "format" => (Role::Format, true, Draft4, Draft2020),
        "contentEncoding" | "contentMediaType" => (Role::Content, true, Draft7, Draft2020),
        "contentSchema" => (Role::Content, true, Draft2019, Draft2020),

        "id" => (Role::Silent, true, Draft4, Draft4),
        "$id" => (Role::Silent, true, Draft6, Draft2020),
        "$comment" => (Role::Silent, true, Draft7, Draft2020),
        "$schema" | "definitions" => (Role::Silent, true, Draft4, Draft2020),
        "$anchor" | "$defs" | "$vocabulary" => (Role::Silent, true, Draft2019, Draft2020),
        "$recursiveAnchor" => (Role::Silent, true, Draft2019, Draft2019),
        "$dynamicAnchor" => (Role::Silent, true, Draft2020, Draft2020),
        _ => (Role::Annotation, true, Draft4, Draft2020),
    };
    if enabled && first <= rules.dialect && rules.dialect <= last { role } else { Role::Annotation }
}

/// Where a dialect has schemas, whatever its vocabularies leave out.
pub(super) fn shape(name: &str, dialect: Dialect) -> Shape {
    let all = Rules { dialect, ..Rules::ALL };
    match (name, role(name, all)) {
        ("properties" | "patternProperties" | "dependentSchemas" | "dependencies", Role::Applicator)
        | ("$defs" | "definitions", Role::Silent) => Shape::Map,
        (_, Role::Applicator | Role::Unevaluated) | ("then" | "else", Role::Silent) => Shape::Schemas,
        _ => Shape::None,
    }
}
