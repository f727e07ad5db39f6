//! The events of a response, and where the stream of them can be taken up again.

use std::time::Duration;

use bytes::{Buf, Bytes};
use mcp_sse::{Event, Parser};

use crate::http::body::Body;

/// A stream of events.
#[derive(Debug)]
pub(crate) struct Events {
    body: Body,
    parser: Parser,
    /// What has come and was not parsed yet.
    piece: Bytes,
    /// The stream has ended, or broken; why, if it broke.
    end: Option<Option<String>>,
    place: Place,
    has_brought: bool,
}

/// Where a stream ended.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Place {
    /// The id of the last event that had one; empty if none had.
    pub(crate) last_event_id: String,
    /// How long the server wants its client to wait before it comes back.
    pub(crate) retry: Option<Duration>,
}

/// What comes next in a stream.
#[derive(Debug)]
pub(crate) enum Next {
    Event(Event),
    /// An event was left out because it was larger than the limit.
    TooLarge,
    /// The stream has ended.
    End,
    /// The stream broke, and this is why.
    Broken(String),
}

impl Events {
    /// A stream that goes on at `place`, and whose events have at most `limit` bytes.
    pub(crate) fn new(body: Body, limit: usize, place: Place) -> Self {
        let parser = Parser::with_limit(limit);
        Self { body, parser, piece: Bytes::new(), end: None, place, has_brought: false }
    }

    pub(crate) async fn next(&mut self) -> Next {
        loop {
            if let Some(next) = self.parse() {
                return next;
            }
            match &self.end {
                Some(None) => return Next::End,
                Some(Some(cause)) => return Next::Broken(cause.clone()),
                None => (),
            }
            match self.body.piece().await {
                Ok(Some(piece)) => self.piece = piece,
                Ok(None) => {
                    self.end = Some(None);
                    // What no blank line has ended is honoured all the same.
                    match std::mem::take(&mut self.parser).finish() {
                        Ok(Some(event)) => return self.bring(event),
                        Ok(None) => (),
                        Err(_) => return Next::TooLarge,
                    }
                }
                Err(cause) => self.end = Some(Some(cause)),
            }
        }
    }

    /// Where the stream can be taken up again.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether anything has come.
    pub(crate) fn has_brought(&self) -> bool {
        self.has_brought
    }

    /// Parses no more, so that what is left of the body can be read away.
    pub(crate) fn into_body(self) -> Body {
        self.body
    }

    fn parse(&mut self) -> Option<Next> {
        if self.piece.is_empty() {
            return None;
        }
        let mut rest = &self.piece[..];
        let parsed = self.parser.next_event(&mut rest);
        let read = self.piece.len() - rest.len();
        self.piece.advance(read);
        if self.parser.last_event_id() != self.place.last_event_id
            && !self.parser.last_event_id().is_empty()
        {
            self.place.last_event_id = self.parser.last_event_id().to_owned();
            self.has_brought = true;
        }
        self.place.retry = self.parser.retry().or(self.place.retry);
        match parsed {
            Ok(event) => event.map(|event| self.bring(event)),
            Err(_) => Some(Next::TooLarge),
        }
    }

    fn bring(&mut self, event: Event) -> Next {
        self.has_brought = true;
        if let Some(id) = event.id.as_ref().filter(|id| !id.is_empty()) {
            self.place.last_event_id.clone_from(id);
        }
        Next::Event(event)
    }
}
