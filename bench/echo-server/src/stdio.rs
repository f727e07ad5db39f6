//! Lines on standard input and output.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use crate::answer::{Answer, Server};

/// Answers each line of standard input, until it ends.
///
/// # Errors
///
/// Reading or writing failed; a client that is gone is no error.
pub fn serve(mut server: Server) -> io::Result<()> {
    let (mut input, mut output) = files()?;
    let mut chunk = vec![0; CHUNK];
    let (mut unread, mut answers) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    loop {
        let length = input.read(&mut chunk)?;
        if length == 0 {
            return Ok(());
        }
        unread.extend_from_slice(chunk.get(..length).unwrap_or_default());
        let mut rest = unread.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if !line.is_empty() && server.answer(line, &mut answers) != Answer::Nothing {
                answers.push(b'\n');
            }
        }
        let read = unread.len() - rest.len();
        unread.drain(..read);
        if !answers.is_empty() {
            if let Err(error) = output.write_all(&answers) {
                return gone(error);
            }
            answers.clear();
        }
    }
}

/// Writes back whatever arrives: what a round trip through pipes costs at the least.
///
/// # Errors
///
/// As for [`serve`].
pub fn copy() -> io::Result<()> {
    let (mut input, mut output) = files()?;
    let mut chunk = vec![0; 1 << 20];
    loop {
        let length = input.read(&mut chunk)?;
        if length == 0 {
            return Ok(());
        }
        if let Err(error) = output.write_all(chunk.get(..length).unwrap_or_default()) {
            return gone(error);
        }
    }
}

/// Standard input and output without the buffers of `std`.
fn files() -> io::Result<(File, File)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

fn gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Bytes that are read at once: as many as a pipe holds.
const CHUNK: usize = 1 << 16;
