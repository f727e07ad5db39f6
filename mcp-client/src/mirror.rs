//! Calls whose parameters are repeated in headers (`basic/transports/streamable-http`).

use std::sync::Arc;

use mcp_protocol::{CallToolResult, ErrorCode};

use crate::Error;
use crate::call::Options;
use crate::catalogue::Catalogue;
use crate::connection::Connection;
use crate::inner::{CallParams, Inner};
use crate::input::{Concluded, Stopped};
use crate::request::Question;

impl Inner {
    /// Calls a tool with what its schema wants in headers.
    ///
    /// A tool that was not listed yet is listed first.  Where the server finds the headers
    /// wanting, and so has not begun, its tools are listed anew and it is asked once more.
    pub(crate) async fn call_mirrored(
        &self,
        connection: &Connection,
        question: &Question<'_, CallParams<'_>>,
        options: &Options,
    ) -> Result<Concluded<CallToolResult>, Error> {
        let listed = connection.listed();
        let catalogue = match (listed, question.name) {
            (Some(listed), Some(name)) if listed.has_judged(name) => listed,
            (listed, _) => {
                let listing = self.schemas(connection, options, listed.is_some());
                Box::pin(listing).await.map_err(Error::before_sending)?
            }
        };
        let mirrored = mirrored(&catalogue, question)?;
        let asked = question.mirroring(&mirrored);
        match self.conclude(connection, &asked, options).await {
            Err(Stopped { error, rounds: 0 })
                if error.code() == Some(ErrorCode::HEADER_MISMATCH) =>
            {
                Box::pin(self.call_relisted(connection, question, options, error)).await
            }
            concluded => Ok(concluded?),
        }
    }

    /// Calls a tool once more, with what the newest listing says of it.
    async fn call_relisted(
        &self,
        connection: &Connection,
        question: &Question<'_, CallParams<'_>>,
        options: &Options,
        refused: Error,
    ) -> Result<Concluded<CallToolResult>, Error> {
        let Ok(catalogue) = self.relist(connection, options).await else { return Err(refused) };
        let mirrored = mirrored(&catalogue, question)?;
        Ok(self.conclude(connection, &question.mirroring(&mirrored), options).await?)
    }

    /// A listing that is newer than the last one, if there was one.
    async fn schemas(
        &self,
        connection: &Connection,
        options: &Options,
        was_listed: bool,
    ) -> Result<Arc<Catalogue>, Error> {
        if was_listed {
            return self.relist(connection, options).await;
        }
        let options = Options::within(options.timeout);
        self.catalogue_on(connection, &options).await
    }

    async fn relist(
        &self,
        connection: &Connection,
        options: &Options,
    ) -> Result<Arc<Catalogue>, Error> {
        let options = Options { refresh: true, ..Options::within(options.timeout) };
        self.catalogue_on(connection, &options).await
    }
}

/// The headers of a call, or why it cannot be made.
fn mirrored(
    catalogue: &Catalogue,
    question: &Question<'_, CallParams<'_>>,
) -> Result<Vec<(String, String)>, Error> {
    match question.params {
        Some(CallParams { name, arguments }) => {
            catalogue.mirrored(name, arguments).map_err(Error::refused)
        }
        None => Ok(Vec::new()),
    }
}
