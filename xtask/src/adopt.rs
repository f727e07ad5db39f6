//! `cargo xtask adopt [CRATE]`: each published crate stands alone.
//!
//! Packs a crate and those of ours that it uses, unpacks them, and builds and runs a program outside
//! the workspace that depends on that one crate.  Then it builds and runs the programs under `adopt`
//! that use the crate in other people's frameworks.

use std::path::Path;

use crate::architecture::{self, RUNTIMES, Runtime};
use crate::graph::Graph;
use crate::outcome::{Error, Outcome};
use crate::tool;
use crate::workspace::{Member, Workspace};

/// What the program does with a crate, as the body of its `main`.  A crate without a line is linked.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "mcp-approval",
        r#"    use mcp_approval::policy::Policy;
    use mcp_approval::{Approval, ApprovalPolicy, Context, Decision, Request, Risk, Risks};
    let risks = Risks::new().declare("fs_read", Risk::ReadOnly).unwrap();
    assert_eq!(risks.of("fs_write", None), Risk::Mutating);
    let reviewer = |request: &Request| match request.risk {
        Risk::Sensitive => Ok(Decision::deny("Ask the user to do this by hand")),
        _ => Ok(Decision::Allow),
    };
    let approval = Approval::with_policy(Context::new(risks), ApprovalPolicy::ask(reviewer));
    assert!(Policy::builder(()).asker(approval).build().unwrap().is_interactive());"#,
    ),
    (
        "mcp-cache",
        r#"    use mcp_cache::{Cache, CacheHint, CacheScope, Fetched, Key, Partition, Provenance};
    let key = Key::new(&Partition::new("server"), "tools/list");
    let (mut cache, now) = (Cache::default(), std::time::Instant::now());
    let hint = CacheHint::new(std::time::Duration::from_secs(1), CacheScope::Private).unwrap();
    let provenance = Provenance::Request(cache.mark());
    cache.insert(&key, Fetched { value: 7, bytes: 1, hint, provenance }, now).unwrap();
    assert_eq!(cache.get(&key, now), Some(&7));"#,
    ),
    (
        "mcp-client",
        r#"    let client = mcp_client::Client::new(mcp_client::Stdio::new("server"));
    assert!(client.is_alive());"#,
    ),
    (
        "mcp-correlator",
        r#"    let mut table = mcp_correlator::Correlator::<u64, &str>::new();
    table.register(1, "waiter", None).unwrap();
    assert_eq!(table.resolve(&1), Some("waiter"));"#,
    ),
    ("mcp-formats", "    assert!(mcp_formats::anthropic::to_tools(&[]).unwrap().is_empty());"),
    (
        "mcp-leases",
        r#"    let limits = mcp_leases::Limits::default().with_leases_per_holder(3);
    assert_eq!(limits.leases_per_holder, 3);
    assert!(mcp_leases::Holder::new("").is_err());"#,
    ),
    (
        "mcp-operations",
        r#"    use mcp_operations::{Conclusion, Idempotency, Message, Trace};
    let left = Conclusion::of(Trace::Dispatched, Message::Nothing);
    assert_eq!(left, Conclusion::Unknown);
    assert!(left.sentence(Idempotency::ReadOnly).is_some());"#,
    ),
    (
        "mcp-policy",
        r##"    use mcp_policy::provider::ToolCall;
    use mcp_policy::{Decision, Floor, Policy, Rule};
    let rule = Rule::new(Decision::Allow, "sh_run").unwrap().command("git", ["log"]).unwrap();
    let policy = Policy::builder(()).rules(vec![rule]).floor(Floor::new("/home/ada"));
    let policy = policy.build().unwrap();
    let decide = |script: &str| {
        let arguments = format!(r#"{{"command": "bash", "args": ["-c", {script:?}]}}"#);
        policy.decide(&ToolCall::new("1", "sh_run", arguments)).decision
    };
    assert_eq!(decide("git log -1; git log -2"), Decision::Allow);
    assert_eq!(decide("git log -1; rm -rf ~"), Decision::Deny);"##,
    ),
    (
        "mcp-protocol",
        r##"    let line = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert!(matches!(mcp_protocol::Inbound::parse(line), Ok(mcp_protocol::Inbound::Response(_))));"##,
    ),
    (
        "mcp-provider",
        r#"    let call = mcp_provider::ToolCall::new("call_1", "add", "{\"a\": 1}");
    assert_eq!(call.arguments.as_object().unwrap()["a"], 1);"#,
    ),
    (
        "mcp-reasons",
        r##"    let arguments = r#"{"path":"a","reason":"You asked"}"#;
    assert_eq!(mcp_reasons::strip(arguments).as_deref(), Some(r#"{"path":"a"}"#));"##,
    ),
    ("mcp-registry", "    assert!(mcp_registry::Registry::new().is_empty());"),
    (
        "mcp-sse",
        r#"    let mut bytes = &b"data: hello\n\n"[..];
    let event = mcp_sse::Parser::new().next_event(&mut bytes).unwrap().unwrap();
    assert_eq!(event.data, "hello");"#,
    ),
    (
        "mcp-transport",
        r#"    let limits = mcp_transport::Limits::default();
    assert_eq!(limits.message, 64 << 20);"#,
    ),
    (
        "mcp-unknown-keys",
        r#"    use mcp_unknown_keys::{UnknownKeys, Warning};
    let tools = UnknownKeys::new(()).on_warning(|warning: &Warning| drop(warning.to_string()));
    assert!(tools.audited_tools().is_empty());"#,
    ),
];

/// The programs of other people's frameworks: the crate of ours, and the folder of the program.
const FRAMEWORKS: &[(&str, &str)] = &[("mcp-reasons", "adopt/rig")];

/// How many crates one without a runtime brings at most, itself included.
const MOST_CRATES: usize = 20;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let workspace = Workspace::load()?;
    let adopted: Vec<&Member> = match args {
        [] => workspace.published().collect(),
        [name] => vec![workspace.published_member(name)?],
        _ => return Err(Error::Usage("adopt takes one crate, or none for all".to_owned())),
    };
    let folder = workspace.target.join("adopt");
    pack(&workspace, &adopted, &folder)?;
    let host = host(&tool::read(tool::program("rustc").arg("-vV"))?)?;
    let mut counts = Vec::new();
    for member in adopted {
        let count = adopt(&workspace, member, &folder, &host)?;
        for (_, program) in FRAMEWORKS.iter().filter(|(name, _)| *name == member.name) {
            adopt_in_framework(program, &folder)?;
        }
        counts.push(format!("  {:<24} {count:>3}", full_name(member)));
    }
    println!("crates in the tree, its own included:\n{}", counts.join("\n"));
    Ok(Outcome::Done)
}

/// What cargo is told to pack crates, in one call, so that it finds those that no registry has.
///
/// It is not asked to verify them: it would look for the crates they use on crates.io, where some
/// of the names belong to other people.  Adopting builds them against each other instead.
pub(crate) fn package_args(members: &[&Member]) -> String {
    let names: Vec<String> = members.iter().map(|it| format!("--package {}", it.name)).collect();
    let options = "--quiet --no-verify --exclude-lockfile --allow-dirty --locked";
    format!("package {options} {}", names.join(" "))
}

/// Packs what `adopted` are built from, in one call so that cargo finds what no registry has,
/// and unpacks it all side by side.
fn pack(workspace: &Workspace, adopted: &[&Member], folder: &Path) -> Result<(), String> {
    let mut packed: Vec<&Member> = adopted.iter().flat_map(|it| workspace.family(it)).collect();
    packed.sort_by(|a, b| a.name.cmp(&b.name));
    packed.dedup_by(|a, b| a.name == b.name);
    tool::run(&mut tool::cargo(&package_args(&packed)))?;
    let packages = folder.join("packages");
    tool::remove_folder(&packages)?;
    tool::create_folder(&packages)?;
    for member in packed {
        let archive = workspace.target.join("package").join(format!("{}.crate", full_name(member)));
        let mut tar = tool::program("tar");
        // Files as new as they are here: packed ones all have one date, and cargo would not see a change.
        tar.arg("-xzmf").arg(archive).arg("-C").arg(&packages);
        tool::read(&mut tar)?;
    }
    Ok(())
}

/// Builds and runs the program of one crate; the number of crates it stands on.
fn adopt(
    workspace: &Workspace,
    member: &Member,
    folder: &Path,
    host: &str,
) -> Result<usize, String> {
    let program = folder.join(&member.name);
    tool::remove_folder(&program)?;
    let manifest = program.join("Cargo.toml");
    tool::write_file(&manifest, &manifest_text(member, &workspace.family(member)))?;
    tool::write_file(&program.join("src/main.rs"), &program_text(member))?;
    // The versions that the workspace was tested with; cargo takes out what is not used.
    let lock = tool::read_file(&tool::root().join("Cargo.lock"))?;
    tool::write_file(&program.join("Cargo.lock"), &lock)?;

    let mut run = tool::cargo("run --quiet --manifest-path");
    run.arg(&manifest).env("CARGO_TARGET_DIR", folder.join("target"));
    tool::run(&mut run)?;

    let mut ask = tool::cargo("metadata --format-version 1 --filter-platform");
    ask.arg(host).arg("--manifest-path").arg(&manifest);
    let metadata =
        serde_json::from_str(&tool::read(&mut ask)?).map_err(|error| error.to_string())?;
    let graph = Graph::parse(&metadata).ok_or("`cargo metadata` has an unknown shape")?;
    let root = metadata["resolve"]["root"].as_str().ok_or("the program has no root package")?;
    judge(member, &graph, root)
}

/// Builds and runs a program that uses a crate in a framework, with the versions it was written for.
fn adopt_in_framework(program: &str, folder: &Path) -> Result<(), String> {
    let mut run = tool::cargo("run --quiet --locked --manifest-path");
    run.arg(format!("{program}/Cargo.toml"));
    tool::run(run.env("CARGO_TARGET_DIR", folder.join("frameworks")))
}

/// The number of crates below the program, unless they are too many or a runtime that may not be.
fn judge(member: &Member, graph: &Graph, root: &str) -> Result<usize, String> {
    let may = architecture::of(&member.name).map(|it| it.runtime);
    let count = graph.count_below(root);
    match graph.way(root, RUNTIMES).filter(|_| may != Some(Runtime::Always)) {
        Some(way) => Err(format!("{} brings a runtime: {}", member.name, way.join(" → "))),
        None if may == Some(Runtime::Never) && count > MOST_CRATES => Err(format!(
            "{} brings {count} crates, itself included, and {MOST_CRATES} are the most",
            member.name
        )),
        None => Ok(count),
    }
}

fn manifest_text(member: &Member, family: &[&Member]) -> String {
    let Member { name, version, .. } = member;
    let mut text = format!(
        "[package]\nname = \"adopts-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\n{name} = \"={version}\"\n\n[patch.crates-io]\n"
    );
    for used in family {
        text.push_str(&format!(
            "{} = {{ path = \"../packages/{}\" }}\n",
            used.name,
            full_name(used)
        ));
    }
    text
}

fn program_text(member: &Member) -> String {
    let body = PROGRAMS.iter().find(|(name, _)| *name == member.name).map_or_else(
        || format!("use {} as _;", member.name.replace('-', "_")),
        |(_, body)| (*body).to_owned(),
    );
    format!("//! Uses {} and nothing else.\n\nfn main() {{\n{body}\n}}\n", member.name)
}

/// The name of a package and its folder.
fn full_name(member: &Member) -> String {
    format!("{}-{}", member.name, member.version)
}

/// The platform that `rustc -vV` says it runs on.
fn host(version: &str) -> Result<String, String> {
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::{Line, id, metadata, workspace};

    #[test]
    fn the_program_depends_on_one_crate() {
        let workspace = workspace(&[
            ("mcp-cache", &[]),
            ("mcp-registry", &[("mcp-provider", "normal", "^0.1.0"), ("mcp-testkit", "dev", "*")]),
            ("mcp-provider", &[]),
            ("mcp-testkit", &[]),
        ]);
        let registry = workspace.published_member("mcp-registry").unwrap();
        let manifest = manifest_text(registry, &workspace.family(registry));
        let (_, tables) = manifest.split_once("[workspace]").unwrap();
        assert_eq!(
            tables,
            "\n\n[dependencies]\nmcp-registry = \"=0.1.0\"\n\n[patch.crates-io]\n\
             mcp-provider = { path = \"../packages/mcp-provider-0.1.0\" }\n\
             mcp-registry = { path = \"../packages/mcp-registry-0.1.0\" }\n"
        );
    }

    #[test]
    fn every_program_is_for_a_crate_that_is_there() {
        for (name, _) in PROGRAMS {
            assert!(architecture::of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn every_program_in_a_framework_has_a_lock_file_of_its_own() {
        for (name, program) in FRAMEWORKS {
            assert!(architecture::of(name).is_some(), "{name}");
            for file in ["Cargo.toml", "Cargo.lock"] {
                assert!(tool::root().join(program).join(file).is_file(), "{program}/{file}");
            }
        }
    }

    fn judge_alone(name: &str, lines: &[Line<'_>]) -> Result<usize, String> {
        let (workspace, graph) = (workspace(lines), Graph::parse(&metadata(lines)).unwrap());
        judge(workspace.published_member(name).unwrap(), &graph, &id(name))
    }

    #[test]
    fn too_many_crates_are_found_where_few_are_promised() {
        let names: Vec<String> =
            (0..=MOST_CRATES).map(|number| format!("crate-{number}")).collect();
        let judge = |name: &str, count: usize| {
            let uses: Vec<_> =
                names[..count].iter().map(|used| (used.as_str(), "normal", "^1")).collect();
            let mut lines: Vec<(&str, &[_])> = vec![(name, &uses)];
            lines.extend(names.iter().map(|used| (used.as_str(), [].as_slice())));
            judge_alone(name, &lines)
        };
        assert_eq!(judge("mcp-sse", MOST_CRATES), Ok(MOST_CRATES));
        assert_eq!(judge("mcp-client", MOST_CRATES + 1), Ok(MOST_CRATES + 1));
        let error = judge("mcp-sse", MOST_CRATES + 1).unwrap_err();
        assert_eq!(error, "mcp-sse brings 21 crates, itself included, and 20 are the most");
    }

    #[test]
    fn a_runtime_is_found_where_it_may_not_be() {
        let lines: &[Line<'_>] = &[
            ("mcp-sse", &[("helper", "normal", "^1")]),
            ("mcp-client", &[("helper", "normal", "^1")]),
            ("helper", &[("tokio", "normal", "^1")]),
            ("tokio", &[]),
        ];
        let judge = |name: &str| judge_alone(name, lines);
        assert_eq!(judge("mcp-client"), Ok(2));
        let error = judge("mcp-sse").unwrap_err();
        assert_eq!(error, "mcp-sse brings a runtime: mcp-sse → helper → tokio");
    }

    #[test]
    fn the_host_is_read() {
        let text = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n";
        assert_eq!(host(text).as_deref(), Ok("x86_64-unknown-linux-gnu"));
        assert!(host("rustc 1.95.0").is_err());
    }
}
