//! The formats of JSON Schema: their names, the dialects that define them, and a check of each over the text in place.
//!
//! A check allocates nothing and reads each code point at most twice, whatever the text holds; a test counts it. Host
//! names copy a label into a buffer of 63 code points, and give up at the 64th of a label and the 254th octet of a
//! name.
//!
//! Where a standard leaves a choice, or the official suite makes one:
//!
//! - `date-time`, `time`: a leap second is taken at 23:59:60 UTC of any day, for which days had one is not known ahead.
//! - `duration`: the letters of the grammar, in upper case; no fractions.
//! - `email`: 64 octets before the `@`, 253 behind it; address literals are IPv4 or tagged `IPv6`.
//! - `idn-email`: code points beyond ASCII are taken as they are, in any normal form.
//! - `hostname`: a label that begins with `xn--` must be an A-label; without the feature `idn`, as far as that can be
//!   told without tables (see `host`).
//! - `uri` and its kin: a host that looks like an IPv4 address out of range is a registered name, as the grammar has
//!   it.
//! - `contentEncoding: base64`, `contentMediaType: application/json` (draft-07; annotations in every other dialect): the alphabet of
//!   RFC 4648 section 4 with padding, line breaks let through; the grammar of RFC 8259, to 64 levels of nesting.
//! - `relative-json-pointer`: the draft that 2020-12 refers to, without index manipulation.

#[cfg(feature = "formats")]
mod content;
#[cfg(feature = "formats")]
mod cursor;
#[cfg(feature = "formats")]
mod email;
#[cfg(feature = "formats")]
mod host;
#[cfg(feature = "idn")]
mod idna;
#[cfg(feature = "idn")]
mod idna_table;
#[cfg(feature = "formats")]
mod ip;
#[cfg(feature = "formats")]
mod pointer;
#[cfg(feature = "formats")]
mod punycode;
#[cfg(feature = "formats")]
mod template;
#[cfg(all(test, feature = "formats"))]
mod tests;
#[cfg(feature = "formats")]
mod time;
#[cfg(feature = "formats")]
mod uri;

#[cfg(feature = "formats")]
use crate::text::Text;
use crate::text::nth;
#[cfg(feature = "formats")]
use cursor::Cursor;

/// A format that some dialect defines. The order is that of [`NAMES`], and part of the format of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    DateTime,
    Date,
    Time,
    Duration,
    Email,
    IdnEmail,
    Hostname,
    IdnHostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Iri,
    IriReference,
    UriTemplate,
    Uuid,
    JsonPointer,
    RelativeJsonPointer,
    Regex,
    /// Not a format but `contentEncoding: base64`, checked in the same way.
    Base64,
    /// `contentMediaType: application/json`
    Json,
    /// The same beside `contentEncoding: base64`; true where that is not kept.
    JsonInBase64,
}

/// The dialects with formats of their own, oldest first. A format stays defined in all later ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg(any(feature = "compile", test))]
pub(crate) enum Since {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
}

impl Format {
    /// The format of that name. Any other name is an annotation in every dialect: `uint32`, `color`, `ip-address`, …
    #[cfg(any(feature = "compile", test))]
    pub(crate) fn from_name(name: &[u8]) -> Option<Self> {
        let code = NAMES.split_ascii_whitespace().position(|known| known.as_bytes() == name)?;
        ALL.get(code).copied()
    }

    /// The format's name; for what is not a format, what it is.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base64 => return "base64 string",
            Self::Json | Self::JsonInBase64 => return "JSON document within the string",
            _ => {}
        }
        nth(NAMES, b' ', self as usize)
    }

    /// The keyword that asserts it.
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::Base64 => "contentEncoding",
            Self::Json | Self::JsonInBase64 => "contentMediaType",
            _ => "format",
        }
    }

    /// The format as a byte of a program.
    #[cfg(any(feature = "compile", test))]
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        ALL.get(usize::from(code)).copied()
    }

    /// The first dialect that defines the format; in older ones its name is an annotation.
    #[cfg(any(feature = "compile", test))]
    pub(crate) fn since(self) -> Since {
        match self {
            Self::DateTime | Self::Email | Self::Hostname | Self::Ipv4 | Self::Ipv6 | Self::Uri => Since::Draft4,
            Self::UriReference | Self::UriTemplate | Self::JsonPointer => Since::Draft6,
            Self::Duration | Self::Uuid => Since::Draft2019,
            _ => Since::Draft7,
        }
    }

    /// Whether this build can check it. A schema that asserts any other is refused by the format's name.
    pub(crate) fn supported(self) -> bool {
        cfg!(feature = "formats")
            && (self != Self::IdnHostname || cfg!(feature = "idn"))
            && (self != Self::Regex || cfg!(feature = "regex"))
    }
}

/// Whether `text` is what `format` asks for. True for a format that is not [`supported`](Format::supported); `None` for JSON within the
/// string that is nested too deeply.
#[cfg(feature = "formats")]
pub(crate) fn check(format: Format, text: Text<'_>) -> Option<bool> {
    let at = &mut Cursor::new(text);
    let matched = match format {
        Format::DateTime => time::date_time(at),
        Format::Date => time::date(at),
        Format::Time => time::time(at),
        Format::Duration => time::duration(at),
        Format::Email => email::mailbox(at, false),
        Format::IdnEmail => email::mailbox(at, true),
        Format::Hostname => host::name(at, host::Rules::Hostname),
        #[cfg(feature = "idn")]
        Format::IdnHostname => host::name(at, host::Rules::IdnHostname),
        #[cfg(not(feature = "idn"))]
        Format::IdnHostname => return Some(true),
        Format::Ipv4 => ip::v4(at),
        Format::Ipv6 => ip::v6(at),
        Format::Uri => uri::reference(at, false, false),
        Format::UriReference => uri::reference(at, false, true),
        Format::Iri => uri::reference(at, true, false),
        Format::IriReference => uri::reference(at, true, true),
        Format::UriTemplate => template::template(at),
        Format::Uuid => pointer::uuid(at),
        Format::JsonPointer => pointer::json_pointer(at),
        Format::RelativeJsonPointer => pointer::relative_json_pointer(at),
        Format::Regex => return Some(regex_syntax(text)),
        Format::Base64 => return Some(content::base64(text)),
        Format::Json => return content::json(text),
        Format::JsonInBase64 => return content::json_in_base64(text),
    };
    Some(matched && at.at_end())
}

#[cfg(feature = "formats")]
fn regex_syntax(text: Text<'_>) -> bool {
    #[cfg(feature = "regex")]
    return crate::regex::parse_only(text).is_ok();
    // Refused when the schema was compiled.
    #[cfg(not(feature = "regex"))]
    return text.end() == 0;
}

/// The names, in the order of [`Format`].
const NAMES: &str = "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri \
    iri-reference uri-template uuid json-pointer relative-json-pointer regex";

/// Every format at its own code.
const ALL: [Format; 22] = [
    Format::DateTime,
    Format::Date,
    Format::Time,
    Format::Duration,
    Format::Email,
    Format::IdnEmail,
    Format::Hostname,
    Format::IdnHostname,
    Format::Ipv4,
    Format::Ipv6,
    Format::Uri,
    Format::UriReference,
    Format::Iri,
    Format::IriReference,
    Format::UriTemplate,
    Format::Uuid,
    Format::JsonPointer,
    Format::RelativeJsonPointer,
    Format::Regex,
    Format::Base64,
    Format::Json,
    Format::JsonInBase64,
];
