//! The setting that has a model say why, mapped onto the layer that asks, and what approvers see.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{Nobody, Script, Setup, Talk, call, object, risks, run, tools};
use mcp_approval::{
    Approval, ApprovalPolicy, Context, Decision, InvalidToolReason, LlmApproval, Risk, Risks,
    ToolReason,
};
use mcp_provider::time::TokioTimer;
use mcp_provider::{BoxError, Provider, ToolDeclaration};
use mcp_reasons::{Collision, Reasons};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

fn schema_of(tools: &[ToolDeclaration], name: &str) -> Value {
    let tool = tools.iter().find(|it| it.name() == Some(name)).unwrap();
    tool.parameters().unwrap().to_json()
}

#[tokio::test]
async fn only_tools_that_may_need_approval_gain_the_field() {
    let setup = Setup::new();
    let stack = setup.stack(json!([]), Nobody).await;
    let shown = stack.tools_for_llm().await.unwrap();
    let plain = tools().tools_for_llm().await.unwrap();
    // What the row is for, the tool, whether it gains the field.
    let rows = [
        (
            "AP-13, AP-16 a read-only tool, with a `reason` of its own, is as it was",
            "fs_list",
            false,
        ),
        ("AP-14 a read-only tool with a resolver gains the field", "fs_read", true),
        ("AP-17 a tool that takes nothing else gains the field", "fs_write", true),
        ("a mutating tool gains the field", "sh_run", true),
    ];
    for (row, tool, gains) in rows {
        let (shown, plain) = (schema_of(&shown, tool), schema_of(&plain, tool));
        if gains {
            assert_eq!(shown["properties"]["reason"]["type"], json!("string"), "{row}");
            assert_eq!(shown["required"], plain["required"], "AP-18 it is never required: {row}");
            // Guidance is given once, elsewhere.
            assert_eq!(shown["properties"]["reason"].get("description"), None, "{row}");
        } else {
            assert_eq!(shown.to_string(), plain.to_string(), "{row}");
        }
    }
}

#[tokio::test]
async fn a_reason_is_beside_the_arguments_and_never_in_them() {
    let clean = || json!({ "path": "a", "content": "x" });
    let with = |reason: Value| json!({ "path": "a", "content": "x", "reason": reason });
    let rows = [
        ("AP-10 a reason", with(json!("You asked for it")), Some("You asked for it")),
        ("AP-11 no reason", clean(), None),
        ("AP-11 a blank one", with(json!("  ")), None),
        ("AP-11 one that is no text", with(json!(7)), None),
    ];
    for (row, arguments, reason) in rows {
        let setup = Setup::new();
        let script = Script::says(Decision::Allow);
        let policy = ApprovalPolicy::ask(script.clone());
        let stack = setup.stack(json!([]), Approval::with_policy(setup.context.clone(), policy));
        assert!(!run(&stack.await, call("fs_write", arguments)).await.is_error, "{row}");
        let request = script.asked().remove(0);
        assert_eq!(request.reason.as_deref(), reason, "{row}");
        assert!(request.is_reason_asked, "{row}");
        assert_eq!(request.arguments, object(clean()), "{row}");
        assert_eq!(request.description.as_deref(), Some("Writes a file."), "{row}");
        let ran = setup.tools.calls().remove(0);
        assert_eq!(*ran.arguments.as_object().unwrap(), object(clean()), "AP-17 {row}");
    }
}

#[tokio::test]
async fn with_reasons_off_there_is_none_and_the_argument_stays() {
    // AP-12
    let script = Script::says(Decision::Allow);
    let setup = Setup::new();
    let approval =
        Approval::with_policy(Context::new(risks()), ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(json!([]), approval).await;
    let arguments = json!({ "command": "ls", "reason": "It is fine" });
    run(&stack, call("sh_run", arguments.clone())).await;
    let request = script.asked().remove(0);
    assert_eq!((request.reason, request.is_reason_asked), (None, false));
    assert_eq!(request.arguments, object(arguments));
}

#[tokio::test]
async fn an_argument_that_the_tool_gets_is_shown_as_one() {
    // AP-16: the tool's own reason is delivered, and it is no claim about the call.
    let setup = Setup::new();
    let script = Script::says(Decision::Allow);
    let approval =
        Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script.clone()));
    let rules = json!([{ "tool": "fs_list", "decision": "ask" }]);
    let stack = setup.stack(rules, approval).await;
    let arguments = json!({ "path": "a", "reason": "audit" });
    assert!(!run(&stack, call("fs_list", arguments.clone())).await.is_error);
    let request = script.asked().remove(0);
    assert_eq!((request.reason, request.arguments), (None, object(arguments.clone())));
    assert_eq!(*setup.tools.calls()[0].arguments.as_object().unwrap(), object(arguments));
}

#[tokio::test]
async fn whoever_fails_to_say_whose_a_reason_is_hides_nothing() {
    let script = Script::says(Decision::Allow);
    let setup = Setup::new();
    let context = Context::new(risks()).reasons(|_| panic!("whose"));
    let approval = Approval::with_policy(context, ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(json!([]), approval).await;
    run(&stack, call("sh_run", json!({ "reason": "x" }))).await;
    assert_eq!(script.asked()[0].arguments, object(json!({ "reason": "x" })));
}

#[tokio::test]
async fn a_tool_with_a_reason_of_its_own_that_may_need_approval_fails_the_listing() {
    // AP-15
    let own = json!({ "type": "object", "properties": { "reason": { "type": "string" } } });
    let refund = ToolDeclaration::new("pay_refund").with_parameters(object(own));
    let plan = ToolReason::Enabled.plan(&Risks::new()).unwrap();
    assert!(plan.fails_on_collision() && plan.guides_once());
    let reasons = Reasons::new(Scripted::new([refund]))
        .only(move |tool| plan.wants(tool))
        .on_collision(Collision::Error);
    let error = reasons.tools_for_llm().await.unwrap_err();
    assert!(error.to_string().contains("pay_refund"), "{error}");
}

#[test]
fn the_setting_is_a_word_or_an_expression_that_is_a_boolean() {
    // AP-23
    use ToolReason::{Disabled, Enabled};
    // As an interpreter of the host's would: names that are known, and one that fails.
    let evaluate = |text: &str| -> Result<Value, BoxError> {
        match text {
            "yes" => Ok(json!(true)),
            "no" => Ok(json!(false)),
            "one" => Ok(json!(1)),
            "word" => Ok(json!("enabled")),
            "none" => Ok(Value::Null),
            "panics" => panic!("the interpreter fell over"),
            other => Err(format!("{other} is not defined").into()),
        }
    };
    let rows: Vec<(&str, Result<ToolReason, &str>)> = vec![
        ("enabled", Ok(Enabled)),
        ("disabled", Ok(Disabled)),
        (" enabled ", Ok(Enabled)),
        ("`yes`", Ok(Enabled)),
        ("`no`", Ok(Disabled)),
        ("true", Err("must be enabled, disabled")),
        ("false", Err("must be enabled, disabled")),
        ("Enabled", Err("must be enabled, disabled")),
        ("on", Err("must be enabled, disabled")),
        ("1", Err("must be enabled, disabled")),
        ("", Err("must be enabled, disabled")),
        ("`", Err("must be enabled, disabled")),
        ("``", Err("must be enabled, disabled")),
        ("`yes` `no`", Err("must be enabled, disabled")),
        ("`one`", Err("the expression `one` is 1, which is not a boolean")),
        ("`word`", Err("the expression `word` is \"enabled\", which is not a boolean")),
        ("`none`", Err("is null, which is not a boolean")),
        ("`typo`", Err("typo is not defined")),
        ("`panics`", Err("the interpreter fell over")),
    ];
    for (text, expected) in rows {
        let read = ToolReason::read(text, evaluate);
        match (&read, expected) {
            (Ok(read), Ok(expected)) => assert_eq!(*read, expected, "{text}"),
            (Err(error), Err(part)) => {
                assert!(error.to_string().contains(part), "{text}: {error}");
            }
            _ => assert_eq!(read.map_err(|it| it.to_string()), expected.map_err(str::to_owned)),
        }
    }
    let booleans = [(json!(true), Ok(Enabled)), (json!(false), Ok(Disabled))];
    for (value, expected) in booleans {
        assert_eq!(ToolReason::from_json(&value), expected);
    }
    for value in [json!("enabled"), json!("true"), json!(1), json!(null), json!([true])] {
        let expression = None;
        let error = InvalidToolReason::NotABoolean { expression, value: value.to_string() };
        assert_eq!(ToolReason::from_json(&value), Err(error), "{value}");
    }
    assert_eq!(ToolReason::default(), Disabled);
    assert_eq!(ToolReason::from(true), Enabled);
}

#[test]
fn the_closest_scope_counts_and_changes_no_other() {
    // AP-23
    use ToolReason::{Disabled, Enabled};
    let rows = [
        (Disabled, None, Disabled),
        (Enabled, None, Enabled),
        (Disabled, Some(Enabled), Enabled),
        (Enabled, Some(Disabled), Disabled),
    ];
    for (outer, scope, expected) in rows {
        assert_eq!(outer.in_scope(scope), expected, "{outer:?} {scope:?}");
    }
    assert!(Disabled.plan(&Risks::new()).is_none());
}

#[test]
fn a_host_that_cannot_ask_refuses_to_be_told_to() {
    // The failure table: an adapter that does not support it.
    assert_eq!(ToolReason::Disabled.refuse("the hosted tools"), Ok(()));
    let error = ToolReason::Enabled.refuse("the hosted tools").unwrap_err();
    assert!(error.to_string().contains("the hosted tools cannot ask"), "{error}");
}

#[tokio::test]
async fn a_model_does_not_approve_where_reasons_are_off() {
    // AP-20
    let builder = || LlmApproval::builder(Talk::says("{}"), TokioTimer::new());
    let error = builder().build(Context::new(risks())).unwrap_err();
    assert!(error.to_string().contains("enable tool_reason"), "{error}");

    // Nor where it is put into the chain of a surface for which they are off.
    let model = Talk::says(common::verdict("low", "yes"));
    let llm = LlmApproval::builder(model.clone(), TokioTimer::new());
    let llm = llm.build(Context::new(risks()).reasons(|_| true)).unwrap();
    let approval = Approval::with_policy(Context::new(risks()), ApprovalPolicy::ask(llm));
    let setup = Setup::new();
    let stack = setup.stack(json!([]), approval).await;
    let result = run(&stack, call("sh_run", json!({ "command": "ls" }))).await;
    assert!(result.is_error && result.content.contains("tool reasons"), "{}", result.content);
    assert_eq!(model.times(), 0);
}

#[test]
fn a_plan_wants_what_may_need_approval() {
    let risks = Risks::new().declare("peek", Risk::ReadOnly).unwrap();
    let plan = ToolReason::Enabled.plan(&risks).unwrap();
    let unnamed = ToolDeclaration::from_json(json!({ "type": "web_search" }));
    let rows = [
        (ToolDeclaration::new("peek"), false),
        (ToolDeclaration::new("poke"), true),
        (unnamed, false),
    ];
    for (tool, wanted) in rows {
        assert_eq!(plan.wants(&tool), wanted, "{tool:?}");
    }
    let _ = Arc::new(plan);
}
