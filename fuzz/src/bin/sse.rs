//! Event streams: what is read depends neither on where they are cut nor on what came before.

use std::process::ExitCode;

use mcp_fuzz::{Random, Target};
use mcp_sse::{Event, EventTooLarge, Parser};

/// The grammar again, the slow and simple way.
#[path = "../../../mcp-sse/tests/standard/mod.rs"]
mod standard;

fn main() -> ExitCode {
    Target { name: "sse", examples: EXAMPLES, words: WORDS, check }.main()
}

/// The first bytes say how to cut the rest, and how large an event may be.
fn check(input: &[u8]) {
    let Some((&[limit, cut], stream)) = input.split_first_chunk() else { return };
    let limit = usize::from(limit);
    let whole = read(stream, limit, |left| left);
    let mut random = Random::new(cut.into());
    let longest = 1 + usize::from(cut) % 40;
    let pieces = read(stream, limit, |_| 1 + random.below(longest));
    assert_eq!(pieces, whole, "limit {limit}");

    let (events, last_event_id) = standard::read(stream);
    let mut parser = Parser::new();
    let mut bytes = stream;
    for expected in events {
        let event = parser.next_event(&mut bytes).expect("it fits").expect("an event");
        let retry = event.retry.map(|retry| retry.as_millis().try_into().expect("it fits"));
        assert_eq!((event.event_type.into_owned(), event.data, event.id, retry), expected);
    }
    assert_eq!(parser.next_event(&mut bytes), Ok(None));
    assert_eq!(parser.last_event_id(), last_event_id);
}

/// All that a stream says when it comes in pieces of the sizes given.
fn read(
    stream: &[u8],
    limit: usize,
    mut size: impl FnMut(usize) -> usize,
) -> (Vec<Result<Event, EventTooLarge>>, String, String) {
    // A byte that is no text becomes a character of three.
    let bound = 3 * limit;
    let mut parser = Parser::with_limit(limit);
    let mut found = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let (mut piece, after) = rest.split_at(size(rest.len()).min(rest.len()));
        rest = after;
        while let Some(event) = parser.next_event(&mut piece).transpose() {
            found.push(event);
        }
        assert!(piece.is_empty(), "a piece is used up");
        let tail = parser.pending_tail().len();
        assert!(tail <= bound + 3 * "event: ".len(), "the tail is bounded");
    }
    let (tail, id) = (parser.pending_tail(), parser.last_event_id().to_owned());
    found.extend(parser.finish().transpose());
    for event in found.iter().flatten() {
        let len = event.data.len() + event.id.as_ref().map_or(0, String::len);
        assert!(len <= bound, "an event is bounded");
    }
    (found, tail, id)
}

const EXAMPLES: &[&[u8]] = &[
    b"\xff\x05event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
    b"\x40\x01id: 7\nretry: 2500\ndata: one\ndata: two\n\n: keep-alive\n\ndata: three\n\n",
    b"\x10\x03\xef\xbb\xbfdata: a\r\n\r\ndata\r\rdata: caf\xc3\xa9\r\n\r\n",
    b"\x04\x02id: 1\ndata: too large an event\n\ndata: ok\n\nevent: x\n\n",
];

const WORDS: &[&[u8]] = &[
    b"data",
    b"data:",
    b"data: ",
    b"event: ",
    b"id: ",
    b"id",
    b"retry: ",
    b"42",
    b":",
    b": ",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b" ",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"\xff",
    b"message",
    b"unknown: field\n",
    b"data: x\n\n",
];
