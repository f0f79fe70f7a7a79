//! Servers over HTTP, whatever they are made with: axum, hyper, any SDK that is a `tower` service.
//!
//! [`GateLayer`] goes around the MCP endpoint. It reads the body of each POST, checks the arguments of `tools/call` as bytes, before
//! any SDK parses them, and answers an invalid call itself:
//!
//! ```
//! use microschema_mcp::http::{Gate, GateLayer, Tools};
//! use serde_json::json;
//!
//! let tools = Tools::new(&Gate::default());
//! tools.insert("set_lamp", &json!({"type": "object", "properties": {"level": {"type": "integer", "maximum": 100}}}));
//! let layer = GateLayer::new(&tools).max_body(1 << 20);
//! # let endpoint = axum::routing::post(async || "{}");
//! let app: axum::Router = axum::Router::new().route("/mcp", endpoint.layer(layer));
//! # let _ = app;
//! ```
//!
//! | request | what becomes of it |
//! |---|---|
//! | not a POST | passes unread |
//! | a call whose arguments are valid; any other message; an empty batch | passes as it was: headers, extensions, body, trailers |
//! | a call whose arguments are not valid | 200, a result with `isError: true`, as [`Failure::reply`](crate::Failure::reply) or a hook has it |
//! | the same without an `id` (a notification) | 400, error −32602 |
//! | a call of a tool that is not in the table | 200, error −32602; [or passes](GateLayer::unknown_tools) |
//! | a call without a name | 200, error −32602 |
//! | a batch with some of these | the server gets the others; its answers and the layer's are joined |
//! | a batch of more than 1000 messages | 400, error −32600 |
//! | no JSON-RPC message, or one that readers could take for different ones (a member that matters occurs twice, or is spelled in another case, as Go reads it) | 400, error −32700, −32600 or −32602 |
//! | a body longer than [the limit](GateLayer::max_body) | 413, error −32600; what is beyond is not read |
//! | a body in a `Content-Encoding` | 415, error −32600: the layer that decodes goes outside |
//! | another media type than JSON | 415, error −32600, unread; [or passes unread](GateLayer::other_media_types) |
//!
//! Whatever the layer answers is `application/json`, which every client has to accept (Streamable HTTP, "Sending Messages"). Requests of
//! both eras are checked: up to 2025-11-25, and stateless (2026-07-28), where results have their `resultType`.
//!
//! # Batches
//!
//! MCP 2025-03-26 has batches, and asks for a response to each request of one. So valid calls are served though others are not: the
//! server gets the batch without the messages that the layer answers, and the client gets all responses, which "MAY be returned in any
//! order" (JSON-RPC 2.0, section 6). To a JSON response the layer's are added; before an event stream they are sent as events, one each,
//! and the stream goes on as it comes. A server that had nothing but notifications to take (202) is answered for with 200. Where the
//! server refuses what is left (any status but a success), that is the answer to the whole. A response that is neither of the two, or is
//! longer than [the limit](GateLayer::max_body), cannot be joined: 500, error −32603.
//!
//! # What it does not do
//!
//! - Results are not checked: they may be parts of a stream. The gates for the SDKs check them.
//! - An invalid call is answered before the server looks at its headers. Authorisation goes outside of the layer, or clients that have
//!   none learn what a schema says.
//! - It waits for a body as long as the service lets it: timeouts go outside, too.
//!
//! # Cost
//!
//! A request that is not read costs a box for each of its bodies. One that is read is held whole, in one piece: up to twice
//! [the limit](GateLayer::max_body) while the pieces are put together. A valid call is checked without any other allocation but the
//! name of its tool. What is not valid costs as much as the [`Terms`](crate::Terms) allow, for each message of a batch.

mod body;
mod join;
mod judge;
mod tools;

pub use body::Body;
pub use tools::Tools;

use crate::Reply;
use ::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use ::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, request};
use bytes::Bytes;
use http_body::Body as HttpBody;
use http_body_util::{BodyExt, Full, Limited};
use judge::{INVALID_REQUEST, Judged, Refusal};
use serde::Serialize;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};
use tower::{BoxError, Layer, Service};

/// A server's policy.
pub type Gate = crate::Gate<Reply>;
/// The terms for a tool, and what becomes of its failures.
pub type Policy = crate::Policy<Reply>;

/// Bytes of a body, if nothing else is said: as much as rmcp takes.
const MAX_BODY: usize = 4 << 20;

/// What becomes of what the layer cannot check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unchecked {
    /// It is refused.
    #[default]
    Refuse,
    /// It goes through unchecked.
    Allow,
}

/// Checks calls of the [`Tools`] before they reach the service behind it. See the [module](self).
#[derive(Debug)]
pub struct GateLayer<R = Reply> {
    tools: Tools<R>,
    max_body: usize,
    unknown_tools: Unchecked,
    other_media_types: Unchecked,
}

impl<R> GateLayer<R> {
    /// A layer that checks calls of these tools, and refuses what it cannot check. Tools that are added to the table later are checked
    /// as well.
    #[must_use]
    pub fn new(tools: &Tools<R>) -> Self {
        Self {
            tools: tools.clone(),
            max_body: MAX_BODY,
            unknown_tools: Unchecked::Refuse,
            other_media_types: Unchecked::Refuse,
        }
    }

    /// How long the body of a request may be, in bytes; and that of a response, where it has to be joined with the layer's. By default
    /// 4 MiB.
    #[must_use]
    pub const fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// What becomes of calls of tools that are not in the table. By default they are refused: a tool that was forgotten there would run
    /// unchecked.
    #[must_use]
    pub const fn unknown_tools(mut self, unchecked: Unchecked) -> Self {
        self.unknown_tools = unchecked;
        self
    }

    /// What becomes of a POST whose `Content-Type` is not JSON. By default it is refused: some servers, and handlers that take the bytes
    /// of any body, do not look at the type, and would run calls unchecked.
    #[must_use]
    pub const fn other_media_types(mut self, unchecked: Unchecked) -> Self {
        self.other_media_types = unchecked;
        self
    }

    /// The body of a request that is to be read, in one piece, and its trailers.
    async fn read<B>(&self, headers: &HeaderMap, body: B) -> Result<(Bytes, Option<HeaderMap>), Refusal>
    where
        B: HttpBody<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let refuse = |status, text: String| Err(Refusal::of_request(status, INVALID_REQUEST, &text));
        if headers.get_all(CONTENT_ENCODING).iter().any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must have no Content-Encoding".to_owned());
        }
        let most = self.max_body;
        let too_long = format!("the body must have at most {most} bytes");
        if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, too_long);
        }
        match Limited::new(body, most).collect().await {
            Ok(collected) => {
                let trailers = collected.trailers().cloned();
                Ok((collected.to_bytes(), trailers))
            }
            Err(error) if error.is::<http_body_util::LengthLimitError>() => {
                refuse(StatusCode::PAYLOAD_TOO_LARGE, too_long)
            }
            Err(error) => refuse(StatusCode::BAD_REQUEST, format!("the body could not be read: {error}")),
        }
    }
}

impl<R> Clone for GateLayer<R> {
    fn clone(&self) -> Self {
        Self { tools: self.tools.clone(), ..*self }
    }
}

impl<S, R> Layer<S> for GateLayer<R> {
    type Service = GateService<S, R>;

    fn layer(&self, inner: S) -> GateService<S, R> {
        GateService { inner, layer: self.clone() }
    }
}

/// A service with a [`GateLayer`] before it.
#[derive(Debug)]
pub struct GateService<S, R = Reply> {
    inner: S,
    layer: GateLayer<R>,
}

impl<S: Clone, R> Clone for GateService<S, R> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: self.layer.clone() }
    }
}

impl<S, R, B, A> Service<Request<B>> for GateService<S, R>
where
    S: Service<Request<Body>, Response = Response<A>> + Clone + Send + 'static,
    S::Future: Send,
    R: From<Reply> + Serialize + 'static,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    A: HttpBody<Data = Bytes> + Send + 'static,
    A::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let is_post = request.method() == Method::POST;
        if !is_post || (!is_json(request.headers()) && self.layer.other_media_types == Unchecked::Allow) {
            let response = self.inner.call(request.map(Body::new));
            return Box::pin(async move { Ok(response.await?.map(Body::new)) });
        }
        // The one that is ready is the one to call.
        let inner = self.inner.clone();
        let inner = mem::replace(&mut self.inner, inner);
        let layer = self.layer.clone();
        Box::pin(async move { layer.answer(inner, request).await })
    }
}

impl<R: From<Reply> + Serialize> GateLayer<R> {
    async fn answer<S, B, A>(self, mut inner: S, request: Request<B>) -> Result<Response<Body>, S::Error>
    where
        S: Service<Request<Body>, Response = Response<A>>,
        B: HttpBody<Data = Bytes>,
        B::Error: Into<BoxError>,
        A: HttpBody<Data = Bytes> + Send + 'static,
        A::Error: Into<BoxError>,
    {
        let (mut parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            let text = "the Content-Type must be application/json";
            return Ok(Refusal::of_request(StatusCode::UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST, text).response());
        }
        let (bytes, trailers) = match self.read(&parts.headers, body).await {
            Ok(read) => read,
            Err(refusal) => return Ok(refusal.response()),
        };
        match self.judge(&bytes) {
            Judged::Passes => Ok(inner.call(whole(parts, bytes, trailers)).await?.map(Body::new)),
            Judged::Refused(refusal) => Ok(refusal.response()),
            Judged::Split { onward, answers } => {
                set_length(&mut parts.headers, onward.len());
                let response = inner.call(whole(parts, onward.into(), trailers)).await?;
                Ok(join::join(response, &answers, self.max_body).await)
            }
        }
    }
}

/// Whether a body is JSON, as far as its headers tell; without a type it is taken for that. A structured syntax suffix (RFC 6839
/// section 3.1) counts: axum's `Json` takes it, too.
fn is_json(headers: &HeaderMap) -> bool {
    let is_json = |essence: String| {
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
    };
    !headers.contains_key(CONTENT_TYPE) || headers.get_all(CONTENT_TYPE).iter().filter_map(essence).any(is_json)
}

/// A media type without its parameters, in lower case.
fn essence(value: &HeaderValue) -> Option<String> {
    let value = value.to_str().ok()?;
    let essence = value.split_once(';').map_or(value, |(essence, _)| essence);
    Some(essence.trim().to_ascii_lowercase())
}

/// A request with a body that was read before.
fn whole(parts: request::Parts, body: Bytes, trailers: Option<HeaderMap>) -> Request<Body> {
    let body = Full::new(body);
    let body = match trailers {
        None => Body::new(body),
        Some(trailers) => Body::new(body.with_trailers(std::future::ready(Some(Ok(trailers))))),
    };
    Request::from_parts(parts, body)
}

/// A response of the layer's own.
fn json(status: StatusCode, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::new(Full::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Corrects the length of a body, where a header tells of it.
fn set_length(headers: &mut HeaderMap, length: usize) {
    if headers.contains_key(CONTENT_LENGTH) {
        headers.insert(CONTENT_LENGTH, length.into());
    }
}
