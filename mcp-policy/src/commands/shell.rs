//! The grammar of bash and of dash, read once from left to right.
//!
//! What is open stands on a stack of our own: no input makes this code recurse.

mod ansi_c;
mod arithmetic;
mod array;
mod brace;
mod bracket;
mod condition;
mod counted;
mod document;
mod expansion;
mod frame;
mod grammar;
mod input;
mod list;
mod names;
mod number;
mod parameter;
mod parenthesis;
mod quotes;
mod redirect;
mod reserved;
mod word;

use crate::commands::reader::{Dialect, Job, JobKind, Reader, Scene};
use crate::commands::shell::frame::{Frame, List, ListKind, Mark, State};
use crate::commands::shell::word::Builder;
use crate::commands::{Cause, Directory};

pub(crate) use crate::commands::shell::frame::Simple;
pub(crate) use crate::commands::shell::names::may_print_names;
pub(crate) use crate::commands::shell::number::{is_counter, is_number, prints_along};
pub(crate) use crate::commands::shell::parameter::is_name;
pub(crate) use crate::commands::shell::redirect::file;
pub(crate) use crate::commands::shell::word::Word;

/// What the reading of a script left over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// Another shell reads something of it differently.
    pub(crate) diverged: bool,
}

/// Reads `job`, and hands every command in it to `reader`.
pub(crate) fn read(job: &Job, dialect: Dialect, reader: &mut Reader) -> Reading {
    let mut parser = Parser {
        text: &job.text,
        at: 0,
        dialect,
        scene: &job.scene,
        directory: job.scene.directory.clone(),
        reader,
        stack: Vec::new(),
        script: List::new(ListKind::Script),
        lists: Vec::new(),
        documents: Vec::new(),
        held: Vec::new(),
        causes: 0,
        rewinds: 0,
        stopped: false,
        reading: Reading::default(),
    };
    if job.kind == JobKind::Body {
        parser.push(Frame::Body);
        parser.word().hide();
    }
    parser.run();
    parser.reading
}

/// A here-document whose delimiter is known, and perhaps its body.
#[derive(Debug)]
struct Document {
    delimiter: String,
    quoted: bool,
    tabs: bool,
    /// How many substitutions it stands in.
    level: usize,
    body: Option<crate::commands::Token>,
}

#[derive(Debug)]
struct Parser<'t> {
    text: &'t str,
    at: usize,
    dialect: Dialect,
    scene: &'t Scene,
    /// Where the next command runs.
    directory: Directory,
    reader: &'t mut Reader,
    /// What is open, outermost first; the script itself is not on it.
    stack: Vec<Frame>,
    script: List,
    /// The lists on the stack.
    lists: Vec<List>,
    documents: Vec<Document>,
    /// Commands that wait for the bodies of their here-documents.
    held: Vec<Simple>,
    /// The causes already reported, a bit each.
    causes: u64,
    rewinds: usize,
    stopped: bool,
    reading: Reading,
}

impl<'t> Parser<'t> {
    fn run(&mut self) {
        while self.at < self.text.len() && !self.stopped {
            self.reader.steps += 1;
            match self.stack.last() {
                None | Some(Frame::List) => self.in_list(),
                Some(Frame::Double) => self.in_double(),
                Some(Frame::Parameter(span)) => {
                    let span = *span;
                    self.in_parameter(span);
                }
                Some(Frame::Arithmetic(_)) => self.in_arithmetic(),
                Some(Frame::Array { fresh }) => {
                    let fresh = *fresh;
                    self.in_array(fresh);
                }
                Some(Frame::Pattern { start, parens }) => {
                    let (start, parens) = (*start, *parens);
                    self.in_pattern(start, parens);
                }
                Some(Frame::Body) => self.in_body(),
            }
        }
        self.end();
    }

    /// The text ended.
    fn end(&mut self) {
        if !self.stopped && matches!(self.stack.last(), None | Some(Frame::List)) {
            self.end_command();
        }
        let body = matches!(self.stack.last(), Some(Frame::Body));
        let open = !self.stack.is_empty() || self.script.state != State::Start;
        if !self.stopped && open && !body {
            self.unknown(Cause::Unterminated);
        }
        if self.documents.iter().any(|document| document.body.is_none()) {
            self.unknown(Cause::HereDocument);
        }
        self.release();
    }

    /// Reports, once for each cause, that something is not known.
    fn unknown(&mut self, cause: Cause) {
        let bit = 1u64 << (cause as u64);
        if self.causes & bit == 0 {
            self.causes |= bit;
            self.reader.unknown(cause, self.scene, &self.directory);
        }
    }

    /// The rest cannot be read.
    fn stop(&mut self, cause: Cause) {
        self.unknown(cause);
        self.stopped = true;
    }

    /// Another shell reads this differently.
    fn diverge(&mut self) {
        self.reading.diverged = true;
    }

    fn is_bash(&self) -> bool {
        self.dialect != Dialect::Posix
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Whether a line ends after a backslash there, and so goes on.
    fn is_continued(&self, ahead: usize) -> bool {
        self.byte(ahead) == Some(b'\\') && self.byte(ahead + 1) == Some(b'\n')
    }

    /// The byte that follows there, if a continued line parts it from what is before.
    fn joins(&self, mut ahead: usize) -> Option<u8> {
        let start = ahead;
        while self.is_continued(ahead) {
            ahead += 2;
        }
        self.byte(ahead).filter(|_| ahead > start)
    }

    fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The end of the run of bytes from here for which `plain` holds.
    fn run_end(&mut self, plain: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let length = rest.iter().position(|byte| !plain(*byte)).unwrap_or(rest.len());
        self.reader.steps += length;
        self.at + length
    }

    /// Takes one character into the word as it is.
    fn take_char(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = rest.chars().next().map_or(1, char::len_utf8);
        let text = self.between(self.at, self.at + length);
        self.word().push(text);
        self.at += length;
    }

    fn push(&mut self, frame: Frame) {
        if self.stack.len() >= MAX_OPEN {
            self.stop(Cause::TooDeep);
            return;
        }
        self.stack.push(frame);
    }

    /// The innermost list.
    fn list(&mut self) -> &mut List {
        self.lists.last_mut().unwrap_or(&mut self.script)
    }

    fn word(&mut self) -> &mut Builder {
        &mut self.list().word
    }

    /// Adds commands in a list of their own, within what is open.
    fn push_list(&mut self, kind: ListKind) {
        let mut list = List::new(kind);
        list.entered = self.directory.clone();
        if matches!(kind, ListKind::Substitution { .. } | ListKind::Subshell) {
            list.outside = Some(self.directory.clone());
        }
        self.push(Frame::List);
        if !self.stopped {
            self.lists.push(list);
        }
    }

    /// How many substitutions are open.
    fn level(&self) -> usize {
        let substitution = |list: &&List| matches!(list.kind, ListKind::Substitution { .. });
        self.lists.iter().filter(substitution).count()
    }

    fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            out: self.reader.commands.len(),
            jobs: self.reader.jobs.len(),
            held: self.held.len(),
            heredocs: self.documents.len(),
        }
    }

    fn rewind(&mut self, mark: Mark) {
        self.at = mark.at;
        self.reader.truncate(mark.out, mark.jobs);
        self.held.truncate(mark.held);
        self.documents.truncate(mark.heredocs);
        self.causes = 0;
    }

    /// Text that runs as a script of its own.
    fn add_job(&mut self, text: String, kind: JobKind) {
        let scene = self.scene.deeper(&self.directory);
        self.reader.add(Job { text, kind, dialect: scene.dialect, scene });
    }
}

/// More than anybody writes, and little enough to hold.
const MAX_OPEN: usize = 200;
