//! Names that another reader takes for one that matters here: Go's `encoding/json`, for one, minds neither the case of a member's name
//! nor which of two such members came first.

use crate::place::DEPTH;
use microschema::mcp::{Params, Raw};
use microschema::{Instance, Json, Next};

/// Members of a message, and of the parameters of a call.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: [&str; 2] = ["name", "arguments"];

/// The name that some member of a message has but for upper and lower case; in a call also one of its parameters.
pub(crate) fn ambiguous(message: &[u8], params: &Params<'_>, is_call: bool) -> Option<&'static str> {
    let of_call = |raw: Raw<'_>| ambiguous_in(raw.as_bytes(), &PARAMS, params.arguments);
    ambiguous_in(message, &MEMBERS, params.raw).or_else(|| params.raw.filter(|_| is_call).and_then(of_call))
}

/// The same of one object; `known` is the value of a member, which is not read again.
fn ambiguous_in(text: &[u8], names: &[&'static str], known: Option<Raw<'_>>) -> Option<&'static str> {
    let json = Json::new(text).ok()?;
    let known =
        known.map(|raw| (raw.as_bytes().as_ptr().addr().wrapping_sub(text.as_ptr().addr()), raw.as_bytes().len()));
    let mut after = json.root().ok()?;
    let mut members = json.members(after);
    while let Ok(Next::Item(member)) = json.next_member(&mut members, after) {
        let is_like = |name: &&&str| {
            let fold =
                |code| char::from_u32(code).into_iter().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
            !member.name.equals(name.as_bytes()) && member.name.chars().flat_map(fold).eq(name.chars())
        };
        if let Some(name) = names.iter().find(is_like) {
            return Some(name);
        }
        after = match known {
            Some((at, length)) if at == member.value => at + length,
            _ => json.skip(member.value, DEPTH).ok()?,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::ambiguous;
    use microschema::mcp::Message;

    #[test]
    fn names_that_differ_in_case_alone_are_found() {
        for (rest, found) in [
            (r#""params":{"name":"a","arguments":{"Name":1,"x":[{"METHOD":1}]},"_meta":{}}"#, None),
            (r#""params":{"a":"\"Method\":"},"other":1,"id ":1"#, None),
            (r#""params":{"NAME":1}"#, Some("name")),
            (r#""params":{"arguments":{},"argum\u0065ntS":1}"#, Some("arguments")),
            (r#""params":{"arguments":[1,2,3]},"Id":2"#, Some("id")),
            ("\"param\u{17f}\":{}", Some("params")),
            ("\"jsonRPC\":1", Some("jsonrpc")),
        ] {
            for space in ["", " "] {
                let text = format!("{space}{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",{space}{rest}}}\n");
                let Ok(Message::Request(request)) = Message::read(text.as_bytes()) else { panic!("{text}") };
                assert_eq!(ambiguous(text.as_bytes(), &request.params, true), found, "{text}");
            }
        }
    }
}
