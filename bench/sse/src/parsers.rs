//! The parsers.

use futures::StreamExt;
use futures::executor::block_on;

use crate::streams::{Found, Pieces};

/// Reads a stream to its end, or until there are no more pieces.
pub(crate) type Parse = fn(Pieces) -> Result<Found, String>;

/// Each parser's name, and how it is run.  The first is ours.
pub(crate) const PARSERS: [(&str, Parse); 5] = [
    ("ours", ours),
    ("sseer", sseer),
    ("sse-stream", sse_stream),
    ("sse-codec", sse_codec),
    ("eventsource-stream", eventsource_stream),
];

fn ours(mut pieces: Pieces) -> Result<Found, String> {
    let mut parser = mcp_sse::Parser::with_limit(usize::MAX);
    let mut found = Found::default();
    while let Some(piece) = pieces.next_piece(usize::MAX) {
        let mut bytes: &[u8] = &piece;
        while let Some(event) = parser.next_event(&mut bytes).map_err(|it| it.to_string())? {
            found.add(&event.data);
        }
    }
    Ok(found)
}

fn sseer(pieces: Pieces) -> Result<Found, String> {
    let mut events = sseer::event_stream::EventStream::new(pieces);
    let mut found = Found::default();
    while let Some(event) = block_on(events.next()) {
        found.add(&event.map_err(|it| it.to_string())?.data);
    }
    Ok(found)
}

fn sse_stream(pieces: Pieces) -> Result<Found, String> {
    let mut events = sse_stream::SseStream::from_bytes_stream(pieces);
    let mut found = Found::default();
    while let Some(event) = block_on(events.next()) {
        found.add(&event.map_err(|it| it.to_string())?.data.unwrap_or_default());
    }
    Ok(found)
}

fn sse_codec(pieces: Pieces) -> Result<Found, String> {
    let mut events = sse_codec::decode_stream(pieces);
    let mut found = Found::default();
    while let Some(event) = block_on(events.next()) {
        if let sse_codec::Event::Message { data, .. } = event.map_err(|it| it.to_string())? {
            found.add(&data);
        }
    }
    Ok(found)
}

fn eventsource_stream(pieces: Pieces) -> Result<Found, String> {
    let mut events = eventsource_stream::EventStream::new(pieces);
    let mut found = Found::default();
    while let Some(event) = block_on(events.next()) {
        found.add(&event.map_err(|it| it.to_string())?.data);
    }
    Ok(found)
}
