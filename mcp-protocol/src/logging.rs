//! What a server logs, and from which severity on.

use serde_json::Value;

use crate::object::object;
use crate::words::words;
use crate::{Extra, JsonObject};

words! {
    /// How severe a log message is, from least to most: the levels of syslog (RFC 5424).
    #[derive(Default, Ord, PartialOrd)]
    pub enum LoggingLevel {
        /// Detail for finding faults.
        Debug = "debug",
        /// General information.
        #[default]
        Info = "info",
        /// Normal, yet worth a note.
        Notice = "notice",
        /// A warning.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// Something important failed.
        Critical = "critical",
        /// Somebody must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

object! {
    /// What `logging/setLevel` is asked with (2025-11-25 and before).
    pub struct SetLevelParams {
        /// The least severe level to send.
        pub level: LoggingLevel => "level",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl SetLevelParams {
    /// Creates the parameters that ask for `level` and above.
    pub fn new(level: LoggingLevel) -> Self {
        Self { level, meta: None, extra: Extra::default() }
    }
}

object! {
    /// `notifications/message`: something that a server logged.
    #[derive(Default)]
    pub struct LoggingMessage {
        /// How severe it is; a level that is missing or unknown reads as [`LoggingLevel::Info`].
        pub level: LoggingLevel => "level" or default,
        /// Which part of the server it is from.
        pub logger: Option<String> => "logger",
        /// The message: a text, an object, anything.
        pub data: Value => "data" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}
