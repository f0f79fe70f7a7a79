//! The protocol: a message in, its answer out. Both eras: with the handshake of 2025-11-25, and stateless as 2026-07-28 has it.

use crate::tools::Device;
use microschema::mcp::{Called, Era, Full, Message, Raw, Reason, Refusal, Request, Tools, reply};
use microschema::{Issues, Program};

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const VERSIONS: [&str; 2] = [MODERN, LEGACY];
/// Bytes of an id or a name that are logged.
const LOGGED: usize = 32;

/// Bytes of a page of `tools/list`: not all tools fit one.
const PAGE: usize = 1600;
/// Issues that are told of a call.
pub type CallIssues = Issues<8>;

/// A server for one client.
pub struct Server<'t> {
    tools: Tools<'t>,
    device: Device,
}

impl<'t> Server<'t> {
    pub fn new(tools: Tools<'t>) -> Self {
        defmt::info!("{=usize} tools in flash", tools.as_slice().len());
        Self { tools, device: Device::new() }
    }

    /// Answers one line, and gives the length of the answer: 0 if none is due.
    pub fn answer(&mut self, line: &[u8], out: &mut [u8]) -> Result<usize, Full> {
        match Message::read(line) {
            Ok(Message::Request(request)) => self.request(&request, out),
            Ok(Message::Notification(_)) => Ok(0),
            Ok(Message::Response(_)) => {
                defmt::warn!("dropped: a response to nothing");
                Ok(0)
            }
            Err(refusal) => self.refuse(&refusal, out),
        }
    }

    /// Answers a message that is refused, where an answer is due, and logs why.
    pub fn refuse(&self, refusal: &Refusal<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let how = if refusal.is_answered() { "refused" } else { "dropped" };
        defmt::warn!("{=str}: {}", how, defmt::Display2Format(&refusal.reason()));
        refusal.write(out)
    }

    fn request(&mut self, request: &Request<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let is_modern = match request.params.era() {
            Ok(Era::Legacy) => false,
            Ok(Era::Modern { version, .. }) if version.equals(MODERN.as_bytes()) => true,
            Ok(Era::Modern { version, .. }) => {
                defmt::warn!("refused: protocol version {}", version);
                return reply::unsupported_version(out, request.id, &VERSIONS, version);
            }
            Err(reason) => return self.refuse(&request.refuse(reason), out),
        };
        if request.is("tools/call") {
            self.call(request, out)
        } else if request.is("tools/list") {
            let page = out.len().min(PAGE);
            self.tools.list(request, out.get_mut(..page).unwrap_or_default())
        } else if request.is("server/discover") && is_modern {
            reply::result(out, request.id, json(DISCOVERY))
        } else if request.is("initialize") && !is_modern {
            reply::result(out, request.id, json(HANDSHAKE))
        } else if request.is("ping") && !is_modern {
            reply::result(out, request.id, Raw::EMPTY_OBJECT)
        } else {
            self.refuse(&request.refuse(Reason::UnknownMethod), out)
        }
    }

    fn call(&mut self, request: &Request<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let mut issues = CallIssues::new();
        match self.tools.call(request, &mut issues, out)? {
            Called::Run(call) => self.device.run(&call, &mut issues, out),
            Called::Answered(length) => {
                self.log_refusal(request, &issues);
                Ok(length)
            }
        }
    }

    /// Logs a call that did not get to its tool: by its issues, where there are any.
    fn log_refusal(&self, request: &Request<'_>, issues: &CallIssues) {
        let name = request.params.name.unwrap_or(Raw::NULL);
        let Some((_, tool)) = name.string().and_then(|name| self.tools.find(name)) else {
            defmt::warn!("call {=str} refused: no tool {=str}", start(request.id), start(name));
            return;
        };
        if issues.as_slice().is_empty() {
            defmt::warn!(
                "call {=str} of {=str} refused: its arguments could not be checked",
                start(request.id),
                start(name)
            );
        }
        let arguments = request.params.arguments.unwrap_or(Raw::EMPTY_OBJECT);
        log_issues(request.id, "arguments", &tool.input(), arguments, issues);
    }
}

/// Logs what is wrong with arguments, or with a result.
pub fn log_issues(id: Raw<'_>, what: &str, program: &Program<'_>, value: Raw<'_>, issues: &CallIssues) {
    for issue in issues.iter() {
        defmt::warn!("call {=str}: {=str} refused {}", start(id), what, issue.describe(program, value.as_bytes()));
    }
}

/// As much of a value as is logged.
pub fn start(value: Raw<'_>) -> &str {
    let text = value.as_str();
    text.get(..LOGGED).unwrap_or(if text.len() < LOGGED { text } else { "…" })
}

/// One of the results below.
fn json(text: &str) -> Raw<'_> {
    Raw::new(text.as_bytes()).unwrap_or(Raw::NULL)
}

/// The result of `initialize` (MCP 2025-11-25, Lifecycle).
const HANDSHAKE: &str = concat!(
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"heating","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}"#
);

/// The result of `server/discover` (MCP 2026-07-28, Discovery).
const DISCOVERY: &str = concat!(
    r#"{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"ttlMs":0,"#,
    r#""cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"heating","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}}}"#
);
