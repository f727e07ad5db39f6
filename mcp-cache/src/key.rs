//! What a result is found by.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Whose results these are: a server, and the authorization under which it is asked.
///
/// Results never pass from one server to another, and private ones never from one authorization
/// to another.  Nor do they from an anonymous reader to an authorized one, or back.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Partition {
    server: Arc<str>,
    authorization: Option<Arc<str>>,
}

impl Partition {
    /// The results of one server, asked without authorization.
    ///
    /// Two connections that name the same server share its public results, so the name has to
    /// identify it: an endpoint does, a title that the server gives itself does not.
    pub fn new(server: impl Into<Arc<str>>) -> Self {
        Self { server: server.into(), authorization: None }
    }

    /// The results of the same server, asked under one authorization.
    ///
    /// `identity` names the authorization; it is kept and shown, so it should be no secret.
    pub fn authorized_as(self, identity: impl Into<Arc<str>>) -> Self {
        Self { authorization: Some(identity.into()), ..self }
    }

    /// The server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The authorization, if there is one.
    pub fn authorization(&self) -> Option<&str> {
        self.authorization.as_deref()
    }
}

/// What was asked, of whom: a method and its parameters, in a partition.
///
/// Parameters are names and values in no order, so equal questions have equal keys.  A value
/// that has a structure of its own is passed as text, in one canonical form.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Key {
    partition: Partition,
    request: Arc<Request>,
}

impl Key {
    /// A call of `method` without parameters.
    pub fn new(partition: &Partition, method: impl Into<String>) -> Self {
        let request = Request { method: method.into(), params: BTreeMap::new() };
        Self { partition: partition.clone(), request: Arc::new(request) }
    }

    /// The same call with one parameter more, or with another value for it.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.request).params.insert(name.into(), value.into());
        self
    }

    /// Whose results it asks for.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.request.method
    }

    /// The parameters, by name.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        self.request.params.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many bytes of text it holds.
    pub(crate) fn len(&self) -> usize {
        let params = self.params().map(|(name, value)| name.len() + value.len());
        params.sum::<usize>() + self.method().len()
    }

    /// Where a result lies that only the asking authorization may read.
    pub(crate) fn private(&self) -> Slot {
        self.slot(Reader::Only(self.partition.authorization.clone()))
    }

    /// Where a result lies that everyone may read.
    pub(crate) fn public(&self) -> Slot {
        self.slot(Reader::Everyone)
    }

    fn slot(&self, reader: Reader) -> Slot {
        Slot { server: self.partition.server.clone(), reader, request: self.request.clone() }
    }
}

/// The place of one kept result.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Slot {
    server: Arc<str>,
    reader: Reader,
    request: Arc<Request>,
}

impl Slot {
    /// Whether the partition may be given what lies here.
    pub(crate) fn is_readable_by(&self, partition: &Partition) -> bool {
        let reads = match &self.reader {
            Reader::Everyone => true,
            Reader::Only(authorization) => *authorization == partition.authorization,
        };
        reads && self.server == partition.server
    }

    pub(crate) fn is_public(&self) -> bool {
        self.reader == Reader::Everyone
    }

    pub(crate) fn method(&self) -> &str {
        &self.request.method
    }

    /// The key by which `owner` put something here.
    pub(crate) fn key(&self, owner: &Partition) -> Key {
        Key { partition: owner.clone(), request: self.request.clone() }
    }
}

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Reader {
    Everyone,
    Only(Option<Arc<str>>),
}

#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
struct Request {
    method: String,
    params: BTreeMap<String, String>,
}
