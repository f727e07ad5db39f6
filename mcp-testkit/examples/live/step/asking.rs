//! Steps that ask for resources, prompts and completions.

use mcp_client::protocol::{
    CompleteParams, CompletionArgument, Era, JsonObject, PromptReference, method,
};

use crate::checks::Checks;
use crate::data::Expect;
use crate::expect;
use crate::stage::Stage;

/// Reads a resource; where the server says that it may be kept, a second time without asking.
pub(crate) async fn read(stage: &Stage, uri: &str, expect: &Expect) -> Checks {
    let mut checks = Checks::default();
    let mark = stage.journal.mark();
    let outcome = stage.client.read_resource(uri).await;
    if let Some(result) = expect::result(&mut checks, expect, &outcome) {
        expect::read(&mut checks, expect, result);
    }
    if let (Some(cache), Era::Modern) = (&expect.cache, stage.era) {
        expect::cache(&mut checks, cache, (&stage.journal, mark), method::READ_RESOURCE);
        let again = stage.client.read_resource(uri).await;
        checks.equal("the second time", &again, &outcome);
        let sent = stage.journal.sent(mark, method::READ_RESOURCE);
        checks.equal("requests on the wire", &sent, &1);
    }
    checks
}

pub(crate) async fn prompt(
    stage: &Stage,
    name: &str,
    arguments: &JsonObject,
    expect: &Expect,
) -> Checks {
    let mut checks = Checks::default();
    let outcome = stage.client.get_prompt(name, arguments).await;
    if let Some(result) = expect::result(&mut checks, expect, &outcome) {
        let first = result.messages.first().and_then(|message| message.content.as_text());
        expect::text(&mut checks, expect, first.unwrap_or_default());
    }
    checks
}

pub(crate) async fn complete(
    stage: &Stage,
    prompt: &str,
    (argument, value): (&str, &str),
    expect: &Expect,
) -> Checks {
    let mut checks = Checks::default();
    let argument = CompletionArgument::new(argument, value);
    let params = CompleteParams::new(PromptReference::new(prompt), argument);
    let outcome = stage.client.complete(params).await;
    if let Some(result) = expect::result(&mut checks, expect, &outcome) {
        checks.equal("values", &Some(&result.completion.values), &expect.values.as_ref());
    }
    checks
}
