//! A journal against a model of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;

use common::{Folder, dispatched, late, lines, ops, settled};
use mcp_operations::{FileJournal, Journal, Line, Outcome};
use proptest::prelude::*;

/// A step of a journal's life: something is appended, or the file is torn and opened again.
#[derive(Clone, Debug)]
enum Step {
    Append(u8, u8),
    Tear(usize),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..4_u8, 0..5_u8).prop_map(|(op, kind)| Step::Append(op, kind)),
        1 => (1..400_usize).prop_map(Step::Tear),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 0..40)
}

/// Where one operation stands, in the plainest words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stand {
    Closed,
    Open,
    Unknown,
}

fn stands(lines: &[Line]) -> [Stand; 4] {
    let mut stands = [Stand::Closed; 4];
    for line in lines {
        let op: usize = line.op().as_str().parse().unwrap();
        stands[op] = match line {
            Line::Dispatched(_) => Stand::Open,
            Line::Settled(line) if line.outcome == Outcome::OutcomeUnknown => Stand::Unknown,
            _ => Stand::Closed,
        };
    }
    stands
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn a_journal_is_what_its_whole_lines_add_up_to(steps in steps()) {
        // O-JRN-6 to O-JRN-8
        let folder = Folder::new();
        let path = folder.file("j");
        let mut journal = Some(FileJournal::open(&path).unwrap());
        let mut model: Vec<Line> = Vec::new();
        for step in steps {
            match step {
                Step::Append(op, kind) => {
                    let (stand, name) = (stands(&model)[usize::from(op)], op.to_string());
                    let (line, is_fine) = match kind {
                        0 => (dispatched(&name), stand != Stand::Open),
                        1..=3 => {
                            let outcome = Outcome::ALL[usize::from(kind - 1)];
                            (settled(&name, outcome), stand == Stand::Open)
                        }
                        _ => (late(&name), stand == Stand::Unknown),
                    };
                    let appended = journal.as_ref().unwrap().append(&line);
                    prop_assert_eq!(appended.is_ok(), is_fine, "{:?} {:?}", stand, line);
                    if is_fine { model.push(line); }
                }
                Step::Tear(bytes) => {
                    drop(journal.take());
                    let mut text = fs::read(&path).unwrap();
                    text.truncate(text.len().saturating_sub(bytes));
                    fs::write(&path, &text).unwrap();
                    model.truncate(text.iter().filter(|it| **it == b'\n').count());
                    let is_torn = text.last().is_some_and(|it| *it != b'\n');
                    let opened = FileJournal::open(&path).unwrap();
                    prop_assert_eq!(opened.torn().is_some(), is_torn);
                    journal = Some(opened);
                }
                Step::Reopen => {
                    drop(journal.take());
                    journal = Some(FileJournal::open(&path).unwrap());
                }
            }
            let mut expected: Vec<String> = Vec::new();
            for line in &model {
                match line {
                    Line::Dispatched(line) => expected.push(line.op.to_string()),
                    line => expected.retain(|it| *it != line.op().as_str()),
                }
            }
            let pending = journal.as_ref().unwrap().pending().unwrap();
            prop_assert_eq!(ops(&pending), expected);
        }
        prop_assert_eq!(lines(&path).len(), model.len());
    }
}
