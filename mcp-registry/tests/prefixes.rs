//! What may be registered, under which prefix, and how it is taken out again.

mod common;

use common::{Fake, names, run, told};
use mcp_provider::{Provider, ToolCall, ToolDeclaration};
use mcp_registry::{Prefix, PrefixError, Registry};

#[test]
fn a_prefix_is_of_the_alphabet_of_tool_names() {
    // B-REG-2
    let long = "x".repeat(200);
    for prefix in ["fs", "FS", "f", "7", "_", "-", "a_b-C9", &long] {
        let parsed = Prefix::new(prefix).unwrap();
        assert_eq!((parsed.as_str(), parsed.tag()), (prefix, &*format!("{prefix}_")));
        assert_eq!(prefix.parse(), Ok(parsed));
    }
    assert_eq!(Prefix::new(""), Err(PrefixError::Empty));
    for prefix in ["no spaces", "fs\n", "\n", "a.b", "a/b", "a*", "é", "fs\0", "fs::"] {
        let error = Prefix::new(prefix).unwrap_err();
        assert_eq!(error, PrefixError::Invalid { prefix: prefix.to_owned() });
        assert!(error.to_string().contains(&format!("{prefix:?}")), "{error}");
    }
}

#[test]
fn a_separator_is_empty_or_of_the_same_alphabet() {
    // B-REG-2
    let prefix = Prefix::new("fs").unwrap();
    for separator in ["", "_", "__", "-", "X"] {
        let separated = prefix.separator(separator).unwrap();
        assert_eq!(separated.tag(), format!("fs{separator}"));
        assert_eq!(separated.as_str(), "fs");
        assert_eq!(separated.separator("_"), Ok(prefix.clone()), "after {separator:?}");
    }
    for separator in ["::", ".", " ", "\n", "ü"] {
        let error = prefix.separator(separator).unwrap_err();
        let (prefix, separator) = ("fs".to_owned(), separator.to_owned());
        let text = error.to_string();
        assert!(text.contains("\"fs\"") && text.contains(&format!("{separator:?}")), "{text}");
        assert_eq!(error, PrefixError::InvalidSeparator { prefix, separator });
    }
}

#[test]
fn a_prefix_or_a_tag_is_given_once() {
    // B-REG-2
    let bare = |prefix| Prefix::new(prefix).unwrap().separator("").unwrap();
    let registry = Registry::new();
    registry.add("fs", Fake::echo(&["a"])).unwrap();

    let taken = PrefixError::Taken { prefix: "fs".to_owned() };
    assert_eq!(registry.add("fs", Fake::echo(&[])).err(), Some(taken.clone()));
    assert_eq!(registry.add_under(bare("fs"), Fake::echo(&[])).err(), Some(taken));
    let colliding = registry.add_under(bare("fs_"), Fake::echo(&[])).err().unwrap();
    let [prefix, tag, other] = ["fs_", "fs_", "fs"].map(str::to_owned);
    assert_eq!(colliding, PrefixError::TagTaken { prefix, tag, other });
    assert!(registry.add("no spaces", Fake::echo(&[])).is_err());
    assert!(registry.add("", Fake::echo(&[])).is_err());

    assert_eq!(registry.len(), 1, "a refused provider leaves nothing behind");
    registry.add_under(bare("f"), Fake::echo(&["b"])).unwrap().add("FS", Fake::echo(&[])).unwrap();
    assert_eq!(registry.len(), 3);
}

#[tokio::test]
async fn any_provider_is_accepted_and_the_order_is_kept() {
    // B-REG-1, B-REG-3
    let shared = Fake::echo(&["b"]);
    let boxed: Box<dyn Provider> = Box::new(Fake::echo(&["c"]));
    let inner = Registry::new();
    inner.add("x", Fake::echo(&["d"])).unwrap();

    let registry = Registry::new();
    assert!(registry.is_empty() && !registry.contains("p1"));
    registry
        .add("p1", Fake::echo(&["a"]))
        .and_then(|it| it.add("p2", std::sync::Arc::new(shared)))
        .and_then(|it| it.add("p3", boxed))
        .and_then(|it| it.add("p0", inner))
        .unwrap();

    let prefixes: Vec<_> = registry.providers().iter().map(|it| it.prefix.to_string()).collect();
    assert_eq!(prefixes, ["p1", "p2", "p3", "p0"]);
    assert_eq!(registry.len(), 4);
    assert!(!registry.is_empty() && registry.contains("p0") && !registry.contains("p0_"));
    assert_eq!(names(&registry).await, ["p1_a", "p2_b", "p3_c", "p0_x_d"]);
    assert_eq!(format!("{registry:?}"), r#"["p1_", "p2_", "p3_", "p0_"]"#);
}

#[tokio::test]
async fn a_removed_provider_comes_back_and_its_prefix_is_free() {
    // B-REG-3
    let (fs, nt) = (Fake::echo(&["read"]), Fake::echo(&["add"]));
    let registry = Registry::new();
    registry.add("fs", fs.clone()).unwrap().add("nt", nt).unwrap();

    let removed = registry.remove("fs").unwrap();
    assert!(registry.remove("fs").is_none());
    assert!(registry.remove("fs_").is_none());
    assert_eq!((registry.len(), registry.contains("fs")), (1, false));
    assert_eq!(names(&registry).await, ["nt_add"]);
    let results = run(&registry, &["fs_read", "nt_add"]).await;
    assert!(results[0].is_error && results[0].content.contains("fs_read"));
    assert_eq!(told(&results)[1], ("2".to_owned(), "add", false));

    // It was not closed: it still answers whoever holds it.
    let results = removed.execute_tool_calls(vec![ToolCall::new("9", "read", "")]).await;
    assert_eq!((&*results[0].content, fs.seen().len()), ("read", 1));
    assert_eq!(removed.tools_for_llm().await.unwrap(), [ToolDeclaration::new("read")]);
    registry.add("fs", Fake::echo(&["again"])).unwrap();
    assert_eq!(names(&registry).await, ["nt_add", "fs_again"]);
}

#[test]
fn a_registry_can_be_shared_between_threads() {
    fn assert_send_sync<T: Send + Sync + 'static>() {}
    assert_send_sync::<Registry>();
    assert_send_sync::<PrefixError>();
}
