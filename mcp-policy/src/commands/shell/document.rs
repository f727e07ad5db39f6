//! Here-documents: where their bodies are, and what is in them.

use crate::commands::reader::JobKind;
use crate::commands::shell::frame::Simple;
use crate::commands::shell::{Document, Parser};
use crate::commands::{Cause, Target, Token};

impl Parser<'_> {
    /// After a newline: the bodies of the documents that were announced.
    pub(super) fn read_documents(&mut self) {
        if self.documents.is_empty() {
            return;
        }
        let level = self.level();
        let mut documents = std::mem::take(&mut self.documents);
        for document in &mut documents {
            if document.body.is_some() {
                continue;
            }
            if document.level < level {
                // Shells disagree on whether this newline counts.
                self.unknown(Cause::HereDocument);
                continue;
            }
            document.body = Some(self.body(document, level > 0));
        }
        self.documents = documents;
    }

    /// The lines up to the delimiter.
    fn body(&mut self, document: &Document, nested: bool) -> Token {
        let Document { delimiter, quoted, tabs, .. } = document;
        let (quoted, tabs) = (*quoted, *tabs);
        let mut text = String::new();
        let mut joined = false;
        let mut joins = false;
        let mut is_inside = false;
        if tabs && delimiter.starts_with('\t') {
            // bash also ends it where the tabs are still there.
            self.unknown(Cause::HereDocument);
        }
        // Before the body is read as anything, even in quotes and comments.
        let joins_first = self.is_bash();
        let mut found = false;
        while self.at < self.text.len() {
            let end = self.run_end(|byte| byte != b'\n');
            let line = self.between(self.at, end);
            let is_indented = tabs && !joined && line.starts_with('\t');
            if is_indented && !quoted && is_inside {
                // dash leaves the tabs of an expansion that goes on for lines.
                self.diverge();
                if !self.is_bash() {
                    self.unknown(Cause::HereDocument);
                }
            }
            let line = if tabs && !joined { line.trim_start_matches('\t') } else { line };
            self.at = (end + 1).min(self.text.len());
            if !joined && line == delimiter.as_str() {
                found = true;
                break;
            }
            // To bash, `EOF)` ends it too, and whatever else begins so and has a `)` in it.
            let early = line.strip_prefix(delimiter.as_str()).is_some_and(|it| it.contains(')'));
            if early && nested {
                self.unknown(Cause::HereDocument);
            }
            joined = !quoted && line.bytes().rev().take_while(|it| *it == b'\\').count() % 2 == 1;
            if joined && line.strip_suffix('\\').is_some_and(|it| delimiter.starts_with(it)) {
                // Joined with the next line it may be the delimiter.
                self.unknown(Cause::HereDocument);
            }
            joins |= joined;
            is_inside |= may_go_on(line);
            match line.strip_suffix('\\').filter(|_| joined && joins_first) {
                Some(line) => text.push_str(line),
                None => text.extend([line, "\n"]),
            }
        }
        let expands = text.contains("$(") || text.contains("${") || text.contains('`');
        if joins && expands && text.contains(['\'', '#']) {
            self.diverge();
        }
        // An empty line ends nothing where bash reads a substitution for the second time.
        let unended = nested || joined || delimiter.contains('\n');
        if (!found && unended) || (nested && delimiter.is_empty()) {
            self.unknown(Cause::HereDocument);
        }
        if quoted || !text.contains(['$', '`', '\\']) {
            return Token::Text(text);
        }
        if !text.contains(['$', '`']) {
            return Token::Text(unescape(&text));
        }
        self.add_job(text, JobKind::Body);
        Token::unreadable(Cause::Substitution)
    }

    /// Gives a redirection the body of its document.
    pub(super) fn fill(&mut self, simple: &mut Simple, redirection: usize, document: usize) {
        let body = self.documents.get_mut(document).and_then(|document| document.body.take());
        let body = body.unwrap_or_else(|| Token::Text(String::new()));
        if let Some(redirection) = simple.redirections.get_mut(redirection) {
            redirection.target = Target::Text(body);
        }
    }
}

/// Whether an expansion may begin in a line and not end in it.
fn may_go_on(line: &str) -> bool {
    let starts = ["$(", "${", "`"];
    let Some(start) = starts.iter().filter_map(|start| line.find(start)).min() else {
        return false;
    };
    let (mut round, mut curly, mut backquotes) = (0_isize, 0_isize, 0_usize);
    for byte in line.bytes().skip(start) {
        match byte {
            b'(' => round += 1,
            b')' => round -= 1,
            b'{' => curly += 1,
            b'}' => curly -= 1,
            b'`' => backquotes += 1,
            // What is quoted may count or not.
            b'\'' | b'"' | b'\\' => return true,
            _ => (),
        }
    }
    round != 0 || curly != 0 || backquotes % 2 == 1
}

/// The body without the backslashes that protect each other, or join lines.
fn unescape(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(char) = chars.next() {
        match chars.next_if(|next| char == '\\' && matches!(next, '\\' | '\n')) {
            Some('\n') => (),
            Some(next) => text.push(next),
            None => text.push(char),
        }
    }
    text
}
