//! What the README shows of another framework is what `cargo xtask adopt` builds.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[test]
fn the_readme_shows_the_program_that_is_built() {
    let read = |path: &str| {
        std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let readme = read("README.md");
    let (_, after) = readme.split_once("```rs\n").unwrap();
    let (shown, _) = after.split_once("```").unwrap();
    assert!(shown.contains("augment(") && shown.contains("strip("), "{shown}");
    assert!(read("../adopt/rig/src/reasoned.rs").contains(shown), "{shown}");
}
