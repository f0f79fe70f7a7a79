//! `microschema guard`: a gate in front of an MCP server over stdio.

mod frames;
mod relay;
pub mod sample;
mod signals;
mod streams;

use crate::options::Formats;
use crate::snippet::ERROR;
use clap::{Args, ValueEnum};
use microschema_mcp::stdio::Session;
use microschema_mcp::{Gate, Policy, Terms, Uncompilable};
use relay::Relay;
use signals::Signals;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};
use tracing::level_filters::LevelFilter;

/// The exit codes of `env` and `timeout` for a command that cannot be run, and for one that is not there.
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

const HELP: &str = "\
Everything that is no invalid call or result goes through byte for byte. Standard error and signals are the server's, as is the exit code;
126 and 127 tell that it could not be run.

Examples:
  microschema guard -- npx -y @modelcontextprotocol/server-everything
  microschema guard --report-only --stats -- mcp-server-time";

/// Guard an MCP server over stdio: check every call and every result against the schemas that the server declares.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Guard {
    /// Refuse nothing: tell in events, and let everything through.
    #[arg(long)]
    report_only: bool,
    /// Print a summary to standard error when the server has ended.
    #[arg(long)]
    stats: bool,
    /// What becomes of the calls of tools whose schemas cannot be honoured, or could not be learned.
    #[arg(long, value_enum, value_name = "FATE", default_value_t = Fate::Refuse)]
    uncompilable: Fate,
    /// Whether `format` is checked, or only an annotation as the specification has it.
    #[arg(long, value_enum, default_value_t = Formats::Assert)]
    formats: Formats,
    /// The longest message, in bytes. A longer one is answered with an error.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20)]
    max_message: usize,
    /// How long a call waits for the server to list its tools.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    list_timeout: u64,
    /// Which events are written to standard error. By default `warn`; with --report-only also what would have been refused is one.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::Warn)]
    log: Level,
    /// The server and its arguments. Without it a small sample server is guarded, with three tools.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// What becomes of calls that cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Fate {
    Refuse,
    Allow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

impl Guard {
    /// Runs the server, and exits as it did; where it died of a signal, so does this process.
    pub fn run(&self) -> ExitCode {
        tracing_subscriber::fmt()
            .with_max_level(self.log.filter())
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            // Nobody reads them where standard error is closed.
            .log_internal_errors(false)
            .init();
        let ended = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
            let ended = runtime.block_on(self.serve());
            // A read of standard input may still be under way, and would be waited for.
            runtime.shutdown_background();
            ended
        });
        match ended {
            Ok(status) => signals::end_likewise(status),
            Err(error) => {
                let command = self.command.first().map_or("the sample server".into(), |name| name.to_string_lossy());
                let _ = writeln!(io::stderr(), "{ERROR}cannot run {command}: {error}");
                if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN }.into()
            }
        }
    }

    async fn serve(&self) -> io::Result<ExitStatus> {
        let mut signals = Signals::new()?;
        let mut server = self.start()?;
        let (Some(input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(io::Error::other("it has no standard input or output"));
        };
        let relay = Relay::new(self.session(), streams::output()?, self.max_message);
        let mut to_server = std::pin::pin!(relay.client_to_server(streams::input()?, input));
        let mut to_client = std::pin::pin!(relay.server_to_client(output));
        let (mut listens, mut speaks) = (true, true);
        let status = loop {
            tokio::select! {
                () = &mut to_server, if listens => listens = false,
                () = &mut to_client, if speaks => speaks = false,
                signal = signals.next() => signals::forward(signal, &server),
                status = server.wait() => break status?,
            }
        };
        relay.server_has_ended();
        let rest = async {
            if speaks {
                to_client.await;
            }
            relay.flush().await;
        };
        // A signal has nowhere to go any more, and ends this.
        tokio::select! {
            () = rest => {}
            _ = signals.next() => {}
        }
        if self.stats {
            let _ = write!(io::stderr(), "{}", relay.session().stats());
        }
        Ok(status)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = match self.command.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            None => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg(sample::COMMAND);
                command
            }
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    }

    fn session(&self) -> Session {
        let uncompilable = match self.uncompilable {
            Fate::Refuse => Uncompilable::Refuse,
            Fate::Allow => Uncompilable::Allow,
        };
        let terms = Terms::new().uncompilable(uncompilable).assert_formats(self.formats == Formats::Assert);
        Session::new(Gate::new(Policy::new().terms(terms)))
            .report_only(self.report_only)
            .patience(Duration::from_secs(self.list_timeout))
            .keep(self.max_message.saturating_mul(2))
    }
}

impl Level {
    const fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
        }
    }
}
