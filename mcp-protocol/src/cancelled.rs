//! Taking a request back: `notifications/cancelled`.

use serde_json::Value;

use crate::json::{Failed, Json};
use crate::lenient::{Member, Read, whole};
use crate::object::object;
use crate::{JsonObject, RequestId};

object! {
    /// `notifications/cancelled`: a request whose answer nobody waits for any more.
    ///
    /// A client sends it over stdio, and never for `initialize`. In 2026-07-28 a server sends it
    /// only to end a `subscriptions/listen`.
    #[derive(Default)]
    pub struct CancelledNotification {
        /// Which request; absent only where a task is meant (2025-11-25).
        pub request_id: Option<RequestId> => "requestId",
        /// Why, for a person to read.
        pub reason: Option<String> => "reason",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl CancelledNotification {
    /// Creates the notification that takes back `request_id`.
    pub fn new(request_id: RequestId) -> Self {
        Self { request_id: Some(request_id), ..Self::default() }
    }
}

impl Member for RequestId {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        Ok(match json.into_value()? {
            Value::String(id) => Read::Good(Self::String(id)),
            Value::Number(id) => {
                whole(&id).map_or_else(|| Read::Odd(id.into()), |id| Read::Good(Self::Integer(id)))
            }
            other => Read::Odd(other),
        })
    }
}
