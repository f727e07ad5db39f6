//! Every line of a stream is found, however the stream is cut, and no more is kept than may be.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Reads `stream` in pieces of these sizes, over and over.
fn read(stream: &[u8], limit: usize, sizes: &[usize]) -> Vec<Line> {
    let mut lines = Lines::new(limit);
    let (mut read, mut rest) = (Vec::new(), stream);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at(rest.len().min(*size));
        lines.space().extend_from_slice(piece);
        read.extend(std::iter::from_fn(|| lines.next_line()));
        rest = behind;
    }
    read.extend(lines.finish());
    read
}

fn whole(text: &str) -> Line {
    Line::Whole(Bytes::copy_from_slice(text.as_bytes()))
}

fn too_long(beginning: &str, ending: &str, length: usize) -> Line {
    Line::TooLong {
        beginning: Bytes::copy_from_slice(beginning.as_bytes()),
        ending: Bytes::copy_from_slice(ending.as_bytes()),
        length,
    }
}

#[test]
fn a_line_ends_at_a_line_feed_and_nowhere_else() {
    // B-STDIO-15, B-STDIO-24
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("a", &["a"]),
        ("a\n", &["a"]),
        ("a\nb", &["a", "b"]),
        ("a\r\nb\r\n", &["a", "b"]),
        ("a\r\r\n", &["a\r"]),
        ("a\rb\n", &["a\rb"]),
        ("a\r", &["a"]),
        ("\n\r\n\n", &["", "", ""]),
        ("\u{2028}\u{2029}\u{85}\u{b}\u{c}\n", &["\u{2028}\u{2029}\u{85}\u{b}\u{c}"]),
    ];
    for (stream, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|line| whole(line)).collect();
        for size in 1..4 {
            assert_eq!(read(stream.as_bytes(), 100, &[size]), expected, "{stream:?} by {size}");
        }
    }
}

#[test]
fn a_line_may_be_as_long_as_the_limit() {
    let cases: &[(&str, &[Line])] = &[
        ("abcde\n", &[whole("abcde")]),
        ("abcde\r\nf\n", &[whole("abcde"), whole("f")]),
        ("abcde", &[whole("abcde")]),
        ("abcde\r", &[whole("abcde")]),
        ("abcdef\ng\n", &[too_long("abcde", "bcdef", 6), whole("g")]),
        ("abcdef\r\ng\n", &[too_long("abcde", "cdef\r", 7), whole("g")]),
        ("abcde\r\r\n", &[too_long("abcde", "cde\r\r", 7)]),
        ("abcdefghijkl", &[too_long("abcde", "hijkl", 12)]),
        (
            "abcdefghijkl\nabcdefghijkl\n",
            &[too_long("abcde", "hijkl", 12), too_long("abcde", "hijkl", 12)],
        ),
    ];
    for (stream, expected) in cases {
        for size in 1..=stream.len() {
            assert_eq!(read(stream.as_bytes(), 5, &[size]), *expected, "{stream:?} by {size}");
        }
    }
    assert_eq!(read(b"\na\n", 0, &[1]), [whole(""), too_long("", "", 1)]);
}

#[test]
fn a_line_is_held_back_until_it_has_ended() {
    // B-STDIO-15
    let mut lines = Lines::new(100);
    for piece in ["{\"a\":", "1}", "\r"] {
        lines.space().extend_from_slice(piece.as_bytes());
        assert_eq!(lines.next_line(), None, "{piece:?}");
    }
    lines.space().extend_from_slice(b"\n");
    assert_eq!(lines.next_line(), Some(whole("{\"a\":1}")));
    assert_eq!(lines.next_line(), None);
    assert_eq!(lines.finish(), None);
}

#[test]
fn both_ends_of_a_line_that_is_too_long_are_kept() {
    let line = ["b".repeat(KEPT), "m".repeat(1 << 20), "e".repeat(KEPT)].concat();
    let expected = || too_long(&"b".repeat(KEPT), &"e".repeat(KEPT), line.len());
    for size in [1 << 10, 8 << 10, 100_000, 1 << 22] {
        let stream = [line.as_bytes(), b"\nnext\n"].concat();
        let read = read(&stream, 10_000, &[size]);
        assert!(read == [expected(), whole("next")], "by {size}");
    }
}

#[test]
fn an_endless_line_needs_no_more_than_the_limit() {
    let mut lines = Lines::new(1 << 20);
    let piece = [b'x'; 50_000];
    for _ in 0..2000 {
        lines.space().extend_from_slice(&piece);
        assert_eq!(lines.next_line(), None);
        assert!(lines.buffer.capacity() <= 4 << 20, "{}", lines.buffer.capacity());
    }
    assert!(lines.buffer.len() <= 2 * KEPT, "{}", lines.buffer.len());
    lines.space().extend_from_slice(b"\nnext\n");
    assert!(matches!(lines.next_line(), Some(Line::TooLong { length: 100_000_000, .. })));
    assert_eq!(lines.next_line(), Some(whole("next")));
}

#[test]
fn a_long_line_takes_its_memory_with_it() {
    let mut lines = Lines::new(64 << 20);
    for _ in 0..200 {
        lines.space().extend_from_slice(&[b'x'; 50_000]);
        assert_eq!(lines.next_line(), None);
    }
    lines.space().extend_from_slice(b"\nnext");
    assert!(matches!(lines.next_line(), Some(Line::Whole(line)) if line.len() == 10_000_000));
    assert!(lines.space().capacity() <= 2 * LARGE, "{}", lines.buffer.capacity());
    assert_eq!(lines.finish(), Some(whole("next")));
}

#[test]
fn much_is_read_at_a_time_where_much_comes_and_little_is_kept_where_little_does() {
    let mut lines = Lines::new(1 << 20);
    assert!(lines.space().capacity() <= 2 * ROOM);
    for _ in 0..10 {
        let space = lines.space();
        let room = space.capacity() - space.len();
        space.extend_from_slice("a\n".repeat(room / 2).as_bytes());
        while lines.next_line().is_some() {}
    }
    assert!(lines.space().capacity() >= LARGE, "{}", lines.buffer.capacity());
    for _ in 0..10 {
        lines.space().extend_from_slice(b"a\n");
        assert_eq!(lines.next_line(), Some(whole("a")));
        assert_eq!(lines.next_line(), None);
    }
    assert!(lines.space().capacity() <= 5 * ROOM, "{}", lines.buffer.capacity());
}

#[test]
fn a_short_line_that_came_alone_leaves_the_buffer_free() {
    let mut lines = Lines::new(100);
    lines.space().extend_from_slice(b"one\n");
    let place = lines.buffer.as_ptr();
    let kept = lines.next_line();
    lines.space().extend_from_slice(b"two\n");
    assert_eq!(lines.buffer.as_ptr(), place);
    assert_eq!((kept, lines.next_line()), (Some(whole("one")), Some(whole("two"))));
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        // Short lines of few letters, so that CR and the limit meet in every way.
        written in vec((vec(prop_oneof![Just(b'a'), Just(b'\r'), any::<u8>()], 0..12), any::<bool>()), 0..12),
        is_last_ended in any::<bool>(),
        sizes in vec(1_usize..9, 1..9),
        limit in 0_usize..14,
    ) {
        let mut stream = Vec::new();
        let mut expected = Vec::new();
        let count = written.len();
        for (index, (line, has_cr)) in written.into_iter().enumerate() {
            let mut raw: Vec<u8> = line.into_iter().filter(|&byte| byte != b'\n').collect();
            if has_cr {
                raw.push(b'\r');
            }
            stream.extend_from_slice(&raw);
            let is_ended = is_last_ended || index + 1 < count;
            if is_ended {
                stream.push(b'\n');
            } else if raw.is_empty() {
                continue;
            }
            let text = raw.strip_suffix(b"\r").unwrap_or(&raw);
            expected.push(if text.len() <= limit {
                Line::Whole(Bytes::copy_from_slice(text))
            } else {
                Line::TooLong {
                    beginning: Bytes::copy_from_slice(&raw[..limit]),
                    ending: Bytes::copy_from_slice(&raw[raw.len() - limit..]),
                    length: raw.len(),
                }
            });
        }
        prop_assert_eq!(read(&stream, limit, &sizes), expected);
    }
}
