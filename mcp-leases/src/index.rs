//! Which of many places may touch one, without looking at all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mcp_provider::location::{PathStyle, Place};

/// Values by place: finds those whose place may contain another, or lie in it.
///
/// It finds too many rather than too few: what it finds has to be compared.
#[derive(Debug)]
pub(crate) struct Index<T> {
    /// Places that begin at different things have trees of their own.
    trees: Vec<Tree<T>>,
}

#[derive(Debug)]
struct Tree<T> {
    /// A place that begins where all of the tree do, the outermost if there is one.
    top: Place,
    root: Node<T>,
}

#[derive(Debug)]
struct Node<T> {
    here: Vec<T>,
    /// By name, without regard to case.
    children: BTreeMap<Box<str>, Self>,
    /// What has a name that on some disk may be any other such name.
    other: Option<Box<Self>>,
}

impl<T: Copy + PartialEq> Index<T> {
    pub(crate) fn insert(&mut self, place: &Place, value: T) {
        let position = self.trees.iter().position(|tree| tree.holds(place));
        let position = position.unwrap_or_else(|| {
            self.trees.push(Tree { top: top(place), root: Node::default() });
            self.trees.len() - 1
        });
        if let Some(tree) = self.trees.get_mut(position) {
            let mut node = &mut tree.root;
            for segment in indexed(place) {
                node = match key(segment) {
                    Some(key) => node.children.entry(key.into()).or_default(),
                    None => node.other.get_or_insert_default(),
                };
            }
            node.here.push(value);
        }
    }

    /// Takes `value` out from `place`, under which it was put in.
    pub(crate) fn remove(&mut self, place: &Place, value: T) {
        if let Some(tree) = self.trees.iter_mut().find(|tree| tree.holds(place)) {
            tree.root.remove(indexed(place), value);
        }
        self.trees.retain(|tree| !tree.root.is_empty());
    }

    /// Calls `found` with every value whose place may contain `place` or lie in it.
    pub(crate) fn touching(&self, place: &Place, mut found: impl FnMut(T)) {
        for tree in &self.trees {
            if tree.holds(place) {
                tree.root.touching(indexed(place), &mut found);
            } else if place.under(&tree.top).forbids() {
                tree.root.all(&mut found);
            }
        }
    }
}

impl<T> Tree<T> {
    /// Whether `place` begins at the same thing.
    fn holds(&self, place: &Place) -> bool {
        if self.top.segments().is_empty() {
            return place.under(&self.top).allows();
        }
        self.top.common(place).is_some()
    }
}

impl<T: Copy + PartialEq> Node<T> {
    fn remove(&mut self, segments: &[String], value: T) {
        let Some((first, rest)) = segments.split_first() else {
            self.here.retain(|it| *it != value);
            return;
        };
        match key(first) {
            Some(key) => {
                if let Some(child) = self.children.get_mut(&*key) {
                    child.remove(rest, value);
                    if child.is_empty() {
                        self.children.remove(&*key);
                    }
                }
            }
            None => {
                if let Some(other) = &mut self.other {
                    other.remove(rest, value);
                    self.other = self.other.take().filter(|it| !it.is_empty());
                }
            }
        }
    }

    fn touching(&self, segments: &[String], found: &mut impl FnMut(T)) {
        let Some((first, rest)) = segments.split_first() else {
            return self.all(found);
        };
        self.here.iter().for_each(|value| found(*value));
        match key(first) {
            Some(key) => {
                if let Some(child) = self.children.get(&*key) {
                    child.touching(rest, found);
                }
            }
            None => self.children.values().for_each(|child| child.touching(rest, found)),
        }
        if let Some(other) = &self.other {
            other.touching(rest, found);
        }
    }

    fn all(&self, found: &mut impl FnMut(T)) {
        self.here.iter().for_each(|value| found(*value));
        self.children.values().for_each(|child| child.all(found));
        if let Some(other) = &self.other {
            other.all(found);
        }
    }

    fn is_empty(&self) -> bool {
        self.here.is_empty() && self.children.is_empty() && self.other.is_none()
    }
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self { trees: Vec::new() }
    }
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self { here: Vec::new(), children: BTreeMap::new(), other: None }
    }
}

/// The outermost place that holds `place`; where that cannot be found, `place` itself does as well.
///
/// Going outward step by step would copy a deep path once for each step.
fn top(place: &Place) -> Place {
    let text = place.to_string();
    let beginning = match text.split_once('/') {
        // Of the root of the disk, there is nothing before it.
        Some((drive, _)) if place.is_absolute() => format!("{drive}/"),
        _ => ".".to_owned(),
    };
    let styles = [PathStyle::Posix, PathStyle::CaseInsensitive, PathStyle::Windows];
    let mut tops = styles.into_iter().filter_map(|style| Place::parse(&beginning, style).ok());
    tops.find(|top| top.common(place).is_some()).unwrap_or_else(|| place.clone())
}

/// The names that are looked at: a tree is no deeper, however deep a path is.
fn indexed(place: &Place) -> &[String] {
    let segments = place.segments();
    segments.get(..DEPTH).unwrap_or(segments)
}

/// The name under which a segment is found: the same one for two that may be one on any disk.
fn key(segment: &str) -> Option<Cow<'_, str>> {
    // Which letters beyond ASCII are the same, each disk has its own table for.
    if !segment.is_ascii() {
        return None;
    }
    Some(if segment.bytes().any(|it| it.is_ascii_uppercase()) {
        Cow::Owned(segment.to_ascii_lowercase())
    } else {
        Cow::Borrowed(segment)
    })
}

const DEPTH: usize = 32;
