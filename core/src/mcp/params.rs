//! The parameters of a request or notification: the members that MCP gives a meaning for tools, and which era they speak.

use super::raw::Raw;
use super::refusal::Reason;
use crate::instance::Kind;
use crate::text::Text;

/// Member of `_meta` that tells the protocol version of a request (MCP 2026-07-28, Overview, "`_meta`").
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Member of `_meta` that tells the capabilities of the client.
pub(super) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The parameters of a request or notification, as spans. All are absent where there are none.
///
/// The kinds are not checked, since they depend on the method; only `_meta` is an object wherever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Params<'a> {
    /// The whole object.
    pub raw: Option<Raw<'a>>,
    /// `name`: of the tool (`tools/call`).
    pub name: Option<Raw<'a>>,
    /// `arguments`: of the tool (`tools/call`).
    pub arguments: Option<Raw<'a>>,
    /// `cursor`: where the page starts (`tools/list`).
    pub cursor: Option<Raw<'a>>,
    /// `protocolVersion`: what the client asks for (`initialize`).
    pub protocol_version: Option<Raw<'a>>,
    /// `_meta`
    pub meta: Option<Raw<'a>>,
    /// `_meta["io.modelcontextprotocol/protocolVersion"]`
    pub meta_version: Option<Raw<'a>>,
    /// `_meta["io.modelcontextprotocol/clientCapabilities"]`
    pub meta_capabilities: Option<Raw<'a>>,
}

/// Which kind of protocol a request speaks (MCP 2026-07-28, Versioning and Compatibility, "Terminology").
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Era<'a> {
    /// With a session that `initialize` opened: up to 2025-11-25. The request says nothing of it.
    Legacy,
    /// Stateless: 2026-07-28 and later.
    Modern {
        /// The version of this request.
        version: Text<'a>,
        /// What the client can do, an object.
        capabilities: Raw<'a>,
    },
}

impl<'a> Params<'a> {
    /// Which era the request speaks.
    ///
    /// ```
    /// use microschema::mcp::{Era, Message};
    ///
    /// let line = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    ///     "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}"#;
    /// let Ok(Message::Request(request)) = Message::read(line) else { panic!() };
    /// assert!(matches!(request.params.era(), Ok(Era::Modern { version, .. }) if version.equals(b"2026-07-28")));
    /// ```
    ///
    /// # Errors
    /// When `_meta` has one of the two required members without the other, or of the wrong kind: "the server MUST reject it with
    /// JSON-RPC error code −32602" (MCP 2026-07-28, Overview, "`_meta`"). A server that speaks no legacy version has to refuse
    /// [`Era::Legacy`] likewise, with [`Reason::MissingMeta`].
    pub fn era(&self) -> Result<Era<'a>, Reason> {
        if self.meta_version.is_none() && self.meta_capabilities.is_none() {
            return Ok(Era::Legacy);
        }
        let version = self.meta_version.and_then(Raw::string).ok_or(Reason::MissingMeta { name: VERSION })?;
        match self.meta_capabilities {
            Some(capabilities) if capabilities.kind() == Kind::Object => Ok(Era::Modern { version, capabilities }),
            _ => Err(Reason::MissingMeta { name: CAPABILITIES }),
        }
    }
}
