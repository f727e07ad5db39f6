//! Keys, and what servers write about keeping results.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use mcp_cache::{CacheHint, CacheScope, Key, Partition};
use proptest::prelude::*;

// B-CACHE-1
#[test]
fn equal_questions_have_equal_keys_and_different_ones_do_not() {
    let a = Partition::new("a");
    let list = |partition: &Partition| Key::new(partition, "tools/list");
    let both = list(&a).param("cursor", "2").param("filter", "x");
    assert_eq!(both, list(&a).param("filter", "x").param("cursor", "2"));
    assert_eq!(both, list(&a).param("filter", "x").param("cursor", "9").param("cursor", "2"));
    let keys = [
        list(&a),
        list(&a).param("cursor", ""),
        list(&a).param("cursor", "2"),
        list(&a).param("cursor", "2filterx"),
        both,
        list(&a).param("filter", "2").param("cursor", "x"),
        Key::new(&a, "prompts/list").param("cursor", "2"),
        Key::new(&a, "tools/list\0"),
        list(&Partition::new("b")),
        list(&a.clone().authorized_as("")),
        list(&a.clone().authorized_as("ann")),
        list(&a.clone().authorized_as("bob")),
    ];
    for (i, one) in keys.iter().enumerate() {
        for (j, other) in keys.iter().enumerate() {
            assert_eq!(one == other, i == j, "{one:?} and {other:?}");
        }
    }
}

// B-CACHE-2
#[test]
fn only_a_number_above_zero_is_a_time_to_keep() {
    let millis = |millis| Some(Duration::from_millis(millis));
    let cases = [
        (Some(30_000.0), millis(30_000)),
        (Some(1.0), millis(1)),
        (Some(0.5), Some(Duration::from_micros(500))),
        (Some(1e300), Some(Duration::MAX)),
        (Some(f64::INFINITY), Some(Duration::MAX)),
        (Some(0.0), None),
        (Some(-0.0), None),
        (Some(1e-9), None),
        (Some(-1.0), None),
        (Some(f64::NEG_INFINITY), None),
        (Some(f64::NAN), None),
        // Absent, and what is no number: a string, or `true`, which counts as nothing here.
        (None, None),
    ];
    for (ttl_ms, ttl) in cases {
        let hint = CacheHint::from_millis(ttl_ms, None);
        assert_eq!(hint.map(|hint| hint.ttl()), ttl, "{ttl_ms:?}");
    }
    assert_eq!(CacheHint::new(Duration::ZERO, CacheScope::Public), None);
}

// B-CACHE-5
#[test]
fn only_the_word_public_is_public() {
    let cases = [
        (Some("public"), CacheScope::Public),
        (Some("private"), CacheScope::Private),
        (Some("Public"), CacheScope::Private),
        (Some("shared"), CacheScope::Private),
        (Some(""), CacheScope::Private),
        (None, CacheScope::Private),
    ];
    for (word, scope) in cases {
        let hint = CacheHint::from_millis(Some(1.0), word).unwrap();
        assert_eq!((hint.scope(), CacheScope::from_word(word)), (scope, scope), "{word:?}");
    }
}

proptest! {
    // B-CACHE-1
    #[test]
    fn what_goes_into_a_key_comes_out(
        server in ".*",
        authorization in prop::option::of(".*"),
        method in ".*",
        params in prop::collection::btree_map(".*", ".*", 0..4),
        shuffle in any::<bool>(),
    ) {
        let mut partition = Partition::new(server.as_str());
        if let Some(identity) = &authorization {
            partition = partition.authorized_as(identity.as_str());
        }
        let mut written: Vec<_> = params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let sorted = written.clone();
        if shuffle {
            written.reverse();
        }
        let key = written.into_iter().fold(Key::new(&partition, method.as_str()), |key, (name, value)| key.param(name, value));
        prop_assert_eq!(key.method(), method);
        prop_assert_eq!(key.params().collect::<Vec<_>>(), sorted);
        prop_assert_eq!(key.partition().server(), server);
        prop_assert_eq!(key.partition().authorization(), authorization.as_deref());
    }

    #[test]
    fn a_time_in_whole_milliseconds_is_read_as_it_was_written(millis in 1u32..) {
        let hint = CacheHint::from_millis(Some(millis.into()), Some("private")).unwrap();
        prop_assert_eq!(hint.ttl(), Duration::from_millis(millis.into()));
    }
}
