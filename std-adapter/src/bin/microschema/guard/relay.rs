//! The two directions, each a loop: lines in, what the session makes of them out.
//!
//! Only the client's loop writes to the server: what a line of the server brings about (a next page, calls that may go on) waits for it
//! to wake up. So the server's output is read on whatever becomes of its input, and the two cannot block each other.

use super::frames::{Frame, Frames};
use microschema_mcp::stdio::{Passage, Session};
use std::borrow::Cow;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex as AsyncMutex, Notify, SetOnce};

/// How long a server that has exited may be silent while its output is not closed: another process holds it, for which nobody waits.
const SILENCE: Duration = Duration::from_secs(2);

/// What both directions share.
#[derive(Debug)]
pub struct Relay<C> {
    session: Mutex<Session>,
    /// The way to the client: both loops write to it, a line at a time.
    client: AsyncMutex<C>,
    /// Something is due for the server.
    due: Notify,
    /// The server has exited.
    ended: SetOnce<()>,
    most: usize,
}

impl<C: AsyncWrite + Unpin> Relay<C> {
    pub fn new(session: Session, client: C, most: usize) -> Self {
        Self {
            session: Mutex::new(session),
            client: AsyncMutex::new(client),
            due: Notify::new(),
            ended: SetOnce::new(),
            most,
        }
    }

    pub fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what the client sends, until it has no more and nothing waits; then the server's input is closed.
    pub async fn client_to_server(&self, client: impl AsyncRead + Unpin, server: impl AsyncWrite + Unpin) {
        if let Err(error) = self.pass_to_server(client, server).await {
            tracing::debug!(%error, "the way from the client to the server has ended");
        }
    }

    /// Passes on what the server sends, until it has no more or the client is gone; then the server's output is closed.
    pub async fn server_to_client(&self, server: impl AsyncRead + Unpin) {
        if let Err(error) = self.pass_to_client(server).await {
            tracing::debug!(%error, "the way from the server to the client has ended");
        }
    }

    async fn pass_to_server(
        &self,
        client: impl AsyncRead + Unpin,
        mut server: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut frames = Frames::new(client, self.most);
        let mut is_over = false;
        while !is_over || self.session().is_waiting() {
            let deadline = self.session().deadline();
            let passage = tokio::select! {
                frame = frames.next(), if !is_over => match frame? {
                    Frame::Line(line) => self.session().from_client(line),
                    Frame::Part { bytes, is_last } => self.session().part_from_client(bytes, is_last),
                    Frame::End => {
                        is_over = true;
                        Passage::default()
                    }
                },
                () = self.due.notified() => Passage::default(),
                () = until(deadline) => {
                    self.session().expire();
                    Passage::default()
                }
            };
            self.send(passage, &mut server).await?;
            while self.session().is_due() {
                let passage = self.session().due();
                self.send(passage, &mut server).await?;
            }
        }
        server.shutdown().await
    }

    async fn send(&self, passage: Passage<'_>, server: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        if !passage.onward.is_empty() {
            server.write_all(&passage.onward).await?;
            server.flush().await?;
        }
        self.answer(&passage.back).await
    }

    async fn pass_to_client(&self, server: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut frames = Frames::new(server, self.most);
        loop {
            let frame = tokio::select! {
                frame = frames.next() => frame?,
                () = self.silence() => {
                    tracing::warn!("the server has exited, but another process holds its output: it is not read any more");
                    return Ok(());
                }
            };
            let line: Cow<'_, [u8]> = match frame {
                Frame::Line(line) => self.session().from_server(line),
                Frame::Part { bytes, is_last } => self.session().part_from_server(bytes, is_last),
                Frame::End => return Ok(()),
            };
            if self.session().is_due() {
                self.due.notify_one();
            }
            self.answer(&line).await?;
        }
    }

    /// Waits until everything is written to the client.
    pub async fn flush(&self) {
        if let Err(error) = self.client.lock().await.flush().await {
            tracing::debug!(%error, "the client did not get all of the output");
        }
    }

    /// Tells that the server has exited.
    pub fn server_has_ended(&self) {
        let _ = self.ended.set(());
    }

    async fn silence(&self) {
        self.ended.wait().await;
        tokio::time::sleep(SILENCE).await;
    }

    async fn answer(&self, line: &[u8]) -> io::Result<()> {
        if !line.is_empty() {
            // No flush: at worst another thread still writes, for which the next line waits.
            self.client.lock().await.write_all(line).await?;
        }
        Ok(())
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
