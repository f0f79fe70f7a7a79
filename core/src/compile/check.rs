//! What the meta-schemas ask of keywords that no instruction comes of, and of schemas that nothing refers to.

use super::error::SchemaErrorKind;
use super::keyword::Keyword;
use super::read::behind;
use super::{Compiler, Dialect, Draft};
use crate::instance::Kind;
use crate::text::Text;

impl Compiler<'_, '_> {
    /// Reads the value of a keyword for identifiers, annotations or definitions; the place behind it.
    #[inline(never)]
    pub(super) fn annotation(&mut self, keyword: Keyword, at: usize) -> usize {
        match keyword {
            Keyword::Default => self.skip(at),
            Keyword::ContentSchema => self.check_only(at),
            Keyword::ReadOnly | Keyword::WriteOnly | Keyword::Deprecated => self.boolean(at, &mut false),
            Keyword::RecursiveAnchor if self.dialect == Dialect::Draft2019_09 => self.boolean(at, &mut false),
            Keyword::Examples => self.expect(at, Kind::Array, SchemaErrorKind::ExpectedArray),
            Keyword::Vocabulary => {
                let mut after = self.begin_object(at);
                while let Some((_, value)) = self.next_member(self.doc, at, &mut after) {
                    after = self.boolean(value, &mut false);
                }
                after
            }
            _ => {
                let text = self.string(at);
                let fits = match keyword {
                    // "^[^#]*#?$"
                    Keyword::Id if self.dialect >= Dialect::Draft2019_09 => {
                        let mut behind = text.chars().skip_while(|&code| code != u32::from(b'#'));
                        behind.next();
                        behind.next().is_none()
                    }
                    // The last of them is a mistake of the meta-schema of 2020-12: no other has strings there.
                    Keyword::Anchor | Keyword::DynamicAnchor | Keyword::RecursiveAnchor => self.is_anchor(text),
                    _ => true,
                };
                if fits { behind(at, text) } else { self.stop(SchemaErrorKind::InvalidIdentifier, at) }
            }
        }
    }

    /// Reads definitions: those that a reference led to are compiled already, the others are checked.
    pub(super) fn definitions(&mut self, at: usize) -> usize {
        let mut after = self.begin_object(at);
        while let Some((_, value)) = self.next_member(self.doc, at, &mut after) {
            after = match self.target_end(value) {
                Some(end) => end,
                None => self.check_only(value),
            };
        }
        after
    }

    /// 2019-09: `^[A-Za-z][-A-Za-z0-9.:_]*$`; 2020-12: `^[A-Za-z_][-A-Za-z0-9._]*$`.
    fn is_anchor(&self, name: Text<'_>) -> bool {
        let (old, mut is_first) = (self.dialect == Dialect::Draft2019_09, true);
        let fits = name.chars().all(|code| {
            let first = core::mem::replace(&mut is_first, false);
            match u8::try_from(code) {
                Ok(b'A'..=b'Z' | b'a'..=b'z') => true,
                Ok(b'_') => !(old && first),
                Ok(b'-' | b'.' | b'0'..=b'9') => !first,
                Ok(b':') => old && !first,
                _ => false,
            }
        });
        fits && !is_first
    }

    /// Reads a schema for its errors alone: what is written for it is dropped, references are not followed, patterns not compiled.
    fn check_only(&mut self, at: usize) -> usize {
        let around = core::mem::replace(&mut self.check_only, true);
        let after = self.schema(at, &mut 0);
        self.check_only = around;
        after
    }

    /// An object schema, within [`check_only`](Self::check_only).
    pub(super) fn check_object(&mut self, at: usize) -> usize {
        // It may be of another dialect, which counts when something refers to it.
        if self.embedded_ids && self.member(at, "$schema").is_some() {
            return self.skip(at);
        }
        let front = self.arena.len();
        let mut draft = Draft::new(&self.arena);
        let after = self.keywords(at, &mut draft);
        self.check_draft(&draft);
        self.arena.truncate(front);
        after
    }

    /// The rules for several keywords, or for those read last.
    pub(super) fn check_draft(&mut self, draft: &Draft) {
        self.seal_numbers(draft);
        self.seal_names(draft);
        self.arena.release(draft.mark);
    }
}
