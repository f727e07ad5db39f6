//! `awk`: programs that only read, and programs that run commands or write files.

use crate::commands::interpreters::script_of;
use crate::commands::{Code, Token, options};

/// The code that a call of `awk` runs and that does more than read, if it does.
pub(crate) fn code(words: &[Token]) -> Option<Code> {
    const OPTIONS: &str = "-F= --field-separator= -v= --assign= -f=@script --file=@script -b \
        --characters-as-bytes -c --traditional -C@quit -E=@script --exec=@script -e=@code --source=@code \
        -g -h@quit --help@quit -i=@code --include=@code -l=@code --load=@code -n -N -M -O -P --posix -r -s \
        -S --sandbox -t -V@quit --version@quit -W=@code -d?@code -D?@code -o?@code -p?@code -L?";
    let Ok((given, next)) = options::read(OPTIONS, words) else { return Some(Code::Inline) };
    let has = |effect: &str| given.iter().any(|it| it.effect == effect);
    if has("code") {
        return Some(Code::Inline);
    }
    if let Some(option) = given.iter().find(|it| it.effect == "script") {
        return Some(option.value.as_ref().map_or(Code::Script, script_of));
    }
    match words.get(next) {
        Some(program) if !program.as_text().is_some_and(only_reads) => Some(Code::Inline),
        _ => None,
    }
}

/// Whether a program surely runs nothing and writes no file.
fn only_reads(program: &str) -> bool {
    if program.contains("system") || program.contains('@') {
        return false;
    }
    let Some(code) = without_literals(program) else { return false };
    let pipes = code.replace("||", "").contains('|');
    !pipes && !code.contains("getline") && !prints_into(&code)
}

/// The program without its strings, patterns and comments; `None` if they cannot be told for sure.
fn without_literals(program: &str) -> Option<String> {
    let mut text = String::with_capacity(program.len());
    let mut chars = program.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => return None,
            '#' => {
                chars.by_ref().find(|it| *it == '\n');
                text.push('\n');
            }
            '"' => {
                over(&mut chars, '"')?;
                text.push('"');
            }
            '/' if begins_pattern(&text)? => {
                over(&mut chars, '/')?;
                text.push('"');
            }
            _ => text.push(char),
        }
    }
    Some(text)
}

/// Over a string or a pattern, to its end.
fn over(chars: &mut std::str::Chars<'_>, end: char) -> Option<()> {
    let mut bracket = false;
    loop {
        match chars.next()? {
            // In brackets a slash is a letter for some versions.
            char if char == end => return (!bracket).then_some(()),
            '\\' => drop(chars.next()),
            '\n' => return None,
            '[' if end == '/' => bracket = true,
            ']' => bracket = false,
            _ => (),
        }
    }
}

/// Whether a slash after this code begins a pattern, and does not divide; `None` if it may do both.
fn begins_pattern(before: &str) -> Option<bool> {
    let before = before.trim_end_matches([' ', '\t']);
    match before.chars().next_back() {
        None | Some('{' | '}' | '(' | ',' | ';' | '!' | '~' | '&' | '|' | '\n' | '?' | ':') => {
            Some(true)
        }
        Some(']' | '"') => Some(false),
        Some(char) if char.is_ascii_alphanumeric() || char == '_' => {
            let part = |it: char| it.is_ascii_alphanumeric() || it == '_';
            let word = before.rsplit(|it| !part(it)).next().unwrap_or("");
            Some(matches!(word, "print" | "printf" | "return" | "case" | "do" | "else" | "in"))
        }
        Some(_) => None,
    }
}

/// Whether a `>` stands after a `print` in one statement.
fn prints_into(program: &str) -> bool {
    let mut rest = program;
    while let Some(at) = rest.find("print") {
        rest = rest.get(at + "print".len()..).unwrap_or("");
        let end = statement(rest);
        if rest.get(..end).is_some_and(|statement| statement.contains('>')) {
            return true;
        }
    }
    false
}

/// How long the statement is that a text begins with: a line may go on after some operators.
fn statement(text: &str) -> usize {
    let goes_on = |before: &str| [",", "&&", "||"].iter().any(|it| before.trim_end().ends_with(it));
    let ends = |(at, it): &(usize, char)| match it {
        ';' | '}' => true,
        '\n' => !goes_on(text.get(..*at).unwrap_or("")),
        _ => false,
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}
