//! Who is talking, and what each side says it can do.

use crate::object::object;
use crate::{Extra, JsonObject};

object! {
    /// What a client can do: sent with every request (2026-07-28) or once, when connecting.
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// Capabilities outside the specification.
        pub experimental: Option<Box<JsonObject>> => "experimental",
        /// The client can name the folders a server may work in.
        pub roots: Option<RootsCapability> => "roots",
        /// The client can ask a model on the server's behalf.
        pub sampling: Option<SamplingCapability> => "sampling",
        /// The client can ask its user on the server's behalf.
        pub elicitation: Option<ElicitationCapability> => "elicitation",
        /// The client can run requests as tasks (2025-11-25 only).
        pub tasks: Option<Box<JsonObject>> => "tasks",
        /// Extensions by identifier, each with its settings (2026-07-28).
        pub extensions: Option<Box<JsonObject>> => "extensions",
    }
}

object! {
    /// How a client offers its roots.
    #[derive(Default)]
    pub struct RootsCapability {
        /// Whether the client tells when its roots change (2025-11-25 and before).
        pub list_changed: Option<bool> => "listChanged",
    }
}

object! {
    /// How far a client goes when it samples.
    #[derive(Default)]
    pub struct SamplingCapability {
        /// The client honors `includeContext`.
        pub context: Option<Box<JsonObject>> => "context",
        /// The client honors `tools` and `toolChoice`.
        pub tools: Option<Box<JsonObject>> => "tools",
    }
}

object! {
    /// The ways in which a client can ask its user; none named means forms.
    #[derive(Default)]
    pub struct ElicitationCapability {
        /// The client can show a form.
        pub form: Option<Box<JsonObject>> => "form",
        /// The client can lead its user to an address.
        pub url: Option<Box<JsonObject>> => "url",
    }
}

impl ElicitationCapability {
    /// Returns whether a request in `mode` may be asked.
    ///
    /// Form mode is what an empty object declares, so that clients from before URL mode count.
    pub fn allows(&self, mode: crate::ElicitMode) -> bool {
        match mode {
            crate::ElicitMode::Form => self.form.is_some() || self.url.is_none(),
            crate::ElicitMode::Url => self.url.is_some(),
        }
    }
}

object! {
    /// What a server can do.
    #[derive(Default)]
    pub struct ServerCapabilities {
        /// Capabilities outside the specification.
        pub experimental: Option<Box<JsonObject>> => "experimental",
        /// The server can send log messages.
        pub logging: Option<Box<JsonObject>> => "logging",
        /// The server can complete arguments.
        pub completions: Option<Box<JsonObject>> => "completions",
        /// The server has prompts.
        pub prompts: Option<PromptsCapability> => "prompts",
        /// The server has resources.
        pub resources: Option<ResourcesCapability> => "resources",
        /// The server has tools.
        pub tools: Option<ToolsCapability> => "tools",
        /// The server can run requests as tasks (2025-11-25 only).
        pub tasks: Option<Box<JsonObject>> => "tasks",
        /// Extensions by identifier, each with its settings (2026-07-28).
        pub extensions: Option<Box<JsonObject>> => "extensions",
    }
}

object! {
    /// How a server offers its prompts.
    #[derive(Default)]
    pub struct PromptsCapability {
        /// Whether the server tells when its prompts change.
        pub list_changed: Option<bool> => "listChanged",
    }
}

object! {
    /// How a server offers its resources.
    #[derive(Default)]
    pub struct ResourcesCapability {
        /// Whether the server tells when a resource that was asked for changes.
        pub subscribe: Option<bool> => "subscribe",
        /// Whether the server tells when its list of resources changes.
        pub list_changed: Option<bool> => "listChanged",
    }
}

object! {
    /// How a server offers its tools.
    #[derive(Default)]
    pub struct ToolsCapability {
        /// Whether the server tells when its tools change.
        pub list_changed: Option<bool> => "listChanged",
    }
}

object! {
    /// The name and version that a client or a server gives itself; nothing vouches for it.
    #[derive(Default)]
    pub struct Implementation {
        /// The name for programs; empty if the peer gave none.
        pub name: String => "name" or default,
        /// The name for people.
        pub title: Option<String> => "title",
        /// The version; empty if the peer gave none.
        pub version: String => "version" or default,
        /// What this implementation does (since 2025-11-25).
        pub description: Option<String> => "description",
        /// Where to read more (since 2025-11-25).
        pub website_url: Option<String> => "websiteUrl",
        /// Pictures of it (since 2025-11-25).
        pub icons: Option<Vec<Icon>> => "icons",
    }
}

impl Implementation {
    /// Creates an implementation called `name`, in `version`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

object! {
    /// A picture for a user interface, by address.
    ///
    /// The address comes from the peer: fetch it without credentials, and only from a scheme,
    /// size and type that you accept (specification, *Overview: icons*).
    pub struct Icon {
        /// An `http:`, `https:` or `data:` address.
        pub src: String => "src",
        /// The type, where the source gives none or a vague one.
        pub mime_type: Option<String> => "mimeType",
        /// Sizes it is good for, such as `48x48`, or `any`.
        pub sizes: Option<Vec<String>> => "sizes",
        /// The background it is made for: `light` or `dark`.
        pub theme: Option<String> => "theme",
    }
}

impl Icon {
    /// Creates an icon found at `src`.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: None, theme: None, extra: Extra::default() }
    }
}
