//! Requests that the server answers with questions first (multi round-trip requests).

use std::borrow::Cow;

use mcp_protocol::{Era, InputRequiredResult, JsonObject, Params, ResultType};
use mcp_provider::{Delivery, Extensions};
use mcp_transport::{Answer, Failure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Error;
use crate::call::Options;
use crate::connection::Connection;
use crate::inner::Inner;
use crate::request::{Question, TypedResult, complete, read};
use crate::settings::Settings;
use crate::shared::Reply;

/// The parameters of a later round: those of the request, and what the last round brought.
struct Round<'a> {
    params: Option<&'a (dyn Params + Sync)>,
    brought: Brought,
}

#[derive(Serialize)]
struct Brought {
    #[serde(rename = "inputResponses", skip_serializing_if = "Option::is_none")]
    input_responses: Option<JsonObject>,
    /// The server's own, byte for byte.
    #[serde(rename = "requestState", skip_serializing_if = "Option::is_none")]
    request_state: Option<String>,
}

impl Params for Round<'_> {
    /// Text beside text, as parameters can hold text that no value can.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        let start = out.len();
        if let Some(params) = self.params {
            params.write(out)?;
        }
        let joint = out.len();
        serde_json::to_writer(&mut *out, &self.brought)?;
        if joint > start {
            let is_empty = out[start..joint - 1].trim_ascii() == b"{";
            match out.len() - joint {
                // Nothing was brought.
                2 => out.truncate(joint),
                // `{}{…` becomes `{…`, and `…}{…` becomes `…,…`.
                _ => drop(out.splice(joint - 1..=joint, (!is_empty).then_some(b','))),
            }
        }
        Ok(())
    }
}

/// A result, and how it came about.
pub(crate) struct Concluded<R> {
    pub(crate) result: R,
    pub(crate) answer: Answer,
    /// Whether the server was given input; such a result answers more than its request.
    pub(crate) had_input: bool,
}

/// A request that got no result, after so many rounds of input.
pub(crate) struct Stopped {
    pub(crate) error: Error,
    pub(crate) rounds: usize,
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        stopped.error
    }
}

impl Inner {
    /// Sends a request and gives the server the input it asks for, until it has a result.
    ///
    /// Each round is the original request plus the answers to the last questions; answers never
    /// add up.
    pub(crate) async fn conclude<R: DeserializeOwned + TypedResult>(
        &self,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
    ) -> Result<Concluded<R>, Stopped> {
        let _entered = self.shared.enter(connection.era, &options.extensions);
        let mut rounds = 0;
        let answered = self.ask(connection, question, options).await;
        let mut answer = answered.map_err(|error| Stopped { error, rounds })?;
        loop {
            let concluded = conclusion(question.method, &answer, connection.era);
            if let Some(result) = concluded.map_err(|error| Stopped { error, rounds })? {
                return Ok(Concluded { result, answer, had_input: rounds > 0 });
            }
            let round = self.round(connection, question, options, &answer, &mut rounds);
            let answered = Box::pin(round).await;
            answer = answered.map_err(|error| Stopped { error, rounds })?;
        }
    }

    /// Gives the server the input that an answer of it asks for, and returns its next answer.
    async fn round(
        &self,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
        answer: &Answer,
        rounds: &mut usize,
    ) -> Result<Answer, Error> {
        let Question { method, params, .. } = *question;
        let required = read::<InputRequiredResult>(method, answer)?;
        check(&required, method, *rounds, &self.shared.settings)?;
        *rounds += 1;
        let requests = required.input_requests.unwrap_or_default();
        let responses = tokio::select! {
            biased;
            responses = self.respond(&requests, &options.extensions) => responses,
            // Nobody has to answer what nobody will read.
            error = connection.transport.ended() => {
                return Err(Failure::after_sending(error).into());
            }
        };
        if responses.is_empty() && required.request_state.is_none() {
            return Err(unanswerable(method, &requests));
        }
        let input_responses = Some(responses).filter(|responses| !responses.is_empty());
        let brought = Brought { input_responses, request_state: required.request_state };
        let round = Round { params, brought };
        let asked = Question { params: Some(&round), ..*question };
        self.ask(connection, &asked, options).await.map_err(Error::after_rounds)
    }

    /// Answers each question under its own key; a question without an honest answer has none.
    async fn respond(&self, requests: &JsonObject, extensions: &Extensions) -> JsonObject {
        let mut responses = JsonObject::new();
        for (key, request) in requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").cloned();
            if let Reply::Result(response) =
                self.shared.answer(method, params, extensions.clone()).await
            {
                responses.insert(key.clone(), response);
            }
        }
        responses
    }
}

/// The result that an answer is; nothing where it asks for input.
fn conclusion<R: DeserializeOwned + TypedResult>(
    method: &str,
    answer: &Answer,
    era: Era,
) -> Result<Option<R>, Error> {
    let result = read::<R>(method, answer)?;
    if result.result_type() == Some(&ResultType::InputRequired) {
        return Ok(None);
    }
    complete(method, result.result_type(), era)?;
    Ok(Some(result))
}

/// Decides whether another round is worth it.
fn check(
    required: &InputRequiredResult,
    method: &str,
    rounds: usize,
    settings: &Settings,
) -> Result<(), Error> {
    let (max_rounds, limit) = (settings.max_input_rounds, settings.limits.input_requests);
    if !required.can_continue() {
        return Err(Error::protocol(format!(
            "the server asked for input to {method}, but neither what nor under which state"
        )));
    }
    let questions = required.input_requests.as_ref().map_or(0, JsonObject::len);
    if questions > limit {
        return Err(Error::protocol(format!(
            "the server asked {questions} questions at once to {method}, and {limit} are the limit \
             (raise `Limits::input_requests`)"
        )));
    }
    if rounds >= max_rounds {
        return Err(Error::InputLoopExceeded { rounds: max_rounds, method: method.to_owned() });
    }
    Ok(())
}

/// The server wants what this client never declared, and gave no state to go on with.
fn unanswerable(method: &str, requests: &JsonObject) -> Error {
    let asked = |request: &Value| match request.get("method").and_then(Value::as_str) {
        Some(method) => Cow::Owned(method.to_owned()),
        None => Cow::Borrowed("something without a method"),
    };
    let asked: Vec<_> = requests.values().map(asked).collect();
    let asked = asked.join(", ");
    Error::Protocol {
        detail: format!(
            "the server asked for input to {method} that nothing here can give: {asked}"
        ),
        code: None,
        data: None,
        // It has answered, and it will get no further.
        delivery: Delivery::Answered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_round_brought_stands_beside_the_parameters_as_they_were_written() {
        let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
        let responses = JsonObject::from_iter([("q".to_owned(), Value::from(1))]);
        let cases = [
            (Some(r#"{"n":1e400}"#), true, r#"{"n":1e400,"inputResponses":{"q":1}}"#),
            (Some("{}"), true, r#"{"inputResponses":{"q":1}}"#),
            (None, true, r#"{"inputResponses":{"q":1}}"#),
            (Some(r#"{"n":1e400}"#), false, r#"{"n":1e400}"#),
            (Some("{}"), false, "{}"),
            (None, false, "{}"),
        ];
        for (params, answered, expected) in cases {
            let params = params.map(raw);
            let params = params.as_ref().map(|params| params as &(dyn Params + Sync));
            let input_responses = answered.then(|| responses.clone());
            let brought = Brought { input_responses, request_state: None };
            let mut out = b"before ".to_vec();
            Round { params, brought }.write(&mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("before {expected}"));
        }
    }
}
