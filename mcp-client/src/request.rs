//! Sending one request, and reading its answer.

use mcp_protocol::{Era, ErrorObject, RequestId, ResultType};
use mcp_transport::{Answer, Failure, Outgoing, TransportError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::call::Options;
use crate::connection::{Connection, modern_dialect};
use crate::era::reselect;
use crate::inner::Inner;
use crate::probe::next_id;

/// A request, apart from its options.
pub(crate) struct Question<'a, P> {
    pub(crate) method: &'static str,
    /// What it names: a tool, a prompt, the URI of a resource.
    pub(crate) name: Option<&'a str>,
    pub(crate) params: &'a P,
}

impl Inner {
    /// Sends a request and waits for its answer.
    ///
    /// Where a modern server takes the version in use no longer, it is asked once more in another.
    pub(crate) async fn ask<P: Serialize>(
        &self,
        connection: &Connection,
        question: &Question<'_, P>,
        options: &Options,
    ) -> Result<Answer, Error> {
        let answer = self.ask_once(connection, question, options).await;
        match answer {
            Err(Error::Protocol { code: Some(code), detail, data, delivery }) => {
                let mut error = ErrorObject::new(code, detail);
                error.data = data;
                if self.speak_another_version(connection, &error) {
                    return self.ask_once(connection, question, options).await;
                }
                let ErrorObject { message: detail, data, .. } = error;
                Err(Error::Protocol { code: Some(code), detail, data, delivery })
            }
            answer => answer,
        }
    }

    async fn ask_once<P: Serialize>(
        &self,
        connection: &Connection,
        question: &Question<'_, P>,
        options: &Options,
    ) -> Result<Answer, Error> {
        let id = next_id(&self.ids);
        let Question { method, name, params } = *question;
        let dialect = connection.dialect();
        let meta = options.meta.as_ref();
        let body = dialect.request(&RequestId::from(id), method, Some(params), meta);
        let body = body.map_err(|error| {
            Failure::before_sending(TransportError::Protocol(error.to_string()))
        })?;
        let mut request = Outgoing::request(id, method, body);
        request.name = name.map(str::to_owned);
        let answering = connection.transport.request(request);
        match self.shared.patience.within(options.timeout, answering).await {
            Some(answer) => Ok(answer?),
            None => Err(Error::Timeout {
                seconds: options.timeout.unwrap_or_default().as_secs_f64(),
                method: method.to_owned(),
                id: Some(id),
            }),
        }
    }

    fn speak_another_version(&self, connection: &Connection, error: &ErrorObject) -> bool {
        let settings = &self.shared.settings;
        let dialect = connection.dialect();
        let mcp_protocol::Dialect::Modern(stamp) = &*dialect else { return false };
        match reselect(error, &settings.protocol_versions, stamp.version()) {
            Some(version) => {
                connection.set_dialect(modern_dialect(settings, &version));
                true
            }
            None => false,
        }
    }

    /// Asks something that has an answer at once, and reads it.
    pub(crate) async fn ask_for<P: Serialize, R: DeserializeOwned + TypedResult>(
        &self,
        connection: &Connection,
        question: &Question<'_, P>,
        options: &Options,
    ) -> Result<(R, usize), Error> {
        let answer = self.ask(connection, question, options).await?;
        let result = read::<R>(question.method, &answer)?;
        complete(question.method, result.result_type(), connection.server.era)?;
        Ok((result, answer.as_bytes().len()))
    }
}

/// A result that says what it is.
pub(crate) trait TypedResult {
    fn result_type(&self) -> Option<&ResultType>;
}

macro_rules! typed_results {
    ($($result:ident),*) => {$(
        impl TypedResult for mcp_protocol::$result {
            fn result_type(&self) -> Option<&ResultType> {
                self.result_type.as_ref()
            }
        }
    )*};
}

typed_results!(
    CallToolResult,
    CompleteResult,
    GetPromptResult,
    ListPromptsResult,
    ListResourceTemplatesResult,
    ListResourcesResult,
    ListToolsResult,
    ReadResourceResult
);

/// Reads a result into the type that the method has.
pub(crate) fn read<R: DeserializeOwned>(method: &str, answer: &Answer) -> Result<R, Error> {
    answer
        .decode()
        .map_err(|error| Error::protocol(format!("the result of {method} cannot be read: {error}")))
}

/// Refuses a result that is not the whole answer.
///
/// A legacy server knows no such member: what it says there is left alone.
pub(crate) fn complete(method: &str, kind: Option<&ResultType>, era: Era) -> Result<(), Error> {
    match kind {
        None | Some(ResultType::Complete) => Ok(()),
        Some(ResultType::InputRequired) => Err(Error::protocol(format!(
            "the server asked for input to {method}, which takes none"
        ))),
        Some(ResultType::Unknown(_)) if era == Era::Legacy => Ok(()),
        Some(kind) => Err(Error::protocol(format!(
            "the result of {method} is of the unknown type {:?}",
            kind.as_str()
        ))),
    }
}
