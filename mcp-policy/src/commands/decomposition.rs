//! The question, and the answer.

use serde::Serialize;

use crate::commands::reader::{Reader, Scene};
use crate::commands::resolve::Call;
use crate::commands::{Assignment, Cause, Command, Influence, Scope, Token};

/// Every command that an invocation would run, in the order of the text as far as it has one.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Decomposition {
    /// The commands; those with [`Program::Unknown`](crate::commands::Program::Unknown) stand for
    /// whatever could not be read, and those with
    /// [`Program::Shell`](crate::commands::Program::Shell) start nothing.
    pub commands: Vec<Command>,
}

impl Decomposition {
    /// Whether every program that would start is known: none is unknown, none carries code that is
    /// not read here, and no variable decides what runs.
    pub fn is_complete(&self) -> bool {
        self.commands.iter().all(|command| {
            command.program.cause().is_none()
                && command.code.is_none()
                && command.assignments.iter().all(|it| it.influence != Influence::Code)
        })
    }

    /// Why programs are not known, in order and without repetition.
    pub fn causes(&self) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        for cause in self.commands.iter().filter_map(|command| command.program.cause()) {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
    }
}

/// A call that starts a program.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Invocation {
    /// The program and its arguments.
    pub argv: Vec<Token>,
    /// Text that the program reads from its standard input, if the caller gives any.
    pub stdin: Option<Token>,
    /// Variables that the caller sets for the program.
    pub environment: Vec<(String, Token)>,
}

impl Invocation {
    /// A call of a program that gets nothing else.
    pub fn new(argv: impl IntoIterator<Item = Token>) -> Self {
        Self { argv: argv.into_iter().collect(), ..Self::default() }
    }

    /// A command line in a string that the callee hands to `sh -c`.
    pub fn shell(script: Token) -> Self {
        Self::new([Token::new("sh"), Token::new("-c"), script])
    }

    /// Every command that it would run.
    pub fn decompose(&self) -> Decomposition {
        Decomposition { commands: self.reader().finish() }
    }

    /// What is found in the call itself, and the texts that are still to be read.
    pub(crate) fn reader(&self) -> Reader {
        let mut reader = Reader::new();
        let scene = Scene::top();
        if self.argv.is_empty() {
            reader.unknown(Cause::NoProgram, &scene, &scene.directory);
        }
        let size: usize = self.argv.iter().map(|token| token.start().len() + 1).sum();
        if size > MAX_ARGUMENTS || self.argv.len() > MAX_WORDS {
            reader.unknown(Cause::TooLarge, &scene, &scene.directory);
            return reader;
        }
        let assignment =
            |(name, value): &(String, Token)| Assignment::new(name, value.clone(), Scope::Command);
        reader.call(Call {
            words: self.argv.clone(),
            quoted: false,
            assignments: self.environment.iter().map(assignment).collect(),
            redirections: Vec::new(),
            scene,
            stdin: self.stdin.clone(),
            names: false,
        });
        reader
    }
}

/// Every command that `argv` would run.
///
/// An empty `argv` is one unknown command.  Takes time linear in the length of `argv`, and
/// never panics.
pub fn decompose(argv: &[Token]) -> Decomposition {
    Invocation::new(argv.iter().cloned()).decompose()
}

/// [`decompose`] for words that are all known.
pub fn decompose_words<S: AsRef<str>>(argv: &[S]) -> Decomposition {
    Invocation::new(argv.iter().map(|word| Token::new(word.as_ref()))).decompose()
}

/// More than any system lets one program be given.
const MAX_ARGUMENTS: usize = 1 << 21;
const MAX_WORDS: usize = 100_000;
