//! When a server needs something before it can answer: multi round-trip requests (2026-07-28).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::json::{Failed, Json};
use crate::lenient::{Member, Read, read_strictly};
use crate::method::{CREATE_MESSAGE, ELICIT, LIST_ROOTS};
use crate::object::object;
use crate::{CreateMessageParams, ElicitParams, JsonObject};

/// What a result is: the answer, or a question.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub enum ResultType {
    /// The answer.
    #[default]
    Complete,
    /// The server needs input first: an [`InputRequiredResult`].
    InputRequired,
    /// A word that this version of the protocol does not know; such a result is invalid.
    Unknown(String),
}

impl ResultType {
    /// Returns the word that the protocol uses.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Unknown(word) => word,
        }
    }
}

impl Member for ResultType {
    // The empty word counts as none, as does a value that is no word at all.
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        let Json::String(word) = json else { return Read::odd(json) };
        Ok(match &*word {
            "" => Read::Odd(word.into()),
            "complete" => Read::Good(Self::Complete),
            "input_required" => Read::Good(Self::InputRequired),
            _ => Read::Good(Self::Unknown(word)),
        })
    }
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        read_strictly(value, "result type")
    }
}

impl Serialize for ResultType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a server asks for, by keys of its own; each value is an [`InputRequest`].
pub type InputRequests = JsonObject;

/// The answers, under the same keys; each value is the bare result of the request.
pub type InputResponses = JsonObject;

object! {
    /// What `tools/call`, `resources/read` and `prompts/get` may answer instead of a result.
    #[derive(Default)]
    pub struct InputRequiredResult {
        /// Always [`ResultType::InputRequired`].
        pub result_type: Option<ResultType> => "resultType",
        /// What to find out before asking again.
        pub input_requests: Option<InputRequests> => "inputRequests",
        /// A state to send back unchanged when asking again; never a client's to read.
        pub request_state: Option<String> => "requestState",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl InputRequiredResult {
    /// Returns whether asking again could help: whether there are requests or a state.
    ///
    /// The specification demands one of the two; an empty set of requests is none.
    pub fn can_continue(&self) -> bool {
        self.request_state.is_some()
            || self.input_requests.as_ref().is_some_and(|requests| !requests.is_empty())
    }
}

/// One thing that a server asks of its client: within a result (2026-07-28), or as a request of
/// its own (2025-11-25 and before).
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and a person to wait for")]
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum InputRequest {
    /// `elicitation/create`: ask the user.
    Elicit(ElicitParams),
    /// `sampling/createMessage`: ask a model.
    CreateMessage(CreateMessageParams),
    /// `roots/list`: name the folders to work in.
    ListRoots,
    /// A method that is not one of these, or parameters that could not be read.
    Unknown,
}

impl InputRequest {
    /// Reads a request by its method; `params` that are no object count as empty.
    pub fn from_method(method: &str, params: Option<Value>) -> Self {
        let params = params.filter(Value::is_object).unwrap_or_else(|| json!({}));
        match method {
            ELICIT => ElicitParams::deserialize(params).map_or(Self::Unknown, Self::Elicit),
            CREATE_MESSAGE => {
                CreateMessageParams::deserialize(params).map_or(Self::Unknown, Self::CreateMessage)
            }
            LIST_ROOTS => Self::ListRoots,
            _ => Self::Unknown,
        }
    }

    /// Reads one value of [`InputRequests`].
    pub fn from_value(request: &Value) -> Self {
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        Self::from_method(method, request.get("params").cloned())
    }
}

/// Returns the answer that says no to `request`, where the protocol has one (B-RES-5).
///
/// For everything else the honest answer is none, and the key is left out.
pub fn decline(request: &Value) -> Option<JsonObject> {
    let mut answer = JsonObject::new();
    match request.get("method")?.as_str()? {
        ELICIT => answer.insert("action".to_owned(), "decline".into()),
        LIST_ROOTS => answer.insert("roots".to_owned(), json!([])),
        _ => return None,
    };
    Some(answer)
}
