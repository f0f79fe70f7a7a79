//! The keywords, and the dialects that have them.

use super::Dialect;
use super::dialect::vocabulary;

macro_rules! keywords {
    ($($name:literal $keyword:ident $first:ident ..= $last:ident),* $(,)?) => {
        /// A keyword of some dialect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Keyword { $($keyword),* }

        impl Keyword {
            /// The keyword of this name, where the dialect has it.
            pub(super) fn of(name: &[u8], dialect: Dialect) -> Option<Self> {
                let (keyword, first, last) = match name {
                    $(name if name == $name.as_bytes() => (Self::$keyword, Dialect::$first, Dialect::$last),)*
                    _ => return None,
                };
                (first <= dialect && dialect <= last).then_some(keyword)
            }
        }
    };
}

keywords! {
    "type" Type Draft4..=Draft2020_12,
    "description" Description Draft4..=Draft2020_12,
    "properties" Properties Draft4..=Draft2020_12,
    "required" Required Draft4..=Draft2020_12,
    "additionalProperties" AdditionalProperties Draft4..=Draft2020_12,
    "default" Default Draft4..=Draft2020_12,
    "items" Items Draft4..=Draft2020_12,
    "enum" Enum Draft4..=Draft2020_12,
    "anyOf" AnyOf Draft4..=Draft2020_12,
    "title" Title Draft4..=Draft2020_12,
    "format" Format Draft4..=Draft2020_12,
    "minimum" Minimum Draft4..=Draft2020_12,
    "maximum" Maximum Draft4..=Draft2020_12,
    "$schema" Schema Draft4..=Draft2020_12,
    "$ref" Ref Draft4..=Draft2020_12,
    "$defs" Defs Draft2019_09..=Draft2020_12,
    "definitions" Definitions Draft4..=Draft2020_12,
    "contentEncoding" ContentEncoding Draft7..=Draft2020_12,
    "contentMediaType" ContentMediaType Draft7..=Draft2020_12,
    "pattern" Pattern Draft4..=Draft2020_12,
    "const" Const Draft6..=Draft2020_12,
    "minLength" MinLength Draft4..=Draft2020_12,
    "maxLength" MaxLength Draft4..=Draft2020_12,
    "minItems" MinItems Draft4..=Draft2020_12,
    "maxItems" MaxItems Draft4..=Draft2020_12,
    "exclusiveMinimum" ExclusiveMinimum Draft4..=Draft2020_12,
    "exclusiveMaximum" ExclusiveMaximum Draft4..=Draft2020_12,
    "oneOf" OneOf Draft4..=Draft2020_12,
    "allOf" AllOf Draft4..=Draft2020_12,
    "not" Not Draft4..=Draft2020_12,
    "if" If Draft7..=Draft2020_12,
    "then" Then Draft7..=Draft2020_12,
    "else" Else Draft7..=Draft2020_12,
    "propertyNames" PropertyNames Draft6..=Draft2020_12,
    "patternProperties" PatternProperties Draft4..=Draft2020_12,
    "minProperties" MinProperties Draft4..=Draft2020_12,
    "maxProperties" MaxProperties Draft4..=Draft2020_12,
    "dependentRequired" DependentRequired Draft2019_09..=Draft2020_12,
    "dependentSchemas" DependentSchemas Draft2019_09..=Draft2020_12,
    "dependencies" Dependencies Draft4..=Draft2020_12,
    "prefixItems" PrefixItems Draft2020_12..=Draft2020_12,
    "additionalItems" AdditionalItems Draft4..=Draft2019_09,
    "contains" Contains Draft6..=Draft2020_12,
    "minContains" MinContains Draft2019_09..=Draft2020_12,
    "maxContains" MaxContains Draft2019_09..=Draft2020_12,
    "uniqueItems" UniqueItems Draft4..=Draft2020_12,
    "multipleOf" MultipleOf Draft4..=Draft2020_12,
    "unevaluatedItems" UnevaluatedItems Draft2019_09..=Draft2020_12,
    "unevaluatedProperties" UnevaluatedProperties Draft2019_09..=Draft2020_12,
    "$id" Id Draft6..=Draft2020_12,
    "id" OldId Draft4..=Draft4,
    "$anchor" Anchor Draft2019_09..=Draft2020_12,
    "$dynamicRef" DynamicRef Draft2020_12..=Draft2020_12,
    "$dynamicAnchor" DynamicAnchor Draft2020_12..=Draft2020_12,
    "$recursiveRef" RecursiveRef Draft2019_09..=Draft2020_12,
    "$recursiveAnchor" RecursiveAnchor Draft2019_09..=Draft2020_12,
    "$vocabulary" Vocabulary Draft2019_09..=Draft2020_12,
    "$comment" Comment Draft7..=Draft2020_12,
    "readOnly" ReadOnly Draft7..=Draft2020_12,
    "writeOnly" WriteOnly Draft7..=Draft2020_12,
    "deprecated" Deprecated Draft2019_09..=Draft2020_12,
    "examples" Examples Draft6..=Draft2020_12,
    "contentSchema" ContentSchema Draft2019_09..=Draft2020_12,
}

/// Where the schemas are in a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It is one.
    Schema,
    /// It is an array of schemas, or one.
    Schemas,
    /// An object whose values are schemas.
    Map,
    /// There are none.
    Other,
}

impl Keyword {
    /// Whether a dynamic reference means anything: the meta-schema of 2020-12 still knows the one of 2019-09.
    pub(super) fn is_followed(self, dialect: Dialect) -> bool {
        self != Self::RecursiveRef || dialect == Dialect::Draft2019_09
    }

    pub(super) const fn shape(self) -> Shape {
        match self {
            Self::AdditionalProperties
            | Self::AdditionalItems
            | Self::Not
            | Self::If
            | Self::Then
            | Self::Else
            | Self::PropertyNames
            | Self::Contains
            | Self::UnevaluatedItems
            | Self::UnevaluatedProperties => Shape::Schema,
            Self::Items | Self::PrefixItems | Self::AllOf | Self::AnyOf | Self::OneOf => Shape::Schemas,
            Self::Properties
            | Self::PatternProperties
            | Self::Defs
            | Self::Definitions
            | Self::DependentSchemas
            | Self::Dependencies => Shape::Map,
            _ => Shape::Other,
        }
    }

    /// Whether the dialect's vocabularies have it.
    pub(super) const fn is_in(self, vocabularies: u8) -> bool {
        let vocabulary = match self {
            Self::UnevaluatedItems | Self::UnevaluatedProperties => vocabulary::UNEVALUATED,
            Self::Type
            | Self::Enum
            | Self::Const
            | Self::Required
            | Self::DependentRequired
            | Self::Minimum
            | Self::Maximum
            | Self::ExclusiveMinimum
            | Self::ExclusiveMaximum
            | Self::MultipleOf
            | Self::MinLength
            | Self::MaxLength
            | Self::Pattern
            | Self::MinItems
            | Self::MaxItems
            | Self::UniqueItems
            | Self::MinContains
            | Self::MaxContains
            | Self::MinProperties
            | Self::MaxProperties => vocabulary::VALIDATION,
            _ if matches!(self.shape(), Shape::Schema | Shape::Schemas) => vocabulary::APPLICATOR,
            Self::Properties | Self::PatternProperties | Self::DependentSchemas => vocabulary::APPLICATOR,
            _ => return true,
        };
        vocabularies & vocabulary != 0
    }
}
