//! What is written to a stream is read from it, wherever the network cuts it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod standard;

use mcp_sse::{Event, EventTooLarge, Parser};
use proptest::prelude::*;

/// One event to write: its type, its lines of data, its id and its retry.
type Written = (Option<String>, Vec<String>, Option<String>, Option<u32>);

fn written() -> impl Strategy<Value = Written> {
    let lines = prop::collection::vec("[a-zé:✓ \u{2028}]{0,9}", 1..4);
    let event_type = prop::option::of("[a-z/ ]{1,9}");
    let id = prop::option::of("[a-z0-9é]{0,9}");
    (event_type, lines, id, prop::option::of(any::<u32>()))
}

/// Writes an event with `end` after each line, and noise that says nothing.
fn write(event: &Written, end: &str, noise: &str) -> String {
    let (event_type, lines, id, retry) = event;
    let mut stream = String::new();
    let mut line = |text: String| stream.extend([&text, end, noise, end]);
    event_type.iter().for_each(|event_type| line(format!("event: {event_type}")));
    lines.iter().for_each(|data| line(format!("data: {data}")));
    id.iter().for_each(|id| line(format!("id: {id}")));
    retry.iter().for_each(|retry| line(format!("retry: {retry}")));
    stream + end
}

/// Reads `stream` in pieces of the sizes given, over and over, to its last event id.
fn read(
    stream: &[u8],
    sizes: &[usize],
    limit: usize,
) -> (Vec<Result<Event, EventTooLarge>>, String) {
    let mut parser = Parser::with_limit(limit);
    let mut found = Vec::new();
    let (mut rest, mut sizes) = (stream, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = (*sizes.next().unwrap()).clamp(1, rest.len());
        let (mut piece, after) = rest.split_at(size);
        rest = after;
        found.extend(std::iter::from_fn(|| parser.next_event(&mut piece).transpose()));
        assert_eq!(piece, b"");
    }
    let last_event_id = parser.last_event_id().to_owned();
    found.extend(parser.finish().transpose());
    (found, last_event_id)
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1usize..40, 1..8)
}

/// Bytes in which the grammar happens often.
fn stream_like() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&[u8]> = vec![
        b"data",
        b"event",
        b"id",
        b"retry",
        b":",
        b" ",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"data: ",
        b"data: x\n",
        b"id: 1\n",
        b"1",
        b"x",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xef",
        b"\xc3\xa9",
        b"\xff",
    ];
    let word = prop::sample::select(words).prop_map(<[u8]>::to_vec);
    let any_byte = any::<u8>().prop_map(|byte| vec![byte]);
    prop::collection::vec(prop_oneof![9 => word, 1 => any_byte], 0..60)
        .prop_map(|words| words.concat())
}

proptest! {
    // B-SSE-1, B-SSE-12
    #[test]
    fn what_is_written_is_read(
        events in prop::collection::vec(written(), 0..5),
        end in prop::sample::select(vec!["\n", "\r", "\r\n"]),
        noise in prop::sample::select(vec![":", ": keep-alive", "unknown: x", "x"]),
        sizes in sizes(),
    ) {
        let stream: String = events.iter().map(|event| write(event, end, noise)).collect();
        let (read, _) = read(stream.as_bytes(), &sizes, 1000);
        let read: Vec<_> = read.into_iter().map(|event| {
            let event = event.unwrap();
            (event.event_type.into_owned(), event.data, event.id, event.retry)
        }).collect();
        let written: Vec<_> = events.into_iter().map(|(event_type, lines, id, retry)| {
            let retry = retry.map(|retry| std::time::Duration::from_millis(retry.into()));
            (event_type.unwrap_or_else(|| "message".to_owned()), lines.join("\n"), id, retry)
        }).collect();
        prop_assert_eq!(read, written);
    }

    #[test]
    fn where_the_stream_is_cut_changes_nothing(
        stream in stream_like(),
        sizes in sizes(),
        limit in 0usize..30,
    ) {
        prop_assert_eq!(read(&stream, &sizes, limit), read(&stream, &[usize::MAX], limit));
    }

    // B-SSE-1 to B-SSE-10, B-SSE-12, B-SSE-18
    #[test]
    fn a_stream_is_read_as_the_standard_says(stream in stream_like(), sizes in sizes()) {
        let mut parser = Parser::new();
        let mut read = Vec::new();
        let (mut rest, mut sizes) = (&stream[..], sizes.iter().cycle());
        while !rest.is_empty() {
            let (mut piece, after) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
            rest = after;
            while let Some(event) = parser.next_event(&mut piece).unwrap() {
                let retry = event.retry.map(|retry| u64::try_from(retry.as_millis()).unwrap());
                read.push((event.event_type.into_owned(), event.data, event.id, retry));
            }
        }
        prop_assert_eq!((read, parser.last_event_id().to_owned()), standard::read(&stream));
    }

    #[test]
    fn any_bytes_can_be_read(stream in prop::collection::vec(any::<u8>(), 0..300), sizes in sizes()) {
        read(&stream, &sizes, 1000);
    }
}
