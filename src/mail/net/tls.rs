//! Which certificates are trusted: the machine's, those in `ca_file`, or the one in `tls_pin`. Checking cannot be
//! turned off.

use super::{NetError, Stream, place, plain};
use crate::config::{MailServer, MailTls};
use crate::text::{hex, io_error_text};
use crate::tools::web::{Trust, crypto, safe_excerpt};
use sha2::{Digest, Sha256};
use std::io;
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, DigitallySignedStruct, OtherError, SignatureScheme,
};

/// Encrypts a connection.
pub(super) async fn handshake(
    server: &MailServer,
    stream: Box<dyn Stream>,
) -> Result<Box<dyn Stream>, NetError> {
    let name = ServerName::try_from(server.host.clone()).map_err(|_| NetError::NoHost {
        host: server.host.clone(),
        why: "that is not a host name".to_owned(),
    })?;
    let trusting = server.clone();
    // Reading certificates may wait for a disk, so it runs on a blocking thread.
    let config = tokio::task::spawn_blocking(move || config(&trusting)).await;
    let config =
        config.map_err(|_| NetError::Trust("the trusted certificates cannot be read".to_owned()))??;
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    Ok(Box::new(connected.map_err(|error| failed(server, &error))?))
}

fn config(server: &MailServer) -> Result<ClientConfig, NetError> {
    let trust = match (&server.tls_pin, &server.ca_file) {
        (Some(pin), _) => Trust::Verified(Arc::new(Pinned { pin: pin.clone(), crypto: crypto() })),
        (None, Some(path)) => {
            let pem =
                std::fs::read(path).map_err(|error| format!("cannot be read ({})", io_error_text(&error)));
            pem.and_then(|pem| Trust::issuers(&pem)).map_err(|why| {
                NetError::Trust(format!(
                    "ca_file {} {why}; name a file of certificates in PEM",
                    path.display()
                ))
            })?
        }
        (None, None) => Trust::Machine,
    };
    trust.config().map_err(|error| {
        NetError::Trust(format!(
            "this machine has no certificates to trust ({error}); install ca-certificates, or set ca_file"
        ))
    })
}

fn failed(server: &MailServer, error: &io::Error) -> NetError {
    let (host, place) = (server.host.clone(), place(server));
    let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) else {
        let why = plain(error);
        return match error.kind() {
            // A server that does not understand the handshake hangs up.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => NetError::Cut { place, why },
            _ => NetError::Unreachable { place, why },
        };
    };
    let certificate = |why: String| NetError::Certificate { host: host.clone(), why };
    let hint = "if it is your own server, set ca_file to the certificate of who issued it";
    match error {
        rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext { presented, .. }) => {
            let names: Vec<String> = presented.iter().take(3).map(|name| safe_excerpt(name)).collect();
            certificate(format!("is for {}; set host to that name", names.join(", ")))
        }
        rustls::Error::InvalidCertificate(CertificateError::NotValidForName) => {
            certificate("is for another name; set host to the name it has".to_owned())
        }
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            certificate(format!("was issued by somebody this machine does not know; {hint}"))
        }
        rustls::Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => certificate("has expired; it must be renewed".to_owned()),
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(why))) => {
            certificate(why.to_string())
        }
        rustls::Error::InvalidCertificate(why) => certificate(format!("cannot be trusted ({why}); {hint}")),
        rustls::Error::InvalidMessage(_) => NetError::NotTls {
            place,
            why: "it answered something else".to_owned(),
            other: match server.tls {
                MailTls::Tls => "starttls",
                MailTls::Starttls => "tls",
            },
        },
        other => NetError::Cut { place, why: safe_excerpt(&other.to_string()) },
    }
}

/// Trusts one certificate and no other.
#[derive(Debug)]
struct Pinned {
    pin: String,
    crypto: Arc<CryptoProvider>,
}

#[derive(Debug, thiserror::Error)]
#[error("is not the one of tls_pin: its SHA-256 is {0}")]
struct NotPinned(String);

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let digest = hex(&Sha256::digest(end_entity));
        let pin: String = self.pin.chars().filter(char::is_ascii_hexdigit).collect();
        if pin.eq_ignore_ascii_case(&digest) {
            return Ok(ServerCertVerified::assertion());
        }
        let why = CertificateError::Other(OtherError(Arc::new(NotPinned(digest))));
        Err(rustls::Error::InvalidCertificate(why))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.crypto.signature_verification_algorithms.supported_schemes()
    }
}
