//! `find` and `fd`: a command for what they find.

use std::ops::Range;

use crate::commands::hidden::Traits;
use crate::commands::reader::Reader;
use crate::commands::resolve::{Call, Step};
use crate::commands::{Access, Arguments, Cause, Part, Redirection, Token, ViaKind, shell};

/// Looks through a call of `find` or `fd`.
pub(crate) fn step(reader: &mut Reader, mut call: Call, name: &str) -> Step {
    let scene = call.scene.through(name, ViaKind::Launcher);
    let words = call.arguments().to_vec();
    let find = name.ends_with("find") && name != "fdfind";
    // What is not known may bring an action with it, or a file that is written.
    let names = Traits { names: true, ..Traits::OPTION };
    let mut unclear = words.iter().any(|word| !word.is_one() && reader.hides_in(word, names));
    // Where it begins may be said by a file.
    unclear |= find && words.iter().any(|word| word.as_text() == Some("-files0-from"));
    let mut inner = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let rest = words.get(at..).unwrap_or(&[]);
        match role(word, find) {
            // A quoted one needs what follows it.
            Role::Operand if word.is_hidden() && !(find && rest.is_empty()) => {
                unclear |= reader.hides_in(word, Traits::OPTION);
            }
            Role::Operand => (),
            Role::Unclear => unclear = true,
            Role::File => {
                let target = rest.first().cloned().unwrap_or_else(|| Token::new(""));
                let target = shell::file(target);
                call.redirections.push(Redirection { access: Access::Write, target });
            }
            Role::Action => {
                let length = end(rest, find);
                unclear |= is_unclear(rest, length, find);
                inner.push(command(rest, length, find));
                at += length;
            }
        }
    }
    if unclear {
        reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
    }
    let program = call.program();
    reader.push(call.command(program, None));
    for words in inner {
        if words.is_empty() {
            reader.unknown(Cause::NoProgram, &scene, &scene.directory);
            continue;
        }
        reader.later(Call {
            words,
            quoted: false,
            assignments: Vec::new(),
            redirections: Vec::new(),
            scene: scene.deeper(&scene.directory),
            stdin: None,
            names: false,
        });
    }
    Step::Done
}

/// What a word is to `find` or `fd`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Operand,
    /// A command follows.
    Action,
    /// A file that is written follows.
    File,
    /// It may bring a command with it.
    Unclear,
}

fn role(word: &Token, find: bool) -> Role {
    match word.as_text() {
        Some(text) if find && ACTIONS.contains(&text) => Role::Action,
        Some(text) if find && FILES.contains(&text) => Role::File,
        Some("-x" | "-X" | "--exec" | "--exec-batch") if !find => Role::Action,
        None if find && word.is_begun() && acts(word) => Role::Unclear,
        _ if !find && attaches(word) => Role::Unclear,
        _ => Role::Operand,
    }
}

/// Whether the word may be an action of `find` that runs a command or writes a file.
fn acts(word: &Token) -> bool {
    ACTIONS.iter().chain(FILES).any(|action| word.may_be(action))
}

/// How many of the words are those of the command.
fn end(words: &[Token], find: bool) -> usize {
    let mut before = None;
    let position = words.iter().position(|word| {
        // For `find`, a plus ends a command only after the place of the names.
        let after_place = before.replace(word).is_some_and(|it: &Token| it.may_be("{}"));
        match word.as_text() {
            Some(";") => true,
            Some("+") => find && after_place,
            _ => false,
        }
    });
    position.unwrap_or(words.len())
}

/// Whether the command of so many words may end elsewhere, and another one follow.
fn is_unclear(words: &[Token], length: usize, find: bool) -> bool {
    let own = words.get(..length).unwrap_or(&[]);
    let part = |part: &Part| matches!(part, Part::Text(text) if !text.is_empty());
    let says = |word: &Token| word.parts().iter().any(part);
    let may_end = |word: &Token| {
        word.as_text().is_none() && says(word) && [";", "+"].iter().any(|it| word.may_be(it))
    };
    // The action that it follows may be what a test looks for, as in `-name -exec`.
    let again = |word: &Token| says(word) && find && acts(word);
    // What is not known may be the end; then another of them may be an action.
    let enough = usize::from(length < words.len());
    own.iter().any(|word| may_end(word) || again(word))
        || own.iter().filter(|word| word.is_hidden()).count() > enough
}

/// The words of a command, with gaps for the names that are put into it.
fn command(words: &[Token], length: usize, find: bool) -> Vec<Token> {
    let many = find && words.get(length).is_some_and(|word| word.as_text() == Some("+"));
    let placed = |word: &Token| match many && word.may_be("{}") {
        true => arriving(Arguments::Any),
        false => placed(word),
    };
    let mut command: Vec<Token> = words.iter().take(length).map(placed).collect();
    if !find {
        command.push(arriving(Arguments::Any));
    }
    command
}

/// What runs a command, for `find`.
const ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// What writes a file, for `find`.
const FILES: &[&str] = &["-fls", "-fprint", "-fprint0", "-fprintf"];

/// Whether a word of `fd` holds the option and the command it takes, or may: `-Hx`, `--exec=rm`.
fn attaches(word: &Token) -> bool {
    let text = word.start();
    if ["-x", "-X", "--exec"].iter().any(|it| word.may_become_option(it)) {
        return true;
    }
    let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or("");
    let own = letters.split(['d', 'e', 'E', 'j', 'o', 'S', 't', 'c']).next().unwrap_or("");
    own.contains(['x', 'X']) || text.starts_with("--exec")
}

/// The word, or a gap if the name of a file is put into it.
fn placed(word: &Token) -> Token {
    let place = |text: &str| ["{}", "{/", "{.}"].iter().any(|it| text.contains(it));
    let placed = match word.as_text() {
        Some(text) => place(text),
        // What is not known may stand between its brackets.
        None => word.parts().iter().any(|part| match part {
            Part::Text(text) | Part::Glob(text) => text.contains(['{', '}']),
            _ => false,
        }),
    };
    match word.as_text() {
        _ if !placed => word.clone(),
        Some(text) => {
            let start = text.find('{').unwrap_or(0);
            let end = text.rfind('}').map_or(text.len(), |at| at + 1);
            around(text, start..end)
        }
        None => unclear(word),
    }
}

/// The word with a name of a file in that place.
pub(super) fn around(word: &str, place: Range<usize>) -> Token {
    let text = |text: Option<&str>| {
        text.filter(|text| !text.is_empty()).map(|text| Part::Text(text.to_owned()))
    };
    let name = Some(Part::Unreadable(Cause::Arriving));
    let parts = [text(word.get(..place.start)), name, text(word.get(place.end..))];
    Token::Gap { parts: parts.into_iter().flatten().collect(), arguments: Arguments::One }
}

/// A word into which a name may be put, nobody knows where.
pub(super) fn unclear(word: &Token) -> Token {
    let arguments = if word.is_one() { Arguments::One } else { Arguments::Any };
    Token::Gap { parts: vec![Part::Unreadable(Cause::Placeholder)], arguments }
}

fn arriving(arguments: Arguments) -> Token {
    Token::Gap { parts: vec![Part::Unreadable(Cause::Arriving)], arguments }
}
