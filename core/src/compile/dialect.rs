//! Which dialect holds: `$schema`, meta-schemas among the registered documents, and their vocabularies.

use super::error::SchemaErrorKind;
use super::resource::MAX_URI;
use super::{Compiler, Dialect, MAX_DEPTH};
use crate::instance::Kind;
use crate::uri;

/// Vocabularies that a meta-schema can switch off.
pub(super) mod vocabulary {
    pub(in crate::compile) const APPLICATOR: u8 = 1;
    pub(in crate::compile) const UNEVALUATED: u8 = 1 << 1;
    pub(in crate::compile) const VALIDATION: u8 = 1 << 2;
    pub(in crate::compile) const FORMAT: u8 = 1 << 3;
    pub(in crate::compile) const FORMAT_ASSERTION: u8 = 1 << 4;
    /// Keywords that hold whatever is switched off.
    pub(in crate::compile) const OTHER: u8 = 1 << 7;
    pub(in crate::compile) const ALL: u8 = 0xFF;
    /// The bits of all of them.
    pub(in crate::compile) const EACH: u8 = APPLICATOR | UNEVALUATED | VALIDATION | FORMAT | FORMAT_ASSERTION | OTHER;

    /// What the last part of a vocabulary's URI stands for.
    pub(super) static NAMES: [(&str, u8); 9] = [
        ("applicator", APPLICATOR),
        ("unevaluated", UNEVALUATED),
        ("validation", VALIDATION),
        ("format-assertion", FORMAT_ASSERTION),
        ("format", FORMAT),
        ("core", OTHER),
        ("meta-data", OTHER),
        ("format-annotation", OTHER),
        ("content", OTHER),
    ];
}

impl Compiler<'_, '_> {
    /// Takes the dialect from `$schema`, where it stands.
    pub(super) fn dialect_at(&mut self, at: usize) {
        if !self.dialects {
            return;
        }
        let Some(value) = self.member(at, "$schema") else {
            return;
        };
        let text = self.string(value);
        if let Some(dialect) = text.as_plain().and_then(Dialect::of) {
            (self.dialect, self.vocabularies) = (dialect, vocabulary::ALL);
            return;
        }
        let mut buffer = [0; MAX_URI];
        let Ok(uri) = uri::resolve(b"", text, &mut buffer) else {
            return self.stop(SchemaErrorKind::InvalidReference, value);
        };
        if let Some(dialect) = Dialect::of(uri) {
            (self.dialect, self.vocabularies) = (dialect, vocabulary::ALL);
            return;
        }
        let wanted = uri::split_fragment(uri).0;
        self.custom_dialect(wanted, value);
    }

    /// The dialect of a meta-schema among the registered documents: its own dialect, less the vocabularies it leaves out.
    fn custom_dialect(&mut self, wanted: &[u8], at: usize) {
        if self.depth >= MAX_DEPTH {
            return self.stop(SchemaErrorKind::UnknownDialect, at);
        }
        self.depth += 1;
        let saved = (self.doc, self.document, self.resource, self.base);
        let mut found = self.find_document(wanted);
        if let Some(document) = &found {
            (self.doc, self.document) = (self.text_of(document.document), document.document);
            // A meta-schema that describes itself says nothing of what its keywords mean.
            let own = self.string_member(document.at, "$schema");
            found = found.filter(|_| own.is_some_and(|own| !own.equals(wanted)));
        }
        let Some(found) = found else {
            (self.doc, self.document, self.resource, self.base) = saved;
            return self.stop(SchemaErrorKind::UnknownDialect, at);
        };
        self.dialect_at(found.at);
        if let Some(vocabularies) = self.member(found.at, "$vocabulary") {
            self.vocabulary(vocabularies);
        }
        (self.doc, self.document, self.resource, self.base) = saved;
        self.depth -= 1;
    }

    /// Reads `$vocabulary`: which keywords the dialect has.
    fn vocabulary(&mut self, at: usize) {
        self.vocabularies = vocabulary::OTHER;
        let mut after = self.begin_object(at);
        while let Some((name, value)) = self.next_member(self.doc, at, &mut after) {
            let required = self.kind(value) == Kind::True;
            let mut buffer = [0; MAX_URI];
            let uri = uri::resolve(b"", name, &mut buffer).unwrap_or_default();
            let known =
                [&b"https://json-schema.org/draft/2020-12/vocab/"[..], b"https://json-schema.org/draft/2019-09/vocab/"]
                    .iter()
                    .find_map(|prefix| uri.strip_prefix(*prefix))
                    .and_then(|name| vocabulary::NAMES.iter().find(|(known, _)| known.as_bytes() == name));
            let bits = match known {
                Some(&(_, bits)) => bits,
                None if required => {
                    self.note(SchemaErrorKind::UnknownVocabulary, after);
                    0
                }
                None => 0,
            };
            self.vocabularies |= bits;
            // Its own vocabulary only from 2020-12 on.
            if self.dialect == Dialect::Draft2019_09 && bits == vocabulary::APPLICATOR {
                self.vocabularies |= vocabulary::UNEVALUATED;
            }
            self.assert_formats |= bits == vocabulary::FORMAT_ASSERTION || (bits == vocabulary::FORMAT && required);
            after = self.skip(value);
        }
    }
}
