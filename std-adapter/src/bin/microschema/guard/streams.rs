//! Standard input and output, unbuffered.
//!
//! A pipe is opened anew, which Linux allows: so it can be read and written without blocking, and stays as it is for whoever shares it.
//! Anything else (sockets, terminals, files) is read and written in another thread.

use std::io;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(target_os = "linux")]
use tokio::net::unix::pipe;

pub fn input() -> io::Result<Box<dyn AsyncRead + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Ok(Box::new(pipe));
    }
    Ok(Box::new(file(io::stdin())?))
}

pub fn output() -> io::Result<Box<dyn AsyncWrite + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
        return Ok(Box::new(pipe));
    }
    Ok(Box::new(file(io::stdout())?))
}

#[cfg(unix)]
fn file(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(File::from_std(stream.as_fd().try_clone_to_owned()?.into()))
}

#[cfg(windows)]
fn file(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    Ok(File::from_std(stream.as_handle().try_clone_to_owned()?.into()))
}
