//! An event that is too large costs itself, and nothing else.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_sse::{DEFAULT_LIMIT, Parser};

/// The data of each event, or `None` where an event was too large.
fn read(limit: usize, stream: &str, size: usize) -> Vec<Option<String>> {
    let mut parser = Parser::with_limit(limit);
    let mut found = Vec::new();
    for mut piece in stream.as_bytes().chunks(size) {
        loop {
            match parser.next_event(&mut piece) {
                Ok(Some(event)) => found.push(Some(event.data)),
                Ok(None) => break,
                Err(_) => found.push(None),
            }
        }
    }
    match parser.finish() {
        Ok(last) => found.extend(last.map(|event| Some(event.data))),
        Err(_) => found.push(None),
    }
    found
}

// B-SSE-17
#[test]
fn what_an_event_keeps_is_what_counts() {
    let cases: &[(&str, &[Option<&str>])] = &[
        ("data: 12345678\n\n", &[Some("12345678")]),
        ("data: 123456789\n\n", &[None]),
        ("data: 123456789", &[None]),
        ("data: 1234\ndata: 678\n\n", &[Some("1234\n678")]),
        ("data: 1234\ndata: 6789\n\n", &[None]),
        ("data: 1234567\ndata\n\n", &[Some("1234567\n")]),
        ("data: 12345678\ndata\n\n", &[None]),
        ("data: 12345678\ndata", &[None]),
        ("data: 12345678\ndata:\ndata: b\n\ndata: c\n\n", &[None, Some("c")]),
        ("event: 1234\ndata: 5678\n\n", &[Some("5678")]),
        ("event: 1234\ndata: 56789\n\n", &[None]),
        ("id: 1234\ndata: 56789\n\n", &[None]),
        ("data: 1234\nid: 56789\n\n", &[None]),
        ("id: 123456789\n\n", &[None]),
        ("data: 1234567\nretry: 10\n\n", &[None]),
        ("event: 12345678\nevent: \ndata: 12345678\n\n", &[Some("12345678")]),
        (": 123456789\n123456789: x\ndata: 12345678\n: 123456789\n\n", &[Some("12345678")]),
        ("data: a\n\ndata: 123456789\ndata: b\n\ndata: c\n\n", &[Some("a"), None, Some("c")]),
        ("data: 123456789\ndata: 123456789\nid: 123456789\n\n", &[None]),
        ("data: 123456789\r\n\r\ndata: c\r\n\r\n", &[None, Some("c")]),
        ("data: 123456789\n\ndata: 123456789\n\n", &[None, None]),
    ];
    for (stream, expected) in cases {
        for size in 1..=stream.len() {
            let expected: Vec<_> = expected.iter().map(|data| data.map(str::to_owned)).collect();
            assert_eq!(read(8, stream, size), expected, "{stream:?} in pieces of {size}");
        }
    }
}

#[test]
fn the_error_names_the_limit() {
    let error = Parser::with_limit(3).next_event(&mut &b"data: 1234"[..]).unwrap_err();
    assert_eq!(error.limit(), 3);
    assert_eq!(error.to_string(), "an event is larger than the limit of 3 bytes");
}

#[test]
fn the_error_comes_with_the_byte_that_is_too_many() {
    let mut parser = Parser::with_limit(3);
    assert_eq!(parser.next_event(&mut &b"data: 123"[..]), Ok(None));
    parser.next_event(&mut &b"4"[..]).unwrap_err();
    assert_eq!(parser.next_event(&mut &b"5678\ndata: 9"[..]), Ok(None));
    assert_eq!(parser.pending_tail(), "");
}

#[test]
fn a_skipped_event_still_moves_the_place_to_resume_at() {
    for stream in ["id: 7\ndata: 123456789\n\n", "data: 123456789\nretry: 5\nid: 7\n\n"] {
        let mut parser = Parser::with_limit(8);
        let mut bytes = stream.as_bytes();
        parser.next_event(&mut bytes).unwrap_err();
        assert_eq!(parser.last_event_id(), "");
        assert_eq!(parser.next_event(&mut bytes), Ok(None));
        assert_eq!(parser.last_event_id(), "7", "{stream:?}");
    }
}

#[test]
fn no_part_of_an_id_that_is_too_large_is_an_id() {
    let mut parser = Parser::with_limit(8);
    assert_eq!(parser.next_event(&mut &b"id: 12345678"[..]), Ok(None));
    parser.next_event(&mut &b"9"[..]).unwrap_err();
    assert_eq!(parser.next_event(&mut &b"10\n\n"[..]), Ok(None));
    assert_eq!(parser.last_event_id(), "");
}

#[test]
fn endless_comments_are_no_event() {
    let mut parser = Parser::with_limit(8);
    for _ in 0..1000 {
        assert_eq!(parser.next_event(&mut &b": keep-alive\n: "[..]), Ok(None));
        assert_eq!(parser.next_event(&mut &b"123456789"[..]), Ok(None));
    }
    let mut bytes: &[u8] = b"\ndata: a\n\n";
    assert_eq!(parser.next_event(&mut bytes).unwrap().unwrap().data, "a");
}

#[test]
fn an_event_of_the_default_limit_is_read() {
    assert_eq!(DEFAULT_LIMIT, 67_108_864);
    let data = "x".repeat(DEFAULT_LIMIT);
    let mut parser = Parser::default();
    assert_eq!(parser.next_event(&mut &b"data: "[..]), Ok(None));
    assert_eq!(parser.next_event(&mut data.as_bytes()), Ok(None));
    assert_eq!(parser.next_event(&mut &b"\n\n"[..]).unwrap().unwrap().data.len(), DEFAULT_LIMIT);
    assert_eq!(parser.next_event(&mut &b"data: "[..]), Ok(None));
    assert_eq!(parser.next_event(&mut data.as_bytes()), Ok(None));
    parser.next_event(&mut &b"x"[..]).unwrap_err();
}
