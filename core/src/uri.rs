//! URI references of `$id` and `$ref` (RFC 3986), and the JSON Pointers in their fragments (RFC 6901), without allocation.
//!
//! References are resolved into the caller's buffer and normalised there, so that two that mean the same resource have
//! the same bytes. Nothing is rejected for its characters: a reference that names nothing is found out when it is looked up.

use crate::text::Text;

/// The buffer is shorter than the URI, or than the reference and the part of the base that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A code point that no string holds: what stands in for an escape that makes no sense.
const NO_CODE: u32 = u32::MAX;

/// Resolves a URI reference (RFC 3986 section 5.2) and normalises it, in `out`, as the compiler does with `$id` and `$ref`.
///
/// `base` is the result of an earlier call, or empty where there is none: then a relative reference stays relative. `None` where `out` is
/// too short.
///
/// ```
/// let mut buffer = [0; 256];
/// let uri = microschema::resolve_reference("https://example.com/tools/a.json", "../types.json#size", &mut buffer);
/// assert_eq!(uri, Some("https://example.com/types.json#size"));
/// ```
#[must_use]
pub fn resolve_reference<'o>(base: &str, reference: &str, out: &'o mut [u8]) -> Option<&'o str> {
    core::str::from_utf8(resolve(base.as_bytes(), Text::plain(reference), out).ok()?).ok()
}

/// Resolves `reference` against `base` (RFC 3986 section 5.2) and writes the result, normalised, to the front of `out`.
///
/// `base` is the result of an earlier call, or empty where there is none: then a relative reference stays relative. Its
/// fragment does not matter; the result has the reference's.
pub(crate) fn resolve<'o>(base: &[u8], reference: Text<'_>, out: &'o mut [u8]) -> Result<&'o [u8], TooLong> {
    let written = write_normalised(reference, out)?;
    let relative = Parts::of(out.get(..written).unwrap_or_default());
    let parts = Parts::of(base);
    // Section 5.2.2: the result is a beginning of the base, then the whole reference.
    let kept = if relative.scheme > 0 {
        0
    } else if relative.authority > 0 {
        parts.scheme
    } else if relative.path == 0 {
        if relative.query > 0 { parts.path } else { parts.query }
    } else if out.first() == Some(&b'/') {
        parts.authority
    } else {
        // Section 5.2.3: all but the last segment.
        let path = base.get(parts.authority..parts.path).unwrap_or_default();
        parts.authority + path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
    };
    let prefix = base.get(..kept).unwrap_or_default();
    // Section 5.2.3 again: an authority and a relative path have a slash between them.
    let rooted = relative.scheme == 0 && relative.authority == 0 && relative.path > 0 && out.first() != Some(&b'/');
    let slash = usize::from(rooted && parts.authority > parts.scheme && parts.path == parts.authority);

    let length = kept + slash + written;
    let uri = out.get_mut(..length).ok_or(TooLong)?;
    crate::arena::shift(uri, 0, written, kept + slash);
    uri.iter_mut().zip(prefix.iter().chain(b"/").take(kept + slash)).for_each(|(to, &from)| *to = from);

    let parts = Parts::of(uri);
    lower_case(uri.get_mut(..parts.scheme));
    let authority = uri.get(parts.scheme..parts.authority).unwrap_or_default();
    let host = parts.scheme + authority.iter().rposition(|&byte| byte == b'@').unwrap_or(0);
    lower_case(uri.get_mut(host..parts.authority));
    let path = uri.get_mut(parts.authority..parts.path).map_or(0, remove_dot_segments);
    crate::arena::shift(uri, parts.path, length - parts.path, parts.authority + path);
    out.get(..length - parts.path + parts.authority + path).ok_or(TooLong)
}

/// The URI without its fragment, and the fragment: empty where there is none, which means the same to JSON Schema.
pub(crate) fn split_fragment(uri: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = uri.splitn(2, |&byte| byte == b'#');
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// The code points of a fragment, percent-encoding undone: an anchor's name.
pub(crate) fn percent_decode(fragment: &[u8]) -> Decoded<'_> {
    Decoded { bytes: fragment }
}

/// The reference tokens of a fragment that is a JSON Pointer. `None` where it is not one but an anchor's name.
pub(crate) fn pointer(fragment: &[u8]) -> Option<Tokens<'_>> {
    match percent_decode(fragment).next() {
        None => Some(Tokens { rest: None }),
        Some(0x2F) => {
            let mut tokens = Tokens { rest: Some(fragment) };
            // What stands before the first slash is no token.
            tokens.next();
            Some(tokens)
        }
        Some(_) => None,
    }
}

/// The reference tokens of a JSON Pointer, from the root on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.rest?;
        let mut code_points = percent_decode(bytes);
        let mut length = 0;
        // RFC 6901 section 6: percent-encoding is undone first, so that an encoded slash separates too.
        self.rest = loop {
            match code_points.next() {
                None => {
                    length = bytes.len();
                    break None;
                }
                Some(0x2F) => break Some(code_points.bytes),
                Some(_) => length = bytes.len() - code_points.bytes.len(),
            }
        };
        Some(Token { code_points: percent_decode(bytes.get(..length).unwrap_or_default()) })
    }
}

/// One reference token: an iterator over its code points, all escapes undone.
///
/// An escape that makes no sense (`~2`, octets that are not UTF-8) comes out as a code point that no string holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    code_points: Decoded<'a>,
}

impl Token<'_> {
    /// Whether this is the name `name`.
    pub(crate) fn equals(self, name: Text<'_>) -> bool {
        self.eq(name.chars())
    }

    /// The token as an array index: digits without a leading zero (RFC 6901 section 4).
    pub(crate) fn index(self) -> Option<usize> {
        let mut index = None;
        for code in self {
            let digit = code.checked_sub(u32::from(b'0')).filter(|&digit| digit < 10)? as usize;
            index = match index {
                None => Some(digit),
                Some(0) => return None,
                Some(index) => Some(usize::checked_mul(index, 10)?.checked_add(digit)?),
            };
        }
        index
    }
}

impl Iterator for Token<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self.code_points.next()? {
            0x7E => Some(match self.code_points.next() {
                Some(0x30) => 0x7E,
                Some(0x31) => 0x2F,
                _ => NO_CODE,
            }),
            code => Some(code),
        }
    }
}

/// The code points of percent-encoded UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded<'a> {
    bytes: &'a [u8],
}

impl Decoded<'_> {
    fn octet(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        if first == b'%'
            && let [high, low, behind @ ..] = rest
            && let Some(octet) = hex_pair(*high, *low)
        {
            self.bytes = behind;
            return Some(octet);
        }
        self.bytes = rest;
        Some(first)
    }
}

impl Iterator for Decoded<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let first = self.octet()?;
        let (mut code, extra, least) = match first {
            0..0x80 => return Some(u32::from(first)),
            0xC0..0xE0 => (u32::from(first & 0x1F), 1, 0x80),
            0xE0..0xF0 => (u32::from(first & 0x0F), 2, 0x800),
            0xF0..0xF8 => (u32::from(first & 0x07), 3, 0x1_0000),
            _ => return Some(NO_CODE),
        };
        for _ in 0..extra {
            let before = *self;
            match self.octet() {
                Some(octet) if octet & 0xC0 == 0x80 => code = code << 6 | u32::from(octet & 0x3F),
                _ => {
                    *self = before;
                    return Some(NO_CODE);
                }
            }
        }
        Some(if code >= least && char::from_u32(code).is_some() { code } else { NO_CODE })
    }
}

/// Where the components of a reference end; equal ends mean that a component is missing. `scheme` includes its colon,
/// `authority` its slashes, `query` its question mark. What is left is the fragment.
#[derive(Clone, Copy)]
struct Parts {
    scheme: usize,
    authority: usize,
    path: usize,
    query: usize,
}

impl Parts {
    fn of(uri: &[u8]) -> Self {
        let before_scheme = end_of(uri, 0, b":/?#");
        let scheme = if is_scheme(uri.get(..=before_scheme).unwrap_or_default()) { before_scheme + 1 } else { 0 };
        let authority = match uri.get(scheme..) {
            Some([b'/', b'/', ..]) => end_of(uri, scheme + 2, b"/?#"),
            _ => scheme,
        };
        let path = end_of(uri, authority, b"?#");
        Self { scheme, authority, path, query: end_of(uri, path, b"#") }
    }
}

/// Where the first of `stops` stands from `from` on, or the end. Inlined at each call, it would take twice the space.
#[inline(never)]
fn end_of(uri: &[u8], from: usize, stops: &[u8]) -> usize {
    let rest = uri.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| !stops.contains(byte)).count()
}

/// Section 3.1, with the colon.
fn is_scheme(text: &[u8]) -> bool {
    matches!(text, [first, rest @ .., b':'] if first.is_ascii_alphabetic()
        && rest.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))
}

/// Copies a reference, with percent-encoding as section 6.2.2 wants it: none of unreserved characters, and the rest in upper
/// case. A percent sign without two hexadecimal digits stays as it is, and so do characters beyond ASCII.
fn write_normalised(reference: Text<'_>, out: &mut [u8]) -> Result<usize, TooLong> {
    // What stands before `open` cannot be part of another escape.
    let (mut length, mut open) = (0, 0);
    for code in reference.chars() {
        let mut utf8 = [0; 4];
        for &byte in char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut utf8).as_bytes() {
            *out.get_mut(length).ok_or(TooLong)? = byte;
            length += 1;
        }
        if let Some(escape) = out.get_mut(open..length).and_then(<[u8]>::last_chunk_mut)
            && let [b'%', high, low] = *escape
            && let Some(octet) = hex_pair(high, low)
        {
            if octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~') {
                *escape = [octet, 0, 0];
                length -= 2;
            } else {
                escape.make_ascii_uppercase();
            }
            open = length;
        }
    }
    Ok(length)
}

fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte| char::from(byte).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

/// Section 6.2.2.1: the case of scheme and host does not matter, but percent-encoding is in upper case.
fn lower_case(bytes: Option<&mut [u8]>) {
    let mut skip = 0_u8;
    for byte in bytes.unwrap_or_default() {
        if *byte == b'%' {
            skip = 3;
        }
        if skip == 0 {
            byte.make_ascii_lowercase();
        }
        skip = skip.saturating_sub(1);
    }
}

/// Section 5.2.4, in place; gives the new length.
fn remove_dot_segments(path: &mut [u8]) -> usize {
    let (mut read, mut write) = (0, 0);
    while read < path.len() {
        let rest = path.get(read..).unwrap_or_default();
        let slash = usize::from(rest.first() == Some(&b'/'));
        let end = end_of(rest, slash, b"/");
        let (up, dots) = match rest.get(slash..end) {
            Some(b".") => (false, true),
            Some(b"..") => (true, true),
            _ => (false, false),
        };
        if !dots {
            crate::arena::shift(path, read, end, write);
            write += end;
        } else if slash == 0 {
            // At the start: the slash behind goes as well.
            read += 1;
        } else {
            if up {
                write = path.iter().take(write).rposition(|&byte| byte == b'/').unwrap_or(0);
            }
            if read + end == path.len()
                && let Some(last) = path.get_mut(write)
            {
                *last = b'/';
                write += 1;
            }
        }
        read += end;
    }
    write
}

#[cfg(test)]
mod tests;
