//! The body of a message whose type the layer does not change, whatever it was.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use std::pin::Pin;
use std::task::{Context, Poll};
use tower::BoxError;

/// What the service behind the layer gets as the body of a request, and what the layer gives as that of a response.
#[derive(Debug)]
pub struct Body {
    /// What is sent before the rest.
    first: Option<Bytes>,
    rest: UnsyncBoxBody<Bytes, BoxError>,
}

impl Body {
    pub(super) fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self { first: None, rest: body.map_err(Into::into).boxed_unsync() }
    }

    /// The same after these bytes.
    pub(super) fn after(self, first: Bytes) -> Self {
        Self { first: Some(first), ..self }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(Ok(Frame::data(first)))),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // A stream has no length that could be told beforehand.
        if self.first.is_none() { self.rest.size_hint() } else { SizeHint::default() }
    }
}
