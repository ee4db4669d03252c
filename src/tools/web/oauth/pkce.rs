//! The secrets of one login: the verifier with its challenge (RFC 7636, S256), and the state.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

pub struct Secrets {
    /// The challenge is derived from it; only the token server sees it.
    pub verifier: String,
    /// The answer must bring it back.
    pub state: String,
}

impl Secrets {
    /// New ones, each with 256 random bits.
    pub fn new() -> Result<Self, String> {
        Ok(Self { verifier: random()?, state: random()? })
    }

    /// Whether an answer brings the state back. The time this takes does not depend on where they differ.
    pub fn is_state(&self, brought: &str) -> bool {
        let (a, b) = (Sha256::digest(self.state.as_bytes()), Sha256::digest(brought.as_bytes()));
        a.iter().zip(b.iter()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

/// The hash of a verifier that we send ahead of it.
pub fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

fn random() -> Result<String, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_of_the_standard() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (a, b) = (Secrets::new().unwrap(), Secrets::new().unwrap());
        assert!(a.verifier.len() == 43 && a.state.len() == 43);
        assert!(a.verifier != b.verifier && a.state != b.state && a.verifier != a.state);
        assert!(a.is_state(&a.state.clone()));
        for wrong in ["", &b.state, &a.state[..42], &format!("{} ", a.state)] {
            assert!(!a.is_state(wrong));
        }
    }
}
