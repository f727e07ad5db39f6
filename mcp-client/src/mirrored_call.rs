//! Calls whose parameters are repeated in headers (`basic/transports/streamable-http`).

use std::sync::Arc;

use mcp_protocol::{CallToolResult, ErrorCode};

use crate::Error;
use crate::call::Options;
use crate::connection::Connection;
use crate::inner::{CallParams, Inner};
use crate::input::{Concluded, Stopped};
use crate::mirrors::Mirrors;

impl Inner {
    /// Calls a tool with what its schema wants in headers.
    ///
    /// A tool that was not listed yet is listed first.  Where the server finds the headers
    /// wanting, and so has not begun, its tools are listed anew and it is asked once more.
    pub(crate) async fn call_mirrored(
        &self,
        connection: &Connection,
        call: &CallParams<'_>,
        options: &Options,
    ) -> Result<Concluded<CallToolResult>, Error> {
        let known = connection.mirroring();
        let mirrors = match known {
            Some(known) if known.has_judged(call.name) => known,
            known => {
                let listing = self.schemas(connection, options, known.is_some());
                Box::pin(listing).await.map_err(Error::before_sending)?
            }
        };
        let mirrored = mirrors.headers(call.name, call.arguments).map_err(Error::refused)?;
        let asked = call.question().mirroring(&mirrored);
        match self.conclude(connection, &asked, options).await {
            Err(Stopped { error, rounds: 0 })
                if error.code() == Some(ErrorCode::HEADER_MISMATCH) =>
            {
                Box::pin(self.call_relisted(connection, call, options, error)).await
            }
            concluded => Ok(concluded?),
        }
    }

    /// Calls a tool once more, with what the newest listing says of it.
    async fn call_relisted(
        &self,
        connection: &Connection,
        call: &CallParams<'_>,
        options: &Options,
        refused: Error,
    ) -> Result<Concluded<CallToolResult>, Error> {
        let Ok(mirrors) = self.relist(connection, options).await else { return Err(refused) };
        let mirrored = mirrors.headers(call.name, call.arguments).map_err(Error::refused)?;
        Ok(self.conclude(connection, &call.question().mirroring(&mirrored), options).await?)
    }

    /// What a listing says that is newer than the last one, if there was one.
    async fn schemas(
        &self,
        connection: &Connection,
        options: &Options,
        was_listed: bool,
    ) -> Result<Arc<Mirrors>, Error> {
        if was_listed {
            return self.relist(connection, options).await;
        }
        let options = Options::within(options.timeout);
        self.mirrors(connection, &options).await
    }

    async fn relist(
        &self,
        connection: &Connection,
        options: &Options,
    ) -> Result<Arc<Mirrors>, Error> {
        let options = Options { refresh: true, ..Options::within(options.timeout) };
        self.mirrors(connection, &options).await
    }

    async fn mirrors(
        &self,
        connection: &Connection,
        options: &Options,
    ) -> Result<Arc<Mirrors>, Error> {
        let catalogue = self.catalogue_on(connection, options).await?;
        Ok(catalogue.mirrors.clone().unwrap_or_default())
    }
}
