//! Arguments that several commands share.

use clap::{Args, ValueEnum};
use microschema::Dialect;

/// How schemas are compiled.
#[derive(Clone, Copy, Debug, Args)]
pub struct Reading {
    /// Whether `format` is checked, or only an annotation as the specification has it.
    #[arg(long, value_enum, default_value_t = Formats::Assert)]
    pub formats: Formats,
    /// The dialect of schemas without `$schema`.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = DialectName::Draft2020_12)]
    pub dialect: DialectName,
}

impl Reading {
    /// The same for the compiler.
    pub const fn options(self) -> microschema::Options<'static> {
        microschema::Options::new()
            .dialect(self.dialect.dialect())
            .assert_formats(matches!(self.formats, Formats::Assert))
    }

    /// The same for the evaluator.
    pub const fn evaluator(self) -> microschema_mcp::output::Reading<'static> {
        microschema_mcp::output::Reading {
            dialect: self.dialect.dialect(),
            assert_formats: matches!(self.formats, Formats::Assert),
            documents: &[],
        }
    }
}

/// What `format` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Formats {
    Assert,
    Annotate,
}

/// The dialects, by the names people give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    #[value(name = "2020-12", alias = "draft2020-12")]
    Draft2020_12,
    #[value(name = "2019-09", alias = "draft2019-09")]
    Draft2019_09,
    #[value(name = "draft-07", aliases = ["draft7", "draft07", "7"])]
    Draft7,
    #[value(name = "draft-06", aliases = ["draft6", "draft06", "6"])]
    Draft6,
    #[value(name = "draft-04", aliases = ["draft4", "draft04", "4"])]
    Draft4,
}

impl DialectName {
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Draft2020_12 => Dialect::Draft2020_12,
            Self::Draft2019_09 => Dialect::Draft2019_09,
            Self::Draft7 => Dialect::Draft7,
            Self::Draft6 => Dialect::Draft6,
            Self::Draft4 => Dialect::Draft4,
        }
    }
}

/// The name of a dialect, as `--dialect` takes it.
pub const fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft2019_09 => "2019-09",
        Dialect::Draft7 => "draft-07",
        Dialect::Draft6 => "draft-06",
        Dialect::Draft4 => "draft-04",
        _ => "2020-12",
    }
}
