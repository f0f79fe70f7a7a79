//! The text of the Rust file.

use super::Error;
use crate::mcp::{Definition, Raw};
use crate::{Needs, Program, Text};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use std::path::Path;

/// Bytes of an image on a line.
const ROW: usize = 24;

/// A Rust file in the making.
#[derive(Default)]
pub(super) struct Source {
    text: String,
    names: BTreeSet<String>,
}

/// The table of tools that a [`Source`] is about to hold.
pub(super) struct Table<'s> {
    source: &'s mut Source,
    name: String,
    tools: Vec<String>,
    /// The expressions of its items.
    items: String,
}

impl Source {
    pub(super) fn finish(self) -> String {
        format!("// Written by microschema {}. Do not edit.\n{}", env!("CARGO_PKG_VERSION"), self.text)
    }

    pub(super) fn program(&mut self, name: &str, about: &str, program: &Program<'_>) -> Result<(), Error> {
        self.claim(name)?;
        self.text += &format!(
            "\n#[doc = {about:?}]\n#[rustfmt::skip]\npub static {name}: ::microschema::Program<'static> = {};\n",
            expression(program)
        );
        Ok(())
    }

    pub(super) fn table(&mut self, name: &str) -> Result<Table<'_>, Error> {
        self.claim(name)?;
        Ok(Table { source: self, name: name.to_string(), tools: Vec::new(), items: String::new() })
    }

    /// Takes a name for an item.
    fn claim(&mut self, name: &str) -> Result<(), Error> {
        let mut characters = name.chars();
        let starts = characters.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic());
        if !starts || name == "_" || !characters.all(|character| character == '_' || character.is_ascii_alphanumeric())
        {
            return Err(Error::Name { name: name.to_string() });
        }
        if self.names.insert(name.to_string()) { Ok(()) } else { Err(Error::DuplicateName { name: name.to_string() }) }
    }
}

impl Table<'_> {
    pub(super) fn tool(
        &mut self,
        file: &Path,
        definition: &Definition<'_>,
        input: &Program<'_>,
        output: Option<&Program<'_>>,
    ) -> Result<(), Error> {
        let name = decoded(definition.name());
        if self.tools.contains(&name) {
            return Err(Error::DuplicateTool { file: file.to_path_buf() });
        }
        let constant = constant_name(&name);
        self.source.claim(&constant)?;
        self.source.text += &format!(
            "\n/// Index of the tool {name:?} in [`{}`].\npub const {constant}: usize = {};\n",
            self.name,
            self.tools.len()
        );
        let text = compact(definition.raw());
        let fault = |error| Error::Definition { file: file.to_path_buf(), error };
        let compacted = Definition::read(text.as_bytes()).map_err(fault)?;
        let part = |schema: Raw<'_>, program| format!("({:?}, {})", span(&text, schema.as_str()), expression(program));
        let input = part(compacted.input_schema(), input);
        let output = match (compacted.output_schema(), output) {
            (Some(schema), Some(program)) => format!("Some({})", part(schema, program)),
            _ => "None".to_string(),
        };
        self.items +=
            &format!("    ::microschema::mcp::Tool::from_build({text:?}, {name:?},\n    {input},\n    {output}),\n");
        self.tools.push(name);
        Ok(())
    }

    pub(super) fn finish(self) {
        self.source.text += &format!(
            "\n/// The tools of the server.\n#[rustfmt::skip]\npub static {}: ::microschema::mcp::Tools<'static> = ::microschema::mcp::Tools::from_build(const {{ &[\n{}] }});\n",
            self.name, self.items
        );
    }
}

/// A constant expression for the program, which does not compile where the program cannot be run.
fn expression(program: &Program<'_>) -> String {
    let Needs { regex, formats, idn } = program.needs();
    let mut image = String::new();
    for row in program.as_bytes().chunks(ROW) {
        for byte in row {
            image += &format!("{byte},");
        }
        image += "\n";
    }
    let wanted: Vec<&str> = [(regex, "regex"), (formats, "formats"), (idn, "idn")]
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect();
    format!(
        "match ::microschema::Program::from_build(
&[
{image}],
::microschema::Needs {{ regex: {regex}, formats: {formats}, idn: {idn} }}) {{
    Ok(program) => program,
    Err(::microschema::ProgramError::Unsupported {{ .. }}) => panic!(\"turn on the features of microschema that this program needs: {}\"),
    Err(_) => panic!(\"written by another version of microschema: build it again\"),
}}",
        wanted.join(", ")
    )
}

/// `SET_LED` for `set-led`.
fn constant_name(tool: &str) -> String {
    let name = tool.chars().map(|character| match character {
        character if character.is_ascii_alphanumeric() => character.to_ascii_uppercase(),
        _ => '_',
    });
    let starts = tool.starts_with(|first: char| first.is_ascii_alphabetic());
    (if starts { None } else { Some('_') }).into_iter().chain(name).collect()
}

fn decoded(text: Text<'_>) -> String {
    text.chars().filter_map(char::from_u32).collect()
}

/// The value without the space between its parts.
fn compact(value: Raw<'_>) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let keep = |&character: &char| {
        let is_quote = character == '"' && !is_escaped;
        is_escaped = in_string && character == '\\' && !is_escaped;
        in_string ^= is_quote;
        in_string || !matches!(character, ' ' | '\t' | '\n' | '\r')
    };
    value.as_str().chars().filter(keep).collect()
}

/// Where a part of the text stands.
fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}
