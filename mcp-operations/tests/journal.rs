//! The journal that is a file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;

use common::{Folder, Still, at, call, dispatched, late, lines, ops, settled};
use mcp_operations::{
    DispatchedLine, Durability, FileJournal, Idempotency, Journal, JournalError, Line, Operation,
    OperationId, Outcome, Proposal, Reason, SettledLine, Settlement,
};
use serde_json::{Value, json};

#[test]
fn a_line_says_what_its_documentation_says() {
    // O-JRN-5
    let folder = Folder::new();
    let path = folder.file("j");
    let journal = FileJournal::open(&path).unwrap();
    let proposal = Proposal::of(&call("call_1", "fs_write", r#"{"b":2, "a":1}"#));
    let proposal = proposal.with_id("op-1").with_idempotency(Idempotency::Destructive);
    let operation = Operation::new(proposal, at(0));
    let line = DispatchedLine::new(&operation, &Still::default());
    journal.append(&Line::Dispatched(line)).unwrap();
    let settlement = Settlement::from(Outcome::OutcomeUnknown).because(Reason::DEADLINE);
    journal.append(&Line::Settled(SettledLine::new("op-1".into(), settlement))).unwrap();
    journal.append(&late("op-1")).unwrap();
    let expected = json!([
        {"v": 1, "type": "dispatched", "op": "op-1", "call_id": "call_1", "tool": "fs_write",
         "arguments": "{\"a\":1,\"b\":2}", "idempotency": "destructive",
         "arguments_digest": "f471f35e0f4c0e168b01b5d7acd30c4485f0d88b2be5aabba227969707f88c08",
         "at": "1970-01-01T00:00:00.000000Z"},
        {"v": 1, "type": "settled", "op": "op-1", "outcome": "outcome-unknown",
         "reason": "deadline"},
        {"v": 1, "type": "late", "op": "op-1", "outcome": "completed", "result_digest": "d"},
    ]);
    assert_eq!(Value::from(lines(&path)), expected);
}

#[test]
fn pending_is_what_was_dispatched_and_not_settled_in_order_also_after_a_restart() {
    // O-JRN-6
    let folder = Folder::new();
    let path = folder.file("j");
    for durability in [Durability::Flush, Durability::Fsync] {
        let journal = FileJournal::open(&path).unwrap().with_durability(durability).unwrap();
        for op in ["c", "a", "b"] {
            journal.append(&dispatched(op)).unwrap();
        }
        journal.append(&settled("a", Outcome::Completed)).unwrap();
        assert_eq!(ops(&journal.pending().unwrap()), ["c", "b"]);
        let before = journal.pending().unwrap();
        drop(journal);
        assert_eq!(FileJournal::peek(&path).unwrap().pending, before);
        let journal = FileJournal::open(&path).unwrap();
        assert_eq!(journal.pending().unwrap(), before);
        assert_eq!(journal.torn(), None);
        // Clean for the next time round.
        for op in ["c", "b"] {
            journal.resolve(&op.into(), Outcome::OutcomeUnknown, Reason::CRASH_REPAIR).unwrap();
        }
        assert!(journal.pending().unwrap().is_empty());
        let last = lines(&path).pop().unwrap();
        assert_eq!((&last["reason"], &last["op"]), (&json!("crash-repair"), &json!("b")));
    }
}

#[test]
fn what_the_lines_before_rule_out_is_refused_and_leaves_no_line() {
    // O-JRN-7
    let folder = Folder::new();
    let path = folder.file("j");
    let journal = FileJournal::open(&path).unwrap();
    for line in [
        dispatched("open"),
        dispatched("done"),
        settled("done", Outcome::Completed),
        dispatched("unknown"),
        settled("unknown", Outcome::OutcomeUnknown),
        dispatched("late"),
        settled("late", Outcome::OutcomeUnknown),
        late("late"),
    ] {
        journal.append(&line).unwrap();
    }
    let before = fs::read(&path).unwrap();
    let not_pending = "is not pending";
    let cases = [
        (dispatched("open"), "pending already"),
        (dispatched(""), "name"),
        (settled("done", Outcome::Failed), not_pending),
        (settled("orphan", Outcome::Failed), not_pending),
        (settled("unknown", Outcome::Completed), not_pending),
        (settled("", Outcome::Completed), "name"),
        (late("open"), "waits for no late answer"),
        (late("done"), "waits for no late answer"),
        (late("late"), "waits for no late answer"),
        (late("orphan"), "waits for no late answer"),
    ];
    for (line, words) in cases {
        let error = journal.append(&line).unwrap_err().to_string();
        assert!(error.contains(words), "{line:?}: {error}");
        assert_eq!(fs::read(&path).unwrap(), before, "{line:?}");
    }
    // Everything that was refused is fatal in a file.
    drop(journal);
    for line in [
        settled("done", Outcome::Failed),
        settled("orphan", Outcome::Failed),
        dispatched("open"),
        late("done"),
    ] {
        let mut bytes = before.clone();
        bytes.extend(format!("{}\n", line.to_json()).bytes());
        fs::write(&path, bytes).unwrap();
        let error = FileJournal::open(&path).unwrap_err();
        assert!(matches!(error, JournalError::Malformed { line: 9, .. }), "{line:?}: {error}");
    }
}

#[test]
fn only_a_last_line_without_an_end_is_cut_and_all_else_is_an_error_that_names_the_line() {
    // O-JRN-8
    let whole = format!("{}\n", dispatched("a").to_json());
    let other = format!("{}\n", settled("a", Outcome::Completed).to_json());
    let with = |member: &str, value: Value| {
        let mut json = dispatched("b").to_json();
        json[member] = value;
        format!("{json}\n")
    };
    let without = |member: &str| {
        let mut json = dispatched("b").to_json();
        json.as_object_mut().unwrap().shift_remove(member);
        format!("{json}\n")
    };
    // What follows the first line, and the line that the error names, or how much is left.
    let fatal: Vec<(String, usize)> = vec![
        ("nonsense\n".into(), 2),
        ("\n".into(), 2),
        (format!("nonsense\n{other}"), 2),
        (format!("{}\n{other}", &other[..20]), 2),
        ("[]\n".into(), 2),
        (with("v", json!(2)), 2),
        (with("v", json!("1")), 2),
        (without("v"), 2),
        (without("type"), 2),
        (without("op"), 2),
        (without("tool"), 2),
        (with("op", json!(7)), 2),
        (with("idempotency", json!("safe")), 2),
        (
            format!(
                "{other}{{\"v\":1,\"type\":\"settled\",\"op\":\"a\",\"outcome\":\"abandoned\"}}\n"
            ),
            3,
        ),
        (format!("{other}{other}"), 3),
    ];
    for (rest, number) in fatal {
        let folder = Folder::new();
        let path = folder.file("j");
        let text = format!("{whole}{rest}");
        fs::write(&path, &text).unwrap();
        let error = FileJournal::open(&path).unwrap_err();
        let JournalError::Malformed { line, .. } = error else { unreachable!("{rest}: {error}") };
        assert_eq!(line, number, "{rest}");
        assert!(error.to_string().contains(&format!("line {number} of")), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "it stays as it is");
        assert!(FileJournal::peek(&path).is_err(), "{rest}");
    }
    let torn = ["{", "nonsense", "\0\0\0", " ", &other[..other.len() - 1], &whole[..30]];
    for rest in torn {
        let folder = Folder::new();
        let path = folder.file("j");
        fs::write(&path, format!("{whole}{rest}")).unwrap();
        let peeked = FileJournal::peek(&path).unwrap();
        assert_eq!(ops(&peeked.pending), ["a"]);
        let length = fs::metadata(&path).unwrap().len() as usize;
        assert_eq!(length, whole.len() + rest.len(), "a peek changes nothing");
        let journal = FileJournal::open(&path).unwrap();
        let told = journal.torn().unwrap();
        assert_eq!((told.line, told.bytes, &*told.text), (2, rest.len(), rest));
        assert_eq!(peeked.torn.as_ref(), Some(told));
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        assert_eq!(ops(&journal.pending().unwrap()), ["a"], "its settled line was cut short");
        journal.append(&settled("a", Outcome::Failed)).unwrap();
        assert_eq!(lines(&path).len(), 2);
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_in_the_middle_and_cut_at_the_end() {
    // O-JRN-8
    let folder = Folder::new();
    let path = folder.file("j");
    fs::write(&path, b"\xff\xfe\n").unwrap();
    assert!(matches!(FileJournal::open(&path), Err(JournalError::Malformed { line: 1, .. })));
    fs::write(&path, b"\xff\xfe").unwrap();
    assert_eq!(FileJournal::open(&path).unwrap().torn().unwrap().bytes, 2);
}

#[test]
fn a_line_of_a_type_that_came_later_is_kept_and_skipped() {
    // O-JRN-9
    let folder = Folder::new();
    let path = folder.file("j");
    let text = format!("{}\n{{\"v\":1,\"type\":\"note\",\"op\":[]}}\n", dispatched("a").to_json());
    fs::write(&path, &text).unwrap();
    let journal = FileJournal::open(&path).unwrap();
    assert_eq!(ops(&journal.pending().unwrap()), ["a"]);
    journal.append(&settled("a", Outcome::Completed)).unwrap();
    assert!(fs::read_to_string(&path).unwrap().starts_with(&text));
}

#[test]
fn a_journal_is_open_once() {
    // O-JRN-10
    let folder = Folder::new();
    let path = folder.file("j");
    let journal = FileJournal::open(&path).unwrap();
    let error = FileJournal::open(&path).unwrap_err();
    let JournalError::Locked { holder, .. } = error else { unreachable!("{error}") };
    assert_eq!(holder, Some(std::process::id()));
    assert!(error.to_string().contains(&std::process::id().to_string()));
    // It may be looked at all the same.
    assert!(FileJournal::peek(&path).unwrap().pending.is_empty());
    drop(journal);
    assert!(FileJournal::open(&path).is_ok(), "the lock goes with its holder, not with its file");
    assert!(fs::exists(folder.file("j.lock")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_journal_under_two_names_is_open_once() {
    // O-JRN-10
    let folder = Folder::new();
    let (one, other) = (folder.file("one"), folder.file("other"));
    let journal = FileJournal::open(&one).unwrap();
    fs::hard_link(&one, &other).unwrap();
    let error = FileJournal::open(&other).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    drop(journal);
    assert!(FileJournal::open(&other).is_ok());
}

#[test]
fn a_journal_that_cannot_be_opened_says_why() {
    let folder = Folder::new();
    let error = FileJournal::open(folder.file("no/such/folder")).unwrap_err();
    assert!(matches!(error, JournalError::Io { doing: "lock", .. }), "{error:?}");
    assert!(FileJournal::peek(folder.file("none")).is_err());
    assert!(!fs::exists(folder.file("none")).unwrap(), "a peek makes nothing");
}

#[test]
fn arguments_can_be_left_out() {
    // O-JRN-11
    let folder = Folder::new();
    let path = folder.file("j");
    let journal = FileJournal::open(&path).unwrap().without_arguments();
    journal.append(&dispatched("a")).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("path"));
    let pending = journal.pending().unwrap();
    assert_eq!(pending[0].arguments, None);
    assert_eq!(pending[0].arguments_digest.as_ref().unwrap().len(), 64);
}

#[test]
fn what_pending_returns_is_a_copy() {
    let folder = Folder::new();
    let journal = FileJournal::open(folder.file("j")).unwrap();
    journal.append(&dispatched("a")).unwrap();
    journal.pending().unwrap()[0].op = OperationId::from("changed");
    assert_eq!(ops(&journal.pending().unwrap()), ["a"]);
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_a_journal() {
    // O-JRN-12
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("j");
    let _journal = FileJournal::open(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Reading `/dev/zero` gives no line, and no end either.
#[cfg(target_os = "linux")]
#[test]
fn a_file_without_lines_is_given_up_before_it_fills_the_memory() {
    let error = FileJournal::peek("/dev/zero").unwrap_err();
    assert!(matches!(error, JournalError::Malformed { line: 1, .. }), "{error}");
    assert!(error.to_string().contains("bytes"), "{error}");
}
