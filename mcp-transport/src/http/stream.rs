//! The bytes of a connection, under TLS or not.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A connection to the server, or to the proxy that forwards to it.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) io: Lean<TokioIo<TcpStream>>,
    /// Each request has to name the server, since the proxy reads it.
    pub(crate) is_forwarded: bool,
}

/// A connection that is small without TLS: what TLS keeps is several times as large.
#[derive(Debug)]
pub(crate) enum Lean<T> {
    Plain(T),
    Tls(Box<MaybeHttpsStream<T>>),
}

impl<T> From<MaybeHttpsStream<T>> for Lean<T> {
    fn from(stream: MaybeHttpsStream<T>) -> Self {
        match stream {
            MaybeHttpsStream::Http(plain) => Self::Plain(plain),
            tls @ MaybeHttpsStream::Https(_) => Self::Tls(Box::new(tls)),
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.io.connected().proxy(self.is_forwarded)
    }
}

impl<T: Connection + Read + Write + Unpin> Connection for Lean<T> {
    fn connected(&self) -> Connected {
        match self {
            Self::Plain(plain) => plain.connected(),
            Self::Tls(tls) => tls.connected(),
        }
    }
}

/// What is read and written through.
trait Io: Read + Write + Unpin {}

impl<T: Read + Write + Unpin> Io for T {}

/// Hands reading and writing on to what lies inside.
trait Around: Unpin {
    fn inside(&mut self) -> Pin<&mut (dyn Io + '_)>;

    fn inside_ref(&self) -> &(dyn Io + '_);
}

impl Around for Stream {
    fn inside(&mut self) -> Pin<&mut (dyn Io + '_)> {
        Pin::new(&mut self.io)
    }

    fn inside_ref(&self) -> &(dyn Io + '_) {
        &self.io
    }
}

impl<T: Read + Write + Unpin> Around for Lean<T> {
    fn inside(&mut self) -> Pin<&mut (dyn Io + '_)> {
        match self {
            Self::Plain(plain) => Pin::new(plain),
            Self::Tls(tls) => Pin::new(&mut **tls),
        }
    }

    fn inside_ref(&self) -> &(dyn Io + '_) {
        match self {
            Self::Plain(plain) => plain,
            Self::Tls(tls) => &**tls,
        }
    }
}

macro_rules! io_through_what_is_inside {
    ($(($($bounds:tt)*) $type:ty;)*) => {$(
        impl $($bounds)* Read for $type {
            fn poll_read(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
                buffer: ReadBufCursor<'_>,
            ) -> Poll<io::Result<()>> {
                self.inside().poll_read(context, buffer)
            }
        }

        impl $($bounds)* Write for $type {
            fn poll_write(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
                bytes: &[u8],
            ) -> Poll<io::Result<usize>> {
                self.inside().poll_write(context, bytes)
            }

            fn poll_write_vectored(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
                slices: &[io::IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.inside().poll_write_vectored(context, slices)
            }

            fn is_write_vectored(&self) -> bool {
                self.inside_ref().is_write_vectored()
            }

            fn poll_flush(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                self.inside().poll_flush(context)
            }

            fn poll_shutdown(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<io::Result<()>> {
                self.inside().poll_shutdown(context)
            }
        }
    )*};
}

io_through_what_is_inside! {
    () Stream;
    (<T: Read + Write + Unpin>) Lean<T>;
}
