//! `find` and `fd`: a command for what they find.

use crate::commands::reader::Reader;
use crate::commands::resolve::{Call, Step};
use crate::commands::{Access, Arguments, Cause, Part, Redirection, Token, ViaKind, shell};

/// Looks through a call of `find` or `fd`.
pub(crate) fn step(reader: &mut Reader, mut call: Call, name: &str) -> Step {
    let scene = call.scene.through(name, ViaKind::Launcher);
    let words = call.arguments().to_vec();
    let find = name.ends_with("find") && name != "fdfind";
    // An unquoted expansion may bring an action with it.
    if words.iter().any(|word| !word.is_one() && word.start().is_empty()) {
        reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
    }
    // So may a quoted one, if the command follows it.
    let ends = |word: &Token| matches!(word.as_text(), Some(";" | "+"));
    // For `find`, a plus ends a command only after the place of the names.
    let end = |words: &[Token]| {
        let mut before = None;
        words.iter().position(|word| {
            let after_place = before
                .replace(word)
                .is_some_and(|it: &Token| it.as_text().is_none_or(|text| text == "{}"));
            match word.as_text() {
                Some(";") => true,
                Some("+") => find && after_place,
                _ => false,
            }
        })
    };
    let hidden = |word: &Token| word.start().is_empty() && word.as_text().is_none();
    let mut inner = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let starts = match word.as_text() {
            Some(text) if find && ACTIONS.contains(&text) => true,
            Some("-x" | "-X" | "--exec" | "--exec-batch") => !find,
            Some(text) if !find && attaches(text) => {
                reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
                false
            }
            Some(text) if find && FILES.contains(&text) => {
                let target = words.get(at).cloned().unwrap_or_else(|| Token::new(""));
                let target = shell::file(target);
                call.redirections.push(Redirection { access: Access::Write, target });
                false
            }
            _ => false,
        };
        if !starts {
            if find && hidden(word) && words.get(at..).unwrap_or(&[]).iter().any(ends) {
                reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
            }
            continue;
        }
        let rest = words.get(at..).unwrap_or(&[]);
        let length = end(rest).unwrap_or(rest.len());
        let acts = |text: &str| ACTIONS.contains(&text) || FILES.contains(&text);
        if find && rest.iter().take(length).filter_map(Token::as_text).any(acts) {
            // The first may be what a test looks for, as in `-name -exec`.
            reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
        }
        let many = rest.get(length).is_some_and(|word| word.as_text() == Some("+"));
        let placed = |word: &Token| match word.as_text() {
            Some("{}") if many => arriving(Arguments::Any),
            _ => placed(word),
        };
        let mut words: Vec<Token> = rest.get(..length).unwrap_or(&[]).iter().map(placed).collect();
        if !find {
            words.push(arriving(Arguments::Any));
        }
        if words.is_empty() {
            reader.unknown(Cause::NoProgram, &scene, &scene.directory);
        } else {
            inner.push(words);
        }
        at += length;
    }
    let program = call.program();
    reader.push(call.command(program, None));
    for words in inner {
        reader.later(Call {
            words,
            quoted: false,
            assignments: Vec::new(),
            redirections: Vec::new(),
            scene: scene.deeper(&scene.directory),
            stdin: None,
        });
    }
    Step::Done
}

/// What runs a command, for `find`.
const ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// What writes a file, for `find`.
const FILES: &[&str] = &["-fls", "-fprint", "-fprint0", "-fprintf"];

/// Whether a word of `fd` holds the option and the command it takes: `-Hx`, `--exec=rm`.
fn attaches(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or("");
    let own = letters.split(['d', 'e', 'E', 'j', 'o', 'S', 't', 'c', 'g']).next().unwrap_or("");
    own.contains(['x', 'X']) || text.starts_with("--exec")
}

/// The word, or a gap if the name of a file is put into it.
fn placed(word: &Token) -> Token {
    let place = |text: &str| text.contains("{}") || text.contains("{/") || text.contains("{.}");
    if place(word.start()) || place(word.end()) { arriving(Arguments::One) } else { word.clone() }
}

fn arriving(arguments: Arguments) -> Token {
    Token::Gap { parts: vec![Part::Unreadable(Cause::Arriving)], arguments }
}
