//! Which packages a package reaches, from the resolve table of `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

/// The normal dependency edges between packages, by package id.
#[derive(Debug)]
pub(crate) struct Graph {
    names: BTreeMap<String, String>,
    edges: BTreeMap<String, Vec<String>>,
}

impl Graph {
    /// Reads the graph out of what `cargo metadata` prints.
    pub(crate) fn parse(metadata: &Value) -> Option<Self> {
        let mut names = BTreeMap::new();
        for package in metadata["packages"].as_array()? {
            names.insert(package["id"].as_str()?.to_owned(), package["name"].as_str()?.to_owned());
        }
        let mut edges = BTreeMap::new();
        for node in metadata["resolve"]["nodes"].as_array()? {
            let mut used = Vec::new();
            for edge in node["deps"].as_array()? {
                if edge["dep_kinds"].as_array()?.iter().any(|it| it["kind"].is_null()) {
                    used.push(edge["pkg"].as_str()?.to_owned());
                }
            }
            edges.insert(node["id"].as_str()?.to_owned(), used);
        }
        Some(Self { names, edges })
    }

    /// The number of packages below `id`, itself not counted.
    pub(crate) fn count_below(&self, id: &str) -> usize {
        self.walk(id, |_| false).0.len() - 1
    }

    /// The shortest way from `id` to one of `names`, as the names it passes, both ends included.
    pub(crate) fn way<'a>(&'a self, id: &'a str, names: &[&str]) -> Option<Vec<&'a str>> {
        let (found_by, found) = self.walk(id, |it| names.contains(&self.name(it)));
        let mut at = found?;
        let mut way = vec![self.name(at)];
        while let Some(Some(by)) = found_by.get(at) {
            at = by;
            way.push(self.name(at));
        }
        way.reverse();
        Some(way)
    }

    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }

    /// Walks in width from `id` until `stop`: who was found by whom, and where it stopped.
    fn walk<'a>(
        &'a self,
        id: &'a str,
        stop: impl Fn(&str) -> bool,
    ) -> (BTreeMap<&'a str, Option<&'a str>>, Option<&'a str>) {
        let mut found_by = BTreeMap::from([(id, None)]);
        let mut queue = VecDeque::from([id]);
        while let Some(at) = queue.pop_front() {
            if stop(at) {
                return (found_by, Some(at));
            }
            let unique: BTreeSet<&String> = self.edges.get(at).into_iter().flatten().collect();
            for next in unique {
                if !found_by.contains_key(next.as_str()) {
                    found_by.insert(next, Some(at));
                    queue.push_back(next);
                }
            }
        }
        (found_by, None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// a → b → c → tokio, a → c (development only), b → a (development only)
    fn graph() -> Graph {
        let package = |name: &str| json!({"id": format!("#{name}"), "name": name});
        let edge = |name: &str, kind: Value| json!({"pkg": format!("#{name}"), "dep_kinds": [{"kind": kind}]});
        Graph::parse(&json!({
            "packages": [package("a"), package("b"), package("c"), package("tokio")],
            "resolve": {"nodes": [
                {"id": "#a", "deps": [edge("b", Value::Null), edge("c", json!("dev"))]},
                {"id": "#b", "deps": [edge("c", Value::Null), edge("a", json!("dev"))]},
                {"id": "#c", "deps": [edge("tokio", Value::Null)]},
                {"id": "#tokio", "deps": []},
            ]}
        }))
        .unwrap()
    }

    #[test]
    fn only_normal_edges_are_followed() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("#a", "mio tokio", Some("a b c tokio")),
            ("#b", "c", Some("b c")),
            ("#b", "a", None),
            ("#tokio", "tokio", Some("tokio")),
            ("#a", "mio", None),
        ];
        for (from, names, expected) in cases {
            let graph = graph();
            let way = graph.way(from, &names.split(' ').collect::<Vec<_>>());
            assert_eq!(way.map(|way| way.join(" ")).as_deref(), *expected, "{from} to {names}");
        }
    }

    #[test]
    fn a_package_is_counted_once_and_never_for_itself() {
        for (id, expected) in [("#a", 3), ("#b", 2), ("#c", 1), ("#tokio", 0)] {
            assert_eq!(graph().count_below(id), expected, "{id}");
        }
    }
}
