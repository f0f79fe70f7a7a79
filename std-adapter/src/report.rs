//! The engine's issues into words, within bounds.

use crate::document::Document;
use crate::failure::{Issue, Segment};
use crate::terms::Terms;
use crate::value::{Trail, Tree};
use microschema::{Description, Instance, IssueSink, Program, Segment as Step};
use std::fmt::{self, Write};

/// Takes as many issues as the terms allow, and counts the others. Allocates only when there is one.
#[derive(Debug)]
pub(crate) struct Found {
    list: Vec<microschema::Issue>,
    most: usize,
    pub(crate) omitted: u32,
}

impl Found {
    pub(crate) const fn new(terms: &Terms) -> Self {
        Self { list: Vec::new(), most: terms.issues, omitted: 0 }
    }

    /// The issues that `program` found in `document`, in words.
    pub(crate) fn describe(&self, program: &Program<'_>, document: Document<'_>, terms: &Terms) -> Vec<Issue> {
        self.list
            .iter()
            .map(|issue| match document {
                Document::Absent => in_words(issue.describe(program, b"null"), terms),
                Document::Bytes(bytes) => in_words(issue.describe(program, bytes), terms),
                Document::Value(value) => in_tree(issue, program, Tree::of(value), terms),
                Document::Object(object) => in_tree(issue, program, Tree::of_object(object), terms),
            })
            .collect()
    }
}

impl IssueSink for Found {
    fn push(&mut self, issue: microschema::Issue) {
        if self.list.len() < self.most {
            self.list.push(issue);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }
}

/// The issue of arguments that are no object, where the schema itself does not say so (MCP's `inputSchema` has `type: "object"`).
pub(crate) fn not_an_object(document: Document<'_>) -> Issue {
    let hint = if document.is_string() { ": send the object itself, not a string of JSON" } else { "" };
    Issue { path: Vec::new(), pointer: String::new(), keyword: "type", message: format!("must be an object{hint}") }
}

fn in_tree(issue: &microschema::Issue, program: &Program<'_>, tree: Tree<'_>, terms: &Terms) -> Issue {
    let mut ids = Vec::new();
    in_words(issue.describe_in(program, Trail::to(tree, issue.at(), &mut ids)), terms)
}

fn in_words<'i, I: Instance<'i>>(description: Description<'_, 'i, I>, terms: &Terms) -> Issue {
    let description = description.show_value(terms.shown);
    let (mut path, mut pointer) = (Vec::new(), Cut::new(terms.characters));
    description.each_segment(&mut |step| {
        if pointer.is_full() {
            return;
        }
        // What does not fit is cut, which `pointer` remembers.
        let _ = pointer.write_char('/');
        path.push(match step {
            Step::Index(index) => {
                let _ = write!(pointer, "{index}");
                Segment::Index(index)
            }
            Step::Name(name) => {
                let mut text = String::new();
                for code in name.chars() {
                    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    let written = match c {
                        '~' => pointer.write_str("~0"),
                        '/' => pointer.write_str("~1"),
                        c => pointer.write_char(c),
                    };
                    if written.is_err() {
                        text.push('…');
                        break;
                    }
                    text.push(c);
                }
                Segment::Name(text)
            }
        });
    });
    let mut message = Cut::new(terms.characters);
    let _ = write!(message, "{}", description.message());
    Issue { path, pointer: pointer.text, keyword: description.keyword(), message: message.text }
}

/// Text of a bounded length. What does not fit is an error, so that the writer ends, and leaves a `…`.
struct Cut {
    text: String,
    left: usize,
    is_cut: bool,
}

impl Cut {
    const fn new(characters: usize) -> Self {
        Self { text: String::new(), left: characters, is_cut: false }
    }

    const fn is_full(&self) -> bool {
        self.is_cut
    }
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        if self.is_cut {
            return Err(fmt::Error);
        }
        let Some(left) = self.left.checked_sub(1) else {
            self.is_cut = true;
            self.text.push('…');
            return Err(fmt::Error);
        };
        self.left = left;
        self.text.push(c);
        Ok(())
    }
}
