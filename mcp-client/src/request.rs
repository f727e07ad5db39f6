//! Sending one request, and reading its answer.

use mcp_protocol::{Dialect, Era, Params, RequestId, ResultType};
use mcp_transport::{Answer, Outgoing};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::call::Options;
use crate::connection::Connection;
use crate::era::reselect;
use crate::inner::Inner;
use crate::probe::next_id;

/// A request, apart from its options.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) method: &'static str,
    /// What it names: a tool, a prompt, the URI of a resource.
    pub(crate) name: Option<&'a str>,
    pub(crate) params: Option<&'a (dyn Params + Sync)>,
    /// Parameters that are repeated in headers.
    pub(crate) mirrored: &'a [(String, String)],
}

impl<'a> Question<'a> {
    pub(crate) fn new(method: &'static str, params: Option<&'a (dyn Params + Sync)>) -> Self {
        Self { method, name: None, params, mirrored: &[] }
    }

    pub(crate) fn naming(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// The same question with these parameters repeated in headers.
    pub(crate) fn mirroring<'b>(self, mirrored: &'b [(String, String)]) -> Question<'b>
    where
        'a: 'b,
    {
        Question { mirrored, ..self }
    }
}

impl Inner {
    /// Sends a request and waits for its answer.
    ///
    /// Where the server has ended the session, and so did nothing with the request, it is sent
    /// once more in a new session.
    pub(crate) async fn ask(
        &self,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
    ) -> Result<Answer, Error> {
        match self.ask_on(connection, question, options).await {
            Err(Error::SessionExpired { is_sent: false }) => (),
            answer => return answer,
        }
        // What seldom happens is boxed, here and elsewhere: every call moves the rest.
        let renewed = Box::pin(self.renew(connection)).await?;
        Box::pin(self.ask_on(&renewed, question, options)).await
    }

    /// Where a modern server takes the version in use no longer, it is asked once more in another.
    async fn ask_on(
        &self,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
    ) -> Result<Answer, Error> {
        let dialect = connection.dialect();
        match self.ask_in(&dialect, connection, question, options).await {
            Err(error) if self.reselects(connection, &dialect, &error) => (),
            answer => return answer,
        }
        let dialect = connection.dialect();
        Box::pin(self.ask_in(&dialect, connection, question, options)).await
    }

    /// Goes on in another version, if that is what the server's error asks for.
    fn reselects(&self, connection: &Connection, dialect: &Dialect, error: &Error) -> bool {
        let (Dialect::Modern(stamp), Error::Protocol { code, data, .. }) = (dialect, error) else {
            return false;
        };
        let (settings, in_use) = (&self.shared.settings, stamp.version());
        let version = reselect(*code, data.as_deref(), &settings.protocol_versions, in_use);
        version.map(|version| connection.speak(settings, version)).is_some()
    }

    async fn ask_in(
        &self,
        dialect: &Dialect,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
    ) -> Result<Answer, Error> {
        let id = next_id(&self.ids);
        let request = write(id, dialect, question, options)?;
        let answering = connection.transport.request(request);
        match self.shared.patience.within(options.timeout, answering).await {
            Some(answer) => Ok(answer?),
            None => Err(Error::timeout(question.method, id, options.timeout)),
        }
    }

    /// Asks something that has an answer at once, and reads it.
    pub(crate) async fn ask_for<R: DeserializeOwned + TypedResult>(
        &self,
        connection: &Connection,
        question: &Question<'_>,
        options: &Options,
    ) -> Result<R, Error> {
        let answer = self.ask(connection, question, options).await?;
        let result = read::<R>(question.method, &answer)?;
        complete(question.method, result.result_type(), connection.era)?;
        Ok(result)
    }
}

/// A request as it goes out.
fn write(
    id: u64,
    dialect: &Dialect,
    question: &Question<'_>,
    options: &Options,
) -> Result<Outgoing, Error> {
    let Question { method, name, params, mirrored } = *question;
    let params = params.map(|params| params as &dyn Params);
    let body = dialect.request(&RequestId::from(id), method, params, options.meta.as_deref());
    let body = body.map_err(|error| Error::refused(error.to_string()))?;
    let mut request = Outgoing::request(id, method, body);
    request.name = name.map(str::to_owned);
    request.version = dialect.version().cloned();
    request.mirrored = mirrored.to_vec();
    Ok(request)
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
