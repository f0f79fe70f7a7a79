//! What can be told of a message that is too long to be held: read once, as it goes by, and never kept.

use microschema::mcp::Raw;

/// Bytes of an id, or of a member's name, that are kept.
const MOST: usize = 256;

/// Finds the members of a message that tell what it is and whose.
#[derive(Debug, Default)]
pub(super) struct Skim {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
    /// Whether what comes at the first level is the value of a member.
    is_value: bool,
    /// The name or scalar value that is being read, at the first level.
    token: Vec<u8>,
    name: Vec<u8>,
    id: Vec<u8>,
    is_request: bool,
    is_response: bool,
    is_batch: bool,
}

/// What a message is, as far as its members tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Notification,
    Response,
    /// None of these, or a batch.
    Other,
}

impl Skim {
    /// Reads on.
    pub(super) fn feed(&mut self, part: &[u8]) {
        for &byte in part {
            match byte {
                _ if self.is_in_string => self.within_string(byte),
                b'"' => {
                    self.is_in_string = true;
                    self.keep(byte);
                }
                b'{' | b'[' => {
                    self.is_batch |= self.depth == 0 && byte == b'[';
                    // The value of a member that is none of ours, or is of no use.
                    self.keep(byte);
                    self.depth = self.depth.saturating_add(1);
                }
                b'}' | b']' => {
                    if self.depth == 1 {
                        self.end_member();
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                b':' if self.depth == 1 => {
                    self.name = std::mem::take(&mut self.token);
                    self.is_value = true;
                }
                b',' if self.depth == 1 => self.end_member(),
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => self.keep(byte),
            }
        }
    }

    /// What it is, once all of it was read.
    pub(super) const fn kind(&self) -> Kind {
        match (self.is_request, self.is_response) {
            _ if self.is_batch => Kind::Other,
            (true, false) if self.id.is_empty() => Kind::Notification,
            (true, false) => Kind::Request,
            (false, true) => Kind::Response,
            _ => Kind::Other,
        }
    }

    /// Its id, if it has one of a reasonable length.
    pub(super) fn id(&self) -> Option<Raw<'_>> {
        let is_id = |id: &Raw<'_>| matches!(id.kind(), microschema::Kind::String | microschema::Kind::Number);
        Raw::new(&self.id).ok().filter(is_id)
    }

    fn within_string(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.is_in_string = false,
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        // What is longer is cut, and then no JSON.
        if self.depth == 1 && self.token.len() < MOST {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        let value = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.is_value) {
            match self.name.as_slice() {
                // A second id makes the first one doubtful: the two are no JSON.
                b"\"id\"" => {
                    self.id.extend(value);
                    self.id.push(b' ');
                }
                b"\"method\"" => self.is_request = true,
                b"\"result\"" | b"\"error\"" => self.is_response = true,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Skim};

    #[test]
    fn tells_what_a_message_is() {
        for (text, kind, id) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":8,"result":[1,{"id":9}]}}"#,
                Kind::Request,
                Some("7"),
            ),
            (
                r#"{"method":"a","params":{"text":"\"}],\"id\":1,"},"jsonrpc":"2.0", "id" : "x\"y" }"#,
                Kind::Request,
                Some(r#""x\"y""#),
            ),
            (r#"{"id":-1.5e3,"result":{"method":"m"}}"#, Kind::Response, Some("-1.5e3")),
            (r#"{"id":1,"error":{}}"#, Kind::Response, Some("1")),
            (r#"{"method":"a"}"#, Kind::Notification, None),
            (r#"{"method":"a","id":{"a":1}}"#, Kind::Request, None),
            (r#"{"method":"a","id":1,"id":2}"#, Kind::Request, None),
            (r#"{"method":"a","id":1,"result":1}"#, Kind::Other, Some("1")),
            (r#"[{"method":"a","id":1}]"#, Kind::Other, None),
            ("\"id\":1}]]}{", Kind::Other, None),
        ] {
            for size in [1, 2, 7, text.len()] {
                let mut skim = Skim::default();
                text.as_bytes().chunks(size).for_each(|part| skim.feed(part));
                assert_eq!((skim.kind(), skim.id().map(|id| id.as_str().to_owned()).as_deref()), (kind, id), "{text}");
            }
        }
    }

    #[test]
    fn keeps_little() {
        let mut skim = Skim::default();
        skim.feed(format!(r#"{{"method":"a","id":"{}"}}"#, "x".repeat(1000)).as_bytes());
        assert_eq!((skim.kind(), skim.id()), (Kind::Request, None));
        assert!(skim.id.len() < 300);
    }
}
