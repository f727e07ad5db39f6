//! Why nobody can tell where a piece of text points.

/// Why it cannot be told where an argument points.
///
/// A server may read such text as another place than it spells, or as no place at all.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum Unreadable {
    /// It holds a backslash: a separator on one disk, a letter on another.
    #[error("it holds a backslash")]
    Backslash,
    /// It holds a line break or another control character.
    #[error("it holds a control character")]
    Control,
    /// A segment is a device on Windows, such as `NUL`, in whatever directory.
    #[error("it names a Windows device")]
    Device,
    /// A segment is made of dots and spaces, which some servers trim to `..`.
    #[error("a part of it is nothing but dots and spaces")]
    Dots,
    /// It names a drive, or a place relative to one.
    #[error("it names a drive")]
    Drive,
    /// It is empty, which is a mistake and not a place.
    #[error("it is empty")]
    Empty,
    /// It holds a percent-encoded character, which some servers decode.
    #[error("it is percent-encoded")]
    Encoded,
    /// It begins with `~`, which some servers expand to a home directory.
    #[error("it begins with '~'")]
    Home,
    /// It begins as a share on another machine does, or a path outside the usual name space.
    #[error("it begins like a network share")]
    NetworkShare,
    /// It is not a string.
    #[error("it is not a string")]
    NotText,
    /// It holds the character that ends strings elsewhere.
    #[error("it holds a NUL character")]
    Nul,
    /// It climbs with `..`, and a link on the way decides where to.
    #[error("it climbs with '..'")]
    Parent,
    /// A segment looks like a short name such as `SECRET~1`, an alias of another on Windows.
    #[error("it holds a short name such as 'SECRET~1'")]
    ShortName,
    /// A segment holds a colon, which on Windows names a stream of a file.
    #[error("it names a stream of a file")]
    Stream,
    /// A segment ends in a dot or a space, which Windows drops.
    #[error("a part of it ends in a dot or a space")]
    TrailingDotOrSpace,
    /// It begins like a URI.
    #[error("it begins like a URI")]
    Uri,
    /// It holds something like `$HOME` or `%TEMP%`, which some servers expand.
    #[error("it holds a variable")]
    Variable,
}
