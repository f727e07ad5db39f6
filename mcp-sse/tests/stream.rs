//! What a stream says is what is read from it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use mcp_sse::{Event, EventTooLarge, Parser};

/// Type, data, id and retry of one event.
type Fields<'a> = (&'a str, &'a str, Option<&'a str>, Option<u64>);

fn fields(event: &Event) -> Fields<'_> {
    let retry = event.retry.map(|retry| retry.as_millis().try_into().unwrap());
    (&event.event_type, &event.data, event.id.as_deref(), retry)
}

fn read(parser: &mut Parser, stream: impl AsRef<[u8]>) -> Vec<Event> {
    let mut bytes = stream.as_ref();
    let events = std::iter::from_fn(|| parser.next_event(&mut bytes).unwrap()).collect();
    assert_eq!(bytes, b"");
    events
}

/// Reads `stream` in pieces of every size, and compares.
#[track_caller]
fn check(stream: impl AsRef<[u8]>, expected: &[Fields<'_>]) {
    let stream = stream.as_ref();
    for size in 1..=stream.len().max(1) {
        let mut parser = Parser::new();
        let events: Vec<Event> =
            stream.chunks(size).flat_map(|piece| read(&mut parser, piece)).collect();
        let events: Vec<Fields<'_>> = events.iter().map(fields).collect();
        assert_eq!(events, expected, "{:?} in pieces of {size}", String::from_utf8_lossy(stream));
    }
}

#[track_caller]
fn check_data(stream: impl AsRef<[u8]>, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|&data| ("message", data, None, None)).collect();
    check(stream, &expected);
}

#[test]
fn a_blank_line_ends_an_event() {
    check("event: message\ndata: hello\n\n", &[("message", "hello", None, None)]);
    check_data("data: a\n", &[]);
    check_data("", &[]);
}

// B-SSE-1
#[test]
fn lf_crlf_and_cr_are_line_ends_and_nothing_else_is() {
    check_data("data: a\n\ndata: b\n\n", &["a", "b"]);
    check_data("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
    check_data("data: a\r\rdata: b\r\r", &["a", "b"]);
    check_data("data: a\r\n\ndata: b\n\rdata: c\r\r\n", &["a", "b", "c"]);
    check_data("data: a\ndata: b\rdata: c\r\ndata: d\n\r\n", &["a\nb\nc\nd"]);
    for other in ["\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
        let data = format!(r#"{{"text":"a{other}b"}}"#);
        check_data(format!("data: {data}\n\n"), &[&data]);
    }
}

// B-SSE-1
#[test]
fn a_line_end_in_two_pieces_counts_once() {
    let mut parser = Parser::new();
    assert_eq!(read(&mut parser, "data: a\r").len(), 0);
    assert_eq!(read(&mut parser, "\ndata: b\r").len(), 0);
    assert_eq!(read(&mut parser, "").len(), 0);
    let events = read(&mut parser, "\n\r");
    assert_eq!(events[0].data, "a\nb");
    assert_eq!(read(&mut parser, "\ndata: c\n\n")[0].data, "c");
}

#[test]
fn an_event_that_ends_in_cr_is_read_at_once() {
    let mut parser = Parser::new();
    assert_eq!(read(&mut parser, "data: a\r\r")[0].data, "a");
    assert_eq!(read(&mut parser, "data: b\r\n\r")[0].data, "b");
    assert_eq!(read(&mut parser, "\ndata: c\n\r")[0].data, "c");
}

// B-SSE-2
#[test]
fn blank_lines_alone_are_no_event() {
    check_data("\n\n\n\r\r\r\n\r\n", &[]);
    check_data("\n\ndata: a\n\n\n\n\ndata: b\n\n\n", &["a", "b"]);
}

// B-SSE-3
#[test]
fn a_comment_is_skipped_wherever_it_stands() {
    check_data(": keep-alive\n\n: keep-alive\n\ndata: a\n\n", &["a"]);
    check_data("data: a\n: data: b\n:\ndata: c\n\n", &["a\nc"]);
    check_data(":data: a\n\n", &[]);
    let two = "event: message\ndata: one\n\n: keep-alive\n\nevent: notification\ndata: two\n\n";
    check(two, &[("message", "one", None, None), ("notification", "two", None, None)]);
}

// B-SSE-4
#[test]
fn a_field_ends_at_the_first_colon_and_one_space() {
    let cases = [
        ("data:no-space", "no-space"),
        ("data:  two spaces", " two spaces"),
        ("data: a: b: c", "a: b: c"),
        ("data:\ttab", "\ttab"),
        ("data: trailing ", "trailing "),
        ("data::", ":"),
        ("data: :", ":"),
        ("data", ""),
        ("data:", ""),
        ("data: ", ""),
    ];
    for (line, data) in cases {
        check_data(format!("{line}\n\n"), &[data]);
    }
}

// B-SSE-4
#[test]
fn names_are_exact_and_the_others_are_ignored() {
    let cases = [
        "Data: x",
        " data: x",
        "data : x",
        "dat: x",
        "dataa: x",
        "EVENT: x",
        "Id: 1",
        "Retry: 1",
        "ids: 1",
        "x",
        "unknown",
        "unknown: x",
        "é",
    ];
    for line in cases {
        check_data(format!("{line}\n\n"), &[]);
        check_data(format!("data: a\n{line}\ndata: b\n\n"), &["a\nb"]);
    }
}

// B-SSE-5
#[test]
fn data_lines_are_joined_by_newlines() {
    check_data("data: {\ndata:   \"a\": 1\ndata: }\n\n", &["{\n  \"a\": 1\n}"]);
    check_data("data\ndata\n\n", &["\n"]);
    check_data("data: a\ndata\ndata: b\n\n", &["a\n\nb"]);
}

// B-SSE-5
#[test]
fn without_data_there_is_no_event_and_empty_data_is_data() {
    check_data("event: x\nid: 1\n\n", &[]);
    check_data("retry: 1\n\n", &[]);
    check_data("data: \n\n", &[""]);
    check("event: x\n\ndata: a\n\n", &[("message", "a", None, None)]);
}

// B-SSE-6
#[test]
fn an_event_without_a_type_is_a_message() {
    check("data: a\n\n", &[("message", "a", None, None)]);
    check("event:\ndata: a\n\n", &[("message", "a", None, None)]);
    check("event: x\nevent\ndata: a\n\n", &[("message", "a", None, None)]);
    check("event: x\nevent: y\ndata: a\n\n", &[("y", "a", None, None)]);
    check(
        "event: x\ndata: a\n\ndata: b\n\n",
        &[("x", "a", None, None), ("message", "b", None, None)],
    );
}

// B-SSE-7
#[test]
fn the_last_id_counts_unless_it_holds_nul() {
    check("id: 1\nid: 2\ndata: a\n\n", &[("message", "a", Some("2"), None)]);
    check("id: 1\nid\ndata: a\n\n", &[("message", "a", Some(""), None)]);
    check("id: 1\nid: 2\0\ndata: a\n\n", &[("message", "a", Some("1"), None)]);
    check("id: \0\ndata: a\n\n", &[("message", "a", None, None)]);
}

// B-SSE-8
#[test]
fn a_retry_is_ascii_digits() {
    let cases = [
        ("2500", Some(2500)),
        ("0", Some(0)),
        ("007", Some(7)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("soon", None),
        ("", None),
        ("+1", None),
        ("-1", None),
        ("1.5", None),
        ("1 ", None),
        ("٣", None),
    ];
    for (value, retry) in cases {
        check(format!("retry: {value}\ndata: a\n\n"), &[("message", "a", None, retry)]);
        let kept = retry.or(Some(9));
        check(format!("retry: 9\nretry: {value}\ndata: a\n\n"), &[("message", "a", None, kept)]);
    }
}

// B-SSE-8: a retry counts for the stream from its line on, whether or not an event carries it.
#[test]
fn the_stream_remembers_the_last_retry() {
    let mut parser = Parser::new();
    assert_eq!(parser.retry(), None);
    read(&mut parser, "retry: 500\n");
    assert_eq!(parser.retry(), Some(Duration::from_millis(500)));
    read(&mut parser, "\nretry: soon\ndata: a\n\n");
    assert_eq!(parser.retry(), Some(Duration::from_millis(500)));
}

// B-SSE-9
#[test]
fn an_event_carries_only_what_it_set() {
    check(
        "event: custom\nid: 42\nretry: 2500\ndata: a\n\ndata: b\nretry: soon\nunknown: field\n\n",
        &[("custom", "a", Some("42"), Some(2500)), ("message", "b", None, None)],
    );
}

// B-SSE-10
#[test]
fn the_last_event_id_is_kept() {
    let mut parser = Parser::new();
    let steps = [
        ("", ""),
        ("id: 7\ndata: a\n", ""),
        ("\n", "7"),
        ("data: no id\n\n", "7"),
        ("id: 9\n\n", "9"),
        ("id: nul\0\ndata: a\n\n", "9"),
        ("id: cut short\n", "9"),
        ("\n", "cut short"),
        ("id\n\n", ""),
    ];
    for (stream, expected) in steps {
        read(&mut parser, stream);
        assert_eq!(parser.last_event_id(), expected, "after {stream:?}");
    }
}

// B-SSE-11
#[test]
fn the_line_that_has_not_ended_can_be_seen() {
    let cases = [
        ("", ""),
        ("da", "da"),
        ("data:", "data:"),
        ("data: sec", "data: sec"),
        ("data:sec", "data:sec"),
        ("data: one\ndata: two", "data: two"),
        ("data: one\n", ""),
        ("event: x", "event: x"),
        ("id: 1\nid:2", "id:2"),
        ("other", "other"),
        ("unknown: field", ""),
        (": comment", ""),
        ("\u{feff}data: x", "data: x"),
    ];
    for (stream, tail) in cases {
        for size in [1, 100] {
            let mut parser = Parser::new();
            stream.as_bytes().chunks(size).for_each(|piece| drop(read(&mut parser, piece)));
            assert_eq!(parser.pending_tail(), tail, "{stream:?} in pieces of {size}");
        }
    }
    let mut parser = Parser::new();
    assert_eq!(read(&mut parser, "data: first\n\ndata: sec").len(), 1);
    assert_eq!(parser.pending_tail(), "data: sec");
    assert_eq!(read(&mut parser, "ond\n\n")[0].data, "second");
}

// B-SSE-12
#[test]
fn a_character_may_be_cut_anywhere() {
    check_data("data: café – naïve ✓ 🦀\n\n", &["café – naïve ✓ 🦀"]);
}

// B-SSE-12
#[test]
fn one_byte_order_mark_is_dropped_at_the_start() {
    check_data("\u{feff}data: a\n\n", &["a"]);
    check_data("\u{feff}\ndata: a\n\n", &["a"]);
    check_data("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &["b"]);
    check_data("data: a\n\n\u{feff}data: b\n\n", &["a"]);
    check_data("\n\u{feff}data: a\n\n", &[]);
    check_data("data: \u{feff}\n\n", &["\u{feff}"]);
    check_data(b"\xef\xbbdata: a\ndata: b\n\n", &["b"]);
    check_data(b"\xef\ndata: b\n\n", &["b"]);
}

// B-SSE-13, B-SSE-14, B-SSE-15: finishing takes the parser away, so nothing can be fed, finished
// or failed after it; dropping the parser is closing without the tail.
#[test]
fn a_finished_stream_gives_up_its_last_event() {
    let cases = [
        ("data: a", Some("a")),
        ("data: a\n", Some("a")),
        ("data: a\r", Some("a")),
        ("data: a\ndata", Some("a\n")),
        ("data:", Some("")),
        ("data: a\n: comm", Some("a")),
        ("data: a\n\n", None),
        ("id: 1\nevent: x", None),
        ("dat", None),
        ("\u{feff}", None),
        ("", None),
    ];
    for (stream, expected) in cases {
        let mut parser = Parser::new();
        read(&mut parser, stream);
        let last = parser.finish().unwrap();
        assert_eq!(last.as_ref().map(|event| event.data.as_str()), expected, "{stream:?}");
    }
    let mut parser = Parser::new();
    read(&mut parser, "event: x\ndata: a\nretry: 5\nid: 3");
    let last = parser.finish().unwrap().unwrap();
    assert_eq!(fields(&last), ("x", "a", Some("3"), Some(5)));
}

// B-SSE-16: there is no listener; what is not asked for stays in the caller's slice.
#[test]
fn events_wait_in_the_bytes_of_the_caller() {
    let mut parser = Parser::new();
    let mut bytes: &[u8] = b"data: a\n\ndata: b\n\nrest";
    assert_eq!(parser.next_event(&mut bytes).unwrap().unwrap().data, "a");
    assert_eq!(bytes, b"data: b\n\nrest");
    assert_eq!(parser.next_event(&mut bytes).unwrap().unwrap().data, "b");
    assert_eq!(parser.next_event(&mut bytes), Ok(None));
    assert_eq!(bytes, b"");
}

// B-SSE-18
#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    check_data(b"data: a\xffb\n\n", &["a\u{fffd}b"]);
    check_data(b"data: \xe2\x82\ndata: \xac\n\n", &["\u{fffd}\n\u{fffd}"]);
    check_data(b"data: e\xcc\n\ndata: ok\n\n", &["e\u{fffd}", "ok"]);
    check(b"event: \xff\nid: \xfe\ndata: a\n\n", &[("\u{fffd}", "a", Some("\u{fffd}"), None)]);
    let mut parser = Parser::new();
    read(&mut parser, b"data: caf\xc3");
    assert_eq!(parser.pending_tail(), "data: caf\u{fffd}");
    assert_eq!(parser.finish().unwrap().unwrap().data, "caf\u{fffd}");
}

#[test]
fn a_new_connection_starts_clean_and_remembers() {
    let mut parser = Parser::with_limit(100);
    read(&mut parser, "id: 5\nretry: 10\ndata: a\n\nid: 6\ndata: cut\r");
    parser.restart();
    assert_eq!((parser.last_event_id(), parser.pending_tail().as_str()), ("5", ""));
    assert_eq!(parser.retry(), Some(Duration::from_millis(10)));
    let events = read(&mut parser, "\u{feff}\ndata: b\n\n");
    assert_eq!(events.iter().map(fields).collect::<Vec<_>>(), [("message", "b", None, None)]);
    let too_large: Result<_, EventTooLarge> =
        parser.next_event(&mut format!("data: {}", "x".repeat(101)).as_bytes());
    assert_eq!(too_large.unwrap_err().limit(), 100);
}
