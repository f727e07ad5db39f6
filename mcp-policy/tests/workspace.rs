//! What the floor asks about files outside the workspace.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{floor, script, with_rules};
use mcp_policy::Policy;
use mcp_provider::ToolCall;
use serde_json::json;

fn policy(folders: &[&str]) -> Policy<()> {
    let floor = folders.iter().fold(floor(), |floor, folder| floor.workspace(folder));
    let all = json!([{ "tool": "*", "decision": "allow" }]);
    with_rules((), &all).floor(floor).build().unwrap()
}

fn found(policy: &Policy<()>, text: &str) -> &'static str {
    policy.decide(&ToolCall::new("1", "sh_run", script(text))).decision.as_str()
}

#[test]
fn what_is_written_or_deleted_outside_is_asked_about() {
    // P-FLOOR-2
    let fenced = policy(&["~/code", "/srv/data/"]);
    let cases = [
        ("rm -rf ~/Documents", "ask"),
        ("rm /home/dev/notes.txt", "ask"),
        ("rm -rf /home/dev/code/target", "allow"),
        ("rm -rf /srv/data/x /home/dev/code/y", "allow"),
        ("rm -rf /srv/data/x /home/dev/y", "ask"),
        ("rm -rf /home/dev/codeshop", "ask"),
        ("rm -rf /home/dev/Code/x", "ask"),
        ("rm -rf target", "allow"),
        ("rm -rf ../other", "ask"),
        ("rm -rf src/../target", "allow"),
        ("cd src && rm ../x", "allow"),
        ("cd /home/dev && rm -r notes", "ask"),
        ("cd /srv/data && rm -r notes", "allow"),
        ("mv ~/Documents /home/dev/code/", "ask"),
        ("mv a ~/b", "ask"),
        ("cp ~/b a", "allow"),
        ("cp a ~/b", "ask"),
        ("echo x > ~/b", "ask"),
        ("echo x > b", "allow"),
        ("echo x > /tmp/b", "allow"),
        ("rm -rf /tmp/b", "allow"),
        ("rm -rf /var/tmp/b", "allow"),
        ("echo x > /dev/null", "allow"),
        ("curl -so ~/b https://a.example", "ask"),
        ("curl -so b https://a.example", "allow"),
        ("sed -i s/a/b/ ~/b", "ask"),
        ("sed s/a/b/ ~/b", "allow"),
        ("find ~/Documents -name '*.txt' -delete", "ask"),
        ("find . -name '*.txt' -delete", "allow"),
        ("find ~/Documents -name '*.txt'", "allow"),
        ("tar --remove-files -cf /tmp/a.tar ~/Documents", "ask"),
        ("tar -czf /tmp/a.tgz src", "allow"),
        ("git clone https://a.example/x ~/x", "ask"),
        ("git clone https://a.example/x", "allow"),
        ("mkdir -p ~/x", "ask"),
        ("rm -rf \"$HOME/x\"", "ask"),
        ("cat ~/x; ls ..; cd ~", "allow"),
        ("rm -rf ~", "deny"),
    ];
    for (text, expected) in cases {
        assert_eq!(found(&fenced, text), expected, "{text}");
    }
    // Without a workspace nothing is outside, and no rule says so.
    let open = policy(&[]);
    assert_eq!(found(&open, "rm -rf ~/Documents"), "allow");
    assert!(floor().rules().iter().all(|it| !it.to_string().contains("floor-outside")));
}
