//! JSON Schema validation without an allocator, an operating system or a DOM.
//!
//! A schema is compiled once into a small program: position-independent bytes, in a buffer of the caller's. The program runs over the
//! bytes of each instance in place and gives a verdict, with a bounded list of what is wrong. One engine serves a microcontroller with
//! 64 KiB of RAM and the hot path of a server; it is made for the tool calls of MCP (the Model Context Protocol), whose arguments a
//! language model writes.
//!
//! ```
//! use core::fmt::Write;
//! use microschema::Issues;
//!
//! let schema = br#"{
//!     "type": "object",
//!     "properties": {"level": {"type": "integer", "maximum": 10}},
//!     "required": ["level"]
//! }"#;
//! let mut arena = [0; 1024];
//! let program = microschema::compile(schema, &mut arena)?;
//! assert_eq!(program.is_valid(br#"{"level": 7}"#), Ok(true));
//!
//! let call = br#"{"level": "7"}"#;
//! let mut issues = Issues::<8>::new();
//! assert_eq!(program.validate(call, &mut issues), Ok(false));
//! let mut text = heapless::String::<80>::new();
//! write!(text, "{}", issues.as_slice()[0].describe(&program, call)).unwrap();
#![cfg_attr(
    feature = "messages",
    doc = r#"assert_eq!(text, "at /level: must be an integer: send the number without quotes (type)");"#
)]
#![cfg_attr(not(feature = "messages"), doc = r#"assert_eq!(text, "at /level: type");"#)]
//! # Ok::<(), microschema::SchemaError>(())
//! ```
//!
//! # Layers
//!
//! ```text
//!   schema text                     instance text           a tree of the caller's
//!        │                                │                            │
//!   ┌────▼──────────────┐           ┌─────▼──────┐              ┌──────▼──────┐
//!   │ compile           │           │ Json       │              │ an Instance │
//!   │ uri · regex       │           └─────┬──────┘              └──────┬──────┘
//!   └────┬──────────────┘                 └─────────────┬──────────────┘
//!        │ bytes                                        │ Instance
//!   ┌────▼────┐  from_bytes checks   ┌──────────────────▼─────────────────┐
//!   │ Program ├──────────────────────► machine · number · regex · formats │
//!   └─────────┘  flash, file, arena  └──────────────────┬─────────────────┘
//!                                                       │ verdict, Issue
//!                                    ┌──────────────────▼─────────────────┐
//!                                    │ Description: path, keyword, text   │
//!                                    └────────────────────────────────────┘
//! ```
//!
//! `core/ARCHITECTURE.md` describes the image of a program byte by byte, and how compiler and machine work.
//!
//! # Contract
//!
//! 1. **Compile once**, when a program starts or when it is built. [`Program::as_bytes`] gives the bytes, [`Program::from_bytes`] takes
//!    them back after checking them, wherever they were made. The feature `build` puts them into a firmware as `static`s.
//! 2. **Never weaker than the schema.** What this build cannot honour is a [`SchemaError`] that names the reason and the place. Members
//!    that are no keywords of the dialect are ignored, as the specification has it.
//! 3. **Bytes are read in place.** Numbers are compared as exact decimals of any length and exponent, lengths are code points, names
//!    compare after unescaping. The reader takes exactly RFC 8259: UTF-8 without a byte order mark, nothing behind the value, no half
//!    of a surrogate pair.
//! 4. **Everything is bounded, and the bound is the caller's.** A [`Limit`] is a result of its own, never a verdict.
//! 5. **An [`Issue`] is two places**, one in the schema and one in the instance. Paths and texts are made when they are asked for.
//! 6. **Two readers, one machine**: [`Json`] over bytes, or any [`Instance`].
//!
//! [`Program::is_valid`] stops at the first failure and does not read what lies behind it; [`Program::validate`] reads everything, so
//! that its `Ok` also says that the instance is JSON.
//!
//! # Dialects
//!
//! Drafts 2020-12 (the default, also of MCP), 2019-09, 07, 06 and 04, by `$schema`, [`Options::dialect`](Options::dialect), or the
//! meta-schema of a registered document with its `$vocabulary`. All keywords and all kinds of reference; documents come from
//! [`Options::documents`], nothing is ever fetched. `format` is asserted unless [`Options::assert_formats`] says otherwise, and with it,
//! in draft-07 alone, `contentEncoding: base64` and `contentMediaType: application/json`.
//!
//! # Limits
//!
//! | what | bound |
//! |---|---|
//! | nesting of an instance, and of schemas applied to the same value | [`Limits::depth`], at most 512 |
//! | work of a run | [`Limits::steps`] |
//! | length of an instance | `usize::MAX / 32`: 128 MiB on 32-bit targets |
//! | issues kept | the `N` of [`Issues`]; the rest are counted |
//! | scratch, for more than 64 declared properties, `unevaluated…` and `$dynamicRef` | 4 KiB of stack (1 KiB on 32-bit targets), or what [`Validator::run_with`] is given |
//! | results remembered, for schemas that are applied in several branches | 1 KiB of stack (256 bytes), or the end of that scratch |
//! | memory of the compiler, and the program | the arena |
//! | nesting of schemas | 256 |
//! | length of a program | 16 MiB |
//! | a resolved URI | 256 bytes |
//! | a divisor (`multipleOf`) | 76 digits between the first and the last that are not zero |
//! | a pattern | `PatternLimit` |
//! | JSON within a string (`contentMediaType`) | 64 levels |
//!
//! # Not supported
//!
//! - Changing the instance: `default` is not filled in, types are not converted, undeclared members are not removed.
//! - Fetching documents.
//! - Annotations as output, and the output formats `detailed` and `verbose`.
//! - Draft-03 and older.
//! - Back-references in patterns: they cannot be run in linear time and are refused by name. `\p{…}` needs the
//!   feature `unicode`, or [`Options::properties`].
//! - Keywords of one's own.
//!
//! # Differences from ajv and jsonschema
//!
//! Of verdicts on the same schema and instance (ajv 8, the crate `jsonschema` 0.61, as they come):
//!
//! - Numbers are exact decimals. `19.99` is a multiple of `0.01`, and 2<sup>64</sup> + 1 exceeds a maximum of 2<sup>64</sup>; ajv computes
//!   with doubles and says otherwise, `jsonschema` is exact with its feature `arbitrary-precision`.
//! - A member that occurs twice: both see the parser's choice, which is the last one. Here every occurrence is validated, and a name that
//!   is declared, or counted, is refused the second time (see below).
//! - Patterns mean what ECMA-262 says with the flag `u`, as in ajv, and run in linear time, as in neither by default: ajv doubles its
//!   time on `^(a+)+$` with each letter. Escapes that `u` forbids and that are certain (`\-`, `\:`) are taken; back-references are not.
//! - Formats are asserted by default. ajv needs the package `ajv-formats`, and refuses formats that it does not know; here unknown ones are
//!   annotations, as the specification has it.
//! - Unknown keywords are ignored; ajv refuses them in its default mode.
//! - The meta-schema's rules are errors of the compiler, with the byte offset in the schema.
//! - Half of a surrogate pair (`"\ud800"`) is not JSON here; ajv sees it as a string.
//!
//! # Untrusted input
//!
//! Both the instance and the schema may come from an attacker; so may a program's bytes. There is no `unsafe` code, no recursion
//! without a bound and no allocation. What each side controls, and what that costs at the most:
//!
//! | who | what | cost |
//! |---|---|---|
//! | instance | length n | n bytes read once, where the schema applies to each value once |
//! | | names of members | constant each when they come in the schema's order, else a search by hash among more than eight |
//! | | `uniqueItems`, names counted by `minProperties` and its like | a table by hash on the stack (9 KiB, on 32-bit targets 768 bytes); what it does not hold at once takes more walks: n times n by the size of the table. Hashes are not keyed: whoever makes them collide gets n². All of it in steps |
//! | | numbers of d digits | d, whatever the exponent; `multipleOf` d times the length of the divisor |
//! | | strings against patterns | n times the size of the pattern, counted in steps |
//! | schema | schemas applied to the same value (`anyOf`, `oneOf`, `not`, `if`, `$ref` beside others) | each reads the value again; nested, they cost at most schema times instance as long as 64 results (16 on 32-bit targets) are enough to remember, and the steps end what is not |
//! | | references that come back without going into the instance | refused; through `$dynamicRef`, ended by the depth |
//! | | patterns | compiled within `PatternLimit` and the arena, or refused |
//! | | length m | m times the number of references, as each looks for its target |
//! | program | bytes | [`Program::from_bytes`]: linear to 2 KiB, at most quadratic beyond; what passes runs within all limits |
//!
//! **Names that occur twice.** RFC 8259 leaves their meaning open, and validators that disagree can be played off against each other. Every
//! occurrence is validated. Where the schema declares the name (`properties`, `required` and the dependent keywords), or counts members,
//! the second occurrence is an error ([`JsonErrorKind::DuplicateName`]), not a verdict. So it is for every name of the instance where the
//! verdict rests on a schema that does not hold (`not`, `if`, `oneOf`, `maxContains`), since that is read to its first failure only; a
//! condition on names that the object declares itself is exempt. Other names may repeat, unless [`Validator::unique_names`] says otherwise.
//!
//! **Messages** name what the schema expects. They hold nothing of the instance but the names of members, unless
//! [`Description::show_value`] asks for more.
//!
//! # Features
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `compile` | yes | the compiler; a device that loads programs made elsewhere leaves it out |
//! | `fold` | yes | one instruction for what several parts of a schema say, and look-ups for `anyOf` and `oneOf`: faster programs, the same verdicts |
//! | `regex` | yes | `pattern` and `patternProperties`; without it such a schema is refused |
//! | `formats` | yes | `format` as an assertion; without it a schema with a standard format is refused |
//! | `messages` | yes | the text of an issue; path and keyword are always there |
//! | `unicode` | | `\p{…}` in patterns, where they are compiled ([`Options::properties`] does without) |
//! | `idn` | | `idn-hostname`, and in `hostname` what IDNA asks of A-labels |
//! | `meta-schemas` | | the meta-schemas of all dialects, for schemas that refer to them |
//! | `mcp` | | `mcp`: the few bytes of the Model Context Protocol that a device needs |
//! | `alloc` | | `ProgramBuf`, a program that owns its bytes, and `Registry`, programs by name |
//! | `build` | | `build`: for build scripts, programs as Rust source text (links std) |
//! | `simd` | yes | on x86-64, strings with escapes are scanned in vectors; elsewhere nothing |
//! | `small` | | less code for less speed, as always on bare metal |
//! | `defmt` | | `defmt::Format` on the public types |
//!
//! What each costs in flash stands beside it in `Cargo.toml`.
//!
//! # Why there is no unsafe code
//!
//! Programs, instances and schemas are bytes from elsewhere, and offsets in a program lead anywhere. Every read is checked (`get`, never an
//! index), so that the check of a program decides what it means, not whether memory is safe. Linked with `panic-never`, the whole crate
//! leaves no panic behind.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    rustdoc::private_intra_doc_links,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications
)]
// A build that leaves parts out does not use all of the others, and its linker drops the rest.
#![cfg_attr(
    not(all(feature = "compile", feature = "regex", feature = "formats", feature = "messages")),
    allow(dead_code)
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "build"))]
extern crate std;

#[cfg(any(feature = "compile", feature = "regex"))]
mod arena;
#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "compile")]
mod compile;
mod error;
mod format;
mod hash;
mod instance;
mod issue;
mod json;
mod limits;
#[cfg(feature = "defmt")]
mod log;
mod machine;
#[cfg(feature = "mcp")]
pub mod mcp;
mod number;
#[cfg(feature = "alloc")]
mod owned;
mod program;
#[cfg(feature = "regex")]
mod regex;
mod text;
#[cfg(feature = "compile")]
mod uri;

#[cfg(feature = "meta-schemas")]
pub use compile::META_SCHEMAS;
#[cfg(feature = "compile")]
pub use compile::{Dialect, Options, SchemaError, SchemaErrorKind, SchemaPointer, compile};
pub use error::{Error, Halt, JsonError, JsonErrorKind, Limit};
pub use instance::{Instance, Kind, Member, Next};
#[cfg(feature = "messages")]
pub use issue::Message;
pub use issue::{Description, Issue, IssueSink, Issues, Pointer, Segment};
pub use json::Json;
pub use limits::Limits;
pub use number::Number;
#[cfg(feature = "alloc")]
pub use owned::{ProgramBuf, Registry};
pub use program::{Needs, Program, ProgramError, Stats, Validator};
#[cfg(feature = "regex")]
pub use regex::{Lenient, OutOfSteps, Pattern, PatternError, PatternErrorKind, PatternLimit};
pub use text::Text;
#[cfg(feature = "compile")]
pub use uri::resolve_reference;
