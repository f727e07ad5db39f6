//! A walk through JSON text that gives up where the text is not plain.

use std::ops::Range;

/// A walk through a text.
pub(super) struct Scan<'text, 'picks> {
    text: &'text str,
    pub(super) at: usize,
    picks: &'picks mut dyn FnMut(&str, &str, bool) -> bool,
    /// Whether a string was picked since this was last reset.
    pub(super) is_picked: bool,
    /// Whether there was no space so far, but for that inside strings.
    pub(super) is_dense: bool,
}

impl<'text, 'picks> Scan<'text, 'picks> {
    pub(super) fn new(
        text: &'text str,
        picks: &'picks mut dyn FnMut(&str, &str, bool) -> bool,
    ) -> Self {
        Self { text, at: 0, picks, is_picked: false, is_dense: true }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.is_dense = false;
            self.at += 1;
        }
    }

    /// Goes past a comma and to what follows it, or past `end`, and says whether that was it.
    pub(super) fn ends(&mut self, end: u8) -> Option<bool> {
        self.space();
        let is_end = self.eat(end).is_some();
        if !is_end {
            self.eat(b',')?;
            self.space();
        }
        Some(is_end)
    }

    /// Goes past a name and its colon.
    pub(super) fn name(&mut self) -> Option<(Range<usize>, &'text str)> {
        let begin = self.at.saturating_add(1);
        let written = self.string()?;
        let name = begin..self.at.saturating_sub(1);
        let key = self.text.get(name.clone())?;
        // With a `$`, the parser has names for numbers and for text that it takes apart.
        if written != Written::Literally || key.starts_with('$') {
            return None;
        }
        self.space();
        self.eat(b':')?;
        self.space();
        Some((name, key))
    }

    /// Goes past a value, and says whether it is a string that is written as it reads.
    pub(super) fn value(&mut self, key: &'text str, depth: usize) -> Option<bool> {
        match self.peek()? {
            b'"' => {
                let begin = self.at.saturating_add(1);
                let written = self.string()?;
                let text = self.text.get(begin..self.at.saturating_sub(1))?;
                self.is_picked =
                    self.is_picked || (self.picks)(key, text, written == Written::WithControls);
                return Some(written == Written::Literally);
            }
            b'{' | b'[' if depth == DEEPEST => return None,
            b'{' => {
                self.at += 1;
                self.space();
                if self.eat(b'}').is_none() {
                    loop {
                        let (_, key) = self.name()?;
                        self.value(key, depth + 1)?;
                        if self.ends(b'}')? {
                            break;
                        }
                    }
                }
            }
            b'[' => {
                self.at += 1;
                self.space();
                if self.eat(b']').is_none() {
                    loop {
                        self.value(key, depth + 1)?;
                        if self.ends(b']')? {
                            break;
                        }
                    }
                }
            }
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => self.number()?,
        }
        Some(false)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    /// Goes past a small number without an exponent.
    fn number(&mut self) -> Option<()> {
        let _ = self.eat(b'-');
        let is_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || whole > DIGITS || (is_zero && whole > 1) {
            return None;
        }
        if self.eat(b'.').is_some() {
            let digits = self.digits();
            if digits == 0 || digits > DIGITS {
                return None;
            }
        }
        (!matches!(self.peek(), Some(b'e' | b'E'))).then_some(())
    }

    fn digits(&mut self) -> usize {
        let begin = self.at;
        while self.peek().is_some_and(|it| it.is_ascii_digit()) {
            self.at += 1;
        }
        self.at.saturating_sub(begin)
    }

    /// Goes past a string.
    fn string(&mut self) -> Option<Written> {
        self.eat(b'"')?;
        let mut written = Written::Literally;
        loop {
            while let quiet @ 1.. = self.quiet() {
                self.at += quiet;
            }
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(written),
                b'\\' => {
                    written = match self.peek()? {
                        b'b' | b'f' | b'n' | b'r' | b't' => Written::WithControls,
                        b'"' | b'/' | b'\\' => written.max(Written::WithEscapes),
                        _ => return None,
                    };
                    self.at += 1;
                }
                0..b' ' => return None,
                _ => {}
            }
        }
    }

    /// How many bytes of the next eight come before one that may end or escape something, if there
    /// are eight.
    fn quiet(&self) -> usize {
        let next = self.text.as_bytes().get(self.at..).and_then(<[u8]>::first_chunk);
        let Some(next) = next else { return 0 };
        let bytes = u64::from_le_bytes(*next);
        // Each of them has the highest bit set of the first byte that is below the limit, and of
        // some of those that come after it.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes;
        let is = |byte: u8| below(bytes ^ (EACH * u64::from(byte)), 1);
        let loud = (below(bytes, 0x20) | is(b'"') | is(b'\\')) & (EACH << 7);
        usize::try_from(loud.trailing_zeros() / 8).unwrap_or_default()
    }
}

/// How a string is written.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Written {
    /// As it reads.
    Literally,
    /// With `\"`, `\\` or `\/`.
    WithEscapes,
    /// With ends of lines, or other control characters.
    WithControls,
}

/// A one in each byte.
const EACH: u64 = u64::from_le_bytes([1; 8]);

/// How deep values may be in one another.
const DEEPEST: usize = 32;

/// How many digits a number may have before its point, and after it.
const DIGITS: usize = 15;
