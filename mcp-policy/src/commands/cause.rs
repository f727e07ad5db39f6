//! Why something cannot be read.

use std::fmt;

use serde::Serialize;

/// Why a program, a word or a redirection is not known before it runs.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No program is named.
    NoProgram,
    /// The caller gave something that is not text.
    NotText,
    /// The caller gave text that no program can be given: it contains a NUL.
    Nul,
    /// A home folder stands for it.
    Home,
    /// A variable stands for it.
    Variable,
    /// The output of a command stands for it.
    Substitution,
    /// A number that is computed or counted stands for it.
    Number,
    /// A pattern of file names stands for it.
    Glob,
    /// A brace expansion stands for it.
    Brace,
    /// A parameter expansion that does more than name a variable.
    Parameter,
    /// `$"…"`: text that may be translated.
    Translated,
    /// The name of a pipe to another command: `<(…)`.
    Process,
    /// Escapes in `$'…'` that give no text.
    Escape,
    /// A quote, a bracket or a here-document that does not end.
    Unterminated,
    /// Not what the grammar of the shell allows here.
    Syntax,
    /// Two readings of the same quotes are possible.
    Quoting,
    /// A here-document whose body cannot be found for certain.
    HereDocument,
    /// Nested too deeply.
    TooDeep,
    /// More text, commands or readings than are looked at.
    TooLarge,
    /// A shell whose language is not read here.
    ForeignShell,
    /// The code that a shell is to run is not known.
    Code,
    /// Text that a tool puts into the code before it runs.
    Placeholder,
    /// A program that runs another was given an option that is not known here, or an unreadable one.
    WrapperOption,
    /// An option that runs a program may hide in a variable.
    HiddenOption,
    /// Names of files that a command prints.
    Names,
    /// An alias changes what words mean.
    Alias,
    /// A shell option or builtin changes how commands are read or found.
    ShellOption,
    /// A value that the shell runs as code, such as a prompt.
    EvaluatedVariable,
    /// A name or subscript that the shell evaluates, and with it what is substituted inside.
    EvaluatedName,
    /// Arithmetic on a value that is not a plain number: the shell evaluates what it holds.
    EvaluatedNumber,
    /// `${…@P}`: a value that the shell expands once more.
    EvaluatedPrompt,
    /// A part of a script that may run again, or later, from another folder.
    Repeated,
    /// Arguments that arrive on standard input, or from a search for files.
    Arriving,
}

impl Cause {
    /// What could not be read, as the end of a sentence that begins "not readable: ".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoProgram => "no program is named",
            Self::NotText => "an argument is not text",
            Self::Nul => "a NUL in the text",
            Self::Home => "a home folder",
            Self::Variable => "a variable",
            Self::Substitution => "the output of another command",
            Self::Number => "a number that is computed",
            Self::Glob => "a pattern of file names",
            Self::Brace => "a brace expansion",
            Self::Parameter => "a parameter expansion",
            Self::Translated => "text that may be translated",
            Self::Process => "a pipe to another command",
            Self::Escape => "an escape that gives no text",
            Self::Unterminated => "a quote, bracket or here-document does not end",
            Self::Syntax => "not valid shell syntax",
            Self::Quoting => "shells read these quotes in different ways",
            Self::HereDocument => "a here-document whose end is not certain",
            Self::TooDeep => "nested too deeply",
            Self::TooLarge => "too long",
            Self::ForeignShell => "a shell whose language is not understood here",
            Self::Code => "code that is not known before it runs",
            Self::Placeholder => "text is put into the code before it runs",
            Self::WrapperOption => "an option of a program that runs another is not understood",
            Self::HiddenOption => "an option that runs a program may hide in a variable",
            Self::Names => "names of files that a command prints",
            Self::Alias => "an alias changes what words mean",
            Self::ShellOption => "a shell option or builtin changes how commands are found",
            Self::EvaluatedVariable => "a variable whose value the shell runs",
            Self::EvaluatedName => "a name or subscript that the shell evaluates",
            Self::EvaluatedNumber => "arithmetic on a value that the shell evaluates",
            Self::EvaluatedPrompt => "a value that the shell expands once more",
            Self::Repeated => "it may run again, from another folder",
            Self::Arriving => "arguments that only arrive when it runs",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
