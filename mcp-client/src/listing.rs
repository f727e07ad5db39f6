//! Lists that come in pages.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_cache::{Key, Provenance};
use mcp_protocol::{
    CacheHint, Era, ErrorCode, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Prompt, Resource, ResourceTemplate, Tool, method,
};
use mcp_transport::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cache::narrower;
use crate::call::Options;
use crate::catalogue::Catalogue;
use crate::connection::Connection;
use crate::inner::Inner;
use crate::request::{Question, TypedResult, complete, read};
use crate::{Error, Listing};

/// One page of a listing.
pub(crate) trait Page: DeserializeOwned + TypedResult + Send {
    const METHOD: &'static str;
    type Entry: Send + Sync + 'static;
    /// What a whole listing is kept as.
    type Whole: Send + Sync + 'static;

    /// Adds its entries to those of the pages before it, and says the rest.
    fn turn(self, is_first: bool, entries: &mut Vec<Self::Entry>) -> Turned;
    /// Takes the entries together, and says what had to be left out of them.  `mirrors` tells
    /// whether parameters of tools are repeated in headers.
    fn collect(entries: Vec<Self::Entry>, mirrors: bool) -> (Self::Whole, Vec<String>);
}

/// A page, without its entries.
pub(crate) struct Turned {
    /// How many entries there are so far.
    entries: usize,
    next_cursor: Option<String>,
    unreadable: usize,
    hint: CacheHint,
}

macro_rules! pages {
    ($($page:ident, $method:ident, $entries:ident: $entry:ty => $listing:ty, $collect:expr;)*) => {$(
        impl Page for $page {
            const METHOD: &'static str = method::$method;
            type Entry = $entry;
            type Whole = $listing;

            fn turn(self, is_first: bool, entries: &mut Vec<$entry>) -> Turned {
                let (hint, unreadable) = (self.cache_hint(), self.unreadable.len());
                match is_first {
                    // Most listings are one page, and as it came.
                    true => *entries = self.$entries,
                    false => entries.extend(self.$entries),
                }
                let (entries, next_cursor) = (entries.len(), self.next_cursor);
                Turned { entries, next_cursor, unreadable, hint }
            }

            fn collect(entries: Vec<$entry>, mirrors: bool) -> ($listing, Vec<String>) {
                $collect(entries, mirrors)
            }
        }
    )*};
}

pages! {
    ListToolsResult, LIST_TOOLS, tools: Tool => Catalogue, Catalogue::collect;
    ListResourcesResult, LIST_RESOURCES, resources: Resource => Listing<Resource>, whole;
    ListResourceTemplatesResult, LIST_RESOURCE_TEMPLATES, resource_templates: ResourceTemplate
        => Listing<ResourceTemplate>, whole;
    ListPromptsResult, LIST_PROMPTS, prompts: Prompt => Listing<Prompt>, whole;
}

/// A listing that nothing is left out of.
fn whole<E>(entries: Vec<E>, _mirrors: bool) -> (Listing<E>, Vec<String>) {
    (entries.into(), Vec::new())
}

/// Takes a page out of an answer; the first is marked.
type Turn<'a> = &'a mut (dyn FnMut(bool, &Answer) -> Result<Turned, Error> + Send);

#[derive(Serialize)]
struct Cursor<'a> {
    cursor: &'a str,
}

impl Inner {
    /// A whole listing: from the cache if it is there, else page by page.
    pub(crate) async fn list<P: Page>(
        &self,
        connection: &Connection,
        options: &Options,
    ) -> Result<Arc<P::Whole>, Error> {
        let shared = &self.shared;
        let key = Key::new(&shared.partition, P::METHOD);
        if options.refresh {
            shared.cache.evict(&key);
        } else if let Some(listing) = shared.cache.get(&key) {
            return Ok(listing);
        }
        let mark = shared.cache.mark();
        let mut entries = Vec::new();
        let mut turn = |is_first: bool, answer: &Answer| {
            let page = read::<P>(P::METHOD, answer)?;
            complete(P::METHOD, page.result_type(), connection.era)?;
            Ok(page.turn(is_first, &mut entries))
        };
        let turned = self.pages(connection, P::METHOD, options, &mut turn).await?;
        // A server that does not offer a kind of thing at all has none of it.
        let (hint, bytes) = turned.unwrap_or_else(|| {
            entries.clear();
            Default::default()
        });
        let (listing, omissions) = P::collect(entries, connection.mirrors());
        for omission in omissions {
            shared.warn(&omission);
        }
        let listing = Arc::new(listing);
        if connection.era == Era::Modern {
            let kept = Arc::clone(&listing);
            shared.cache.put(&key, kept, (bytes, hint), Provenance::Request(mark));
        }
        Ok(listing)
    }

    /// Has each page turned; where a cursor goes stale meanwhile, the listing begins anew, once.
    async fn pages(
        &self,
        connection: &Connection,
        method: &'static str,
        options: &Options,
        turn: Turn<'_>,
    ) -> Result<Option<(CacheHint, usize)>, Error> {
        match self.pages_once(connection, method, options, turn).await {
            Err(Stopped { error, pages: 1.. }) if is_bad_cursor(&error) => (),
            fetched => return fetched.map_err(|stopped| stopped.error),
        }
        let fetched = self.pages_once(connection, method, options, turn).await;
        fetched.map_err(|stopped| stopped.error)
    }

    /// Has each page turned once; nothing where the server knows no such listing.
    async fn pages_once(
        &self,
        connection: &Connection,
        method: &'static str,
        options: &Options,
        turn: Turn<'_>,
    ) -> Result<Option<(CacheHint, usize)>, Stopped> {
        let limits = &self.shared.settings.limits;
        let (mut bytes, mut unreadable) = (0, 0);
        let (mut hint, mut cursor, mut seen) = (None, None::<String>, HashSet::new());
        loop {
            let pages = seen.len();
            let stopped = |error| Stopped { error, pages };
            let params = cursor.as_deref().map(|cursor| Cursor { cursor });
            let question = Question::new(method, params.as_ref().map(|params| params as _));
            let answer = match self.ask(connection, &question, options).await {
                Err(error) if pages == 0 && error.code() == Some(ErrorCode::METHOD_NOT_FOUND) => {
                    return Ok(None);
                }
                answer => answer.map_err(stopped)?,
            };
            let page = turn(pages == 0, &answer).map_err(stopped)?;
            bytes += answer.as_bytes().len();
            unreadable += page.unreadable;
            hint = Some(hint.map_or(page.hint, |hint| narrower(hint, page.hint)));
            let too_much =
                |what: String| stopped(Error::protocol(format!("the listing of {method} {what}")));
            if page.entries > limits.entries {
                let limit = limits.entries;
                return Err(too_much(format!(
                    "has more than {limit} entries (raise `Limits::entries`)"
                )));
            }
            if bytes > limits.listing_bytes {
                let limit = limits.listing_bytes;
                return Err(too_much(format!(
                    "has more than {limit} bytes (raise `Limits::listing_bytes`)"
                )));
            }
            let Some(next) = page.next_cursor else { break };
            if !seen.insert(next.clone()) {
                return Err(too_much(format!("goes in circles: its cursor {next:?} came before")));
            }
            if seen.len() >= limits.pages {
                let limit = limits.pages;
                return Err(too_much(format!(
                    "has more than {limit} pages (raise `Limits::pages`)"
                )));
            }
            cursor = Some(next);
        }
        if unreadable > 0 {
            self.shared.warn(&format!("left {unreadable} unreadable entries out of {method}"));
        }
        Ok(Some((hint.unwrap_or_default(), bytes)))
    }
}

/// A listing that broke off, after so many pages.
struct Stopped {
    error: Error,
    pages: usize,
}

fn is_bad_cursor(error: &Error) -> bool {
    error.code() == Some(ErrorCode::INVALID_PARAMS)
}
