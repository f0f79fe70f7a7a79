//! The responses to a batch when not all are the server's.

use super::judge::{INTERNAL, Refusal};
use super::{Body, essence, set_length};
use ::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use ::http::{HeaderValue, Response, StatusCode, response};
use bytes::Bytes;
use http_body::Body as HttpBody;
use http_body_util::{BodyExt, Full, Limited};
use microschema::Kind;
use microschema::mcp::Raw;
use tower::BoxError;

/// Messages as a batch.
pub(super) fn joined<M: AsRef<[u8]>>(messages: &[M]) -> Vec<u8> {
    let mut batch = vec![b'['];
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            batch.push(b',');
        }
        batch.extend_from_slice(message.as_ref());
    }
    batch.push(b']');
    batch
}

/// The server's response to a part of a batch, with the answers to the rest of it.
pub(super) async fn join<B>(response: Response<B>, answers: &[Vec<u8>], max_body: usize) -> Response<Body>
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let (mut parts, body) = response.into_parts();
    if answers.is_empty() || !parts.status.is_success() {
        return Response::from_parts(parts, Body::new(body));
    }
    if matches!(parts.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        parts.status = StatusCode::OK;
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        return whole(parts, joined(answers));
    }
    let is_plain = !parts.headers.contains_key(CONTENT_ENCODING);
    let media_type = parts.headers.get(CONTENT_TYPE).filter(|_| is_plain).and_then(essence).unwrap_or_default();
    if media_type == "text/event-stream" {
        parts.headers.remove(CONTENT_LENGTH);
        return Response::from_parts(parts, Body::new(body).after(events(answers)));
    }
    match own_responses(body, &media_type, max_body).await.and_then(|own| added(&own, answers)) {
        Ok(batch) => whole(parts, batch),
        Err(reason) => {
            let text = format!("the response to a part of a batch cannot be joined: {reason}");
            tracing::error!("{text}");
            Refusal::of_request(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, &text).response()
        }
    }
}

async fn own_responses<B>(body: B, media_type: &str, max_body: usize) -> Result<Bytes, String>
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    if media_type != "application/json" {
        return Err("it is neither plain JSON nor an event stream".to_owned());
    }
    let collected = Limited::new(body, max_body).collect().await.map_err(|error| error.to_string())?;
    Ok(collected.to_bytes())
}

/// The responses of the server, a batch or a single one, and the answers.
fn added(own: &[u8], answers: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let own = Raw::new(own).map_err(|error| error.to_string())?;
    let own = match (own.kind(), own.as_bytes()) {
        (Kind::Array, [_, responses @ .., _]) => responses.trim_ascii(),
        (Kind::Object, response) => response,
        _ => return Err("it is neither an array nor an object".to_owned()),
    };
    let own = Some(own).filter(|responses| !responses.is_empty());
    let all: Vec<&[u8]> = own.into_iter().chain(answers.iter().map(Vec::as_slice)).collect();
    Ok(joined(&all))
}

/// Answers as server-sent events, one each. They have no identifier, so that a stream is resumed at an event of the server's.
fn events(answers: &[Vec<u8>]) -> Bytes {
    answers.iter().flat_map(|answer| [&b"event: message\ndata: "[..], answer, b"\n\n"].concat()).collect()
}

fn whole(mut parts: response::Parts, body: Vec<u8>) -> Response<Body> {
    set_length(&mut parts.headers, body.len());
    Response::from_parts(parts, Body::new(Full::from(body)))
}

#[cfg(test)]
mod tests {
    use super::{added, joined};

    #[test]
    fn answers_are_added_to_those_of_the_server() {
        let answers = [b"1".to_vec(), b"2".to_vec()];
        let to = |body: &str| added(body.as_bytes(), &answers).map(|batch| String::from_utf8(batch).unwrap());
        assert_eq!(to(" [ {} , {} ] ").as_deref(), Ok("[{} , {},1,2]"));
        assert_eq!(to("[ ]").as_deref(), Ok("[1,2]"));
        assert_eq!(to("{\"id\": 1}").as_deref(), Ok("[{\"id\": 1},1,2]"));
        assert!(to("7").is_err() && to("").is_err() && to("[").is_err());
        assert_eq!(joined::<&[u8]>(&[]), b"[]");
    }
}
