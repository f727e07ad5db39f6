//! What tools and prompts say: text, pictures, sound, and resources.

use crate::object::object;
use crate::tagged::tagged;
use crate::words::words;
use crate::{Extra, Icon, JsonObject};

tagged! {
    /// One piece of a tool's result or of a prompt.
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound (since 2025-03-26).
        Audio(AudioContent) = "audio",
        /// A resource by its address (since 2025-06-18).
        ResourceLink(ResourceLink) = "resource_link",
        /// A resource with its contents.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// Creates a block of text.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// Returns the text of a block of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

object! {
    /// Text, from a model or for one.
    #[derive(Default)]
    pub struct TextContent: "type" = "text" {
        /// The text; one that is missing or null reads as empty.
        pub text: String => "text" or default when null,
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl TextContent {
    /// Creates a block of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

object! {
    /// A picture, from a model or for one.
    pub struct ImageContent: "type" = "image" {
        /// The picture in base64.
        pub data: String => "data",
        /// Its type, such as `image/png`.
        pub mime_type: String => "mimeType",
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ImageContent {
    /// Creates a picture from its base64 text and its type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// Sound, from a model or for one.
    pub struct AudioContent: "type" = "audio" {
        /// The sound in base64.
        pub data: String => "data",
        /// Its type, such as `audio/wav`.
        pub mime_type: String => "mimeType",
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl AudioContent {
    /// Creates a sound from its base64 text and its type.
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// A resource that can be read from the server; `resources/list` need not name it.
    pub struct ResourceLink: "type" = "resource_link" {
        /// The address of the resource.
        pub uri: String => "uri",
        /// The name for programs; empty if the server gave none.
        pub name: String => "name" or default,
        /// The name for people.
        pub title: Option<String> => "title",
        /// What the resource is.
        pub description: Option<String> => "description",
        /// The type of its contents.
        pub mime_type: Option<String> => "mimeType",
        /// Its size in bytes, before any encoding.
        pub size: Option<u64> => "size",
        /// Pictures of it.
        pub icons: Option<Vec<Icon>> => "icons",
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ResourceLink {
    /// Creates a link to `uri`.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: None,
            annotations: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// A resource with its contents.
    pub struct EmbeddedResource: "type" = "resource" {
        /// The resource.
        pub resource: ResourceContents => "resource",
        /// For whom it is, and how important.
        pub annotations: Option<Annotations> => "annotations",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl EmbeddedResource {
    /// Creates a block that holds `resource`.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, annotations: None, meta: None, extra: Extra::default() }
    }
}

object! {
    /// The contents of a resource: `text`, or bytes as `blob`.
    ///
    /// The specification has a type for each; here a peer that sends both, or neither, is readable.
    #[derive(Default)]
    pub struct ResourceContents {
        /// The address of the resource; empty if the server gave none.
        pub uri: String => "uri" or default,
        /// The type of the contents.
        pub mime_type: Option<String> => "mimeType",
        /// The contents as text.
        pub text: Option<String> => "text",
        /// The contents in base64.
        pub blob: Option<String> => "blob",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ResourceContents {
    /// Creates contents that are text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// Creates contents that are bytes, from their base64 text.
    pub fn blob(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: Some(blob.into()), ..Self::default() }
    }
}

object! {
    /// Hints on how to use or show something; a server that is not trusted can say anything.
    #[derive(Default)]
    pub struct Annotations {
        /// For whom it is.
        pub audience: Option<Vec<Role>> => "audience",
        /// How important it is, from 0 to 1.
        pub priority: Option<f64> => "priority",
        /// When it last changed, in ISO 8601 (since 2025-06-18).
        pub last_modified: Option<String> => "lastModified",
    }
}

words! {
    /// Whose words a message holds, or for whom it is.
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
