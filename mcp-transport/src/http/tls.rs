//! Whom to trust.

use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The authorities whose certificates are believed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    /// Beside these, those that the system trusts.
    pub(crate) added: Vec<CertificateDer<'static>>,
    pub(crate) without_system: bool,
}

impl Roots {
    /// Adds the certificates of a PEM text.
    pub(crate) fn add(&mut self, pem: &[u8]) -> Result<(), String> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = certificates.map_err(|error| format!("no PEM: {error}"))?;
        if certificates.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        for certificate in &certificates {
            let added = RootCertStore::empty().add(certificate.clone());
            added.map_err(|error| format!("a certificate in it is unusable: {error}"))?;
        }
        self.added.extend(certificates);
        Ok(())
    }

    /// What a TLS handshake needs.  Reads the system's certificates, once in a process.
    pub(crate) fn config(&self) -> Result<ClientConfig, String> {
        let mut store = if self.without_system {
            RootCertStore::empty()
        } else {
            RootCertStore { roots: system().roots.clone() }
        };
        for certificate in &self.added {
            store.add(certificate.clone()).map_err(|error| error.to_string())?;
        }
        if store.is_empty() {
            return Err("this machine trusts no certificate authority (install its CA \
                        certificates, set SSL_CERT_FILE, or use `Http::root_certificates`)"
                .to_owned());
        }
        config(store)
    }
}

/// What a connection without TLS needs of it: nothing is trusted.  All of them share it, since it
/// has room for sessions that none of them has.
pub(crate) fn without() -> Result<ClientConfig, String> {
    static WITHOUT: OnceLock<Result<ClientConfig, String>> = OnceLock::new();
    WITHOUT.get_or_init(|| config(RootCertStore::empty())).clone()
}

fn config(store: RootCertStore) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(store).with_no_client_auth())
}

/// The authorities that the system trusts; what cannot be read of them is left out.
fn system() -> &'static RootCertStore {
    static SYSTEM: OnceLock<RootCertStore> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        store
    })
}
