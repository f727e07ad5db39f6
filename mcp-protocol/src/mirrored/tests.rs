//! Annotations as servers write them, and calls.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn found(schema: &Value) -> Result<Vec<(String, String)>, String> {
    let params = MirroredParams::of(&Schema::from(schema)).map_err(|error| error.to_string())?;
    Ok(params.0.into_iter().map(|it| (it.header, it.path.join("."))).collect())
}

/// B-HTTP-15: where annotations are found.
#[test]
fn annotations_are_found_along_properties() {
    let text = |header: &str| json!({"type": "string", "x-mcp-header": header});
    let cases = [
        (json!({"properties": {"region": text("Region")}}), vec![("Region", "region")]),
        (
            json!({"properties": {"outer": {"properties": {"tenant": text("Tenant")}}}}),
            vec![("Tenant", "outer.tenant")],
        ),
        (
            json!({"properties": {"b": text("B"), "a": {"type": "integer", "x-mcp-header": "A"}}}),
            vec![("A", "a"), ("B", "b")],
        ),
        // A property may have that name.
        (json!({"properties": {"x-mcp-header": {"type": "string"}}}), vec![]),
        (json!({"properties": {"x-mcp-header": text("X")}}), vec![("X", "x-mcp-header")]),
        // B-HTTP-18: data is no schema, but a property called like a keyword is one.
        (json!({"properties": {"a": {"default": text("A"), "const": text("B")}}}), vec![]),
        (json!({"enum": [text("A")], "examples": [text("B")]}), vec![]),
        (json!({"properties": {"default": text("D")}}), vec![("D", "default")]),
        (json!({"$defs": {"x-mcp-header": {"type": "string"}}}), vec![]),
        (json!({"patternProperties": {"x-mcp-header": {"default": text("D")}}}), vec![]),
        (json!({"type": "object"}), vec![]),
        (json!(true), vec![]),
        (json!("x-mcp-header"), vec![]),
    ];
    for (schema, expected) in cases {
        let expected =
            expected.into_iter().map(|(h, p)| (h.to_owned(), p.to_owned())).collect::<Vec<_>>();
        assert_eq!(found(&schema), Ok(expected), "{schema}");
    }
}

/// An escape in the name hides nothing.
#[test]
fn a_name_spelled_with_escapes_is_the_same_name() {
    let text = r#"{"properties":{"a":{"type":"string","x\u002dmcp-header":"A"}}}"#;
    let schema: Schema = serde_json::from_str(text).unwrap();
    assert!(!MirroredParams::of(&schema).unwrap().is_empty());
}

/// B-HTTP-16, B-HTTP-17, B-HTTP-18: the first rule that is broken, in this order.
#[test]
fn a_bad_annotation_is_told_by_its_first_fault() {
    let site = |header: Value, kind: Value| json!({"x-mcp-header": header, "type": kind});
    let property = |header: Value, kind: Value| json!({"properties": {"a": site(header, kind)}});
    let good = || site(json!("A"), json!("string"));
    let cases = [
        (property(json!(7), json!("number")), "is 7"),
        (property(json!(""), json!("number")), "is empty"),
        (property(json!("a b"), json!("number")), "field-name token"),
        (property(json!("a:b"), json!("string")), "field-name token"),
        (property(json!("a\r\nb"), json!("string")), "field-name token"),
        (property(json!("ä"), json!("string")), "field-name token"),
        (good(), "statically reachable"),
        (json!({"items": good()}), "statically reachable"),
        (json!({"anyOf": [{"type": "null"}, good()]}), "statically reachable"),
        (json!({"anyOf": [[good()]]}), "statically reachable"),
        (json!({"properties": [good()]}), "statically reachable"),
        (json!({"$defs": {"a": {"properties": {"b": good()}}}}), "statically reachable"),
        (json!({"$defs": {"default": good()}}), "statically reachable"),
        (json!({"$defs": [good()]}), "statically reachable"),
        (json!({"dependentSchemas": {"x-mcp-header": good()}}), "statically reachable"),
        (json!({"additionalProperties": good()}), "statically reachable"),
        (property(json!("A".repeat(257)), json!("string")), "longer than 256 bytes"),
        (property(json!("A"), json!("number")), "string, integer or boolean"),
        (property(json!("A"), json!("object")), "string, integer or boolean"),
        (property(json!("A"), json!(["string"])), "string, integer or boolean"),
        (json!({"properties": {"a": {"x-mcp-header": "A"}}}), "string, integer or boolean"),
        (
            json!({"properties": {"a": good(), "b": site(json!("a"), json!("boolean"))}}),
            "more than once",
        ),
    ];
    for (schema, fault) in cases {
        let error = found(&schema).unwrap_err();
        assert!(error.contains(fault), "{schema}: {error}");
    }
    for byte in 0..=u8::MAX {
        let is_listed = matches!(byte,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'!' | b'#' | b'$' | b'%' | b'&' | b'\''
            | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~');
        assert_eq!(is_token(byte), is_listed, "{byte}");
    }
}

fn values(kind: &str, arguments: &Value) -> Result<Option<String>, String> {
    let schema = json!({"properties": {"o": {"properties": {
        "v": {"type": kind, "x-mcp-header": "V"}}}}});
    let params = MirroredParams::of(&Schema::from(&schema)).unwrap();
    let arguments = serde_json::value::to_raw_value(arguments).unwrap();
    let values = params.values(&arguments).map_err(|error| error.to_string())?;
    Ok(values.into_iter().next().map(|(header, value)| {
        assert_eq!(header, "V");
        value
    }))
}

/// B-HTTP-19, B-HTTP-20: what is sent.
#[test]
fn a_parameter_that_is_there_is_sent_as_text() {
    let cases = [
        ("string", json!("us west 1 ☕"), Some("us west 1 ☕")),
        ("string", json!(""), Some("")),
        ("boolean", json!(false), Some("false")),
        ("integer", json!(42), Some("42")),
        ("integer", json!(42.0), Some("42")),
        ("integer", json!(4e2), Some("400")),
        ("integer", json!(-0.0), Some("0")),
        ("integer", json!(-9_007_199_254_740_991_i64), Some("-9007199254740991")),
        ("string", Value::Null, None),
    ];
    for (kind, value, expected) in cases {
        let sent = values(kind, &json!({"o": {"v": value}}));
        assert_eq!(sent, Ok(expected.map(str::to_owned)), "{kind} {value}");
    }
    for arguments in [json!({}), json!({"o": 7}), json!({"o": {}}), json!([1]), json!({"v": 1})] {
        assert_eq!(values("string", &arguments), Ok(None), "{arguments}");
    }
}

/// Row 68 of what the specification asks for.
#[test]
fn an_argument_that_cannot_be_sent_is_named() {
    let cases = [
        ("integer", json!(9_007_199_254_740_992_i64), "an integer of at most 53 bits"),
        ("integer", json!(1e300), "an integer of at most 53 bits"),
        ("integer", json!(1.5), "an integer of at most 53 bits"),
        ("integer", json!("1"), "an integer of at most 53 bits"),
        ("string", json!(1), "a string"),
        ("string", json!(["a"]), "a string"),
        ("boolean", json!("true"), "true or false"),
    ];
    for (kind, value, wanted) in cases {
        let error = values(kind, &json!({"o": {"v": value}})).unwrap_err();
        assert!(error.contains("\"o.v\"") && error.contains("Mcp-Param-V"), "{error}");
        assert!(error.contains(wanted), "{kind} {value}: {error}");
    }
}

fn of(text: &str) -> Result<MirroredParams, String> {
    let schema: Schema = serde_json::from_str(text).unwrap();
    MirroredParams::of(&schema).map_err(|error| error.to_string())
}

fn nested(open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(500), close.repeat(500))
}

/// An annotation that cannot be judged does not count as a good one, nor as none.
#[test]
fn an_annotation_in_a_schema_that_is_unreadable_is_a_bad_one() {
    let deep = nested(r#"{"x-mcp-header":1,"items":"#, "1", "}");
    let large = r#"{"properties":{"a":{"x-mcp-header":"A","maximum":1e400}}}"#;
    for text in [&deep, large] {
        let error = of(text).unwrap_err();
        assert!(error.contains("annotation is in a schema that is unreadable"), "{error}");
    }
    let innocent = nested(r#"{"title":"\u0041","items":"#, "1", "}");
    assert_eq!(of(&innocent), Ok(MirroredParams::default()));
}

/// Width does not hurt either: each annotation is compared with those before it.
#[test]
fn a_tool_has_only_so_many_annotations_and_its_faults_are_told_briefly() {
    let site = |at: usize| format!(r#""p{at}":{{"type":"string","x-mcp-header":"H{at}"}}"#);
    let schema = |count: usize| {
        format!(r#"{{"properties":{{{}}}}}"#, (0..count).map(site).collect::<Vec<_>>().join(","))
    };
    assert_eq!(of(&schema(MOST)).map(|found| found.0.len()), Ok(MOST));
    assert!(of(&schema(MOST + 1)).unwrap_err().contains("one too many: 64 are taken"));
    assert!(of(&schema(100_000)).is_err());

    for header in [json!(["x".repeat(5000)]), json!("ä".repeat(5000)), json!("x".repeat(5000))] {
        let error = found(&json!({"properties": {"a": {"x-mcp-header": header}}})).unwrap_err();
        assert!(error.len() < 300, "{error}");
    }
}

/// What stands beside a parameter is not read, so nothing in it can hide the parameter.
#[test]
fn a_parameter_is_found_beside_anything() {
    let params = of(r#"{"properties":{"v":{"type":"integer","x-mcp-header":"V"}}}"#).unwrap();
    let sent = |arguments: &str| {
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        params.values(&arguments).map_err(|error| error.to_string())
    };
    let seven = Ok(vec![("V".to_owned(), "7".to_owned())]);
    let deep = nested("[", "", "]");
    for arguments in [
        r#"{"v":7,"large":1e400}"#,
        &format!(r#"{{"deep":{deep},"v":7}}"#),
        r#"{ "v" : 7 }"#,
        r#"{"v":7}"#,
        r#"{"v":1,"v":7}"#,
    ] {
        assert_eq!(sent(arguments), seven, "{arguments}");
    }
    for arguments in [r#"{"v":1e400}"#, r#"{"v":12345678901234567890123}"#, r#"{"v":{}}"#] {
        let error = sent(arguments).unwrap_err();
        assert!(error.starts_with("the argument \"v\" must be an integer"), "{error}");
    }
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!("string")),
        Just(json!("integer")),
        Just(json!(["boolean"])),
        "[A-C]{0,2}|a b".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 5, |inner| {
        let keyword = prop::sample::select(vec![
            "type",
            "x-mcp-header",
            "properties",
            "items",
            "default",
            "$defs",
            "anyOf",
            "a",
        ]);
        prop_oneof![
            prop::collection::vec((keyword, inner.clone()), 0..5)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    })
}

proptest! {
    /// Whatever passes keeps to the rules, and leads to what it says.
    #[test]
    fn what_is_found_keeps_to_the_rules(schema in schemas()) {
        let Ok(params) = MirroredParams::of(&Schema::from(&schema)) else { return Ok(()) };
        let mut names = std::collections::HashSet::new();
        for param in &params.0 {
            let walked = param.path.iter().try_fold(&schema, |at, name| at.get("properties")?.get(name));
            let site = walked.unwrap();
            prop_assert_eq!(site.get("x-mcp-header"), Some(&json!(param.header)));
            prop_assert!(matches!(site["type"].as_str(), Some("string" | "integer" | "boolean")));
            prop_assert!(names.insert(param.header.to_ascii_lowercase()));
        }
    }

    /// A whole number is sent in decimal, however it is spelled, or it is refused.
    #[test]
    fn an_integer_is_sent_exactly_or_not_at_all(number in any::<i64>(), spelling in 0..3) {
        let safe = number >> 10;
        for number in [number, safe] {
            let text = match spelling {
                0 => number.to_string(),
                1 => format!("{number}.0"),
                _ => format!("{number}e0"),
            };
            let is_safe = number.unsigned_abs() < 1 << 53;
            prop_assert_eq!(Kind::Integer.text(&text), is_safe.then(|| number.to_string()));
        }
    }
}
