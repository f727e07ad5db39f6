//! The JSON schema of a list of rules.

/// The JSON schema (draft 2020-12) of a list of rules, for editors and for hosts in other languages.
///
/// What it cannot say, such as that a path is plain, is checked when rules are read.
pub const RULES_SCHEMA: &str = include_str!("../schema/rules.json");

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::rule::Rule;

    /// A rule with every member.
    fn full() -> Value {
        json!({
            "tool": "sh_*", "decision": "deny", "under": "a", "host": "a.b", "scheme": "https",
            "port": 443, "command": "c", "args": ["d"], "args-any": ["e"], "check": "f",
            "note": "g", "severity": "danger", "match": [{ "command": "h" }],
            "not-match": [{ "tool": "i", "arguments": {} }],
        })
    }

    fn schema() -> Value {
        serde_json::from_str(RULES_SCHEMA).unwrap()
    }

    #[test]
    fn the_schema_has_the_members_of_a_rule_and_no_others() {
        let schema = schema();
        let rule = &schema["$defs"]["rule"];
        let written = Rule::from_json(full()).unwrap().to_json();
        assert_eq!(written, full(), "a rule is written as it was read");
        let names = |it: &Value| -> Vec<String> {
            let mut names: Vec<String> = it.as_object().unwrap().keys().cloned().collect();
            names.sort();
            names
        };
        assert_eq!(names(&rule["properties"]), names(&full()));
        assert_eq!(rule["additionalProperties"], json!(false));
    }

    #[test]
    fn what_the_schema_says_of_a_value_is_what_reading_says() {
        let schema = schema();
        let values = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(443),
            json!(65535),
            json!(65536),
            json!(1.5),
            json!(-1),
            json!(""),
            json!("deny"),
            json!("Deny"),
            json!("https"),
            json!("ftp"),
            json!("danger"),
            json!("scary"),
            json!([]),
            json!(["x"]),
            json!([""]),
            json!([1]),
            json!({}),
            json!([{ "command": "c" }]),
            json!([{ "command": 1 }]),
            json!([{ "tool": "i", "arguments": {} }]),
            json!([{ "tool": "i" }]),
            json!([{ "command": "c", "x": 1 }]),
            json!("a*"),
            json!("a*b"),
            json!("**"),
            json!("a b"),
        ];
        for name in full().as_object().unwrap().keys() {
            let mut without = full();
            without.as_object_mut().unwrap().remove(name);
            assert_agree(&schema, &without);
            for value in &values {
                let mut changed = full();
                changed[name] = value.clone();
                assert_agree(&schema, &changed);
            }
        }
        assert_agree(&schema, &json!({ "tool": "a", "decision": "allow", "tools": "b" }));
    }

    /// Both take the rule, or both refuse it.
    fn assert_agree(schema: &Value, rule: &Value) {
        let is_valid = holds(schema, &schema["$defs"]["rule"], rule);
        assert_eq!(is_valid, Rule::from_json(rule.clone()).is_ok(), "{rule}");
    }

    /// Whether `value` is what `part` of the schema describes, as far as this schema goes.
    fn holds(schema: &Value, part: &Value, value: &Value) -> bool {
        let members = part.as_object().unwrap();
        members.iter().all(|(word, wanted)| match &**word {
            "description" => true,
            "$ref" => {
                let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                holds(schema, schema.pointer(pointer).unwrap(), value)
            }
            "oneOf" => {
                let parts = wanted.as_array().unwrap();
                parts.iter().filter(|it| holds(schema, it, value)).count() == 1
            }
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted.as_str().unwrap() {
                "string" => value.is_string(),
                "integer" => value.is_i64(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                other => panic!("{other} is not looked at"),
            },
            "minLength" | "minItems" => {
                let length =
                    value.as_str().map(str::len).or_else(|| value.as_array().map(Vec::len));
                length.is_none_or(|it| it as u64 >= wanted.as_u64().unwrap())
            }
            "minimum" => value.as_i64().is_none_or(|it| it >= wanted.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|it| it <= wanted.as_i64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| matches(wanted.as_str().unwrap(), text)),
            "items" => {
                value.as_array().is_none_or(|it| it.iter().all(|it| holds(schema, wanted, it)))
            }
            "required" => value.as_object().is_none_or(|it| {
                wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|name| it.contains_key(name.as_str().unwrap()))
            }),
            "dependentRequired" => value.as_object().is_none_or(|it| {
                wanted.as_object().unwrap().iter().all(|(name, needs)| {
                    let needs = needs.as_array().unwrap();
                    !it.contains_key(name)
                        || needs.iter().all(|name| it.contains_key(name.as_str().unwrap()))
                })
            }),
            "properties" => value.as_object().is_none_or(|it| {
                it.iter()
                    .all(|(name, it)| wanted.get(name).is_none_or(|part| holds(schema, part, it)))
            }),
            "additionalProperties" => {
                let known = part["properties"].as_object().unwrap();
                value.as_object().is_none_or(|it| it.keys().all(|name| known.contains_key(name)))
            }
            other => panic!("{other} is not looked at"),
        })
    }

    /// Whether `text` is one of the words above that `pattern` takes.  The patterns take words of
    /// letters, and what else each does is a table here, so that no engine is needed.
    fn matches(pattern: &str, text: &str) -> bool {
        let is_word = !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric());
        let has_dot = text == "a.b";
        let star = text == "a*" || text == "sh_*";
        match pattern {
            it if it.contains("\\*\\.") => is_word || has_dot,
            _ => is_word || star,
        }
    }
}
