//! Streams of events, and the pieces in which they arrive.

use std::cell::Cell;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use futures::Stream;

/// What a parser found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) events: u64,
    pub(crate) data_bytes: u64,
}

impl Found {
    pub(crate) fn add(&mut self, data: &str) {
        // An event without data is no event.
        if !data.is_empty() {
            self.events += 1;
            self.data_bytes += data.len() as u64;
        }
    }
}

/// A stream, and what a parser must find in it.
pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) bytes: Bytes,
    pub(crate) expected: Found,
}

/// The kinds of streams, each of about `bytes` bytes.
pub(crate) fn loads(bytes: usize) -> Vec<Load> {
    vec![
        load("100 B", bytes, |number| one_line(100, number)),
        load("2 KiB", bytes, |number| one_line(2 << 10, number)),
        load("1 MiB", bytes, |number| one_line(1 << 20, number)),
        load("10 MiB", bytes, |number| one_line(10 << 20, number)),
        load("10 lines of 100 B", bytes, |number| {
            let line = json(100, number);
            let text = format!("event: message\n{}\n", format!("data: {line}\n").repeat(10));
            (text, 10 * line.len() + 9)
        }),
        load("200 B, CRLF, comments", bytes, |number| {
            let data = json(200, number);
            let text = format!(": keep-alive\r\n\r\nid: {number}\r\ndata: {data}\r\n\r\n");
            (text, data.len())
        }),
    ]
}

/// A stream of events whose data is one line of `length` bytes.
pub(crate) fn single(length: usize, bytes: usize) -> Load {
    load("single", bytes, |number| one_line(length, number))
}

fn load(name: &'static str, bytes: usize, event: impl Fn(u64) -> (String, usize)) -> Load {
    let mut text = String::new();
    let mut expected = Found::default();
    while text.len() < bytes {
        let (event, data) = event(expected.events);
        text.push_str(&event);
        expected.events += 1;
        expected.data_bytes += data as u64;
    }
    Load { name, bytes: Bytes::from(text), expected }
}

fn one_line(length: usize, number: u64) -> (String, usize) {
    let data = json(length, number);
    let length = data.len();
    (format!("event: message\nid: {number}\ndata: {data}\n\n"), length)
}

/// A message of about `length` bytes.
fn json(length: usize, number: u64) -> String {
    let mut json = format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{"text":""#);
    while json.len() + WORDS.len() + END.len() < length {
        json.push_str(WORDS);
    }
    let rest = length.saturating_sub(json.len() + END.len());
    json.push_str(WORDS.get(..rest).unwrap_or(WORDS));
    json.push_str(END);
    json
}

const WORDS: &str = "The quick brown fox jumps over the lazy dog, and again, and so on";
const END: &str = "\"}}";

/// The pieces of a stream, cut without copying; none after the deadline.
pub(crate) struct Pieces {
    pub(crate) rest: Bytes,
    pub(crate) size: usize,
    pub(crate) deadline: Instant,
    pub(crate) given: Rc<Cell<usize>>,
}

impl Pieces {
    pub(crate) fn next_piece(&mut self, at_most: usize) -> Option<Bytes> {
        if self.rest.is_empty() || Instant::now() > self.deadline {
            return None;
        }
        let length = self.size.min(at_most).min(self.rest.len());
        self.given.set(self.given.get() + length);
        Some(self.rest.split_to(length))
    }
}

impl Stream for Pieces {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.next_piece(usize::MAX).map(Ok))
    }
}

impl futures::io::AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        let Some(piece) = self.next_piece(buffer.len()) else { return Poll::Ready(Ok(0)) };
        for (to, from) in buffer.chunks_mut(piece.len().max(1)).zip([&piece]) {
            to.copy_from_slice(from);
        }
        Poll::Ready(Ok(piece.len()))
    }
}
