//! A result is kept as long as the server said, for whom it said, and while there is room.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "a life needs an instant to start from")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_cache::{
    Cache, CacheHint, CacheScope, Fetched, Key, Limits, Mark, Partition, Provenance, Refusal,
};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A result of ten bytes that may be kept for `millis`.
fn fetched(
    mark: Mark,
    value: &'static str,
    millis: u32,
    scope: CacheScope,
) -> Fetched<&'static str> {
    let hint = CacheHint::new(millis * MS, scope).unwrap();
    Fetched { value, bytes: 10, hint, provenance: Provenance::Request(mark) }
}

fn put(cache: &mut Cache<&'static str>, key: &Key, value: &'static str, millis: u32, now: Instant) {
    let fetched = fetched(cache.mark(), value, millis, CacheScope::Private);
    cache.insert(key, fetched, now).unwrap();
}

fn put_public(cache: &mut Cache<&'static str>, key: &Key, value: &'static str, now: Instant) {
    let fetched = fetched(cache.mark(), value, 60_000, CacheScope::Public);
    cache.insert(key, fetched, now).unwrap();
}

fn server(name: &str) -> Partition {
    Partition::new(name)
}

fn listing() -> Key {
    Key::new(&server("https://a.example/mcp"), "tools/list")
}

fn page(cursor: &str) -> Key {
    listing().param("cursor", cursor)
}

fn resource(uri: &str) -> Key {
    Key::new(&server("https://a.example/mcp"), "resources/read").param("uri", uri)
}

// B-CACHE-2, B-CACHE-7: a hit lends the very structure that was stored.
#[test]
fn a_kept_result_is_found_and_not_copied() {
    let now = Instant::now();
    let mut cache = Cache::default();
    let value = Arc::new(r#"{"tools":[],"ttlMs":30000}"#.to_owned());
    let hint = CacheHint::from_millis(Some(30_000.0), Some("public")).unwrap();
    let provenance = Provenance::Request(cache.mark());
    let fetched = Fetched { value: value.clone(), bytes: 26, hint, provenance };
    cache.insert(&listing(), fetched, now).unwrap();
    assert_eq!(cache.len(), 1);
    assert!(Arc::ptr_eq(cache.get(&listing(), now).unwrap(), &value));
    assert_eq!(cache.scope_of(&listing(), now), Some(CacheScope::Public));
}

// B-CACHE-4, B-CACHE-5
#[test]
fn a_miss_leaves_no_trace() {
    let now = Instant::now();
    let mut cache = Cache::<&str>::default();
    assert_eq!(cache.get(&listing(), now), None);
    assert_eq!(cache.scope_of(&listing(), now), None);
    assert!(cache.is_empty());
}

// B-CACHE-3, B-CACHE-4
#[test]
fn a_result_is_dead_at_its_deadline() {
    let start = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &listing(), "tools", 30_000, start);
    assert_eq!(cache.get(&listing(), start + 29_999 * MS), Some(&"tools"));
    assert_eq!(cache.len(), 1);
    assert_eq!(cache.get(&listing(), start + 30_000 * MS), None);
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
    put(&mut cache, &listing(), "tools", 500, start + 30 * SECOND);
    assert_eq!(cache.get(&listing(), start + 30_400 * MS), Some(&"tools"));
    assert_eq!(cache.get(&listing(), start + 30_500 * MS), None);
}

#[test]
fn a_result_that_outlives_time_itself_is_kept() {
    let now = Instant::now();
    let mut cache = Cache::default();
    let hint = CacheHint::new(Duration::MAX, CacheScope::Private).unwrap();
    let provenance = Provenance::Request(cache.mark());
    cache.insert(&listing(), Fetched { value: 1, bytes: 1, hint, provenance }, now).unwrap();
    assert_eq!(cache.get(&listing(), now + 1_000_000_000 * SECOND), Some(&1));
}

// B-CACHE-5
#[test]
fn the_scope_of_a_dead_entry_is_none_and_it_stays() {
    let start = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &listing(), "tools", 1000, start);
    assert_eq!(cache.scope_of(&listing(), start), Some(CacheScope::Private));
    assert_eq!(cache.scope_of(&listing(), start + SECOND), None);
    assert_eq!(cache.len(), 1);
}

// B-CACHE-4: a refreshing read is an invalidation and a miss.
#[test]
fn a_refreshing_read_evicts() {
    let now = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &listing(), "old", 60_000, now);
    assert_eq!(cache.get(&listing(), now), Some(&"old"));
    assert!(cache.invalidate(&listing()));
    assert_eq!(cache.get(&listing(), now), None);
    put(&mut cache, &listing(), "new", 60_000, now);
    assert_eq!(cache.get(&listing(), now), Some(&"new"));
}

// B-CACHE-6
#[test]
fn invalidating_says_whether_there_was_something() {
    let now = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &resource("file:///a"), "a", 60_000, now);
    put(&mut cache, &resource("file:///b"), "b", 60_000, now);
    assert!(cache.invalidate(&resource("file:///a")));
    assert!(!cache.invalidate(&resource("file:///a")));
    assert_eq!(cache.get(&resource("file:///b"), now), Some(&"b"));
    assert_eq!(cache.clear(), 1);
    assert_eq!((cache.len(), cache.bytes(), cache.clear()), (0, 0, 0));
}

// B-CACHE-6
#[test]
fn purging_drops_the_dead_and_counts_them() {
    let start = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &page("short"), "short", 1000, start);
    put(&mut cache, &page("long"), "long", 60_000, start);
    let now = start + 10 * SECOND;
    assert_eq!(cache.keys(), [page("long"), page("short")], "the dead are counted until purged");
    assert_eq!(cache.purge_expired(now), 1);
    assert_eq!(cache.keys(), [page("long")]);
    assert_eq!(cache.get(&page("long"), now), Some(&"long"));
    assert_eq!(cache.purge_expired(now), 0);
}

// B-CACHE-8
#[test]
fn the_least_recently_used_goes_first() {
    let now = Instant::now();
    let mut cache = Cache::new(Limits { entries: 3, bytes: 1000 });
    for cursor in ["1", "2", "3"] {
        put(&mut cache, &page(cursor), "page", 60_000, now);
    }
    cache.get(&page("1"), now).unwrap();
    cache.scope_of(&page("2"), now).unwrap();
    put(&mut cache, &page("4"), "page", 60_000, now);
    assert_eq!(cache.keys(), [page("1"), page("3"), page("4")]);
    put(&mut cache, &page("3"), "page", 60_000, now);
    put(&mut cache, &page("5"), "page", 60_000, now);
    assert_eq!(cache.keys(), [page("3"), page("4"), page("5")]);
}

#[test]
fn the_dead_make_room_before_the_least_recently_used() {
    let start = Instant::now();
    let mut cache = Cache::new(Limits { entries: 3, bytes: 1000 });
    put(&mut cache, &page("1"), "page", 60_000, start);
    put(&mut cache, &page("2"), "page", 1000, start);
    put(&mut cache, &page("3"), "page", 60_000, start);
    put(&mut cache, &page("4"), "page", 60_000, start + SECOND);
    assert_eq!(cache.keys(), [page("1"), page("3"), page("4")]);
}

// B-CACHE-8
#[test]
fn bytes_are_bounded_keys_included() {
    let now = Instant::now();
    let key = |name: &str| Key::new(&server("s"), "12345").param("name", name);
    let one = 10 + "12345".len() + "name".len() + "a".len();
    let mut cache = Cache::new(Limits { entries: 100, bytes: 2 * one });
    put(&mut cache, &key("a"), "a", 60_000, now);
    put(&mut cache, &key("b"), "b", 60_000, now);
    assert_eq!((cache.len(), cache.bytes()), (2, 2 * one));
    put(&mut cache, &key("a"), "a again", 60_000, now);
    assert_eq!((cache.len(), cache.bytes()), (2, 2 * one));
    put(&mut cache, &key("c"), "c", 60_000, now);
    assert_eq!(cache.keys(), [key("a"), key("c")]);
    put(&mut cache, &key("longer"), "two must go", 60_000, now);
    assert_eq!(cache.keys(), [key("longer")]);
}

#[test]
fn what_can_never_fit_is_refused_and_costs_nobody_a_place() {
    let now = Instant::now();
    let mut cache = Cache::new(Limits { entries: 100, bytes: 30 });
    put(&mut cache, &listing(), "tools", 60_000, now);
    let kept = cache.bytes();
    for bytes in [21, usize::MAX] {
        let too_large =
            Fetched { bytes, ..fetched(cache.mark(), "large", 60_000, CacheScope::Private) };
        let refusal = cache.insert(&listing(), too_large, now).unwrap_err();
        let bytes = bytes.saturating_add("tools/list".len());
        assert_eq!(refusal, Refusal::TooLarge { bytes, limit: 30 });
        assert!(refusal.to_string().contains("does not fit into a cache of 30 bytes"));
    }
    assert_eq!((cache.bytes(), cache.get(&listing(), now)), (kept, Some(&"tools")));

    let exact =
        Fetched { bytes: 20, ..fetched(cache.mark(), "exact", 60_000, CacheScope::Private) };
    cache.insert(&listing(), exact, now).unwrap();
    assert_eq!((cache.bytes(), cache.get(&listing(), now)), (30, Some(&"exact")));

    let mut off = Cache::new(Limits { entries: 0, bytes: 30 });
    let fetched = fetched(off.mark(), "tools", 60_000, CacheScope::Private);
    assert_eq!(off.insert(&listing(), fetched, now), Err(Refusal::Disabled));
}

#[test]
fn a_result_after_input_is_never_kept() {
    let now = Instant::now();
    let mut cache = Cache::default();
    put(&mut cache, &resource("file:///a"), "plain", 60_000, now);
    let after_input = Fetched {
        provenance: Provenance::AfterInput,
        ..fetched(cache.mark(), "answered", 60_000, CacheScope::Private)
    };
    let refused = cache.insert(&resource("file:///a"), after_input, now);
    assert_eq!(refused, Err(Refusal::AfterInput));
    assert_eq!(cache.get(&resource("file:///a"), now), Some(&"plain"));
}

// B-CACHE-9: listings under their method and cursor, resources under their uri.
#[test]
fn a_changed_list_takes_all_its_pages() {
    let now = Instant::now();
    let mut cache = Cache::default();
    let prompts = Key::new(&server("https://a.example/mcp"), "prompts/list");
    let elsewhere = Key::new(&server("https://b.example/mcp"), "tools/list");
    for key in [listing(), page(""), page("2"), prompts.clone(), elsewhere.clone()] {
        put(&mut cache, &key, "kept", 60_000, now);
    }
    assert_eq!(cache.invalidate_method(listing().partition(), "tools/list"), 3);
    assert_eq!(cache.keys(), [prompts, elsewhere]);
    assert_eq!(cache.invalidate_method(listing().partition(), "tools/list"), 0);
}

#[test]
fn a_result_overtaken_by_an_invalidation_is_not_kept() {
    let now = Instant::now();
    let here = listing().partition().clone();
    type Step = fn(&mut Cache<&'static str>, &Partition) -> usize;
    let outdated = Err(Refusal::Outdated);
    let cases: &[(&str, Step, Result<(), Refusal>)] = &[
        ("nothing", |_, _| 0, Ok(())),
        ("the list", |cache, here| cache.invalidate_method(here, "tools/list"), outdated),
        ("another list", |cache, here| cache.invalidate_method(here, "prompts/list"), Ok(())),
        ("this page", |cache, _| cache.invalidate(&page("2")).into(), outdated),
        ("elsewhere", |cache, _| cache.invalidate_method(&server("b"), "tools/list"), Ok(())),
        ("closed", |cache, here| cache.clear_partition(here), outdated),
        ("cleared", |cache, _| cache.clear(), outdated),
    ];
    for (what, step, expected) in cases {
        let mut cache = Cache::default();
        let before = cache.mark();
        step(&mut cache, &here);
        let result = fetched(before, "tools", 60_000, CacheScope::Public);
        assert_eq!(cache.insert(&page("2"), result, now), *expected, "{what}");
        put(&mut cache, &page("2"), "fresh", 60_000, now);
        assert_eq!(cache.get(&page("2"), now), Some(&"fresh"), "{what}");
    }
}

#[test]
fn a_private_result_stays_with_its_authorization() {
    let now = Instant::now();
    let ann = server("https://a.example/mcp").authorized_as("ann");
    let bob = server("https://a.example/mcp").authorized_as("bob");
    let nobody = server("https://a.example/mcp");
    let key = |partition: &Partition| Key::new(partition, "tools/list");
    for owner in [&ann, &bob, &nobody] {
        let mut cache = Cache::default();
        put(&mut cache, &key(owner), "private", 60_000, now);
        for reader in [&ann, &bob, &nobody] {
            let found = cache.get(&key(reader), now).is_some();
            assert_eq!(found, reader == owner, "{owner:?} to {reader:?}");
        }
        let stranger = server("https://b.example/mcp").authorized_as("ann");
        assert_eq!(cache.get(&key(&stranger), now), None);
    }
}

#[test]
fn a_public_result_is_shared_on_its_server_and_nowhere_else() {
    let now = Instant::now();
    let ann = server("https://a.example/mcp").authorized_as("ann");
    let bob = server("https://a.example/mcp").authorized_as("bob");
    let mut cache = Cache::default();
    put_public(&mut cache, &Key::new(&ann, "tools/list"), "public", now);
    assert_eq!(cache.get(&Key::new(&bob, "tools/list"), now), Some(&"public"));
    assert_eq!(cache.get(&listing(), now), Some(&"public"));
    let stranger = server("https://b.example/mcp").authorized_as("ann");
    assert_eq!(cache.get(&Key::new(&stranger, "tools/list"), now), None);
    assert!(cache.invalidate(&Key::new(&bob, "tools/list")));
    assert_eq!(cache.get(&Key::new(&ann, "tools/list"), now), None);
}

#[test]
fn the_latest_result_replaces_whatever_the_key_was_answered_with() {
    let now = Instant::now();
    let ann = Key::new(&server("s").authorized_as("ann"), "tools/list");
    let mut cache = Cache::default();
    put_public(&mut cache, &ann, "public", now);
    put(&mut cache, &ann, "private", 1000, now);
    assert_eq!((cache.len(), cache.get(&ann, now)), (1, Some(&"private")));
    assert_eq!(cache.get(&ann, now + SECOND), None);
    put(&mut cache, &ann, "private", 1000, now);
    put_public(&mut cache, &ann, "public", now);
    assert_eq!((cache.len(), cache.get(&ann, now)), (1, Some(&"public")));
}

#[test]
fn a_private_result_goes_before_a_public_one_of_others() {
    let now = Instant::now();
    let ann = Key::new(&server("s").authorized_as("ann"), "tools/list");
    let bob = Key::new(&server("s").authorized_as("bob"), "tools/list");
    let mut cache = Cache::default();
    put(&mut cache, &ann, "ann's", 1000, now);
    put_public(&mut cache, &bob, "public", now);
    assert_eq!(cache.get(&ann, now), Some(&"ann's"));
    assert_eq!(cache.scope_of(&ann, now), Some(CacheScope::Private));
    assert_eq!(cache.get(&ann, now + SECOND), Some(&"public"));
    put(&mut cache, &ann, "ann's", 1000, now);
    assert_eq!(cache.invalidate_method(&server("s").authorized_as("bob"), "tools/list"), 0);
    assert_eq!(cache.get(&ann, now), Some(&"ann's"));
}

#[test]
fn closing_drops_only_what_one_put_there() {
    let now = Instant::now();
    let ann = server("s").authorized_as("ann");
    let bob = server("s").authorized_as("bob");
    let elsewhere = server("t").authorized_as("ann");
    let mut cache = Cache::default();
    put(&mut cache, &Key::new(&ann, "tools/list"), "private", 60_000, now);
    put_public(&mut cache, &Key::new(&ann, "prompts/list"), "public", now);
    put_public(&mut cache, &Key::new(&bob, "resources/list"), "public", now);
    put(&mut cache, &Key::new(&elsewhere, "tools/list"), "private", 60_000, now);
    assert_eq!(cache.clear_partition(&ann), 2);
    assert_eq!(
        cache.keys(),
        [Key::new(&bob, "resources/list"), Key::new(&elsewhere, "tools/list")]
    );
}

#[test]
fn a_cache_can_be_shared_between_threads() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Cache<Arc<str>>>();
}
