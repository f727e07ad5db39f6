//! The server's own questions, and to whom they go.

use std::fmt;
use std::sync::Arc;

use mcp_provider::{Extensions, JsonObject, contain};
use serde_json::{Value, json};

use crate::question::Asker;
use crate::question_lock::{AskedAbout, QuestionLock};

/// Where a server's elicitations go: to whoever claimed the call, or else to this policy's asker.
///
/// Wire it as a client's hook, and only where somebody can be asked: a server that is told it may
/// ask will ask.  A client is there before the policy over it: give it the default one, which
/// declines what nobody claimed, and build the policy with
/// [`claim_elicitations`](crate::PolicyBuilder::claim_elicitations).
#[derive(Clone, Default)]
pub struct ElicitHook {
    pub(crate) asker: Option<Arc<dyn Asker>>,
    pub(crate) lock: QuestionLock,
}

impl ElicitHook {
    /// Puts `request` to a person, and returns an `ElicitResult`.
    ///
    /// `extensions` are those of the call during which the server asks, if there is one.  Without
    /// anybody to ask, and from inside another question, the result is
    /// `{"action": "decline"}`.
    pub async fn elicit(&self, request: Value, extensions: Option<&Extensions>) -> JsonObject {
        let claim = extensions.and_then(|it| it.get::<Claim>());
        let hook = claim.map_or(self, |it| &it.0);
        hook.ask(request, extensions).await.unwrap_or_else(declined)
    }

    async fn ask(&self, request: Value, extensions: Option<&Extensions>) -> Option<JsonObject> {
        let asker = self.asker.as_ref()?;
        let is_part = extensions.is_some_and(|it| AskedAbout::is_on(it, &self.lock));
        if is_part || self.lock.is_asking_here() {
            return None;
        }
        let _turn = self.lock.acquire().await;
        let answer = self.lock.asking(async { asker.elicit(request).await });
        contain(answer).await.ok().flatten()
    }
}

impl fmt::Debug for ElicitHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitHook").field("is_interactive", &self.asker.is_some()).finish()
    }
}

/// The mark of a policy on a call: what the server asks during it goes to that policy's asker.
///
/// It travels in the extensions of the call, and the outermost policy that claims wins.
#[derive(Clone, Debug)]
pub struct Claim(pub(crate) ElicitHook);

impl Claim {
    /// Whether somebody claimed the call with these extensions.
    pub fn is_on(extensions: &Extensions) -> bool {
        extensions.get::<Self>().is_some()
    }
}

fn declined() -> JsonObject {
    match json!({ "action": "decline" }) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
