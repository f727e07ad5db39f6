//! A path, read.

use std::fmt;
use std::sync::Arc;

use crate::location::read::{Anchor, read};
use crate::location::{PathStyle, Under, Unreadable};

/// A path that says plainly where it points: what it begins at, and its segments.
///
/// Empty segments and `.` are gone, and no segment is `..`.  It prints with `/` between
/// segments, and what it prints reads as the same place.  Cloning is cheap.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Place {
    style: PathStyle,
    anchor: Anchor,
    segments: Arc<[String]>,
}

impl Place {
    /// Reads a path as a disk of the style `style` would.
    ///
    /// # Errors
    ///
    /// Fails where a server might read the text as another place than it spells.
    pub fn parse(text: &str, style: PathStyle) -> Result<Self, Unreadable> {
        let (anchor, segments) = read(text, style)?;
        Ok(Self { style, anchor, segments: segments.into() })
    }

    /// Whether it begins at the root of a disk.
    pub fn is_absolute(&self) -> bool {
        self.anchor != Anchor::Here
    }

    /// The names on the way, from the outermost in.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Whether this place is `directory` or lies inside it.
    ///
    /// It is unknown whether a relative place lies inside an absolute one, or one of another
    /// style.
    pub fn under(&self, directory: &Self) -> Under {
        match (self.anchor, directory.anchor) {
            _ if self.style != directory.style => return Under::Unknown,
            (one, other) if one == other => {}
            (Anchor::Drive(_), Anchor::Drive(_)) => return Under::No,
            _ => return Under::Unknown,
        }
        if self.segments.len() < directory.segments.len() {
            return Under::No;
        }
        let pairs = self.segments.iter().zip(&*directory.segments);
        let mut verdicts = pairs.map(|(one, other)| self.style.same(one, other));
        verdicts
            .try_fold(Under::Yes, |sum, it| match it {
                Under::Yes => Ok(sum),
                Under::Unknown => Ok(Under::Unknown),
                Under::No => Err(Under::No),
            })
            .unwrap_or_else(|no| no)
    }

    /// The directory it is in, or nothing for the outermost.
    pub fn parent(&self) -> Option<Self> {
        let (_, segments) = self.segments.split_last()?;
        Some(Self { segments: segments.into(), ..*self })
    }

    /// The innermost directory that certainly holds both places or is one of them.
    ///
    /// Nothing where one is relative and the other is not, or they are on different drives.
    pub fn common(&self, other: &Self) -> Option<Self> {
        if (self.style, self.anchor) != (other.style, other.anchor) {
            return None;
        }
        let pairs = self.segments.iter().zip(&*other.segments);
        let shared = pairs.take_while(|(one, other)| self.style.same(one, other).allows());
        Some(Self { segments: shared.map(|(it, _)| it.clone()).collect(), ..*self })
    }

    /// This place as seen from `root`: inside it where relative, itself where absolute.
    #[must_use]
    pub fn rooted_at(mut self, root: &Self) -> Self {
        if !self.is_absolute() {
            self.anchor = root.anchor;
            self.segments = root.segments.iter().chain(&*self.segments).cloned().collect();
        }
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.anchor {
            Anchor::Here if self.segments.is_empty() => f.write_str(".")?,
            Anchor::Here => {}
            Anchor::Root => f.write_str("/")?,
            Anchor::Drive(letter) => write!(f, "{letter}:/")?,
        }
        f.write_str(&self.segments.join("/"))
    }
}
