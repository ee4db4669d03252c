//! TLS, the same for HTTP and mail: rustls with ring. Each configuration is given its algorithms; nothing is set for the
//! whole process.

use rustls_platform_verifier::Verifier;
use std::sync::Arc;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

/// The algorithms.
pub fn crypto() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Which certificates are trusted.
pub enum Trust {
    /// Those the machine trusts.
    Machine,
    /// Those that were issued by one of these.
    Issuers(RootCertStore),
    /// Those this verifier lets pass.
    Verified(Arc<dyn ServerCertVerifier>),
}

impl Trust {
    /// The issuers in a file of certificates. The error goes on after the file's name.
    pub fn issuers(pem: &[u8]) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let added = certificate.map_err(|error| error.to_string());
            let added = added.and_then(|one| roots.add(one).map_err(|error| error.to_string()));
            added.map_err(|error| format!("has a bad certificate ({error})"))?;
        }
        if roots.is_empty() { Err("holds no certificate".to_owned()) } else { Ok(Self::Issuers(roots)) }
    }

    /// Settings for connections that trust these. Reading the machine's certificates may wait for a disk.
    pub fn config(self) -> Result<ClientConfig, Error> {
        let builder = ClientConfig::builder_with_provider(crypto()).with_safe_default_protocol_versions()?;
        let verifier = match self {
            Self::Issuers(roots) => return Ok(builder.with_root_certificates(roots).with_no_client_auth()),
            Self::Machine => Arc::new(Verifier::new(crypto())?),
            Self::Verified(verifier) => verifier,
        };
        Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
    }
}
