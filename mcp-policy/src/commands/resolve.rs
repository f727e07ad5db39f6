//! From the words of a command to the programs that they start.

use std::borrow::Cow;

use crate::commands::reader::{Dialect, Reader, Scene};
use crate::commands::shell::Simple;
use crate::commands::{
    Assignment, Cause, Code, Command, Part, Program, Redirection, Target, Token, Written, builtins,
    interpreters, launchers, shells,
};

/// A command whose words are known, before they are understood.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) words: Vec<Token>,
    /// The first word stood in quotes.
    pub(crate) quoted: bool,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) scene: Scene,
    /// Text that it finds on its standard input, if that is known.
    pub(crate) stdin: Option<Token>,
    /// Names of files arrive there.
    pub(crate) names: bool,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Step {
    /// All of it has been handed to the reader.
    Done,
    /// It starts this program, and no other that could be told.
    Plain(Call, Option<Code>),
    /// It runs this.
    Inner(Call),
}

impl Reader {
    /// A simple command of a script.
    pub(crate) fn simple(&mut self, simple: Simple, scene: &Scene) {
        let quoted = simple.words.first().is_some_and(|word| word.quoted);
        let reads = simple.redirections.iter().any(|it| !it.access.writes_only());
        let input = simple.stdin.and_then(|index| simple.redirections.get(index));
        let stdin = match input.map(|redirection| &redirection.target) {
            Some(Target::Text(token)) => Some(token.clone()),
            _ => None,
        };
        if scene.dialect == Dialect::Zsh && is_of_zsh(&simple) {
            self.unknown(Cause::Syntax, scene, &simple.directory);
        }
        self.call(Call {
            words: simple.words.into_iter().map(|word| word.token).collect(),
            quoted,
            assignments: simple.assignments,
            redirections: simple.redirections,
            scene: Scene { directory: simple.directory, ..scene.clone() },
            stdin,
            names: simple.names && !reads,
        });
    }

    /// Finds out what a call runs.
    pub(crate) fn call(&mut self, call: Call) {
        self.later(call);
        while let Some(call) = self.calls.pop() {
            self.resolve(call);
        }
    }

    fn resolve(&mut self, mut call: Call) {
        self.check_assignments(&call);
        for _ in 0..MAX_WRAPPERS {
            let Some(first) = call.words.first() else {
                return self.push(call.command(Program::Shell, None));
            };
            let program = program(first, call.quoted);
            let name = match &program {
                Program::Known { name, .. } if !name.chars().any(char::is_uppercase) => {
                    Cow::Borrowed(name.as_str())
                }
                Program::Known { name, .. } => Cow::Owned(name.to_lowercase()),
                Program::Shell | Program::Unknown(_) => {
                    return self.push(call.command(program, None));
                }
            };
            // Where names of files have no case, so do programs.
            let exact = program.name() == Some(&*name);
            let known = exact && (program.is_bare() || is_standard(&program));
            if !known && (name == "eval" || launchers::is_known(&name) || shells::is_known(&name)) {
                // What it does with its arguments is a guess.
                let command = call.clone().command(program.clone(), None);
                self.push(command);
            }
            let step = match () {
                () if shells::is_known(&name) => shells::step(self, call, &name),
                () if builtins::is_known(&name) => builtins::step(self, call, &name),
                () => launchers::step(self, call, &name),
            };
            match step {
                Step::Done => return,
                Step::Inner(inner) => call = inner,
                Step::Plain(call, code) => {
                    let code = code.or_else(|| interpreters::code(&name, &call));
                    let code = match code {
                        None if self.hides_option(&name, &call) => Some(Code::Inline),
                        code => code,
                    };
                    return self.push(call.command(program, code));
                }
            }
        }
        self.unknown(Cause::TooDeep, &call.scene, &call.scene.directory);
    }

    /// Some variables are code that the shell runs.
    fn check_assignments(&mut self, call: &Call) {
        use crate::commands::environment::is_run_by_shells;
        if call.assignments.iter().any(|it| is_run_by_shells(&it.name)) {
            let directory = call.scene.directory.clone();
            self.unknown(Cause::EvaluatedVariable, &call.scene, &directory);
        }
    }
}

impl Call {
    /// The command that starts `program` with the words after the first.
    pub(crate) fn command(self, program: Program, code: Option<Code>) -> Command {
        let mut tokens = self.words;
        // An unknown program keeps its word, for whoever shows it.
        if !tokens.is_empty() {
            tokens.remove(0);
        }
        Command {
            program,
            tokens,
            assignments: self.assignments,
            redirections: self.redirections,
            directory: self.scene.directory,
            via: self.scene.via,
            code,
        }
    }

    /// What its first word starts.
    pub(crate) fn program(&self) -> Program {
        self.words.first().map_or(Program::Shell, |word| program(word, self.quoted))
    }

    /// The words after the program.
    pub(crate) fn arguments(&self) -> &[Token] {
        self.words.get(1..).unwrap_or(&[])
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.scene.dialect
    }
}

/// What a word starts, where a program is named.
pub(crate) fn program(word: &Token, quoted: bool) -> Program {
    let (text, path) = match word {
        Token::Text(text) => (text.as_str(), false),
        Token::Gap { parts, .. } => match parts.as_slice() {
            // Wherever it is, the last segment names it.
            [Part::Tilde(_), Part::Text(text)] if text.contains('/') => (text.as_str(), true),
            [.., Part::Text(text)] if word.is_one() && is_folder_variable(parts) => {
                (text.as_str(), true)
            }
            _ => return Program::Unknown(word.cause().unwrap_or(Cause::NoProgram)),
        },
    };
    let base = text.rsplit(['/', '\\']).find(|segment| !segment.is_empty()).unwrap_or("");
    if base.is_empty() {
        return Program::Unknown(Cause::NoProgram);
    }
    if text.contains('\0') {
        return Program::Unknown(Cause::Nul);
    }
    let plain = base.trim_end_matches(['.', ' ']);
    let disguised = plain.len() < base.len() && !plain.is_empty();
    let name = if disguised { plain } else { base };
    let name = without_extension(name);
    let written = if path || text.contains(['/', '\\']) {
        Written::Path
    } else if disguised {
        Written::Disguised
    } else if quoted {
        Written::Quoted
    } else {
        Written::Bare
    };
    Program::Known { name: name.to_owned(), word: word.to_string(), written }
}

/// `"$HOME/bin/tool"`: one variable, and a path below what it holds.
fn is_folder_variable(parts: &[Part]) -> bool {
    match parts {
        [Part::Variable(name), Part::Text(text)] => {
            !matches!(name.as_bytes(), [b'@' | b'*']) && text.starts_with('/')
        }
        _ => false,
    }
}

fn without_extension(name: &str) -> &str {
    let extension = name.len().checked_sub(4).and_then(|at| name.split_at_checked(at));
    match extension {
        Some((stem, extension)) if !stem.is_empty() => {
            let known = [".exe", ".bat", ".cmd", ".com"];
            if known.iter().any(|it| extension.eq_ignore_ascii_case(it)) { stem } else { name }
        }
        _ => name,
    }
}

/// Whether a command means something else to zsh than to bash.
fn is_of_zsh(simple: &Simple) -> bool {
    let first = simple.words.first().and_then(|word| word.token.as_text());
    let reserved = matches!(first, Some("-" | "repeat" | "foreach" | "always" | "end"));
    let tables =
        ["aliases", "commands", "functions", "galiases", "nameddirs", "options", "saliases"];
    reserved
        // `=name` is the path of a program.
        || simple.words.iter().any(|word| word.token.start().starts_with('=') && !word.quoted)
        // Its tables of what names mean are arrays.
        || simple.assignments.iter().any(|it| tables.iter().any(|table| it.name.ends_with(table)))
}

/// Whether the program is named by a path that only an administrator writes to.
fn is_standard(program: &Program) -> bool {
    let Program::Known { word, .. } = program else { return false };
    let folder = word.rsplit_once('/').map_or("", |(folder, _)| folder);
    matches!(
        folder,
        "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin" | "/usr/local/bin" | "/opt/homebrew/bin"
    )
}

/// Wrappers in wrappers.
const MAX_WRAPPERS: usize = 16;
