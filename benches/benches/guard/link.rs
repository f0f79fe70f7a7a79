//! A server at the other end of two pipes.

use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server that runs.
#[derive(Debug)]
pub struct Link {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The last answer.
    pub answer: Vec<u8>,
}

impl Link {
    /// Starts a server and shakes hands.
    pub fn start(mut command: Command) -> Result<Self, Box<dyn Error>> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".into());
        };
        let output = BufReader::with_capacity(1 << 16, output);
        let mut link = Self { child, input, output, answer: Vec::new() };
        link.ask(&request(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}),
        ))?;
        link.input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(link)
    }

    /// Sends a line, and waits for one.
    pub fn ask(&mut self, line: &[u8]) -> Result<&[u8], Box<dyn Error>> {
        self.input.write_all(line)?;
        self.answer.clear();
        self.output.read_until(b'\n', &mut self.answer)?;
        if self.answer.is_empty() { Err("the server has ended".into()) } else { Ok(&self.answer) }
    }

    /// A field of the server's `/proc/PID/status`, in KiB.
    pub fn status(&self, field: &str) -> Result<u64, Box<dyn Error>> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such field")?;
        Ok(line.trim_start_matches(':').trim().trim_end_matches(" kB").parse()?)
    }

    /// Closes the pipes and waits for the server to end.
    pub fn end(self) -> Result<(), Box<dyn Error>> {
        let Self { mut child, input, output, .. } = self;
        drop((input, output));
        child.wait()?;
        Ok(())
    }
}

/// A request, as a line.
pub fn request(method: &str, params: &Value) -> Vec<u8> {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).into_bytes()
}

/// A call with these arguments, as they are spelled.
pub fn call(tool: &str, arguments: &str) -> Vec<u8> {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n").into_bytes()
}
