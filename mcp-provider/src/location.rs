//! Where a call points: roots, path parameters, and three-valued containment.
//!
//! Everything here is about text.  The paths belong to a server's disk, so no file system is
//! asked, no link is followed, and what cannot be read for certain is [`Under::Unknown`], with
//! the reason ([`Unreadable`]).  Layers that judge the same call reach the same answer, because
//! they all ask here.
//!
//! ```
//! use mcp_provider::location::{Locations, PathParams, PathStyle, Place, Roots, Under};
//! use serde_json::json;
//!
//! let roots = Roots::new([("fs", "/srv")], PathStyle::Posix).unwrap();
//! let locations = Locations::new(roots, PathParams::default());
//! let docs = Place::parse("/srv/docs", PathStyle::Posix).unwrap();
//!
//! for (path, expected) in
//!     [("docs/a.md", Under::Yes), ("b.md", Under::No), ("docs/../b.md", Under::Unknown)]
//! {
//!     let arguments = json!({ "path": path, "content": "…" });
//!     let located = locations.located("fs_write", arguments.as_object().unwrap());
//!     assert_eq!(located[0].under(&docs), expected, "{path}");
//! }
//! ```

mod locations;
mod params;
mod pattern;
mod place;
mod read;
mod roots;
mod style;
mod table_error;
mod under;
mod unlisted;
mod unreadable;

pub use self::locations::{Located, Locations};
pub use self::params::PathParams;
pub use self::pattern::{InvalidToolPattern, ToolPattern};
pub use self::place::Place;
pub use self::roots::Roots;
pub use self::style::PathStyle;
pub use self::table_error::TableError;
pub use self::under::Under;
pub use self::unreadable::Unreadable;
