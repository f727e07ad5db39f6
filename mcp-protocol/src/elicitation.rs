//! Asking the user: `elicitation/create`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::json::{Failed, Json};
use crate::lenient::{Member, Read, read_strictly};
use crate::object::{from_members, object};
use crate::words::words;
use crate::{Extra, JsonObject};

/// What to ask the user.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitParams {
    /// Show a form: what a request without a mode means, too.
    Form(ElicitFormParams),
    /// Lead the user to an address (since 2025-11-25).
    Url(ElicitUrlParams),
    /// A mode that this version of the protocol does not know, or one that lacks its address.
    Unknown(JsonObject),
}

impl ElicitParams {
    /// Returns the mode, unless it is unknown.
    pub fn mode(&self) -> Option<ElicitMode> {
        match self {
            Self::Form(_) => Some(ElicitMode::Form),
            Self::Url(_) => Some(ElicitMode::Url),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the sentence to show the user.
    pub fn message(&self) -> &str {
        match self {
            Self::Form(params) => &params.message,
            Self::Url(params) => &params.message,
            Self::Unknown(params) => {
                params.get("message").and_then(Value::as_str).unwrap_or_default()
            }
        }
    }
}

impl Member for ElicitParams {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        let Json::Object(members) = json else { return Read::odd(json) };
        let whole = members.rest()?;
        let read = match whole.get("mode") {
            None | Some(Value::Null) => from_members(whole).map(Self::Form),
            Some(Value::String(mode)) if mode == "form" => from_members(whole).map(Self::Form),
            Some(Value::String(mode)) if mode == "url" => from_members(whole).map(Self::Url),
            Some(_) => Err(whole.into()),
        };
        Ok(Read::Good(read.unwrap_or_else(|whole| match whole {
            Value::Object(whole) => Self::Unknown(whole),
            _ => Self::Unknown(JsonObject::new()),
        })))
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        read_strictly(value, "elicitation")
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(params) => params.serialize(serializer),
            Self::Url(params) => params.serialize(serializer),
            Self::Unknown(params) => params.serialize(serializer),
        }
    }
}

words! {
    /// How the user is asked.
    pub enum ElicitMode {
        /// With a form.
        Form = "form",
        /// At an address, outside of the protocol.
        Url = "url",
    }
}

object! {
    /// A form to show.
    #[derive(Default)]
    pub struct ElicitFormParams {
        /// `form`, or absent.
        pub mode: Option<ElicitMode> => "mode",
        /// The sentence to show the user.
        pub message: String => "message" or default,
        /// The fields: a JSON Schema whose properties are strings, numbers, booleans and choices.
        pub requested_schema: JsonObject => "requestedSchema" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// An address to lead the user to.
    ///
    /// Ask first, show the whole address, and do not fetch it (specification, *Elicitation*).
    pub struct ElicitUrlParams: "mode" = "url" {
        /// The sentence to show the user.
        pub message: String => "message" or default,
        /// The address.
        pub url: String => "url",
        /// What [`ElicitationComplete`] will name (2025-11-25 only).
        pub elicitation_id: Option<String> => "elicitationId",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What the user answered.
    pub struct ElicitResult {
        /// What the user did.
        pub action: ElicitAction => "action",
        /// What the user filled in: strings, numbers, booleans and lists of strings.
        pub content: Option<JsonObject> => "content",
        /// Metadata (2025-11-25 and before).
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ElicitResult {
    /// Creates the answer of a user who filled in a form.
    pub fn accept(content: JsonObject) -> Self {
        Self { content: Some(content), ..Self::from(ElicitAction::Accept) }
    }

    /// Creates the answer of a user who said no.
    pub fn decline() -> Self {
        ElicitAction::Decline.into()
    }

    /// Creates the answer of a user who left the question open.
    pub fn cancel() -> Self {
        ElicitAction::Cancel.into()
    }
}

/// An answer without content: [`ElicitAction::Accept`] in URL mode, for one.
impl From<ElicitAction> for ElicitResult {
    fn from(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None, extra: Extra::default() }
    }
}

words! {
    /// What the user did with a question.
    pub enum ElicitAction {
        /// Filled in the form, or agreed to open the address.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Left without a choice.
        Cancel = "cancel",
    }
}

object! {
    /// `notifications/elicitation/complete`: the user is done at the address (2025-11-25 only).
    pub struct ElicitationComplete {
        /// Which elicitation.
        pub elicitation_id: String => "elicitationId",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}
