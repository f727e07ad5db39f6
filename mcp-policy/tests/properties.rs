//! What holds for all rules and all calls.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{argv, floor, script, tables, with_rules};
use mcp_policy::{Decision, Grants, Host, Policy, Rule, Verdict, rules_from_json};
use mcp_provider::{ToolCall, canonical_json};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use Decision::{Allow, Ask, Deny};

/// Rules that meet the calls of [`calls`] often.
fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let decision = select(vec!["allow", "allow", "ask", "deny"]);
    let tool = select(vec!["*", "fs_*", "fs_read", "fs_move", "sh_run", "sh_*", "web_get"]);
    let narrower = select(vec![
        json!({}),
        json!({ "under": "/srv" }),
        json!({ "under": "/srv/a" }),
        json!({ "under": "/Srv/A" }),
        json!({ "under": "a" }),
        json!({ "under": "." }),
        json!({ "under": "/" }),
        json!({ "host": "docs.rs" }),
        json!({ "host": "*.docs.rs" }),
        json!({ "host": "127.0.0.1" }),
        json!({ "scheme": "https" }),
        json!({ "host": "docs.rs", "scheme": "http" }),
        json!({ "host": "docs.rs", "port": 443 }),
        json!({ "command": "git" }),
        json!({ "command": "g*" }),
        json!({ "command": "git", "args": ["push"] }),
        json!({ "command": "git", "args-any": ["--force", "-f"] }),
        json!({ "command": "rm" }),
        json!({ "command": "cd" }),
        json!({ "check": "has-two-words" }),
        json!({ "under": "/srv", "command": "git" }),
        json!({ "under": "/srv", "host": "docs.rs" }),
    ]);
    let rule = (decision, tool, narrower).prop_map(|(decision, tool, mut rule)| {
        rule["decision"] = json!(decision);
        rule["tool"] = json!(tool);
        Rule::from_json(rule).unwrap()
    });
    prop::collection::vec(rule, 0..6)
}

fn scripts() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "git log",
        "git push",
        "git push --force",
        "git -C x push -f",
        "rm -rf x",
        "cd a",
        "ls",
        "git log > out",
        "X=1 git log",
        "PATH=x git log",
        "$X",
        "git $X",
        "git $(rm x)",
        "'git' log",
        "./git log",
        "git log 2>&1",
        "git log \"",
        "git log # it's",
        "if git log; then rm x; fi",
        "env git log",
        "sudo git log",
        "git log <<E\nrm x\nE\n",
        "python3 -c 1",
        "[ -f x ]",
    ]);
    let joint = select(vec!["; ", " && ", " || ", " | ", "\n", " & "]);
    (piece.clone(), prop::collection::vec((joint, piece), 0..3)).prop_map(|(first, more)| {
        more.into_iter().fold(first.to_owned(), |sum, (joint, piece)| sum + joint + piece)
    })
}

fn calls() -> impl Strategy<Value = ToolCall> {
    let path = select(vec![
        "/srv/a",
        "/srv/a/x",
        "/srv/b",
        "/SRV/a/x",
        "/srv",
        "/",
        "/srvx",
        "a",
        "a/x",
        "A/x",
        "../x",
        "~/x",
        "",
        ".",
        "/srv/a/../b",
        "C:/x",
    ]);
    let url = select(vec![
        "https://docs.rs/x",
        "http://docs.rs:443/",
        "https://docs.rs:99999/",
        "http://[::127.0.0.1]/",
        "https://a.docs.rs/",
        "http://127.0.0.1/",
        "http://127.1/",
        "nothing",
        "https://x@docs.rs/",
        "https://evil.example/",
    ]);
    let call = |tool: &str, args: Value| ToolCall::new("1", tool, args);
    prop_oneof![
        path.clone().prop_map(move |path| call("fs_read", json!({ "path": path }))),
        (path.clone(), path.clone())
            .prop_map(move |(from, to)| call("fs_move", json!({ "from": from, "to": to }))),
        (path.clone(), path.clone())
            .prop_map(move |(path, to)| call("fs_read", json!({ "path": path, "output_dir": to }))),
        (url.clone(), path)
            .prop_map(move |(url, path)| call("web_get", json!({ "url": url, "path": path }))),
        (url.clone(), url)
            .prop_map(move |(url, next)| call("web_get", json!({ "url": url, "next": next }))),
        scripts().prop_map(move |text| call("sh_run", script(&text))),
        scripts().prop_map(move |text| call("sh_run", json!({ "command": text }))),
        select(vec!["fs_read", "sh_run", "other"]).prop_map(move |tool| call(tool, json!({}))),
        select(vec!["{not json", "[1]", "5", "{\"path\":\"/srv\",\"path\":\"/etc\"}"])
            .prop_map(move |text| call("fs_read", json!(text))),
    ]
}

fn policy(rules: Vec<Rule>, grants: Vec<Rule>, has_root: bool) -> Policy<()> {
    let roots = if has_root { json!({ "": "/srv" }) } else { json!({}) };
    let two_words = |command: &mcp_policy::commands::Command, _: &[_]| {
        mcp_policy::Truth::from(command.tokens.len() == 1)
    };
    let builder = Policy::builder(()).rules(rules).grants_book(Grants::new(grants));
    builder.tables(tables(&roots, &json!({}))).check("has-two-words", two_words).build().unwrap()
}

fn decide(rules: Vec<Rule>, call: &ToolCall) -> Verdict {
    policy(rules, Vec::new(), true).decide(call)
}

/// `allow git`, `deny rm`, and the floor over everything else that is allowed.
fn judges() -> Vec<Policy<()>> {
    let sets = [
        json!([{ "tool": "*", "decision": "allow", "command": "git" }]),
        json!([{ "tool": "*", "decision": "deny", "command": "rm" },
            { "tool": "*", "decision": "allow", "command": "git" }]),
        json!([{ "tool": "*", "decision": "ask", "command": "git", "args": ["push"],
            "args-any": ["-f"] }, { "tool": "*", "decision": "allow" }]),
    ];
    let mut judges: Vec<Policy<()>> =
        sets.iter().map(|rules| with_rules((), rules).build().unwrap()).collect();
    let all = json!([{ "tool": "*", "decision": "allow" }]);
    judges.push(with_rules((), &all).floor(floor()).build().unwrap());
    judges
}

fn run(policy: &Policy<()>, args: Value) -> Decision {
    policy.decide(&ToolCall::new("1", "sh_run", args)).decision
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// P1, P-EVAL-5
    #[test]
    fn the_order_of_rules_changes_no_verdict(
        rules in rules(), call in calls(), swaps in prop::collection::vec((any::<Index>(), any::<Index>()), 6)
    ) {
        let mut other = rules.clone();
        if !other.is_empty() {
            for (one, two) in swaps {
                let (one, two) = (one.index(other.len()), two.index(other.len()));
                other.swap(one, two);
            }
        }
        prop_assert_eq!(decide(rules, &call).decision, decide(other, &call).decision);
    }

    /// P2, P-EVAL-12
    #[test]
    fn a_deny_more_never_loosens_and_an_allow_more_never_tightens(
        some in rules(), more in rules(), call in calls()
    ) {
        let before = decide(some.clone(), &call).decision;
        let of = |decision| more.iter().filter(move |it| it.decision() == decision).cloned();
        let tighter = [some.clone(), of(Deny).chain(of(Ask)).collect()].concat();
        prop_assert!(decide(tighter, &call).decision >= before);
        let looser = [some, of(Allow).collect()].concat();
        prop_assert!(decide(looser, &call).decision <= before);
    }

    /// P3
    #[test]
    fn blanks_and_quotes_around_plain_words_change_no_verdict(
        program in select(vec!["git", "rm", "ls"]),
        rest in prop::collection::vec(select(vec!["git", "log", "push", "-f", "rm", "x", "--all"]), 0..4),
        blanks in prop::collection::vec(select(vec![" ", "  ", "\t", " \t "]), 5),
        quotes in prop::collection::vec(select(vec!["", "'", "\""]), 5),
    ) {
        let words = [vec![program], rest].concat();
        let plain = words.join(" ");
        let mut other = String::new();
        for ((word, blank), quote) in words.iter().zip(&blanks).zip(&quotes) {
            other += &format!("{quote}{word}{quote}{blank}");
        }
        for policy in judges() {
            prop_assert_eq!(run(&policy, script(&plain)), run(&policy, script(&other)), "{}", other);
            prop_assert_eq!(run(&policy, script(&plain)), run(&policy, argv(&words)), "{}", plain);
        }
    }

    /// P4
    #[test]
    fn two_commands_are_allowed_together_where_both_are_allowed(
        one in scripts(), two in scripts(), joint in select(vec![" && ", "; ", " | ", "\n", " || "])
    ) {
        // Text after a comment or an open quote is not a second command.
        prop_assume!(!one.contains(['#', '"', '<']) && !two.contains(['#', '"', '<', '=']) && !one.contains('='));
        prop_assume!(!one.ends_with('&') && !one.contains("cd ") && !two.contains("cd "));
        let rules = json!([{ "tool": "*", "decision": "allow", "command": "git" },
            { "tool": "*", "decision": "allow", "command": "ls" }]);
        let policy = with_rules((), &rules).build().unwrap();
        let allows = |text: &str| run(&policy, script(text)) == Allow;
        let both = allows(&one) && allows(&two);
        prop_assert_eq!(allows(&format!("{one}{joint}{two}")), both, "{}{}{}", one, joint, two);
        prop_assert_eq!(allows(&format!("({one})")), allows(&one), "({})", one);
        prop_assert_eq!(allows(&format!("{{ {one}\n}}")), allows(&one), "{{ {} }}", one);
    }

    /// P5
    #[test]
    fn text_that_ends_inside_something_is_never_allowed(
        before in select(vec!["git log ", "git log; git ", "git "]),
        open in select(vec!["'", "\"", "$(", "`", "${x:-", "<(", "$((", "$'", "; ( git log", "; { git log;", "; if git log"]),
        inside in "[a-z ]{0,6}",
    ) {
        let text = format!("{before}{open}{inside}");
        let policy = with_rules((), &json!([{ "tool": "*", "decision": "allow", "command": "*" }])).build().unwrap();
        prop_assert_ne!(run(&policy, script(&text)), Allow, "{}", text);
    }

    /// P7
    #[test]
    fn any_arguments_are_judged_without_panic(text in any::<String>(), url in any::<String>(), raw in any::<String>()) {
        for policy in judges() {
            run(&policy, script(&text));
            run(&policy, json!({ "command": text, "args": [url, 1, null], "cwd": url, "path": text }));
            policy.explain(&ToolCall::new("1", "web_get", json!({ "url": url, "path": text })));
            policy.explain(&ToolCall::new("1", &*text, raw.as_str()));
        }
    }

    /// P8
    #[test]
    fn explaining_and_deciding_agree(rules in rules(), grants in rules(), call in calls(), root: bool) {
        let policy = policy(rules, grants, root);
        let (verdict, explanation) = (policy.decide(&call), policy.explain(&call));
        prop_assert_eq!(verdict.decision, explanation.decision);
        prop_assert_eq!((verdict.reason, &verdict.rule), (explanation.reason, &explanation.rule));
        // The trace looks at every rule; the verdict only at those that may speak about the call.
        let fires = |decision| explanation.rules.iter().any(|it| {
            it.outcome.starts_with("fires") && it.rule.decision() == decision
        });
        let own = |it: &&mcp_policy::RuleTrace| !it.is_grant;
        let asks = explanation.rules.iter().filter(own).any(|it| it.outcome.starts_with("fires") && it.rule.decision() == Ask);
        let is_duplicate = matches!(&*verdict.causes, [mcp_policy::Why::DuplicateKey(_)]);
        prop_assert_eq!(verdict.decision == Deny, fires(Deny) || is_duplicate, "{}", explanation);
        if asks && !fires(Deny) && !is_duplicate {
            prop_assert_eq!(verdict.decision, Ask, "{}", explanation);
        }
        let covers = explanation.rules.iter().any(|it| it.outcome == "covers the call" && !it.is_grant);
        if covers && !asks && !fires(Deny) && !is_duplicate {
            prop_assert_eq!(verdict.decision, Allow, "{}", explanation);
        }
        if verdict.decision == Allow {
            prop_assert!(explanation.rules.iter().any(|it| it.outcome.starts_with("covers")));
        }
    }

    /// P9
    #[test]
    fn empty_and_dot_segments_change_no_verdict(
        rules in rules(), path in "(/srv/a|/srv|a|a/x|/x)(/[ab]){0,2}", at in any::<Index>(), extra in select(vec!["/", "/./", "//"])
    ) {
        let slashes: Vec<usize> = path.match_indices('/').map(|(place, _)| place).collect();
        prop_assume!(!slashes.is_empty());
        let place = slashes[at.index(slashes.len())];
        let longer = format!("{}{extra}{}", &path[..place], &path[place + 1..]);
        let call = |path: &str| ToolCall::new("1", "fs_read", json!({ "path": path }));
        let one = decide(rules.clone(), &call(&path)).decision;
        prop_assert_eq!(one, decide(rules, &call(&longer)).decision, "{} {}", path, longer);
    }

    /// P10
    #[test]
    fn grants_change_no_deny_and_no_explicit_question(rules in rules(), grants in rules(), call in calls()) {
        let without = policy(rules.clone(), Vec::new(), true).decide(&call);
        let with = policy(rules, grants, true).decide(&call);
        if without.decision == Deny || without.decision == Ask && without.rule.is_some() {
            prop_assert!(with.decision >= without.decision);
        }
    }

    /// P11, P-EVAL-4
    #[test]
    fn unreadable_arguments_are_allowed_by_no_condition(
        rules in rules(), text in select(vec!["{not json", "[1]", "5", "{\"a\":1,\"a\":2}", "{\"path\":"]),
        tool in select(vec!["fs_read", "sh_run", "web_get"]),
    ) {
        let narrowed: Vec<Rule> = rules.into_iter().filter(|it| !it.is_blanket()).collect();
        prop_assert_ne!(decide(narrowed, &ToolCall::new("1", tool, text)).decision, Allow);
    }

    /// P12
    #[test]
    fn a_host_that_is_read_is_the_one_that_browsers_read(
        url in "(https?|HTTP|ftp)?:?/{0,3}[a-c0-9.@:\\[\\]\\\\#?/% xX-]{0,14}",
        short in "https?://(\\[[0-9a-f:.]{2,12}\\]|[0-9a-fx.]{1,12}|[a-c.-]{1,8})[.]?(:[0-9]{0,5})?(/|[?]|#)?",
    ) {
        for url in [url, short] {
            let Ok(host) = Host::of_url(&url) else { continue };
            let Ok(read) = url::Url::parse(&url) else { continue };
            match (host, read.host().unwrap()) {
                (Host::Name(name), url::Host::Domain(other)) => {
                    prop_assert_eq!(name, other.trim_end_matches('.'));
                }
                (Host::Address(one), url::Host::Ipv4(other)) => {
                    prop_assert_eq!(one, std::net::IpAddr::from(other));
                }
                (Host::Address(one), url::Host::Ipv6(other)) => {
                    prop_assert_eq!(one, std::net::IpAddr::from(other).to_canonical());
                }
                (one, other) => prop_assert!(false, "{} is {:?} and {:?}", url, one, other),
            }
        }
    }

    /// P13
    #[test]
    fn a_wrapper_in_front_loosens_nothing(
        program in select(vec!["git", "rm", "ls"]),
        rest in prop::collection::vec(select(vec!["git", "rm", "log", "push", "-f", "-rf", "/", "x"]), 0..3),
        wrapper in select(vec![
            vec!["env"], vec!["nohup"], vec!["timeout", "5"], vec!["nice", "-n", "3"], vec!["setsid"],
            vec!["stdbuf", "-oL"], vec!["time"], vec!["env", "-u", "git"], vec!["command"], vec!["sudo"],
            vec!["xargs"], vec!["flock", "f"], vec!["busybox"],
        ]),
    ) {
        let words = [vec![program], rest].concat();
        let wrapped = [wrapper, words.clone()].concat();
        for policy in judges() {
            let (plain, inside) = (run(&policy, argv(&words)), run(&policy, argv(&wrapped)));
            prop_assert!(inside >= plain, "{:?} {:?} {:?}", wrapped, inside, plain);
        }
    }

    /// P14, P-SUG-7
    #[test]
    fn a_suggestion_allows_the_call_again_and_no_other_program(call in calls()) {
        let rules = json!([{ "tool": "*", "decision": "deny", "command": "rm" }]);
        let before = with_rules((), &rules).build().unwrap();
        let suggestion = before.explain(&call).suggestion;
        if !suggestion.is_empty() {
            let after = with_rules((), &rules).grants(suggestion.clone()).build().unwrap();
            prop_assert_eq!(after.decide(&call).decision, Allow, "{:?}", suggestion);
            if call.name == "sh_run" && call.arguments.as_object().unwrap().contains_key("command") {
                for other in ["curl x", "ls > x", "cat x; curl y", "$X", "rm x"] {
                    prop_assert_ne!(run(&after, script(other)), Allow, "{} {:?}", other, suggestion);
                }
            }
        }
    }
}

#[test]
fn the_canonical_spelling_of_arguments_changes_no_verdict() {
    let rules =
        rules_from_json(&json!([{ "tool": "*", "decision": "allow", "under": "/srv" }])).unwrap();
    let policy = policy(rules, Vec::new(), false);
    let args = json!({ "to": "/srv/b", "from": "/srv/a" });
    let texts = [args.to_string(), canonical_json(&args), format!(" {args} ")];
    for text in texts {
        assert_eq!(policy.decide(&ToolCall::new("1", "fs_move", text)).decision, Allow);
    }
}
