//! `$'…'`: the escapes of C, as bash reads them.

/// Reads up to and over the closing quote: the text, `None` if it is none, and the bytes read.
///
/// `None` if the quote does not close.
pub(super) fn unescape(source: &str) -> Option<(Option<String>, usize)> {
    let mut text = String::new();
    let mut readable = true;
    let mut at = 0;
    loop {
        let rest = source.get(at..)?;
        let char = rest.chars().next()?;
        at += char.len_utf8();
        match char {
            '\'' => return Some((readable.then_some(text), at)),
            '\\' => {
                let rest = source.get(at..)?;
                let escaped = rest.chars().next()?;
                if rest.starts_with("c\\") || rest.starts_with("c'") {
                    // Versions differ on whether the text ends here.
                    return None;
                }
                let (value, length) = escape(escaped, rest);
                match value {
                    Value::Char(char) => text.push(char),
                    Value::Kept => text.extend(['\\', escaped]),
                    Value::None => readable = false,
                }
                at += length;
            }
            char => text.push(char),
        }
    }
}

enum Value {
    Char(char),
    /// No escape: the backslash stays.
    Kept,
    /// A byte that is no character, or the NUL that ends the text early.
    None,
}

/// The value of the escape that `rest` begins with, and its length without the backslash.
fn escape(escaped: char, rest: &str) -> (Value, usize) {
    let simple = |byte: u8| (Value::Char(char::from(byte)), 1);
    match escaped {
        'a' => simple(0x07),
        'b' => simple(0x08),
        'e' | 'E' => simple(0x1b),
        'f' => simple(0x0c),
        'n' => simple(b'\n'),
        'r' => simple(b'\r'),
        't' => simple(b'\t'),
        'v' => simple(0x0b),
        '\\' | '\'' | '"' | '?' => (Value::Char(escaped), 1),
        '0'..='7' => digits(rest, 0, 3, 8),
        'x' if rest.starts_with("x{") => (Value::None, 1),
        'x' => digits(rest, 1, 2, 16),
        'u' => digits(rest, 1, 4, 16),
        'U' => digits(rest, 1, 8, 16),
        'c' => (Value::None, 1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
        // bash doubles the bytes that it marks others with.
        '\u{1}' | '\u{7f}' => (Value::None, 1),
        _ => (Value::Kept, escaped.len_utf8()),
    }
}

fn digits(rest: &str, skip: usize, most: usize, radix: u32) -> (Value, usize) {
    let digits = rest.get(skip..).unwrap_or("");
    let length = digits.chars().take(most).take_while(|it| it.is_digit(radix)).count();
    let number = u32::from_str_radix(digits.get(..length).unwrap_or(""), radix);
    let value = match number {
        // Over ASCII, the bytes depend on the locale.
        Ok(number @ 1..0x80) => char::from_u32(number).map_or(Value::None, Value::Char),
        Err(_) => Value::Kept,
        Ok(_) => Value::None,
    };
    (value, skip + length)
}
