//! A list of rules, checked whole, and found again by the call they are about.

use std::borrow::Cow;
use std::collections::HashMap;

use mcp_provider::location::{PathStyle, Place};
use serde_json::Value;

use crate::facts::Facts;
use crate::fold::fold_into;
use crate::rule::{Decision, InvalidRule, Rule};

/// A list of rules that was checked whole.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    pub(crate) rules: Vec<Rule>,
    exact: HashMap<String, Bucket>,
    prefixes: Vec<(String, Bucket)>,
    /// Whether a tool is named in capitals, so that what is found here may be another's.
    has_capitals: bool,
    /// Those that deny every call to their tools.
    hiding: Vec<usize>,
}

/// The rules of one tool pattern, by the program or the directory they are about.
#[derive(Debug, Default)]
struct Bucket {
    general: Vec<usize>,
    programs: HashMap<String, Vec<usize>>,
    absolute: HashMap<String, Vec<usize>>,
    relative: HashMap<String, Vec<usize>>,
}

/// Reads a list of rules from JSON: all of them, or none.
///
/// # Errors
///
/// Fails at the first one that cannot be read, and says which it is.
pub fn rules_from_json(json: &Value) -> Result<Vec<Rule>, InvalidRule> {
    let Some(items) = json.as_array() else {
        return Err(InvalidRule::because(
            "rules must be a list, such as [{\"tool\": \"fs_read\", \"decision\": \"allow\"}]",
        ));
    };
    let read =
        |(index, item): (usize, &Value)| Rule::from_json(item.clone()).map_err(|it| it.at(index));
    items.iter().enumerate().map(read).collect()
}

impl RuleSet {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let mut set = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            let mut name = rule.tool.to_string();
            set.has_capitals |= name.bytes().any(|it| it.is_ascii_uppercase());
            name.make_ascii_lowercase();
            let bucket = match rule.tool.is_exact() {
                true => set.exact.entry(name).or_default(),
                false => {
                    let start = name.strip_suffix('*').unwrap_or(&name);
                    let place = set.prefixes.iter().position(|(it, _)| it == start);
                    let place = place.unwrap_or_else(|| {
                        set.prefixes.push((start.to_owned(), Bucket::default()));
                        set.prefixes.len() - 1
                    });
                    match set.prefixes.get_mut(place) {
                        Some((_, bucket)) => bucket,
                        None => continue,
                    }
                }
            };
            bucket.add(index, rule);
            if rule.decision == Decision::Deny && rule.is_blanket() {
                set.hiding.push(index);
            }
        }
        set.rules = rules;
        set
    }

    /// The rules about the tool of the call, in their order.
    pub(crate) fn about<'s>(
        &'s self,
        tool: &'s str,
        folds: bool,
    ) -> impl Iterator<Item = &'s Rule> {
        self.rules.iter().filter(move |it| it.is_about(tool, folds))
    }

    /// Whether a rule denies every call to any tool.
    pub(crate) fn hides_any(&self) -> bool {
        !self.hiding.is_empty()
    }

    /// Whether a rule denies every call to `tool`.
    pub(crate) fn hides(&self, tool: &str, folds: bool) -> bool {
        let mut hiding = self.hiding.iter().filter_map(|it| self.rules.get(*it));
        hiding.any(|it| it.is_about(tool, folds))
    }

    /// The rules that may say something about the call, each with its place in the list.
    ///
    /// Those that are left out would say no: they are about other tools, or other directories.
    pub(crate) fn candidates(&self, facts: &Facts<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        let (mut keys, mut programs) = (None, None);
        let name = match facts.tool.bytes().any(|it| it.is_ascii_uppercase()) {
            true => Cow::Owned(facts.tool.to_ascii_lowercase()),
            false => Cow::Borrowed(facts.tool),
        };
        let exact = self.exact.get(&*name).into_iter();
        let prefixes = self.prefixes.iter().filter(|(it, _)| name.starts_with(&**it));
        for bucket in exact.chain(prefixes.map(|(_, bucket)| bucket)) {
            found.extend(&bucket.general);
            if !bucket.programs.is_empty() {
                let programs = programs.get_or_insert_with(|| programs_of(facts));
                let programs = programs.as_ref().map(|it| it.iter().map(|it| &**it));
                add(programs, &bucket.programs, &mut found);
            }
            if bucket.absolute.is_empty() && bucket.relative.is_empty() {
                continue;
            }
            let keys = keys.get_or_insert_with(|| Keys::of(facts));
            add(keys.absolute.as_deref().map(ancestors), &bucket.absolute, &mut found);
            add(keys.relative.as_deref().map(ancestors), &bucket.relative, &mut found);
        }
        let folds = facts.tables.folds_tool_names;
        if self.has_capitals || matches!(name, Cow::Owned(_)) {
            found.retain(|it| self.rules.get(*it).is_some_and(|it| it.is_about(facts.tool, folds)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Bucket {
    fn add(&mut self, index: usize, rule: &Rule) {
        let place = rule.under.as_ref().and_then(|it| it.posix());
        let program = rule.command.as_ref().and_then(|it| it.exact());
        let list = match (program, place) {
            (Some(program), _) => self.programs.entry(program.to_ascii_lowercase()).or_default(),
            (None, Some(place)) => {
                let map = if place.is_absolute() { &mut self.absolute } else { &mut self.relative };
                map.entry(key(place.segments())).or_default()
            }
            (None, None) => &mut self.general,
        };
        list.push(index);
    }
}

/// Adds the rules under `keys`, or all of them where it is not known which keys count.
fn add<'k>(
    keys: Option<impl Iterator<Item = &'k str>>,
    map: &HashMap<String, Vec<usize>>,
    found: &mut Vec<usize>,
) {
    if map.is_empty() {
        return;
    }
    match keys {
        Some(keys) => found.extend(keys.filter_map(|it| map.get(it)).flatten()),
        None => found.extend(map.values().flatten()),
    }
}

/// The programs that the call would start, once each; nothing where one of them is not known.
fn programs_of(facts: &Facts<'_>) -> Option<Vec<String>> {
    let commands = facts.commands()?;
    let names = commands.started().map(|(_, command)| command.program.name());
    let mut names = names.collect::<Option<Vec<&str>>>()?;
    names.sort_unstable();
    names.dedup();
    Some(names.into_iter().map(str::to_ascii_lowercase).collect())
}

/// The keys of the places of a call; nothing where it cannot be told under which directories they lie.
struct Keys {
    absolute: Option<Vec<String>>,
    relative: Option<Vec<String>>,
}

impl Keys {
    fn of(facts: &Facts<'_>) -> Self {
        let nothing = Self { absolute: None, relative: None };
        if facts.tables.locations.style() != PathStyle::Posix || facts.object.is_err() {
            return nothing;
        }
        let places = facts.places();
        let listed: Option<Vec<&Place>> =
            places.listed.iter().map(|it| it.place.as_ref().ok()).collect();
        let Some(mut all) = listed.filter(|it| !it.is_empty()) else { return nothing };
        all.extend(places.others.iter().filter_map(|it| it.place.as_ref().ok()));
        let (absolute, relative): (Vec<&Place>, Vec<&Place>) =
            all.into_iter().partition(|it| it.is_absolute());
        let root = facts.root();
        if !relative.is_empty() && !absolute.is_empty() || root.is_some_and(|it| !it.is_absolute())
        {
            return nothing;
        }
        let keys = |places: Vec<&[String]>| Some(places.into_iter().map(key).collect());
        if !relative.is_empty() {
            let relative = keys(relative.iter().map(|it| it.segments()).collect());
            return Self { absolute: None, relative };
        }
        let inside = |root: &Place| {
            let rest = absolute.iter().filter_map(|it| below(it.segments(), root.segments()));
            keys(rest.collect())
        };
        let relative = root.and_then(inside);
        Self { absolute: keys(absolute.iter().map(|it| it.segments()).collect()), relative }
    }
}

/// What is left of `path` below `root`, as a forgiving disk compares them.
fn below<'p>(path: &'p [String], root: &[String]) -> Option<&'p [String]> {
    let (start, rest) = path.split_at_checked(root.len())?;
    (key(start) == key(root)).then_some(rest)
}

/// These keys, and those of every directory above: what ends where a name does.
fn ancestors(keys: &[String]) -> impl Iterator<Item = &str> {
    keys.iter().flat_map(|key| {
        let ends = key.match_indices('/').map(|(place, _)| place + 1);
        [0].into_iter().chain(ends).filter_map(|end| key.get(..end))
    })
}

fn key(segments: &[String]) -> String {
    let mut key = String::new();
    for segment in segments {
        fold_into(&mut key, segment);
        key.push('/');
    }
    key
}
