//! Bodies: read whole within a limit, or piece by piece.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;

use crate::http::client::cause;
use crate::http::connector::humane;

/// The body of a response, as far as it has not been read.
#[derive(Debug)]
pub(crate) struct Body {
    incoming: Incoming,
    /// How long nothing may come.
    patience: Option<Duration>,
}

/// A body that did not end well.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Unread {
    /// The connection broke, or nothing came for too long.
    Broken(String),
    /// There is more of it than is taken.
    TooLarge,
}

impl Body {
    pub(crate) fn new(incoming: Incoming, patience: Option<Duration>) -> Self {
        Self { incoming, patience }
    }

    /// The body of a stream on which nothing is due, so that no silence is too long.
    pub(crate) fn unhurried(self) -> Self {
        Self { patience: None, ..self }
    }

    /// The next piece; nothing at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            let frame = within(self.patience, self.incoming.frame()).await?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(cause(&error)),
                // Trailers say nothing to us.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) if !piece.is_empty() => return Ok(Some(piece)),
                    _ => (),
                },
            }
        }
    }

    /// All of it, at most `limit` bytes.
    pub(crate) async fn whole(&mut self, limit: usize) -> Result<Bytes, Unread> {
        let announced = self.incoming.size_hint().lower();
        if announced > limit as u64 {
            return Err(Unread::TooLarge);
        }
        let Some(first) = self.piece().await.map_err(Unread::Broken)? else {
            return Ok(Bytes::new());
        };
        if first.len() > limit {
            return Err(Unread::TooLarge);
        }
        let Some(second) = self.piece().await.map_err(Unread::Broken)? else {
            // Most bodies come in one piece, and are handed on as they came.
            return Ok(first);
        };
        let mut whole = BytesMut::with_capacity((announced as usize).max(first.len()));
        whole.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(piece) = next {
            if whole.len() + piece.len() > limit {
                return Err(Unread::TooLarge);
            }
            whole.extend_from_slice(&piece);
            next = self.piece().await.map_err(Unread::Broken)?;
        }
        Ok(whole.freeze())
    }

    /// As much as comes of a body that is only needed for its words.
    pub(crate) async fn beginning(&mut self) -> Bytes {
        let mut beginning = BytesMut::new();
        let reading = async {
            while let Ok(Some(piece)) = self.piece().await {
                let room = BEGINNING - beginning.len();
                beginning.extend_from_slice(&piece[..piece.len().min(room)]);
                if beginning.len() == BEGINNING {
                    break;
                }
            }
        };
        // What the status says is known already and must not be held up.
        let _ = timeout(WORDS, reading).await;
        beginning.freeze()
    }

    /// Reads on for a moment, so that a connection whose body ends here can be used again.
    pub(crate) async fn drain(mut self) {
        let draining = async {
            let mut read = 0;
            while let Ok(Some(piece)) = self.piece().await {
                read += piece.len();
                if read > BEGINNING {
                    break;
                }
            }
        };
        let _ = timeout(DRAIN, draining).await;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.incoming.is_end_stream()
    }
}

/// Waits for `future`, and no longer than for the time between two signs of life.
pub(crate) async fn within<T>(
    patience: Option<Duration>,
    future: impl Future<Output = T>,
) -> Result<T, String> {
    let Some(patience) = patience else { return Ok(future.await) };
    timeout(patience, future)
        .await
        .map_err(|_| format!("nothing came for {} (raise `Http::read_timeout`)", humane(patience)))
}

/// The value of a header, as text.
pub(crate) fn text(headers: &HeaderMap, name: impl http::header::AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// How much of an error's body is read, in bytes.
const BEGINNING: usize = 64 << 10;
const WORDS: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_millis(100);
