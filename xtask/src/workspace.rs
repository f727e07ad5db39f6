//! The crates of this workspace, as `cargo metadata` describes them.

use std::path::PathBuf;

use serde_json::Value;

use crate::tool;

/// What `cargo metadata` says of this workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) target: PathBuf,
    pub(crate) members: Vec<Member>,
}

/// A crate of this workspace.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) published: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// What a crate's manifest says of one dependency.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The versions asked for; `*` when the manifest names none.
    pub(crate) requirement: String,
    /// Whether it is a crate of this workspace.
    pub(crate) ours: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Build,
    Dev,
    Normal,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self, String> {
        let text = tool::read(&mut tool::cargo("metadata --format-version 1 --no-deps --locked"))?;
        let metadata = serde_json::from_str(&text).map_err(|error| format!("metadata: {error}"))?;
        Self::parse(&metadata).ok_or_else(|| "`cargo metadata` has an unknown shape".to_owned())
    }

    pub(crate) fn parse(metadata: &Value) -> Option<Self> {
        let ids: Vec<&Value> = metadata["workspace_members"].as_array()?.iter().collect();
        let members = metadata["packages"].as_array()?.iter().filter(|it| ids.contains(&&it["id"]));
        let mut members = members.map(Member::parse).collect::<Option<Vec<_>>>()?;
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let target = metadata["target_directory"].as_str()?.into();
        Some(Self { target, members })
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    pub(crate) fn published(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.published)
    }

    /// The published crate of that name.
    pub(crate) fn published_member(&self, name: &str) -> Result<&Member, String> {
        self.published().find(|member| member.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.published().map(|it| it.name.as_str()).collect();
            format!("{name:?} is not published from here; these are: {}", names.join(", "))
        })
    }

    /// `member` and those of ours that it is built from, each after what it uses.
    pub(crate) fn family<'a>(&'a self, member: &'a Member) -> Vec<&'a Member> {
        let mut family = Vec::new();
        self.gather(member, &mut family);
        family
    }

    fn gather<'a>(&'a self, member: &'a Member, family: &mut Vec<&'a Member>) {
        if family.iter().any(|known| known.name == member.name) {
            return;
        }
        for used in member.uses() {
            if let Some(used) = self.member(&used.name) {
                self.gather(used, family);
            }
        }
        family.push(member);
    }
}

impl Member {
    /// What it is built from, of ours.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|used| used.ours && used.kind != Kind::Dev)
    }

    /// What it is built from, of others.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|used| !used.ours && used.kind != Kind::Dev)
    }

    fn parse(package: &Value) -> Option<Self> {
        let dependencies = package["dependencies"].as_array()?.iter().map(Dependency::parse);
        Some(Self {
            name: package["name"].as_str()?.to_owned(),
            version: package["version"].as_str()?.to_owned(),
            description: package["description"].as_str().unwrap_or_default().to_owned(),
            published: package["publish"].as_array().is_none_or(|places| !places.is_empty()),
            dependencies: dependencies.collect::<Option<Vec<_>>>()?,
        })
    }
}

impl Dependency {
    fn parse(dependency: &Value) -> Option<Self> {
        Some(Self {
            name: dependency["name"].as_str()?.to_owned(),
            kind: match dependency["kind"].as_str() {
                Some("build") => Kind::Build,
                Some("dev") => Kind::Dev,
                _ => Kind::Normal,
            },
            requirement: dependency["req"].as_str()?.to_owned(),
            ours: dependency["path"].is_string(),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A crate for [`workspace`]: its name, and what it uses as (name, kind, requirement).
    pub(crate) type Line<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)]);

    /// A workspace of `lines`; what starts with `mcp-` is ours, `mcp-testkit` is not published.
    pub(crate) fn workspace(lines: &[Line<'_>]) -> Workspace {
        Workspace::parse(&metadata(lines)).unwrap()
    }

    /// The package id of a crate in [`metadata`].
    pub(crate) fn id(name: &str) -> String {
        format!("path+file:///w/{name}#0.1.0")
    }

    /// What `cargo metadata` would print of `lines`.
    pub(crate) fn metadata(lines: &[Line<'_>]) -> Value {
        let kind = |kind: &str| if kind == "normal" { Value::Null } else { json!(kind) };
        let mut packages = Vec::new();
        let mut nodes = Vec::new();
        for (name, uses) in lines {
            let dependencies: Vec<Value> = uses
                .iter()
                .map(|(used, of, req)| match used.starts_with("mcp-") {
                    true => json!({"name": used, "kind": kind(of), "req": req, "path": "/w"}),
                    false => json!({"name": used, "kind": kind(of), "req": req}),
                })
                .collect();
            let deps: Vec<Value> = uses
                .iter()
                .map(|(used, of, _)| json!({"pkg": id(used), "dep_kinds": [{"kind": kind(of)}]}))
                .collect();
            let publish = if *name == "mcp-testkit" { json!([]) } else { Value::Null };
            packages.push(json!({
                "id": id(name), "name": name, "version": "0.1.0", "publish": publish,
                "description": format!("What {name} is"), "dependencies": dependencies,
            }));
            nodes.push(json!({"id": id(name), "deps": deps}));
        }
        let members = lines.iter().filter(|(name, _)| name.starts_with("mcp-"));
        json!({
            "packages": packages,
            "workspace_members": members.map(|(name, _)| id(name)).collect::<Vec<_>>(),
            "resolve": {"nodes": nodes},
            "target_directory": "/w/target",
        })
    }

    #[test]
    fn a_family_comes_in_the_order_of_building() {
        let workspace = workspace(&[
            ("mcp-client", &[("mcp-wire", "normal", "^0.1.0"), ("mcp-testkit", "dev", "*")]),
            ("mcp-leaf", &[("serde", "normal", "^1")]),
            ("mcp-testkit", &[]),
            ("mcp-wire", &[("mcp-leaf", "normal", "^0.1.0")]),
            ("serde", &[]),
        ]);
        let client = workspace.published_member("mcp-client").unwrap();
        let names: Vec<&str> =
            workspace.family(client).iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["mcp-leaf", "mcp-wire", "mcp-client"]);
        assert_eq!(workspace.members.len(), 4, "others are not members");
        assert!(workspace.published_member("mcp-testkit").unwrap_err().contains("mcp-leaf"));
    }
}
