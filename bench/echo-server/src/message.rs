//! What arrives, as far as the server looks at it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(crate) struct Incoming<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) params: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(crate) struct CallParams<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct EchoArguments<'a> {
    /// JSON, with its quotes: it goes back as it came.
    #[serde(borrow)]
    pub(crate) text: &'a RawValue,
}

#[derive(Deserialize)]
pub(crate) struct BigArguments {
    pub(crate) bytes: usize,
}

#[derive(Deserialize, Default)]
pub(crate) struct ListParams<'a> {
    #[serde(borrow, default)]
    cursor: Option<Cow<'a, str>>,
}

impl ListParams<'_> {
    /// The number of the first tool that is asked for.
    pub(crate) fn start(&self) -> usize {
        self.cursor.as_ref().and_then(|cursor| cursor.parse().ok()).unwrap_or(0)
    }
}
