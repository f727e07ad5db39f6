//! What is open at a place in a script.

use crate::commands::shell::word::{Builder, Word};
use crate::commands::{Assignment, Directory, Redirection};

/// Something that is open and has an end of its own.
#[derive(Debug)]
pub(crate) enum Frame {
    /// Commands, up to what ends them.
    List,
    /// `"…"`.
    Double,
    /// The inside of `${…}`.
    Parameter(Span),
    /// `$((…))` and its relatives.
    Arithmetic(Arithmetic),
    /// `name=(…)`; whether a new word may begin.
    Array { fresh: bool },
    /// `@(…)`: an extended pattern; how many parentheses are open inside.
    Pattern { start: usize, parens: usize },
    /// The body of a here-document.
    Body,
}

/// A stretch of the script that began at `start`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    /// It stands in double quotes, or in a here-document.
    pub(crate) quoted: bool,
    /// It stands in a here-document, not inside further quotes.
    pub(crate) body: bool,
}

#[derive(Debug)]
pub(crate) struct Arithmetic {
    pub(crate) kind: ArithmeticKind,
    pub(crate) start: usize,
    pub(crate) quoted: bool,
    pub(crate) parens: usize,
    /// Some of it is the output of a command whose text may be anything.
    pub(crate) fed: bool,
    pub(crate) mark: Mark,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ArithmeticKind {
    /// `$((…))`.
    Expansion,
    /// `$[…]`.
    Bracket,
    /// `((…))` as a command.
    Command,
    /// `for ((…))`.
    For,
    /// The subscript of an assignment.
    Subscript,
}

/// How far everything was when something uncertain began, so that it can be read in another way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) at: usize,
    pub(crate) out: usize,
    pub(crate) jobs: usize,
    pub(crate) held: usize,
    pub(crate) heredocs: usize,
}

/// Commands that follow each other, and the one that is being read.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) kind: ListKind,
    pub(crate) state: State,
    pub(crate) simple: Simple,
    pub(crate) word: Builder,
    /// The operator whose target comes next.
    pub(crate) redirect: Option<Operator>,
    /// The folder to come back to, where the list runs in a shell of its own.
    pub(crate) outside: Option<Directory>,
    /// Which descriptor the operator is for.
    pub(crate) descriptor: Descriptor,
    /// `time` is a program here: after a pipe, or `coproc`.
    pub(crate) untimed: bool,
    /// The command before it in a pipe prints names of files.
    pub(crate) names: bool,
    /// The command began with `coproc`.
    pub(crate) coprocess: bool,
    /// The reserved word `time` was the last word, or its option was.
    pub(crate) timed: Timed,
    /// Where the list began.
    pub(crate) entered: Directory,
    /// A function is being defined, and where; what is called later may run elsewhere.
    pub(crate) function: Option<Directory>,
    /// Whether all that its commands print is numbers; `None` before the first.
    pub(crate) numeric: Option<bool>,
    /// Whether all that its commands print is names of files; `None` before the first.
    pub(crate) listing: Option<bool>,
    /// In a substitution: how many commands came after the first with a here-document.
    pub(crate) after_document: Option<usize>,
    /// In a substitution: where it began, if bash has counted parentheses to find its end.
    pub(crate) counted: Option<usize>,
    /// The variable of the `for` whose words come next.
    pub(crate) variable: String,
    /// The last words of a `[[ … ]]`.
    pub(crate) operands: Vec<Word>,
}

/// What a list stands in, and so what ends it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ListKind {
    Script,
    /// `$(…)`, `<(…)`, `>(…)`; whether its output stands in quotes, and whether it is a process.
    Substitution {
        quoted: bool,
        process: bool,
    },
    Subshell,
    Braces,
    IfCondition,
    Then,
    Else,
    LoopCondition,
    LoopBody,
    CaseBody,
}

/// What the next word means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum State {
    /// A command may begin.
    Start,
    /// The words of a simple command.
    Words,
    /// A compound command ended: only redirections, and what ends the list.
    After,
    ForName,
    ForIn,
    ForWords,
    ForDo,
    CaseWord,
    CaseIn,
    /// A clause may begin; whether its parenthesis has been seen.
    CasePattern {
        open: bool,
    },
    CaseMore,
    FunctionName,
    FunctionParens,
    /// `(` was read, `)` must come.
    FunctionClose,
    Condition,
}

/// A simple command: its words, before anything is known about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirections: Vec<Redirection>,
    /// The here-documents among its redirections: which one, and the number of the document.
    pub(crate) heredocs: Vec<(usize, usize)>,
    /// The one of its redirections that is its standard input, if that is text.
    pub(crate) stdin: Option<usize>,
    /// Its standard input is not that of the shell.
    pub(crate) has_input: bool,
    /// Names of files arrive at its standard input.
    pub(crate) names: bool,
    /// What it prints may not be what is read, or not alone.
    pub(crate) mixed: bool,
    pub(crate) directory: Directory,
}

impl Simple {
    pub(crate) fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.words.is_empty() && self.redirections.is_empty()
    }
}

/// What may follow the reserved word `time`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Timed {
    #[default]
    No,
    /// `-p` or `--`.
    Word,
    /// `--`.
    Option,
}

/// The descriptor that a redirection is for.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Descriptor {
    /// None is named: what the operator is for.
    #[default]
    Default,
    Zero,
    Other,
}

/// A redirection operator.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operator {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `>&`: a descriptor, or in bash a file.
    DuplicateOut {
        numbered: bool,
    },
    /// `<&`.
    DuplicateIn,
    /// `<<`, or with `tabs` `<<-`.
    Document {
        tabs: bool,
    },
    /// `<<<`.
    String,
}

impl List {
    pub(crate) fn new(kind: ListKind) -> Self {
        Self {
            kind,
            state: State::Start,
            simple: Simple::default(),
            word: Builder::default(),
            redirect: None,
            descriptor: Descriptor::Default,
            outside: None,
            untimed: false,
            names: false,
            coprocess: false,
            timed: Timed::No,
            entered: Directory::Start,
            function: None,
            numeric: None,
            listing: None,
            after_document: None,
            counted: None,
            variable: String::new(),
            operands: Vec::new(),
        }
    }
}
