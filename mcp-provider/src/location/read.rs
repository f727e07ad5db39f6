//! Paths, from text.

use crate::location::{PathStyle, Unreadable};

/// What a path begins at.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Anchor {
    /// Nothing: it is relative.
    Here,
    /// The root of the disk; on Windows, of whichever drive is the current one.
    Root,
    /// The root of a drive.
    Drive(char),
}

/// Takes a path apart, unless a server might read it otherwise than it is spelled.
pub(super) fn read(text: &str, style: PathStyle) -> Result<(Anchor, Vec<String>), Unreadable> {
    let (anchor, rest) = check(text, style)?;
    Ok((anchor, segments(rest, style).map(str::to_owned).collect()))
}

/// What a path begins at, and the rest of it, unless it might be read otherwise than it is spelled.
pub(super) fn check(text: &str, style: PathStyle) -> Result<(Anchor, &str), Unreadable> {
    let windows = style == PathStyle::Windows;
    if text.is_empty() {
        return Err(Unreadable::Empty);
    }
    // Most paths are made of these, of which nothing but whole names needs a closer look.
    let is_simple = text.bytes().all(|it| it.is_ascii_alphanumeric() || b"/._-".contains(&it));
    if !is_simple {
        check_characters(text)?;
    }
    let is_share = windows && text.chars().take(2).filter(|it| separates(*it, style)).count() == 2;
    if is_share || text.starts_with(r"\\") {
        return Err(Unreadable::NetworkShare);
    }
    let (anchor, rest) = anchor(text, style)?;
    if !is_simple {
        check_rest(rest, windows)?;
    }
    if let (Anchor::Here, Some(first)) = (anchor, segments(rest, style).next()) {
        check_first(first)?;
    }
    for segment in segments(rest, style) {
        check_segment(segment)?;
        if windows {
            check_windows(segment)?;
        }
    }
    Ok((anchor, rest))
}

fn segments(rest: &str, style: PathStyle) -> impl Iterator<Item = &str> {
    rest.split(move |it| separates(it, style)).filter(|it| !it.is_empty() && *it != ".")
}

fn separates(letter: char, style: PathStyle) -> bool {
    letter == '/' || (style == PathStyle::Windows && letter == '\\')
}

fn check_characters(text: &str) -> Result<(), Unreadable> {
    if text.contains('\0') {
        return Err(Unreadable::Nul);
    }
    if text.contains(char::is_control) {
        return Err(Unreadable::Control);
    }
    Ok(())
}

fn check_rest(rest: &str, windows: bool) -> Result<(), Unreadable> {
    if !windows && rest.contains('\\') {
        return Err(Unreadable::Backslash);
    }
    if is_encoded(rest) {
        return Err(Unreadable::Encoded);
    }
    if holds_variable(rest) {
        return Err(Unreadable::Variable);
    }
    Ok(())
}

fn anchor(text: &str, style: PathStyle) -> Result<(Anchor, &str), Unreadable> {
    let is_separator = |it| separates(it, style);
    if let Some((letter, rest)) = drive(text) {
        // `C:x` is relative to wherever that drive stands.
        return if style == PathStyle::Windows && rest.starts_with(is_separator) {
            Ok((Anchor::Drive(letter), rest))
        } else {
            Err(Unreadable::Drive)
        };
    }
    Ok((if text.starts_with(is_separator) { Anchor::Root } else { Anchor::Here }, text))
}

fn drive(text: &str) -> Option<(char, &str)> {
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    Some((letter.to_ascii_uppercase(), text.get(1..)?.strip_prefix(':')?))
}

/// What a relative path must not begin with, since it would not stay relative.
fn check_first(segment: &str) -> Result<(), Unreadable> {
    if segment.starts_with('~') {
        return Err(Unreadable::Home);
    }
    if drive(segment).is_some() {
        return Err(Unreadable::Drive);
    }
    let is_scheme = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_alphabetic())
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"+.-".contains(&it))
    };
    match segment.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => Err(Unreadable::Uri),
        _ => Ok(()),
    }
}

fn check_segment(segment: &str) -> Result<(), Unreadable> {
    let is_only = |these: &[char]| segment.chars().all(|it| these.contains(&it));
    if segment == ".." {
        return Err(Unreadable::Parent);
    }
    if is_only(&['.', ' ']) && !is_only(&['.']) && !is_only(&[' ']) {
        return Err(Unreadable::Dots);
    }
    Ok(())
}

fn check_windows(segment: &str) -> Result<(), Unreadable> {
    if segment.contains(':') {
        return Err(Unreadable::Stream);
    }
    if segment.ends_with(['.', ' ']) {
        return Err(Unreadable::TrailingDotOrSpace);
    }
    if segment.split('~').skip(1).any(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
        return Err(Unreadable::ShortName);
    }
    // A device keeps its meaning whatever extension follows.
    let stem = segment.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = || {
        let digit = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
        digit.is_some_and(|it| it.chars().count() == 1 && it.contains(char::is_numeric))
    };
    if DEVICES.contains(&&*stem) || is_port() {
        return Err(Unreadable::Device);
    }
    Ok(())
}

/// Whether a `%` is followed by two hexadecimal digits.
fn is_encoded(text: &str) -> bool {
    text.as_bytes().windows(3).any(
        |it| matches!(it, [b'%', one, two] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit()),
    )
}

/// Whether `$NAME`, `${`, `$(` or `%NAME%` stands in the text.
fn holds_variable(text: &str) -> bool {
    let begins_name = |it: char| it.is_ascii_alphabetic() || "_{(".contains(it);
    let is_name = |it: &str| {
        !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || "_()".contains(it))
    };
    // Between the first `%` and the last: a name there has one on either side.
    let between: Vec<&str> = text.split('%').skip(1).collect();
    let between = between.split_last().map_or(&[][..], |(_, between)| between);
    text.split('$').skip(1).any(|it| it.starts_with(begins_name))
        || between.iter().any(|it| is_name(it))
}

const DEVICES: &[&str] = &["AUX", "CON", "CONIN$", "CONOUT$", "NUL", "PRN"];
