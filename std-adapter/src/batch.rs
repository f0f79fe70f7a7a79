//! The messages of a batch (JSON-RPC 2.0 section 6, MCP 2025-03-26).

use microschema::Kind;
use microschema::mcp::Raw;

/// Messages of a batch.
pub(crate) const MOST: usize = 1_000;

/// A batch of more messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooMany;

/// The messages of a batch; `None` if the text is none.
pub(crate) fn messages(text: &[u8]) -> Result<Option<Vec<&[u8]>>, TooMany> {
    if text.trim_ascii_start().first() != Some(&b'[') {
        return Ok(None);
    }
    let Ok(batch) = Raw::new(text) else { return Ok(None) };
    debug_assert_eq!(batch.kind(), Kind::Array);
    let messages: Vec<_> = batch.elements().take(MOST + 1).map(|(_, message)| message.as_bytes()).collect();
    if messages.len() > MOST { Err(TooMany) } else { Ok(Some(messages)) }
}

#[cfg(test)]
mod tests {
    use super::{MOST, messages};

    #[test]
    fn a_batch_is_an_array_and_nothing_else() {
        let read = |text| messages(text).expect("not too many");
        assert_eq!(read(b" [ {\"a\": [1]} , [1],2 ]\n"), Some(vec![&b"{\"a\": [1]}"[..], b"[1]", b"2"]));
        assert_eq!(read(b"[]"), Some(vec![]));
        for none in ["{}", "[{}", "", "[1,]", "[\"\\ud800\"]"] {
            assert_eq!(read(none.as_bytes()), None, "{none}");
        }
        let of = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
        assert_eq!(read(of(MOST).as_bytes()).map(|messages| messages.len()), Some(MOST));
        assert!(messages(of(MOST + 1).as_bytes()).is_err());
    }
}
