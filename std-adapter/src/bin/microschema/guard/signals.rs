//! Signals: those that are sent to this process go to the server, and what the server dies of, this process dies of.

#[cfg(unix)]
pub use unix::{Signals, end_likewise, forward};

#[cfg(not(unix))]
pub use elsewhere::{Signals, end_likewise, forward};

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{ExitCode, ExitStatus};
    use tokio::process::Child;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::mpsc::{Receiver, channel};

    /// The signals that are passed on, as they come.
    #[derive(Debug)]
    pub struct Signals(Receiver<SignalKind>);

    impl Signals {
        /// Catches them from now on.
        pub fn new() -> io::Result<Self> {
            let (sender, receiver) = channel(8);
            for kind in [
                SignalKind::hangup(),
                SignalKind::interrupt(),
                SignalKind::quit(),
                SignalKind::terminate(),
                SignalKind::user_defined1(),
                SignalKind::user_defined2(),
            ] {
                let (mut signals, sender) = (signal(kind)?, sender.clone());
                tokio::spawn(async move { while signals.recv().await.is_some() && sender.send(kind).await.is_ok() {} });
            }
            Ok(Self(receiver))
        }

        pub async fn next(&mut self) -> SignalKind {
            match self.0.recv().await {
                Some(kind) => kind,
                None => std::future::pending().await,
            }
        }
    }

    /// Sends a signal on. One that comes too late goes nowhere: the process has no id any more.
    pub fn forward(kind: SignalKind, server: &Child) {
        let pid = server.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(kind.as_raw_value()))
            && let Err(error) = kill_process(pid, signal)
        {
            tracing::warn!(%error, signal = kind.as_raw_value(), "a signal could not be passed on");
        }
    }

    /// The exit code of the server; or else dies of the signal that it died of.
    pub fn end_likewise(status: ExitStatus) -> ExitCode {
        if let Some(signal) = status.signal() {
            // Ends this process, unless the signal is none that ends one: then the exit code is what shells make of it.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            return u8::try_from(128 + signal).unwrap_or(u8::MAX).into();
        }
        status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX).into()
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::process::{ExitCode, ExitStatus};
    use tokio::process::Child;

    /// There are none: a console sends its events to the server as well.
    #[derive(Debug)]
    pub struct Signals;

    impl Signals {
        pub fn new() -> std::io::Result<Self> {
            Ok(Self)
        }

        pub async fn next(&mut self) {
            std::future::pending().await
        }
    }

    pub fn forward((): (), _: &Child) {}

    /// The exit code of the server.
    pub fn end_likewise(status: ExitStatus) -> ExitCode {
        std::process::exit(status.code().unwrap_or(1))
    }
}
